//! What others did to skills' files without asking, written down as changes, so that they have a diff and a way back.
//!
//! A scan looks at all skills of a root under one lock, keeps the bytes of what it read, and writes all it found in one
//! transaction: ten thousand new skills cost one commit, and a skill that is as it was costs a look at its files' states.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ChangeError,
    effect::makes_skill,
    keeper::{By, Done, Keeper},
    looks::{FileLook, Look, Looks, SkillLook},
    objects::Laid,
    place::{above, is_in, join},
    recover::Recovered,
    spot::{LARGEST, LINK},
    through::{Met, through},
    tree::Tree,
};
use crate::{
    ledger::{Blob, Digest, Leave, NewChange, Sketch, Step, Verb},
    skill::{Actor, SkillId},
    system::{Lock, Stat},
};

/// A root that is being looked at: nobody else changes it meanwhile.
pub struct Scan<'k, 'a> {
    keeper: &'k Keeper<'a>,
    laid: Laid,
    moved_something: bool,
    _lock: Box<dyn Lock>,
}

/// What lies in a skill's folder now.
#[derive(Debug)]
pub struct Looked {
    tree: Tree,
    files: BTreeMap<String, FileLook>,
    pub(super) read: BTreeSet<String>,
    texts: BTreeMap<String, (Digest, Sketch)>,
}

impl Looked {
    /// The hash of the file that makes the folder a skill, and what its text is like.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<(Digest, Sketch)> {
        self.texts.get(file).copied()
    }
}

/// A skill that was looked at: who it is, and where it was known to lie, if that is another folder.
#[derive(Debug)]
pub struct Sighting {
    /// Its id.
    pub id: SkillId,
    /// Its folder below the root.
    pub folder: String,
    /// The folder that it was known to lie in, if that is another one.
    pub formerly: Option<String>,
    /// What lies in its folder.
    pub looked: Looked,
}

impl<'a> Keeper<'a> {
    /// Begins to look at the root's skills, under its lock.
    ///
    /// # Errors
    /// Where somebody else holds the root, or what was cut off can't be gone on with.
    pub fn scan(&self) -> Result<Scan<'_, 'a>, ChangeError> {
        let lock = self.take("scan")?;
        let moved_something = self.recover_held()? != Recovered::default();
        Ok(Scan { keeper: self, laid: Laid::default(), moved_something, _lock: lock })
    }
}

impl Scan<'_, '_> {
    /// Whether a change that was cut off was finished or taken back first, so that a library that was read before is not
    /// what is there.
    #[must_use]
    pub fn moved_something(&self) -> bool {
        self.moved_something
    }

    /// Looks at a folder. A file is read if it is not known to be what it was, and its bytes are kept; threads may look at
    /// once.
    ///
    /// # Errors
    /// Where something in it can't be read, or be kept.
    pub fn look(&self, folder: &str, looks: &Looks) -> Result<Looked, ChangeError> {
        let mut looked = Looked {
            tree: Tree::default(),
            files: BTreeMap::new(),
            read: BTreeSet::new(),
            texts: BTreeMap::new(),
        };
        let known = looks.look(self.keeper.spot.top, folder);
        let mode = through(self.keeper.spot, folder, &mut |at, met| {
            let inside = at.inside.to_owned();
            match met {
                Met::Folder(mode) => looked.tree.folders.push((inside, mode)),
                Met::Link(blob) => looked.tree.files.push((inside, blob)),
                Met::File(state) => {
                    let known = known.and_then(|known| known.files.get(at.inside));
                    self.file(at.path, inside, &state, known, &mut looked)?;
                }
                Met::Odd(found) => {
                    let (path, found) = (at.path.to_owned(), found.to_owned());
                    return Err(ChangeError::InTheWay { path, found });
                }
            }
            Ok(true)
        })?;
        looked.tree.mode = mode;
        looked.tree.folders.sort();
        looked.tree.files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(looked)
    }

    fn file(
        &self,
        path: &str,
        inside: String,
        state: &Stat,
        known: Option<&FileLook>,
        looked: &mut Looked,
    ) -> Result<(), ChangeError> {
        let spot = self.keeper.spot;
        let blob = |digest| Blob { digest, size: state.size, mode: state.mode };
        if let Some(known) = known.filter(|known| known.is(state)) {
            let digest = Digest(known.digest);
            if let Some(sketch) = known.sketch {
                looked.texts.insert(inside.clone(), (digest, Sketch(sketch)));
            }
            looked.files.insert(inside.clone(), known.clone());
            looked.tree.files.push((inside, blob(digest)));
            return Ok(());
        }
        if state.size > LARGEST {
            let digest = Digest::of(format!("{} bytes", state.size).as_bytes());
            looked.tree.files.push((inside, blob(digest)));
            return Ok(());
        }
        // Taken before the file is read: a change that comes later has this time or a later one.
        let moment = spot.disk.now_nanos();
        let bytes = spot.told("reading", path, spot.disk.bytes(spot.at(path), LARGEST))?;
        let digest = self.keeper.objects.lay(&bytes, &self.laid)?;
        let sketch = (!inside.contains('/') && makes_skill(path))
            .then(|| Sketch::of(&String::from_utf8_lossy(&bytes)));
        if let Some(sketch) = sketch {
            looked.texts.insert(inside.clone(), (digest, sketch));
        }
        if let Some(look) = FileLook::new(state, moment, digest, sketch) {
            looked.files.insert(inside.clone(), look);
        }
        looked.read.insert(inside.clone());
        let size = bytes.len() as u64;
        looked.tree.files.push((inside, Blob { size, ..blob(digest) }));
        Ok(())
    }

    /// Writes down what others changed since the skills were last written or looked at, as one change a skill, all of them
    /// or none. Of a skill that is seen for the first time all files are written down as they are, so that there is a way
    /// back to them. Where others are [watched](Keeper::watching), all of it waits to be accepted. `looks` knows the root
    /// then as it is now.
    ///
    /// # Errors
    /// Where bytes can't be kept, or the ledger can't be written.
    pub fn record(self, seen: Vec<Sighting>, looks: &mut Looks) -> Result<Vec<Done>, ChangeError> {
        let Keeper { spot, ledger, .. } = self.keeper;
        let newest = ledger.newest()?;
        let mut changes: Vec<NewChange> = Vec::new();
        let mut changed = Vec::new();
        for it in &seen {
            let look = SkillLook::new(it.id, newest.get(&it.id).copied(), it.looked.tree.digest());
            let known = looks.look(spot.top, &it.folder).and_then(|known| known.skill.as_ref());
            if it.formerly.is_none() && known == Some(&look) {
                continue;
            }
            let known = match newest.get(&it.id) {
                None => BTreeMap::new(),
                Some(_) => {
                    self.keeper.known_files(it.id, it.formerly.as_deref().unwrap_or(&it.folder))?
                }
            };
            let steps = steps(it, &known);
            if steps.is_empty() {
                continue;
            }
            changes.push(self.keeper.by_others(it, &known, steps));
            changed.push((it, known));
        }
        let mut ids = Vec::new();
        if !changes.is_empty() || self.laid.is_any() {
            let _held = self.keeper.objects.hold("scan", self.keeper.wait)?;
            self.keeper.objects.settle(self.laid)?;
            keep_missing(self.keeper, &changed)?;
            ids = ledger.note(&changes)?;
        }
        let changed: Vec<SkillId> = changes.iter().map(|change| change.skill).collect();
        self.keeper.look_again(&changed)?;
        let mut newest = newest;
        for (id, change) in ids.iter().zip(&changes) {
            newest.insert(change.skill, (*id, change.at));
        }
        let done = ids.into_iter().zip(changes).map(|(id, change)| Done::of(id, change));
        let folders = seen.into_iter().map(|Sighting { id, folder, looked, .. }| {
            let skill = SkillLook::new(id, newest.get(&id).copied(), looked.tree.digest());
            let skill = Some(skill);
            (folder, Look { skill, files: looked.files })
        });
        looks.take(spot.top, folders.collect());
        Ok(done.collect())
    }
}

/// Keeps the bytes of files that are named and have no object: they were known to be what they were, and the home is another
/// one; or what was there when they were read was let go since.
fn keep_missing(
    keeper: &Keeper<'_>,
    changed: &[(&Sighting, BTreeMap<String, Blob>)],
) -> Result<(), ChangeError> {
    let Keeper { spot, objects, .. } = keeper;
    let laid = Laid::default();
    for (seen, known) in changed {
        for (path, blob) in whole(&seen.looked.tree) {
            if known.get(path) == Some(blob) || objects.holds(&blob.digest, blob.size)? {
                continue;
            }
            let path = join(&seen.folder, path);
            let bytes = spot.told("reading", &path, spot.disk.bytes(spot.at(&path), LARGEST))?;
            if objects.lay(&bytes, &laid)? != blob.digest {
                let found = "it is changing while we look".to_owned();
                return Err(ChangeError::InTheWay { path, found });
            }
        }
    }
    objects.settle(laid)
}

/// The files of a folder that a change can name: no links, and none that is too large to be kept.
fn whole(tree: &Tree) -> impl Iterator<Item = (&str, &Blob)> {
    let whole = |blob: &Blob| blob.mode & LINK != LINK && blob.size <= LARGEST;
    let files = tree.files.iter().filter(move |(_, blob)| whole(blob));
    files.map(|(path, blob)| (path.as_str(), blob))
}

/// What leads from the files that are known to those that are there; where none is known, each of these as it is.
fn steps(seen: &Sighting, known: &BTreeMap<String, Blob>) -> Vec<Step> {
    let at = |path: &str| join(&seen.folder, path);
    let found: BTreeMap<&str, &Blob> = whole(&seen.looked.tree).collect();
    let folders = &seen.looked.tree.folders;
    let mut steps = Vec::new();
    if let Some(from) = &seen.formerly {
        steps.push(Step::Move { from: from.clone(), to: seen.folder.clone() });
    }
    for (path, before) in known.iter().filter(|(path, _)| !found.contains_key(path.as_str())) {
        steps.push(Step::Remove { path: at(path), before: *before });
    }
    // Folders are known by the files in them: one that is gone had the usual permissions for all that is known.
    let held = |folder: &str| known.keys().any(|path| is_in(path, folder));
    let gone: BTreeSet<&str> = known
        .keys()
        .flat_map(|path| above(path))
        .filter(|folder| !folders.iter().any(|(there, _)| there == folder))
        .collect();
    for folder in gone.into_iter().rev() {
        steps.push(Step::RemoveFolder { path: at(folder), mode: 0o755 });
    }
    for (folder, mode) in folders {
        if !known.is_empty() && !held(folder) && found.keys().any(|path| is_in(path, folder)) {
            steps.push(Step::MakeFolder { path: at(folder), mode: *mode });
        }
    }
    for (path, after) in found {
        let before = if known.is_empty() { Some(*after) } else { known.get(path).copied() };
        if known.is_empty() || before != Some(*after) {
            steps.push(Step::Put { path: at(path), before, after: *after });
        }
    }
    steps
}

impl Keeper<'_> {
    /// What others did to a skill, as a change. The first look at one is no news, but where others are watched: there it was
    /// made by somebody who did not ask.
    fn by_others(
        &self,
        seen: &Sighting,
        known: &BTreeMap<String, Blob>,
        steps: Vec<Step>,
    ) -> NewChange {
        let first = known.is_empty() && seen.formerly.is_none() && !self.watching;
        let verb = if first { Verb::Found } else { Verb::Outside };
        let by = By { actor: Actor::Outside, session: None, reason: String::new() };
        let leave = Leave { waits: self.watching, ..Leave::default() };
        NewChange { leave, ..self.change(seen.id, verb, &by, steps) }
    }

    /// The files of a skill as its changes left them, by path below its folder.
    fn known_files(
        &self,
        skill: SkillId,
        folder: &str,
    ) -> Result<BTreeMap<String, Blob>, ChangeError> {
        let records = self.ledger.changes(Some(skill), usize::MAX)?;
        let files = files_after(records.iter().rev().map(|it| &it.change.steps));
        let below = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        Ok(files.into_iter().filter_map(|(path, blob)| Some((below(&path)?, blob))).collect())
    }
}

/// The files that changes left, one after the other, by path.
pub(super) fn files_after<'s>(
    changes: impl Iterator<Item = &'s Vec<Step>>,
) -> BTreeMap<String, Blob> {
    let mut files: BTreeMap<String, Blob> = BTreeMap::new();
    for step in changes.flatten() {
        match step {
            Step::Put { path, after, .. } => {
                files.insert(path.clone(), *after);
            }
            Step::Remove { path, .. } => {
                files.remove(path);
            }
            Step::Move { from, to } => {
                let moved = |path: String| match path.strip_prefix(from) {
                    Some(below) if is_in(&path, from) => format!("{to}{below}"),
                    _ => path,
                };
                files = files.into_iter().map(|(path, blob)| (moved(path), blob)).collect();
            }
            _ => {}
        }
    }
    files
}
