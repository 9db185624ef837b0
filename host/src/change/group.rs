//! Several changes made as one: begun in one transaction, done side by side, finished in one transaction.
//!
//! It is the way of a single change, and each of them is its own in the ledger: `log` shows them one by one, and after a
//! crash each is finished, or taken back where somebody else's work is in the way of it. What is shared are the commits and
//! the syncs. A group may be of several roots, whose locks are all held.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{
    ChangeError, Fresh,
    apply::is_as_before,
    effect,
    keeper::{Done, Keeper},
    spot::Spot,
    together::{Run, forward_all},
};
use crate::{
    ledger::{After, ChangeId, NewChange, SkillRecord, Step},
    skill::SkillId,
};

/// Looks at what came out, before it counts as done.
pub(super) type Verify<'m> = Box<dyn Fn(Spot<'_>) -> Result<(), ChangeError> + Send + Sync + 'm>;

/// A change that is to be made with others.
pub(super) struct Member<'m> {
    pub(super) change: NewChange,
    pub(super) fresh: Fresh,
    /// The bytes of both sides are objects already, and something holds on to them until this is begun.
    pub(super) kept: bool,
    pub(super) verify: Verify<'m>,
    pub(super) notes: Vec<String>,
}

/// What becomes of the others where one can't be made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is left out.
    Each,
    /// None is made.
    All,
}

struct Going<'k, 'a> {
    keeper: &'k Keeper<'a>,
    member: Member<'k>,
    id: Option<ChangeId>,
    failed: Option<ChangeError>,
    /// It failed, and could not be taken back.
    stuck: bool,
}

/// Changes on their way, in the order in which they were given.
pub(super) struct Group<'k, 'a> {
    going: Vec<Going<'k, 'a>>,
    bound: Bound,
}

impl<'k, 'a> Group<'k, 'a> {
    pub(super) fn new(bound: Bound) -> Group<'k, 'a> {
        Group { going: Vec::new(), bound }
    }

    /// One more. No two may be about the same path, but for folders that both make.
    pub(super) fn add(&mut self, keeper: &'k Keeper<'a>, member: Member<'k>) {
        self.going.push(Going { keeper, member, id: None, failed: None, stuck: false });
    }

    /// Makes them, under the locks of their roots. `begun` is told their numbers before anything moves.
    pub(super) fn make(
        mut self,
        begun: impl FnOnce(&[ChangeId]) -> Result<(), ChangeError>,
    ) -> Vec<Result<Done, ChangeError>> {
        self.look();
        self.bind();
        if let Err(why) = self.begin() {
            self.stop(why);
        }
        let ids: Vec<ChangeId> = self.going.iter().filter_map(|it| it.id).collect();
        if !ids.is_empty() {
            if let Err(why) = begun(&ids) {
                self.stop(why);
            }
            self.forward(&ids);
            self.verify();
            self.bind();
            self.take_back();
            self.finish();
            self.clear(&ids);
        }
        self.look_again();
        self.going.into_iter().map(Going::told).collect()
    }

    /// Looks whether all is as it is expected, at all of them at once, and takes in the bytes of both sides.
    fn look(&mut self) {
        let all: Vec<(Spot<'_>, &[Step])> = self
            .going
            .iter()
            .map(|it| (it.keeper.spot, it.member.change.steps.as_slice()))
            .collect();
        let looked: Vec<Result<(), ChangeError>> = all
            .into_par_iter()
            .map(|(spot, steps)| steps.iter().try_for_each(|step| is_as_before(spot, step)))
            .collect();
        for (it, looked) in self.going.iter_mut().zip(looked) {
            it.failed = looked.and_then(|()| it.take_bytes()).err();
        }
    }

    /// Looks at what came out of those that go on, at all of them at once.
    fn verify(&mut self) {
        let all: Vec<_> = self.going.iter().map(|it| it.goes_on().then(|| it.verified())).collect();
        let verified: Vec<Option<Result<(), ChangeError>>> =
            all.into_par_iter().map(|it| it.map(|(spot, verify)| verify(spot))).collect();
        for (it, verified) in self.going.iter_mut().zip(verified) {
            if let Some(Err(why)) = verified {
                it.failed = Some(why);
            }
        }
    }

    /// Where none is made unless all are, one that failed stops the others.
    fn bind(&mut self) {
        let failed = self.going.iter().find_map(|it| it.failed.as_ref());
        if let (Bound::All, Some(why)) = (self.bound, failed) {
            let why = why.to_string();
            self.stop(ChangeError::WithOthers(why));
        }
    }

    /// Stops all that go on still. The first says why in full.
    fn stop(&mut self, why: ChangeError) {
        let told = why.to_string();
        let mut first = Some(why);
        for it in self.going.iter_mut().filter(|it| it.failed.is_none()) {
            it.failed = Some(first.take().unwrap_or(ChangeError::WithOthers(told.clone())));
        }
    }

    /// Law `snapshot-first`: the bytes of both sides of all of them are safe, or nothing begins.
    fn begin(&mut self) -> Result<(), ChangeError> {
        let Some(first) = self.going.iter().find(|it| it.failed.is_none()) else { return Ok(()) };
        let Keeper { objects, ledger, wait, .. } = first.keeper;
        let live = || self.going.iter().filter(|it| it.failed.is_none());
        let _held = objects.hold("keep", *wait)?;
        objects.keep(live().flat_map(|it| it.member.fresh.values()).map(Vec::as_slice))?;
        let ids = ledger.begin_all(live().map(|it| &it.member.change))?;
        let live = self.going.iter_mut().filter(|it| it.failed.is_none());
        for (it, id) in live.zip(ids) {
            it.id = Some(id);
        }
        Ok(())
    }

    fn forward(&mut self, ids: &[ChangeId]) {
        let Some(first) = ids.first() else { return };
        let mut runs = Vec::new();
        let mut which = Vec::new();
        for (at, it) in self.going.iter().enumerate().filter(|(_, it)| it.goes_on()) {
            which.push(at);
            let apply = it.keeper.apply(*first, &it.member.fresh);
            runs.push(Run { apply, steps: &it.member.change.steps, failed: None });
        }
        forward_all(&mut runs);
        let failed: BTreeMap<usize, ChangeError> =
            which.into_iter().zip(runs).filter_map(|(at, run)| Some((at, run.failed?))).collect();
        for (at, why) in failed {
            if let Some(it) = self.going.get_mut(at) {
                it.failed = Some(why);
            }
        }
        self.bind();
    }

    /// Takes back what was begun and stopped, from the last to the first.
    fn take_back(&mut self) {
        let mut back = Vec::new();
        for it in self.going.iter_mut().rev().filter(|it| it.failed.is_some()) {
            let Some(id) = it.id else { continue };
            let mut apply = it.keeper.apply(id, &it.member.fresh);
            match apply.backward(&it.member.change.steps) {
                Ok(_) => back.push(id),
                Err(_) => it.stuck = true,
            }
            it.keeper.spot.clear(&apply.staging()).unwrap_or_default();
        }
        let Some(ledger) = self.going.first().map(|it| it.keeper.ledger) else { return };
        // Where one of those that belong together can't be taken back, all of them stay open, and who comes next makes them all.
        let stay = self.bound == Bound::All && self.going.iter().any(|it| it.stuck);
        if !back.is_empty() && (stay || ledger.abandon_all(&back).is_err()) {
            for it in self.going.iter_mut().filter(|it| it.failed.is_some() && it.id.is_some()) {
                it.stuck = true;
            }
        }
    }

    fn finish(&mut self) {
        let Some(keeper) = self.going.first().map(|it| it.keeper) else { return };
        let made = |it: &Going<'_, '_>| Some((it.id?, it.member.change.clone()));
        let made: Vec<_> = self.going.iter().filter(|it| it.goes_on()).filter_map(made).collect();
        let ended = keeper.end_all(&made);
        for (it, ended) in self.going.iter_mut().filter(|it| it.goes_on()).zip(ended) {
            if let Err(why) = ended {
                (it.failed, it.stuck) = (Some(why), true);
            }
        }
    }

    /// It goes away with the next change otherwise.
    fn clear(&self, ids: &[ChangeId]) {
        let Some(first) = ids.first() else { return };
        let mut cleared = Vec::new();
        for it in &self.going {
            let spot = it.keeper.spot;
            if !cleared.contains(&spot.top) {
                cleared.push(spot.top);
                let staging = it.keeper.apply(*first, &it.member.fresh).staging();
                spot.clear(&staging).unwrap_or_default();
            }
        }
    }

    /// It is done, whatever becomes of this: who approves looks again.
    fn look_again(&mut self) {
        let mut changed: BTreeMap<_, (&Keeper<'_>, Vec<SkillId>)> = BTreeMap::new();
        for it in self.going.iter().filter(|it| it.goes_on()) {
            let of_root = changed.entry(it.keeper.root).or_insert((it.keeper, Vec::new()));
            of_root.1.push(it.member.change.skill);
        }
        let looked: Vec<_> = changed
            .into_iter()
            .filter_map(|(root, (keeper, skills))| Some((root, keeper.look_again(&skills).err()?)))
            .collect();
        for (root, why) in looked {
            let first = self.going.iter_mut().find(|it| it.goes_on() && it.keeper.root == root);
            if let Some(it) = first {
                let note = format!("what waits for them was not looked at again: {why}");
                it.member.notes.push(note);
            }
        }
    }
}

impl<'k, 'a> Going<'k, 'a> {
    /// Whether it was begun, and nothing stopped it.
    fn goes_on(&self) -> bool {
        self.id.is_some() && self.failed.is_none()
    }

    /// Takes in the bytes of both sides, unless they are objects already.
    fn take_bytes(&mut self) -> Result<(), ChangeError> {
        for step in self.member.change.steps.iter().filter(|_| !self.member.kept) {
            let (path, sides) = match step {
                Step::Put { path, before, after } => (path, [*before, Some(*after)]),
                Step::Remove { path, before } => (path, [Some(*before), None]),
                _ => continue,
            };
            self.keeper.take_bytes(path, sides, &mut self.member.fresh)?;
        }
        Ok(())
    }

    /// Where and how what came out is looked at.
    fn verified(&self) -> (Spot<'a>, &Verify<'k>) {
        (self.keeper.spot, &self.member.verify)
    }

    fn told(self) -> Result<Done, ChangeError> {
        match (self.failed, self.id) {
            (Some(why), Some(id)) if self.stuck => {
                Err(ChangeError::Unfinished { id, why: Box::new(why) })
            }
            (Some(why), _) => Err(why),
            (None, None) => Err(ChangeError::WithOthers("it was not begun".to_owned())),
            (None, Some(id)) => {
                let Member { change: NewChange { skill, steps, .. }, notes, .. } = self.member;
                Ok(Done { id, skill, steps, diffs: Vec::new(), tolerated: Vec::new(), notes })
            }
        }
    }
}

impl Keeper<'_> {
    /// Ends changes that were made, in one transaction; where that can't be, one by one, so that none stands in the way of the
    /// others.
    pub(super) fn end_all(&self, made: &[(ChangeId, NewChange)]) -> Vec<Result<(), ChangeError>> {
        let after = |(id, change): &(ChangeId, NewChange)| -> Result<_, ChangeError> {
            let known: Option<SkillRecord> = self.ledger.skill(change.skill)?;
            let own = known.as_ref().map(|known| known.folder.as_str());
            Ok((*id, effect::after(change, own)))
        };
        let all: Result<Vec<(ChangeId, After)>, ChangeError> = made.iter().map(after).collect();
        match all.and_then(|all| Ok(self.ledger.finish_all(&all)?)) {
            Ok(()) => made.iter().map(|_| Ok(())).collect(),
            Err(_) => made.iter().map(|(id, change)| self.end(*id, change)).collect(),
        }
    }
}
