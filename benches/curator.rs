//! What a pass costs: whole processes over a made-up library of which half goes stale, beside the process that only looks at
//! the same library (`list`). `cargo bench --bench curator`; numbers of skills are given as arguments, 1,000 and 10,000
//! without.
//!
//! Before each measured pass all skills are active again: the ledger is put back as it was.
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

use std::{fs, path::Path, process::Command};

use process::{Contender, alternate};
use rusqlite::Connection;
use times::print_table;

const ROUNDS: usize = 11;

fn main() {
    let given: Vec<usize> =
        std::env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![1_000, 10_000] } else { given };
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    for skills in sizes {
        let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        println!("## {skills} skills, of which half go stale\n");
        lay(&top, skills);
        let times = alternate(
            &[
                contender(&top, "list --json", &["list", "--json"], false),
                contender(&top, "curator run --dry-run", &["curator", "run", "--dry-run"], false),
                contender(&top, "curator run", &["curator", "run"], true),
                contender(&top, "curator tick", &["curator", "tick"], false),
            ],
            ROUNDS,
        );
        print_table(&times, &times[0]);
    }
}

/// A home that owns the library; a review made all of it, and half was not used for 45 days.
fn lay(top: &Path, skills: usize) {
    made_up::generate(top, skills).unwrap();
    let root = top.join("skills");
    fs::create_dir_all(top.join("home")).unwrap();
    fs::write(top.join("home/skillkeep.toml"), format!("roots = [{root:?}]\n")).unwrap();
    let root = root.to_str().unwrap();
    for arguments in [&["init", "--yes", root][..], &["scan"]] {
        let output = command(top, arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    active(top);
}

/// Everything active again, as before a pass.
fn active(top: &Path) {
    let ledger = Connection::open(top.join("home/keep.db")).unwrap();
    ledger
        .execute_batch(
            "DELETE FROM transitions; DELETE FROM passes;
             UPDATE skills SET state = 'active', origin = 'review',
               created = unixepoch() - 86400 * iif(rowid % 2, 1, 45) WHERE state <> 'gone';
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .unwrap();
}

fn command(top: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
    command.env_clear().env("HOME", top).env("SKILLKEEP_HOME", top.join("home")).args(arguments);
    command
}

fn contender<'a>(
    top: &'a Path,
    name: &str,
    arguments: &'a [&'a str],
    again: bool,
) -> Contender<'a> {
    Contender {
        name: name.to_owned(),
        before: Box::new(move || {
            if again {
                active(top);
            }
        }),
        command: Box::new(move || command(top, arguments)),
    }
}
