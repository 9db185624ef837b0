//! A pass of the curator, from the home's side: what it starts from, whether it is due, its plan, and carrying the plan out.
//! The plan itself is made in `curator`, which is given nothing to write with.

mod carry;
mod cut_off;
mod due;
mod ground;
mod idle;
mod jobs;
mod plans;
mod reports;
mod seats;
mod snapshots;
mod under_way;

pub use carry::{Carried, carry_out};
pub use due::begin_if_due;
pub use ground::{Ground, Wanting};
pub use idle::idle;
pub use jobs::{Jobs, jobs};
pub use plans::{keep_plan, kept_plan};
pub use reports::{FOLDER as REPORTS, newest_report};
pub use seats::Curators;
pub use snapshots::{keepers, looks, owned_roots, snapshot};
pub use under_way::is_under_way;

use super::{Tell, World, error::CommandError, store::Store};
use crate::{
    curator::{Asked, Gate, PRUNING, Plan, Subject, hear, make, question},
    laws::Bounds,
    ledger::{Ledger, Pass, PassPhase},
    skill::Instant,
};

/// Passes that are looked back on for the last one that came to its end.
const BACK: usize = 50;

/// The last pass that came to its end. A pruning by hand is none: it asked no policy, and the time until the next pass, and
/// what counts as new since the last, are as they were.
///
/// # Errors
/// Where the ledger can't be read.
pub fn last_pass(ledger: &Ledger) -> Result<Option<Pass>, CommandError> {
    let passes = ledger.passes(BACK)?;
    let is_pass = |it: &Pass| it.phase == PassPhase::Done && !it.plan.starts_with(PRUNING);
    Ok(passes.into_iter().find(is_pass))
}

/// Whether a pass is due.
///
/// # Errors
/// Where the ledger can't be read.
pub fn gate<'a>(
    world: &'a World<'_>,
    ledger: &Ledger,
    now: Instant,
) -> Result<Gate<'a>, CommandError> {
    Ok(Gate {
        config: &world.config.curator,
        standing: ledger.standing()?,
        last: last_pass(ledger)?.map(|it| it.begun),
        idle: idle(world, ledger)?,
        damaged: ledger.damaged_since()?.is_some(),
        now,
    })
}

/// Asks the policies of the slot, and makes a plan of what they say.
///
/// # Errors
/// Where the ledger or the roots can't be read.
pub fn plan(
    world: &World<'_>,
    store: &Store<'_>,
    curators: &Curators,
    (asked, now): (Asked, Instant),
    out: &mut dyn Tell,
) -> Result<(Plan, Ground), CommandError> {
    let ground = Ground::of(world, store, Wanting::of(curators), now)?;
    for note in &ground.notes {
        out.warn(note);
    }
    let plan = plan_of(world, store, curators, &ground.subjects, (asked, now))?;
    Ok((plan, ground))
}

/// The same of these skills, whatever the ground was.
///
/// # Errors
/// Where the ledger can't be read.
pub fn plan_of(
    world: &World<'_>,
    store: &Store<'_>,
    curators: &Curators,
    subjects: &[Subject],
    (asked, now): (Asked, Instant),
) -> Result<Plan, CommandError> {
    let standing = store.ledger.standing()?;
    let bounds = match asked {
        Asked::Person => Bounds::ASKED,
        Asked::Schedule => Bounds {
            most: Some(world.config.curator.blast_radius as usize),
            consent: standing.consent.is_some(),
        },
    };
    // The same for the same day: a policy that explores does so once a day.
    let seed = xxhash_rust::xxh3::xxh3_64(&now.0.div_euclid(86_400).to_le_bytes());
    let seats = curators.seats();
    let heard = hear(curators.engine(), &seats, subjects.len(), |asked| {
        question(subjects, now, seed, asked)
    });
    Ok(make(subjects, &heard, curators.combine(), (asked, bounds), now))
}
