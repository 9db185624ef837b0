//! Rules on the past, from outside: a home's own history, made-up ones, and decisions that were recorded.

use std::fs;

use serde_json::Value;
use skillkeep::{
    ledger::{Access, Event, Kind, Ledger},
    record::{Record, Records},
    skill::{Actor, Instant},
    system::{OsSystem, System as _},
};

use crate::{
    keeping::Keeping,
    policy_alone::repository,
    support::{Machine, Ran},
};

const DAY: i64 = 86_400;

/// The ledger of a home.
fn ledger(keeping: &Keeping) -> Ledger {
    Ledger::open(&keeping.machine.path("home/keep.db"), Access::Write).unwrap().ledger
}

/// Uses skills of a home, by name, so many days and a half ago: whole days would be one pass more or less by the second.
fn used(keeping: &Keeping, uses: &[(&str, i64)]) {
    let ledger = ledger(keeping);
    let now = OsSystem.now();
    let skills = ledger.skills().unwrap();
    let event = |(name, days): &(&str, i64)| Event {
        skill: skills.iter().find(|skill| skill.name == *name).unwrap().id,
        at: Instant(now.0 - days * DAY - DAY / 2),
        kind: Kind::Use,
        actor: Actor::Foreground,
        weight: 1,
        session: None,
        note: None,
    };
    ledger.record(&uses.iter().map(event).collect::<Vec<_>>()).unwrap();
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
}

/// What a run printed, part by part, with times that don't change.
fn told(machine: &Machine, line: &str) -> String {
    let ran = machine.run(&line.split_whitespace().collect::<Vec<_>>());
    let steady = |line: &str| match line.rsplit_once(": ") {
        Some((what, time)) if time.ends_with(" s") => format!("{what}: [TIME]\n"),
        _ => format!("{line}\n"),
    };
    let stderr: String = ran.stderr.lines().map(steady).collect();
    format!(
        "$ skillkeep {line}\n--- stdout\n{}--- stderr\n{stderr}--- exit {}\n\n",
        ran.stdout, ran.status
    )
}

fn transcript(name: &str, machine: &Machine, lines: &[&str]) {
    let text: String = lines.iter().map(|line| told(machine, line)).collect();
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!(name, text) }
    );
}

#[test]
fn rules_are_tried_on_made_up_histories_and_compared_there() {
    transcript(
        "past",
        &Machine::new(),
        &[
            "policy backtest curator-inactivity curator-inactivity,archive-after-days=30 --generated bursts --skills 60 --explain",
            "policy backtest curator-inactivity --generated drift --skills 40 --days 200 --window 30 --every 7 --svg ../drawn.svg",
            "policy compare curator-inactivity curator-inactivity,stale-after-days=60 --generated drift --skills 20 --days 120 --since 2025-03-01",
            "policy compare curator-inactivity curator-inactivity --generated drift --skills 20 --days 120",
        ],
    );
}

#[test]
fn what_makes_no_sense_is_told_with_what_would() {
    let machine = Machine::new();
    transcript(
        "past-usage",
        &machine,
        &[
            "policy backtest --generated zip",
            "policy backtest --generated all --svg ../drawn.svg",
            "policy backtest budget-ladder --generated zipf",
            "policy backtest curator-inactivity,archive-after-days=soon --generated zipf",
            "policy backtest nobody --generated zipf",
            "policy backtest curator-inactivity",
            "policy compare curator-inactivity",
            "policy compare provenance-declared provenance-strict",
            "policy compare budget-ladder budget-codex --generated zipf",
            "policy compare budget-ladder budget-codex --since soon",
            "policy compare --verify",
        ],
    );
    assert!(!machine.path("drawn.svg").exists());
}

#[test]
fn a_picture_shows_each_rule_and_its_bounds() {
    let machine = Machine::new();
    machine.ok(&[
        "policy",
        "backtest",
        "--generated",
        "zipf",
        "--skills",
        "50",
        "--svg",
        "../p.svg",
    ]);
    let drawn = fs::read_to_string(machine.path("p.svg")).unwrap();
    for name in ["curator-inactivity", "oracle", "never"] {
        assert!(drawn.contains(&format!(">{name}<")), "{name} in {drawn}");
    }
    assert!(drawn.ends_with("</svg>\n"));
}

#[test]
fn a_young_home_has_too_little_history_and_an_older_one_says_what_a_rule_would_have_done() {
    let keeping = Keeping::owned();
    let young = keeping.no(1, &["policy", "backtest", "curator-inactivity"]);
    assert!(young.contains("too little history here: 0 days with 0 events"), "{young}");
    assert!(young.contains("--generated mixed"), "{young}");
    // `deploy` rests for 120 days and is wanted then; `notes` for ever.
    used(&keeping, &[("deploy", 300), ("notes", 300), ("deploy", 180), ("deploy", 170)]);
    let none = keeping.ok(&["--json", "policy", "backtest", "curator-inactivity"]);
    assert!(none.stderr.contains("0 of 2 skills are in the curator's care"), "{none:#?}");
    let all = json(&keeping.ok(&["--json", "policy", "backtest", "curator-inactivity", "--all"]));
    let history = &all["histories"][0];
    assert_eq!((&history["skills"], &history["events"]), (&2.into(), &4.into()));
    let [rule, oracle, never] = [0, 1, 2].map(|at| &history["rules"][at]);
    let told = (&rule["passes"], &rule["retired"], &rule["regretted"]);
    assert_eq!(told, (&211.into(), &2.into(), &1.into()), "{rule:#}");
    assert_eq!(rule["reasons"][0]["examples"][0]["skill"], "deploy");
    assert_eq!((&oracle["regretted"], &never["retired"]), (&0.into(), &0.into()));
    assert!(oracle["waste"].as_u64() < rule["waste"].as_u64(), "{all:#}");
    assert!(rule["waste"].as_u64() < never["waste"].as_u64(), "{all:#}");
    // Nothing was done to the home.
    assert_eq!(keeping.names(), ["deploy", "notes"]);
}

#[test]
fn a_rule_that_gives_no_answer_changes_nothing_and_is_told() {
    let keeping = Keeping::owned();
    used(&keeping, &[("deploy", 300), ("notes", 300)]);
    // It traps where anything is pinned.
    keeping.ok(&["pin", "notes"]);
    let careless = repository().join("tests/fixtures/components/curator-careless.wasm");
    let careless = format!("{},mistake=trap", careless.display());
    let ran = keeping.run(&["--json", "policy", "backtest", &careless, "--all"]);
    let rule = json(&ran)["histories"][0]["rules"][0].clone();
    let told = (ran.status, &rule["failed"], &rule["retired"]);
    assert_eq!(told, (1, &211.into(), &0.into()), "{ran:#?}");
    assert!(ran.stderr.contains("failed in 211 passes on home, which changed nothing"), "{ran:#?}");
    let sound = keeping.ok(&["--json", "policy", "backtest", "curator-inactivity", "--all"]);
    // A pin holds on the past as it does today.
    assert_eq!(json(&sound)["histories"][0]["rules"][0]["retired"], 1);
}

#[test]
fn curators_differ_on_the_days_of_a_home_and_since_a_day_on_those_alone() {
    let keeping = Keeping::owned();
    used(&keeping, &[("deploy", 200), ("notes", 40)]);
    let rules = [
        "--json",
        "policy",
        "compare",
        "curator-inactivity",
        "curator-inactivity,stale-after-days=60",
        "--all",
    ];
    let ran = keeping.run(&rules);
    assert_eq!(ran.status, 1, "{ran:#?}");
    let found = json(&ran);
    assert!(found["differ"].as_u64().unwrap() > 1, "{found:#}");
    assert_eq!(found["by-reason"][0]["other"]["choice"], "active");
    let since = [&rules[..], &["--since", "2100-01-01"]].concat();
    let none = json(&keeping.ok(&since));
    assert_eq!((&none["differ"], &none["snapshots"]), (&0.into(), &0.into()));
}

/// A home with two recorded sessions.
fn recorded() -> Keeping {
    let keeping = Keeping::owned();
    used(&keeping, &[("deploy", 3)]);
    for session in ["one", "two"] {
        keeping.ok(&["index", "--session", session, "--limit", "110"]);
    }
    keeping
}

#[test]
fn recorded_decisions_are_decided_again_bit_for_bit() {
    let keeping = recorded();
    // Another layout, another unit, a session that knows its tools, and a short line cut elsewhere.
    for more in [
        &["--format", "xml", "--tools", "skill_view"][..],
        &["--unit", "chars", "--limit", "700", "--toolsets", "web", "--compact", "general=names"],
        &["--set", "budget.exploration=0.5"],
    ] {
        keeping.ok(&[&["index", "--session", "more", "--agent", &more[1][..1]][..], more].concat());
    }
    let ran = keeping.ok(&["policy", "compare", "--verify"]);
    assert_eq!(ran.stdout, "5 decisions decided again and the same, bit for bit\n");
    // One that was written otherwise than it was decided.
    let home = keeping.machine.path("home").canonicalize().unwrap();
    let (ledger, records) = (ledger(&keeping), Records::new(&OsSystem, &home));
    let last = ledger.decisions(None, 1).unwrap().remove(0);
    let (record, shelf) = records.read(&last).unwrap();
    let mut forged = Record { session: "three".to_owned(), ..record };
    forged.cost += 1;
    forged.forms.chosen.swap(0, 1);
    forged.forms.why.swap(0, 1);
    let kept = records.keep(&ledger, &forged, &shelf, OsSystem.now()).unwrap();
    assert!(kept.anew);
    let ran = keeping.run(&["--json", "policy", "compare", "--verify"]);
    let found = json(&ran);
    assert_eq!((ran.status, &found["verified"]), (1, &5.into()), "{found:#}");
    assert_eq!(found["differ"][0]["session"], "three");
    let what = found["differ"][0]["what"].as_array().unwrap();
    assert!(what.contains(&"cost".into()), "{found:#}");
}

#[test]
fn a_decision_whose_policy_is_gone_is_told_and_not_taken_for_verified() {
    let keeping = Keeping::owned();
    let built = repository().join("policies/dist/budget-codex.wasm");
    let file = keeping.machine.write("mine.wasm", fs::read(built).unwrap());
    // The program knows its own by their bytes, wherever these lie: a section more makes it another one.
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend([0, 3, 1, b'x', 0]);
    fs::write(&file, bytes).unwrap();
    keeping.ok(&["policy", "use", "budget", file.to_str().unwrap(), "--yes"]);
    keeping.ok(&["index", "--session", "one"]);
    let kept = keeping.ok(&["policy", "compare", "--verify"]);
    assert_eq!(kept.stdout, "1 decision decided again and the same, bit for bit\n");
    fs::remove_file(&file).unwrap();
    // The copy that the home keeps will do.
    assert_eq!(keeping.ok(&["policy", "compare", "--verify"]).stdout, kept.stdout);
    fs::remove_dir_all(keeping.machine.path("home/policies/kept")).unwrap();
    let ran = keeping.ok(&["policy", "compare", "--verify"]);
    assert!(ran.stdout.starts_with("0 decisions decided again"), "{ran:#?}");
    assert!(
        ran.stdout.contains("1 can't be decided again: the bytes of `budget-codex"),
        "{ran:#?}"
    );
}

#[test]
fn two_budgets_are_compared_on_what_was_recorded() {
    let keeping = recorded();
    let same = keeping.ok(&["policy", "compare", "budget-ladder", "budget-ladder"]);
    assert_eq!(
        same.stdout,
        "budget-ladder -> budget-ladder: none differs of 6 decisions in 2 snapshots\n"
    );
    let ran = keeping.run(&["--json", "policy", "compare", "budget-ladder", "budget-hermes"]);
    let found = json(&ran);
    assert_eq!((&found["slot"], &found["snapshots"]), (&"budget".into(), &2.into()), "{found:#}");
    let differ = found["differ"].as_u64().unwrap();
    assert_eq!((ran.status == 1, found["decisions"].as_u64()), (differ > 0, Some(6)), "{found:#}");
}

#[test]
fn two_rules_are_compared_on_cases() {
    let machine = Machine::new();
    let cases = repository().join("policies/curator-inactivity/cases");
    let cases = cases.to_str().unwrap();
    let rule = "curator-inactivity";
    let same = machine.ok(&["--json", "policy", "compare", rule, rule, cases]);
    assert_eq!(json(&same)["differ"], 0);
    let other = "curator-inactivity,archive-after-days=400";
    let ran = machine.run(&["--json", "policy", "compare", rule, other, cases]);
    let found = json(&ran);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(found["differ"].as_u64().unwrap() > 0 && found["decisions"].as_u64().unwrap() > 5);
}
