//! What the sandbox costs: loading a component, an instance, one decision, the same rule run natively on the same request,
//! and a whole index with and without it, one write judged. `cargo bench --bench decision`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/library.rs"]
mod library;
#[path = "support/request.rs"]
mod request;
#[path = "support/times.rs"]
mod times;

use std::{
    borrow::Cow,
    hint::black_box,
    time::{Duration, Instant},
};

use budget_ladder::Ladder;
use demotion_toolset::Toolset;
use provenance_declared::Declared;
use skillkeep::{
    decision::{Action, Allowance, By, Slot, WriteRequest},
    index::{CharMeter, InCharge, Inputs, Policies, Programs},
    judge::{Chosen, Judge, question},
    library::scan,
    policy::{Builtin, Engine, Loaded, Outcome, Source},
    skill::{Actor, OneLine, Origin, Root},
    system::OsSystem,
};
use skillkeep_policy::slots::{budget, demotion, provenance};
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
    one_write(&engine);
    for rows in [250, 1_000, 10_000] {
        println!("## {rows} rows\n");
        budget_slot(&engine, &ladder, rows);
        demotion_slot(&engine, &toolset, rows);
        whole_index(&engine, &toolset, &ladder, rows);
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

/// One write judged, by one policy and by two, beside an instance that does nothing and the same rule run natively. What a
/// judged write costs over one that is not is the first of these.
fn one_write(engine: &Engine) {
    println!("## one write\n");
    let declared = load(engine, Slot::Provenance);
    let judge = |names: &[&str]| {
        let chosen = names.iter().map(|name| {
            let builtin = Builtin::named(name).unwrap();
            let component = (Source::Builtin(builtin.name), Cow::Borrowed(builtin.bytes));
            Chosen { name: (*name).to_owned(), component: Ok(component) }
        });
        Judge::load(engine.clone(), chosen.collect(), &[], Allowance::default())
    };
    let (one, two) =
        (judge(&["provenance-declared"]), judge(&["provenance-declared", "provenance-strict"]));
    let write = WriteRequest::plain(Actor::Review, Action::Edit, Some(Origin::Review));
    let native = request::raw_write(question(&write, &|key| declared.info.asks_for(key)));
    let times = compare(&mut [
        ("an instance, on its thread", &mut || clock(|| instances(engine, &declared)) / INSTANCES),
        ("one write, native", &mut || {
            clock(|| {
                for _ in 0..INSTANCES {
                    black_box(provenance::run::<Declared>(&native).unwrap());
                }
            }) / INSTANCES
        }),
        ("one write, judged", &mut || clock(|| judged(&one, &write)) / INSTANCES),
        ("one write, judged by two", &mut || clock(|| judged(&two, &write)) / INSTANCES),
    ]);
    print_table(&times, &times[0]);
}

fn judged(judge: &Judge, write: &WriteRequest) {
    for _ in 0..INSTANCES {
        assert!(matches!(judge.judge(write).by, By::Policy(_)));
    }
}

fn budget_slot(engine: &Engine, ladder: &Loaded, rows: u32) {
    let numbers = request::budget(rows, 5_440, &|key| ladder.info.asks_for(key));
    let nobody_chose = request::budget(rows, 5_440, &|key| {
        ladder.info.asks_for(key) && !matches!(key, "pinned" | "user-detail")
    });
    let all = request::budget(rows, 5_440, &|_| true);
    let native = request::raw_budget(&numbers);
    let ask = |request: &skillkeep::decision::BudgetRequest| {
        let request = request.clone();
        clock(|| assert!(matches!(ladder.budget(engine, request).outcome, Outcome::Answer(_))))
    };
    let times = compare(&mut [
        ("budget, native", &mut || clock(|| budget::run::<Ladder>(&native).unwrap())),
        ("budget, what it asks for", &mut || ask(&numbers)),
        ("budget, nothing pinned or chosen", &mut || ask(&nobody_chose)),
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

/// A library of files, scanned with its cache and made an index: in all, and what of it the sandbox takes. The rules run
/// natively on as many made-up rows, so the factor is of the whole over the whole less the one plus the other.
fn whole_index(engine: &Engine, toolset: &Loaded, ladder: &Loaded, rows: u32) {
    let home = tempfile::tempdir().unwrap();
    library::generate(home.path(), rows as usize).unwrap();
    let (cache, label) = (home.path().join("cache"), OneLine::new("made-up"));
    let root = Root { path: home.path().join("skills"), label, category: None };
    let roots = [root];
    let policies = Policies {
        engine,
        demotion: vec![InCharge::Policy(toolset)],
        budget: InCharge::Policy(ladder),
    };
    let inputs = Inputs { limit: 5_440, short: 120, ..Inputs::default() };
    let programs = Programs::new(&OsSystem);
    let forms =
        request::raw_budget(&request::budget(rows, 5_440, &|key| ladder.info.asks_for(key)));
    let details =
        request::raw_demotion(&request::demotion(rows, &|key| toolset.info.asks_for(key)));
    // A file that is younger than its file system's clock can tell is read again each time.
    std::thread::sleep(Duration::from_millis(2_500));
    let index = || {
        let library = scan(&OsSystem, &roots, Some(&cache));
        inputs.make(&library, &CharMeter, &policies, &programs).unwrap()
    };
    drop(index());
    let times = compare(&mut [
        ("an index, all of it", &mut || clock(index)),
        ("its decisions, in the sandbox", &mut || {
            let micros: u128 = index().decided.notes.iter().map(|note| note.micros).sum();
            Duration::from_micros(u64::try_from(micros).unwrap())
        }),
        ("such decisions, native", &mut || {
            clock(|| {
                demotion::run::<Toolset>(&details).unwrap();
                budget::run::<Ladder>(&forms).unwrap()
            })
        }),
    ]);
    print_table(&times, &times[0]);
    let [whole, sandbox, native] = [&times[0], &times[1], &times[2]].map(|it| it.spread()[1]);
    println!("the sandbox's factor for a whole index: {:.2}\n", whole / (whole - sandbox + native));
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
