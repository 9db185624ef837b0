//! What it costs to take a Hermes home of a thousand skills over: whole processes, the first time and again, beside a scan of
//! the same skills and a process that does nothing. `cargo bench --bench import`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]
#![allow(dead_code, reason = "the parts are shared, and each measurement uses some of them")]

#[path = "support/hermes.rs"]
mod hermes;
#[path = "support/process.rs"]
mod process;
#[path = "support/times.rs"]
mod times;

use std::{fs, path::Path, process::Command};

use process::Contender;
use times::print_table;

const SKILLS: usize = 1_000;
const ROUNDS: usize = 11;

fn main() {
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    let top = folder.path();
    let all = hermes::lay(&top.join(".hermes"), SKILLS);
    println!("## {SKILLS} skills, {} more in the archive\n", all - SKILLS);
    let begun = top.join("begun");
    assert!(command(top, &begun, &["init"]).output().unwrap().status.success());
    let home = top.join("home");
    let token = fs::read_to_string(begun.join("token")).unwrap();
    let run = |arguments: &'static [&'static str]| {
        let (home, token) = (home.clone(), token.trim().to_owned());
        move || {
            let mut command = command(top, &home, arguments);
            command.env("SKILLKEEP_TOKEN", &token);
            command
        }
    };
    let anew = || -> Box<dyn Fn()> {
        let (begun, home) = (begun.clone(), home.clone());
        Box::new(move || {
            if home.exists() {
                fs::remove_dir_all(&home).unwrap();
            }
            copy(&begun, &home);
        })
    };
    let contender = |name: &str, arguments, before: Box<dyn Fn()>| Contender {
        name: name.to_owned(),
        before,
        command: Box::new(run(arguments)),
    };
    let times = process::alternate(
        &[
            contender("nothing (--version)", &["--version"], Box::new(|| {})),
            contender("scan", &["scan"], anew()),
            contender("import hermes", &["import", "hermes", "--yes"], anew()),
            contender("import hermes, again", &["import", "hermes", "--yes"], Box::new(|| {})),
        ],
        ROUNDS,
    );
    print_table(&times, &times[1]);
}

fn command(top: &Path, home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
    command.env_clear().env("HOME", top).env("SKILLKEEP_HOME", home).args(arguments);
    command
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
