//! A private copy of a skill's file, on which a person works in an editor. It lies in the home and in no root: nothing that
//! is half written is ever found as a skill.

use std::path::{Path, PathBuf};

use super::{
    ChangeError,
    place::{join, last},
    spot::Spot,
};
use crate::system::Disk;

/// The folder in a home that holds them.
const DRAFTS: &str = "edits";

/// A copy that lies in the home until it is discarded.
pub struct Draft<'a> {
    spot: Spot<'a>,
    folder: String,
    file: String,
}

impl<'a> Draft<'a> {
    /// Lays a copy of a file of the skill of this name. It is called as the file is, so that an editor knows its kind.
    ///
    /// # Errors
    /// Where the home can't be written.
    pub fn lay(
        disk: &'a dyn Disk,
        home: &'a Path,
        skill: &str,
        path: &str,
        bytes: &[u8],
    ) -> Result<Draft<'a>, ChangeError> {
        let spot = Spot { disk, top: home };
        let folder = format!("{DRAFTS}/{:016x}-{skill}", disk.random());
        spot.folder(DRAFTS)?;
        spot.folder(&folder)?;
        let file = join(&folder, last(path));
        spot.told("writing", &file, disk.write_new(spot.at(&file), bytes, 0o600))?;
        Ok(Draft { spot, folder, file })
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.spot.path(&self.file)
    }

    /// Its bytes as they are now.
    ///
    /// # Errors
    /// Where it is gone or can't be read.
    pub fn bytes(&self) -> Result<Vec<u8>, ChangeError> {
        let missing = || ChangeError::Missing { path: self.file.clone(), there: Vec::new() };
        self.spot.file(&self.file)?.map(|(bytes, _)| bytes).ok_or_else(missing)
    }

    /// Takes it away, with whatever an editor left beside it.
    ///
    /// # Errors
    /// Where it can't be.
    pub fn discard(self) -> Result<(), ChangeError> {
        self.spot.clear(&self.folder)
    }
}

/// The copies of a skill's files that were kept, because what became of them was refused or cut off.
pub(super) fn kept(home: Spot<'_>, skill: &str) -> Result<Vec<PathBuf>, ChangeError> {
    if home.held(DRAFTS)?.is_none() {
        return Ok(Vec::new());
    }
    let is_its = |name: &str| name.split_once('-').is_some_and(|(_, of)| of == skill);
    let entries = home.entries(DRAFTS)?.into_iter().filter(|entry| is_its(&entry.name));
    Ok(entries.map(|entry| home.path(&join(DRAFTS, &entry.name))).collect())
}
