//! Skillkeep as a library: an index by the policies that come with it, and another budget policy put in under running threads.
//!
//! `cargo run --example embed`, or `cargo run --example embed -- FOLDER` for skills of your own.

#![allow(clippy::disallowed_methods, reason = "a program of its own stands outside")]

use std::{
    error::Error,
    io::Write,
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use skillkeep::{
    decision::Slot,
    index::{CharMeter, Inputs, Made, Policies, Programs},
    library::{Library, scan},
    policy::Engine,
    roster::{Generation, Recruit, Roster, Setup},
    skill::{OneLine, Root},
    system::{MemorySystem, OsSystem, System},
};

const THREADS: usize = 4;

/// Four skills for who has none at hand.
const SKILLS: [(&str, &str); 4] = [
    ("ops/backup", "Use when files are to be kept safe, before a migration or every night."),
    ("ops/deploy", "Use when a release goes out: build, test, roll out, watch, and roll back."),
    ("writing/essay", "Use when a longer text is wanted, from an outline to the last edit."),
    ("writing/haiku", "Use when seventeen syllables will do."),
];

#[allow(dead_code, reason = "a test calls `run`")]
fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().nth(1).as_deref().map(Path::new), &mut std::io::stdout().lock())
}

/// Reads the skills below a folder, or the four above, and prints two indexes of them.
///
/// # Errors
/// Where this machine runs no policies, one doesn't load, or nothing can be printed.
pub fn run(folder: Option<&Path>, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let library = match folder {
        Some(folder) => read(&OsSystem, folder),
        None => read(&made_up(), Path::new("/skills")),
    };
    // A program that runs for long gives the engine a folder for what it compiles.
    let roster = Roster::of_builtins(Engine::new(None, None)?, Setup::default());
    writeln!(out, "{}", shown(&index(&library, &roster.current())?, "before"))?;

    let (begun, swapped) = (Barrier::new(THREADS + 1), AtomicBool::new(false));
    let asked: usize = thread::scope(|scope| -> Result<usize, Box<dyn Error>> {
        let work = || index_until_swapped(&library, &roster, &begun, &swapped);
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        begun.wait();
        let new = swap(&library, &roster);
        swapped.store(true, Ordering::SeqCst);
        let mut asked = 0;
        for thread in threads {
            asked += thread.join().map_err(|_| "a thread panicked")??;
        }
        new.map_err(|error| error.to_string())?;
        Ok(asked)
    })?;
    assert!(asked >= 2 * THREADS, "each thread asked before the swap and after it");

    writeln!(out, "{}", shown(&index(&library, &roster.current())?, "after"))?;
    for standing in roster.status().members {
        let name = standing.policy.unwrap_or(standing.name);
        writeln!(out, "{}: {name}, {} faults", standing.slot, standing.calls.faults)?;
    }
    Ok(())
}

/// Loads another rule beside the active one, asks both for the index, and puts it in.
fn swap(library: &Library, roster: &Roster) -> Result<(), Box<dyn Error>> {
    roster
        .prepare(Slot::Budget, vec![Recruit::builtin("budget-progressive")])?
        .try_out(|generation| index(library, generation).map(|made| made.answers()))?
        .activate()?;
    Ok(())
}

/// What a thread of a server does: takes who decides now, and stays with it for one decision.
fn index_until_swapped(
    library: &Library,
    roster: &Roster,
    begun: &Barrier,
    swapped: &AtomicBool,
) -> Result<usize, String> {
    let mut asked = 0;
    loop {
        let last = swapped.load(Ordering::SeqCst);
        let generation = roster.current();
        let made = index(library, &generation);
        if asked == 0 {
            begun.wait();
        }
        let made = made?;
        if made.decided.fell_back() || made.decided.generation() != Some(generation.number()) {
            return Err(format!("found {:?}", made.decided.notes));
        }
        asked += 1;
        if last {
            return Ok(asked);
        }
    }
}

fn index(library: &Library, generation: &Generation) -> Result<Made, String> {
    let inputs = Inputs { limit: 420, short: 120, ..Inputs::default() };
    let programs = Programs::new(&OsSystem);
    inputs
        .make(library, &CharMeter, &Policies::of(generation), &programs)
        .map_err(|error| error.to_string())
}

fn shown(made: &Made, when: &str) -> String {
    let notes = made.decided.notes.iter().map(|note| note.policy.as_str());
    let by = notes.collect::<Vec<_>>().join(" and ");
    let number = made.decided.generation().unwrap_or_default();
    format!("{when} the swap, generation {number}, by {by}:\n\n{}", made.decided.block.text)
}

fn read(system: &dyn System, folder: &Path) -> Library {
    let root = Root { path: folder.to_owned(), label: OneLine::new("skills"), category: None };
    scan(system, &[root], None)
}

fn made_up() -> MemorySystem {
    let files = SKILLS.iter().map(|(folder, description)| {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let text = format!("---\nname: {name}\ndescription: \"{description}\"\n---\n# {name}\n");
        (format!("/skills/{folder}/SKILL.md"), text.into_bytes())
    });
    MemorySystem::from_files(files)
}
