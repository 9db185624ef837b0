//! From bytes to a member: what a policy has to get through before it may be active.

use std::sync::Arc;

use super::{Member, Recruit, Why, desk::Desk, member::State, watch::Watch};
use crate::{
    decision::Slot,
    policy::{LoadError, Loaded, digest},
    skill::OneLine,
    trial::{CaseRun, Sandboxed, Sheet, run_sheets},
};

/// Bytes of cases that are looked at. Ours have some tens of thousands.
const MOST_CASES: usize = 256 << 10;

/// A member that may become active, on probation from then on.
pub(super) fn enlist(desk: &Arc<Desk>, slot: Slot, recruit: Recruit) -> Result<Arc<Member>, Why> {
    let Recruit { name, component, settings, allowance } = recruit;
    let (source, bytes) = component.map_err(Why::Load)?;
    let digest = digest(&bytes);
    if let Some(mark) = desk.mark_on(|mark| mark.covers_bytes(&digest)) {
        return Err(Why::Quarantined(mark));
    }
    if let Some(why) = desk.lasting(slot, &digest) {
        return Err(why);
    }
    // What is active needs no second load: a file that was only touched, or the way back to the one before.
    if let Some(known) = desk.known(|it| it.is_made_of(slot, &digest, &settings, allowance)) {
        return Ok(known);
    }
    let policy =
        Loaded::load_within(&desk.engine, source, &bytes, Some(slot), &settings, allowance);
    let policy = policy.map_err(Why::Load)?;
    let watch = desk.watch(Arc::downgrade(desk), false);
    let member =
        Member::new(slot, name, Some(digest), settings, (State::Ready(Arc::new(policy)), watch));
    if let Some(known) = desk.known(|it| it.is_same(&member)) {
        return Ok(known);
    }
    if let Some(mark) = desk.mark_on(|mark| mark.covers(&member)) {
        return Err(Why::Quarantined(mark));
    }
    run_cases(desk, &member, &bytes)?;
    Ok(Arc::new(member))
}

/// A member of the first generation: trusted, and in its place even where it does not load, since there is nobody before it.
pub(super) fn found(desk: &FoundingDesk<'_>, slot: Slot, recruit: Recruit) -> Member {
    let Recruit { name, component, settings, allowance } = recruit;
    let component = component.map(|(source, bytes)| (digest(&bytes), source, bytes));
    let (digest, state) = match component {
        Err(error) => (None, State::Failed(error)),
        Ok((digest, source, bytes)) => {
            let marked = desk.marks.iter().find(|mark| mark.covers_bytes(&digest));
            let state = match marked {
                Some(mark) => State::Quarantined(mark.clone()),
                None => loaded(Loaded::load_within(
                    desk.engine,
                    source,
                    &bytes,
                    Some(slot),
                    &settings,
                    allowance,
                )),
            };
            (Some(digest), state)
        }
    };
    let member = Member::new(slot, name, digest, settings, (state, (desk.watch)()));
    match desk.marks.iter().find(|mark| mark.covers(&member)) {
        Some(mark) => member.quarantined(mark.clone()),
        None => member,
    }
}

/// What founding takes of a desk that is not yet there.
pub(super) struct FoundingDesk<'a> {
    pub(super) engine: &'a crate::policy::Engine,
    pub(super) marks: &'a [super::Mark],
    pub(super) watch: &'a (dyn Fn() -> Watch + Sync),
}

fn loaded(result: Result<Loaded, LoadError>) -> State {
    match result {
        Ok(policy) => State::Ready(Arc::new(policy)),
        Err(error) => State::Failed(error),
    }
}

/// Runs the cases that a component carries. The same bytes pass the same cases within the same limits, so once is enough.
fn run_cases(desk: &Desk, member: &Member, bytes: &[u8]) -> Result<(), Why> {
    let (Some(policy), Some(digest)) = (member.policy(), member.digest()) else { return Ok(()) };
    if !desk.rules.cases || desk.has_passed(member.slot(), digest, policy.allowance) {
        return Ok(());
    }
    let carried = skillkeep_build::cases(bytes);
    let size: usize = carried.iter().map(|(name, text)| name.len() + text.len()).sum();
    if size > MOST_CASES {
        return Err(Why::TooManyCases { bytes: size, most: MOST_CASES });
    }
    let sheets: Vec<Sheet> =
        carried.into_iter().map(|(name, text)| Sheet::of(name, text.into_bytes())).collect();
    let sandboxed = Sandboxed::new(&desk.engine, policy, member.slot());
    let (runs, _) = run_sheets(&sandboxed, &sheets);
    let failed: Vec<&CaseRun> = runs.iter().filter(|run| run.failed.is_some()).collect();
    match failed.first() {
        None => {
            desk.passes(member.slot(), digest, policy.allowance);
            Ok(())
        }
        Some(first) => Err(Why::Cases {
            failed: failed.len(),
            of: runs.len(),
            first: OneLine::capped(&first.name, 200).into_string(),
            difference: OneLine::capped(first.failed.as_deref().unwrap_or_default(), 400),
        }),
    }
}
