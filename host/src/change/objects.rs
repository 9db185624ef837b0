//! Bytes by their hash, in the home: what was in a file before a change, and what came after it. An object that is there
//! is whole: it is written under another name, and gets its own when its bytes are durable.

use std::{collections::BTreeSet, io, path::Path};

use super::{
    ChangeError,
    spot::{LARGEST, Spot},
};
use crate::{ledger::Digest, system::Disk};

const FOLDER: &str = "objects";

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

    /// Keeps bytes; all of them are durable on return.
    ///
    /// # Errors
    /// Where one can't be kept.
    pub fn keep<'b>(&self, all: impl IntoIterator<Item = &'b [u8]>) -> Result<(), ChangeError> {
        let mut folders = BTreeSet::new();
        for bytes in all {
            let digest = Digest::of(bytes);
            let (folder, path) = places(&digest);
            // One that is there already may have got its name in a process that died before it was durable.
            folders.insert(folder.clone());
            if self.spot.held(&path)?.is_some_and(|held| held.size == bytes.len() as u64) {
                continue;
            }
            if self.spot.held(FOLDER)?.is_none() {
                self.spot.lasting_folder(FOLDER)?;
            }
            self.spot.folder(&folder)?;
            let fresh = format!("{FOLDER}/new-{:016x}", self.spot.disk.random());
            let at = self.spot.at(&fresh);
            let written = self.spot.disk.write_new(at, bytes, 0o600);
            self.spot.told("keeping former bytes in", &fresh, written)?;
            let named = self.spot.disk.replace_with(at, self.spot.at(&path));
            self.spot.told("keeping former bytes in", &path, named)?;
            // A move is durable once both folders are, and the folder once its own is.
            folders.insert(FOLDER.to_owned());
        }
        folders.iter().try_for_each(|folder| self.spot.sync(folder))
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
