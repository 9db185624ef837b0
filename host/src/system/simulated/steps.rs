//! The steps of [`Disk`], each made of its operations.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::Duration,
};

use rustix::io::Errno;

use super::{
    Failure, Fault, Shared, SimulatedDisk, State,
    inodes::{Body, Slot},
};
use crate::system::{At, Disk, Entry, Held, Kind, Lock};

impl Disk for SimulatedDisk {
    fn random(&self) -> u64 {
        self.state().chance.draw()
    }

    fn held(&self, at: At<'_>) -> io::Result<Held> {
        let state = self.state();
        let inode = match at.last()? {
            Some(_) => state.taken(&state.slot(at)?)?,
            None => state.folder(at)?,
        };
        let node = state.inodes.node(inode)?;
        Ok(Held { kind: node.kind(), size: node.size(), mode: node.mode, inode })
    }

    fn entries(&self, at: At<'_>) -> io::Result<Vec<Entry>> {
        let state = self.state();
        let folder = state.folder(at)?;
        state.listed(folder)
    }

    fn bytes(&self, at: At<'_>, limit: u64) -> io::Result<Vec<u8>> {
        let mut state = self.state();
        let file = state.taken(&state.slot(at)?)?;
        let bytes = state.bytes_of(file, limit)?;
        Ok(state.overtaken(file, bytes))
    }

    fn target(&self, at: At<'_>) -> io::Result<PathBuf> {
        let state = self.state();
        let link = state.taken(&state.slot(at)?)?;
        state.target_of(link)
    }

    fn make_folder(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        let mut state = self.state();
        let slot = state.free(state.slot(at)?)?;
        state.make_folder(slot, mode & 0o7777, at.below)
    }

    fn write_new(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()> {
        let mut state = self.state();
        let file = state.make_whole(at, bytes, mode)?;
        state.sync(file, at.below)
    }

    fn write_loose(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.state().make_whole(at, bytes, mode).map(drop)
    }

    fn sync_files(&self, top: &Path, below: &[&str]) -> io::Result<()> {
        let mut state = self.state();
        for below in below {
            let at = At { top, below };
            let file = state.taken(&state.slot(at)?)?;
            match state.inodes.node(file)?.kind() {
                Kind::Folder => return Err(Errno::ISDIR.into()),
                Kind::Link => return Err(Errno::LOOP.into()),
                _ => state.sync(file, below)?,
            }
        }
        Ok(())
    }

    fn make_link(&self, at: At<'_>, target: &Path) -> io::Result<()> {
        let mut state = self.state();
        let slot = state.free(state.slot(at)?)?;
        state.operate(format!("make link {}", at.below), |inodes, now| {
            let made = inodes.make(Body::Link(target.to_owned()), 0o777, now);
            inodes.place(made, None, Some(slot), now);
        })
    }

    fn move_to(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        let mut state = self.state();
        let (old, new) = (state.slot(from)?, state.slot(to)?);
        let node = state.taken(&old)?;
        let new = state.free(new)?;
        if state.inodes.is_within(new.0, node) {
            return Err(Errno::INVAL.into());
        }
        state.rename(node, old, new, &format!("move {} to {}", from.below, to.below))
    }

    fn replace_with(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        let mut state = self.state();
        let (old, new) = (state.slot(from)?, state.slot(to)?);
        let node = state.taken(&old)?;
        if state.inodes.node(node)?.kind() == Kind::Folder {
            return Err(Errno::ISDIR.into());
        }
        // The kernel looks for this first.
        let inside = from.below.strip_prefix(to.below).is_some_and(|rest| rest.starts_with('/'));
        if from.top == to.top && inside {
            return Err(Errno::NOTEMPTY.into());
        }
        let name = format!("replace {} with {}", to.below, from.below);
        state.replace(node, old, new, &name)
    }

    fn remove_file(&self, at: At<'_>) -> io::Result<()> {
        let mut state = self.state();
        let slot = state.slot(at)?;
        let node = state.taken(&slot)?;
        if state.inodes.node(node)?.kind() == Kind::Folder {
            return Err(Errno::ISDIR.into());
        }
        state.remove(node, slot, at.below)
    }

    fn remove_folder(&self, at: At<'_>) -> io::Result<()> {
        let mut state = self.state();
        let slot = state.slot(at)?;
        let node = state.taken(&slot)?;
        if !state.inodes.entries(node)?.is_empty() {
            return Err(Errno::NOTEMPTY.into());
        }
        state.remove(node, slot, at.below)
    }

    fn set_mode(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        let mut state = self.state();
        let node = match at.last()? {
            Some(_) => state.taken(&state.slot(at)?)?,
            None => state.folder(at)?,
        };
        if state.inodes.node(node)?.kind() == Kind::Link {
            return Err(Errno::LOOP.into());
        }
        state.set_mode(node, mode & 0o7777, at.below)?;
        state.sync(node, at.below)
    }

    fn sync_folder(&self, at: At<'_>) -> io::Result<()> {
        let mut state = self.state();
        let folder = state.folder(at)?;
        let name = format!("sync folder {}", at.below);
        state.operate(name, |inodes, _| {
            inodes.sync(folder);
            inodes.sync_entries(folder);
        })
    }

    fn lock(&self, at: At<'_>, holder: &str, wait: Duration) -> io::Result<Box<dyn Lock>> {
        let mut state = self.state();
        let mut left = wait;
        loop {
            let slot = state.slot(at)?;
            let file = match state.taken(&slot) {
                Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                    state.make_file(slot, 0o600, at.below)?
                }
                found => found?,
            };
            match state.inodes.node(file)?.kind() {
                Kind::File => {}
                Kind::Folder => return Err(Errno::ISDIR.into()),
                Kind::Link | Kind::Other => return Err(Errno::LOOP.into()),
            }
            if !state.locked.contains(&file) {
                state.fill(file, holder.as_bytes(), at.below)?;
                state.locked.insert(file);
                return Ok(Box::new(Locked { shared: Arc::clone(&self.shared), file }));
            }
            if left.is_zero() {
                return Err(Errno::WOULDBLOCK.into());
            }
            let begun = std::time::Instant::now();
            let waited = self.shared.let_go.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            left = left.saturating_sub(begun.elapsed());
        }
    }
}

/// A lock on a file; it belongs to the disk that it was taken on, and not to what comes after a crash.
struct Locked {
    shared: Arc<Shared>,
    file: u64,
}

impl Lock for Locked {}

impl Drop for Locked {
    fn drop(&mut self) {
        self.shared.state().locked.remove(&self.file);
        self.shared.let_go.notify_all();
    }
}

impl State {
    pub(super) fn make_folder(&mut self, slot: Slot, mode: u32, path: &str) -> io::Result<()> {
        self.operate(format!("make folder {path}"), |inodes, now| {
            let body = Body::Folder { now: BTreeMap::new(), safe: BTreeMap::new() };
            let made = inodes.make(body, mode, now);
            inodes.place(made, None, Some(slot), now);
        })
    }

    /// Makes a file with its bytes and permissions, not safely.
    fn make_whole(&mut self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<u64> {
        let slot = self.free(self.slot(at)?)?;
        let file = self.make_file(slot, 0o600, at.below)?;
        self.fill(file, bytes, at.below)?;
        self.set_mode(file, mode & 0o7777, at.below)?;
        Ok(file)
    }

    pub(super) fn make_file(&mut self, slot: Slot, mode: u32, path: &str) -> io::Result<u64> {
        let at = slot.clone();
        self.operate(format!("make {path}"), |inodes, now| {
            let body = Body::File { now: Vec::new(), safe: Vec::new() };
            let made = inodes.make(body, mode, now);
            inodes.place(made, None, Some(slot), now);
        })?;
        self.taken(&at)
    }

    pub(super) fn fill(&mut self, file: u64, bytes: &[u8], path: &str) -> io::Result<()> {
        let done = self.operate(format!("write {path}"), |inodes, now| {
            inodes.fill(file, bytes, now);
        });
        let fault = self.faults.get(&self.operations.len());
        if fault == Some(&Fault::Fail(Failure::NoSpace)) {
            let half: Vec<u8> = bytes.iter().take(bytes.len() / 2).copied().collect();
            self.inodes.fill(file, &half, self.now);
        }
        done
    }

    pub(super) fn set_mode(&mut self, node: u64, mode: u32, path: &str) -> io::Result<()> {
        self.operate(format!("set mode of {path}"), |inodes, now| inodes.set_mode(node, mode, now))
    }

    pub(super) fn sync(&mut self, node: u64, path: &str) -> io::Result<()> {
        self.operate(format!("sync {path}"), |inodes, _| inodes.sync(node))
    }

    pub(super) fn rename(&mut self, node: u64, from: Slot, to: Slot, name: &str) -> io::Result<()> {
        self.operate(name.to_owned(), |inodes, now| {
            inodes.place(node, Some(from), Some(to), now);
        })
    }

    /// Renames onto a file, a link or nothing.
    pub(super) fn replace(
        &mut self,
        node: u64,
        from: Slot,
        to: Slot,
        name: &str,
    ) -> io::Result<()> {
        match self.taken(&to) {
            Ok(there) if there == node => return Ok(()),
            Ok(there) if self.inodes.node(there)?.kind() == Kind::Folder => {
                return Err(Errno::ISDIR.into());
            }
            Err(other) if other.kind() != io::ErrorKind::NotFound => return Err(other),
            Ok(_) | Err(_) => {}
        }
        self.rename(node, from, to, name)
    }

    fn remove(&mut self, node: u64, slot: Slot, path: &str) -> io::Result<()> {
        self.operate(format!("remove {path}"), |inodes, now| {
            inodes.place(node, Some(slot), None, now);
        })
    }
}
