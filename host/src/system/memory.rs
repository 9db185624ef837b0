//! A world in memory: the faulty twin of the machine for tests, and the home of the sample library that is embedded in
//! the program. It must never touch a real file.

mod tree;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tree::{Content, Node, Tree};

use super::{Entry, Kind, Stat, System};
use crate::skill::Instant;

/// What can be asked of a path, for counting and for faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// [`System::list`].
    List,
    /// [`System::stat`].
    Stat,
    /// [`System::resolve`].
    Resolve,
    /// [`System::read_link`].
    ReadLink,
    /// [`System::read`].
    Read,
    /// [`System::replace`].
    Replace,
}

/// Files, folders, links, variables and a clock that moves only when it is told to.
#[derive(Debug)]
pub struct MemorySystem {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tree: Tree,
    now: i128,
    variables: BTreeMap<String, String>,
    working_folder: PathBuf,
    faults: BTreeMap<(PathBuf, Operation), io::ErrorKind>,
    counts: BTreeMap<(PathBuf, Operation), usize>,
}

/// 2026-01-01T00:00:00Z: a world's first moment.
const BEGINNING: i128 = 1_767_225_600_000_000_000;

impl Default for MemorySystem {
    fn default() -> MemorySystem {
        MemorySystem::new()
    }
}

impl MemorySystem {
    /// An empty world at the beginning of 2026.
    #[must_use]
    pub fn new() -> MemorySystem {
        MemorySystem {
            state: Mutex::new(State {
                tree: Tree::new(BEGINNING),
                now: BEGINNING,
                variables: BTreeMap::new(),
                working_folder: PathBuf::from("/"),
                faults: BTreeMap::new(),
                counts: BTreeMap::new(),
            }),
        }
    }

    /// A world with these files; paths count from `/`. An hour has passed since they were written.
    #[must_use]
    pub fn from_files(files: impl Iterator<Item = (String, Vec<u8>)>) -> MemorySystem {
        let world = MemorySystem::new();
        for (path, bytes) in files {
            world.write(path, bytes);
        }
        world.advance(3600);
        world
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A test that panicked elsewhere says nothing about this tree.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file in place: its inode stays. Missing folders are made.
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let mut state = self.state();
        let now = state.now;
        state.tree.put(path.as_ref(), Content::File(bytes.as_ref().to_vec()), now, false);
    }

    /// Makes an empty folder.
    pub fn folder(&self, path: impl AsRef<Path>) {
        let mut state = self.state();
        let now = state.now;
        state.tree.put(path.as_ref(), Content::Folder(BTreeMap::new()), now, false);
    }

    /// Makes a link; its target need not exist.
    pub fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) {
        let mut state = self.state();
        let now = state.now;
        state.tree.put(path.as_ref(), Content::Link(target.as_ref().to_owned()), now, true);
    }

    /// Removes a file, a link or a folder with all that is in it; nothing happens where nothing is.
    pub fn remove(&self, path: impl AsRef<Path>) {
        let mut state = self.state();
        let now = state.now;
        // What is not there need not be removed.
        state.tree.take(path.as_ref(), now).unwrap_or_default();
    }

    /// Sets the time of the last change of content, as `touch` can; the other time becomes now.
    pub fn set_mtime(&self, path: impl AsRef<Path>, nanos: i128) {
        let mut state = self.state();
        let now = state.now;
        let change = |node: &mut Node| {
            node.mtime = nanos;
            node.ctime = now;
        };
        state.tree.change(path.as_ref(), change).unwrap_or_default();
    }

    /// Sets an environment variable.
    pub fn set_variable(&self, name: &str, value: &str) {
        self.state().variables.insert(name.to_owned(), value.to_owned());
    }

    /// Sets the working folder.
    pub fn set_working_folder(&self, path: impl AsRef<Path>) {
        self.state().working_folder = path.as_ref().to_owned();
    }

    /// Lets seconds pass; negative ones set the clock back.
    pub fn advance(&self, seconds: i64) {
        self.state().now += i128::from(seconds) * 1_000_000_000;
    }

    /// From now on this operation on this path fails.
    pub fn fail(&self, path: impl AsRef<Path>, operation: Operation, kind: io::ErrorKind) {
        self.state().faults.insert((path.as_ref().to_owned(), operation), kind);
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        self.state().faults.clear();
    }

    /// How often this was asked of this path since the last [`MemorySystem::forget_counts`].
    #[must_use]
    pub fn count(&self, path: impl AsRef<Path>, operation: Operation) -> usize {
        let key = (path.as_ref().to_owned(), operation);
        self.state().counts.get(&key).copied().unwrap_or(0)
    }

    /// The paths that this was asked of since the last [`MemorySystem::forget_counts`], with how often.
    #[must_use]
    pub fn counts(&self, operation: Operation) -> Vec<(PathBuf, usize)> {
        let state = self.state();
        let asked = state.counts.iter().filter(|((_, asked), _)| *asked == operation);
        asked.map(|((path, _), count)| (path.clone(), *count)).collect()
    }

    /// Counts anew.
    pub fn forget_counts(&self) {
        self.state().counts.clear();
    }

    /// Notes the operation, and fails it if a fault was set.
    fn begin(&self, path: &Path, operation: Operation) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let key = (path.to_owned(), operation);
        let fault = state.faults.get(&key).copied();
        *state.counts.entry(key).or_default() += 1;
        match fault {
            Some(kind) => Err(kind.into()),
            None => Ok(state),
        }
    }
}

impl System for MemorySystem {
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
        let state = self.begin(folder, Operation::List)?;
        let (number, _) = state.tree.find(folder, true)?;
        let node = state.tree.node(number)?;
        let Content::Folder(entries) = &node.content else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        if node.mode & 0o444 == 0 {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let entry = |(name, number): (&String, &u64)| {
            let kind = kind_of(&state.tree.node(*number)?.content);
            Ok(Entry { name: name.clone(), odd_name: name.contains('\u{fffd}'), kind })
        };
        entries.iter().map(entry).collect()
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.begin(path, Operation::Stat)?;
        let (inode, _) = state.tree.find(path, true)?;
        let node = state.tree.node(inode)?;
        let size = match &node.content {
            Content::File(bytes) => bytes.len() as u64,
            Content::Folder(entries) => entries.len() as u64,
            Content::Link(_) => 0,
        };
        let (mtime, ctime, mode) = (node.mtime, node.ctime, node.mode);
        Ok(Stat { kind: kind_of(&node.content), device: 1, inode, size, mtime, ctime, mode })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let state = self.begin(path, Operation::Resolve)?;
        let absolute = state.working_folder.join(path);
        state.tree.find(&absolute, true).map(|(_, real)| real)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let state = self.begin(path, Operation::ReadLink)?;
        let (number, _) = state.tree.find(path, false)?;
        match &state.tree.node(number)?.content {
            Content::Link(target) => Ok(target.clone()),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let state = self.begin(path, Operation::Read)?;
        let (number, _) = state.tree.find(path, true)?;
        let node = state.tree.node(number)?;
        let Content::File(bytes) = &node.content else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        if node.mode & 0o444 == 0 {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(bytes.iter().take(most).copied().collect())
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.begin(path, Operation::Replace)?;
        let now = state.now;
        state.tree.put(path, Content::File(bytes.to_vec()), now, true);
        state.tree.change(path, |node| node.mode = 0o600)
    }
}

fn kind_of(content: &Content) -> Kind {
    match content {
        Content::File(_) => Kind::File,
        Content::Folder(_) => Kind::Folder,
        Content::Link(_) => Kind::Link,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn links_are_followed_and_loops_end() {
        let world = MemorySystem::new();
        world.write("/real/deep/file", "text");
        world.link("/link", "real");
        world.link("/real/up", "../link/deep");
        world.link("/loop", "loop");
        assert_eq!(world.read(Path::new("/real/up/file"), 9).unwrap(), b"text");
        assert_eq!(
            world.resolve(Path::new("/link/up/file")).unwrap(),
            Path::new("/real/deep/file")
        );
        assert!(world.stat(Path::new("/loop")).is_err());
        assert_eq!(world.list(Path::new("/loop")).unwrap_err().kind().to_string(), {
            io::Error::from(rustix::io::Errno::LOOP).kind().to_string()
        });
    }

    #[test]
    fn a_write_in_place_keeps_the_inode_and_a_replacement_does_not() {
        let world = MemorySystem::new();
        let path = Path::new("/f");
        world.write(path, "1");
        let first = world.stat(path).unwrap();
        world.advance(5);
        world.write(path, "2");
        let second = world.stat(path).unwrap();
        world.replace(path, b"3").unwrap();
        let third = world.stat(path).unwrap();
        assert_eq!(first.inode, second.inode);
        assert_eq!(second.mtime - first.mtime, 5_000_000_000);
        assert_ne!(second.inode, third.inode);
        assert_eq!(third.mode, 0o600);
    }

    #[test]
    fn faults_and_counts_belong_to_one_path_and_operation() {
        let world = MemorySystem::from_files(std::iter::once(("a/b".to_owned(), b"x".to_vec())));
        let path = Path::new("/a/b");
        world.fail(path, Operation::Read, io::ErrorKind::PermissionDenied);
        assert_eq!(world.read(path, 9).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert!(world.stat(path).is_ok());
        world.heal();
        assert!(world.read(path, 9).is_ok());
        assert_eq!(world.count(path, Operation::Read), 2);
        assert_eq!(world.counts(Operation::Stat), [(path.to_owned(), 1)]);
        world.forget_counts();
        assert_eq!(world.count(path, Operation::Read), 0);
    }
}
