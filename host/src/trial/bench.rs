//! What a policy costs by the number of rows: time, fuel, memory, and how much of its limits that is.

use std::time::Duration;

use skillkeep_policy::{facts::Value, testkit::cases::Question};

use super::{
    Sandboxed,
    sample::{Dice, Known, Sample},
    writes::draw,
};
use crate::decision::Slot;

/// The numbers of skills that are asked about.
pub const SIZES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

/// One measurement.
#[derive(Clone, Debug)]
pub struct Point {
    /// Skills in the question, or the one write.
    pub rows: usize,
    /// The least time of several calls.
    pub elapsed: Duration,
    /// Units of fuel.
    pub fuel: u64,
    /// Fuel that it might have used.
    pub fuel_limit: u64,
    /// Bytes of memory.
    pub memory: usize,
    /// Memory that it might have used.
    pub memory_limit: usize,
    /// What went wrong, if anything did.
    pub fault: Option<String>,
}

/// Asks a policy about libraries of each size. One that judges writes is asked about one write: it has no other size.
#[must_use]
pub fn bench(policy: &Sandboxed<'_>, sizes: &[usize], seed: u64) -> Vec<Point> {
    if policy.slot == Slot::Provenance {
        let question = draw(&mut Dice::new(seed), &policy.subject.asks, &Known::new());
        return point(policy, 1, &question, 50).into_iter().collect();
    }
    let measure = |skills: usize| {
        let mut dice = Dice::new(seed);
        let mut sample = Sample::draw(&mut dice, skills, &Known::new());
        // What half of the lines would cost: there is something to decide.
        sample.limit = u32::try_from(skills.saturating_mul(25)).unwrap_or(u32::MAX).max(200);
        // A session of which something is known: a rule that looks at tools has work to do.
        for (key, words) in [("toolsets", vec!["web".to_owned()]), ("tools", Vec::new())] {
            sample.context.insert(key.to_owned(), Value::Texts(words));
        }
        let library = sample.library();
        let question = policy.subject.question(policy.sdk_slot(), &library, Vec::new());
        point(policy, skills, &question, if skills > 10_000 { 2 } else { 5 })
    };
    sizes.iter().filter_map(|skills| measure(*skills)).collect()
}

/// What so many calls with the same question take; the first says what they use.
fn point(policy: &Sandboxed<'_>, rows: usize, question: &Question, calls: usize) -> Option<Point> {
    let tries: Vec<_> = (0..calls).map(|_| policy.measure(question.clone())).collect();
    let best = tries.iter().map(|tried| tried.elapsed).min().unwrap_or_default();
    tries.into_iter().next().map(|tried| Point {
        rows,
        elapsed: best,
        fuel: tried.used.fuel,
        fuel_limit: tried.limits.fuel,
        memory: tried.used.memory,
        memory_limit: tried.limits.memory,
        fault: tried.reply.err().map(|fault| fault.to_string()),
    })
}
