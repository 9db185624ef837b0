//! What the ledger costs: one durable event beside a bare row of SQLite's at the same setting on the same disk, by the size
//! of the library; events in batches; the usage of a whole library, and all that
//! is at hand of it; opening. `cargo bench --bench ledger`.
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
    collections::BTreeSet,
    hint::black_box,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use skillkeep::{
    ledger::{Access, Digest, Event, Found, Kind, Ledger, NewRoot},
    skill::{self, Actor, OneLine, SkillId},
};
use times::{Times, alternate, print_table};

const ROUNDS: usize = 301;
const BATCH: usize = 1_000;

fn main() {
    // Beside the program: a folder for temporary files is often memory, where nothing is durable.
    let program = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
    for skills in [10, 10_000, 100_000] {
        println!("## {skills} skills\n");
        measure(&folder.path().join(skills.to_string()), skills);
    }
}

fn measure(home: &Path, skills: u64) {
    let path = home.join("keep.db");
    let ledger = Ledger::open(&path, Access::Write).unwrap().ledger;
    let ids = fill(&ledger, skills);
    // A past: every skill was used.
    let past: Vec<Event> = ids.iter().map(|id| event(*id, 1)).collect();
    ledger.record(&past).unwrap();
    drop(bare(&home.join("bare.db"), skills));
    // Closed and opened again, both begin with a log of no length: one that has grown already is cheaper to write to.
    drop(ledger);
    let ledger = Ledger::open(&path, Access::Write).unwrap().ledger;
    let bare = bare(&home.join("bare.db"), 0);
    let one = compare(
        ROUNDS,
        &mut [
            ("a bare row, committed", &mut || {
                let number = next(&ids).to_number();
                clock(|| {
                    bare.prepare_cached("INSERT INTO rows (skill, at, kind) VALUES (?1, ?2, 'use')")
                        .unwrap()
                        .execute((number, 5))
                        .unwrap()
                })
            }),
            ("one event, durable", &mut || {
                let event = event(next(&ids), 5);
                clock(|| ledger.record(std::slice::from_ref(&event)).unwrap())
            }),
        ],
    );
    print_table(&one, &one[0]);
    let batch: Vec<Event> = (0..BATCH).map(|at| event(ids[at * 7_919 % ids.len()], 9)).collect();
    let others = compare(
        31,
        &mut [
            ("1,000 events in one go", &mut || clock(|| ledger.record(&batch).unwrap())),
            ("usage of all", &mut || clock(|| ledger.usage().unwrap())),
            ("all at hand", &mut || clock(|| ledger.at_hand().unwrap())),
            ("opening, and one question", &mut || {
                clock(|| {
                    let opened = Ledger::open(&path, Access::Write).unwrap();
                    opened.ledger.sums(ids[0]).unwrap()
                })
            }),
        ],
    );
    print_table(&others, &others[0]);
    let [_, middle, _] = others[0].spread();
    println!("{:.0} events a second in batches of {BATCH}\n", BATCH as f64 / middle * 1e3);
}

/// Spread over the library, as use is.
fn next(ids: &[SkillId]) -> SkillId {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    ids[TURN.fetch_add(7_919, Ordering::Relaxed) % ids.len()]
}

fn fill(ledger: &Ledger, skills: u64) -> Vec<SkillId> {
    let root = ledger
        .add_root(&NewRoot {
            path: "/made-up".into(),
            label: OneLine::new("made-up"),
            owned: true,
            trusted: true,
            precedence: 0,
            at: skill::Instant(0),
        })
        .unwrap();
    let found: Vec<Found> = (0..skills)
        .map(|number| Found {
            root,
            folder: format!("category-{}/skill-{number}", number % 40),
            name: format!("skill-{number}"),
            category: format!("category-{}", number % 40),
            device: 1,
            inode: number,
            digest: Some(Digest::of(&number.to_be_bytes())),
            sketch: None,
        })
        .collect();
    let mut state = 1_u64;
    let mut random = || {
        // SplitMix64, so that every run has the same ids.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    let roots = BTreeSet::from([root]);
    ledger.settle(&roots, &found, skill::Instant(0), &mut random).unwrap().ids
}

/// The least that is durable: one table, one row a commit, at the ledger's own setting.
fn bare(path: &Path, rows: u64) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, skill INTEGER, at INTEGER, kind TEXT) STRICT;",
        )
        .unwrap();
    connection.execute_batch("BEGIN").unwrap();
    for number in 0..rows {
        connection
            .prepare_cached("INSERT INTO rows (skill, at, kind) VALUES (?1, 1, 'use')")
            .unwrap()
            .execute([number.cast_signed()])
            .unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    connection
}

fn event(skill: SkillId, at: i64) -> Event {
    Event {
        skill,
        at: skill::Instant(at),
        kind: Kind::Use,
        actor: Actor::Foreground,
        weight: 1,
        session: Some("20260813-1200".to_owned()),
        note: None,
    }
}

fn compare(rounds: usize, contenders: &mut [(&str, &mut dyn FnMut() -> Duration)]) -> Vec<Times> {
    let names: Vec<String> = contenders.iter().map(|(name, _)| (*name).to_owned()).collect();
    alternate(&names, rounds, &mut |number| (contenders[number].1)())
}

fn clock<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    black_box(work());
    started.elapsed()
}
