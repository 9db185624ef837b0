//! An owned root under its lock, and how a change goes through it.
//!
//! Lock, recover, look, keep the bytes of both sides as objects, begin in the ledger, do the steps, finish in the ledger.
//! What is cut off before `begin` left nothing but objects; after it, whoever comes next finds all bytes it needs to go on.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{
    ChangeError,
    apply::{Apply, Fresh, is_as_before},
    diff::FileDiff,
    effect,
    judge::{Judge, Unruled},
    objects::Objects,
    patch::Tolerance,
    place::{ARCHIVE, LOCK, OURS, OWNER, STAGING},
    retention::Retention,
    spot::{LINK, Spot},
};
use crate::{
    ledger::{Blob, ChangeId, Leave, Ledger, NewChange, RootId, Step, Verb},
    skill::{Actor, Instant, SkillId},
    system::{Disk, Kind, Lock},
};

/// A home, as it signs the roots that it owns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// Its id: another home at the same path is another one.
    pub id: String,
    /// Where it is: absolute, links resolved.
    pub path: PathBuf,
}

/// Who changes something, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// Who.
    pub actor: Actor,
    /// In which session, if it is known.
    pub session: Option<String>,
    /// Why, in the actor's words.
    pub reason: String,
}

impl By {
    /// A verb that is a person's alone.
    pub(super) fn person(&self, verb: &'static str) -> Result<(), ChangeError> {
        match self.actor {
            Actor::Person => Ok(()),
            actor => Err(ChangeError::PersonOnly { verb, actor }),
        }
    }
}

/// A skill that is to be changed: who it is, and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// Its id.
    pub id: SkillId,
    /// Its folder below the root.
    pub folder: &'a str,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its number.
    pub id: ChangeId,
    /// The skill.
    pub skill: SkillId,
    /// What was done.
    pub steps: Vec<Step>,
    /// What differs in files whose content changed.
    pub diffs: Vec<FileDiff>,
    /// Patches that weren't exact: path and tolerance.
    pub tolerated: Vec<(String, Tolerance)>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Done {
    /// Of a change that others made: nothing of it was written by us, so that there is nothing to tell but its steps.
    pub(super) fn of(id: ChangeId, change: NewChange) -> Done {
        let NewChange { skill, steps, .. } = change;
        Done { id, skill, steps, diffs: Vec::new(), tolerated: Vec::new(), notes: Vec::new() }
    }
}

/// The one writer in an owned root.
pub struct Keeper<'a> {
    pub(super) spot: Spot<'a>,
    pub(super) ledger: &'a Ledger,
    pub(super) objects: Objects<'a>,
    pub(super) root: RootId,
    pub(super) judge: &'a dyn Judge,
    pub(super) approval: bool,
    pub(super) retiring_bundled: bool,
    pub(super) despite_jobs: bool,
    pub(super) named_by_jobs: bool,
    pub(super) watching: bool,
    pub(super) retention: Retention,
    pub(super) wait: Duration,
}

/// How long a root's lock is waited for, where nothing else is asked.
const WAIT: Duration = Duration::from_secs(10);

impl<'a> Keeper<'a> {
    /// Takes a root into a home's ownership. Taking it again changes nothing.
    ///
    /// # Errors
    /// Where another home owns it, or it can't be written.
    pub fn own(disk: &dyn Disk, root: &Path, home: &Home) -> Result<(), ChangeError> {
        let spot = Spot { disk, top: root };
        match owner(spot)? {
            Some(owner) if owner.id == home.id => return Ok(()),
            Some(owner) => return Err(elsewhere(root, owner)),
            None => {}
        }
        // Whoever finds an owner finds these too, and need not make sure that they stay.
        Objects::new(disk, &home.path).found()?;
        for folder in [OURS, STAGING, ARCHIVE] {
            spot.lasting_folder(folder)?;
        }
        let text = serde_json::to_vec_pretty(home).map_err(|error| ChangeError::Damaged {
            path: home.path.clone(),
            found: error.to_string(),
        })?;
        let fresh = format!("{OURS}/new-{:016x}", disk.random());
        spot.told("writing", &fresh, disk.write_new(spot.at(&fresh), &text, 0o600))?;
        // Of two homes that take it at once, one gets it.
        match disk.move_to(spot.at(&fresh), spot.at(OWNER)) {
            Err(there) if there.kind() == io::ErrorKind::AlreadyExists => {
                spot.told("removing", &fresh, disk.remove_file(spot.at(&fresh)))?;
                return Keeper::own(disk, root, home);
            }
            moved => spot.told("writing", OWNER, moved)?,
        }
        spot.sync(OURS)
    }

    /// Opens a root that the home owns. Nothing is written before the first change.
    ///
    /// # Errors
    /// Law `owned`: where nobody owns it, or another home does.
    pub fn open(
        disk: &'a dyn Disk,
        ledger: &'a Ledger,
        home: &'a Home,
        root: RootId,
        path: &'a Path,
    ) -> Result<Keeper<'a>, ChangeError> {
        let spot = Spot { disk, top: path };
        match owner(spot)? {
            None => Err(ChangeError::NotOwned(path.to_owned())),
            Some(owner) if owner.id != home.id => Err(elsewhere(path, owner)),
            Some(_) => {
                let objects = Objects::new(disk, &home.path);
                Ok(Keeper {
                    spot,
                    ledger,
                    objects,
                    root,
                    judge: &Unruled,
                    approval: false,
                    retiring_bundled: false,
                    despite_jobs: false,
                    named_by_jobs: false,
                    watching: false,
                    retention: Retention::default(),
                    wait: WAIT,
                })
            }
        }
    }

    /// Keeps former bytes for that long: what is told of a change whose bytes are gone.
    #[must_use]
    pub fn keeping(mut self, retention: Retention) -> Keeper<'a> {
        self.retention = retention;
        self
    }

    /// Waits that long for the root's lock.
    #[must_use]
    pub fn waiting(mut self, wait: Duration) -> Keeper<'a> {
        self.wait = wait;
        self
    }

    /// Asks this judge before each write. Where `approval` is on, no agent's is made before a person approved it.
    #[must_use]
    pub fn judged_by(mut self, judge: &'a dyn Judge, approval: bool) -> Keeper<'a> {
        (self.judge, self.approval) = (judge, approval);
        self
    }

    /// Where this is on, what came with an agent may be retired as what a review made: the operator says so.
    #[must_use]
    pub fn retiring_bundled(mut self, retiring: bool) -> Keeper<'a> {
        self.retiring_bundled = retiring;
        self
    }

    /// Whether what a job names may be archived: a person who saw which jobs these are said so.
    #[must_use]
    pub fn despite_jobs(mut self, despite: bool) -> Keeper<'a> {
        self.despite_jobs = despite;
        self
    }

    /// Law `referenced`: whether a job names the skill that is changed, as whoever asks found. Jobs that the ledger knows count
    /// all the same.
    #[must_use]
    pub fn named_by_jobs(mut self, named: bool) -> Keeper<'a> {
        self.named_by_jobs = named;
        self
    }

    /// What others did, as a [scan](Keeper::scan) finds it, waits until a person accepts it.
    #[must_use]
    pub fn watching(mut self, watching: bool) -> Keeper<'a> {
        self.watching = watching;
        self
    }

    /// The lock, with nothing left unfinished.
    pub(super) fn lock(&self, verb: &str) -> Result<Box<dyn Lock>, ChangeError> {
        let lock = self.take(verb)?;
        self.recover_held()?;
        Ok(lock)
    }

    pub(super) fn take(&self, verb: &str) -> Result<Box<dyn Lock>, ChangeError> {
        self.spot.lock(LOCK, verb, self.wait)
    }

    pub(super) fn apply<'b>(&'b self, id: ChangeId, fresh: &'b Fresh) -> Apply<'b> {
        Apply { spot: self.spot, objects: self.objects, id, fresh, staged: 0 }
    }

    pub(super) fn end(&self, id: ChangeId, change: &NewChange) -> Result<(), ChangeError> {
        if change.verb == Verb::Purge {
            self.erase_objects(change.skill, &change.steps)?;
        }
        let known = self.ledger.skill(change.skill)?;
        let after = effect::after(change, known.as_ref().map(|known| known.folder.as_str()));
        Ok(self.ledger.finish(id, &after)?)
    }

    /// Makes a change, under the lock. `verify` looks at what came out, before it counts as done.
    pub(super) fn make(
        &self,
        change: NewChange,
        fresh: Fresh,
        verify: impl FnOnce(&Self) -> Result<(), ChangeError>,
    ) -> Result<Done, ChangeError> {
        let (mut fresh, purges) = (fresh, change.verb == Verb::Purge);
        let mut diffs = Vec::new();
        for step in &change.steps {
            is_as_before(self.spot, step)?;
            if !purges {
                diffs.extend(self.take_in(step, &mut fresh)?);
            }
        }
        // Law `snapshot-first`: the bytes of both sides are safe, or nothing begins.
        let id = {
            let _held = self.objects.hold("keep", self.wait)?;
            self.objects.keep(fresh.values().map(Vec::as_slice))?;
            self.ledger.begin(&change)?
        };
        let mut apply = self.apply(id, &fresh);
        let made = apply.forward(&change.steps).and_then(|()| verify(self));
        if let Err(why) = made {
            let why = Box::new(why);
            if purges || apply.backward(&change.steps).is_err() || self.ledger.abandon(id).is_err()
            {
                return Err(ChangeError::Unfinished { id, why });
            }
            // It goes away with the next change otherwise.
            self.spot.clear(&apply.staging()).unwrap_or_default();
            return Err(*why);
        }
        if let Err(why) = self.end(id, &change) {
            return Err(ChangeError::Unfinished { id, why: Box::new(why) });
        }
        self.spot.clear(&apply.staging()).unwrap_or_default();
        let NewChange { skill, steps, .. } = change;
        // It is done, whatever becomes of this: who approves looks again.
        let looked = self.look_again(&[skill]).err();
        let notes = looked.map(|why| format!("what waits for it was not looked at again: {why}"));
        let notes = notes.into_iter().collect();
        Ok(Done { id, skill, steps, diffs, tolerated: Vec::new(), notes })
    }

    /// What differs in the files of these steps, with the bytes of both sides.
    pub(super) fn diffs(
        &self,
        steps: &[Step],
        fresh: &mut Fresh,
    ) -> Result<Vec<FileDiff>, ChangeError> {
        let diffs: Result<Vec<_>, _> = steps.iter().map(|step| self.take_in(step, fresh)).collect();
        Ok(diffs?.into_iter().flatten().collect())
    }

    /// The bytes of both sides of a step, and their difference.
    pub(super) fn take_in(
        &self,
        step: &Step,
        fresh: &mut Fresh,
    ) -> Result<Option<FileDiff>, ChangeError> {
        let (path, before, after) = match step {
            Step::Put { path, before, after } => (path, *before, Some(*after)),
            Step::Remove { path, before } => (path, Some(*before), None),
            Step::PutText { path, text, mode } => {
                return Ok(Some(FileDiff::new(path, None, Some((text.as_bytes(), *mode)))));
            }
            Step::RemoveText { path, text, mode } => {
                return Ok(Some(FileDiff::new(path, Some((text.as_bytes(), *mode)), None)));
            }
            _ => return Ok(None),
        };
        self.take_bytes(path, [before, after], fresh)?;
        let side = |blob: Option<Blob>| {
            let blob = blob.filter(|blob| blob.mode & LINK != LINK);
            blob.and_then(|blob| Some((fresh.get(&blob.digest)?.as_slice(), blob.mode)))
        };
        Ok(Some(FileDiff::new(path, side(before), side(after))))
    }

    /// The bytes of both sides of a file, which are there, or objects.
    pub(super) fn take_bytes(
        &self,
        path: &str,
        sides: [Option<Blob>; 2],
        fresh: &mut Fresh,
    ) -> Result<(), ChangeError> {
        for blob in sides.into_iter().flatten() {
            if fresh.contains_key(&blob.digest) {
                continue;
            }
            // What a link holds is kept too, so that one that is taken away can come back.
            let here = match self.spot.held(path)? {
                Some(held) if held.kind == Kind::Link => Some(self.spot.target(path)?),
                Some(held) if held.kind == Kind::File => {
                    self.spot.file(path)?.map(|(bytes, _)| bytes)
                }
                _ => None,
            };
            let here = here.filter(|bytes| crate::ledger::Digest::of(bytes) == blob.digest);
            let bytes = here.map_or_else(|| self.objects.bytes(&blob.digest), Ok)?;
            fresh.insert(blob.digest, bytes);
        }
        Ok(())
    }

    pub(super) fn change(
        &self,
        skill: SkillId,
        verb: Verb,
        by: &By,
        steps: Vec<Step>,
    ) -> NewChange {
        NewChange {
            root: self.root,
            skill,
            verb,
            actor: by.actor,
            session: by.session.clone(),
            reason: by.reason.clone(),
            undoes: None,
            at: self.now(),
            steps,
            leave: Leave::default(),
        }
    }

    pub(super) fn now(&self) -> Instant {
        self.spot.disk.now()
    }

    /// The folders that hold archived skills, made where they are missing.
    pub(super) fn archive_folder(&self) -> Result<(), ChangeError> {
        match self.spot.held(ARCHIVE)? {
            Some(_) => Ok(()),
            None => self.spot.lasting_folder(ARCHIVE),
        }
    }
}

pub(super) fn owner(spot: Spot<'_>) -> Result<Option<Home>, ChangeError> {
    let Some((bytes, _)) = spot.file(OWNER)? else { return Ok(None) };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| ChangeError::Damaged { path: spot.path(OWNER), found: error.to_string() })
}

fn elsewhere(root: &Path, owner: Home) -> ChangeError {
    ChangeError::OwnedElsewhere { root: root.to_owned(), owner: owner.path }
}
