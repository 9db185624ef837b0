//! What becomes of writes that wait: looked at beside what is there now, approved, turned down; and of what others did
//! without asking: accepted, or taken back.

use std::collections::BTreeSet;

use super::{
    ChangeError, Clash, Edit, Fresh, NewSkill,
    diff::FileDiff,
    keeper::{By, Done, Keeper, Target},
    patch::Tolerance,
    place::{last, parent},
    retention::named_by,
    stage::{LIMITS, Ready},
    tree,
    wanted::{self, Bases, Wanted},
};
use crate::{
    decision::By as Judged,
    ledger::{Digest, Leave, Ledger, NewPending, Pending, PendingId, PendingState, Step, Verb},
    library::Library,
    skill::{OneLine, SkillId},
    system::Disk,
};

/// How a write that waits fits what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// As it was when it was staged.
    Fits,
    /// A file was changed since, and all of its passages are there still.
    Rebased,
    /// It can't be done any more, and why.
    Stale(String),
}

/// A write that waits, beside what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// How it fits.
    pub standing: Standing,
    /// The hash of what would be done; who approves it names this. Nothing where it can't be.
    pub shown: Option<Digest>,
    /// What would differ from what is there; of one that can't be done, from what was there when it was staged; of what
    /// somebody else did, from what was there before.
    pub diffs: Vec<FileDiff>,
    /// What was changed in those files since it was staged.
    pub since: Vec<FileDiff>,
    /// Patches that wouldn't be exact: path and tolerance.
    pub tolerated: Vec<(String, Tolerance)>,
}

/// A write that waits, ready to be made; with other edits than those that wait, where those had to be put on a newer text.
type Fitted = (Ready, Option<(Vec<Edit>, Bases)>);

impl Keeper<'_> {
    /// A write that waits, beside what is there now. Nothing is written, and no lock is waited for.
    ///
    /// # Errors
    /// Where the files can't be read.
    pub fn proposal(&self, pending: &Pending, library: &Library) -> Result<Proposal, ChangeError> {
        if pending.asked.verb == Verb::Outside {
            return self.done_by_others(pending);
        }
        let mut fresh = Fresh::new();
        match self.fitted(pending, Some(library)) {
            Ok((mut ready, rebased)) => Ok(Proposal {
                standing: match rebased {
                    Some(_) => Standing::Rebased,
                    None if pending.rebased => Standing::Rebased,
                    None => Standing::Fits,
                },
                shown: Some(ready.shown()),
                diffs: match ready.whole {
                    Some(_) => Vec::new(),
                    None => self.diffs(&ready.steps, &mut ready.fresh)?,
                },
                since: match rebased {
                    Some(_) => self.since(&pending.asked, &mut fresh)?,
                    None => Vec::new(),
                },
                tolerated: ready.tolerated,
            }),
            Err(why) if is_stale(&why) => Ok(Proposal {
                standing: Standing::Stale(why.to_string()),
                shown: None,
                diffs: self.diffs(&pending.asked.steps, &mut fresh)?,
                since: self.since(&pending.asked, &mut fresh)?,
                tolerated: Vec::new(),
            }),
            Err(why) => Err(why),
        }
    }

    /// Does what waits, exactly as it was shown: with the actor, the session and the reason of who asked, and with who
    /// approved it.
    ///
    /// # Errors
    /// Where nothing waits by that number, it doesn't fit any more or would do something else than what was shown, an act
    /// law forbids it, somebody else than a person asks, or it can't be written.
    pub fn approve(
        &self,
        id: PendingId,
        shown: &Digest,
        library: &Library,
        by: &By,
    ) -> Result<Done, ChangeError> {
        by.person("approve")?;
        let lock = self.lock("approve")?;
        self.ledger.put_out(self.now(), LIMITS)?;
        let pending = waiting(self.ledger, id)?;
        let ready = match self.fitted(&pending, Some(library)) {
            Ok((ready, _)) => ready,
            Err(why) if is_stale(&why) => {
                let stale =
                    Pending { state: PendingState::Stale, note: why.to_string(), ..pending };
                self.ledger.look_again(&stale, &[])?;
                return Err(ChangeError::Stale { id, why: Box::new(why) });
            }
            Err(why) => return Err(why),
        };
        is_shown(id, shown, ready.shown())?;
        if ready.verb == Verb::Archive {
            self.is_named_by_no_job(ready.skill)?;
        }
        let leave = Leave {
            origin: pending.asked.origin,
            approved: Some(by.actor),
            pending: Some(id),
            waits: false,
        };
        let done = self.carry_out(ready, &first(&pending.asked), leave);
        drop(lock);
        done
    }

    /// Law `referenced`: a job may name it only since it was asked for.
    fn is_named_by_no_job(&self, skill: SkillId) -> Result<(), ChangeError> {
        if !self.named_by_jobs && !self.ledger.is_referenced(skill)? {
            return Ok(());
        }
        let reason = OneLine::new("what a job names is not retired; change the job first");
        Err(ChangeError::Denied { reason, by: Judged::Law(OneLine::new("referenced")) })
    }

    /// Accepts what somebody else did to a skill, as it lies there now, and what was done before that.
    ///
    /// # Errors
    /// Where nothing waits by that number, it was changed since it was shown, or somebody else than a person asks.
    pub fn accept(&self, id: PendingId, shown: &Digest, by: &By) -> Result<(), ChangeError> {
        by.person("approve")?;
        let lock = self.lock("approve")?;
        let pending = waiting(self.ledger, id)?;
        is_shown(id, shown, self.lies_there(&pending)?)?;
        let when = (by.actor, self.now());
        self.ledger.decide(id, PendingState::Applied, when, &by.reason)?;
        drop(lock);
        Ok(())
    }

    /// Takes back what somebody else did to a skill: what was before comes back. A skill that wasn't there before is put
    /// into the archive.
    ///
    /// # Errors
    /// Where nothing waits by that number, newer work would be overwritten, it is pinned, somebody else than a person asks,
    /// or it can't be written.
    pub fn take_back(&self, id: PendingId, by: &By) -> Result<Done, ChangeError> {
        by.person("reject")?;
        let lock = self.lock("reject")?;
        let pending = waiting(self.ledger, id)?;
        let leave = Leave { pending: Some(id), ..Leave::default() };
        let change = pending.change.ok_or(ChangeError::NoSuchPending(id))?;
        let record = self.ledger.change(change)?.ok_or(ChangeError::NoSuchChange(change))?;
        let done = if record.change.steps.iter().all(is_first_look) {
            let folder = self.folder_of(&pending.asked)?;
            let me = Target { id: record.change.skill, folder: &folder };
            self.is_still_there(me)?;
            let (ready, _) = self.ready_to_archive(me, by)?;
            self.carry_out(ready, by, leave)
        } else {
            self.undo_held(change, by, leave)
        };
        drop(lock);
        done
    }

    /// Looks again at what waits for skills that were changed, and at skills that are to be made, whose places they may have
    /// taken or left: passages that are there still are put on the newer text, and what doesn't fit any more is marked.
    pub(super) fn look_again(&self, changed: &[SkillId]) -> Result<(), ChangeError> {
        if changed.is_empty() {
            return Ok(());
        }
        for pending in self.ledger.waiting(None)? {
            let NewPending { root, verb, skill, .. } = pending.asked;
            let is_about = verb == Verb::Create || changed.contains(&skill);
            if root != self.root || verb == Verb::Outside || !is_about {
                continue;
            }
            let was = pending.clone();
            // Until it is in the queue again, nobody lets go what it needs.
            let _held = self.objects.hold("keep", self.wait)?;
            let now = match self.fitted(&pending, None) {
                Ok((ready, rebased)) => self.refitted(pending, ready, rebased)?,
                Err(why) if is_stale(&why) => {
                    Pending { state: PendingState::Stale, note: why.to_string(), ..pending }
                }
                Err(why) => return Err(why),
            };
            if now != was {
                let names: BTreeSet<Digest> = named_by(&now).collect();
                let former = named_by(&was).filter(|it| !names.contains(it));
                self.ledger.look_again(&now, &former.collect::<Vec<_>>())?;
            }
        }
        Ok(())
    }

    fn refitted(
        &self,
        mut pending: Pending,
        mut ready: Ready,
        rebased: Option<(Vec<Edit>, Bases)>,
    ) -> Result<Pending, ChangeError> {
        pending.state = PendingState::Waiting;
        pending.note.clear();
        if let Some((edits, bases)) = rebased {
            let wanted = Wanted::write(&ready.folder, &edits, &bases, &mut Fresh::new());
            for step in &ready.steps {
                self.take_in(step, &mut ready.fresh)?;
            }
            self.objects.keep(ready.fresh.values().map(Vec::as_slice))?;
            pending.asked.wanted = wanted.text();
            pending.asked.steps = ready.steps;
            pending.rebased = true;
        }
        Ok(pending)
    }

    /// A write that waits, checked as it was when it was staged, against what is there now.
    fn fitted(&self, pending: &Pending, library: Option<&Library>) -> Result<Fitted, ChangeError> {
        let asked = &pending.asked;
        let by = first(asked);
        let wanted = Wanted::read(&asked.wanted).map_err(|found| ChangeError::Damaged {
            path: self.ledger.path().to_owned(),
            found: format!("`{}`: {found}", pending.id),
        })?;
        let folder = self.folder_of(asked)?;
        let me = Target { id: asked.skill, folder: &folder };
        if matches!(wanted, Wanted::Write { .. } | Wanted::Archive { .. }) {
            self.is_still_there(me)?;
        }
        match wanted {
            Wanted::Create { shadow, edits } => {
                let files = wanted::edits(&edits, self.objects)?;
                if let Some(library) = library {
                    let clash = if shadow { Clash::Shadow } else { Clash::Refuse };
                    let category = Some(parent(&folder)).filter(|it| !it.is_empty());
                    let new = NewSkill { name: last(&folder), category, files: &files, clash };
                    new.folder(library)?;
                }
                // It may have been made by another one that waited, and be elsewhere by now.
                let id = match self.ledger.skill(asked.skill)? {
                    Some(_) => SkillId::from_random(self.spot.disk.random()),
                    None => asked.skill,
                };
                let me = Target { id, ..me };
                Ok((self.ready_to_put(me, Verb::Create, &files, &by)?.0, None))
            }
            Wanted::Write { edits } => {
                let edits = wanted::edits(&edits, self.objects)?;
                self.fitted_edits(me, &edits, &by)
            }
            Wanted::Archive { tree } => {
                let (ready, found) = self.ready_to_archive(me, &by)?;
                is_same(&folder, tree, found)?;
                Ok((ready, None))
            }
            Wanted::Restore { packet, to, tree } => {
                let archived = self.archived()?.into_iter().find(|it| it.packet == packet);
                let archived = archived.ok_or(ChangeError::NotArchived(asked.skill))?;
                let (ready, found) = self.ready_to_restore(&archived, Some(&to))?;
                is_same(&packet, tree, found)?;
                Ok((ready, None))
            }
        }
    }

    fn fitted_edits(&self, me: Target<'_>, edits: &[Edit], by: &By) -> Result<Fitted, ChangeError> {
        match self.ready_to_put(me, Verb::Write, edits, by) {
            Ok((ready, _)) => Ok((ready, None)),
            Err(changed @ ChangeError::Changed { .. }) => {
                let now = self.bases(me.folder, edits)?;
                let Some(edits) = wanted::rebased(edits, &now) else { return Err(changed) };
                let (ready, bases) = self.ready_to_put(me, Verb::Write, &edits, by)?;
                Ok((ready, Some((edits, bases))))
            }
            Err(other) => Err(other),
        }
    }

    /// Where a skill lies by now; of one that isn't made yet, where it is to be.
    fn folder_of(&self, asked: &NewPending) -> Result<String, ChangeError> {
        let known = match asked.verb {
            Verb::Create | Verb::Restore => None,
            _ => self.ledger.skill(asked.skill)?.filter(|skill| skill.root == self.root),
        };
        Ok(known.map_or_else(|| asked.folder.clone(), |skill| skill.folder))
    }

    /// A write is for the skill that it was asked for, and not for another one that came to its folder.
    fn is_still_there(&self, skill: Target<'_>) -> Result<(), ChangeError> {
        let folder = skill.folder.to_owned();
        match self.ledger.skill_at(self.root, skill.folder)? {
            Some(there) if there.id == skill.id => Ok(()),
            Some(_) => {
                let why = "another skill lies there by now".to_owned();
                Err(ChangeError::NoSkillFolder { folder, done: "written", why })
            }
            None => Err(ChangeError::Missing { path: folder, there: Vec::new() }),
        }
    }

    /// What was changed since in the files that a write is about.
    fn since(&self, asked: &NewPending, fresh: &mut Fresh) -> Result<Vec<FileDiff>, ChangeError> {
        let mut diffs = Vec::new();
        self.diffs(&asked.steps, fresh)?;
        for step in &asked.steps {
            let (path, before) = match step {
                Step::Put { path, before, .. } => (path, *before),
                Step::Remove { path, before } => (path, Some(*before)),
                _ => continue,
            };
            let before = before.and_then(|it| Some((fresh.get(&it.digest)?.as_slice(), it.mode)));
            let now = self.spot.file(path)?;
            let now = now.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode));
            if before != now {
                diffs.push(FileDiff::new(path, before, now));
            }
        }
        Ok(diffs)
    }

    fn done_by_others(&self, pending: &Pending) -> Result<Proposal, ChangeError> {
        let id = pending.change.ok_or(ChangeError::NoSuchPending(pending.id))?;
        let record = self.ledger.change(id)?.ok_or(ChangeError::NoSuchChange(id))?;
        // What was not there before is all new.
        let steps: Vec<Step> = match record.change.steps {
            steps if steps.iter().all(is_first_look) => steps.into_iter().map(as_new).collect(),
            steps => steps,
        };
        Ok(Proposal {
            standing: Standing::Fits,
            shown: Some(self.lies_there(pending)?),
            diffs: self.diffs(&steps, &mut Fresh::new())?,
            since: Vec::new(),
            tolerated: Vec::new(),
        })
    }

    /// The hash of all that lies in a skill's folder.
    fn lies_there(&self, pending: &Pending) -> Result<Digest, ChangeError> {
        let folder = self.folder_of(&pending.asked)?;
        Ok(match self.spot.held(&folder)? {
            Some(_) => tree::read(self.spot, &folder)?.digest(),
            None => Digest::of(b"nothing"),
        })
    }
}

/// Turns a write down that waits: nothing of it is done. What somebody else did is [taken back](Keeper::take_back) instead.
///
/// # Errors
/// Where nothing waits by that number, it is just being done, somebody else than a person asks, or the ledger can't be
/// written.
pub fn turn_down(
    disk: &dyn Disk,
    ledger: &Ledger,
    id: PendingId,
    by: &By,
) -> Result<(), ChangeError> {
    by.person("reject")?;
    waiting(ledger, id)?;
    Ok(ledger.decide(id, PendingState::Rejected, (by.actor, disk.now()), &by.reason)?)
}

/// A write that waits.
///
/// # Errors
/// Where there never was one by that number, or it was decided on.
pub fn waiting(ledger: &Ledger, id: PendingId) -> Result<Pending, ChangeError> {
    let pending = ledger.pending(id)?.ok_or(ChangeError::NoSuchPending(id))?;
    if pending.state.is_open() {
        return Ok(pending);
    }
    Err(ChangeError::Ended { id, state: pending.state, note: pending.note })
}

/// Who asked first.
fn first(asked: &NewPending) -> By {
    By { actor: asked.actor, session: asked.session.clone(), reason: asked.reason.clone() }
}

fn is_shown(id: PendingId, shown: &Digest, now: Digest) -> Result<(), ChangeError> {
    if *shown == now { Ok(()) } else { Err(ChangeError::OtherThanShown { id, now }) }
}

fn is_same(path: &str, before: Digest, now: Digest) -> Result<(), ChangeError> {
    if before == now {
        return Ok(());
    }
    Err(ChangeError::Changed { path: path.to_owned(), found: Some(now), expected: Some(before) })
}

/// Whether a write is at fault that was good when it was staged, and not the machine.
fn is_stale(why: &ChangeError) -> bool {
    !matches!(
        why,
        ChangeError::Io { .. }
            | ChangeError::Ledger(_)
            | ChangeError::Held { .. }
            | ChangeError::Unfinished { .. }
    )
}

/// Whether a step only notes what was found at a first look.
fn is_first_look(step: &Step) -> bool {
    matches!(step, Step::Put { before: Some(before), after, .. } if before == after)
}

fn as_new(step: Step) -> Step {
    match step {
        Step::Put { path, after, .. } => Step::Put { path, before: None, after },
        other => other,
    }
}
