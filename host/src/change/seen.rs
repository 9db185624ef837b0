//! A folder that was read, so that it can be told after a move that it is the same one without reading it again.
//!
//! A rename moves a folder's name and nothing in it: files keep device, inode, size and times. A file whose state is what it
//! was has the bytes that were read of it, but for one that could have changed in the moment in which it was read; that one
//! is read again.

use std::collections::BTreeMap;

use super::{
    ChangeError,
    looks::FileLook,
    spot::{LARGEST, Spot},
    through::{Met, through},
    tree::Tree,
};
use crate::{
    ledger::{Blob, Digest},
    system::Stat,
};

/// What lies in a folder, and the states of its files that are settled.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) tree: Tree,
    states: BTreeMap<String, FileLook>,
}

impl Seen {
    /// Reads all that lies in a folder.
    pub(super) fn read(spot: Spot<'_>, folder: &str) -> Result<Seen, ChangeError> {
        Seen::again(spot, folder, &BTreeMap::new())
    }

    /// The same, but files that are what they were are not opened.
    fn again(
        spot: Spot<'_>,
        folder: &str,
        known: &BTreeMap<String, FileLook>,
    ) -> Result<Seen, ChangeError> {
        let mut seen = Seen { tree: Tree::default(), states: BTreeMap::new() };
        let mode = through(spot, folder, &mut |at, met| {
            let inside = at.inside.to_owned();
            match met {
                Met::Folder(mode) => seen.tree.folders.push((inside, mode)),
                Met::Link(blob) => seen.tree.files.push((inside, blob)),
                Met::File(state) => {
                    let known = known.get(at.inside).filter(|known| known.is(&state));
                    let (digest, look) = match known {
                        Some(known) => (Digest(known.digest), Some(known.clone())),
                        None => digest_of(spot, at.path, &state)?,
                    };
                    if let Some(look) = look {
                        seen.states.insert(inside.clone(), look);
                    }
                    let blob = Blob { digest, size: state.size, mode: state.mode };
                    seen.tree.files.push((inside, blob));
                }
                Met::Odd(found) => {
                    let (path, found) = (at.path.to_owned(), found.to_owned());
                    return Err(ChangeError::InTheWay { path, found });
                }
            }
            Ok(true)
        })?;
        seen.tree.mode = mode;
        seen.tree.folders.sort();
        seen.tree.files.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(seen)
    }

    /// Law `no-loss`: whether all that was seen lies in this folder now, and nothing else.
    pub(super) fn is_in(&self, spot: Spot<'_>, folder: &str) -> Result<(), ChangeError> {
        if Seen::again(spot, folder, &self.states)?.tree == self.tree {
            return Ok(());
        }
        let found = "its files changed while it was moved".to_owned();
        Err(ChangeError::InTheWay { path: folder.to_owned(), found })
    }
}

/// The hash of a file, and its state where that is settled.
fn digest_of(
    spot: Spot<'_>,
    path: &str,
    state: &Stat,
) -> Result<(Digest, Option<FileLook>), ChangeError> {
    // Taken before the file is read: a change that comes later has this time or a later one.
    let moment = spot.disk.now_nanos();
    let digest = if state.size > LARGEST {
        Digest::of(format!("{} bytes", state.size).as_bytes())
    } else {
        Digest::of(&spot.told("reading", path, spot.disk.bytes(spot.at(path), LARGEST))?)
    };
    Ok((digest, FileLook::new(state, moment, digest, None)))
}
