//! Going back to a snapshot: first another snapshot of what is, then a plan, then one group of changes, all or none of them.
//!
//! What is gone back in is what skills say and where they lie. Ids, use, pins and origins stay as they are known today: they
//! are about what happened and what people want, which a text of last week doesn't undo. A skill that is brought back goes on
//! with its own history.

use std::path::PathBuf;

use super::{
    look::Eye,
    plan::{Planner, RollbackPlan, What, Work},
    store::{Rolled, Snapshot, Snapshots},
    take::{in_order, lock_all, look_at},
};
use crate::{
    change::{
        By, ChangeError, Done, Fresh, Keeper, Looks,
        group::{Bound, Group, Member, Verify},
        several::all_or_why,
    },
    ledger::{Leave, NewChange, Step},
    system::At,
};

/// A rollback that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledBack {
    /// The snapshot that was made before it, which knows its changes.
    pub safety: Snapshot,
    /// What was done.
    pub plan: RollbackPlan,
    /// Its changes.
    pub done: Vec<Done>,
    /// Links beside skills that could not be made, each with why.
    pub failed_links: Vec<String>,
}

impl<'a> Snapshots<'a> {
    /// What going back to a snapshot would do in these roots. Nothing is written, and nobody is kept waiting. `allowed` are the
    /// folders that links may lead into, without links in their paths.
    ///
    /// # Errors
    /// Where a root or the snapshot can't be read, or bytes that are needed are lost.
    pub fn plan(
        &self,
        keepers: &[Keeper<'a>],
        to: &Snapshot,
        allowed: &[PathBuf],
        (by, looks): (&By, &Looks),
    ) -> Result<RollbackPlan, ChangeError> {
        let was = self.manifest(to)?;
        let (is, _) = look_at(keepers, looks, None)?;
        let keepers = in_order(keepers);
        let planner = Planner { keepers: &keepers, looks, allowed, by };
        Ok(planner.plan(&to.id, &was, &is)?.0)
    }

    /// Goes back to a snapshot. A snapshot of what is comes first, and if it can't be made nothing is changed. Then all changes
    /// are made as one: on return all of them are, or none is. After a crash whoever comes next makes all that were begun,
    /// but for a skill in whose way somebody else's work is by then, which keeps what it was.
    ///
    /// The snapshot that is gone back to stays, however many newer ones there are.
    ///
    /// # Errors
    /// Where somebody else than a person asks, a root is held, the first snapshot can't be made, bytes are lost, or a change
    /// can't be made.
    pub fn roll_back(
        &self,
        keepers: &[Keeper<'a>],
        to: &Snapshot,
        allowed: &[PathBuf],
        by: &By,
        (keep, looks): (usize, &mut Looks),
    ) -> Result<RolledBack, ChangeError> {
        by.person("roll back")?;
        let locks = lock_all(keepers, "rollback")?;
        let was = self.manifest(to)?;
        let before = By { reason: format!("before going back to `{}`", to.id), ..by.clone() };
        let (safety, is) = self.take_held(keepers, &before, (keep, Some(&to.id)), looks)?;
        let by = match by.reason.is_empty() {
            true => By { reason: format!("went back to `{}`", to.id), ..by.clone() },
            false => by.clone(),
        };
        let keepers = in_order(keepers);
        let planner = Planner { keepers: &keepers, looks, allowed, by: &by };
        let (plan, work) = planner.plan(&to.id, &was, &is)?;
        let mut rolled = RolledBack { safety, plan, done: Vec::new(), failed_links: Vec::new() };
        if !work.is_empty() {
            let group = group_of(&keepers, work, &by)?;
            let safety = &mut rolled.safety;
            rolled.done = all_or_why(group.make(|ids| {
                safety.rollback = Some(Rolled { to: to.id.clone(), changes: ids.to_vec() });
                self.head(safety)
            }))?;
        }
        rolled.failed_links = make_links(&keepers, &rolled.plan);
        drop(locks);
        Ok(rolled)
    }

    /// Takes a rollback back: all of its changes, or none.
    ///
    /// # Errors
    /// Where the snapshot is none that a rollback began with, somebody else than a person asks, newer work would be overwritten, or
    /// a root is missing or held.
    pub fn undo_rollback(
        &self,
        keepers: &[Keeper<'a>],
        safety: &Snapshot,
        by: &By,
    ) -> Result<Vec<Done>, ChangeError> {
        by.person("undo")?;
        let Some(rolled) = &safety.rollback else {
            return Err(ChangeError::NoSuchSnapshot { id: safety.id.clone(), near: Vec::new() });
        };
        let locks = lock_all(keepers, "undo")?;
        let mut group = Group::new(Bound::All);
        for id in rolled.changes.iter().rev() {
            let record = self.record(keepers, *id)?;
            let keeper = keepers.iter().find(|keeper| keeper.root == record);
            let Some(keeper) = keeper else {
                let why = "its root is not among those that are asked".to_owned();
                return Err(ChangeError::NoWayBack { id: *id, why });
            };
            let (_, change, fresh) = keeper.undoing(*id, by, Leave::default())?;
            let verify: Verify<'_> = Box::new(|_| Ok(()));
            group.add(keeper, Member { change, fresh, kept: false, verify, notes: Vec::new() });
        }
        let done = all_or_why(group.make(|_| Ok(())));
        drop(locks);
        done
    }

    fn record(
        &self,
        keepers: &[Keeper<'a>],
        id: crate::ledger::ChangeId,
    ) -> Result<crate::ledger::RootId, ChangeError> {
        let found = keepers.first().map(|it| it.ledger.change(id)).transpose()?;
        Ok(found.flatten().ok_or(ChangeError::NoSuchChange(id))?.change.root)
    }
}

/// The changes of a rollback: what goes away first, so that a skill which is put away and made again is known as made again.
fn group_of<'k, 'a>(
    keepers: &[&'k Keeper<'a>],
    work: Vec<Work>,
    by: &By,
) -> Result<Group<'k, 'a>, ChangeError> {
    let is_away = |work: &Work| match &work.what {
        What::Moved(ready) => ready.verb == crate::ledger::Verb::Archive,
        What::Written { .. } => false,
    };
    let (away, other): (Vec<Work>, Vec<Work>) = work.into_iter().partition(is_away);
    let mut group = Group::new(Bound::All);
    for work in away.into_iter().chain(other) {
        let Some(keeper) = keepers.get(work.keeper).copied() else { continue };
        let member = match work.what {
            What::Moved(ready) => {
                if ready.verb == crate::ledger::Verb::Archive {
                    keeper.archive_folder()?;
                }
                keeper.member(*ready, by, Leave::default())
            }
            What::Written { id, verb, steps, expected, kept } => {
                let change: NewChange = keeper.change(id, verb, by, steps);
                let folder = work.folder;
                let verify: Verify<'k> = Box::new(move |spot| {
                    let looks = Looks::default();
                    let (now, _) = Eye { spot, looks: &looks, keep: None }.skill(&folder)?;
                    if now.tree == expected {
                        return Ok(());
                    }
                    let found = "it is not what was written".to_owned();
                    Err(ChangeError::InTheWay { path: folder.clone(), found })
                });
                // The bytes of both sides are objects then, and both snapshots hold on to them.
                Member { change, fresh: Fresh::new(), kept, verify, notes: Vec::new() }
            }
        };
        group.add(keeper, member);
    }
    Ok(group)
}

/// Makes the links beside skills. What can't be made is told.
fn make_links(keepers: &[&Keeper<'_>], plan: &RollbackPlan) -> Vec<String> {
    let mut failed = Vec::new();
    for (root, path, target) in &plan.links {
        let keeper = keepers.iter().find(|it| it.spot.top == std::path::Path::new(root));
        let Some(keeper) = keeper else { continue };
        let (spot, parent) = (keeper.spot, crate::change::place::parent(path));
        let at = At { top: spot.top, below: path };
        let made = keeper.make_folders(parent).and_then(|()| {
            spot.told("making", path, spot.disk.make_link(at, target.as_ref()))?;
            spot.sync(parent)
        });
        if let Err(why) = made {
            failed.push(format!("the link `{path}` to `{target}`: {why}"));
        }
    }
    failed
}

impl Keeper<'_> {
    /// Makes a folder and those above it, as far as they are missing.
    fn make_folders(&self, folder: &str) -> Result<(), ChangeError> {
        let mut steps = Vec::new();
        self.missing_folders(folder, &mut steps)?;
        for step in steps {
            let Step::MakeFolder { path, mode } = step else { continue };
            let made = self.spot.disk.make_folder(self.spot.at(&path), mode);
            self.spot.told("making", &path, made)?;
            self.spot.sync(crate::change::place::parent(&path))?;
        }
        Ok(())
    }
}
