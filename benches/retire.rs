//! What putting many skills away in one go costs, and bringing them back: beside as many bare renames that share their syncs
//! and commits in the same way, beside bare renames that each have their own, and beside these with what lies beside each
//! package written too. `cargo bench --bench retire`, with a number of rounds if you like.
//!
//! Each round has skills of its own, and nothing is deleted before the last one: some file systems make files slowly where
//! many were deleted a moment ago, and what nobody used for months lies where nobody did.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/times.rs"]
mod times;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use skillkeep::{
    change::{By, CHUNK, Home, Keeper, Retire, Target},
    ledger::{Access, Ledger, NewRoot, RootId},
    skill::{self, Actor, OneLine, SkillId},
    system::OsSystem,
};
use times::{alternate, print_table};

/// Skills that are put away in one go.
const SKILLS: usize = 1_000;
const ROUNDS: usize = 5;
const SIZE: usize = 8 << 10;

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(ROUNDS);
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let home = Home { id: "bench".to_owned(), path: top.join("home") };
    fs::create_dir_all(&home.path).unwrap();
    let ledger = Ledger::open(&home.path.join("keep.db"), Access::Write).unwrap().ledger;
    // One round more is made than is counted.
    let root = |what: &str, round: usize| skills(&top.join(format!("{what}-{round}")));
    let bare = |way: &str| (0..=rounds).map(|round| root(way, round)).collect::<Vec<_>>();
    let ways = [bare("shared"), bare("alone"), bare("beside")];
    let owned: Vec<(PathBuf, RootId)> =
        (0..=rounds).map(|round| own(&ledger, &home, root("owned", round))).collect();
    let keepers: Vec<Keeper<'_>> = owned
        .iter()
        .map(|(path, id)| Keeper::open(&OsSystem, &ledger, &home, *id, path).unwrap())
        .collect();
    let by = By { actor: Actor::Person, session: None, reason: String::new() };
    let rows = Connection::open(top.join("bare.db")).unwrap();
    rows.pragma_update(None, "journal_mode", "WAL").unwrap();
    rows.pragma_update(None, "synchronous", "FULL").unwrap();
    rows.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, what TEXT)").unwrap();
    // What was written a moment ago is read twice; skills that are idle were not.
    rustix::fs::sync();
    std::thread::sleep(Duration::from_millis(2_100));

    let names = ["bare renames", "bare, one by one", "with what lies beside", "put away"];
    let mut turns = [0; 4];
    let times = alternate(&names.map(str::to_owned), rounds, &mut |which| {
        let round = turns[which];
        turns[which] += 1;
        let all: Vec<usize> = (0..SKILLS).collect();
        let started = Instant::now();
        match which {
            0 => all.chunks(CHUNK).for_each(|it| move_bare(&ways[0][round], &rows, it, false)),
            1 => all.iter().for_each(|it| move_alone(&ways[1][round], &rows, *it)),
            2 => all.chunks(CHUNK).for_each(|it| move_bare(&ways[2][round], &rows, it, true)),
            _ => all.chunks(CHUNK).for_each(|it| put_away(&keepers[round], round, it, &by)),
        }
        started.elapsed()
    });
    print_table(&times, &times[0]);
    print_table(&times[1..], &times[1]);

    let mut turns = [0; 2];
    let names = ["bare renames back", "brought back"].map(str::to_owned);
    let times = alternate(&names, rounds, &mut |which| {
        let round = turns[which];
        turns[which] += 1;
        let started = Instant::now();
        if which == 0 {
            for chunk in (0..SKILLS).collect::<Vec<_>>().chunks(CHUNK) {
                move_back(&ways[0][round], &rows, chunk);
            }
        } else {
            let keeper = &keepers[round];
            for chunk in keeper.archived().unwrap().chunks(CHUNK) {
                let done = keeper.restore_all(chunk, &by).unwrap();
                assert!(done.iter().all(Result::is_ok));
            }
        }
        started.elapsed()
    });
    print_table(&times, &times[0]);
}

fn folder_of(number: usize) -> String {
    format!("c{}/s{number}", number % 40)
}

/// A folder of skills, with what a bare round needs beside them.
fn skills(root: &Path) -> PathBuf {
    for number in 0..SKILLS {
        let folder = root.join(folder_of(number));
        fs::create_dir_all(folder.join("references")).unwrap();
        let text = format!("---\nname: s{number}\ndescription: Does {number}.\n---\n");
        fs::write(folder.join("SKILL.md"), text + &"x".repeat(SIZE)).unwrap();
        fs::write(folder.join("references/a.md"), "y".repeat(SIZE / 4)).unwrap();
    }
    for folder in [".archive", ".staging", ".objects"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    root.to_owned()
}

fn own(ledger: &Ledger, home: &Home, root: PathBuf) -> (PathBuf, RootId) {
    Keeper::own(&OsSystem, &root, home).unwrap();
    let row = NewRoot {
        path: root.clone(),
        label: OneLine::new("bench"),
        owned: true,
        trusted: true,
        precedence: 0,
        at: skill::Instant(0),
    };
    let number = ledger.add_root(&row).unwrap();
    (root, number)
}

fn put_away(keeper: &Keeper<'_>, round: usize, chunk: &[usize], by: &By) {
    let folders: Vec<String> = chunk.iter().map(|number| folder_of(*number)).collect();
    let retire = |(number, folder): (&usize, &'_ String)| Retire {
        target: Target {
            id: SkillId::from_random((round * SKILLS + number) as u64),
            folder: Box::leak(folder.clone().into_boxed_str()),
        },
        reason: "idle for 91 days".to_owned(),
        tree: None,
        successor: None,
    };
    let all: Vec<_> = chunk.iter().zip(&folders).map(retire).collect();
    let done = keeper.archive_all(&all, by).unwrap();
    assert!(done.iter().all(Result::is_ok));
}

fn sync(root: &Path) {
    rustix::fs::syncfs(File::open(root).unwrap()).unwrap();
}

fn commit(rows: &Connection, count: usize, word: &str) {
    rows.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..count {
        rows.execute("INSERT INTO rows (what) VALUES (?1)", [word]).unwrap();
    }
    rows.execute_batch("COMMIT").unwrap();
}

/// A chunk of skills, moved: begun in one commit, ended in one, all folders synced at once where the program does so.
fn move_bare(root: &Path, rows: &Connection, chunk: &[usize], beside: bool) {
    let sidecar = "z".repeat(900);
    let lay = |folder: &str, suffix: &str| {
        for number in chunk {
            fs::write(root.join(format!(".staging/{number}{suffix}")), &sidecar).unwrap();
        }
        sync(root);
        for number in chunk {
            let from = root.join(format!(".staging/{number}{suffix}"));
            fs::rename(from, root.join(format!("{folder}/{number}{suffix}"))).unwrap();
        }
    };
    if beside {
        lay(".objects", "");
        sync(root);
    }
    commit(rows, chunk.len(), &"w".repeat(400));
    if beside {
        lay(".archive", ".json");
    }
    for number in chunk {
        fs::create_dir(root.join(format!(".archive/{number}"))).unwrap();
    }
    sync(root);
    for number in chunk {
        let to = root.join(format!(".archive/{number}/s"));
        fs::rename(root.join(folder_of(*number)), to).unwrap();
    }
    sync(root);
    commit(rows, chunk.len(), "done");
}

/// A skill moved as by somebody who moves one after another: each folder is synced, and there are two commits.
fn move_alone(root: &Path, rows: &Connection, number: usize) {
    let sync = |folder: &Path| File::open(folder).unwrap().sync_all().unwrap();
    let packet = root.join(format!(".archive/{number}"));
    let from = root.join(folder_of(number));
    commit(rows, 1, &"w".repeat(400));
    fs::create_dir(&packet).unwrap();
    sync(&root.join(".archive"));
    fs::rename(&from, packet.join("s")).unwrap();
    sync(&packet);
    sync(from.parent().unwrap());
    commit(rows, 1, "done");
}

fn move_back(root: &Path, rows: &Connection, chunk: &[usize]) {
    commit(rows, chunk.len(), &"w".repeat(400));
    let packet = |number: &usize| root.join(format!(".archive/{number}"));
    for number in chunk {
        fs::rename(packet(number).join("s"), root.join(folder_of(*number))).unwrap();
    }
    sync(root);
    for number in chunk {
        fs::remove_dir(packet(number)).unwrap();
    }
    sync(root);
    commit(rows, chunk.len(), "done");
}
