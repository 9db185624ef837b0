//! The steps of a change, done on the disk: each can be done again wherever a crash cut it off, and taken back.
//!
//! A step's effect is there, or what was before, or something else, and which of them is told by looking. So a change
//! that was cut off is gone through from its first step: what is there is left, what isn't is done, from bytes that are
//! objects of the home since before it was begun.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::Path,
};

use super::{
    ChangeError,
    objects::Objects,
    place::{STAGING, above, parent},
    spot::{LINK, Spot},
};
use crate::{
    ledger::{Blob, ChangeId, Digest, Step},
    system::Kind,
};

/// Bytes that are in memory already.
pub(super) type Fresh = BTreeMap<Digest, Vec<u8>>;

/// How a step's place is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum There {
    /// As before the step.
    Before,
    /// As after it.
    After,
    /// Otherwise.
    Else(String),
}

/// What lies at a path, as far as steps go.
fn blob_at(spot: Spot<'_>, path: &str) -> Result<Result<Option<Blob>, String>, ChangeError> {
    match spot.held(path)? {
        None => Ok(Ok(None)),
        Some(held) if matches!(held.kind, Kind::File | Kind::Link) => {
            Ok(Ok(Some(spot.blob(path, &held)?)))
        }
        Some(_) => Ok(Err("it is no file".to_owned())),
    }
}

fn told(found: Option<Blob>) -> String {
    found.map_or_else(
        || "nothing is there".to_owned(),
        |blob| {
            format!("{} bytes with permissions {:o}, sha256 {}", blob.size, blob.mode, blob.digest)
        },
    )
}

/// How a step's place is found.
pub(super) fn look(spot: Spot<'_>, step: &Step) -> Result<There, ChangeError> {
    let folder = |path: &str, made: There, missing: There| {
        Ok(match spot.held(path)? {
            None => missing,
            Some(held) if held.kind == Kind::Folder => made,
            Some(_) => There::Else("it is no folder".to_owned()),
        })
    };
    let file = |path: &str, before: Option<Blob>, after: Option<Blob>| {
        Ok(match blob_at(spot, path)? {
            Ok(found) if found == after => There::After,
            Ok(found) if found == before => There::Before,
            Ok(found) => There::Else(told(found)),
            Err(found) => There::Else(found),
        })
    };
    match step {
        Step::Put { path, before, after } => file(path, *before, Some(*after)),
        Step::Remove { path, before } => file(path, Some(*before), None),
        Step::PutText { path, text, mode } => {
            file(path, None, Some(Blob::of(text.as_bytes(), *mode)))
        }
        Step::RemoveText { path, text, mode } => {
            file(path, Some(Blob::of(text.as_bytes(), *mode)), None)
        }
        Step::MakeFolder { path, .. } => folder(path, There::After, There::Before),
        Step::RemoveFolder { path, .. } => folder(path, There::Before, There::After),
        Step::SetMode { path, before, after } => Ok(match spot.held(path)? {
            Some(held) if held.kind != Kind::Folder => There::Else("it is no folder".to_owned()),
            Some(held) if held.mode == *after => There::After,
            Some(held) if held.mode == *before => There::Before,
            Some(held) => There::Else(format!("it has permissions {:o}", held.mode)),
            None => There::Else("nothing is there".to_owned()),
        }),
        Step::Move { from, to } => Ok(match (spot.held(from)?, spot.held(to)?) {
            (Some(_), None) => There::Before,
            (None, Some(_)) => There::After,
            (Some(_), Some(_)) => There::Else(format!("`{to}` is there too")),
            (None, None) => There::Else("nothing is there".to_owned()),
        }),
        Step::Choose { .. } => Ok(There::After),
    }
}

/// Fails where a step's place is not as before it.
pub(super) fn is_as_before(spot: Spot<'_>, step: &Step) -> Result<(), ChangeError> {
    let path = || path_of(step).to_owned();
    match look(spot, step)? {
        There::Before => Ok(()),
        There::After if matches!(step, Step::Choose { .. }) => Ok(()),
        There::Else(found) => Err(ChangeError::InTheWay { path: path(), found }),
        There::After => Err(ChangeError::InTheWay { path: path(), found: "it changed".to_owned() }),
    }
}

/// Does the steps of one change.
pub(super) struct Apply<'a> {
    pub(super) spot: Spot<'a>,
    pub(super) objects: Objects<'a>,
    /// The change; those that are made together stage under the first one's.
    pub(super) id: ChangeId,
    pub(super) fresh: &'a Fresh,
    /// Files that were staged by this run.
    pub(super) staged: usize,
}

impl Apply<'_> {
    pub(super) fn staging(&self) -> String {
        format!("{STAGING}/{}", self.id.0)
    }

    /// Does what isn't done of these steps, in their order; all of them are durable on return.
    pub(super) fn forward(&mut self, steps: &[Step]) -> Result<(), ChangeError> {
        let staged = self.stage(steps, false)?;
        let mut touched = BTreeSet::new();
        // A move is durable once both folders are.
        if staged.iter().any(Option::is_some) {
            touched.insert(self.staging());
        }
        for (step, staged) in steps.iter().zip(staged) {
            self.one(step, staged.as_deref())?;
            match step {
                // What is in a folder, or was, hangs on the folder's own place; and that on those above it, which somebody
                // else may have made a moment ago.
                Step::MakeFolder { path, .. } | Step::RemoveFolder { path, .. } => {
                    self.sync_up(path)?;
                }
                Step::Move { from, to } => {
                    self.sync_up(to)?;
                    self.spot.sync(parent(from))?;
                }
                Step::Put { path, .. }
                | Step::Remove { path, .. }
                | Step::PutText { path, .. }
                | Step::RemoveText { path, .. } => {
                    touched.insert(parent(path).to_owned());
                }
                // Durable on return.
                Step::SetMode { .. } | Step::Choose { .. } => {}
            }
        }
        touched.iter().try_for_each(|folder| self.spot.sync(folder))
    }

    /// Does a step, unless it is done.
    pub(super) fn one(&self, step: &Step, staged: Option<&str>) -> Result<(), ChangeError> {
        // What takes nothing's place is only done where it isn't done yet, so that it is looked at where it can't be.
        let refuses = match step {
            Step::MakeFolder { .. } | Step::Move { .. } => true,
            Step::PutText { .. } | Step::Put { before: None, .. } => staged.is_some(),
            _ => false,
        };
        let tried = refuses.then(|| self.act(step, staged));
        if let Some(Ok(())) = tried {
            return Ok(());
        }
        match look(self.spot, step)? {
            There::After => self.exact(step),
            There::Before => tried.unwrap_or_else(|| self.act(step, staged)),
            There::Else(found) => {
                Err(ChangeError::InTheWay { path: path_of(step).to_owned(), found })
            }
        }
    }

    fn sync_up(&self, path: &str) -> Result<(), ChangeError> {
        self.spot.sync("")?;
        above(path).try_for_each(|folder| self.spot.sync(folder))
    }

    /// Takes back what is done of these steps, from the last to the first. What is neither as before nor as after is
    /// somebody else's work by now, and left; its paths are returned.
    pub(super) fn backward(&mut self, steps: &[Step]) -> Result<Vec<String>, ChangeError> {
        let mut left = Vec::new();
        for step in steps.iter().rev() {
            let inverse = step.inverse();
            match look(self.spot, step)? {
                There::Before => {}
                There::Else(_) => left.push(path_of(step).to_owned()),
                There::After => {
                    if let Step::RemoveFolder { path, .. } = &inverse
                        && !self.spot.entries(path)?.is_empty()
                    {
                        left.push(path.clone());
                        continue;
                    }
                    self.forward(std::slice::from_ref(&inverse))?;
                }
            }
        }
        Ok(left)
    }

    /// Writes the bytes that steps put somewhere, beside their places and on the same file system. They need not be
    /// durable by name: whoever comes after a crash stages anew. Those that are written `loose` have to be synced.
    pub(super) fn stage(
        &mut self,
        steps: &[Step],
        loose: bool,
    ) -> Result<Vec<Option<String>>, ChangeError> {
        let mut names = Vec::with_capacity(steps.len());
        for step in steps {
            let puts = matches!(step, Step::Put { .. } | Step::PutText { .. });
            if !puts || look(self.spot, step)? != There::Before {
                names.push(None);
                continue;
            }
            if self.staged == 0 {
                self.spot.folder(STAGING)?;
                self.spot.folder(&self.staging())?;
            }
            let name = format!("{}/{}", self.staging(), self.staged);
            self.staged += 1;
            let read;
            let (bytes, mode) = match step {
                Step::PutText { text, mode, .. } => (text.as_bytes(), *mode),
                Step::Put { after, .. } => match self.fresh.get(&after.digest) {
                    Some(bytes) => (bytes.as_slice(), after.mode),
                    None => {
                        read = self.objects.bytes(&after.digest)?;
                        (read.as_slice(), after.mode)
                    }
                },
                _ => continue,
            };
            let (disk, at) = (self.spot.disk, self.spot.at(&name));
            if mode & LINK == LINK {
                let target = Path::new(OsStr::from_bytes(bytes));
                self.spot.told("making", &name, disk.make_link(at, target))?;
                names.push(Some(name));
                continue;
            }
            let written = if loose {
                disk.write_loose(at, bytes, mode)
            } else {
                disk.write_new(at, bytes, mode)
            };
            self.spot.told("writing", &name, written)?;
            names.push(Some(name));
        }
        Ok(names)
    }

    /// A folder whose making was cut off may have other permissions.
    fn exact(&self, step: &Step) -> Result<(), ChangeError> {
        let Step::MakeFolder { path, mode } = step else { return Ok(()) };
        if self.spot.held(path)?.is_some_and(|held| held.mode == *mode) {
            return Ok(());
        }
        self.spot.told(
            "setting permissions of",
            path,
            self.spot.disk.set_mode(self.spot.at(path), *mode),
        )
    }

    fn act(&self, step: &Step, staged: Option<&str>) -> Result<(), ChangeError> {
        let Spot { disk, .. } = self.spot;
        let path = path_of(step);
        let at = self.spot.at(path);
        let done = match (step, staged) {
            (Step::Put { before: None, .. } | Step::PutText { .. }, Some(staged)) => {
                disk.move_to(self.spot.at(staged), at)
            }
            (Step::Put { before: Some(_), .. }, Some(staged)) => {
                disk.replace_with(self.spot.at(staged), at)
            }
            (Step::Remove { .. } | Step::RemoveText { .. }, _) => disk.remove_file(at),
            (Step::MakeFolder { mode, .. }, _) => disk.make_folder(at, *mode),
            (Step::RemoveFolder { .. }, _) => disk.remove_folder(at),
            (Step::SetMode { after, .. }, _) => disk.set_mode(at, *after),
            (Step::Move { from, to }, _) => disk.move_to(self.spot.at(from), self.spot.at(to)),
            // It was as after when it was staged for, and no longer is.
            (Step::Put { .. } | Step::PutText { .. }, None) => {
                let found = "it is changing while we look".to_owned();
                return Err(ChangeError::InTheWay { path: path.to_owned(), found });
            }
            (Step::Choose { .. }, _) => Ok(()),
        };
        let doing = match step {
            Step::Put { .. } | Step::PutText { .. } => "writing",
            Step::Remove { .. } | Step::RemoveText { .. } | Step::RemoveFolder { .. } => "removing",
            Step::MakeFolder { .. } => "making",
            Step::SetMode { .. } => "setting permissions of",
            Step::Move { .. } => "moving",
            Step::Choose { .. } => "choosing for",
        };
        self.spot.told(doing, path, done)
    }
}

/// The path that a step is about; of a move, where it begins.
pub(super) fn path_of(step: &Step) -> &str {
    match step {
        Step::Put { path, .. }
        | Step::Remove { path, .. }
        | Step::PutText { path, .. }
        | Step::RemoveText { path, .. }
        | Step::MakeFolder { path, .. }
        | Step::RemoveFolder { path, .. }
        | Step::SetMode { path, .. }
        | Step::Move { from: path, .. } => path,
        Step::Choose { .. } => "",
    }
}
