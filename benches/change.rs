//! What a change costs: one file of a skill written through the one writer, beside the files and syncs that it needs at
//! least, and beside a bare file that replaces another; and what it costs more that a policy judges it, loaded as a command
//! does, and loading it. `cargo bench --bench change`.
//!
//! The least: the former bytes and the new ones kept under their hashes, the new ones staged and renamed, each with its
//! folder synced, and two committed rows, one before anything moves and one after.
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
    borrow::Cow,
    cell::Cell,
    fs::{self, File},
    io::Write as _,
    path::Path,
    time::Instant,
};

use rusqlite::Connection;
use skillkeep::{
    change::{Base, By, Clash, Edit, Home, Keeper, NewSkill, Target},
    decision::{Allowance, Slot, WriteRequest},
    judge::{Chosen, Judge},
    ledger::{Access, Ledger, NewRoot},
    library::Library,
    policy::{Builtin, Engine, Source},
    skill::{self, Actor, OneLine},
    system::OsSystem,
};
use times::{alternate, print_table};

const ROUNDS: usize = 201;
const SIZE: usize = 8 << 10;

fn main() {
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let home = Home { id: "bench".to_owned(), path: top.join("home") };
    let root = top.join("root");
    fs::create_dir_all(&home.path).unwrap();
    fs::create_dir_all(&root).unwrap();
    let ledger = Ledger::open(&home.path.join("keep.db"), Access::Write).unwrap().ledger;
    Keeper::own(&OsSystem, &root, &home).unwrap();
    let number = ledger
        .add_root(&NewRoot {
            path: root.clone(),
            label: OneLine::new("bench"),
            owned: true,
            trusted: true,
            precedence: 0,
            at: skill::Instant(0),
        })
        .unwrap();
    let keeper = Keeper::open(&OsSystem, &ledger, &home, number, &root).unwrap();
    let by = By { actor: Actor::Person, session: None, reason: String::new() };
    let round = Cell::new(0_u64);
    let text = || {
        round.set(round.get() + 1);
        let head = format!("---\nname: one\ndescription: Round {}.\n---\n", round.get());
        format!("{head}{}\n", "x".repeat(SIZE - head.len())).into_bytes()
    };
    let put =
        |base| vec![Edit::Put { path: "SKILL.md".to_owned(), bytes: text(), mode: None, base }];
    let files = put(Base::Absent);
    let new = NewSkill { name: "one", category: None, files: &files, clash: Clash::Refuse };
    let id = keeper.create(&new, &Library::default(), &by).unwrap().skill;

    let bare = top.join("bare");
    for folder in ["objects", "staging", "skill"] {
        fs::create_dir_all(bare.join(folder)).unwrap();
    }
    let rows = Connection::open(bare.join("bare.db")).unwrap();
    rows.pragma_update(None, "journal_mode", "WAL").unwrap();
    rows.pragma_update(None, "synchronous", "FULL").unwrap();
    rows.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, what TEXT)").unwrap();

    let cache = top.join("components");
    let judge = loaded(&cache);
    let ask = |write: &WriteRequest| judge.judge(write);
    let judged = Keeper::open(&OsSystem, &ledger, &home, number, &root).unwrap();
    let judged = judged.judged_by(&ask, false);

    let names = ["a bare file, replaced", "the least", "a change", "judged", "loading, judged"];
    let names = names.map(str::to_owned);
    let times = alternate(&names, ROUNDS, &mut |which| {
        let (bytes, edits) = (text(), put(Base::Any));
        let at = round.get();
        let started = Instant::now();
        match which {
            0 => replace(&bare.join("alone"), &bare.join("skill/alone"), &bytes),
            1 => {
                for side in ["former", "new"] {
                    lay(&bare.join(format!("objects/{at}-{side}")), &bytes);
                }
                rows.execute("INSERT INTO rows (what) VALUES ('begin')", ()).unwrap();
                replace(&bare.join("staging/one"), &bare.join("skill/one"), &bytes);
                rows.execute("INSERT INTO rows (what) VALUES ('done')", ()).unwrap();
            }
            2 => drop(keeper.write(Target { id, folder: "one" }, &edits, &by).unwrap()),
            3 => drop(judged.write(Target { id, folder: "one" }, &edits, &by).unwrap()),
            _ => {
                let judge = loaded(&cache);
                let ask = |write: &WriteRequest| judge.judge(write);
                let keeper = Keeper::open(&OsSystem, &ledger, &home, number, &root).unwrap();
                let keeper = keeper.judged_by(&ask, false);
                keeper.write(Target { id, folder: "one" }, &edits, &by).unwrap();
            }
        }
        started.elapsed()
    });
    print_table(&times, &times[1]);
}

/// The slot's own policy, from a warm cache but for the first time.
fn loaded(cache: &Path) -> Judge {
    let builtin = Builtin::of_slot(Slot::Provenance).unwrap();
    let component = Ok((Source::Builtin(builtin.name), Cow::Borrowed(builtin.bytes)));
    let chosen = vec![Chosen { name: builtin.name.to_owned(), component }];
    Judge::load(Engine::new(Some(cache), None).unwrap(), chosen, &[], Allowance::default())
}

/// A file and its folder, synced.
fn lay(path: &Path, bytes: &[u8]) {
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
}

/// A file in another one's place, all of it synced.
fn replace(from: &Path, to: &Path, bytes: &[u8]) {
    lay(from, bytes);
    fs::rename(from, to).unwrap();
    for path in [from, to] {
        File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
    }
}
