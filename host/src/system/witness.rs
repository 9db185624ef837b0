//! A system that remembers what it was asked, so that it can be told later whether the answers would be the same.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{Entry, Looked, Stat, System};
use crate::skill::Instant;

/// What changed within this time of being read, in nanoseconds, may change again without looking otherwise, since file systems count
/// times in steps.
const UNSETTLED: i128 = 2_000_000_000;

/// Asks another system, and remembers.
pub struct Witness<'a> {
    system: &'a dyn System,
    reads: bool,
    seen: Mutex<Seen>,
}

/// What was seen of files and folders. Variables stay as they are for as long as a process.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    facts: Vec<Fact>,
    /// Whether something may have changed since without looking otherwise.
    unsettled: bool,
}

#[derive(Clone, Debug)]
enum Fact {
    Stat(PathBuf, Answer<Stat>),
    Resolved(PathBuf, Answer<PathBuf>),
    Link(PathBuf, Answer<PathBuf>),
    Working(Answer<PathBuf>),
}

/// What was found, or why nothing was: a link that leads nowhere and one that leads to itself are told apart.
type Answer<T> = Result<T, io::ErrorKind>;

fn answer<T>(found: io::Result<T>) -> Answer<T> {
    found.map_err(|error| error.kind())
}

impl<'a> Witness<'a> {
    /// Remembers everything.
    #[must_use]
    pub fn new(system: &'a dyn System) -> Witness<'a> {
        Witness { system, reads: true, seen: Mutex::default() }
    }

    /// The same for who watches each folder that is listed with a look at its files: what is in these is not remembered.
    #[must_use]
    pub fn beside_folders(system: &'a dyn System) -> Witness<'a> {
        Witness { reads: false, ..Witness::new(system) }
    }

    /// What was seen.
    #[must_use]
    pub fn into_seen(self) -> Seen {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, fact: Fact) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Fact::Stat(_, Ok(stat)) = &fact {
            let now = self.system.now_nanos();
            let is_fresh = |at: i128| now.saturating_sub(at) < UNSETTLED;
            seen.unsettled |= is_fresh(stat.mtime) || is_fresh(stat.ctime);
        }
        seen.facts.push(fact);
    }

    /// Before it is read: what changes later is seen then.
    fn stated(&self, path: &Path) {
        self.note(Fact::Stat(path.to_owned(), answer(self.system.stat(path))));
    }
}

impl Seen {
    /// Whether asking the same again would bring the same.
    #[must_use]
    pub fn holds(&self, system: &dyn System) -> bool {
        !self.unsettled
            && self.facts.iter().all(|fact| match fact {
                Fact::Stat(path, was) => answer(system.stat(path)) == *was,
                Fact::Resolved(path, was) => answer(system.resolve(path)) == *was,
                Fact::Link(path, was) => answer(system.read_link(path)) == *was,
                Fact::Working(was) => answer(system.working_folder()) == *was,
            })
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Seen) -> Seen {
        self.facts.extend(other.facts);
        self.unsettled |= other.unsettled;
        self
    }

    /// Whether nothing was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }
}

impl System for Witness<'_> {
    fn now(&self) -> Instant {
        self.system.now()
    }

    fn now_nanos(&self) -> i128 {
        self.system.now_nanos()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.system.variable(name)
    }

    fn working_folder(&self) -> io::Result<PathBuf> {
        let folder = self.system.working_folder();
        self.note(Fact::Working(folder.as_ref().map(Clone::clone).map_err(io::Error::kind)));
        folder
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.stated(folder);
        self.system.list(folder)
    }

    fn list_and_look(&self, folder: &Path, wanted: fn(&str) -> bool) -> io::Result<Looked> {
        if self.reads {
            self.stated(folder);
        }
        self.system.list_and_look(folder, wanted)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let stat = self.system.stat(path);
        self.note(Fact::Stat(path.to_owned(), stat.as_ref().copied().map_err(io::Error::kind)));
        stat
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let resolved = self.system.resolve(path);
        self.note(Fact::Resolved(
            path.to_owned(),
            resolved.as_ref().map(Clone::clone).map_err(io::Error::kind),
        ));
        resolved
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let link = self.system.read_link(path);
        self.note(Fact::Link(
            path.to_owned(),
            link.as_ref().map(Clone::clone).map_err(io::Error::kind),
        ));
        link
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        if self.reads {
            self.stated(path);
        }
        self.system.read(path, limit)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.system.replace(path, bytes)
    }

    fn replace_cache(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.system.replace_cache(path, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Witness;
    use crate::system::{MemorySystem, System};

    type Ask = fn(&dyn System);

    #[test]
    fn what_was_asked_holds_until_an_answer_would_be_another_one() {
        let asks: [Ask; 5] = [
            |system| drop(system.read(Path::new("/a/file"), 99)),
            |system| drop(system.stat(Path::new("/a/none"))),
            |system| drop(system.resolve(Path::new("/a/link"))),
            |system| drop(system.read_link(Path::new("/a/link"))),
            |system| drop(system.working_folder()),
        ];
        let changes: [fn(&MemorySystem); 5] = [
            |system| system.write("/a/file", "longer"),
            |system| system.write("/a/none", "it came"),
            |system| system.link("/a/link", "/a"),
            |system| system.link("/a/link", "/a"),
            |system| system.set_working_folder("/a"),
        ];
        for (ask, change) in asks.into_iter().zip(changes) {
            let system =
                MemorySystem::from_files([("/a/file".to_owned(), b"1".to_vec())].into_iter());
            system.link("/a/link", "/a/file");
            system.set_working_folder("/");
            let witness = Witness::new(&system);
            ask(&witness);
            let seen = witness.into_seen();
            assert!(!seen.is_empty() && seen.holds(&system));
            change(&system);
            assert!(!seen.holds(&system));
        }
    }

    #[test]
    fn what_changed_just_now_is_not_believed() {
        let system = MemorySystem::new();
        system.write("/a", "1");
        let witness = Witness::new(&system);
        drop(witness.read(Path::new("/a"), 99));
        assert!(!witness.into_seen().holds(&system));
    }
}
