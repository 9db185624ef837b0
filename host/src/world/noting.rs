//! What is in the roots, noted in the ledger: ids for what is new, places as they are now; and at a scan, what others
//! changed there.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{World, store::Store};
use crate::{
    change::{ChangeError, Done, Keeper, Looked, Looks, Scan, Sighting},
    ledger::{Digest, Found, NewRoot, RootId, Settled, Sketch},
    library::Own,
    skill::{Actor, Skill, SkillId},
    system::Disk,
};

/// Bytes of a SKILL.md that its hash is taken of: the library reads no more of it.
const MOST_BYTES: u64 = 64 << 20;

/// What became of the roots and the rows of the library.
pub struct Noted {
    /// Roots as the ledger numbers them, where they were searched: in the order of the library's.
    pub roots: Vec<Option<(RootId, PathBuf)>>,
    /// Ids of rows that are skills of their own.
    pub ids: Vec<Option<SkillId>>,
    /// What became of what was known.
    pub settled: Settled,
}

impl Noted {
    /// How many skills were not known before.
    #[must_use]
    pub fn newcomers(&self) -> usize {
        self.settled.ids.len() - self.settled.matched.same.len()
    }
}

/// What a scan came to.
pub struct Scanned {
    /// What was noted.
    pub noted: Noted,
    /// Changes by others. The first look at a skill is told with them.
    pub changes: Vec<Others>,
    /// Skills whose files could not all be read or kept, with their names.
    pub problems: Vec<(String, ChangeError)>,
}

/// What somebody else did to a skill.
pub struct Others {
    /// The skill's name.
    pub name: String,
    /// What was written down.
    pub done: Done,
    /// Whether it waits until a person accepts it.
    pub waits: bool,
}

/// A row of the library that is a skill of its own, as its folder is now.
struct Row {
    row: usize,
    found: Found,
    /// All that lies in its folder, where its root is looked at.
    looked: Option<Result<Looked, ChangeError>>,
}

impl Store<'_> {
    /// Notes what is in the roots: ids for what is new, places as they are now, pins as the roots have them.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn note(&self, world: &World<'_>) -> Result<Noted, ChangeError> {
        let roots = self.note_roots(world)?;
        let rows = self.rows(world, &roots, &self.looks(world), &BTreeMap::new());
        self.settle(world, roots, &rows)
    }

    /// What is in the roots, as [`Store::note`] would note it, and nothing of it noted. What isn't known yet has an id of the
    /// moment.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn seen(&self, world: &World<'_>) -> Result<Noted, ChangeError> {
        let mut roots = Vec::new();
        for report in &world.library.roots {
            let path = report.resolved.clone().filter(|_| report.problem.is_none());
            roots.push(match path {
                None => None,
                Some(path) => {
                    let known = self.ledger.root_at(&path)?;
                    Some((known.map_or(RootId(0), |root| root.id), path))
                }
            });
        }
        let mut ids = vec![None; world.library.skills.len()];
        for own in world.library.own() {
            let Some((root, _)) = roots.get(own.root).and_then(Option::as_ref) else { continue };
            let known = self.ledger.skill_at(*root, own.folder)?;
            if let Some(place) = ids.get_mut(own.row) {
                let new = || SkillId::from_random(self.disk.random());
                *place = Some(known.map_or_else(new, |skill| skill.id));
            }
        }
        Ok(Noted { roots, ids, settled: Settled::default() })
    }

    /// Notes what is in the roots, and what others changed in those that are owned. Where agents' writes are to be approved,
    /// what others do after a first scan waits for a person.
    ///
    /// # Errors
    /// Where somebody else holds a root, or the ledger can't be written.
    pub fn scan(&self, world: &mut World<'_>) -> Result<Scanned, ChangeError> {
        let roots = self.note_roots(world)?;
        let mut looks = self.looks(world);
        let mut owned: Vec<(usize, Keeper<'_>)> = Vec::new();
        let mut watched: BTreeMap<RootId, bool> = BTreeMap::new();
        for (at, root) in roots.iter().enumerate() {
            if let Some((id, path)) = root
                && self.owns(path)
            {
                let was = self.ledger.is_watched(*id)?;
                watched.insert(*id, was);
                owned.push((at, self.keeper(*id, path)?.watching(was && self.approval)));
            }
        }
        // Two scans that take the same roots take them in the same order, or each would wait for the other.
        owned.sort_by_key(|(at, _)| roots.get(*at).and_then(Option::as_ref).map(|(_, path)| path));
        let mut scans: BTreeMap<usize, Scan<'_, '_>> = BTreeMap::new();
        for (at, keeper) in &owned {
            scans.insert(*at, keeper.scan()?);
        }
        if scans.values().any(Scan::moved_something) {
            world.library = std::sync::Arc::new(world.read());
        }
        let mut rows = self.rows(world, &roots, &looks, &scans);
        let noted = self.settle(world, roots.clone(), &rows)?;
        let name = |row: usize| {
            let skill = world.library.skills.get(row);
            skill.map(|skill| skill.name.as_str().to_owned()).unwrap_or_default()
        };
        let mut by_root: BTreeMap<RootId, Vec<Sighting>> = BTreeMap::new();
        let (mut names, mut problems) = (BTreeMap::new(), Vec::new());
        for row in &mut rows {
            let id = noted.ids.get(row.row).copied().flatten();
            match (id, row.looked.take()) {
                (Some(id), Some(Ok(looked))) => {
                    names.insert(id, name(row.row));
                    let formerly = noted.settled.matched.moved.get(&id);
                    let formerly = formerly.map(|(_, folder)| folder.clone());
                    let folder = row.found.folder.clone();
                    let seen = Sighting { id, folder, formerly, looked };
                    by_root.entry(row.found.root).or_default().push(seen);
                }
                (_, Some(Err(why))) => problems.push((name(row.row), why)),
                _ => {}
            }
        }
        let mut changes = Vec::new();
        for (at, scan) in scans {
            let Some((id, _)) = roots.get(at).and_then(Option::as_ref) else { continue };
            let seen = by_root.remove(id).unwrap_or_default();
            let was = watched.get(id).copied().unwrap_or_default();
            for done in scan.record(seen, &mut looks)? {
                let name = names.get(&done.skill).cloned().unwrap_or_default();
                changes.push(Others { name, done, waits: was && self.approval });
            }
            // Only now all that lay there was looked at: what comes from here on is somebody's who did not ask.
            if was != self.approval {
                self.ledger.watch(*id, self.approval)?;
            }
        }
        looks.close(self.disk);
        Ok(Scanned { noted, changes, problems })
    }

    /// What former scans saw of files.
    fn looks(&self, world: &World<'_>) -> Looks {
        let file = world.private_cache().map(|cache| cache.join(format!("looks-{}", self.home.id)));
        Looks::open(self.disk, file)
    }

    /// A person trusts what is in a root.
    ///
    /// # Errors
    /// Where somebody else asks, or the ledger can't be written.
    pub fn trust(&self, root: &Path) -> Result<(), ChangeError> {
        if self.actor != Actor::Person {
            let (verb, actor) = ("trust a project's root", self.actor);
            return Err(ChangeError::PersonOnly { verb, actor });
        }
        if let Some(known) = self.ledger.root_at(root)? {
            self.ledger.add_root(&NewRoot { trusted: true, ..known.root })?;
        }
        Ok(())
    }

    fn note_roots(&self, world: &World<'_>) -> Result<Vec<Option<(RootId, PathBuf)>>, ChangeError> {
        let mut roots = Vec::new();
        for (number, report) in world.library.roots.iter().enumerate() {
            let Some(path) = report.resolved.clone().filter(|_| report.problem.is_none()) else {
                roots.push(None);
                continue;
            };
            let label = report.root.label.clone();
            let owned = self.owns(&path);
            let known = self.ledger.root_at(&path)?;
            // Who takes a root trusts it, and of all others only a project's asks.
            let trusted = owned
                || !world.found.projects.contains(&report.root.path)
                || known.as_ref().is_some_and(|known| known.root.trusted);
            let at = self.disk.now();
            let precedence = i64::try_from(number).unwrap_or(i64::MAX);
            let new = NewRoot { owned, trusted, path: path.clone(), label, precedence, at };
            if owned && !known.is_some_and(|known| known.root.owned) {
                // The ledger hasn't met it as ours: it is new, or the ledger is.
                let id = self.ledger.add_root(&NewRoot { owned: false, ..new.clone() })?;
                let names = |folder: &str| world.called(number, folder);
                self.ledger.take_back(id, &self.keeper(id, &path)?.remembered(&names)?)?;
            }
            roots.push(Some((self.ledger.add_root(&new)?, path)));
        }
        Ok(roots)
    }

    fn settle(
        &self,
        world: &World<'_>,
        roots: Vec<Option<(RootId, PathBuf)>>,
        rows: &[Row],
    ) -> Result<Noted, ChangeError> {
        let now = self.disk.now();
        let all: BTreeSet<RootId> = roots.iter().flatten().map(|(id, _)| *id).collect();
        let found: Vec<Found> = rows.iter().map(|row| row.found.clone()).collect();
        let settled = self.ledger.settle(&all, &found, now, &mut || self.disk.random())?;
        let mut ids = vec![None; world.library.skills.len()];
        for (row, id) in rows.iter().zip(&settled.ids) {
            if let Some(place) = ids.get_mut(row.row) {
                *place = Some(*id);
            }
        }
        let noted = Noted { roots, ids, settled };
        self.note_pins(&noted)?;
        Ok(noted)
    }

    fn note_pins(&self, noted: &Noted) -> Result<(), ChangeError> {
        let skills = self.ledger.skills()?;
        for (id, path) in noted.roots.iter().flatten() {
            let Ok(keeper) = self.keeper(*id, path) else { continue };
            let here = skills.iter().filter(|skill| skill.root == *id);
            let pinned: BTreeSet<SkillId> = match keeper.pins() {
                // Law `pinned`: a file that can't be read pins everything.
                Err(ChangeError::Damaged { .. }) => here.map(|skill| skill.id).collect(),
                pins => {
                    let pins = pins?;
                    let pinned = here.filter(|skill| pins.contains_key(&skill.folder));
                    pinned.map(|skill| skill.id).collect()
                }
            };
            self.ledger.take_pins(*id, &pinned)?;
        }
        Ok(())
    }

    /// The rows of the library that are skills of their own, each as its folder is now.
    fn rows(
        &self,
        world: &World<'_>,
        roots: &[Option<(RootId, PathBuf)>],
        looks: &Looks,
        scans: &BTreeMap<usize, Scan<'_, '_>>,
    ) -> Vec<Row> {
        let root_of = |own: &Own<'_>| {
            let (root, path) = roots.get(own.root)?.as_ref()?;
            Some((own.row, *root, path))
        };
        let rows: Vec<_> = world.library.own().iter().filter_map(root_of).collect();
        let look = |(row, root, top): (usize, RootId, &PathBuf)| {
            let skill = world.library.skills.get(row)?;
            let (folder, file) = (&skill.place.folder, &skill.place.file);
            let at = world.library.folder_of(row)?;
            let stat = self.disk.stat(&at).ok()?;
            let looked = scans.get(&skill.place.root).map(|scan| scan.look(folder, looks));
            let text = match &looked {
                Some(Ok(looked)) => looked.text(file),
                _ => None,
            };
            let text = text.or_else(|| text_of(self.disk, looks, (top, folder), &at.join(file)));
            let found = Found {
                root,
                folder: folder.clone(),
                name: skill.name.as_str().to_owned(),
                category: skill.category.as_str().to_owned(),
                device: stat.device,
                inode: stat.inode,
                digest: text.map(|(digest, _)| digest),
                sketch: text.map(|(_, sketch)| sketch),
            };
            Some(Row { row, found, looked })
        };
        rows.into_par_iter().filter_map(look).collect()
    }
}

/// A skill's folder as it is now; `place` is its root and where it is said to lie there. Nothing where it is gone.
pub fn found_in(
    disk: &dyn Disk,
    folder: &Path,
    skill: &Skill,
    (root, place): (RootId, &str),
) -> Option<Found> {
    let stat = disk.stat(folder).ok()?;
    let bytes = disk.read(&folder.join(&skill.place.file), MOST_BYTES).ok();
    let text = bytes.as_deref().map(String::from_utf8_lossy);
    Some(Found {
        root,
        folder: place.to_owned(),
        name: skill.name.as_str().to_owned(),
        category: skill.category.as_str().to_owned(),
        device: stat.device,
        inode: stat.inode,
        digest: bytes.as_deref().map(Digest::of),
        sketch: text.map(|text| Sketch::of(&text)),
    })
}

/// The hash of a skill's file and what its text is like: as it was seen, or read.
fn text_of(
    disk: &dyn Disk,
    looks: &Looks,
    (root, folder): (&Path, &str),
    path: &Path,
) -> Option<(Digest, Sketch)> {
    let stat = disk.stat(path).ok()?;
    let file = path.file_name()?.to_str()?;
    looks.text(root, folder, file, &stat).or_else(|| {
        let bytes = disk.read(path, MOST_BYTES).ok()?;
        Some((Digest::of(&bytes), Sketch::of(&String::from_utf8_lossy(&bytes))))
    })
}
