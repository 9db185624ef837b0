//! The index as a whole process, beside the least that any program must do: `cargo bench --bench index`.
//!
//!     --sizes 250,1000,10000     skills in the libraries
//!     --rounds 25                runs of each contender that count
//!     --keep FOLDER              where the libraries are made, and kept for the next run
//!     --beside NAME=COMMAND      another program that takes part; {home} stands for the folder of the library
//!
//! Called with `walk FOLDER`, `read FOLDER` or `generate FOLDER N`, it does just that: so the least is a process too.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/library.rs"]
mod library;
#[path = "support/process.rs"]
mod process;
#[path = "support/times.rs"]
mod times;
#[path = "support/walk.rs"]
mod walk;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use skillkeep::{
    ledger::{Access, Event, Kind, Ledger},
    skill::{Actor, Instant},
    system::{OsSystem, System as _},
};

use process::{Contender, alternate, peak};
use times::{Times, print_table};
use walk::{Visit, walk};

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["walk", folder] => drop(walk(Path::new(folder), Visit::Stat).unwrap()),
        ["read", folder] => drop(walk(Path::new(folder), Visit::Read).unwrap()),
        ["generate", folder, skills] => {
            library::generate(Path::new(folder), skills.parse().unwrap()).unwrap()
        }
        options => measure(&Options::read(options)),
    }
}

struct Options {
    sizes: Vec<usize>,
    rounds: usize,
    keep: Option<PathBuf>,
    beside: Vec<(String, String)>,
}

impl Options {
    fn read(given: &[&str]) -> Options {
        let mut options =
            Options { sizes: vec![250, 1_000, 10_000], rounds: 25, keep: None, beside: Vec::new() };
        for pair in given.chunks(2) {
            match pair {
                ["--sizes", sizes] => {
                    options.sizes = sizes.split(',').map(|size| size.parse().unwrap()).collect()
                }
                ["--rounds", rounds] => options.rounds = rounds.parse().unwrap(),
                ["--keep", folder] => options.keep = Some(PathBuf::from(folder)),
                ["--beside", beside] => {
                    let (name, command) = beside.split_once('=').expect("`--beside NAME=COMMAND`");
                    options.beside.push((name.to_owned(), command.to_owned()));
                }
                other => panic!(
                    "found {other:?}, expected an option as in the first lines of `benches/index.rs`"
                ),
            }
        }
        options
    }
}

fn measure(options: &Options) {
    let temporary = tempfile::tempdir().unwrap();
    let top = options.keep.as_deref().unwrap_or(temporary.path());
    println!("threads: {}; whole processes, in turn\n", rayon::current_num_threads());
    for size in &options.sizes {
        let world = World { home: top.join(size.to_string()) };
        if !world.home.join("usage.json").exists() {
            library::generate(&world.home, *size).unwrap();
            // A file that is younger than its file system's clock can tell is read again each time.
            thread::sleep(Duration::from_millis(2_500));
        }
        println!("## {size} skills\n");
        world.characters(options);
        world.tokens(options);
        world.kept(options);
        if let Some(most) = peak(&world.index("chars")) {
            println!("peak memory, warm: {most:.1} MiB\n");
        }
    }
}

/// A library and a home of the program beside it.
struct World {
    home: PathBuf,
}

impl World {
    fn characters(&self, options: &Options) {
        let mut contenders = vec![
            self.least("walk"),
            self.contender("warm", "chars", &[]),
            self.least("read"),
            self.contender("cold: no facts", "chars", &["skills.bin"]),
        ];
        contenders.extend(options.beside.iter().map(|(name, command)| self.beside(name, command)));
        let times = alternate(&contenders, options.rounds);
        print_table(&times, &times[0]);
        judge(&times[1], &times[0], 1.7);
        judge(&times[3], &times[2], 2.0);
        let first = alternate(
            &[self.contender("the very first run", "chars", &["."])],
            options.rounds.min(5),
        );
        print_table(&first, &times[0]);
    }

    fn tokens(&self, options: &Options) {
        let contenders = [
            self.contender("tokens, warm", "tokens", &[]),
            self.contender("tokens, no counts", "tokens", &["tokens.bin"]),
        ];
        let times = alternate(&contenders, options.rounds.min(9));
        print_table(&times, &times[0]);
    }

    /// With a home that knows the skills and how a third of them were used: what its ledger costs, and the record of a session.
    fn kept(&self, options: &Options) {
        let home = self.home.join("kept");
        if !home.join("keep.db").exists() {
            self.make_kept(&home);
        }
        let with = |session: Option<&'static str>| {
            let home = home.clone();
            move || {
                let mut command = self.index_of("chars", &home);
                if let Some(session) = session {
                    let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
                    command.arg("--session").arg(format!("{session}{begun}"));
                }
                command
            }
        };
        let contender = |name: &str, session| Contender {
            name: name.to_owned(),
            before: Box::new(|| {}),
            command: Box::new(with(session)),
        };
        let contenders = [
            self.contender("warm", "chars", &[]),
            contender("warm, with a ledger", None),
            contender("a session's start, recorded", Some("s")),
        ];
        let times = alternate(&contenders, options.rounds);
        print_table(&times, &times[0]);
    }

    fn make_kept(&self, home: &Path) {
        for verb in ["init", "scan"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
            command.arg(verb).arg("--home").arg(home).env("SKILLKEEP_HOME", home);
            let roots = format!("roots = [{:?}]\n", self.home.join("skills"));
            fs::create_dir_all(home).unwrap();
            fs::write(home.join("skillkeep.toml"), roots).unwrap();
            assert!(command.env_remove("SKILLKEEP_CACHE").output().unwrap().status.success());
        }
        let ledger = Ledger::open(&home.join("keep.db"), Access::Write).unwrap().ledger;
        let skills = ledger.skills().unwrap();
        let events: Vec<Event> = skills
            .iter()
            .step_by(3)
            .zip(0..)
            .map(|(skill, number)| Event {
                skill: skill.id,
                at: Instant(OsSystem.now().0 - i64::from(number) * 977 % 5_000_000),
                kind: Kind::Use,
                actor: Actor::Foreground,
                weight: 1 + number % 40,
                session: None,
                note: None,
            })
            .collect();
        ledger.record(&events).unwrap();
    }

    fn index(&self, unit: &str) -> Command {
        self.index_of(unit, &self.home.join("keep"))
    }

    fn index_of(&self, unit: &str, home: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
        command.args(["index", "--unit", unit, "--root"]).arg(self.home.join("skills"));
        command.arg("--home").arg(home).env_remove("SKILLKEEP_CACHE");
        command
    }

    /// The program, with these files of its cache removed before each run; `.` is the whole cache.
    fn contender<'a>(&'a self, name: &str, unit: &'a str, without: &'a [&str]) -> Contender<'a> {
        let cache = self.home.join("keep/cache");
        let before = move || {
            for name in without {
                match *name {
                    "." => drop(fs::remove_dir_all(&cache)),
                    file => drop(fs::remove_file(cache.join(file))),
                }
            }
        };
        Contender {
            name: name.to_owned(),
            before: Box::new(before),
            command: Box::new(move || self.index(unit)),
        }
    }

    /// This very program, doing the least.
    fn least<'a>(&'a self, what: &'static str) -> Contender<'a> {
        let command = move || {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg(what).arg(self.home.join("skills"));
            command
        };
        Contender {
            name: format!("plain {what}"),
            before: Box::new(|| {}),
            command: Box::new(command),
        }
    }

    fn beside<'a>(&'a self, name: &str, line: &'a str) -> Contender<'a> {
        let command = move || {
            let home = self.home.display().to_string();
            let mut words = line.split_whitespace().map(|word| word.replace("{home}", &home));
            let mut command = Command::new(words.next().expect("a command after `NAME=`"));
            command.args(words).env("HERMES_HOME", &self.home);
            command
        };
        Contender { name: name.to_owned(), before: Box::new(|| {}), command: Box::new(command) }
    }
}

fn judge(ours: &Times, least: &Times, factor: f64) {
    let ([_, ours_took, _], [_, least_took, _]) = (ours.spread(), least.spread());
    let goal = factor * least_took + 6.0;
    let verdict = if ours_took <= goal { "met" } else { "MISSED" };
    println!(
        "{}: {ours_took:.1} ms, goal {factor} x {least_took:.1} + 6 = {goal:.1}: {verdict}\n",
        ours.name
    );
}
