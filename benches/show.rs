//! What it costs to show a skill and to count it, in a library that was read already: the name resolved, the text read, and
//! a view and a use written, beside a bare row of SQLite's at the same setting on the same disk. Then whole processes beside
//! one that does nothing. `cargo bench --bench show`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]
#![allow(dead_code, reason = "the parts are shared, and each measurement uses some of them")]

#[path = "support/library.rs"]
mod made_up;
#[path = "support/process.rs"]
mod process;
#[path = "support/times.rs"]
mod times;

use std::{
    cell::Cell,
    fs,
    hint::black_box,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use process::Contender;
use rusqlite::Connection;
use skillkeep::{
    ledger::{Access, Event, Ledger, Shown},
    library::{Library, Resolution, open_inside, scan},
    skill::{Actor, OneLine, Root},
    system::{OsSystem, System as _},
};
use times::{alternate, print_table};

const ROUNDS: usize = 301;

fn main() {
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    for skills in [100, 10_000] {
        println!("## {skills} skills\n");
        let top = fs::canonicalize(folder.path()).unwrap().join(skills.to_string());
        made_up::generate(&top, skills).unwrap();
        let config = format!("roots = [{:?}]\n", top.join("skills"));
        fs::create_dir_all(top.join("home")).unwrap();
        fs::write(top.join("home/skillkeep.toml"), config).unwrap();
        let mut init = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
        init.env_clear().env("HOME", &top).env("SKILLKEEP_HOME", top.join("home")).arg("init");
        assert!(init.output().unwrap().status.success());
        calls(&top);
        processes(&top);
    }
}

fn calls(top: &Path) {
    let root = Root { path: top.join("skills"), label: OneLine::new("made-up"), category: None };
    let library = scan(&OsSystem, std::slice::from_ref(&root), None);
    let ledger = Ledger::open(&top.join("home/keep.db"), Access::Write).unwrap().ledger;
    let bare = bare(&top.join("bare.db"));
    let turn = Cell::new(0_usize);
    let name = || {
        turn.set(turn.get() + 7_919);
        library.skills[turn.get() % library.skills.len()].name.to_string()
    };
    let names: Vec<String> = ["a bare row, committed", "resolved and read", "shown and counted"]
        .map(str::to_owned)
        .to_vec();
    let times = alternate(&names, ROUNDS, &mut |number| {
        let name = name();
        clock(|| match number {
            0 => drop(bare.execute("INSERT INTO rows (skill, at) VALUES (1, 5)", []).unwrap()),
            1 => drop(black_box(read(&library, &name))),
            _ => show(&library, &ledger, &name),
        })
    });
    print_table(&times, &times[0]);
    let middle = |at: usize| times[at].spread()[1];
    println!("{:.3} ms beside a bare commit\n", middle(2) - middle(0));
}

fn read(library: &Library, name: &str) -> (usize, Vec<u8>) {
    let Resolution::One(row) = library.resolve(name) else { panic!("`{name}` is not one skill") };
    let folder = library.folder_of(row).unwrap();
    let (_, bytes) = open_inside(&OsSystem, &folder, &library.skills[row].place.file, &[]).unwrap();
    (row, bytes)
}

fn show(library: &Library, ledger: &Ledger, name: &str) {
    let (row, bytes) = read(library, name);
    let own = library.own_row(row).unwrap();
    let known = ledger.at_hand_in(own.path, own.folder).unwrap().unwrap();
    black_box((bytes, known.choice(None)));
    let events: Vec<Event> = Shown::Text
        .kinds(Actor::Foreground)
        .iter()
        .map(|kind| Event {
            skill: known.id,
            at: OsSystem.now(),
            kind: *kind,
            actor: Actor::Foreground,
            weight: 1,
            session: None,
            note: None,
        })
        .collect();
    ledger.record(&events).unwrap();
}

/// The least that is durable: one table, one row a commit, at the ledger's own setting.
fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE rows (id INTEGER PRIMARY KEY, skill INTEGER, at INTEGER) STRICT;",
        )
        .unwrap();
    connection
}

fn processes(top: &Path) {
    let run = |arguments: &'static [&'static str]| {
        move || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
            command.env_clear().env("HOME", top).env("SKILLKEEP_HOME", top.join("home"));
            command.args(arguments);
            command
        }
    };
    let contender = |name: &str, arguments| Contender {
        name: name.to_owned(),
        before: Box::new(|| {}),
        command: Box::new(run(arguments)),
    };
    let times = process::alternate(
        &[
            contender("nothing (--version)", &["--version"]),
            contender("show --no-count", &["show", "skill-000042", "--no-count"]),
            contender("show", &["show", "skill-000042"]),
            contender("list", &["list"]),
            contender("rate", &["rate", "skill-000042", "success"]),
        ],
        21,
    );
    print_table(&times, &times[0]);
}

fn clock<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}
