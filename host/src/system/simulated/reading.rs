//! The reading half of the door, and the writing calls that it has: what is found on a simulated disk, links followed.

use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

use super::{SimulatedDisk, State, inodes::Body, inodes::Slot};
use crate::{
    skill::Instant,
    system::{Entry, Kind, Stat, System},
};

impl System for SimulatedDisk {
    fn now(&self) -> Instant {
        let seconds = self.now_nanos().div_euclid(1_000_000_000);
        Instant(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    fn now_nanos(&self) -> i128 {
        self.state().now
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.state().variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    fn working_folder(&self) -> io::Result<PathBuf> {
        Ok(self.state().working_folder.clone())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let state = self.state();
        state.alive()?;
        let (number, _) = state.find(folder, true)?;
        state.listed(number)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.state();
        state.alive()?;
        let (inode, _) = state.find(path, true)?;
        let node = state.inodes.node(inode)?;
        let (mtime, ctime, mode) = (node.mtime, node.ctime, node.mode);
        Ok(Stat { kind: node.kind(), device: 1, inode, size: node.size(), mtime, ctime, mode })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let state = self.state();
        state.alive()?;
        state.find(path, true).map(|(_, real)| real)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let state = self.state();
        state.alive()?;
        let (link, _) = state.find(path, false)?;
        state.target_of(link)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let state = self.state();
        state.alive()?;
        let (file, _) = state.find(path, true)?;
        state.bytes_of(file, limit)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.state().publish(path, bytes, &Manner { sync: true, over: true, private: true })
    }

    fn replace_cache(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.state().publish(path, bytes, &Manner { sync: false, over: true, private: true })
    }

    fn publish(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.state().publish(path, bytes, &Manner { sync: true, over: true, private: false })
    }

    fn create(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.state().publish(path, bytes, &Manner { sync: true, over: false, private: false })
    }
}

/// How a file gets into its place.
struct Manner {
    /// Whether its bytes are durable before.
    sync: bool,
    /// Whether it may take the place of another one.
    over: bool,
    /// Whether it is the user's alone, or as the user's files are.
    private: bool,
}

impl State {
    pub(super) fn listed(&self, folder: u64) -> io::Result<Vec<Entry>> {
        let entry = |(name, number): (&String, &u64)| {
            let kind = self.inodes.node(*number)?.kind();
            Ok(Entry { name: name.clone(), odd_name: false, kind })
        };
        self.inodes.entries(folder)?.iter().map(entry).collect()
    }

    pub(super) fn bytes_of(&self, file: u64, limit: u64) -> io::Result<Vec<u8>> {
        match &self.inodes.node(file)?.body {
            Body::File { now, .. } => {
                let most = usize::try_from(limit).unwrap_or(usize::MAX);
                Ok(now.iter().take(most).copied().collect())
            }
            Body::Folder { .. } => Err(Errno::ISDIR.into()),
            Body::Link(_) => Err(Errno::LOOP.into()),
        }
    }

    /// What somebody gets who reads a file, where another one writes it meanwhile.
    pub(super) fn overtaken(&mut self, file: u64, was: Vec<u8>) -> Vec<u8> {
        let coming = self.overtaking.get_mut(&file).and_then(VecDeque::pop_front);
        let (Some(coming), Some(node)) = (coming, self.inodes.nodes.get_mut(&file)) else {
            return was;
        };
        self.now += 1;
        (node.mtime, node.ctime) = (self.now, self.now);
        node.body = Body::File { now: coming.clone(), safe: coming.clone() };
        let half = was.len() / 2;
        was.into_iter().take(half).chain(coming.into_iter().skip(half)).collect()
    }

    pub(super) fn target_of(&self, link: u64) -> io::Result<PathBuf> {
        match &self.inodes.node(link)?.body {
            Body::Link(target) => Ok(target.clone()),
            _ => Err(Errno::INVAL.into()),
        }
    }

    /// Puts a file into its place by way of a temporary one beside it.
    fn publish(&mut self, path: &Path, bytes: &[u8], how: &Manner) -> io::Result<()> {
        self.alive()?;
        let name = path.file_name().ok_or(Errno::INVAL)?.to_string_lossy().into_owned();
        let above = path.parent().unwrap_or(Path::new("/"));
        let folder = self.make_folders(above, if how.private { 0o700 } else { 0o755 })?;
        let place = (folder, name);
        let mode = match self.find(path, true) {
            _ if how.private => 0o600,
            Ok((old, _)) if how.over => self.inodes.node(old)?.mode,
            _ => 0o644,
        };
        let slot = (folder, format!(".tmp{:016x}", self.chance.draw()));
        let temporary = above.join(&slot.1).display().to_string();
        let file = self.make_file(slot.clone(), mode, &temporary)?;
        let done = self.put_in_place(file, &slot, place, bytes, (path, &temporary), how);
        if done.is_err() && !self.crashed {
            self.inodes.place(file, Some(slot), None, self.now);
        }
        done
    }

    fn put_in_place(
        &mut self,
        file: u64,
        slot: &Slot,
        place: Slot,
        bytes: &[u8],
        (path, temporary): (&Path, &str),
        how: &Manner,
    ) -> io::Result<()> {
        self.fill(file, bytes, temporary)?;
        if how.sync {
            self.sync(file, temporary)?;
        }
        let name = format!("replace {} with {temporary}", path.display());
        if how.over {
            return self.replace(file, slot.clone(), place, &name);
        }
        let place = self.free(place)?;
        self.rename(file, slot.clone(), place, &name)
    }

    /// The folder at a path; the missing ones are made.
    fn make_folders(&mut self, path: &Path, mode: u32) -> io::Result<u64> {
        match self.find(path, true) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {}
            found => {
                let (folder, _) = found?;
                return match self.inodes.node(folder)?.kind() {
                    Kind::Folder => Ok(folder),
                    _ => Err(Errno::EXIST.into()),
                };
            }
        }
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::NOENT.into());
        };
        let above = self.make_folders(above, mode)?;
        let slot = self.free((above, name.to_string_lossy().into_owned()))?;
        self.make_folder(slot.clone(), mode, &path.display().to_string())?;
        self.taken(&slot)
    }
}
