//! Whose skills are: one classification in all outputs, pins that all of them show, and adoption.

use serde_json::{Value, json};

use super::{Curating, ROOT, text, unmarked, unused, used};

/// One skill of each kind, and one in a folder that is only read.
fn kinds() -> Curating {
    let skills = [
        used("by-review", 5),
        unmarked("nobody-s", 5),
        unmarked("shipped", 5),
        unmarked("from-hub", 5),
        unmarked("protected", 5),
    ];
    let it = Curating::new(&skills, &["shipped"], &["from-hub"], &json!([]));
    it.set("[curator]\nprotected = [\"protected\"]");
    it.machine.write(
        "user/.claude/skills/external/SKILL.md",
        "---\nname: external\ndescription: Use for it.\n---\nDo it.\n",
    );
    for name in ["by-person", "by-agent"] {
        let text = format!("---\nname: {name}\ndescription: Use for {name}.\n---\nDo it.\n");
        it.machine.write(&format!("work/{name}.md"), text);
    }
    it.ok(&["new", "by-person", "--from", "by-person.md"]);
    let made = it.by_agent(&["new", "by-agent", "--from", "by-agent.md"]);
    assert_eq!(made.status, 0, "{made:#?}");
    it.ok(&["scan"]);
    it
}

const KINDS: [(&str, &str, Option<&str>); 8] = [
    ("by-review", "review", None),
    ("by-person", "person", Some("made by a person: skillkeep curator adopt NAME")),
    (
        "by-agent",
        "foreground",
        Some("made by an agent at work for a person: skillkeep curator adopt NAME"),
    ),
    ("nobody-s", "unknown", Some("nobody said who made it: skillkeep curator adopt NAME")),
    ("shipped", "bundled", Some("came with an agent: `curator.retire-bundled` is off")),
    ("from-hub", "installed", Some("installed from elsewhere")),
    ("protected", "unknown", Some("protected by `curator.protected`")),
    ("external", "unknown", Some("only read: skillkeep init FOLDER takes a folder into care")),
];

#[test]
fn each_kind_is_told_alike_by_all_commands_with_the_reason_and_its_pin() {
    let it = kinds();
    for (name, _, _) in KINDS {
        let ran = it.run(&["curator", "pin", name]);
        // A pin lies in the root, so that it holds for every home; where nothing may be written, that is said.
        let expected = if name == "external" { 1 } else { 0 };
        assert_eq!(ran.status, expected, "{name}: {ran:#?}");
    }
    let (usage, status) = (it.json(&["curator", "usage"]), it.json(&["curator", "status"]));
    let unmanaged = it.json(&["curator", "list-unmanaged"]);
    let of = |all: &Value, name: &str| {
        let found = all["skills"].as_array().unwrap().iter().find(|it| it["name"] == name);
        found.cloned().unwrap_or_default()
    };
    for (name, origin, why) in KINDS {
        let pinned = name != "external";
        let told = json!([origin, pinned, why.is_none(), why]);
        for all in [&usage, &status] {
            let row = of(all, name);
            let found = json!([row["origin"], row["pinned"], row["in-care"], row["why-not"]]);
            assert_eq!(found, told, "{name}: {row:#}");
        }
        let row = of(&unmanaged, name);
        match why {
            None => assert_eq!(row, Value::Null),
            Some(why) => assert_eq!(
                json!([row["origin"], row["pinned"], row["why"]]),
                json!([origin, pinned, why]),
                "{name}"
            ),
        }
    }
    let list = it.json(&["list"]);
    assert_eq!(of(&list, "nobody-s")["pinned"], true);
}

#[test]
fn usage_lists_all_skills_in_the_order_that_is_asked_for() {
    let skills = [
        used("often", 9).with("view_count", json!(40)),
        used("lately", 1),
        unused("never", 3),
        unmarked("shipped", 5),
    ];
    let it = Curating::new(
        &skills,
        &["shipped"],
        &[],
        &json!([{ "name": "nightly", "skill": "lately" }]),
    );
    it.lay("unmet", "Do it.");
    let names = |arguments: &[&str]| {
        let usage = it.json(&[&["curator", "usage"], arguments].concat());
        let skills = usage["skills"].as_array().unwrap().iter();
        skills.map(|it| text(&it["name"])).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["often", "lately", "shipped", "never"]);
    assert_eq!(names(&["--sort", "recent"]), ["lately", "never", "shipped", "often"]);
    assert_eq!(names(&["--sort", "name"]), ["lately", "never", "often", "shipped"]);
    assert_eq!(names(&["--origin", "bundled"]), ["shipped"]);
    let said = it.ok(&["curator", "usage"]).stdout;
    let head = "5 skills: 3 in the curator's care, 0 stale, 0 pinned, 1 named by jobs\nby origin: 1 bundled, 3 review\nNAME ";
    assert!(said.starts_with(head), "{said}");
    assert!(said.contains("yes, named by a job\n"), "{said}");
    assert!(said.ends_with("no scan has met it: skillkeep scan\n"), "{said}");
    assert_eq!(it.run(&["curator", "usage", "--origin", "agent"]).status, 2);
}

#[test]
fn a_slip_in_a_name_pins_nothing_and_what_came_with_an_agent_may_be_pinned() {
    let it = Curating::new(&[unmarked("shipped", 200)], &["shipped"], &[], &json!([]));
    let refused = it.no(1, &["curator", "pin", "shiped"]);
    assert!(refused.starts_with("error: no skill is called `shiped` "), "{refused}");
    assert!(refused.ends_with("hint: did you mean `shipped`?\n"), "{refused}");
    let dry = it.run(&["curator", "pin", "shipped", "--dry-run"]);
    assert_eq!((dry.status, dry.stdout.as_str()), (0, "would pin `shipped`\n"), "{dry:#?}");
    assert_eq!(it.usage("shipped")["pinned"], false);
    let pinned = it.ok(&["curator", "pin", "shipped"]).stdout;
    assert_eq!(pinned, "change 1: pinned `shipped`\n");
    it.set("[curator]\nretire-bundled = true");
    it.consented();
    it.pass();
    assert_eq!(it.state("shipped"), "active");
    let dry = it.ok(&["curator", "unpin", "shipped", "--dry-run"]).stdout;
    assert_eq!(dry, "would unpin `shipped`\n");
    assert_eq!(it.ok(&["curator", "unpin", "shipped"]).stdout, "change 2: unpinned `shipped`\n");
    it.pass();
    assert_eq!(it.state("shipped"), "archived");
}

#[test]
fn an_adopted_skill_keeps_its_time_and_two_passes_stand_between_it_and_the_archive() {
    let it = Curating::of(&[unmarked("old", 100), unmarked("new", 1)]);
    it.consented();
    let before = it.usage("old");
    let dry = it.ok(&["curator", "adopt", "old", "new", "--dry-run"]).stdout;
    let old = format!(
        "last active {}; it may go stale at the next pass, and be retired at the one after\n",
        &it.ago(100)[..10]
    );
    let new = format!("last active {}\n", &it.ago(1)[..10]);
    assert_eq!(dry, format!("would adopt `old`: {old}would adopt `new`: {new}"));
    assert_eq!(it.usage("old"), before);
    let done = it.ok(&["curator", "adopt", "old", "new", "--reason", "mine no more"]).stdout;
    assert_eq!(done, format!("change 1: adopted `old`: {old}change 2: adopted `new`: {new}"));
    let after = it.usage("old");
    assert_eq!((&after["origin"], &after["in-care"]), (&json!("adopted"), &json!(true)));
    for key in ["uses", "views", "created", "last-used", "last-active"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    let log = it.ok(&["log", "old"]).stdout;
    assert!(log.contains("person  adopt"), "{log}");
    assert!(log.contains("mine no more"), "{log}");
    it.pass();
    assert_eq!(it.state("old"), "stale");
    it.a_day_later();
    it.pass();
    assert_eq!((it.state("old").as_str(), it.state("new").as_str()), ("archived", "active"));
}

#[test]
fn an_adoption_is_a_persons_and_can_be_taken_back() {
    let it = Curating::of(&[unmarked("old", 100)]);
    let refused = it.by_agent(&["curator", "adopt", "old"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""), "{refused:#?}");
    assert!(refused.stderr.starts_with("error: only a person may adopt, and `foreground` asked"));
    it.ok(&["curator", "adopt", "old"]);
    assert_eq!(it.ok(&["undo", "1"]).stdout, "change 2: took back change 1\n");
    assert_eq!(
        (&it.usage("old")["origin"], &it.usage("old")["in-care"]),
        (&json!("unknown"), &json!(false))
    );
    assert_eq!(it.ok(&["undo", "2"]).stdout, "change 3: took back change 2\n");
    assert_eq!(it.usage("old")["origin"], "adopted");
}

#[test]
fn what_is_not_to_be_adopted_is_refused_with_the_reason_and_the_rest_is_done() {
    let it = kinds();
    for (name, why) in [
        ("by-review", "it is in the curator's care already"),
        ("shipped", "it came with an agent; `curator.retire-bundled` says what becomes of these"),
        ("from-hub", "it was installed from elsewhere"),
        ("protected", "`curator.protected` has its name"),
        ("external", "its folder is only read"),
    ] {
        let refused = it.no(1, &["curator", "adopt", name]);
        assert!(
            refused.starts_with(&format!("warning: `{name}`: not adopted: {why}\n")),
            "{refused}"
        );
    }
    let missing = it.no(1, &["curator", "adopt", "nobodys"]);
    assert!(missing.contains("hint: did you mean `nobody-s`?"), "{missing}");
    let some = it.json(&["curator", "adopt", "shipped", "by-person"]);
    assert_eq!(
        (&some["done"][0]["name"], &some["refused"][0]["name"]),
        (&json!("by-person"), &json!("shipped"))
    );
    for wrong in [&["curator", "adopt"][..], &["curator", "adopt", "by-agent", "--all-unmanaged"]] {
        it.no(2, wrong);
    }
    let asked = it.no(2, &["curator", "adopt", "--all-unmanaged"]);
    assert!(
        asked.contains("error: there is no terminal to ask at whether this is meant\n"),
        "{asked}"
    );
    let all = it.json(&["curator", "adopt", "--all-unmanaged", "--yes"]);
    let names: Vec<&Value> = all["done"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["by-agent", "nobody-s"]);
    assert_eq!(all["refused"], json!([]));
    let none = it.ok(&["curator", "adopt", "--all-unmanaged"]);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "there is nothing to adopt\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn adopting_all_is_asked_for_at_a_terminal() {
    let it = Curating::of(&[unmarked("old", 100), unmarked("older", 200)]);
    let no = it.seated("\n", &["curator", "adopt", "--all-unmanaged"]);
    assert_eq!(no.status, 1, "{no:#?}");
    assert!(no.stdout.contains("give 2 skills into the curator's care? [y/N]\n"), "{no:#?}");
    assert!(no.stdout.ends_with("error: nothing was adopted\n"), "{no:#?}");
    assert_eq!(it.usage("old")["in-care"], false);
    let yes = it.seated("y\n", &["curator", "adopt", "--all-unmanaged"]);
    assert_eq!(yes.status, 0, "{yes:#?}");
    assert_eq!(it.usage("old")["in-care"], true);
}

#[test]
fn list_unmanaged_says_how_many_may_be_adopted() {
    let it = kinds();
    let said = it.ok(&["curator", "list-unmanaged"]);
    assert!(
        said.stdout.starts_with("NAME       FOLDER     ORIGIN      PINNED  LAST ACTIVE  WHY\n"),
        "{said:#?}"
    );
    assert_eq!(said.stdout.lines().count(), KINDS.len());
    assert_eq!(
        said.stderr,
        "7 skills not in the curator's care, 3 of them may be adopted\n\
         hint: to give them all into its care: skillkeep curator adopt --all-unmanaged\n"
    );
    assert!(it.machine.path(ROOT).exists());
}
