//! A change of policies is cut off at every operation of a disk that can lose its power, and each operation fails in turn.
//! Afterwards what is used is what was used before or what was to be used, somebody said yes to it, and the same command
//! comes to its end.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use super::{commit, quarantine};
use crate::{
    config::{Config, Home, SlotConfig, load},
    decision::Slot,
    lock::{Lock, Pin},
    policy::digest,
    system::{Failure, Fault, SimulatedDisk, System},
    world::{
        commit::kept_at,
        gate::{Gate, read_lock},
        swap::{Kept, Now, Order, Swap, Wanted, back},
    },
};

const SETTINGS: &str = "# mine\n[slots.provenance]\n# why\nuse = [\"old.wasm\"] # for now\n";

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(3);
    disk.put_folder("/home", 0o700);
    disk.put_file("/home/skillkeep.toml", SETTINGS, 0o600);
    disk.put_file("/home/old.wasm", "old", 0o600);
    disk.put_file("/home/new.wasm", "new", 0o600);
    // The old one was said yes to.
    let now = now(&disk);
    let wanted = wanted("old.wasm", "old");
    let swap = Swap::of(&disk, now, order(), &[wanted], None).unwrap().keeping([kept("old")]);
    commit(&disk, &swap).unwrap();
    disk.forget_operations();
    disk
}

fn now(disk: &SimulatedDisk) -> Now {
    let home = Home { path: Some("/home".into()), cache: None };
    let config = load(disk, &home).unwrap();
    let text = String::from_utf8(disk.read(Path::new("/home/skillkeep.toml"), 9_999).unwrap());
    let lock = read_lock(disk, Path::new("/home")).unwrap();
    let file = PathBuf::from("/home/skillkeep.toml");
    Now { home: "/home".into(), file, text: text.unwrap(), config, lock }
}

fn order() -> Order {
    let at = "2026-08-13T12:00:00Z".to_owned();
    Order { command: "skillkeep policy use".to_owned(), at, by: "person".to_owned() }
}

fn kept(bytes: &str) -> Kept {
    Kept { bytes: bytes.into(), signature: None }
}

fn wanted(name: &str, bytes: &str) -> Wanted {
    let pin = Pin {
        slot: Slot::Provenance,
        name: name.to_owned(),
        sha256: digest(bytes.as_bytes()),
        policy: bytes.to_owned(),
        version: "0.1.0".to_owned(),
        at: order().at,
        by: order().by,
        key: None,
    };
    let config = SlotConfig { use_: Some(vec![name.to_owned()]), ..SlotConfig::default() };
    Wanted { slot: Slot::Provenance, config, pins: vec![pin], since: 0 }
}

fn swap(disk: &SimulatedDisk) -> Swap {
    let swap = Swap::of(disk, now(disk), order(), &[wanted("new.wasm", "new")], None);
    swap.unwrap().keeping([kept("new")])
}

/// What is used, where it may be loaded.
fn used(disk: &SimulatedDisk) -> String {
    let Now { config, lock, .. } = now(disk);
    let name = config.slots["provenance"].use_.clone().unwrap().remove(0);
    let gate = Gate::of(disk, &config, Ok(lock), false);
    let admitted = gate.admit(Slot::Provenance, &name).unwrap_or_else(|why| panic!("{why}"));
    String::from_utf8(admitted.bytes.into_owned()).unwrap()
}

/// All that must hold when the change is done: what is used, the comments, and the way back.
fn is_done(disk: &SimulatedDisk) {
    assert_eq!(used(disk), "new");
    let Now { text, lock, .. } = now(disk);
    assert_eq!(text, SETTINGS.replace("old.wasm", "new.wasm"));
    assert_eq!((lock.unfinished.clone(), lock.pinned.len()), (None, 1));
    let before = lock.way_back(None).unwrap();
    let old = &before.slots[0].used[0];
    let back = back(disk, Path::new("/home"), &old.name, old.sha256.as_deref().unwrap()).unwrap();
    assert_eq!((back.name.as_str(), back.kept.bytes.as_slice()), ("old.wasm", &b"old"[..]));
    for bytes in ["old", "new"] {
        let file = kept_at(Path::new("/home"), &digest(bytes.as_bytes()));
        assert_eq!(disk.read(&file, 99).unwrap(), bytes.as_bytes());
    }
}

#[test]
fn a_change_that_is_cut_off_anywhere_leaves_the_old_or_the_new_and_is_mended_by_the_same_command() {
    let operations = {
        let disk = disk();
        commit(&disk, &swap(&disk)).unwrap();
        is_done(&disk);
        disk.operations().len()
    };
    assert!(operations > 10, "{operations}");
    let mut faults = vec![Fault::CrashBefore, Fault::CrashAfter];
    faults.extend(Failure::ALL.map(Fault::Fail));
    let (mut unfinished, mut as_before) = (0, 0);
    for operation in 1..=operations {
        for fault in &faults {
            for seed in 0..4 {
                let disk = disk();
                let planned = swap(&disk);
                disk.fault(operation, *fault);
                let done = commit(&disk, &planned);
                let at = format!("{fault:?} at {operation}, seed {seed}");
                let disk = match fault {
                    Fault::Fail(_) => {
                        disk.heal();
                        disk
                    }
                    _ => disk.after_crash(seed),
                };
                let is = used(&disk);
                assert!(is == "old" || is == "new", "{at}: {is}");
                if done.is_ok() {
                    is_done(&disk);
                    continue;
                }
                unfinished += usize::from(now(&disk).lock.unfinished.is_some());
                as_before += usize::from(is == "old");
                let again = swap(&disk);
                commit(&disk, &again).unwrap_or_else(|error| panic!("{at}: {error}"));
                is_done(&disk);
            }
        }
    }
    assert!(unfinished > 10 && as_before > 10, "{unfinished} and {as_before}");
}

#[test]
fn what_was_changed_meanwhile_is_not_written_over() {
    for (file, text) in [
        ("/home/skillkeep.toml", format!("{SETTINGS}# by hand\n")),
        ("/home/policies.lock", Lock::default().text().unwrap()),
    ] {
        let disk = disk();
        let planned = swap(&disk);
        disk.replace(Path::new(file), text.as_bytes()).unwrap();
        let error = commit(&disk, &planned).unwrap_err();
        assert_eq!(
            error.message,
            "the policies or the settings were changed since this was planned"
        );
        assert_eq!(disk.read(Path::new(file), 99_999).unwrap(), text.as_bytes());
    }
}

#[test]
fn bytes_that_no_set_names_are_let_go_and_nothing_else() {
    let disk = disk();
    let nobodys = kept_at(Path::new("/home"), &digest(b"nobody's"));
    disk.replace(&nobodys, b"nobody's").unwrap();
    disk.replace(Path::new("/home/policies/kept/notes.wasm"), b"mine").unwrap();
    commit(&disk, &swap(&disk)).unwrap();
    is_done(&disk);
    assert!(disk.read(&nobodys, 9).is_err());
    assert_eq!(disk.read(Path::new("/home/policies/kept/notes.wasm"), 9).unwrap(), b"mine");
}

#[test]
fn a_kept_copy_that_was_tampered_with_does_not_come_back() {
    let disk = disk();
    let (home, sha256) = (Path::new("/home"), digest(b"old"));
    disk.replace(Path::new("/home/old.wasm"), b"another").unwrap();
    let copy = back(&disk, home, "old.wasm", &sha256).unwrap();
    assert_eq!(copy.name, format!("policies/kept/{sha256}.wasm"));
    disk.replace(&kept_at(home, &sha256), b"evil").unwrap();
    let error = back(&disk, home, "old.wasm", &sha256).unwrap_err();
    assert!(error.message.contains("is damaged or gone"), "{error:?}");
}

#[test]
fn nothing_is_loaded_that_nobody_said_yes_to() {
    let disk = disk();
    let Now { config, lock, .. } = now(&disk);
    let code = |lock: &Lock, config: &Config, dev: bool, name: &str| {
        let gate = Gate::of(&disk, config, Ok(lock.clone()), dev);
        gate.admit(Slot::Provenance, name).map_err(|why| why.code()).map(|it| it.despite.is_some())
    };
    disk.set_working_folder("/home");
    for (name, dev, expected) in [
        ("old.wasm", false, Ok(false)),
        ("./old.wasm", false, Ok(false)),
        ("/home/old.wasm", false, Ok(false)),
        ("new.wasm", false, Err("not-pinned")),
        ("new.wasm", true, Ok(true)),
        ("gone.wasm", true, Err("unreadable")),
        ("provenance-open", false, Ok(false)),
        // A file of that name lies where somebody stands, and a plain word names none.
        ("old", false, Err("unknown")),
    ] {
        disk.put_file("/home/old", "old", 0o600);
        assert_eq!(code(&lock, &config, dev, name), expected, "{name}");
    }
    let other = Gate::of(&disk, &config, Ok(lock.clone()), false).admit(Slot::Curator, "old.wasm");
    assert_eq!(other.unwrap_err().code(), "not-pinned", "a yes is for one slot");
    disk.replace(Path::new("/home/old.wasm"), b"evil").unwrap();
    assert_eq!(code(&lock, &config, false, "old.wasm"), Err("changed-since-pinned"));
    assert_eq!(code(&lock, &config, true, "old.wasm"), Ok(true));
    let mut lock = lock;
    lock.quarantine(&digest(b"evil"), "it used up its fuel", "2026-08-13T12:00:00Z");
    assert_eq!(code(&lock, &config, true, "old.wasm"), Err("quarantined"));
    let gate = Gate::of(&disk, &config, Ok(lock), true);
    assert_eq!(gate.given(Slot::Provenance, "/home/old.wasm").unwrap_err().code(), "quarantined");
}

#[test]
fn a_quarantine_is_added_to_what_the_lock_holds_and_stays_through_a_change() {
    let disk = disk();
    let sha256 = digest(b"evil");
    quarantine(&disk, Path::new("/home"), &sha256, "it trapped").unwrap();
    quarantine(&disk, Path::new("/home"), &sha256, "it trapped again").unwrap();
    commit(&disk, &swap(&disk)).unwrap();
    is_done(&disk);
    let lock = now(&disk).lock;
    assert_eq!(lock.quarantined.len(), 1);
    assert_eq!(lock.quarantined(&sha256).unwrap().reason, "it trapped");
}
