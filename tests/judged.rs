//! Commands that write, and the policies that the settings name for it: what is done at once, what waits, what is refused.
//! The real program on real files.

use std::fs;

use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
};

/// A home whose settings name these policies, called by an agent.
fn judged_by(policies: &str) -> Keeping {
    let keeping = Keeping::agent();
    let settings = format!("[slots.provenance]\nuse = {policies}\n");
    keeping.machine.write("home/skillkeep.toml", settings);
    keeping
}

/// The first word of what was said of a write: `change` where it was made, `staged` where it waits, else `error:`.
fn went(ran: &Ran) -> &str {
    let said = if ran.status == 0 { &ran.stdout } else { &ran.stderr };
    said.split(' ').next().unwrap_or_default()
}

/// What each writes: an agent makes a skill, changes one of a person's that it has read, puts its own and the other away.
fn writes(keeping: &Keeping) -> [String; 4] {
    let edit = keeping.machine.path("work/edit.md");
    let text = keeping.text("deploy/SKILL.md").replace("Do it.", "Do that.");
    fs::write(edit, text).unwrap();
    let hash = keeping.hash("deploy", "SKILL.md");
    [
        &["new", "ship", "--description", "Use to ship."][..],
        &["write", "deploy", "--replace", "edit.md", "--base", &hash],
        &["archive", "ship"],
        &["archive", "deploy"],
    ]
    .map(|arguments| went(&keeping.run(arguments)).to_owned())
}

#[test]
fn an_agents_writes_are_judged_by_the_policies_that_the_settings_name() {
    for (policies, new, edit, own, others) in [
        (r#""provenance-open""#, "change", "change", "change", "change"),
        (r#""provenance-declared""#, "change", "change", "change", "staged"),
        // What waits to be made is not there to be put away.
        (r#""provenance-strict""#, "staged", "staged", "error:", "staged"),
        (r#"["provenance-open", "provenance-declared"]"#, "change", "change", "change", "staged"),
        (r#"["provenance-open", "provenance-strict"]"#, "staged", "staged", "error:", "staged"),
    ] {
        assert_eq!(writes(&judged_by(policies)), [new, edit, own, others], "{policies}");
    }
    // What nobody sets is judged by the slot's own.
    assert_eq!(writes(&Keeping::agent()), ["change", "change", "change", "staged"]);
}

#[test]
fn what_waits_says_who_had_it_wait_and_a_person_does_it() {
    let keeping = Keeping::agent();
    let staged = keeping.run(&["archive", "deploy"]);
    assert_eq!(
        (staged.stdout.as_str(), staged.stderr.as_str()),
        (
            "staged as p1, waits for a person: skillkeep pending diff p1\n",
            "provenance-declared 0.1.0: nobody declared whose it is, so it counts as a person's and waits for one\n"
        )
    );
    let hash = keeping.json(&["pending"])["pending"][0]["hash"].as_str().unwrap().to_owned();
    let keeping = keeping.by_a_person();
    keeping.ok(&["pending", "approve", &format!("p1={hash}")]);
    assert_eq!(keeping.names(), ["notes"]);
    let keeping = Keeping { token: None, ..keeping };
    // To bring it back is a person's to decide, too.
    let staged = keeping.run(&["restore", "deploy"]);
    assert_eq!(
        (staged.stdout.as_str(), staged.stderr.as_str()),
        (
            "staged as p2, waits for a person: skillkeep pending diff p2\n",
            "provenance-declared 0.1.0: only a person brings back what was archived, so it waits for one\n"
        )
    );
    let hash = keeping.json(&["pending"])["pending"][0]["hash"].as_str().unwrap().to_owned();
    let keeping = keeping.by_a_person();
    keeping.ok(&["pending", "approve", &format!("p2={hash}")]);
    assert_eq!(keeping.names(), ["deploy", "notes"]);
    let newest = &keeping.json(&["log"])["changes"][0];
    assert_eq!(
        [&newest["verb"], &newest["actor"], &newest["approved-by"]],
        ["restore", "foreground", "person"]
    );
}

#[test]
fn what_is_refused_says_by_whom_and_leaves_nothing() {
    let keeping = Keeping::owned();
    keeping.ok(&["init", "--token", "review"]);
    let token = fs::read_to_string(keeping.machine.path("home/tokens/review")).unwrap();
    let keeping = Keeping { token: Some(token.trim().to_owned()), ..keeping };
    keeping.change(&["new", "ship", "--description", "Use to ship."]);
    let before = keeping.tree();
    // A review retires what it made where another skill takes its place.
    assert_eq!(
        keeping.no(1, &["archive", "ship"]),
        "error: it is refused by provenance-declared 0.1.0: it would be lost: name the skill that takes its place, which has to be there\n\
         hint: see what it lets whom do: skillkeep policy show provenance-declared\n"
    );
    assert_eq!(keeping.tree(), before);
    assert_eq!(keeping.json(&["pending"])["pending"].as_array().unwrap().len(), 0);
}

#[test]
fn where_a_policy_does_not_load_a_persons_write_waits_and_anybody_elses_is_refused() {
    let keeping = judged_by(r#"["provenance-open", "policies/mine.wasm"]"#);
    keeping.machine.write("home/policies/mine.wasm", "no component");
    let before = keeping.tree();
    let ran = keeping.run(&["archive", "deploy"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stderr.contains("mine.wasm` does not load, and refuses what it would"), "{ran:#?}");
    assert!(ran.stderr.contains("error: it is refused by the host: "), "{ran:#?}");
    assert!(ran.stderr.contains("until that is mended, nobody but a person writes"), "{ran:#?}");
    let keeping = keeping.by_a_person();
    let ran = keeping.run(&["archive", "deploy"]);
    assert_eq!(ran.stdout, "staged as p1, waits for a person: skillkeep pending diff p1\n");
    assert!(ran.stderr.contains("until that is mended, what a person writes waits"), "{ran:#?}");
    assert_eq!(keeping.tree(), before);
    // Who writes no skill asks nobody, and what was shown can be approved meanwhile.
    for arguments in [&["scan"][..], &["list"], &["pin", "notes"], &["unpin", "notes"]] {
        let said = keeping.ok(arguments).stderr;
        assert!(!said.contains("does not load"), "{arguments:?}: {said}");
    }
    let hash = keeping.json(&["pending"])["pending"][0]["hash"].as_str().unwrap().to_owned();
    keeping.ok(&["pending", "approve", &format!("p1={hash}")]);
    assert_eq!(keeping.names(), ["notes"]);
}

#[test]
fn a_person_writes_at_once_whoever_judges() {
    for policies in [r#""provenance-declared""#, r#""provenance-strict""#] {
        let keeping = judged_by(policies).by_a_person();
        assert_eq!(writes(&keeping), ["change"; 4], "{policies}");
    }
}

#[test]
fn a_setting_that_no_judge_knows_is_told() {
    let keeping = Keeping::agent();
    let settings = "[slots.provenance.settings]\nforeground-edit = \"stage\"\n";
    keeping.machine.write("home/skillkeep.toml", settings);
    let ran = keeping.run(&["archive", "notes"]);
    assert!(ran.stderr.contains("`foreground-edit`"), "{ran:#?}");
    let settings = "[slots.provenance.settings]\nforeground-edits = \"stage\"\n";
    keeping.machine.write("home/skillkeep.toml", settings);
    let before = fs::read(keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"))).unwrap();
    assert_eq!(writes(&keeping), ["change", "staged", "change", "staged"]);
    let after = fs::read(keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"))).unwrap();
    assert_eq!(before, after);
}
