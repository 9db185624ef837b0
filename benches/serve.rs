//! What a running server costs: one process over its pipes, with a library of ten thousand skills, each number beside what it can't
//! be below. `cargo bench --bench serve`.
//!
//!     --size 10000     skills in the library
//!     --rounds 201     calls of each kind
//!     --idle 20        seconds in which nobody calls
//!     --keep FOLDER    where the library is made, and kept for the next run
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/client.rs"]
mod client;
#[path = "support/library.rs"]
mod library;
#[path = "support/times.rs"]
mod times;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use client::Client;
use rusqlite::Connection;
use times::{Times, alternate, print_table};

/// A change that the next call has to see, and the round that made it.
const MARK: &str = "Counted in round";

fn main() {
    let (mut size, mut rounds, mut idle, mut keep) = (10_000, 201, 20, None);
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    for pair in given.chunks(2) {
        match (pair[0].as_str(), pair[1].as_str()) {
            ("--size", text) => size = text.parse().unwrap(),
            ("--rounds", text) => rounds = text.parse().unwrap(),
            ("--idle", text) => idle = text.parse().unwrap(),
            ("--keep", text) => keep = Some(PathBuf::from(text)),
            other => panic!("found {other:?}, expected an option as in the first lines"),
        }
    }
    let temporary = tempfile::tempdir().unwrap();
    let world = World::make(keep.as_deref().unwrap_or(temporary.path()), size);
    println!("threads: {}; {size} skills\n", rayon::current_num_threads());
    let begun = Instant::now();
    let mut client = Client::begin(&mut world.command(&["serve"]));
    println!("begun, with the first index: {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    world.warm_up(&mut client);
    world.views(&mut client, rounds);
    world.indexes(&mut client, rounds);
    world.changes(&mut client, rounds.min(41));
    world.lists(&mut client, rounds.min(41));
    idling(&client, idle);
}

/// A home that owns a root.
struct World {
    skills: PathBuf,
    owner: PathBuf,
    size: usize,
}

impl World {
    fn make(folder: &Path, size: usize) -> World {
        let home = folder.join(size.to_string());
        let world = World { skills: home.join("skills"), owner: home.join("owner"), size };
        if !home.join("usage.json").exists() {
            library::generate(&home, size).unwrap();
            // A file that is younger than its file system's clock can tell is read again each time.
            thread::sleep(Duration::from_millis(2_500));
        }
        if !world.owner.exists() {
            let skills = world.skills.to_str().unwrap().to_owned();
            let status = world.command(&["init", "--yes", &skills]).output().unwrap().status;
            assert!(status.success(), "{status}");
            let status = world.command(&["scan"]).output().unwrap().status;
            assert!(status.success(), "{status}");
        }
        world
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
        command.args(arguments).arg("--home").arg(&self.owner).env_remove("SKILLKEEP_CACHE");
        command.current_dir(&self.skills).env("HOME", &self.skills);
        command
    }

    fn path(&self, number: usize) -> PathBuf {
        let name = format!("skill-{number:06}");
        let folders = fs::read_dir(&self.skills).unwrap().map(|it| it.unwrap().path());
        let mut files = folders.map(|category| category.join(&name).join("SKILL.md"));
        files.find(|file| file.exists()).unwrap()
    }

    /// Waits until what is made in the background is there.
    fn warm_up(&self, client: &mut Client) {
        let begun = Instant::now();
        let fast = |client: &mut Client| clock(|| client.index()) < Duration::from_millis(5);
        while !fast(client) && begun.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(100));
        }
        println!("as fast as it gets after {:.0} ms\n", begun.elapsed().as_secs_f64() * 1e3);
    }

    fn views(&self, client: &mut Client, rounds: usize) {
        let mut dice = library::Dice(3);
        let paths: Vec<PathBuf> = (0..64).map(|_| self.path(dice.below(self.size))).collect();
        let name = |path: &Path| path.parent().unwrap().file_name().unwrap().to_owned();
        let mut bare = Bare::new(&self.owner);
        let (mut read, mut viewed) = (0, 0);
        let times = compare(
            rounds,
            &mut [
                ("reading a file and a commit", &mut || {
                    read += 1;
                    let path = &paths[read % paths.len()];
                    clock(|| (fs::read(path).unwrap(), bare.commit()))
                }),
                ("an echo", &mut || clock(|| client.ask("ping", "{}"))),
            ],
        );
        let viewing = compare(
            rounds,
            &mut [("skill_view", &mut || {
                viewed += 1;
                let name = name(&paths[viewed % paths.len()]);
                let input = format!("{{\"name\":\"{}\"}}", name.to_str().unwrap());
                clock(|| client.call("skill_view", &input))
            })],
        );
        print_all(times, viewing);
    }

    fn indexes(&self, client: &mut Client, rounds: usize) {
        let echo =
            compare(rounds, &mut [("an echo", &mut || clock(|| client.ask("prompts/list", "{}")))]);
        let index =
            compare(rounds, &mut [("the index, unchanged", &mut || clock(|| client.index()))]);
        print_all(echo, index);
    }

    fn changes(&self, client: &mut Client, rounds: usize) {
        let path = self.path(self.size / 2);
        let text = fs::read_to_string(&path).unwrap();
        let mut number = 0;
        let changed = compare(
            rounds,
            &mut [("the index, one file changed", &mut || {
                number += 1;
                // Nobody edits skills without a pause; the record of the index before is written in it.
                thread::sleep(Duration::from_millis(300));
                let text =
                    text.replacen("description: ", &format!("description: {MARK} {number}. "), 1);
                fs::write(&path, text).unwrap();
                clock(|| client.index())
            })],
        );
        fs::write(&path, text).unwrap();
        print_table(&changed, &changed[0]);
    }

    fn lists(&self, client: &mut Client, rounds: usize) {
        let listed = compare(
            rounds,
            &mut [("skills_list, the first page", &mut || {
                clock(|| client.call("skills_list", "{}"))
            })],
        );
        let searched = compare(
            rounds,
            &mut [("skills_list, a search", &mut || {
                clock(|| client.call("skills_list", "{\"query\":\"invoices\"}"))
            })],
        );
        print_all(listed, searched);
    }
}

/// The least that a count can be: SQLite with the same promise, an event and a sum.
struct Bare {
    base: Connection,
    number: i64,
}

impl Bare {
    fn new(folder: &Path) -> Bare {
        let file = folder.join("bare.db");
        drop(fs::remove_file(&file));
        let base = Connection::open(file).unwrap();
        base.pragma_update(None, "journal_mode", "wal").unwrap();
        base.pragma_update(None, "synchronous", "FULL").unwrap();
        base.execute_batch(
            "CREATE TABLE events (at, skill); CREATE TABLE sums (skill PRIMARY KEY, uses)",
        )
        .unwrap();
        Bare { base, number: 0 }
    }

    fn commit(&mut self) {
        self.number += 1;
        let all = self.base.transaction().unwrap();
        all.prepare_cached("INSERT INTO events VALUES (?1, ?2)")
            .unwrap()
            .execute((self.number, self.number % 64))
            .unwrap();
        all.prepare_cached(
            "INSERT INTO sums VALUES (?1, 1) ON CONFLICT DO UPDATE SET uses = uses + 1",
        )
        .unwrap()
        .execute([self.number % 64])
        .unwrap();
        all.commit().unwrap();
    }
}

fn idling(client: &Client, seconds: u64) {
    let before = client.cpu_ms();
    thread::sleep(Duration::from_secs(seconds));
    println!(
        "resident {:.1} MB; {} ms of CPU in {seconds} s without a call",
        client.resident_mb(),
        client.cpu_ms() - before
    );
}

fn print_all(mut first: Vec<Times>, second: Vec<Times>) {
    first.extend(second);
    print_table(&first, &first[0]);
}

fn clock<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    let made = work();
    let took = begun.elapsed();
    drop(made);
    took
}

fn compare(rounds: usize, all: &mut [(&str, &mut dyn FnMut() -> Duration)]) -> Vec<Times> {
    let names: Vec<String> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
    alternate(&names, rounds, &mut |number| (all[number].1)())
}
