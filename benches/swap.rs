//! What it costs that policies may be swapped: taking the current generation, asking by it, a swap, what is left in memory
//! after a thousand of them, and how long it takes from a file to a decision. `cargo bench --bench swap`; with `-- file` that
//! last part alone, and with `-- minute` what two hundred callers meet while files are swapped for a minute.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/files.rs"]
mod files;
#[allow(dead_code, reason = "another bench asks more")]
#[path = "support/request.rs"]
mod request;
#[path = "support/times.rs"]
mod times;

use std::{
    hint::black_box,
    sync::{
        Arc, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use skillkeep::{
    decision::{BudgetRequest, Slot},
    policy::{Engine, Outcome},
    roster::{Member, Recruit, Roster, Setup},
};
use times::{Times, alternate, print_table};

const ROUNDS: usize = 101;
const TAKEN: u32 = 100_000;
const ASKED: u32 = 200;
const SWAPS: u32 = 1_000;
const CALLS: u32 = 100_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wants = |word: &str| words.iter().any(|it| it == word);
    if wants("minute") {
        return files::minute();
    }
    if wants("file") {
        return files::followed();
    }
    let cache = tempfile::tempdir().unwrap();
    let engine = Engine::new(Some(cache.path()), None).unwrap();
    let roster = Roster::of_builtins(engine.clone(), Setup::default());
    taking(&roster);
    taking_in_a_crowd(&roster);
    asking(&engine, &roster);
    swapping(&engine);
    memory(&engine);
    files::followed();
}

/// Who decides now, beside the least that could be done and the lock by itself.
fn taking(roster: &Roster) {
    println!("## the current generation, {TAKEN} times\n");
    let bare = roster.current();
    let lock = RwLock::new(Arc::clone(&bare));
    let times = compare(&mut [
        ("a clone of an `Arc`", &mut || repeat(TAKEN, || Arc::clone(&bare))),
        ("an `RwLock` read, and a clone", &mut || {
            repeat(TAKEN, || Arc::clone(&lock.read().unwrap()))
        }),
        ("`current()`", &mut || repeat(TAKEN, || roster.current())),
    ]);
    print_table(&times, &times[0]);
}

/// The same while as many threads as the machine has cores, and one more, do nothing else.
fn taking_in_a_crowd(roster: &Roster) {
    let threads = thread::available_parallelism().map_or(2, usize::from);
    println!("## the same beside {threads} threads that do nothing else\n");
    let done = AtomicBool::new(false);
    let bare = roster.current();
    let times = thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    black_box(roster.current());
                }
            });
        }
        let times = compare(&mut [
            ("a clone of the same `Arc`", &mut || repeat(TAKEN, || Arc::clone(&bare))),
            ("`current()`", &mut || repeat(TAKEN, || roster.current())),
        ]);
        done.store(true, Ordering::Relaxed);
        times
    });
    print_table(&times, &times[0]);
}

/// What a watch adds to a call.
fn asking(engine: &Engine, roster: &Roster) {
    println!("## {ASKED} decisions on 50 rows\n");
    let generation = roster.current();
    let member = generation.of(Slot::Budget).next().unwrap();
    let policy = member.policy().unwrap();
    let request = question(member);
    let times = compare(&mut [
        ("asked directly", &mut || {
            repeat(ASKED, || policy.budget(engine, request.clone()).outcome)
        }),
        ("asked by the current generation", &mut || {
            repeat(ASKED, || {
                let generation = roster.current();
                let member = generation.of(Slot::Budget).next().unwrap();
                ask(engine, member, &request)
            })
        }),
    ]);
    print_table(&times, &times[0]);
}

/// From the bytes of another policy to its first decision.
fn swapping(engine: &Engine) {
    println!("## a swap and the first decision by it, on 50 rows\n");
    let roster = || Roster::of_builtins(engine.clone(), Setup::default());
    let (back, fresh) = (roster(), roster());
    let mut turn = 0;
    let times = compare(&mut [
        ("a decision, nothing swapped", &mut || clock(|| decide(engine, &back))),
        ("back to the policy before", &mut || {
            swap(&back, "budget-codex");
            clock(|| {
                swap(&back, "budget-ladder");
                decide(engine, &back);
            })
        }),
        ("loaded from the cache, cases passed before", &mut || {
            turn += 1;
            clock(|| {
                swap(&fresh, ["budget-codex", "budget-hermes"][turn % 2]);
                decide(engine, &fresh);
            })
        }),
        ("the same with its cases run", &mut || {
            let empty = Roster::begin(engine.clone(), Vec::new(), Setup::default());
            clock(|| {
                swap(&empty, "budget-ladder");
                decide(engine, &empty);
            })
        }),
    ]);
    print_table(&times, &times[0]);
}

/// What a process holds before and after so many swaps, and so many calls from several threads with swaps between them.
fn memory(engine: &Engine) {
    println!("## memory\n");
    let roster = Roster::of_builtins(engine.clone(), Setup::default());
    let names = ["budget-codex", "budget-hermes"];
    let swaps = |number: u32| {
        for turn in 0..number {
            swap(&roster, names[turn as usize % 2]);
            decide(engine, &roster);
        }
    };
    let calls = |number: u32| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..number / 4).for_each(|_| decide(engine, &roster)));
            }
        });
    };
    swaps(100);
    calls(2_000);
    println!("| | MiB held |\n| --- | --- |");
    println!("| after warming up | {:.1} |", held());
    swaps(SWAPS);
    println!("| after {SWAPS} swaps | {:.1} |", held());
    calls(CALLS);
    println!("| after {CALLS} calls | {:.1} |", held());
    swaps(SWAPS);
    println!("| after {SWAPS} swaps more | {:.1} |", held());
}

/// Memory of this process that is real, in MiB, where pages have 4 KiB.
fn held() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: f64 = pages.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096.0 / f64::from(1 << 20)
}

fn swap(roster: &Roster, name: &str) {
    let candidate = roster.prepare(Slot::Budget, vec![Recruit::builtin(name)]).unwrap();
    drop(candidate.activate().unwrap());
}

/// One decision by whoever decides now.
fn decide(engine: &Engine, roster: &Roster) {
    let generation = roster.current();
    let member = generation.of(Slot::Budget).next().unwrap();
    ask(engine, member, &question(member));
}

fn question(member: &Member) -> BudgetRequest {
    let policy = member.policy().unwrap();
    request::budget(50, 5_440, &|key| policy.info.asks_for(key))
}

fn ask(engine: &Engine, member: &Member, request: &BudgetRequest) {
    let call = member.ask(engine, |engine, policy| policy.budget(engine, request.clone())).unwrap();
    assert!(matches!(call.outcome, Outcome::Answer(_)), "{:?}", call.outcome);
}

fn repeat<T>(times: u32, mut work: impl FnMut() -> T) -> Duration {
    clock(|| {
        for _ in 0..times {
            black_box(work());
        }
    })
}

fn compare(contenders: &mut [(&str, &mut dyn FnMut() -> Duration)]) -> Vec<Times> {
    let names: Vec<String> = contenders.iter().map(|(name, _)| (*name).to_owned()).collect();
    alternate(&names, ROUNDS, &mut |number| (contenders[number].1)())
}

fn clock<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}
