//! A folder of the disk and what is done below it, with errors that say what was done where.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{ChangeError, place::join};
use crate::{
    ledger::{Blob, Digest},
    system::{At, Disk, Held, Kind, Lock, Stat},
};

/// Bytes of a file that are taken in at most. A larger one can be moved with its folder, but is known by its size alone.
pub(super) const LARGEST: u64 = 64 * 1024 * 1024;

/// Marks a blob that is a link: its bytes are what it holds.
pub(super) const LINK: u32 = 0o12_0000;

/// A folder of the disk.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) top: &'a Path,
}

impl<'a> Spot<'a> {
    pub(super) fn at(self, below: &'a str) -> At<'a> {
        At { top: self.top, below }
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.top.join(below)
    }

    /// The result of a step, with its error told.
    pub(super) fn told<T>(
        &self,
        doing: &'static str,
        below: &str,
        result: io::Result<T>,
    ) -> Result<T, ChangeError> {
        result.map_err(|source| {
            let loops = source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
            if loops || source.kind() == io::ErrorKind::NotADirectory {
                return ChangeError::Link(self.path(below));
            }
            ChangeError::Io { doing, path: self.path(below), source }
        })
    }

    /// What lies there, or nothing.
    pub(super) fn held(&self, below: &str) -> Result<Option<Held>, ChangeError> {
        match self.disk.held(At { top: self.top, below }) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
            found => self.told("looking at", below, found).map(Some),
        }
    }

    /// The state of a file, or nothing.
    pub(super) fn state(&self, below: &str) -> Result<Option<Stat>, ChangeError> {
        match self.disk.stat(&self.path(below)) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
            found => self.told("looking at", below, found).map(Some),
        }
    }

    /// The names in a folder.
    pub(super) fn entries(&self, below: &str) -> Result<Vec<crate::system::Entry>, ChangeError> {
        let mut entries =
            self.told("listing", below, self.disk.entries(At { top: self.top, below }))?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// A file's bytes and permissions; nothing where nothing is there.
    pub(super) fn file(&self, below: &str) -> Result<Option<(Vec<u8>, u32)>, ChangeError> {
        let Some(held) = self.held(below)? else { return Ok(None) };
        match held.kind {
            Kind::File => {}
            Kind::Link => return Err(ChangeError::Link(self.path(below))),
            _ => {
                let found = "it is no regular file".to_owned();
                return Err(ChangeError::InTheWay { path: below.to_owned(), found });
            }
        }
        let bytes = self.disk.bytes(At { top: self.top, below }, LARGEST);
        Ok(Some((self.told("reading", below, bytes)?, held.mode)))
    }

    /// What a link holds.
    pub(super) fn target(&self, below: &str) -> Result<Vec<u8>, ChangeError> {
        let target = self.disk.target(At { top: self.top, below });
        let target = self.told("reading", below, target)?;
        Ok(target.into_os_string().into_encoded_bytes())
    }

    /// What a file or a link is to a change.
    pub(super) fn blob(&self, below: &str, held: &Held) -> Result<Blob, ChangeError> {
        let at = At { top: self.top, below };
        if held.kind == Kind::Link {
            let bytes = self.target(below)?;
            let digest = Digest::of(&bytes);
            return Ok(Blob { digest, size: bytes.len() as u64, mode: LINK | 0o777 });
        }
        if held.size > LARGEST {
            let digest = Digest::of(format!("{} bytes", held.size).as_bytes());
            return Ok(Blob { digest, size: held.size, mode: held.mode });
        }
        let bytes = self.told("reading", below, self.disk.bytes(at, LARGEST))?;
        Ok(Blob { digest: Digest::of(&bytes), size: bytes.len() as u64, mode: held.mode })
    }

    /// Makes a folder durable, unless it is no longer there.
    pub(super) fn sync(&self, below: &str) -> Result<(), ChangeError> {
        match self.disk.sync_folder(At { top: self.top, below }) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            done => self.told("syncing", below, done),
        }
    }

    /// Makes the bytes of files and what is in folders durable; folders that are no longer there aside.
    pub(super) fn sync_all(
        &self,
        files: &[String],
        folders: &BTreeSet<String>,
    ) -> Result<(), ChangeError> {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        self.told("syncing", "", self.disk.sync_all(self.top, &files, &folders))
    }

    /// Makes sure that a folder of ours is there. It is durable once its parent was synced.
    pub(super) fn folder(&self, below: &str) -> Result<(), ChangeError> {
        if self.held(below)?.is_some() {
            return Ok(());
        }
        match self.disk.make_folder(At { top: self.top, below }, 0o700) {
            Err(there) if there.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => self.told("making", below, made),
        }
    }

    /// Makes sure that a folder of ours is there and stays, whoever made it.
    pub(super) fn lasting_folder(&self, below: &str) -> Result<(), ChangeError> {
        self.folder(below)?;
        self.sync(super::place::parent(below))
    }

    /// Waits for the lock of a file that long. It says who holds it, and what for.
    pub(super) fn lock(
        &self,
        below: &str,
        verb: &str,
        wait: Duration,
    ) -> Result<Box<dyn Lock>, ChangeError> {
        let holder = format!("process {}, `{verb}` since {}", std::process::id(), self.disk.now());
        let at = At { top: self.top, below };
        match self.disk.lock(at, &holder, wait) {
            Err(held) if held.kind() == io::ErrorKind::WouldBlock => {
                let text = self.disk.bytes(at, 1_000).unwrap_or_default();
                let text = crate::skill::OneLine::capped(&String::from_utf8_lossy(&text), 200);
                let holder =
                    if text.is_empty() { "another process".to_owned() } else { text.into_string() };
                let place = self.top.to_owned();
                Err(ChangeError::Held { place, holder, seconds: wait.as_secs() })
            }
            taken => self.told("locking", below, taken),
        }
    }

    /// Takes a folder of ours away with all that is in it. It is only used for what is staged.
    pub(super) fn clear(&self, below: &str) -> Result<(), ChangeError> {
        let Some(held) = self.held(below)? else { return Ok(()) };
        let at = At { top: self.top, below };
        if held.kind != Kind::Folder {
            return self.told("removing", below, self.disk.remove_file(at));
        }
        for entry in self.entries(below)? {
            self.clear(&join(below, &entry.name))?;
        }
        self.told("removing", below, self.disk.remove_folder(at))
    }
}
