//! What a change costs: one file of a skill written through the one writer, beside the files and syncs that it needs at
//! least, and beside a bare file that replaces another; and what it costs more that a policy judges it, loaded as a command
//! does, and loading it. Then many skills put away in one go. `cargo bench --bench change`.
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
    change::{Base, By, CHUNK, Clash, Edit, Home, Keeper, NewSkill, Retire, Target},
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
    retiring(&top.join("many"));
}

/// Skills that are put away in one go.
const SKILLS: usize = 1_000;

/// A thousand skills put away, beside as many bare renames with the same syncs and the same commits, and beside these with
/// what lies beside each package written too.
fn retiring(top: &Path) {
    let home = Home { id: "bench".to_owned(), path: top.join("home") };
    let (root, bare) = (top.join("root"), top.join("bare"));
    fs::create_dir_all(&home.path).unwrap();
    for root in [&root, &bare] {
        for number in 0..SKILLS {
            let folder = root.join(folder_of(number));
            fs::create_dir_all(folder.join("references")).unwrap();
            let text = format!("---\nname: s{number}\ndescription: Does {number}.\n---\n");
            fs::write(folder.join("SKILL.md"), text + &"x".repeat(SIZE)).unwrap();
            fs::write(folder.join("references/a.md"), "y".repeat(SIZE / 4)).unwrap();
        }
    }
    for folder in ["archive", "staging", "objects"] {
        fs::create_dir_all(bare.join(folder)).unwrap();
    }
    let ledger = Ledger::open(&home.path.join("keep.db"), Access::Write).unwrap().ledger;
    Keeper::own(&OsSystem, &root, &home).unwrap();
    let label = OneLine::new("bench");
    let at = skill::Instant(0);
    let root_row =
        NewRoot { path: root.clone(), label, owned: true, trusted: true, precedence: 0, at };
    let number = ledger.add_root(&root_row).unwrap();
    let keeper = Keeper::open(&OsSystem, &ledger, &home, number, &root).unwrap();
    let by = By { actor: Actor::Person, session: None, reason: String::new() };
    let folders: Vec<String> = (0..SKILLS).map(folder_of).collect();
    let retire = |(number, folder): (u64, &'static str)| Retire {
        target: Target { id: skill::SkillId::from_random(number), folder },
        reason: "idle for 91 days".to_owned(),
        tree: None,
        successor: None,
    };
    let folders: Vec<&'static str> =
        folders.into_iter().map(|folder| &*Box::leak(folder.into_boxed_str())).collect();
    let all: Vec<_> = (0_u64..).zip(folders).map(retire).collect();
    let rows = Connection::open(bare.join("bare.db")).unwrap();
    rows.pragma_update(None, "journal_mode", "WAL").unwrap();
    rows.pragma_update(None, "synchronous", "FULL").unwrap();
    rows.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, what TEXT)").unwrap();
    // What was written a moment ago is read twice; skills that are idle were not.
    std::thread::sleep(std::time::Duration::from_millis(2_100));

    let names = ["bare renames", "with what lies beside", "put away", "brought back"];
    let times = alternate(&names.map(str::to_owned), 7, &mut |which| {
        let started = Instant::now();
        match which {
            0 | 1 => {
                for chunk in (0..SKILLS).collect::<Vec<_>>().chunks(CHUNK) {
                    move_bare(&bare, &rows, chunk, which == 1);
                }
            }
            2 => {
                for chunk in all.chunks(CHUNK) {
                    let done = keeper.archive_all(chunk, &by).unwrap();
                    assert!(done.iter().all(Result::is_ok));
                }
            }
            _ => {
                let archived = keeper.archived().unwrap();
                for chunk in archived.chunks(CHUNK) {
                    let done = keeper.restore_all(chunk, &by).unwrap();
                    assert!(done.iter().all(Result::is_ok));
                }
            }
        }
        let elapsed = started.elapsed();
        if which < 2 {
            for number in 0..SKILLS {
                let packet = bare.join(format!("archive/{number}"));
                fs::rename(packet.join("s"), bare.join(folder_of(number))).unwrap();
                fs::remove_dir(packet).unwrap();
            }
        }
        elapsed
    });
    print_table(&times, &times[0]);
}

fn folder_of(number: usize) -> String {
    format!("c{}/s{number}", number % 40)
}

/// A chunk of skills, moved: begun in one commit, ended in one, all folders synced at once where the program does so.
fn move_bare(bare: &Path, rows: &Connection, chunk: &[usize], beside: bool) {
    let sync = || rustix::fs::syncfs(File::open(bare).unwrap()).unwrap();
    let sidecar = "z".repeat(900);
    if beside {
        for number in chunk {
            fs::write(bare.join(format!("staging/o{number}")), &sidecar).unwrap();
        }
        sync();
        for number in chunk {
            let from = bare.join(format!("staging/o{number}"));
            fs::rename(from, bare.join(format!("objects/{number}"))).unwrap();
        }
        sync();
    }
    let commit = |word: &str| {
        rows.execute_batch("BEGIN IMMEDIATE").unwrap();
        for _ in chunk {
            rows.execute("INSERT INTO rows (what) VALUES (?1)", [word]).unwrap();
        }
        rows.execute_batch("COMMIT").unwrap();
    };
    commit(&"w".repeat(400));
    if beside {
        for number in chunk {
            fs::write(bare.join(format!("staging/{number}")), &sidecar).unwrap();
        }
        sync();
        for number in chunk {
            let from = bare.join(format!("staging/{number}"));
            fs::rename(from, bare.join(format!("archive/{number}.json"))).unwrap();
        }
    }
    for number in chunk {
        fs::create_dir(bare.join(format!("archive/{number}"))).unwrap();
    }
    sync();
    for number in chunk {
        let to = bare.join(format!("archive/{number}/s"));
        fs::rename(bare.join(folder_of(*number)), to).unwrap();
    }
    sync();
    commit("done");
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
