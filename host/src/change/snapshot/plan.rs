//! What going back to a snapshot would do, skill by skill. It is worked out from two lists, of what was and of what is, and
//! nothing is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    between::{in_the_way, in_writing_order, notes_of, steps_between, without_dots},
    look::Eye,
    manifest::{Manifest, RootState, SkillState},
};
use crate::{
    change::{
        Archived, By, ChangeError, Keeper, Looks, Target, Tree,
        effect::makes_skill,
        place::{above, is_in, join, parent},
        stage::Ready,
    },
    ledger::{Step, Verb},
    skill::{SkillId, State},
    system::Kind,
};

/// What becomes of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is as it was.
    Unchanged,
    /// It lies in the archive as it was, and comes back from there: the packet's folder.
    Back(String),
    /// It is gone, or what is archived of it is another text: it is made anew from the snapshot's bytes.
    Anew,
    /// Files or permissions are others, and become what they were: the paths below its folder.
    Rewritten(Vec<String>),
    /// It came since, and goes to the archive.
    PutAway,
    /// It should become something else, and can't: why. It is left as it is.
    Stays(String),
}

/// A skill, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPlan {
    /// The root's path.
    pub root: String,
    /// Its folder below the root.
    pub folder: String,
    /// Which one it is, where that is known.
    pub id: Option<SkillId>,
    /// What becomes of it.
    pub fate: Fate,
    /// What of it was in no snapshot, and which links are not made, each in a line.
    pub notes: Vec<String>,
}

/// What going back would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RollbackPlan {
    /// The snapshot.
    pub to: String,
    /// The skills that were there or are there, root by root, by their folders.
    pub skills: Vec<SkillPlan>,
    /// Links beside skills that are made again: the root, where, and what they hold.
    pub links: Vec<(String, String, String)>,
    /// Links beside skills that are not made again, each with why, in a line.
    pub skipped: Vec<String>,
    /// Roots of the snapshot that are not among those that are gone back in.
    pub other_roots: Vec<String>,
    /// Packets that lay in the archive then and don't now: they were brought back or erased since. Where they lie as skills
    /// now they are told there.
    pub left_the_archive: Vec<String>,
}

impl RollbackPlan {
    /// Whether anything would be changed.
    #[must_use]
    pub fn changes_anything(&self) -> bool {
        let changes = |it: &SkillPlan| !matches!(it.fate, Fate::Unchanged | Fate::Stays(_));
        !self.links.is_empty() || self.skills.iter().any(changes)
    }
}

/// A skill that is to be changed.
pub(super) struct Work {
    /// Which of the roots.
    pub(super) keeper: usize,
    pub(super) folder: String,
    pub(super) what: What,
}

pub(super) enum What {
    /// A folder is moved: into the archive or out of it.
    Moved(Box<Ready>),
    /// Files are written.
    Written {
        id: SkillId,
        verb: Verb,
        steps: Vec<Step>,
        /// What lies there then.
        expected: Tree,
        /// Whether what lies there now is in the snapshot that was made first. A folder that is no skill's is not.
        kept: bool,
    },
}

/// Whoever plans.
pub(super) struct Planner<'p, 'a> {
    pub(super) keepers: &'p [&'p Keeper<'a>],
    pub(super) looks: &'p Looks,
    /// Folders that links may lead into: roots, without links in their paths.
    pub(super) allowed: &'p [PathBuf],
    pub(super) by: &'p By,
}

impl Planner<'_, '_> {
    /// The way from what is to what was.
    pub(super) fn plan(
        &self,
        to: &str,
        was: &Manifest,
        is: &Manifest,
    ) -> Result<(RollbackPlan, Vec<Work>), ChangeError> {
        let mut plan = RollbackPlan { to: to.to_owned(), ..RollbackPlan::default() };
        let mut work = Vec::new();
        for was in &was.roots {
            let keeper = self.keepers.iter().position(|it| it.spot.top == Path::new(&was.path));
            let is = is.roots.iter().find(|is| is.path == was.path);
            let (Some(at), Some(is)) = (keeper, is) else {
                plan.other_roots.push(was.path.clone());
                continue;
            };
            let Some(keeper) = self.keepers.get(at) else { continue };
            let one = OneRoot { planner: self, keeper, was, is };
            one.skills(at, &mut plan, &mut work)?;
            one.links(&mut plan)?;
            let gone = was.archived.iter().filter(|it| !is.archived.contains(it));
            plan.left_the_archive.extend(gone.cloned());
        }
        Ok((plan, work))
    }
}

/// What was and what is in one root.
struct OneRoot<'p, 'a> {
    planner: &'p Planner<'p, 'a>,
    keeper: &'p Keeper<'a>,
    was: &'p RootState,
    is: &'p RootState,
}

/// A skill's fate, with what it takes.
type Way = (Fate, Option<What>);

fn stays(why: impl ToString) -> Way {
    (Fate::Stays(why.to_string()), None)
}

impl OneRoot<'_, '_> {
    fn skills(
        &self,
        at: usize,
        plan: &mut RollbackPlan,
        work: &mut Vec<Work>,
    ) -> Result<(), ChangeError> {
        let by_folder = |root: &'_ RootState| -> BTreeMap<String, SkillState> {
            root.skills.iter().map(|it| (it.folder.clone(), it.clone())).collect()
        };
        let (was, is) = (by_folder(self.was), by_folder(self.is));
        let archived = if was.keys().all(|it| is.contains_key(it)) {
            Vec::new()
        } else {
            self.keeper.archived()?
        };
        let mut absorbed: BTreeSet<String> = BTreeSet::new();
        for (folder, was) in &was {
            let mut notes = notes_of(was);
            let (fate, what) = match is.get(folder) {
                Some(is) => self.rewritten(was, is, &mut notes)?,
                None => self.missing(was, &is, &archived, &mut notes, &mut absorbed)?,
            };
            let id = is.get(folder).and_then(|is| is.id).or(was.id);
            self.push(at, (folder, id), (fate, what, notes), plan, work);
        }
        for (folder, is) in is.iter().filter(|(folder, _)| !was.contains_key(*folder)) {
            let way = if absorbed.contains(folder) {
                stays("it lies in a skill that is written as it was")
            } else {
                self.came_since(is)?
            };
            self.push(at, (folder, is.id), (way.0, way.1, Vec::new()), plan, work);
        }
        Ok(())
    }

    fn push(
        &self,
        keeper: usize,
        (folder, id): (&str, Option<SkillId>),
        (fate, what, notes): (Fate, Option<What>, Vec<String>),
        plan: &mut RollbackPlan,
        work: &mut Vec<Work>,
    ) {
        let (root, folder) = (self.was.path.clone(), folder.to_owned());
        plan.skills.push(SkillPlan { root, folder: folder.clone(), id, fate, notes });
        work.extend(what.map(|what| Work { keeper, folder, what }));
    }

    /// A skill that came since.
    fn came_since(&self, is: &SkillState) -> Result<Way, ChangeError> {
        let Some(id) = is.id else {
            return Ok(stays("the ledger does not know it yet"));
        };
        let target = Target { id, folder: &is.folder };
        let ready = self.keeper.ready_to_archive(target, self.planner.by);
        match ready {
            Ok((ready, _)) => Ok((Fate::PutAway, Some(What::Moved(Box::new(ready))))),
            Err(why) => left_alone(why),
        }
    }

    /// A skill that is not in its place.
    fn missing(
        &self,
        was: &SkillState,
        is: &BTreeMap<String, SkillState>,
        archived: &[Archived],
        notes: &mut Vec<String>,
        absorbed: &mut BTreeSet<String>,
    ) -> Result<Way, ChangeError> {
        if let Some(around) = is.keys().find(|it| is_in(&was.folder, it)) {
            return Ok(stays(format!("a skill lies around it now, `{around}`")));
        }
        let there = self.keeper.ledger.skill_at(self.keeper.root, &was.folder)?.map(|it| it.id);
        if there.is_some_and(|there| was.id != Some(there)) {
            return Ok(stays(
                "the ledger knows another skill in its place, and no scan found it gone",
            ));
        }
        let held = self.keeper.spot.held(&was.folder)?;
        if held.is_some_and(|held| held.kind == Kind::Folder) {
            // The folder is there, and what made it a skill is not.
            let (now, _) = self.eye().skill(&was.folder)?;
            for (inside, skill) in is.iter().filter(|(it, _)| is_in(it, &was.folder)) {
                let below = inside.get(was.folder.len() + 1..).unwrap_or_default();
                let known = |path: &str| was.tree.files.iter().any(|(it, _)| it == path);
                if !skill.tree.files.iter().all(|(path, _)| known(&join(below, path))) {
                    return Ok(stays(format!("a skill lies in its place now, `{inside}`")));
                }
                absorbed.insert(inside.clone());
            }
            return self.rewritten(was, &now, notes);
        }
        for copy in archived {
            let is_it = match was.id {
                Some(id) => copy.sidecar.id == id,
                None => copy.sidecar.folder == was.folder,
            };
            if is_it && self.keeper.spot.held(&copy.folder())?.is_some() {
                let (there, _) = self.eye().skill(&copy.folder())?;
                if there.tree == was.tree {
                    let packet = copy.packet.clone();
                    return match self.keeper.ready_to_restore(copy, Some(&was.folder)) {
                        Ok((ready, _)) => {
                            // What it has beside came back with it.
                            notes.clear();
                            Ok((Fate::Back(packet), Some(What::Moved(Box::new(ready)))))
                        }
                        Err(why) => left_alone(why),
                    };
                }
            }
        }
        if let Err(why) = self.keeper.is_free(&was.folder) {
            return left_alone(why);
        }
        self.anew(was, notes)
    }

    fn anew(&self, was: &SkillState, notes: &mut Vec<String>) -> Result<Way, ChangeError> {
        let expected = self.expected(was, None, notes);
        let mut steps = Vec::new();
        self.keeper.missing_folders(parent(&was.folder), &mut steps)?;
        let at = |path: &str| join(&was.folder, path);
        steps.push(Step::MakeFolder { path: was.folder.clone(), mode: expected.mode });
        let folders = expected.folders.iter();
        steps.extend(folders.map(|(path, mode)| Step::MakeFolder { path: at(path), mode: *mode }));
        let puts = in_writing_order(&expected).map(|(path, after)| Step::Put {
            path: at(path),
            before: None,
            after: *after,
        });
        steps.extend(puts);
        if let Some(way) = self.lost(was, &steps)? {
            return Ok(way);
        }
        let random = || SkillId::from_random(self.keeper.spot.disk.random());
        let id = was.id.unwrap_or_else(random);
        Ok((
            Fate::Anew,
            Some(What::Written { id, verb: Verb::Restore, steps, expected, kept: true }),
        ))
    }

    /// A skill that is there, as it was or otherwise.
    fn rewritten(
        &self,
        was: &SkillState,
        is: &SkillState,
        notes: &mut Vec<String>,
    ) -> Result<Way, ChangeError> {
        let expected = self.expected(was, Some(is), notes);
        if expected == is.tree {
            return Ok((Fate::Unchanged, None));
        }
        if let Some(path) = in_the_way(&expected, is) {
            return Ok(stays(format!(
                "`{path}` is something else now: a folder, or in no snapshot"
            )));
        }
        let known = |id: &SkillId| Ok::<_, ChangeError>(self.keeper.ledger.skill(*id)?.is_some());
        let id = is.id.or(was.id);
        let made = !is.tree.files.iter().any(|(path, _)| !path.contains('/') && makes_skill(path));
        let Some(id) = id else { return Ok(stays("the ledger does not know it yet")) };
        if !made && !known(&id)? {
            return Ok(stays("the ledger does not know it yet"));
        }
        let steps = steps_between(&was.folder, &is.tree, &expected);
        if let Some(way) = self.lost(was, &steps)? {
            return Ok(way);
        }
        let paths: BTreeSet<String> = steps
            .iter()
            .map(|step| {
                let path = crate::change::apply::path_of(step);
                path.get(was.folder.len()..).unwrap_or_default().trim_start_matches('/').to_owned()
            })
            .collect();
        let verb = if made { Verb::Restore } else { Verb::Write };
        let what = What::Written { id, verb, steps, expected, kept: !made };
        Ok((Fate::Rewritten(paths.into_iter().collect()), Some(what)))
    }

    /// All bytes that come are read before anything begins. What was purged is gone, and that is no fault.
    fn lost(&self, was: &SkillState, steps: &[Step]) -> Result<Option<Way>, ChangeError> {
        for step in steps {
            let Step::Put { after, .. } = step else { continue };
            match self.keeper.objects.bytes(&after.digest) {
                Ok(_) => {}
                Err(ChangeError::Lost(digest, how)) => {
                    let known = was.id.map(|id| self.keeper.ledger.skill(id)).transpose()?;
                    if known.flatten().is_some_and(|it| it.state == State::Purged) {
                        return Ok(Some(stays("it was purged, and its bytes are erased")));
                    }
                    return Err(ChangeError::Lost(digest, how));
                }
                Err(other) => return Err(other),
            }
        }
        Ok(None)
    }

    /// What is to lie in a skill's folder: what was, but for links that may not be made; and of what is there now, that which
    /// the snapshot says nothing about.
    fn expected(&self, was: &SkillState, is: Option<&SkillState>, notes: &mut Vec<String>) -> Tree {
        let mut tree = was.tree.clone();
        let now = |path: &str| is?.tree.files.iter().find(|(it, _)| it == path).map(|it| it.1);
        tree.files.retain_mut(|(path, blob)| {
            let Some(target) = was.links.get(path) else { return true };
            let there = now(path);
            if there == Some(*blob) || self.leads_inside(&join(&was.folder, path), target) {
                return true;
            }
            notes.push(format!(
                "the link `{path}` to `{target}` leads out of all roots, and is not made"
            ));
            // Whatever is there instead stays.
            there.inspect(|there| *blob = *there).is_some()
        });
        let Some(is) = is else { return tree };
        let unsaid = |path: &str| was.left_out.iter().any(|it| is_in(path, &it.path));
        for (path, blob) in is.tree.files.iter().filter(|(path, _)| unsaid(path)) {
            if !tree.files.iter().any(|(it, _)| it == path) {
                tree.files.push((path.clone(), *blob));
            }
        }
        // A folder can't go while there is something in it that stays.
        let kept: Vec<String> =
            is.left_out.iter().map(|it| it.path.clone()).chain(tree.paths()).collect();
        let holds = |folder: &str| kept.iter().any(|it| above(it).any(|it| it == folder));
        for (path, mode) in &is.tree.folders {
            if (unsaid(path) || holds(path)) && !tree.folders.iter().any(|(it, _)| it == path) {
                tree.folders.push((path.clone(), *mode));
            }
        }
        tree.files.sort_by(|a, b| a.0.cmp(&b.0));
        tree.folders.sort();
        tree
    }

    /// Links that lay beside skills. They are no part of any, so they have no history either: one is made where nothing is, and
    /// none is taken away.
    fn links(&self, plan: &mut RollbackPlan) -> Result<(), ChangeError> {
        for (path, target) in &self.was.links {
            if self.is.links.get(path) == Some(target) {
                continue;
            }
            let skipped = if self.keeper.spot.held(path)?.is_some() {
                "something else is there now"
            } else if !self.leads_inside(path, target) {
                "it leads out of all roots"
            } else {
                plan.links.push((self.was.path.clone(), path.clone(), target.clone()));
                continue;
            };
            plan.skipped.push(format!("the link `{path}` to `{target}`: {skipped}"));
        }
        Ok(())
    }

    /// Whether a link would lead into an allowed root, or stay in this one. What it leads to may come back with the others.
    fn leads_inside(&self, path: &str, target: &str) -> bool {
        let top = self.keeper.spot.top;
        let from = top.join(parent(path)).join(target);
        let real = self.keeper.spot.disk.resolve(&from).unwrap_or_else(|_| without_dots(&from));
        let inside = |root: &Path| real != root && real.starts_with(root);
        let ours = top.join(crate::change::place::OURS);
        !real.starts_with(ours) && (inside(top) || self.planner.allowed.iter().any(|it| inside(it)))
    }

    fn eye(&self) -> Eye<'_, '_> {
        Eye::of(self.keeper, self.planner.looks, None)
    }
}

/// What stops one skill is said, and stops no other; what stops all is an error.
fn left_alone(why: ChangeError) -> Result<Way, ChangeError> {
    match why {
        ChangeError::Io { .. } | ChangeError::Ledger(_) | ChangeError::Damaged { .. } => Err(why),
        why => Ok(stays(why)),
    }
}
