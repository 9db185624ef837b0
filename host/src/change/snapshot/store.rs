//! The snapshots of a home: what there is, which one is meant, whether it is whole, and what goes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use crate::{
    change::{ChangeError, Home, objects::Objects, place::join, spot::Spot},
    ledger::{ChangeId, Digest},
    skill::{Actor, Instant},
    system::Disk,
};

/// The folder in the home.
pub(super) const FOLDER: &str = "snapshots";
/// What a list of what a snapshot holds is called, after its hash.
const MANIFEST: &str = ".manifest.json";
/// The same, of snapshots that went: a sweep of the objects lets go what it names, and then it goes too.
const DROPPED: &str = ".dropped.json";
/// Bytes of such a file that are read.
const LARGEST: u64 = 1 << 30;

/// A snapshot, but for what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What people call it: the time, such as `2026-11-30T14-05-09Z`, and a number where there is another one of that second.
    pub id: String,
    /// When.
    pub at: Instant,
    /// Who made it.
    pub actor: Actor,
    /// Why, in the actor's words.
    pub reason: String,
    /// The hash of what it holds.
    pub manifest: Digest,
    /// The roots that it is of.
    pub roots: Vec<String>,
    /// Skills in it.
    pub skills: usize,
    /// Files in it.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What is left out, and how often.
    pub left_out: BTreeMap<String, usize>,
    /// What was done after it, of one that was made for the case that a rollback has to be taken back.
    pub rollback: Option<Rolled>,
}

/// A rollback, as the snapshot that was made before it remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rolled {
    /// The snapshot that it went back to.
    pub to: String,
    /// Its changes, in their order.
    pub changes: Vec<ChangeId>,
}

/// Bytes of a snapshot that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The object.
    pub digest: Digest,
    /// A file that has it.
    pub path: String,
    /// `missing` or `damaged`.
    pub how: &'static str,
}

/// The snapshots of a home.
#[derive(Clone, Copy)]
pub struct Snapshots<'a> {
    pub(super) spot: Spot<'a>,
    pub(super) objects: Objects<'a>,
}

impl<'a> Snapshots<'a> {
    /// Of this home.
    #[must_use]
    pub fn of(disk: &'a dyn Disk, home: &'a Home) -> Snapshots<'a> {
        Snapshots::at(disk, &home.path)
    }

    pub(super) fn at(disk: &'a dyn Disk, home: &'a Path) -> Snapshots<'a> {
        Snapshots { spot: Spot { disk, top: home }, objects: Objects::new(disk, home) }
    }

    /// All of them, the newest first. One whose file can't be read is passed over.
    ///
    /// # Errors
    /// Where the home can't be listed.
    pub fn list(&self) -> Result<Vec<Snapshot>, ChangeError> {
        let mut all = Vec::new();
        for name in self.names()? {
            let Some(id) = name.strip_suffix(".json").filter(|id| !id.contains('.')) else {
                continue;
            };
            let Some((bytes, _)) = self.spot.file(&join(FOLDER, &name))? else { continue };
            let read = serde_json::from_slice::<Snapshot>(&bytes).ok();
            all.extend(read.filter(|it| it.id == id));
        }
        all.sort_by_key(|it| std::cmp::Reverse((it.at, number_of(&it.id))));
        Ok(all)
    }

    /// Files that should each be a snapshot, and can't be read.
    ///
    /// # Errors
    /// Where the home can't be listed.
    pub fn unreadable(&self) -> Result<Vec<PathBuf>, ChangeError> {
        let whole: BTreeSet<String> = self.list()?.into_iter().map(|it| it.id).collect();
        let mut all = self.names()?;
        all.retain(|name| {
            let id = name.strip_suffix(".json").filter(|id| !id.contains('.'));
            id.is_some_and(|id| !whole.contains(id))
        });
        all.sort();
        Ok(all.into_iter().map(|name| self.spot.path(&join(FOLDER, &name))).collect())
    }

    /// The file that a snapshot is.
    #[must_use]
    pub fn file_of(&self, of: &Snapshot) -> PathBuf {
        self.spot.path(&join(FOLDER, &format!("{}.json", of.id)))
    }

    /// The snapshot that is meant: the newest, where none is named.
    ///
    /// # Errors
    /// Where there is none, or none of that name; with those whose names are like it.
    pub fn resolve(&self, id: Option<&str>) -> Result<Snapshot, ChangeError> {
        let all = self.list()?;
        let Some(id) = id else { return all.into_iter().next().ok_or(ChangeError::NoSnapshot) };
        if all.is_empty() {
            return Err(ChangeError::NoSnapshot);
        }
        if let Some(found) = all.iter().find(|it| it.id == id) {
            return Ok(found.clone());
        }
        let begins = |it: &&Snapshot| it.id.starts_with(id);
        let mut near: Vec<String> = all.iter().filter(begins).map(|it| it.id.clone()).collect();
        if near.is_empty() {
            let nearest = crate::skill::nearest(id, all.iter().map(|it| it.id.as_str()));
            near.extend(nearest.map(|it| it.to_string()));
        }
        near.truncate(5);
        Err(ChangeError::NoSuchSnapshot { id: id.to_owned(), near })
    }

    /// What a snapshot holds.
    ///
    /// # Errors
    /// Where the list is missing, or is not what its name says.
    pub fn manifest(&self, of: &Snapshot) -> Result<Manifest, ChangeError> {
        self.read(&format!("{}{MANIFEST}", of.manifest))
    }

    /// What is missing of a snapshot: an object that isn't there or has another size; in `full`, or other bytes too. Nothing, where
    /// it is whole.
    ///
    /// # Errors
    /// Where the list can't be read, or the objects can't be looked at.
    pub fn verify(&self, of: &Snapshot, full: bool) -> Result<Vec<Lack>, ChangeError> {
        self.lacks(&self.manifest(of)?, full)
    }

    pub(super) fn lacks(&self, manifest: &Manifest, full: bool) -> Result<Vec<Lack>, ChangeError> {
        let needed = manifest.objects();
        let there = self.objects.sizes(needed.iter().map(|(digest, it)| (digest, it.0)))?;
        let lack =
            |digest: &Digest, path: &str, how| Lack { digest: *digest, path: path.to_owned(), how };
        let mut lacks = Vec::new();
        for (digest, (_, path)) in needed.iter().filter(|(digest, _)| !there.contains(digest)) {
            lacks.push(lack(digest, path, "missing"));
        }
        if full {
            let all: Vec<_> = needed.iter().filter(|(it, _)| there.contains(it)).collect();
            let read = all.par_iter().map(|(digest, (_, path))| match self.objects.bytes(digest) {
                Ok(_) => Ok(None),
                Err(ChangeError::Lost(_, how)) => Ok(Some(lack(digest, path, how))),
                Err(other) => Err(other),
            });
            let read: Result<Vec<Option<Lack>>, ChangeError> = read.collect();
            lacks.extend(read?.into_iter().flatten());
        }
        Ok(lacks)
    }

    fn names(&self) -> Result<Vec<String>, ChangeError> {
        if self.spot.held(FOLDER)?.is_none() {
            return Ok(Vec::new());
        }
        Ok(self.spot.entries(FOLDER)?.into_iter().map(|entry| entry.name).collect())
    }

    /// A list whose name is its hash.
    fn read(&self, name: &str) -> Result<Manifest, ChangeError> {
        let path = join(FOLDER, name);
        let damaged = |found: &str| ChangeError::Damaged {
            path: self.spot.path(&path),
            found: found.to_owned(),
        };
        let bytes = self.spot.disk.bytes(self.spot.at(&path), LARGEST);
        let bytes = self.spot.told("reading", &path, bytes)?;
        let digest = name.split('.').next().and_then(Digest::from_hex);
        if digest != Some(Digest::of(&bytes)) {
            return Err(damaged("its bytes are not those that its name says"));
        }
        serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))
    }

    /// Writes what a snapshot holds, and then the snapshot itself. It is there once it is whole and durable, and was read again.
    pub(super) fn write(&self, new: &Snapshot, manifest: &[u8]) -> Result<(), ChangeError> {
        self.spot.lasting_folder(FOLDER)?;
        let name = format!("{}{MANIFEST}", new.manifest);
        let path = join(FOLDER, &name);
        let lies_there = || {
            let found = self.spot.disk.bytes(self.spot.at(&path), LARGEST);
            found.is_ok_and(|bytes| bytes == manifest)
        };
        let mut whole = lies_there();
        if !whole {
            self.put(&name, manifest)?;
            whole = lies_there();
        }
        self.head(new)?;
        if whole && self.list()?.contains(new) {
            return Ok(());
        }
        let found = "what was read again is not what was written".to_owned();
        Err(ChangeError::Damaged { path: self.spot.path(&path), found })
    }

    /// Writes a snapshot's own file, in the place of the one that is there.
    pub(super) fn head(&self, of: &Snapshot) -> Result<(), ChangeError> {
        let mut text = serde_json::to_vec_pretty(of).unwrap_or_default();
        text.push(b'\n');
        self.put(&format!("{}.json", of.id), &text)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), ChangeError> {
        let (disk, spot) = (self.spot.disk, self.spot);
        let fresh = format!("{FOLDER}/new-{:016x}", disk.random());
        let path = join(FOLDER, name);
        spot.told("writing", &fresh, disk.write_new(spot.at(&fresh), bytes, 0o600))?;
        let moved = disk.replace_with(spot.at(&fresh), spot.at(&path));
        spot.told("writing", &path, moved)?;
        spot.sync(FOLDER)
    }

    /// The name for a snapshot of this moment that no other one has.
    pub(super) fn new_id(&self, at: Instant) -> Result<String, ChangeError> {
        let names: BTreeSet<String> = self.names()?.into_iter().collect();
        let first = at.to_string().replace(':', "-");
        let mut id = first.clone();
        let mut number = 2;
        while names.contains(&format!("{id}.json")) {
            id = format!("{first}-{number}");
            number += 1;
        }
        Ok(id)
    }

    /// Lets all go but the newest `keep`, at least one, and the one that is spared. Their objects go with the next sweep, if
    /// nothing else needs them. Under the lock of the objects.
    pub(super) fn keep_newest(
        &self,
        keep: usize,
        spared: Option<&str>,
    ) -> Result<Vec<String>, ChangeError> {
        let (mut gone, mut needed) = (Vec::new(), BTreeSet::new());
        for (number, it) in self.list()?.into_iter().enumerate() {
            if number < keep.max(1) || spared == Some(it.id.as_str()) {
                needed.insert(it.manifest);
            } else {
                self.remove(&format!("{}.json", it.id))?;
                gone.push(it.id);
            }
        }
        if !gone.is_empty() {
            self.spot.sync(FOLDER)?;
        }
        for name in self.names()? {
            let manifest = name.strip_suffix(MANIFEST).and_then(Digest::from_hex);
            if let Some(digest) = manifest.filter(|digest| !needed.contains(digest)) {
                let to = join(FOLDER, &format!("{digest}{DROPPED}"));
                let from = join(FOLDER, &name);
                let moved = self.spot.disk.replace_with(self.spot.at(&from), self.spot.at(&to));
                self.spot.told("removing", &from, moved)?;
            } else if name.starts_with("new-") {
                // Left by one that was cut off.
                self.remove(&name)?;
            }
        }
        Ok(gone)
    }

    fn remove(&self, name: &str) -> Result<(), ChangeError> {
        let path = join(FOLDER, name);
        self.spot.told("removing", &path, self.spot.disk.remove_file(self.spot.at(&path)))
    }

    /// Lists of snapshots that went, whose objects were let go since.
    pub(in crate::change) fn forget(&self, lists: &[String]) -> Result<(), ChangeError> {
        lists.iter().try_for_each(|name| self.remove(name))
    }
}

/// The number after the time, of snapshots of one second.
fn number_of(id: &str) -> u64 {
    id.split_once("Z-").and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

/// What snapshots say of objects.
#[derive(Debug, Default)]
pub(in crate::change) struct Named {
    /// What is needed, with the skills that need it.
    pub(in crate::change) needed: BTreeMap<Digest, BTreeSet<Option<crate::skill::SkillId>>>,
    /// What those named that went.
    pub(in crate::change) dropped: BTreeSet<Digest>,
    /// The lists of these.
    pub(in crate::change) lists: Vec<String>,
}

/// All objects that the snapshots of a home name. A list that can't be read may need anything, so that is an error.
pub(in crate::change) fn named(disk: &dyn Disk, home: &Path) -> Result<Named, ChangeError> {
    let snapshots = Snapshots::at(disk, home);
    let mut named = Named::default();
    for name in snapshots.names()? {
        if name.ends_with(MANIFEST) {
            let manifest = snapshots.read(&name)?;
            for (_, skill) in manifest.skills() {
                for (_, blob) in &skill.tree.files {
                    named.needed.entry(blob.digest).or_default().insert(skill.id);
                }
            }
            for pins in manifest.roots.iter().filter_map(|root| root.pins) {
                named.needed.entry(pins.digest).or_default().insert(None);
            }
        } else if name.ends_with(DROPPED) {
            // One that is damaged says nothing: what it named stays.
            if let Ok(manifest) = snapshots.read(&name) {
                named.dropped.extend(manifest.objects().into_keys());
            }
            named.lists.push(name);
        }
    }
    Ok(named)
}
