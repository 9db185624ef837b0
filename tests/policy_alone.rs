//! A policy by itself: its cases and the laws of good rules on components, and the way from `policy new` to one that passes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, OnceLock},
};

use serde_json::Value;
use skillkeep::{
    policy::{Engine, Loaded, Source},
    trial::{Effort, Sandboxed, Sheet, Verdict, run_laws, run_sheets},
};

use crate::hostile::guest::{FOREVER, Guest};
use crate::support::{Machine, Ran, shared_cache};

/// Each of our policies: its crate and its component.
const OURS: [(&str, &str); 11] = [
    ("policies/demotion-toolset", "policies/dist/demotion-toolset.wasm"),
    ("policies/budget-ladder", "policies/dist/budget-ladder.wasm"),
    ("policies/curator-inactivity", "policies/dist/curator-inactivity.wasm"),
    ("policies/curator-outcome", "policies/dist/curator-outcome.wasm"),
    ("policies/curator-decay", "policies/dist/curator-decay.wasm"),
    ("policies/curator-negative", "policies/dist/curator-negative.wasm"),
    ("policies/provenance-declared", "policies/dist/provenance-declared.wasm"),
    ("policies/provenance-open", "policies/dist/provenance-open.wasm"),
    ("policies/provenance-strict", "policies/dist/provenance-strict.wasm"),
    ("tests/fixtures/components/curator-minimal", "tests/fixtures/components/curator-minimal.wasm"),
    (
        "tests/fixtures/components/provenance-minimal",
        "tests/fixtures/components/provenance-minimal.wasm",
    ),
];

pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn engine() -> &'static Engine {
    static ONE: OnceLock<Engine> = OnceLock::new();
    ONE.get_or_init(|| Engine::new(Some(&shared_cache().join("components")), None).unwrap())
}

fn load(component: &str, set: &[(&str, &str)]) -> Loaded {
    let bytes = fs::read(repository().join(component)).unwrap();
    let given: Vec<_> = set
        .iter()
        .map(|(key, value)| skillkeep::policy::Assignment {
            key: (*key).to_owned(),
            value: skillkeep::decision::Value::Text((*value).to_owned()),
            untyped: true,
            from: "test".to_owned(),
        })
        .collect();
    Loaded::load(engine(), Source::File(component.into()), &bytes, None, &given).unwrap()
}

fn sheets(folder: &str) -> Vec<Sheet> {
    let folder = repository().join(folder).join("cases");
    let mut sheets: Vec<Sheet> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            Sheet::of(name, fs::read(&path).unwrap())
        })
        .collect();
    sheets.sort_by(|a, b| a.name.cmp(&b.name));
    sheets
}

/// `cargo test` runs the same files natively, so that a case that passes here and there was answered alike.
#[test]
fn every_policy_of_ours_answers_its_cases_in_the_sandbox_as_it_does_natively() {
    for (folder, component) in OURS {
        let policy = load(component, &[]);
        let sandboxed = Sandboxed::new(engine(), &policy, policy.inspection.slots[0]);
        let sheets = sheets(folder);
        let (runs, blessed) = run_sheets(&sandboxed, &sheets);
        let failed: Vec<_> = runs.iter().filter(|run| run.failed.is_some()).collect();
        assert!(failed.is_empty() && runs.len() >= 3, "{component}: {failed:#?}");
        assert!(blessed.iter().all(Option::is_none), "{component}");
        let carried = skillkeep_build::cases(&fs::read(repository().join(component)).unwrap());
        let beside: Vec<_> = sheets.into_iter().map(|sheet| (sheet.name, sheet.text)).collect();
        assert_eq!(carried, beside, "{component} carries other cases; cargo xtask dist");
    }
}

/// Little in a debug build; `skillkeep policy test NAME --laws` looks harder.
fn effort() -> Effort {
    Effort { snapshots: 30, largest: 4_000, ..Effort::default() }
}

#[test]
fn every_policy_of_ours_keeps_the_laws_of_good_rules() {
    for (folder, component) in OURS {
        let policy = load(component, &[]);
        let sandboxed = Sandboxed::new(engine(), &policy, policy.inspection.slots[0]);
        let runs = run_laws(&sandboxed, &sheets(folder), &effort());
        let broken: Vec<_> =
            runs.iter().filter(|run| matches!(run.verdict, Verdict::Broken(_))).collect();
        assert!(broken.is_empty() && runs.len() >= 4, "{component}: {broken:#?}");
    }
}

#[test]
fn each_mistake_breaks_its_law_and_is_shown_by_a_few_rows() {
    let curator = "tests/fixtures/components/curator-careless.wasm";
    let budget = "tests/fixtures/components/budget-careless.wasm";
    for (component, mistake, expected) in [
        (curator, "none", &[][..]),
        (curator, "order", &["order", "settled"]),
        (curator, "older", &["older"]),
        (curator, "settled", &["settled"]),
        (curator, "protected", &["protected"]),
        (curator, "reasons", &["reasons"]),
        (curator, "size", &["any-size"]),
        (curator, "trap", &["answers", "any-size", "ten-times"]),
        (budget, "none", &[]),
        (budget, "limit", &["within-limit"]),
        (budget, "missing", &["answers"]),
    ] {
        let policy = load(component, &[("mistake", mistake)]);
        let sandboxed = Sandboxed::new(engine(), &policy, policy.inspection.slots[0]);
        let mut broken = Vec::new();
        for run in run_laws(&sandboxed, &[], &effort()) {
            let Verdict::Broken(found) = run.verdict else { continue };
            broken.push(run.law.name);
            let Some(case) = found.case else { continue };
            let rows = case.lines().filter(|line| line.starts_with("| skill-")).count();
            assert!((1..=2).contains(&rows), "{mistake}: {case}");
            // It is a file of cases like any other, to which only the expectation is missing.
            let sheet = Sheet::of("broken.md".to_owned(), case.into_bytes());
            let (runs, _) = run_sheets(&sandboxed, &[sheet]);
            assert!(
                runs[0].failed.as_ref().unwrap().contains("nothing is expected yet"),
                "{runs:?}"
            );
        }
        assert_eq!(broken, expected, "{mistake}");
    }
}

#[test]
fn each_mistake_of_a_judge_breaks_its_law_and_is_shown_by_a_write() {
    let careless = "tests/fixtures/components/provenance-careless.wasm";
    for (mistake, expected) in [
        ("none", &[][..]),
        ("words", &["origins"]),
        ("claims", &["origins"]),
        ("adopts", &["origins"]),
        ("person", &["person-first"]),
        ("pinned", &["protections"]),
        ("referenced", &["protections"]),
        ("approval", &["protections"]),
        ("read", &["protections"]),
        ("root", &["protections"]),
        ("reasons", &["reasons"]),
    ] {
        let policy = load(careless, &[("mistake", mistake)]);
        let sandboxed = Sandboxed::new(engine(), &policy, policy.inspection.slots[0]);
        let mut broken = Vec::new();
        for run in run_laws(&sandboxed, &[], &effort()) {
            let Verdict::Broken(found) = run.verdict else { continue };
            broken.push(run.law.name);
            // What was made up is a case like any other, to which only the expectation is missing.
            let sheet = Sheet::of("broken.md".to_owned(), found.case.unwrap().into_bytes());
            let (runs, _) = run_sheets(&sandboxed, &[sheet]);
            let failed = runs[0].failed.as_ref().unwrap();
            assert!(failed.contains("nothing is expected yet"), "{failed}");
        }
        assert_eq!(broken, expected, "{mistake}");
    }
}

#[test]
fn a_judge_is_timed_on_one_write() {
    let bench = Machine::new().json(&["policy", "test", "provenance-declared", "--bench"]);
    let sizes = bench["bench"][0]["sizes"].as_array().unwrap();
    let [write] = sizes.as_slice() else { panic!("{sizes:?}") };
    assert_eq!((&write["writes"], &write["fault"]), (&1.into(), &Value::Null));
    assert!(write["fuel"].as_u64().unwrap() > 1_000, "{write}");
    let shown = Machine::new().ok(&["policy", "test", "provenance-open", "--bench"]);
    assert!(shown.stdout.contains("\nWRITES  provenance-open 0.1.0 "), "{}", shown.stdout);
    assert!(shown.stdout.contains("provenance-declared 0.1.0 (default)"), "{}", shown.stdout);
}

#[test]
fn laws_that_were_tried_on_no_answer_are_silent() {
    let refusing =
        Guest::budget().answering(|data| data.refusal("because", &["a test".to_owned()]));
    let budget = ["answers", "reasons", "same-twice", "order", "unknown-facts", "within-limit"];
    for (guest, broken) in [
        (Guest::budget().deciding(FOREVER), &["answers", "any-size", "ten-times"][..]),
        (refusing, &[]),
    ] {
        let source = Source::File("guest.wasm".into());
        let policy = Loaded::load(engine(), source, &guest.build(), None, &[]).unwrap();
        let sandboxed = Sandboxed::new(engine(), &policy, policy.inspection.slots[0]);
        let effort = Effort { snapshots: 3, largest: 200, ..Effort::default() };
        for run in run_laws(&sandboxed, &[], &effort) {
            let asked = match run.law.name {
                "any-size" => 3,
                "ten-times" => 2,
                name => {
                    assert!(budget.contains(&name), "{name}");
                    3
                }
            };
            match run.verdict {
                Verdict::Broken(_) => assert!(broken.contains(&run.law.name), "{run:?}"),
                Verdict::Silent(why) => {
                    assert!(!broken.contains(&run.law.name), "{}", run.law.name);
                    assert_eq!(why, format!("it answered none of the {asked}"));
                }
                Verdict::Kept { .. } => panic!("{run:?}"),
            }
        }
    }
}

#[test]
fn a_policy_that_answers_nothing_is_not_told_to_keep_any_law() {
    let refusing =
        Guest::budget().answering(|data| data.refusal("because", &["a test".to_owned()]));
    let machine = Machine::new();
    machine.write("work/refusing.wasm", refusing.build());
    let laws = ["policy", "test", "refusing.wasm", "--laws", "--snapshots", "2", "--largest", "9"];
    let ran = machine.run(&laws);
    assert!(ran.stdout.ends_with("\n8 laws: 0 kept, 8 silent, 0 broken\n"), "{ran:?}");
    let expected = "warning: no law was tried, so none is known to be kept\nhint: write a case in which it answers: snapshots take the facts of its cases\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (1, expected));
}

const CURATOR: &str = "tests/fixtures/components/curator-minimal.wasm";

/// A machine with a component, and a file of cases of which the second is wrong.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("work/unused.wasm", fs::read(repository().join(CURATOR)).unwrap());
    let table = "| skill | last-used |\n| ----- | --------- |\n| old | 91 days ago |\n\nexpect:";
    machine.write(
        "work/wrong.md",
        format!("# Unused\n\n## right\n\n{table}\n\n| skill | verdict | why |\n| --- | --- | --- |\n| old | archive | unused for 91 days |\n\n## wrong\n\n{table} nothing\n"),
    );
    machine
}

#[test]
fn a_component_is_tested_by_the_cases_that_it_carries() {
    let ran = machine().ok(&["policy", "test", "unused.wasm"]);
    let expected = "curator-minimal 0.1.0 (curator)\n\nunused.md\n  ok      what was not used for ninety days is archived\n  ok      the days are a setting\n  ok      nothing is known of any use\n  ok      a library without skills\n4 cases: 4 ok, 0 failed\n";
    assert_eq!(ran, Ran { status: 0, stdout: expected.to_owned(), stderr: String::new() });
}

#[test]
fn a_failed_case_says_what_differs_in_which_line_and_blessing_mends_it() {
    let machine = machine();
    let ran = machine.run(&["policy", "test", "unused.wasm", "wrong.md"]);
    let expected = "curator-minimal 0.1.0 (curator)\n\nwrong.md\n  ok      right\n  FAILED  wrong (line 15)\n         21 - nothing\n            + | old | archive | unused for 91 days |\n2 cases: 1 ok, 1 failed\n";
    let hint =
        "hint: `--bless` writes what the policy answers into the cases, where that is right\n";
    assert_eq!(ran, Ran { status: 1, stdout: expected.to_owned(), stderr: hint.to_owned() });

    let before = fs::read_to_string(machine.path("work/wrong.md")).unwrap();
    machine.ok(&["policy", "test", "unused.wasm", "wrong.md", "--bless"]);
    let after = fs::read_to_string(machine.path("work/wrong.md")).unwrap();
    let written = "expect:\n\n| skill | verdict | why                |\n| ----- | ------- | ------------------ |\n| old   | archive | unused for 91 days |\n";
    assert_eq!(after, before.replace("expect: nothing\n", written));
    machine.ok(&["policy", "test", "unused.wasm", "wrong.md"]);
}

#[test]
fn a_file_of_cases_that_is_no_text_fails_like_any_bad_one_and_the_others_are_run() {
    let machine = machine();
    machine.write("work/latin.md", b"# Caf\xe9\n");
    let ran = machine.run(&[
        "policy",
        "test",
        "unused.wasm",
        "latin.md",
        "wrong.md",
        "--junit",
        "out.xml",
    ]);
    let failed = "\nlatin.md\n  FAILED  latin.md (line 1)\n      found bytes that are no text, expected UTF-8\nwrong.md\n  ok      right\n";
    assert!(
        ran.stdout.contains(failed) && ran.stdout.ends_with("3 cases: 1 ok, 2 failed\n"),
        "{ran:?}"
    );
    assert_eq!(ran.status, 1);
    assert!(fs::read_to_string(machine.path("work/out.xml")).unwrap().contains("failures=\"2\""));
}

#[test]
fn a_word_that_no_answer_can_have_is_told_with_those_that_there_are() {
    let machine = machine();
    let wrong = fs::read_to_string(machine.path("work/wrong.md")).unwrap();
    machine.write("work/word.md", wrong.replace("| archive |", "| archived |"));
    let ran = machine.run(&["policy", "test", "unused.wasm", "word.md"]);
    let told = "- | old | archived | unused for 91 days |\n              `archived` is no verdict, expected one of `keep`, `activate`, `mark stale`, `archive`, `notice KIND`\n            + | old | archive |";
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
}

#[test]
fn a_trap_is_told_with_the_way_to_the_panics_words() {
    let machine = machine();
    let careless = repository().join("tests/fixtures/components/curator-careless.wasm");
    machine.write("work/careless.wasm", fs::read(careless).unwrap());
    let table = "| skill | pinned |\n| ----- | ------ |\n| old | yes |\n\nexpect: nothing\n";
    machine.write("work/trap.md", format!("# Trap\n\n## pinned\n\n{table}"));
    let ran = machine.run(&["policy", "test", "careless.wasm", "trap.md", "--set", "mistake=trap"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("broken: it trapped"), "{ran:?}");
    let hint =
        "hint: `cargo test` in the crate runs the cases natively, and shows a panic's words\n";
    assert!(ran.stderr.starts_with(hint), "{ran:?}");
}

#[test]
fn what_a_trial_found_is_told_to_machines_too() {
    let machine = machine();
    let ran = machine.run(&[
        "--json",
        "policy",
        "test",
        "unused.wasm",
        "wrong.md",
        "--junit",
        "out/cases.xml",
        "--laws",
        "--snapshots",
        "5",
        "--largest",
        "200",
    ]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.status, ran.stderr.as_str()), (1, ""));
    assert_eq!(found["schema"], "skillkeep.policy-test/1");
    assert_eq!(found["cases"][0]["ok"], true);
    assert_eq!(found["cases"][1]["line"], 15);
    assert_eq!(
        found["cases"][1]["difference"],
        "   21 - nothing\n      + | old | archive | unused for 91 days |\n"
    );
    assert!(found["laws"].as_array().unwrap().iter().all(|law| law["outcome"] != "broken"));
    assert_eq!(found["bench"], Value::Null);
    let junit = fs::read_to_string(machine.path("work/out/cases.xml")).unwrap();
    assert!(
        junit.contains("<testsuite name=\"curator-minimal 0.1.0\" tests=\"2\" failures=\"1\""),
        "{junit}"
    );
}

#[test]
fn a_broken_law_can_be_kept_as_a_file_of_cases() {
    let machine = Machine::new();
    let careless = repository().join("tests/fixtures/components/curator-careless.wasm");
    machine.write("work/careless.wasm", fs::read(careless).unwrap());
    let ran = machine.run(&[
        "policy",
        "test",
        "careless.wasm",
        "--laws",
        "--set",
        "mistake=protected",
        "--largest",
        "200",
        "--save",
        "found",
    ]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let kept = fs::read_to_string(machine.path("work/found/protected.md")).unwrap();
    let again = machine.run(&[
        "policy",
        "test",
        "careless.wasm",
        "found/protected.md",
        "--set",
        "mistake=protected",
    ]);
    assert!(again.stdout.contains("nothing is expected yet"), "{kept}\n{again:?}");
}

#[test]
fn wrong_use_says_what_was_expected() {
    let machine = machine();
    machine.write("work/full/file", "");
    machine.write("work/bad.md", "## a\n- limit = 3\n");
    for (arguments, status, message) in [
        (&["policy", "test", "nowhere.wasm"][..], 2, "can't read `nowhere.wasm`"),
        (&["policy", "test", "full"], 2, "found no `Cargo.toml` in `full`"),
        (
            &["policy", "test", "unused.wasm", "--slot", "budget"],
            2,
            "it decides `curator`, not `budget`",
        ),
        (
            &["policy", "test", "unused.wasm", "--bless"],
            2,
            "`--bless` needs the files of the cases",
        ),
        (&["policy", "test", "unused.wasm", "missing.md"], 2, "can't read `missing.md`"),
        (&["policy", "test", "unused.wasm", "bad.md"], 1, ""),
        (
            &["policy", "test", "unused.wasm", "--set", "days"],
            2,
            "found `--set days`, expected `--set KEY=VALUE`",
        ),
        (
            &["policy", "test", "unused.wasm", "--laws", "--snapshots", "0"],
            2,
            "expected a whole number above 0",
        ),
        (
            &["policy", "test", "unused.wasm", "--set", "unused-days=0"],
            2,
            "setting `unused-days` (--set): found `0`, expected a value in ",
        ),
        (&["policy", "new", "My_Rule", "--slot", "curator"], 2, "hint: did you mean `my-rule`?"),
        (&["policy", "new", "my-rule", "--slot", "curatr"], 2, "hint: did you mean `curator`?"),
        (&["policy", "new", "full", "--slot", "curator"], 2, "`full` is there already"),
        (
            &["policy", "new", "a", "--slot", "curator", "--sdk", "full"],
            2,
            "found no SDK in `full`",
        ),
        (
            &["policy", "test", "bad.md"],
            2,
            "hint: for the crate of this folder: skillkeep policy test . bad.md",
        ),
        (&["policy", "build"], 2, "found no `Cargo.toml` in `.`"),
    ] {
        let ran = machine.run(arguments);
        assert_eq!(ran.status, status, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(message), "{arguments:?}: {ran:?}");
        assert!(!machine.path("work/my-rule").exists() && !machine.path("work/a").exists());
    }
}

#[test]
fn of_several_that_make_the_same_crate_one_does() {
    let machine = Machine::new();
    for round in 0..3 {
        let name = format!("raced-{round}");
        let started: Vec<_> = ["demotion", "budget", "curator", "provenance"]
            .map(|slot| {
                let mut command = machine.command(&["policy", "new", &name, "--slot", slot]);
                command.stdout(Stdio::null()).stderr(Stdio::piped());
                (slot, command.spawn().unwrap())
            })
            .into_iter()
            .collect();
        let mut made = Vec::new();
        for (slot, child) in started {
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                made.push(slot);
            } else {
                let said = String::from_utf8(output.stderr).unwrap();
                assert!(said.contains("is there already, expected a new or an empty"), "{said}");
            }
        }
        let [slot] = made.as_slice() else { panic!("made for {made:?}") };
        let rule = fs::read_to_string(machine.path(&format!("work/{name}/src/lib.rs")));
        assert!(rule.unwrap().contains(&format!("export_{slot}!")));
    }
}

#[test]
fn blessing_is_advised_only_where_it_would_write_something() {
    let machine = Machine::new();
    fs::write(machine.path("work/bad.md"), "## a\n\n- nonsense: 1\n").unwrap();
    fs::write(machine.path("work/unwritten.md"), "\u{feff}## a\n").unwrap();
    for (case, advised) in [("bad.md", false), ("unwritten.md", true)] {
        let ran = machine.run(&["policy", "test", "demotion-toolset", case]);
        assert_eq!((ran.status, ran.stderr.contains("`--bless` writes")), (1, advised), "{ran:?}");
    }
}

#[test]
fn without_a_compiler_building_says_what_to_install() {
    let machine = Machine::new();
    machine.ok(&["policy", "new", "my-rule", "--slot", "budget"]);
    let mut command = machine.command(&["policy", "build", "my-rule"]);
    command
        .env("SKILLKEEP_WASM_CARGO", "/nowhere/cargo")
        .env("SKILLKEEP_WASM_RUSTC", "/nowhere/rustc");
    let ran = machine.finish(command.output().unwrap());
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""), "{ran:?}");
    assert!(ran.stderr.contains("hint: rustup target add wasm32-unknown-unknown\n"), "{ran:?}");
}

/// A command of the program that builds, with the real machine's compilers; none where they can't build for the target.
#[allow(clippy::print_stderr, reason = "a skipped test says so aloud")]
pub fn building(machine: &Machine, arguments: &[&str]) -> Option<Command> {
    if let Err(error) = skillkeep_build::Toolchain::find() {
        eprintln!("SKIPPED, since {error}; {}", error.hints()[0]);
        return None;
    }
    let mut command = machine.command(arguments);
    real(&mut command);
    Some(command)
}

/// Gives a command the real machine's compilers, and one folder for all builds of tests: the SDK is built once.
pub fn real(command: &mut Command) {
    let home = std::env::home_dir().unwrap();
    let or = |key: &str, below: &str| {
        std::env::var_os(key).map_or_else(|| home.join(below), PathBuf::from)
    };
    command
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("CARGO_HOME", or("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", or("RUSTUP_HOME", ".rustup"))
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("new"));
    for key in ["SKILLKEEP_WASM_CARGO", "SKILLKEEP_WASM_RUSTC", "RUSTUP_TOOLCHAIN"] {
        if let Some(value) = std::env::var_os(key) {
            command.env(key, value);
        }
    }
}

/// Builds of tests, one after the other: they share a folder, and would wait for each other's lock in the middle.
pub fn one_at_a_time() -> std::sync::MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn a_new_policy_of_each_slot_builds_and_passes_its_cases_and_the_laws() {
    let _alone = one_at_a_time();
    let machine = Machine::new();
    for slot in ["demotion", "budget", "curator", "provenance"] {
        let name = format!("new-{slot}");
        machine.ok(&["policy", "new", &name, "--slot", slot]);
        let arguments =
            ["policy", "test", &name, "--laws", "--snapshots", "10", "--largest", "500"];
        let Some(mut command) = building(&machine, &arguments) else { return };
        let ran = machine.finish(command.output().unwrap());
        assert_eq!(ran.status, 0, "{ran:#?}");
        assert!(ran.stdout.contains(" ok, 0 failed\n"), "{ran:#?}");
        assert!(ran.stdout.ends_with(" silent, 0 broken\n"), "{ran:#?}");
        assert!(ran.stderr.starts_with(&format!("building {name} with rustc ")), "{ran:#?}");
    }
}

#[test]
fn the_same_crate_in_two_folders_gives_the_same_bytes() {
    let _alone = one_at_a_time();
    let machine = Machine::new();
    let build = |folder: &str, file: &str| {
        machine.ok(&["policy", "new", "same", "--slot", "curator", "--path", folder]);
        let mut command = building(&machine, &["policy", "build", folder, "-o", file])?;
        let ran = machine.finish(command.output().unwrap());
        assert_eq!(
            (ran.status, ran.stdout.as_str()),
            (0, format!("{file}\n").as_str()),
            "{ran:#?}"
        );
        Some(fs::read(machine.path(&format!("work/{file}"))).unwrap())
    };
    let (Some(one), Some(two)) = (build("a", "one.wasm"), build("deep/er/b", "two.wasm")) else {
        return;
    };
    assert!(one == two, "{} and {} bytes", one.len(), two.len());
    let here = machine.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    assert!(!one.windows(here.len()).any(|window| window == here.as_bytes()));
    let shown = machine.json(&["policy", "show", "one.wasm"]);
    assert_eq!(
        (&shown["cases"], shown["source-hash"].as_str().unwrap().len()),
        (&serde_json::json!(["rule.md"]), 64)
    );
}

#[test]
fn a_policy_on_the_sdk_of_a_checkout_builds_and_carries_no_path_of_it() {
    let _alone = one_at_a_time();
    let machine = Machine::new();
    let sdk = repository().join("guest-sdk");
    machine.ok(&["policy", "new", "linked", "--slot", "budget", "--sdk", sdk.to_str().unwrap()]);
    assert!(!machine.path("work/linked/skillkeep-policy").exists());
    let Some(mut command) = building(&machine, &["policy", "build", "linked"]) else { return };
    let ran = machine.finish(command.output().unwrap());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "linked/linked.wasm\n"), "{ran:#?}");
    let bytes = fs::read(machine.path("work/linked/linked.wasm")).unwrap();
    let checkout = repository().to_str().unwrap().as_bytes();
    assert!(!bytes.windows(checkout.len()).any(|window| window == checkout));
}
