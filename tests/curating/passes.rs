//! What a pass does: which skills go stale, which are archived, what stays whatever a policy wants, and what is told of it.

use std::{fs, os::unix::net::UnixListener};

use serde_json::{Value, json};

use super::{Curating, ROOT, text, unmarked, unused, used};

/// Jobs of another program that name skills, in several spellings and states.
fn jobs() -> Value {
    json!([
        { "id": "1", "name": "nightly", "skills": ["by-job"] },
        { "id": "2", "name": "paused", "skills": ["ops/by-paused"], "enabled": false },
        { "id": "3", "name": "yearly", "skill": "~/.hermes/skills/ops/by-yearly/SKILL.md", "schedule": "0 0 1 1 *" },
    ])
}

#[test]
fn each_skill_becomes_what_its_age_its_origin_and_the_laws_say() {
    let looked_at = used("seen", 200).with("viewed", json!(3)).with("view_count", json!(9));
    let skills = [
        (used("fresh", 29), "active"),
        (used("on-the-day", 30), "stale"),
        (used("stale", 45), "stale"),
        (used("on-the-last-day", 90), "archived"),
        (used("old", 200), "archived"),
        (used("pinned", 365).with("pinned", json!(true)), "active"),
        (unused("new", 0), "active"),
        (unused("young", 10), "active"),
        (unused("never", 200), "archived"),
        (used("by-job", 200), "active"),
        (used("ops/by-paused", 200), "active"),
        (used("ops/by-yearly", 200), "active"),
        (unmarked("mine", 200), "active"),
        (unmarked("shipped", 200), "active"),
        (unmarked("elsewhere", 200), "active"),
        (looked_at, "active"),
        (used("back", 2).with("state", json!("stale")), "active"),
    ];
    let (laid, expected): (Vec<_>, Vec<_>) = skills.into_iter().unzip();
    let names: Vec<&str> = laid.iter().map(|it| super::name(it.folder)).collect();
    let it = Curating::new(&laid, &["shipped"], &["elsewhere"], &jobs());
    it.consented();
    let now = it.now.to_string();
    let pass = it.json(&["curator", "run", "--yes", "--now", &now]);
    assert_eq!(pass["stopped"], Value::Null, "{pass:#}");
    for (name, expected) in names.iter().zip(expected) {
        assert_eq!(it.state(name), expected, "{name}: {pass:#}");
    }
    assert_eq!(pass["counts"]["archived"], 3);
    assert_eq!(pass["counts"]["marked-stale"], 2);
    assert_eq!(pass["counts"]["reactivated"], 1);
    // What stays is named in the report, with what holds it.
    let report = it.report();
    for (name, why) in [
        ("by-job", "jobs name it: `nightly`"),
        ("by-paused", "jobs name it: `paused`"),
        ("by-yearly", "jobs name it: `yearly`"),
        ("pinned", "it is pinned"),
    ] {
        let line = report.lines().find(|line| line.starts_with(&format!("- `{name}` ")));
        assert!(line.is_some_and(|line| line.contains(why)), "{name}: {report}");
    }
    // The second pass has nothing more to do.
    let again = it.json(&["curator", "run", "--yes", "--now", &now]);
    assert_eq!(again["counts"]["archived"], 0, "{again:#}");
}

#[test]
fn a_dry_run_tells_what_a_pass_would_do_and_changes_nothing() {
    let it = Curating::of(&[used("old", 200), used("stale", 45)]);
    it.consented();
    let (before, states) = (it.tree(), it.states());
    let dry = it.json(&["curator", "run", "--dry-run"]);
    let rows: Vec<(&Value, &Value)> =
        dry["rows"].as_array().unwrap().iter().map(|row| (&row["name"], &row["to"])).collect();
    assert_eq!(rows, [(&json!("old"), &json!("archived")), (&json!("stale"), &json!("stale"))]);
    assert_eq!((it.tree(), it.states()), (before, states));
    assert_eq!(it.json(&["curator", "status"])["passes"], 0);
    assert!(!it.machine.path("home/reports").exists());
    // And that very plan can be carried out.
    let id = text(&dry["id"]);
    let done = it.json(&["curator", "run", "--yes", "--plan", &id]);
    assert_eq!((&done["plan"], &done["counts"]["archived"]), (&json!(id), &json!(1)));
}

#[test]
fn a_report_names_every_skill_and_two_in_one_second_are_two() {
    let it = Curating::of(&[used("old", 200), used("stale", 45)]);
    it.consented();
    let pass = it.pass();
    let report = it.report();
    for part in [
        "## Archived (1)\n\n- `old` (`old`): ",
        "## Stale from now on (1)\n\n- `stale` (`stale`): ",
        "`skillkeep undo ",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let run = |folder: &Value| {
        let folder = text(folder).replace('~', it.machine.path("user").to_str().unwrap());
        let folder = folder.replace("[MACHINE]", it.machine.path("").to_str().unwrap());
        fs::read_to_string(format!("{folder}/run.json")).unwrap()
    };
    let written: Value = serde_json::from_str(&run(&pass["folder"])).unwrap();
    assert_eq!(written["schema"], "skillkeep.pass/1");
    assert_eq!(written["skills"].as_array().unwrap().len(), 2);
    it.pass();
    assert_eq!(fs::read_dir(it.machine.path("home/reports")).unwrap().count(), 2);
    let status = it.json(&["curator", "status"]);
    assert_eq!(status["passes"], 2);
    let folder = text(&status["last"]["report"]);
    fs::remove_dir_all(it.machine.path(&format!("home/{folder}"))).unwrap();
    let missing = it.ok(&["curator", "status"]).stdout;
    assert!(missing.contains("REPORT.md (missing)\n"), "{missing}");
}

#[test]
fn what_can_not_be_moved_is_left_and_told_and_stays_as_it_was() {
    let it = Curating::of(&[used("ops/held", 200), used("old", 200)]);
    it.consented();
    let _socket = UnixListener::bind(it.machine.path(&format!("{ROOT}/ops/held/socket"))).unwrap();
    let before = fs::read(it.machine.path(&format!("{ROOT}/ops/held/SKILL.md"))).unwrap();
    let now = it.now.to_string();
    let ran = it.run(&["curator", "run", "--yes", "--now", &now]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.contains("1 archived, 1 left\n  left `held`: "), "{ran:#?}");
    assert_eq!(fs::read(it.machine.path(&format!("{ROOT}/ops/held/SKILL.md"))).unwrap(), before);
    assert_eq!((it.state("held").as_str(), it.state("old").as_str()), ("active", "archived"));
    assert!(it.report().contains("## Left for another pass (1)\n\n- `held` (`ops/held`): "));
}

#[test]
fn a_pass_counts_nothing_as_used_and_use_brings_a_stale_skill_back() {
    let it = Curating::of(&[used("stale", 45), used("fresh", 5)]);
    it.consented();
    let counts = |name: &str| {
        let usage = it.usage(name);
        ["uses", "views", "writes", "last-active"].map(|key| usage[key].clone())
    };
    let before = ["stale", "fresh"].map(counts);
    it.pass();
    assert_eq!(it.state("stale"), "stale");
    assert_eq!(["stale", "fresh"].map(counts), before);
    let shown = it.by_agent(&["show", "stale"]);
    assert_eq!(shown.status, 0, "{shown:#?}");
    assert!(shown.stderr.contains("stale since 2"), "{shown:#?}");
    assert!(shown.stderr.contains(" by curator-inactivity "), "{shown:#?}");
    assert_eq!(it.usage("stale")["uses"], 4);
    let pass = it.json(&["curator", "run", "--yes"]);
    assert_eq!(pass["counts"]["reactivated"], 1, "{pass:#}");
    // What passes did to it stands in its log.
    let log = it.ok(&["log", "stale"]).stdout;
    for part in ["curator  active  stale  pass-2", "curator  stale   stale  pass-1"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert_eq!(it.json(&["log", "stale"])["passes"][1]["state"], "stale");
}

#[test]
fn why_tells_what_a_pass_would_do_and_what_holds_it() {
    let pinned = used("pinned", 200).with("pinned", json!(true));
    let skills = [
        used("old", 200),
        used("stale", 45),
        used("fresh", 1),
        pinned,
        unmarked("mine", 200),
        used("by-job", 200),
    ];
    let it = Curating::new(&skills, &[], &[], &jobs());
    let now = it.now.to_string();
    let why = |name: &str| it.ok(&["why", name, "--now", &now]).stdout;
    for (name, words) in [
        ("old", "a pass would let it go stale: "),
        (
            "old",
            "; it was to be archived, and nobody said yes to retiring yet: `skillkeep curator run`\n",
        ),
        ("stale", "a pass would let it go stale: "),
        ("fresh", "a pass would leave it as it is\n"),
        ("pinned", "it is pinned\n"),
        ("by-job", "jobs name it: `nightly`\n"),
        ("mine", "no pass touches it: nobody said who made it: skillkeep curator adopt NAME\n"),
    ] {
        assert!(why(name).contains(words), "{name}: {}", why(name));
    }
    it.consented();
    assert!(why("old").contains("a pass would put it into the archive: "), "{}", why("old"));
    it.pass();
    let stale = why("stale");
    assert!(stale.contains("  state     stale since 2"), "{stale}");
    assert!(stale.contains(" by curator-inactivity 0.1.0 in pass 1: "), "{stale}");
}

#[test]
fn bundled_skills_are_retired_only_where_the_operator_says_so_and_come_back() {
    let skills = [unmarked("pdf", 200), unmarked("excel", 500)];
    let it = Curating::new(&skills, &["pdf", "excel"], &[], &json!([]));
    it.consented();
    it.pass();
    assert_eq!((it.state("pdf"), it.state("excel")), ("active".to_owned(), "active".to_owned()));
    let before = it.tree();
    it.set("[curator]\nretire-bundled = true\nprotected = [\"excel\"]");
    let pass = it.pass();
    assert_eq!(
        (it.state("pdf"), it.state("excel")),
        ("archived".to_owned(), "active".to_owned()),
        "{pass:#}"
    );
    it.ok(&["curator", "restore", "pdf"]);
    assert_eq!(it.tree(), before);
    assert_eq!(it.usage("pdf")["origin"], "bundled");
    // Coming back counts as activity: the next pass leaves it.
    it.a_day_later();
    it.pass();
    assert_eq!(it.state("pdf"), "active");
}
