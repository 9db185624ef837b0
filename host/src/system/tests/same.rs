//! Whatever is done in whatever order, both disks answer the same and hold the same afterwards.

use std::fmt::Write;

use proptest::prelude::*;

use super::{Real, Simulated, World, script::outcome};

/// A path of one to three names out of a few, so that most steps meet something.
fn a_path() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["a", "b", "c"], 1..4).prop_map(|names| names.join("/"))
}

/// Permissions that never take from the owner what a step needs: the simulated disk allows everything.
fn a_mode() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("700"), Just("744"), Just("755"), Just("777"), Just("4750")]
}

/// One step as a line of a script.
pub(super) fn a_step() -> impl Strategy<Value = String> {
    let pair = || (a_path(), a_path());
    prop_oneof![
        4 => (a_path(), a_mode()).prop_map(|(path, mode)| format!("folder {path} {mode}")),
        4 => (a_path(), a_mode(), "[xyz]{0,8}")
            .prop_map(|(path, mode, bytes)| format!("write {path} {mode} {bytes}")),
        4 => pair().prop_map(|(from, to)| format!("move {from} {to}")),
        2 => pair().prop_map(|(from, to)| format!("replace {from} {to}")),
        2 => a_path().prop_map(|path| format!("remove {path}")),
        1 => a_path().prop_map(|path| format!("remove-folder {path}")),
        1 => (a_path(), a_mode()).prop_map(|(path, mode)| format!("mode {path} {mode}")),
        1 => (a_path(), a_path()).prop_map(|(path, to)| format!("make-link {path} {to}")),
        1 => a_path().prop_map(|path| format!("sync {path}")),
        1 => pair().prop_map(|(path, to)| format!("new-link {path} {to}")),
        1 => a_path().prop_map(|path| format!("bytes {path}")),
        1 => a_path().prop_map(|path| format!("target {path}")),
        1 => a_path().prop_map(|path| format!("held {path}")),
        1 => a_path().prop_map(|path| format!("entries {path}")),
    ]
}

/// The same, and files that are written first and synced later.
fn a_loose_step() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => a_step(),
        2 => (a_path(), a_mode(), "[xyz]{0,8}")
            .prop_map(|(path, mode, bytes)| format!("loose {path} {mode} {bytes}")),
        1 => (a_path(), a_path()).prop_map(|(one, other)| format!("sync-files {one} {other}")),
        1 => (a_path(), a_path()).prop_map(|(one, other)| format!("sync-folders {one} {other}")),
        1 => (a_path(), a_path()).prop_map(|(one, other)| format!("sync-all {one} {other}")),
    ]
}

/// All that lies below a place, found by the steps that look.
fn all(world: &dyn World, below: &str, told: &mut String) {
    let look = |verb: &str| outcome(world, &format!("{verb} {below}"));
    let held = look("held");
    let content = match held.split(' ').next() {
        Some("file") => look("bytes"),
        Some("link") => look("target"),
        _ => look("entries"),
    };
    writeln!(told, "{below}: {held}, {content}").unwrap();
    if held.starts_with("folder") && content != "nothing" {
        for entry in content.split(' ') {
            let name = entry.split(':').next().unwrap();
            let path = if below == "/" { name.to_owned() } else { format!("{below}/{name}") };
            all(world, &path, told);
        }
    }
}

fn told(world: &dyn World, steps: &[String]) -> String {
    let mut told = String::new();
    for step in steps {
        writeln!(told, "{step} -> {}", outcome(world, step)).unwrap();
    }
    all(world, "/", &mut told);
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_disks_answer_and_hold_the_same(steps in proptest::collection::vec(a_loose_step(), 1..50)) {
        let (real, simulated) = (Real::new(), Simulated::new());
        outcome(&real, "mode / 700");
        prop_assert_eq!(told(&real, &steps), told(&simulated, &steps));
    }
}

#[test]
fn the_steps_that_are_drawn_do_something() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    let mut runner = TestRunner::deterministic();
    let steps = proptest::collection::vec(a_step(), 3000..3001);
    let steps = steps.new_tree(&mut runner).unwrap().current();
    let world = Simulated::new();
    let mut done = std::collections::BTreeMap::new();
    for step in steps {
        if outcome(&world, &step) == "ok" {
            *done.entry(step.split(' ').next().unwrap().to_owned()).or_insert(0) += 1;
        }
    }
    for verb in ["folder", "write", "move", "replace", "remove", "remove-folder", "mode", "sync"] {
        assert!(done.get(verb).is_some_and(|times| *times >= 5), "{verb}: {done:?}");
    }
}
