//! The writes that wait in a Hermes home: put as changes of ours, planned, and taken into the queue. What becomes of each is
//! said where it is decided: by the takeover, and by the one writer.

use std::path::Path;

use super::{Home, View, print::Did};
use crate::{
    adapters::{
        PendingAct,
        takeover::{Place, Plan, Standing, TakeWrite, WriteInputs, WritePlan, plan_writes},
    },
    change::{
        Act, Base, By, ChangeError, Clash, Edit, Foreseen, LIMITS, NewSkill, Target,
        WaitedElsewhere,
        names::SKILL_FILE,
        patch::{How, Patch},
    },
    decision::Successor,
    ledger::{Took, WriteRecord},
    skill::{SkillId, State},
    world::{World, error::CommandError, noting::Noted, store::Store},
};

/// Where writes are taken to.
pub struct Queue<'a> {
    /// The world.
    pub world: &'a World<'a>,
    /// The store, with its judges.
    pub store: &'a Store<'a>,
    /// What is in the roots.
    pub noted: &'a Noted,
    /// The home that they wait in.
    pub home: &'a Home,
    /// What it sees.
    pub view: &'a View,
    /// What else is taken over with them.
    pub plan: &'a Plan,
}

impl Queue<'_> {
    /// Which of them are taken, and why the others aren't. Nothing is written.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn plan(&self) -> Result<WritePlan, CommandError> {
        let Some((root, _)) = self.home.root(self.world, self.noted) else {
            return Ok(WritePlan::default());
        };
        let names = self.view.names();
        Ok(plan_writes(&WriteInputs {
            there: &self.home.pending,
            known: &self.store.ledger.taken_writes()?,
            waiting: &self.store.ledger.waiting(None)?,
            limits: LIMITS,
            named: &|name| self.view.named(&names, name),
            root: *root,
            now: self.store.disk.now(),
            check: &|take| self.would_wait(take).map_err(|why| why.to_string()),
        }))
    }

    /// Takes what the plan says, a write at a time, each whole: what was cut off is gone on with by the next run. Returns
    /// what came of the plan, for a write that doesn't fit any more is left after all.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn take(&self, plan: &WritePlan, did: &mut Did) -> Result<WritePlan, CommandError> {
        let mut came = WritePlan { taken: Vec::new(), ..plan.clone() };
        for take in &plan.taken {
            let took = match self.have_wait(take) {
                Ok(Took::New(id)) => {
                    did.made.push(id);
                    Ok(id)
                }
                Ok(Took::Same(id) | Took::Known(id)) => Ok(id),
                Ok(Took::Left(full)) => Err(full.to_string()),
                Err(ChangeError::Ledger(error)) => return Err(error.into()),
                Err(why) => Err(why.to_string()),
            };
            match took {
                Ok(id) => {
                    did.ids.push(id);
                    came.taken.push(take.clone());
                }
                Err(why) => came.left.push(take.there.left(why)),
            }
        }
        Ok(came)
    }

    fn would_wait(&self, take: &TakeWrite) -> Result<String, ChangeError> {
        self.with(take, |queue, write, path| {
            let keeper = queue.store.keeper(take.place.root(), path)?;
            keeper.would_wait(write, &queue.world.library)
        })
    }

    fn have_wait(&self, take: &TakeWrite) -> Result<Took, ChangeError> {
        let record = WriteRecord {
            program: self.home.said.program.word().to_owned(),
            place: self.home.said.place.clone(),
            file: take.there.file.clone(),
            digest: take.there.digest,
            at: take.there.write.at_raw.clone(),
        };
        self.with(take, |queue, write, path| {
            let keeper = queue.store.keeper(take.place.root(), path)?;
            keeper.have_wait(write, &record, &queue.world.library)
        })
    }

    /// A write as a change of ours.
    fn with<T>(
        &self,
        take: &TakeWrite,
        then: impl FnOnce(&Self, &WaitedElsewhere<'_>, &Path) -> Result<T, ChangeError>,
    ) -> Result<T, ChangeError> {
        let root = take.place.root();
        let mut roots = self.noted.roots.iter().flatten();
        let path = roots.find(|(id, _)| *id == root).map(|(_, path)| path.as_path());
        let path = path.ok_or_else(|| ChangeError::Missing {
            path: take.place.folder().to_owned(),
            there: Vec::new(),
        })?;
        let write = &take.there.write;
        let edits = edits(&write.act)?;
        let act = match (&take.place, &write.act) {
            (Place::New(..), PendingAct::Create { category, .. }) => Act::Create(NewSkill {
                name: &write.skill,
                category: category.as_deref(),
                files: &edits,
                clash: Clash::Refuse,
            }),
            (place, PendingAct::Delete { .. }) => Act::Archive(target(place)),
            (place, _) => Act::Write(target(place), &edits),
        };
        // Hermes's record doesn't name the session.
        let by = By { actor: write.actor, session: None, reason: write.reason.clone() };
        let program = self.home.said.program.name();
        let foreseen = self.foreseen(take);
        then(self, &WaitedElsewhere { act, foreseen, by, at: take.at, program }, path)
    }

    /// Judged is what will be known by then: the plan must not promise what the takeover itself forbids.
    fn foreseen(&self, take: &TakeWrite) -> Foreseen {
        let successor = match &take.there.write.act {
            PendingAct::Delete { absorbed_into } => Some(self.successor(absorbed_into.as_deref())),
            _ => None,
        };
        let Place::There(Standing { id, .. }) = &take.place else {
            return Foreseen { successor, ..Foreseen::default() };
        };
        let it = &self.plan.takeover;
        let origin = it.origins.iter().find(|(skill, _)| skill == id).map(|(_, origin)| *origin);
        let mut pins = it.pins.iter().chain(&self.plan.pins_in_roots);
        let mut references = it.references.iter().flatten();
        Foreseen {
            origin,
            pinned: pins.any(|skill| skill == id),
            referenced: references.any(|it| it.skill == Some(*id)),
            successor,
        }
    }

    fn successor(&self, name: Option<&str>) -> Successor {
        let Some(name) = name else { return Successor::None };
        let named = self.view.named(&self.view.names(), name);
        match named.as_slice() {
            [one] if one.state != State::Archived => Successor::Present,
            _ => Successor::Missing,
        }
    }
}

/// A skill that is to be made has no id yet, and nothing is done to it but to make it.
fn target(place: &Place) -> Target<'_> {
    let id = match place {
        Place::New(..) => SkillId::from_random(0),
        Place::There(skill) => skill.id,
    };
    Target { id, folder: place.folder() }
}

fn edits(act: &PendingAct) -> Result<Vec<Edit>, ChangeError> {
    let put = |path: &str, content: &str| Edit::Put {
        path: path.to_owned(),
        bytes: content.as_bytes().to_vec(),
        mode: None,
        base: Base::Absent,
    };
    Ok(match act {
        PendingAct::Create { content, .. } => vec![put(SKILL_FILE, content)],
        PendingAct::Put { path, content } => vec![put(path, content)],
        PendingAct::Patch { path, old, new, all } => {
            let how = if *all { How::All } else { How::Tolerant };
            let patch = Patch::new(Some(old), Some(new), how)
                .map_err(|why| ChangeError::Patch { path: path.clone(), why })?;
            vec![Edit::Patch { path: path.clone(), patch, base: Base::Absent }]
        }
        PendingAct::Remove { path } => {
            vec![Edit::Remove { path: path.clone(), base: Base::Absent }]
        }
        PendingAct::Delete { .. } => Vec::new(),
    })
}
