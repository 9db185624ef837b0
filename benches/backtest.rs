//! What it costs to try a rule on a year of daily passes over a thousand skills, beside the same replay with a rule of the
//! host's own that does nothing. `cargo bench --bench backtest`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/times.rs"]
mod times;

use std::time::Instant;

use skillkeep::{
    config::Combine,
    curator::Seat,
    decision::Slot,
    past::{Contender, Generated, Kind, Terms, replay},
    policy::{BUILTINS, Engine, Loaded, Source},
};
use times::{alternate, print_table};

const ROUNDS: usize = 5;
const TERMS: Terms = Terms { window: 90, every: 1, combine: Combine::Any, stale_is_named: true };

fn main() {
    let cache = tempfile::tempdir().unwrap();
    let engine = Engine::new(Some(cache.path()), None).unwrap();
    let policies: Vec<Loaded> = BUILTINS
        .into_iter()
        .filter(|builtin| builtin.slot == Slot::Curator)
        .map(|it| {
            let (source, slot) = (Source::Builtin(it.name), Some(it.slot));
            Loaded::load(&engine, source, it.bytes, slot, &[]).unwrap()
        })
        .collect();
    let mut contenders = vec![("nothing, native".to_owned(), Contender::Never)];
    for policy in &policies {
        let seats = vec![Seat::Policy(policy)];
        contenders.push((policy.title(), Contender::Policies { engine: &engine, seats }));
    }
    let names: Vec<String> = contenders.iter().map(|(name, _)| name.clone()).collect();
    for kind in Kind::ALL {
        let began = Instant::now();
        let drawn = Generated { kind, skills: 1_000, days: 365, after: TERMS.window, seed: 1 };
        let history = drawn.history();
        println!(
            "## {}: {} events, drawn in {:.0} ms; {} passes\n",
            kind.word(),
            history.deeds.len(),
            began.elapsed().as_secs_f64() * 1e3,
            TERMS.passes(&history)
        );
        let times = alternate(&names, ROUNDS, &mut |number| {
            let began = Instant::now();
            let score = replay(&history, TERMS, &contenders[number].1, &mut |_| {});
            assert_eq!((score.totals.passes, score.totals.failed), (365, 0));
            began.elapsed()
        });
        print_table(&times, &times[0]);
    }
}
