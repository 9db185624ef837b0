//! What a snapshot costs: the first one of ten thousand skills, beside a bare walk that reads and hashes all files; and one of
//! a library that did not change, beside a bare walk that asks each file's state. `cargo bench --bench snapshot`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/times.rs"]
mod times;

use std::{fs, os::unix::fs::MetadataExt as _, path::Path, time::Instant};

use skillkeep::{
    change::{By, Home, Keeper, Looks, Snapshots},
    ledger::{Access, Digest, Ledger, NewRoot},
    skill::{self, Actor, OneLine},
    system::OsSystem,
};
use times::{alternate, print_table};

const SKILLS: usize = 10_000;
const SIZE: usize = 4 << 10;

fn main() {
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let (root, home) = (top.join("root"), top.join("home"));
    fs::create_dir_all(&home).unwrap();
    for number in 0..SKILLS {
        let folder = root.join(format!("c{}/s{number}", number % 100));
        fs::create_dir_all(folder.join("references")).unwrap();
        let text = format!("---\nname: s{number}\ndescription: Does {number}.\n---\n");
        fs::write(folder.join("SKILL.md"), text + &"x".repeat(SIZE)).unwrap();
        fs::write(folder.join("references/a.md"), format!("{number}\n")).unwrap();
    }
    let home = Home { id: "bench".to_owned(), path: home };
    let ledger = Ledger::open(&home.path.join("keep.db"), Access::Write).unwrap().ledger;
    Keeper::own(&OsSystem, &root, &home).unwrap();
    let row = NewRoot {
        path: root.clone(),
        label: OneLine::new("bench"),
        owned: true,
        trusted: true,
        precedence: 0,
        at: skill::Instant(0),
    };
    let number = ledger.add_root(&row).unwrap();
    let keepers = [Keeper::open(&OsSystem, &ledger, &home, number, &root).unwrap()];
    let by = By { actor: Actor::Person, session: None, reason: String::new() };
    let snapshots = Snapshots::of(&OsSystem, &home);
    // What was written a moment ago is read twice.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    let cache = home.path.join("cache/snapshots");
    let take = || {
        let mut looks = Looks::open(&OsSystem, Some(cache.clone()));
        snapshots.take(&keepers, &by, 20, &mut looks).unwrap();
        looks.close(&OsSystem);
    };

    let names = ["walk, read and hash", "the first snapshot"].map(str::to_owned);
    let mut round = 0;
    let times = alternate(&names, 5, &mut |which| {
        if which == 1 {
            // What there was is set aside and not deleted: some file systems make files slowly where many were deleted a
            // moment ago.
            round += 1;
            let aside = top.join(format!("aside-{round}"));
            fs::create_dir(&aside).unwrap();
            for folder in ["objects", "snapshots", "cache"] {
                fs::rename(home.path.join(folder), aside.join(folder)).unwrap_or_default();
            }
            fs::create_dir(home.path.join("objects")).unwrap();
            rustix::fs::sync();
        }
        let started = Instant::now();
        if which == 0 {
            walk(&root, true)
        } else {
            take()
        }
        started.elapsed()
    });
    print_table(&times, &times[0]);
    let names = ["walk", "unchanged", "verified in full"].map(str::to_owned);
    let newest = snapshots.resolve(None).unwrap();
    let times = alternate(&names, 7, &mut |which| {
        let started = Instant::now();
        match which {
            0 => walk(&root, false),
            1 => take(),
            _ => assert_eq!(snapshots.verify(&newest, true).unwrap(), []),
        }
        started.elapsed()
    });
    print_table(&times, &times[0]);
}

/// Goes through all files, one after another.
fn walk(folder: &Path, read: bool) {
    let mut left = vec![folder.to_owned()];
    while let Some(at) = left.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else if read {
                std::hint::black_box(Digest::of(&fs::read(entry.path()).unwrap()));
            } else {
                std::hint::black_box(entry.metadata().unwrap().ctime());
            }
        }
    }
}
