//! A write that could be made, and the three ways on from there: it is made, it waits for a person, or it is refused. One
//! road for all of them: who asks is judged after the laws and before anything is begun.

use super::{
    ChangeError, Fresh,
    judge::judged,
    keeper::{By, Done, Keeper},
    patch::Tolerance,
    seen::Seen,
    taken::Foreseen,
    wanted::Wanted,
};
use crate::{
    decision::{Action, Care, Judgement, Successor, Verdict, WriteRequest},
    ledger::{Digest, Leave, Limits, NewChange, NewPending, Origin, PendingId, Step, Verb},
    skill::SkillId,
    system::Lock,
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

/// A folder that is moved as it is.
pub(super) struct Whole {
    /// Where to.
    pub to: String,
    /// What is in it.
    pub seen: Seen,
    /// The hash of all of that.
    pub digest: Digest,
}

/// A write that could be made now. Nothing of it was done.
pub(super) struct Ready {
    pub skill: SkillId,
    pub verb: Verb,
    pub folder: String,
    pub steps: Vec<Step>,
    pub fresh: Fresh,
    /// Whether the writer named the hash of each file that is there. True where nothing is there.
    pub read: bool,
    /// A folder that is moved as it is.
    pub whole: Option<Whole>,
    pub tolerated: Vec<(String, Tolerance)>,
    pub notes: Vec<String>,
}

impl Ready {
    /// The files that would be others, by path below the skill's folder, each with its text as it would be.
    fn texts(&self) -> Vec<(String, String)> {
        let below = |path: &str| {
            let path = path.strip_prefix(&self.folder).unwrap_or(path);
            path.trim_start_matches('/').to_owned()
        };
        let text = |step: &Step| match step {
            Step::Put { path, after, .. } => {
                let bytes = self.fresh.get(&after.digest).map(Vec::as_slice).unwrap_or_default();
                Some((below(path), String::from_utf8_lossy(bytes).into_owned()))
            }
            Step::Remove { path, .. } => Some((below(path), String::new())),
            _ => None,
        };
        let steps = self.steps.iter().filter(|_| self.whole.is_none());
        steps.filter_map(text).collect()
    }

    /// The hash of all that it would do. Who approves it names this, so that nothing else is done than what was shown. Of a
    /// folder that is moved it is about what is in it: where it is put in the archive is a matter of the moment.
    pub(super) fn shown(&self) -> Digest {
        let what = match &self.whole {
            Some(whole) => whole.digest.to_string(),
            None => serde_json::to_string(&self.steps).unwrap_or_default(),
        };
        Digest::of(format!("{}\0{}\0{what}", self.verb.word(), self.folder).as_bytes())
    }
}

impl Keeper<'_> {
    /// What is said of a write that could be made. Of several files each is asked about, and the strictest word holds.
    pub(super) fn judgement(&self, ready: &Ready, by: &By) -> Result<Judgement, ChangeError> {
        self.judgement_with(ready, by, Foreseen::default())
    }

    /// The same, with what will be known of the skill.
    pub(super) fn judgement_with(
        &self,
        ready: &Ready,
        by: &By,
        foreseen: Foreseen,
    ) -> Result<Judgement, ChangeError> {
        let known = self.ledger.skill(ready.skill)?;
        let session = by.session.as_deref().unwrap_or_default();
        let texts = ready.texts();
        let all: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let whole = WriteRequest {
            now: self.now(),
            seed: xxhash_rust::xxh3::xxh3_64(session.as_bytes()),
            actor: by.actor,
            action: match ready.verb {
                Verb::Create => Action::Create,
                Verb::Archive => Action::Retire,
                Verb::Restore => Action::Restore,
                _ => Action::Edit,
            },
            origin: match (ready.verb, known.map(|skill| skill.origin).unwrap_or_default()) {
                (Verb::Create, _) => None,
                (_, Origin::Unknown) => Some(foreseen.origin.unwrap_or_default()),
                (_, origin) => Some(origin),
            },
            // A file of pins that can't be read pins everything.
            pinned: foreseen.pinned
                || self.pins().map_or(true, |pins| {
                    pins.iter().any(|(at, pin)| *at == ready.folder || pin.skill == ready.skill)
                }),
            // Only a person's word stands against a job's.
            referenced: (foreseen.referenced
                || self.named_by_jobs
                || self.ledger.is_referenced(ready.skill)?)
                && !self.despite_jobs,
            // None of our own commands names a skill yet that takes the place of another.
            successor: (ready.verb == Verb::Archive)
                .then_some(foreseen.successor.unwrap_or(Successor::None)),
            retire_bundled: self.retiring_bundled,
            read: ready.read,
            root: Care::Owned,
            path: None,
            approval: self.approval,
            content: all.join("\n"),
        };
        let mut judgement: Option<Judgement> = None;
        for (path, text) in texts.iter().filter(|_| whole.action == Action::Edit) {
            let (path, content) = (Some(path.clone()), text.clone());
            let next = judged(self.judge, &WriteRequest { path, content, ..whole.clone() });
            let stricter = |held: &Judgement| next.verdict.strictness() > held.verdict.strictness();
            if judgement.as_ref().is_none_or(stricter) {
                judgement = Some(next);
            }
        }
        Ok(judgement.unwrap_or_else(|| judged(self.judge, &whole)))
    }

    /// Makes a write, or has it wait, or refuses it, as it is judged. `wanted` writes down what was asked, with its texts.
    pub(super) fn go(
        &self,
        ready: Ready,
        by: &By,
        wanted: impl FnOnce(&mut Fresh) -> Wanted,
    ) -> Result<Done, ChangeError> {
        let (ready, leave) = self.allowed(ready, by, Foreseen::default(), wanted)?;
        self.carry_out(ready, by, leave)
    }

    /// A write that may be made now, and by whose leave. One that has to wait waits then, which is an error here.
    pub(super) fn allowed(
        &self,
        ready: Ready,
        by: &By,
        foreseen: Foreseen,
        wanted: impl FnOnce(&mut Fresh) -> Wanted,
    ) -> Result<(Ready, Leave), ChangeError> {
        let judgement = self.judgement_with(&ready, by, foreseen)?;
        let Judgement { verdict, reason, by: judge } = judgement;
        match verdict {
            Verdict::Deny => Err(ChangeError::Denied { reason: reason.text, by: judge }),
            Verdict::Allow(origin) => {
                Ok((ready, Leave { origin: Some(origin), ..Leave::default() }))
            }
            Verdict::Stage(origin) => {
                let mut texts = Fresh::new();
                let wanted = wanted(&mut texts);
                let new = NewPending {
                    why: reason.text.into_string(),
                    judge: judge.to_string(),
                    ..self.to_wait(&ready, by, &wanted, origin)
                };
                Err(ChangeError::Waits(Box::new(self.stage(ready, new, texts)?)))
            }
        }
    }

    /// A write that is to wait, but for why.
    pub(super) fn to_wait(
        &self,
        ready: &Ready,
        by: &By,
        wanted: &Wanted,
        origin: Origin,
    ) -> NewPending {
        NewPending {
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
            why: String::new(),
            judge: String::new(),
        }
    }

    /// Keeps the bytes that a write needs which is to wait. The row comes last, and until it is there nobody lets bytes go:
    /// nothing waits whose texts could be lost.
    pub(super) fn keep_for(
        &self,
        ready: &mut Ready,
        new: &NewPending,
        texts: &Fresh,
    ) -> Result<Box<dyn Lock>, ChangeError> {
        // What was there is kept too: a person sees what was proposed, whatever is there by then.
        for step in &new.steps {
            self.take_in(step, &mut ready.fresh)?;
        }
        let all = ready.fresh.values().chain(texts.values());
        let held = self.objects.hold("stage", self.wait)?;
        self.objects.keep(all.map(Vec::as_slice))?;
        Ok(held)
    }

    fn stage(
        &self,
        mut ready: Ready,
        new: NewPending,
        texts: Fresh,
    ) -> Result<Staged, ChangeError> {
        let _held = self.keep_for(&mut ready, &new, &texts)?;
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
            Some(whole) => whole.seen.is_in(it.spot, &whole.to),
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
