//! What the sandbox costs: loading a component, an instance, one decision, and the same rule run natively on the same
//! request. `cargo bench --bench decision`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/request.rs"]
mod request;
#[path = "support/times.rs"]
mod times;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use budget_ladder::Ladder;
use demotion_toolset::Toolset;
use skillkeep::{
    decision::Slot,
    policy::{Builtin, Engine, Loaded, Outcome, Source},
};
use skillkeep_policy::slots::{budget, demotion};
use times::{Times, alternate, print_table};

const ROUNDS: usize = 101;
const INSTANCES: u32 = 1_000;

fn main() {
    let cache = tempfile::tempdir().unwrap();
    let engine = Engine::new(Some(cache.path()), None).unwrap();
    let ladder = load(&engine, Slot::Budget);
    let toolset = load(&engine, Slot::Demotion);
    println!("one thread; a request's copies are made before the clock starts\n");
    loading(&engine, &ladder);
    for rows in [250, 1_000, 10_000] {
        println!("## {rows} rows\n");
        budget_slot(&engine, &ladder, rows);
        demotion_slot(&engine, &toolset, rows);
    }
}

fn load(engine: &Engine, slot: Slot) -> Loaded {
    let builtin = Builtin::of_slot(slot).unwrap();
    Loaded::load(engine, Source::Builtin(builtin.name), builtin.bytes, Some(slot), &[]).unwrap()
}

fn loading(engine: &Engine, ladder: &Loaded) {
    let times = compare(&mut [
        ("load, cached", &mut || clock(|| load(engine, Slot::Budget))),
        ("an instance, on its thread", &mut || clock(|| instances(engine, ladder)) / INSTANCES),
    ]);
    print_table(&times, &times[0]);
}

/// The least that makes an instance: a call that sees no rows.
fn instances(engine: &Engine, ladder: &Loaded) {
    for _ in 0..INSTANCES {
        assert!(ladder.refused_settings(engine, &ladder.settings).unwrap().is_empty());
    }
}

fn budget_slot(engine: &Engine, ladder: &Loaded, rows: u32) {
    let numbers = request::budget(rows, 5_440, &|key| ladder.info.asks_for(key));
    let all = request::budget(rows, 5_440, &|_| true);
    let native = request::raw_budget(&numbers);
    let ask = |request: &skillkeep::decision::BudgetRequest| {
        let request = request.clone();
        clock(|| assert!(matches!(ladder.budget(engine, request).outcome, Outcome::Answer(_))))
    };
    let times = compare(&mut [
        ("budget, native", &mut || clock(|| budget::run::<Ladder>(&native).unwrap())),
        ("budget, what it asks for", &mut || ask(&numbers)),
        ("budget, all columns", &mut || ask(&all)),
    ]);
    print_table(&times, &times[0]);
}

fn demotion_slot(engine: &Engine, toolset: &Loaded, rows: u32) {
    let asked = request::demotion(rows, &|key| toolset.info.asks_for(key));
    let native = request::raw_demotion(&asked);
    let times = compare(&mut [
        ("demotion, native", &mut || clock(|| demotion::run::<Toolset>(&native).unwrap())),
        ("demotion, what it asks for", &mut || {
            let request = asked.clone();
            clock(|| {
                assert!(matches!(toolset.demotion(engine, request).outcome, Outcome::Answer(_)))
            })
        }),
    ]);
    print_table(&times, &times[0]);
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
