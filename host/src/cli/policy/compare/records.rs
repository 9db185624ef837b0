//! Two rules on the recorded decisions of a home's sessions.

use std::collections::BTreeMap;

use super::super::rules::Rule;
use crate::{
    cli::output::Output,
    decision::{Slot, Unit},
    index::Made,
    past::{Difference, Differences, Side},
    policy::Engine,
    skill::Instant,
    world::{
        AnyMeter, World,
        error::{CommandError, Kind},
        kept,
        recorded::{Deciders, Recorded},
    },
};

/// Decides each record with the one and with the other in the slot. What can't be decided is said, by why.
pub fn compare(
    world: &World<'_>,
    engine: &Engine,
    slot: Slot,
    rules: &[Rule; 2],
    since: Option<Instant>,
    out: &mut Output<'_>,
) -> Result<Differences, CommandError> {
    let ledger = kept::needed_ledger(world)?;
    let mut recorded = Recorded::of(world, engine.clone())?;
    let [one, other] = rules;
    let decisions = recorded.decisions(&ledger, since)?;
    if decisions.is_empty() {
        return Err(nothing());
    }
    let (mut found, mut left) = (Differences::default(), BTreeMap::<String, usize>::new());
    let mut meters = Meters::default();
    for decided in &decisions {
        let made = recorded.open(decided).and_then(|(record, again)| {
            let then = recorded.deciders(&record, Some(slot))?;
            let meter = meters.of(world, record.unit);
            let decide = |by: &Deciders| recorded.decide(&again, by, meter.get());
            let ours = decide(&then.with(slot, &one.members))?;
            Ok([ours, decide(&then.with(slot, &other.members))?])
        });
        match made {
            Ok(both) => {
                found.snapshots += 1;
                fell_back(&both, slot)?;
                add(&mut found, &both, decided.at);
            }
            Err(why) => *left.entry(why).or_default() += 1,
        }
    }
    for (why, count) in left {
        out.warn(&format!("{count} of {} decisions are left out: {why}", decisions.len()));
    }
    Ok(found)
}

/// That no session's decision was recorded.
pub fn nothing() -> CommandError {
    CommandError::new(
        Kind::Finding,
        "no decision is recorded since then, so nothing can be decided again",
    )
    .hint("a session is recorded by `skillkeep index --session ID`")
}

/// Meters by their unit: one that counts tokens has a memory.
#[derive(Default)]
pub struct Meters(BTreeMap<&'static str, AnyMeter>);

impl Meters {
    /// That of a unit.
    pub fn of(&mut self, world: &World<'_>, unit: Unit) -> &AnyMeter {
        self.0.entry(unit.word()).or_insert_with(|| world.meter(unit))
    }
}

/// A rule that fails on a snapshot can't be compared: the host decided for it.
fn fell_back(both: &[Made; 2], slot: Slot) -> Result<(), CommandError> {
    for made in both {
        let notes = made.decided.notes.iter().filter(|note| note.slot == slot);
        if let Some((note, why)) = notes.filter_map(|it| Some((it, it.fallback.as_ref()?))).next() {
            let message = format!("`{}` gave no answer that counts: {why}", note.policy);
            return Err(CommandError::new(Kind::Finding, message));
        }
    }
    Ok(())
}

fn add(found: &mut Differences, [one, other]: &[Made; 2], at: Instant) {
    for (one, other) in one.answers().rows.into_iter().zip(other.answers().rows) {
        let about = one.about.clone();
        let one = Side { choice: one.choice, reason: one.reason };
        let slot = other.slot;
        let other = Side { choice: other.choice, reason: other.reason };
        found.compare(slot, Difference { about, at: Some(at), one, other });
    }
}
