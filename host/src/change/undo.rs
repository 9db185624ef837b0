//! A change taken back, as a new change. What came after it is never overwritten.

use super::{
    ChangeError, Fresh,
    apply::{There, look, path_of},
    effect::makes_skill,
    keeper::{By, Done, Keeper, Target},
    place::{ARCHIVE, is_in, join, parent},
};
use crate::{
    ledger::{ChangeId, ChangeRecord, Leave, NewChange, Step, Verb},
    skill::Actor,
    system::Kind,
};

/// Changes of a skill that are searched for who came later.
const LATER: usize = 1_000;

impl Keeper<'_> {
    /// Takes a change back.
    ///
    /// # Errors
    /// Where it is none or was undone, newer work would be overwritten, what it would put away is pinned, somebody else
    /// than a person asks, or it can't be written.
    pub fn undo(&self, id: ChangeId, by: &By) -> Result<Done, ChangeError> {
        by.person("undo")?;
        let lock = self.lock("undo")?;
        let done = self.undo_held(id, by, Leave::default());
        drop(lock);
        done
    }

    /// The same under the lock, by this leave.
    pub(super) fn undo_held(
        &self,
        id: ChangeId,
        by: &By,
        leave: Leave,
    ) -> Result<Done, ChangeError> {
        let (record, change, fresh) = self.undoing(id, by, leave)?;
        self.make(change, fresh, |_| Ok(()))
            .map_err(|why| self.retention.told(why, &record, self.now()))
    }

    /// The change that takes another one back, and what bytes of it are at hand. Nothing of it is done.
    pub(super) fn undoing(
        &self,
        id: ChangeId,
        by: &By,
        mut leave: Leave,
    ) -> Result<(ChangeRecord, NewChange, Fresh), ChangeError> {
        let record = self.ledger.change(id)?.ok_or(ChangeError::NoSuchChange(id))?;
        if let Some(other) = record.undone_by {
            return Err(ChangeError::Undone(id, other));
        }
        let no_way = |why: &str| Err(ChangeError::NoWayBack { id, why: why.to_owned() });
        if record.change.root != self.root {
            return no_way("it was made in another root");
        }
        let turns = self.turns(&record)?;
        let moves = !matches!(turns, Turns::Origin);
        let (steps, fresh) = match turns {
            Turns::Purge => return no_way("what was purged is erased"),
            Turns::Pins(pinned) => self.turn_back(&record, pinned)?,
            Turns::Files => (self.way_back(&record)?, Fresh::new()),
            Turns::Origin => (Vec::new(), Fresh::new()),
        };
        if steps.is_empty() && moves {
            return no_way("it changed nothing");
        }
        // What it declared is taken back with it, unless somebody declared otherwise since.
        let known = self.ledger.skill(record.change.skill)?.map(|skill| skill.origin);
        if record.former_origin.is_some() && known == record.change.leave.origin {
            leave.origin = record.former_origin.filter(|former| known != Some(*former));
        }
        let change = self.change(record.change.skill, Verb::Undo, by, steps);
        Ok((record, NewChange { undoes: Some(id), leave, ..change }, fresh))
    }

    /// What a change is about, through undos of undos.
    fn turns(&self, record: &ChangeRecord) -> Result<Turns, ChangeError> {
        let mut change = record.change.clone();
        let mut turned = false;
        while let (Verb::Undo, Some(undone)) = (change.verb, change.undoes) {
            let Some(older) = self.ledger.change(undone)? else { break };
            (change, turned) = (older.change, !turned);
        }
        Ok(match change.verb {
            Verb::Purge => Turns::Purge,
            Verb::Pin => Turns::Pins(!turned),
            Verb::Unpin => Turns::Pins(turned),
            Verb::Adopt => Turns::Origin,
            _ => Turns::Files,
        })
    }

    /// The other pins may have changed since: only this one is turned.
    fn turn_back(
        &self,
        record: &ChangeRecord,
        pinned: bool,
    ) -> Result<(Vec<Step>, Fresh), ChangeError> {
        let id = record.change.skill;
        let known = self.ledger.skill(id)?;
        let folder = known.map(|skill| skill.folder).unwrap_or_default();
        let by = (!pinned).then_some(Actor::Person);
        match self.turn(Target { id, folder: &folder }, by) {
            Err(ChangeError::NoChange) => Err(ChangeError::NewerWork {
                id: record.id,
                newer: vec![format!(
                    "`{folder}` is {} by now",
                    if pinned { "unpinned" } else { "pinned" }
                )],
            }),
            turned => turned,
        }
    }

    /// The inverse steps, last first, if all that the change left is still there.
    fn way_back(&self, record: &ChangeRecord) -> Result<Vec<Step>, ChangeError> {
        let skill = record.change.skill;
        let own = self.ledger.skill(skill)?.map(|skill| skill.folder).unwrap_or_default();
        let inverse: Vec<Step> = record.change.steps.iter().rev().map(Step::inverse).collect();
        let (mut steps, mut newer) = (Vec::new(), Vec::new());
        for step in &inverse {
            let path = path_of(step);
            match (look(self.spot, step)?, step) {
                // The same on both sides: what a first look at a skill writes down.
                (_, Step::Put { before, after, .. }) if *before == Some(*after) => continue,
                (There::Before, Step::RemoveFolder { .. }) => {
                    let left = self.left_in(path, &inverse)?;
                    if left.is_empty() {
                        steps.push(step.clone());
                    } else if !own.is_empty() && is_in(path, &own) {
                        newer.extend(left.iter().map(|left| format!("`{left}` came later")));
                    }
                }
                (There::Before, Step::Put { .. } | Step::PutText { .. }) => {
                    self.missing_folders(parent(path), &mut steps)?;
                    steps.push(step.clone());
                }
                (There::Before, _) => steps.push(step.clone()),
                (
                    There::After,
                    Step::RemoveFolder { .. } | Step::MakeFolder { .. } | Step::SetMode { .. },
                ) => {}
                (There::After, Step::Choose { agent, before, .. }) => {
                    if self.ledger.choice(skill, agent.as_deref())? == *before {
                        steps.push(step.clone());
                    } else {
                        newer.push("the choice is another one by now".to_owned());
                    }
                }
                (There::After, _) => newer.push(self.later(record, path, "it is gone or back")?),
                (There::Else(found), _) => newer.push(self.later(record, path, &found)?),
            }
            if self.puts_away(step)? {
                self.is_unpinned(Target { id: skill, folder: &own })?;
            }
        }
        if newer.is_empty() {
            Ok(steps)
        } else {
            Err(ChangeError::NewerWork { id: record.id, newer })
        }
    }

    /// Whether a step takes a skill out of its root.
    fn puts_away(&self, step: &Step) -> Result<bool, ChangeError> {
        Ok(match step {
            Step::Move { to, .. } => {
                if is_in(to, ARCHIVE) {
                    self.archive_folder()?;
                }
                is_in(to, ARCHIVE)
            }
            Step::Remove { path, .. } => makes_skill(path),
            _ => false,
        })
    }

    /// What is in a folder beside that which the steps take away.
    fn left_in(&self, folder: &str, steps: &[Step]) -> Result<Vec<String>, ChangeError> {
        let taken = |path: &str| {
            steps.iter().any(|step| match step {
                Step::Remove { path: it, .. }
                | Step::RemoveText { path: it, .. }
                | Step::RemoveFolder { path: it, .. } => it == path,
                Step::Move { from, .. } => from == path,
                _ => false,
            })
        };
        let mut left = Vec::new();
        for entry in self.spot.entries(folder)? {
            let path = join(folder, &entry.name);
            if !taken(&path) || entry.kind == Kind::Link {
                left.push(path);
            }
        }
        Ok(left)
    }

    fn later(&self, of: &ChangeRecord, path: &str, found: &str) -> Result<String, ChangeError> {
        let changes = self.ledger.changes(Some(of.change.skill), LATER)?;
        let touches = |later: &&ChangeRecord| {
            later.id > of.id && later.change.steps.iter().any(|step| path_of(step) == path)
        };
        Ok(match changes.iter().find(touches) {
            Some(later) => format!("`{path}` was changed by change {} since", later.id.0),
            None => format!("`{path}` was changed since: {found}"),
        })
    }
}

enum Turns {
    Files,
    Pins(bool),
    /// Whose it was declared to be, and nothing else.
    Origin,
    Purge,
}
