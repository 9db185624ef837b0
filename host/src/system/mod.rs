//! The one door to the outside: files, environment, clock. Every other room takes a [`System`] as an argument.
//!
//! *Invariant*: `std::fs`, `std::env` and the clocks are used here and nowhere else in the library; a lint says so.

mod changes;
mod disk;
mod memory;
mod os;
mod simulated;
#[cfg(test)]
mod tests;
mod witness;

use std::{
    io,
    path::{Path, PathBuf},
};

pub use changes::{Change, Changes, What};
pub use disk::{At, Disk, Held, Lock};
pub use memory::{MemorySystem, Operation};
pub use os::OsSystem;
pub use simulated::{Failure, Fault, Seen, SimulatedDisk};
pub use witness::{Seen as Witnessed, Witness};

use crate::skill::Instant;

/// What a directory entry is, as its directory says (a link is not followed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A socket, a pipe, a device.
    Other,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, if that is UTF-8; with replacement characters otherwise, and then `odd_name` is set.
    pub name: String,
    /// Whether the name is not UTF-8, so that `name` can't open it.
    pub odd_name: bool,
    /// What it is.
    pub kind: Kind,
}

/// What tells one state of a file from another without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stat {
    /// What it is, links followed.
    pub kind: Kind,
    /// Device and inode: the same folder reached by two paths has the same pair.
    pub device: u64,
    /// Inode.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub mtime: i128,
    /// Time of the last change of anything, in nanoseconds since 1970; no user program can set it back.
    pub ctime: i128,
    /// Permission bits.
    pub mode: u32,
}

/// A folder's entries, and states of some of its files by name.
pub type Looked = (Vec<Entry>, Vec<(String, Stat)>);

/// Files, environment and clock.
///
/// Errors are the operating system's own: who asked adds the path and what was to be done.
pub trait System: Sync {
    /// The real time.
    fn now(&self) -> Instant;
    /// The real time in nanoseconds since 1970, comparable with [`Stat::mtime`].
    fn now_nanos(&self) -> i128;
    /// The writing half of the door, where there is one: a system of the memory's is only read.
    fn disk(&self) -> Option<&dyn Disk> {
        None
    }
    /// What tells of changes in folders, where there is something that tells of all.
    ///
    /// # Errors
    /// Where there is none, or no more of it.
    fn changes(&self) -> io::Result<Box<dyn Changes>> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Whether a person sits at both ends: what is asked can be read and answered.
    fn is_attended(&self) -> bool {
        false
    }
    /// Standard input to its end, at most `limit` bytes of it.
    ///
    /// # Errors
    /// Where there is none or it can't be read.
    fn input(&self, limit: u64) -> io::Result<Vec<u8>> {
        let _ = limit;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// A line that a person types; nothing where the input ended.
    ///
    /// # Errors
    /// Where there is no input or it can't be read.
    fn line(&self) -> io::Result<Option<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Runs a person's own program on a file, at the terminal that they sit at, and waits for its end. `command` is a line
    /// for the shell, such as `code --wait`. Gives back its exit status, or nothing where a signal ended it.
    ///
    /// # Errors
    /// Where no shell can be started.
    fn attend(&self, command: &str, file: &Path) -> io::Result<Option<i32>> {
        let _ = (command, file);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Begins a program that goes on by itself: nobody waits for it, it holds nobody's terminal or pipes, and a signal to
    /// whoever began it is none to it.
    ///
    /// # Errors
    /// Where it can't be started.
    fn begin(&self, program: &Path, arguments: &[String]) -> io::Result<()> {
        let _ = (program, arguments);
        Err(io::ErrorKind::Unsupported.into())
    }
    /// An environment variable, if it is set, not empty, and UTF-8.
    fn variable(&self, name: &str) -> Option<String>;
    /// The working folder.
    ///
    /// # Errors
    /// Where it is gone or may not be read.
    fn working_folder(&self) -> io::Result<PathBuf>;
    /// The entries of a folder, in no order.
    ///
    /// # Errors
    /// Where it is no folder or may not be listed.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;
    /// As [`System::list`], and beside it what is known of the regular files whose names are wanted, where that is cheaper
    /// to ask while the folder is open than by a path. Who needs a file's state and doesn't find it here asks for it.
    ///
    /// # Errors
    /// Where it is no folder or may not be listed.
    fn list_and_look(&self, folder: &Path, wanted: fn(&str) -> bool) -> io::Result<Looked> {
        let _ = wanted;
        Ok((self.list(folder)?, Vec::new()))
    }
    /// What is known of a file or folder, links followed.
    ///
    /// # Errors
    /// Where nothing is there, or a link dangles.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// The absolute path with all links resolved.
    ///
    /// # Errors
    /// Where nothing is there.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// What a link holds, unresolved.
    ///
    /// # Errors
    /// Where it is no link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// The bytes of a file, at most `limit` of them.
    ///
    /// # Errors
    /// Where it can't be opened or read.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Replaces a file at once: whoever opens it sees the old bytes or the new ones. Missing folders are made, private
    /// to the user; so is the file. The name of the temporary file is unique, and it is gone after a failure.
    ///
    /// # Errors
    /// Where it can't be written; the old file is then as it was.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// As [`System::replace`], for what can be made again: it is not forced to the disk, which takes longer than making
    /// it. After a loss of power the file may be cut short; who reads it must be able to tell.
    ///
    /// # Errors
    /// Where it can't be written; the old file is then as it was.
    fn replace_cache(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.replace(path, bytes)
    }
    /// As [`System::replace`], for files that are the user's own work: an old file keeps its permissions, a new one and its
    /// folders get those that the user gives to new files.
    ///
    /// # Errors
    /// Where it can't be written; the old file is then as it was.
    fn publish(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.replace(path, bytes)
    }
    /// As [`System::publish`], where nothing may be there: of two that do it at once, one does.
    ///
    /// # Errors
    /// Where something is there or it can't be written; what is there is then as it was.
    fn create(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.stat(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.publish(path, bytes)
    }
}
