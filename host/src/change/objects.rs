//! Bytes by their hash, in the home: what was in a file before a change, and what came after it. An object that is there
//! is whole: it is written under another name, and gets its own when its bytes are durable.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    ChangeError,
    spot::{LARGEST, Spot},
};
use crate::{
    ledger::Digest,
    system::{Disk, Lock},
};

const FOLDER: &str = "objects";
/// Objects of one folder from which on that is listed.
const LISTED: usize = 8;

/// Held by whoever counts on objects, or lets some go.
const LOCK: &str = "objects/lock";
/// What names begin with that are no object's yet.
const NEW: &str = "new-";

/// Bytes that were laid down, and are no objects yet.
#[derive(Default)]
pub(super) struct Laid(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    /// Names that nobody knows, and what they hold.
    fresh: Vec<(String, Digest)>,
    /// All that was to be laid, there already or not.
    seen: BTreeSet<Digest>,
}

impl Laid {
    /// Whether anything was laid that wasn't there.
    pub(super) fn is_any(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).fresh.is_empty()
    }

    fn seen(&self, digest: Digest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).seen.insert(digest);
    }

    fn fresh(&self, name: String, digest: Digest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fresh.push((name, digest));
    }
}

/// The objects of a home.
#[derive(Clone, Copy)]
pub struct Objects<'a> {
    spot: Spot<'a>,
}

impl<'a> Objects<'a> {
    /// Of the home at this path, without links in it.
    #[must_use]
    pub fn new(disk: &'a dyn Disk, home: &'a Path) -> Objects<'a> {
        Objects { spot: Spot { disk, top: home } }
    }

    /// The home that they lie in.
    pub(super) fn home(&self) -> Spot<'a> {
        self.spot
    }

    /// Makes their folder, which stays.
    pub(super) fn found(&self) -> Result<(), ChangeError> {
        self.spot.lasting_folder(FOLDER)
    }

    /// Holds the objects: until it is let go nobody lets one go, and so a change may count on those that are there. It is held
    /// from keeping bytes until the ledger names them.
    pub(super) fn hold(&self, verb: &str, wait: Duration) -> Result<Box<dyn Lock>, ChangeError> {
        if self.spot.held(FOLDER)?.is_none() {
            self.spot.lasting_folder(FOLDER)?;
        }
        self.spot.lock(LOCK, verb, wait)
    }

    /// Keeps bytes; all of them are durable on return.
    ///
    /// # Errors
    /// Where one can't be kept.
    pub fn keep<'b>(&self, all: impl IntoIterator<Item = &'b [u8]>) -> Result<(), ChangeError> {
        let laid = Laid::default();
        all.into_iter().try_for_each(|bytes| self.lay(bytes, &laid).map(drop))?;
        self.settle(laid)
    }

    /// Whether an object of that name and size is there.
    pub(super) fn holds(&self, digest: &Digest, size: u64) -> Result<bool, ChangeError> {
        Ok(self.spot.held(&places(digest).1)?.is_some_and(|held| held.size == size))
    }

    /// Those of these objects that are there with their sizes. Many are looked for by listing, which is a tenth of the work of
    /// looking at each.
    pub(super) fn sizes<'d>(
        &self,
        wanted: impl Iterator<Item = (&'d Digest, u64)>,
    ) -> Result<BTreeSet<Digest>, ChangeError> {
        let mut of_folder: BTreeMap<String, Vec<(&Digest, u64)>> = BTreeMap::new();
        for (digest, size) in wanted {
            of_folder.entry(places(digest).0).or_default().push((digest, size));
        }
        let all: Vec<_> = of_folder.into_iter().collect();
        let found: Result<Vec<Vec<Digest>>, ChangeError> = all
            .par_iter()
            .map(|(folder, wanted)| {
                if wanted.len() < LISTED || self.spot.held(folder)?.is_none() {
                    let mut there = Vec::new();
                    for (digest, size) in wanted {
                        if self.holds(digest, *size)? {
                            there.push(**digest);
                        }
                    }
                    return Ok(there);
                }
                let listed = self.spot.disk.list_and_look(&self.spot.path(folder), |_| true);
                let (_, states) = self.spot.told("listing", folder, listed)?;
                let states: BTreeMap<String, u64> =
                    states.into_iter().map(|(name, state)| (name, state.size)).collect();
                let mut there = Vec::new();
                for (digest, size) in wanted {
                    let path = places(digest).1;
                    // What wasn't looked at while the folder was open is looked at now.
                    let found = match states.get(super::place::last(&path)) {
                        Some(found) => found == size,
                        None => self.holds(digest, *size)?,
                    };
                    if found {
                        there.push(**digest);
                    }
                }
                Ok(there)
            })
            .collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// Lays bytes down under a name that nobody knows; [`Objects::settle`] makes objects of all that was laid. Threads may
    /// lay at once.
    pub(super) fn lay(&self, bytes: &[u8], laid: &Laid) -> Result<Digest, ChangeError> {
        let digest = Digest::of(bytes);
        // One that is there already may have got its name in a process that died before it was durable: its folder is synced.
        laid.seen(digest);
        if self.holds(&digest, bytes.len() as u64)? {
            return Ok(digest);
        }
        if self.spot.held(FOLDER)?.is_none() {
            self.spot.lasting_folder(FOLDER)?;
        }
        let fresh = format!("{FOLDER}/{NEW}{:016x}", self.spot.disk.random());
        let written = self.spot.disk.write_loose(self.spot.at(&fresh), bytes, 0o600);
        self.spot.told("keeping former bytes in", &fresh, written)?;
        laid.fresh(fresh, digest);
        Ok(digest)
    }

    /// Makes objects of what was laid: first the bytes, all in one go, then the names. All of it is durable on return.
    pub(super) fn settle(&self, laid: Laid) -> Result<(), ChangeError> {
        let Inside { fresh, seen } = laid.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<&str> = fresh.iter().map(|(name, _)| name.as_str()).collect();
        let synced = self.spot.disk.sync_files(self.spot.top, &names);
        self.spot.told("keeping former bytes in", FOLDER, synced)?;
        let mut folders: BTreeSet<String> = seen.iter().map(|digest| places(digest).0).collect();
        let mut of_folder: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
        for (name, digest) in &fresh {
            let (folder, path) = places(digest);
            of_folder.entry(folder).or_default().push((name, path));
            // A move is durable once both folders are, and the folder once its own is.
            folders.insert(FOLDER.to_owned());
        }
        of_folder.par_iter().try_for_each(|(folder, all)| {
            self.spot.folder(folder)?;
            all.iter().try_for_each(|(name, path)| {
                let named = self.spot.disk.replace_with(self.spot.at(name), self.spot.at(path));
                self.spot.told("keeping former bytes in", path, named)
            })
        })?;
        self.spot.sync_all(&[], &folders)
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// Where it isn't there, or has other bytes than its name says.
    pub fn bytes(&self, digest: &Digest) -> Result<Vec<u8>, ChangeError> {
        let (_, path) = places(digest);
        match self.spot.disk.bytes(self.spot.at(&path), LARGEST) {
            Ok(bytes) if Digest::of(&bytes) == *digest => Ok(bytes),
            Ok(_) => Err(ChangeError::Lost(*digest, "damaged")),
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                Err(ChangeError::Lost(*digest, "missing"))
            }
            Err(other) => self.spot.told("reading", &path, Err(other)),
        }
    }

    /// Where an object of that name lies, below the home.
    #[must_use]
    pub fn path(digest: &Digest) -> String {
        places(digest).1
    }

    /// Lets an object go, if it is there. A loss of power may bring it back, which harms nobody.
    pub(super) fn let_go(&self, digest: &Digest) -> Result<bool, ChangeError> {
        let (_, path) = places(digest);
        match self.spot.disk.remove_file(self.spot.at(&path)) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(false),
            done => self.spot.told("removing", &path, done).map(|()| true),
        }
    }

    /// Takes away what was laid down by a process that died before it had a name: nobody lays for a day.
    pub(super) fn clear(&self) -> Result<(), ChangeError> {
        let day = 24 * 60 * 60 * 1_000_000_000;
        let past = self.spot.disk.now_nanos() - day;
        for entry in self.spot.entries(FOLDER)?.into_iter().filter(|it| it.name.starts_with(NEW)) {
            let path = format!("{FOLDER}/{}", entry.name);
            if self.spot.disk.stat(&self.spot.path(&path)).is_ok_and(|stat| stat.mtime < past) {
                let removed = self.spot.disk.remove_file(self.spot.at(&path));
                self.spot.told("removing", &path, removed)?;
            }
        }
        Ok(())
    }

    /// Erases an object, if it is there.
    pub(super) fn erase(&self, digest: &Digest) -> Result<(), ChangeError> {
        let (folder, path) = places(digest);
        match self.spot.disk.remove_file(self.spot.at(&path)) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(()),
            done => {
                self.spot.told("erasing", &path, done)?;
                self.spot.sync(&folder)
            }
        }
    }
}

fn places(digest: &Digest) -> (String, String) {
    let hex = digest.to_string();
    let (folder, name) = hex.split_at(2);
    (format!("{FOLDER}/{folder}"), format!("{FOLDER}/{folder}/{name}"))
}
