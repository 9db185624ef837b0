//! A pass of the curator, from the home's side: what it starts from, whether it is due, its plan, and carrying the plan out.
//! The plan itself is made in `curator`, which is given nothing to write with.

mod carry;
mod cut_off;
mod due;
mod ground;
mod idle;
mod jobs;
mod plans;
mod records;
mod reports;
mod seats;
mod snapshots;
mod under_way;

pub use carry::{Carried, carry_out};
pub use due::begin_if_due;
pub use ground::{Ground, Wanting};
pub use idle::idle;
pub use jobs::{Jobs, jobs};
pub use plans::{forget_plans, keep_plan, kept_plan};
pub use records::{PassFile, PassRecords};
pub use reports::{FOLDER as REPORTS, newest_report};
pub use seats::Curators;
pub use snapshots::{keepers, looks, owned_roots, snapshot};
pub use under_way::is_under_way;

use super::{Tell, World, error::CommandError, store::Store};
use crate::{
    curator::{Asked, Gate, Heard, PRUNING, Plan, Subject, hear, make, question},
    laws::Bounds,
    ledger::{Ledger, Pass, PassPhase},
    record::{PassRecord, Told},
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
    let ground = ground(world, store, curators, now, out)?;
    let plan = plan_of(world, store, curators, &ground.subjects, (asked, now))?;
    Ok((plan, ground))
}

/// The same with the record of what it was decided from, and how many skills the ledger doesn't know yet.
///
/// # Errors
/// As [`plan`].
pub fn recorded_plan(
    world: &World<'_>,
    store: &Store<'_>,
    curators: &Curators,
    (asked, now): (Asked, Instant),
    out: &mut dyn Tell,
) -> Result<(Plan, PassRecord, usize), CommandError> {
    let Ground { subjects, unmet, .. } = ground(world, store, curators, now, out)?;
    let bounds = bounds(world, store, asked)?;
    let heard = heard(curators, &subjects, now);
    let wanting = Wanting::of(curators);
    let (plan, record) = PassRecord::of(
        (subjects, Told { claims: wanting.claims, outcomes: wanting.outcomes }),
        (heard, curators.given()),
        curators.combine(),
        (asked, bounds),
        (now, seed(now)),
    );
    Ok((plan, record, unmet))
}

/// A plan of these skills, whatever the ground was.
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
    let bounds = bounds(world, store, asked)?;
    let heard = heard(curators, subjects, now);
    Ok(make(subjects, &heard, curators.combine(), (asked, bounds), now))
}

fn ground(
    world: &World<'_>,
    store: &Store<'_>,
    curators: &Curators,
    now: Instant,
    out: &mut dyn Tell,
) -> Result<Ground, CommandError> {
    let ground = Ground::of(world, store, Wanting::of(curators), now)?;
    for note in &ground.notes {
        out.warn(note);
    }
    Ok(ground)
}

fn bounds(world: &World<'_>, store: &Store<'_>, asked: Asked) -> Result<Bounds, CommandError> {
    let standing = store.ledger.standing()?;
    Ok(match asked {
        Asked::Person => Bounds::ASKED,
        Asked::Schedule => Bounds {
            most: Some(world.config.curator.blast_radius as usize),
            consent: standing.consent.is_some(),
        },
    })
}

fn heard(curators: &Curators, subjects: &[Subject], now: Instant) -> Heard {
    hear(curators.engine(), &curators.seats(), subjects.len(), |asked| {
        question(subjects, now, seed(now), asked)
    })
}

/// The same for the same day: a policy that explores does so once a day.
fn seed(now: Instant) -> u64 {
    xxhash_rust::xxh3::xxh3_64(&now.0.div_euclid(86_400).to_le_bytes())
}
