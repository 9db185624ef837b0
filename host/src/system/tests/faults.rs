//! Operations that fail while the machine goes on.

use super::{Simulated, World, script::outcome};
use crate::system::{Failure, Fault, SimulatedDisk, System};

const STEPS: [&str; 9] = [
    "folder a 755",
    "write a/f 640 text",
    "sync a",
    "move a/f g",
    "write h 644 more",
    "replace h g",
    "mode g 600",
    "remove g",
    "remove-folder a",
];

#[test]
fn operations_have_names_and_numbers() {
    let world = Simulated::new();
    for step in STEPS {
        assert_eq!(outcome(&world, step), "ok");
    }
    for refused in ["folder a/b/c 755", "move a b/c", "remove-folder g", "write / 644 x"] {
        assert_ne!(outcome(&world, refused), "ok");
    }
    assert_eq!(
        world.0.operations(),
        [
            "make folder a",
            "make a/f",
            "write a/f",
            "set mode of a/f",
            "sync a/f",
            "sync folder a",
            "move a/f to g",
            "make h",
            "write h",
            "set mode of h",
            "sync h",
            "replace g with h",
            "set mode of g",
            "sync g",
            "remove g",
            "remove a",
        ]
    );
    world.0.forget_operations();
    assert_eq!(world.0.operations(), [""; 0]);
}

#[test]
fn a_failure_is_said_and_what_comes_after_is_done() {
    for (failure, said) in [
        (Failure::NoSpace, "StorageFull"),
        (Failure::NotPermitted, "PermissionDenied"),
        (Failure::CrossesDevices, "CrossesDevices"),
        (Failure::Broken, "Other"),
    ] {
        let world = Simulated::new();
        assert_eq!(outcome(&world, "write f 644 x"), "ok");
        world.0.fault(5, Fault::Fail(failure));
        let told = outcome(&world, "move f g");
        assert!(told == said || (said == "Other" && told == "Uncategorized"), "{told}");
        assert_eq!(outcome(&world, "held g"), "NotFound");
        assert_eq!(outcome(&world, "move f g"), "ok");
        assert_eq!(outcome(&world, "held f"), "NotFound");
    }
    assert_eq!(Failure::ALL.len(), 4);
}

#[test]
fn a_full_disk_takes_half_of_the_bytes() {
    let world = Simulated::new();
    world.0.fault(2, Fault::Fail(Failure::NoSpace));
    assert_eq!(outcome(&world, "write f 644 12345678"), "StorageFull");
    assert_eq!(outcome(&world, "bytes f"), "1234");
    assert_eq!(outcome(&world, "held f"), "file 600 4");
}

#[test]
fn a_sync_that_failed_made_nothing_durable() {
    let world = Simulated::new();
    world.0.fault(5, Fault::Fail(Failure::Broken));
    assert_eq!(outcome(&world, "write f 644 x"), "ok");
    assert_ne!(outcome(&world, "sync /"), "ok");
    let is_left =
        |world: &Simulated, seed| world.0.after_crash(seed).tree(Simulated::TOP).contains_key("f");
    assert!((0..100).any(|seed| !is_left(&world, seed)));
    assert_eq!(outcome(&world, "sync /"), "ok");
    assert!((0..100).all(|seed| is_left(&world, seed)));
}

#[test]
fn whichever_operation_fails_a_file_is_replaced_whole_and_nothing_else_is_left() {
    let path = std::path::Path::new("/home/deep/file");
    let run = |operation, fault| {
        let disk = SimulatedDisk::new(3);
        disk.put_file(path, "old", 0o600);
        disk.fault(operation, fault);
        let done = disk.replace(path, b"newer").is_ok();
        (disk, done)
    };
    let (whole, _) = run(99, Fault::CrashBefore);
    let many = whole.operations().len();
    assert_eq!(many, 4, "{:?}", whole.operations());
    for operation in 1..=many {
        for failure in Failure::ALL {
            let (disk, done) = run(operation, Fault::Fail(failure));
            assert!(!done);
            assert_eq!(disk.read(path, 99).unwrap(), b"old");
            assert_eq!(disk.tree("/home/deep").len(), 1);
        }
        for fault in [Fault::CrashBefore, Fault::CrashAfter] {
            let (disk, _) = run(operation, fault);
            for seed in 0..50 {
                let left = disk.after_crash(seed).read(path, 99).unwrap();
                assert!(left == b"old" || left == b"newer", "{left:?}");
            }
        }
    }
    // What can be made again is not synced, and may be cut short.
    let disk = SimulatedDisk::new(3);
    disk.put_folder("/home", 0o700);
    disk.replace_cache(std::path::Path::new("/home/cache"), b"facts").unwrap();
    let mut left = (0..100).map(|seed| disk.after_crash(seed).tree("/home"));
    assert!(left.any(
        |tree| matches!(tree.get("cache"), Some(super::super::Seen::File(_, b)) if b != b"facts")
    ));
}

#[test]
fn a_healed_disk_does_what_it_is_told() {
    let world = Simulated::new();
    world.0.fault(1, Fault::CrashBefore);
    world.0.heal();
    assert_eq!(outcome(&world, "folder a 755"), "ok");
    assert!(world.top().is_absolute());
}
