//! A write that could be made, and the three ways on from there: it is made, it waits for a person, or it is refused. One
//! road for all of them: who asks is judged after the laws and before anything is begun.

use super::{
    ChangeError, Fresh,
    judge::{Judgement, Verdict, WriteRequest, judged},
    keeper::{By, Done, Keeper},
    patch::Tolerance,
    wanted::Wanted,
};
use crate::{
    ledger::{Digest, Leave, Limits, NewChange, NewPending, PendingId, Step, Verb},
    skill::SkillId,
};

/// How many writes may wait, and for how long.
pub const LIMITS: Limits = Limits { of_a_skill: 20, in_all: 200, days: 30 };

/// A write that waits for a person from now on. It is durable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Its number.
    pub id: PendingId,
    /// The same write waited already, and this is that one.
    pub already: bool,
    /// The skill; one that isn't made yet has its id already.
    pub skill: SkillId,
    /// Its folder below the root.
    pub folder: String,
    /// Why it waits.
    pub reason: String,
    /// Who said so.
    pub by: String,
    /// Others that were put out: there were too many, or they had waited for too long.
    pub evicted: Vec<PendingId>,
}

/// A write that could be made now. Nothing of it was done.
pub(super) struct Ready {
    pub skill: SkillId,
    pub verb: Verb,
    pub folder: String,
    pub steps: Vec<Step>,
    pub fresh: Fresh,
    /// Whether the writer named the hash of each file that is there.
    pub read: bool,
    /// A folder that is moved as it is: where to, and the hash of all that is in it.
    pub whole: Option<(String, Digest)>,
    pub tolerated: Vec<(String, Tolerance)>,
    pub notes: Vec<String>,
}

impl Ready {
    /// The hash of all that it would do. Who approves it names this, so that nothing else is done than what was shown. Of a
    /// folder that is moved it is about what is in it: where it is put in the archive is a matter of the moment.
    pub(super) fn shown(&self) -> Digest {
        let what = match &self.whole {
            Some((_, tree)) => tree.to_string(),
            None => serde_json::to_string(&self.steps).unwrap_or_default(),
        };
        Digest::of(format!("{}\0{}\0{what}", self.verb.word(), self.folder).as_bytes())
    }
}

impl Keeper<'_> {
    /// What is said of a write that could be made.
    pub(super) fn judgement(&self, ready: &Ready, by: &By) -> Result<Judgement, ChangeError> {
        let known = self.ledger.skill(ready.skill)?;
        let below = |path: &'_ str| path.len().min(ready.folder.len() + 1);
        let files = ready.steps.iter().filter(|_| ready.whole.is_none()).filter_map(|step| {
            let (path, after) = match step {
                Step::Put { path, after, .. } => {
                    (path, ready.fresh.get(&after.digest).map(Vec::as_slice))
                }
                Step::Remove { path, .. } => (path, None),
                _ => return None,
            };
            Some((path.get(below(path)..).unwrap_or_default(), after))
        });
        let request = WriteRequest {
            verb: ready.verb,
            actor: by.actor,
            session: by.session.as_deref(),
            skill: ready.skill,
            folder: &ready.folder,
            origin: match ready.verb {
                Verb::Create => None,
                _ => Some(known.map(|skill| skill.origin).unwrap_or_default()),
            },
            // A file of pins that can't be read pins everything.
            pinned: self.pins().map_or(true, |pins| {
                pins.iter().any(|(at, pin)| *at == ready.folder || pin.skill == ready.skill)
            }),
            read: ready.read,
            approval: self.approval,
            files: files.collect(),
        };
        Ok(judged(self.judge, &request))
    }

    /// Makes a write, or has it wait, or refuses it, as it is judged. `wanted` writes down what was asked, with its texts.
    pub(super) fn go(
        &self,
        ready: Ready,
        by: &By,
        wanted: impl FnOnce(&mut Fresh) -> Wanted,
    ) -> Result<Done, ChangeError> {
        let Judgement { verdict, reason, by: judge } = self.judgement(&ready, by)?;
        match verdict {
            Verdict::Deny => Err(ChangeError::Denied { reason, by: judge }),
            Verdict::Allow(origin) => {
                let leave = Leave { origin: Some(origin), ..Leave::default() };
                self.carry_out(ready, by, leave)
            }
            Verdict::Stage(origin) => {
                let mut texts = Fresh::new();
                let wanted = wanted(&mut texts);
                let new = NewPending {
                    root: self.root,
                    skill: ready.skill,
                    folder: ready.folder.clone(),
                    verb: ready.verb,
                    actor: by.actor,
                    session: by.session.clone(),
                    reason: by.reason.clone(),
                    at: self.now(),
                    wanted: wanted.text(),
                    steps: if ready.whole.is_some() { Vec::new() } else { ready.steps.clone() },
                    origin: Some(origin),
                    why: reason,
                    judge,
                };
                Err(ChangeError::Waits(Box::new(self.stage(ready, new, texts)?)))
            }
        }
    }

    fn stage(
        &self,
        mut ready: Ready,
        new: NewPending,
        texts: Fresh,
    ) -> Result<Staged, ChangeError> {
        // What was there is kept too: a person sees what was proposed, whatever is there by then.
        for step in &new.steps {
            self.take_in(step, &mut ready.fresh)?;
        }
        let all = ready.fresh.values().chain(texts.values());
        self.objects.keep(all.map(Vec::as_slice))?;
        // The row comes last: nothing waits whose texts could be lost.
        let staged = self.ledger.stage(&new, LIMITS)?;
        Ok(Staged {
            id: staged.id,
            already: staged.already,
            skill: new.skill,
            folder: new.folder,
            reason: new.why,
            by: new.judge,
            evicted: staged.evicted,
        })
    }

    /// Makes a write that was judged or approved.
    pub(super) fn carry_out(
        &self,
        ready: Ready,
        by: &By,
        leave: Leave,
    ) -> Result<Done, ChangeError> {
        let Ready { skill, verb, steps, fresh, whole, tolerated, notes, .. } = ready;
        if verb == Verb::Archive {
            self.archive_folder()?;
        }
        let change = NewChange { leave, ..self.change(skill, verb, by, steps) };
        let mut done = self.make(change, fresh, |it| match &whole {
            Some((folder, digest)) => it.is_whole(folder, digest),
            None => Ok(()),
        })?;
        done.tolerated = tolerated;
        done.notes.extend(notes);
        Ok(done)
    }

    /// The id for a skill that is to be made in a folder: that of one which waits to be made there, so that they are
    /// counted together.
    pub(super) fn id_for(&self, folder: &str) -> Result<SkillId, ChangeError> {
        let waiting = self.ledger.waiting(None)?.into_iter().find(|it| {
            it.asked.root == self.root && it.asked.verb == Verb::Create && it.asked.folder == folder
        });
        let id = waiting.map(|it| it.asked.skill);
        // One that was made since has it for good.
        let free = match id {
            Some(id) => self.ledger.skill(id)?.is_none().then_some(id),
            None => None,
        };
        Ok(free.unwrap_or_else(|| SkillId::from_random(self.spot.disk.random())))
    }
}
