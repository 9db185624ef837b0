//! What a loss of power leaves of a simulated disk: all that was promised, and each thing that it might.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Simulated, World, same::a_step, script::outcome};
use crate::system::{At, Disk, Fault, Seen, SimulatedDisk, System};

type Tree = BTreeMap<String, Seen>;

fn tree(disk: &SimulatedDisk) -> Tree {
    disk.tree(Simulated::TOP)
}

/// A world on which a script was played, whose every line was to come out well.
fn after(script: &str) -> Simulated {
    let world = Simulated::new();
    for step in script.split("; ") {
        assert_eq!(outcome(&world, step), "ok", "{step}");
    }
    world
}

/// What may be left, each as the paths that are there; files with their bytes.
fn left(world: &Simulated) -> BTreeSet<String> {
    let told = |(path, seen): (&String, &Seen)| match seen {
        Seen::File(_, bytes) => {
            format!("{path}={}", String::from_utf8_lossy(bytes).replace('\0', "0"))
        }
        _ => path.clone(),
    };
    let of = |seed| tree(&world.0.after_crash(seed)).iter().map(told).collect::<Vec<_>>().join(" ");
    (0..400).map(of).collect()
}

fn is_left(script: &str, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|&state| state.to_owned()).collect();
    assert_eq!(left(&after(script)), expected, "{script}");
}

#[test]
fn what_was_synced_is_there() {
    is_left("write f 644 text; sync /", &["f=text"]);
    is_left("folder a 755; sync /; write a/f 644 text; sync a", &["a a/f=text"]);
    is_left("write f 644 x; sync /; move f g; sync /", &["g=x"]);
    is_left("write f 644 x; sync /; remove f; sync /", &[""]);
    is_left("write f 644 x; write g 644 y; sync /; replace f g; sync /", &["g=x"]);
    is_left(
        "folder a 755; folder b 755; write a/f 644 x; sync /; sync a; move a/f b/f; sync a; sync b",
        &["a b b/f=x"],
    );
}

#[test]
fn many_files_are_safe_once_they_were_synced_together() {
    let two = "folder a 755; sync /; loose a/f 644 xy; loose a/g 644 z; sync a";
    is_left(&format!("{two}; sync-files a/f a/g"), &["a a/f=xy a/g=z"]);
    let torn = left(&after(two));
    assert!(torn.len() > 3 && torn.contains("a a/f= a/g=z"), "{torn:?}");
}

#[test]
fn what_was_not_synced_is_there_or_not() {
    is_left("write f 644 text", &["", "f=text"]);
    is_left("write f 644 x; sync /; remove f", &["", "f=x"]);
    is_left("write f 644 x; write g 644 y", &["", "f=x", "g=y", "f=x g=y"]);
    is_left("folder a 755; write a/f 644 x; sync a", &["", "a a/f=x"]);
    is_left("folder a 755; write a/f 644 x; sync /", &["a", "a a/f=x"]);
}

#[test]
fn a_move_is_there_as_a_whole_or_not_at_all() {
    is_left("write f 644 x; sync /; move f g", &["f=x", "g=x"]);
    is_left("write f 644 x; write g 644 y; sync /; replace f g", &["f=x g=y", "g=x"]);
    let between = "folder a 755; folder b 755; write a/f 644 x; sync /; sync a; move a/f b/f";
    let either = ["a a/f=x b", "a b b/f=x"];
    is_left(between, &either);
    is_left(&format!("{between}; sync a"), &either);
    is_left(&format!("{between}; sync b"), &either);
}

#[test]
fn two_moves_are_there_in_any_order() {
    is_left(
        "write f 644 x; write g 644 y; sync /; move f f2; move g g2",
        &["f=x g=y", "f2=x g=y", "f=x g2=y", "f2=x g2=y"],
    );
}

#[test]
fn moves_of_one_thing_or_to_one_name_are_there_in_their_order() {
    is_left("write f 644 x; sync /; move f g; move g h", &["f=x", "g=x", "h=x"]);
    // A new one takes the name of one that was put away: never the new one without the old.
    is_left(
        "write f 644 old; write n 644 new; sync /; move f kept; move n f",
        &["f=old n=new", "kept=old n=new", "f=new kept=old"],
    );
    // The synced one needs the one before it, whose other folder was not synced.
    is_left(
        "folder a 755; write f 644 old; sync /; move f a/f; write f 644 new; sync /",
        &["a a/f=old f=new"],
    );
}

#[test]
fn a_folder_is_gone_only_if_it_was_emptied() {
    is_left(
        "folder a 755; write a/f 644 x; sync /; sync a; move a/f f; remove-folder a; sync /",
        &["f=x"],
    );
    is_left(
        "folder a 755; write a/f 644 x; sync /; sync a; move a/f f; remove-folder a",
        &["a a/f=x", "a f=x", "f=x"],
    );
}

#[test]
fn folders_moved_into_each_other_make_no_ring() {
    is_left(
        "folder a 755; folder b 755; sync /; move a b/a; move b/a a; move b a/b",
        &["a b", "b b/a", "a a/b"],
    );
}

#[test]
fn what_was_forgotten_shows() {
    // The staged folder was moved into place, but what is in it was never synced.
    is_left("folder s 755; write s/f 644 x; sync /; move s t; sync /", &["t", "t t/f=x"]);
    // The folder to which something was put away was not synced.
    assert!(left(&after("write f 644 x; sync /; folder a 755; move f a/f")).contains(""));
}

#[test]
fn permissions_that_were_set_are_there() {
    let world = after("folder a 755; write f 640 x; sync /; mode a 700; mode f 600");
    for seed in 0..50 {
        let left = tree(&world.0.after_crash(seed));
        assert_eq!(left["a"], Seen::Folder(0o700));
        assert_eq!(left["f"], Seen::File(0o600, b"x".to_vec()));
    }
}

/// What may be left of `f` when the machine stops at this operation of writing it.
fn torn(operation: usize, fault: Fault) -> BTreeSet<String> {
    let world = Simulated::new();
    world.0.fault(operation, fault);
    assert_eq!(outcome(&world, "write f 640 text"), "Other");
    assert!(world.0.has_crashed());
    left(&world)
}

#[test]
fn a_file_that_is_being_written_is_there_in_any_part() {
    let told = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(torn(1, Fault::CrashBefore), told(&[""]));
    assert_eq!(torn(1, Fault::CrashAfter), told(&["", "f="]));
    let any = told(&[
        "", "f=", "f=t", "f=te", "f=tex", "f=text", "f=0ext", "f=00xt", "f=000t", "f=0000",
        "f=t0xt", "f=t00t", "f=t000", "f=te0t", "f=te00", "f=tex0",
    ]);
    assert_eq!(torn(2, Fault::CrashAfter), any);
    assert_eq!(torn(4, Fault::CrashBefore), any);
    assert_eq!(torn(4, Fault::CrashAfter), told(&["", "f=text"]));
}

#[test]
fn a_machine_that_stopped_answers_nothing_and_one_that_was_started_again_does() {
    let world = after("write f 644 x; sync /");
    let at = At { top: world.top(), below: "lock" };
    let _held = world.0.lock(at, "who dies", std::time::Duration::ZERO).unwrap();
    let done = world.0.operations().len();
    world.0.fault(done + 1, Fault::CrashBefore);
    for step in ["sync /", "held f", "bytes f", "entries /", "write g 644 x", "move f g"] {
        assert_eq!(outcome(&world, step), "Other", "{step}");
    }
    assert!(world.0.read(&world.top().join("f"), 9).is_err());
    assert_eq!(world.0.operations().len(), done + 1);
    for again in [world.0.after_crash(7), world.0.after_kill()] {
        let again = Simulated(again);
        assert!(!again.0.has_crashed());
        assert_eq!(again.0.operations(), [""; 0]);
        assert_eq!(outcome(&again, "bytes f"), "x");
        let _taken = again.0.lock(at, "who lives", std::time::Duration::ZERO).unwrap();
        assert_ne!(again.0.random(), SimulatedDisk::new(1).random());
    }
}

/// Syncs every folder.
fn sync_all(world: &Simulated) -> bool {
    let folders = tree(&world.0).into_iter().filter(|(_, seen)| matches!(seen, Seen::Folder(_)));
    let mut folders: Vec<String> = folders.map(|(path, _)| path).collect();
    folders.push("/".to_owned());
    folders.iter().all(|folder| outcome(world, &format!("sync {folder}")) == "ok")
}

/// Plays steps, each synced everywhere, until the machine stops; how many were done and synced.
fn played(world: &Simulated, steps: &[String]) -> usize {
    let done = |step: &&String| {
        outcome(world, step);
        sync_all(world)
    };
    steps.iter().take_while(done).count()
}

/// Leaves out what a write that was not done may leave.
fn without(mut tree: Tree, step: &str) -> Tree {
    if let Some(path) = step.strip_prefix("write ").and_then(|rest| rest.split(' ').next()) {
        tree.remove(path);
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_synced_step_is_there_and_the_one_that_was_cut_off_is_or_is_not(
        steps in proptest::collection::vec(a_step(), 1..14),
        seed: u64,
    ) {
        // Links are put there from outside, by no operation.
        let steps: Vec<String> =
            steps.into_iter().filter(|step| !step.starts_with("new-link")).collect();
        let world = Simulated::new();
        let mut trees = vec![tree(&world.0)];
        for step in &steps {
            prop_assert_eq!(played(&world, std::slice::from_ref(step)), 1);
            trees.push(tree(&world.0));
        }
        for operation in 1..=world.0.operations().len() {
            for fault in [Fault::CrashBefore, Fault::CrashAfter] {
                let world = Simulated::new();
                world.0.fault(operation, fault);
                let done = played(&world, &steps);
                let left = tree(&world.0.after_crash(seed ^ operation as u64));
                let (old, new) = (&trees[done], &trees[done + 1]);
                let step = &steps[done];
                let cut_off = old != new && without(left.clone(), step) == *old;
                prop_assert!(
                    left == *old || left == *new || cut_off,
                    "operation {operation} {fault:?}, step {step}: {left:?}"
                );
            }
        }
    }

    #[test]
    fn whatever_is_left_is_a_tree_and_is_left_again(
        steps in proptest::collection::vec(a_step(), 1..60),
        seed: u64,
    ) {
        let world = Simulated::new();
        for step in &steps {
            outcome(&world, step);
        }
        prop_assert_eq!(tree(&world.0.after_kill()), tree(&world.0));
        for seed in (0..20).map(|more| seed.wrapping_add(more)) {
            let left = world.0.after_crash(seed);
            prop_assert_eq!(tree(&left), tree(&world.0.after_crash(seed)), "the same seed");
            prop_assert_eq!(tree(&left.after_crash(!seed)), tree(&left), "all of it is durable");
            let top = world.top();
            let inode = |path: &String| left.held(At { top, below: path }).unwrap().inode;
            let inodes: BTreeSet<u64> = tree(&left).keys().map(inode).collect();
            prop_assert_eq!(inodes.len(), tree(&left).len(), "nothing is in two places");
        }
    }
}
