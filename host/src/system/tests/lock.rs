//! Locks: one holder, a bounded wait, and nobody left holding one.

use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{Real, World, worlds};
use crate::system::{At, Disk, OsSystem};

const NOT_AT_ALL: Duration = Duration::ZERO;
const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_second_taker_waits_and_is_told_that_it_would_block() {
    for world in worlds() {
        let at = At { top: world.top(), below: "lock" };
        let disk = world.disk();
        let first = disk.lock(at, "the first of two", NOT_AT_ALL).unwrap();
        assert_eq!(disk.bytes(at, 100).unwrap(), b"the first of two");
        let begun = Instant::now();
        let refused = disk.lock(at, "second", Duration::from_millis(60)).err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::WouldBlock);
        assert!(begun.elapsed() >= Duration::from_millis(60), "it waited {:?}", begun.elapsed());
        assert_eq!(disk.bytes(at, 100).unwrap(), b"the first of two");
        drop(first);
        let _second = disk.lock(at, "second", NOT_AT_ALL).unwrap();
        assert_eq!(disk.bytes(at, 100).unwrap(), b"second");
        assert_eq!(disk.held(at).unwrap().mode, 0o600);
    }
}

#[test]
fn who_waits_gets_it_when_it_is_let_go() {
    for world in worlds() {
        let at = At { top: world.top(), below: "lock" };
        let disk = world.disk();
        let first = disk.lock(at, "first", NOT_AT_ALL).unwrap();
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| disk.lock(at, "second", LONG).map(drop));
            std::thread::sleep(Duration::from_millis(40));
            assert!(!waiting.is_finished());
            drop(first);
            waiting.join().unwrap().unwrap();
        });
    }
}

#[test]
fn of_many_takers_one_holds_it_at_a_time() {
    for world in worlds() {
        let at = At { top: world.top(), below: "lock" };
        let disk = world.disk();
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for _ in 0..3 {
                        let held = disk.lock(at, "one of many", LONG).unwrap();
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        std::thread::sleep(Duration::from_millis(1));
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(held);
                    }
                });
            }
        });
    }
}

#[test]
fn a_lock_on_something_else_is_an_error() {
    for world in worlds() {
        let at = |below| At { top: world.top(), below };
        let disk = world.disk();
        disk.make_folder(at("folder"), 0o755).unwrap();
        world.link("link", "elsewhere");
        let refused = |below| disk.lock(at(below), "x", NOT_AT_ALL).err().unwrap().kind();
        assert_eq!(refused("folder"), ErrorKind::IsADirectory);
        assert_eq!(format!("{:?}", refused("link")), "FilesystemLoop");
        assert_eq!(refused("missing/lock"), ErrorKind::NotFound);
        assert_eq!(refused(""), ErrorKind::InvalidInput);
        assert!(disk.held(at("elsewhere")).is_err());
    }
}

#[test]
fn a_lock_file_that_was_taken_away_locks_nobody_out() {
    for world in worlds() {
        let at = At { top: world.top(), below: "lock" };
        let disk = world.disk();
        let _first = disk.lock(at, "first", NOT_AT_ALL).unwrap();
        disk.remove_file(at).unwrap();
        let _second = disk.lock(at, "second", NOT_AT_ALL).unwrap();
        assert_eq!(disk.lock(at, "third", NOT_AT_ALL).err().unwrap().kind(), ErrorKind::WouldBlock);
    }
}

/// Tells the child where the lock is.
const WHERE: &str = "SKILLKEEP_TEST_LOCK_BELOW";

#[test]
fn the_death_of_its_holder_lets_go() {
    let world = Real::new();
    let at = At { top: world.top(), below: "lock" };
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "system::tests::lock::holds_a_lock_until_it_is_killed", "--ignored"])
        .env(WHERE, world.top())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while OsSystem.bytes(at, 100).unwrap_or_default() != b"child" {
        assert!(begun.elapsed() < LONG, "the child never took the lock");
        std::thread::sleep(Duration::from_millis(5));
    }
    let refused = OsSystem.lock(at, "parent", Duration::from_millis(30)).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    child.kill().unwrap();
    child.wait().unwrap();
    let _held = OsSystem.lock(at, "parent", NOT_AT_ALL).unwrap();
    assert_eq!(OsSystem.bytes(at, 100).unwrap(), b"parent");
}

#[test]
#[ignore = "the child of another test"]
fn holds_a_lock_until_it_is_killed() {
    let Some(top) = std::env::var_os(WHERE) else { return };
    let at = At { top: Path::new(&top), below: "lock" };
    let _held = OsSystem.lock(at, "child", LONG).unwrap();
    std::thread::sleep(LONG);
}
