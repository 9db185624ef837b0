//! What happens in folders, told in the order in which it happens: for who keeps what was read and must know whether it still holds.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Something that happened in a folder that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An entry came, went, or is another one now.
    Entry {
        /// The folder, as it was watched.
        folder: PathBuf,
        /// The entry's name.
        name: OsString,
        /// What happened to it.
        what: What,
    },
    /// The folder itself went, moved, or may be used by others now.
    Folder(PathBuf),
    /// Nobody knows what happened. No folder is watched any more.
    Lost,
}

/// What happened to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A folder came, went or changed.
    Folder,
    /// Something else came or went.
    Presence,
    /// What is in it, or who may use it, changed.
    Content,
}

/// Tells what happens in folders, each by itself and not what is below it.
///
/// What was done before [`Changes::take`] is called is told by it, whoever did it: the kernel notes a change before the call that
/// makes it returns. That is not so for memory that is mapped to a file, for a file's other names in folders that aren't watched,
/// and for what is mounted over a folder; who relies on this has to look for itself now and then.
pub trait Changes: Send + Sync {
    /// Watches a folder from now on. One that is watched already costs nothing.
    ///
    /// # Errors
    /// Where it can't be watched; [`io::ErrorKind::Unsupported`] where others may change it and nobody would tell.
    fn watch(&self, folder: &Path) -> io::Result<()>;
    /// Takes what happened since it was last taken. A folder that came, went or moved is watched no more, nor what is below it.
    fn take(&self) -> Vec<Change>;
    /// Ends the watch of folders that are not wanted any more.
    fn retain(&self, wanted: &dyn Fn(&Path) -> bool);
    /// Waits until something happened that nobody took yet, or until somebody [wakes](Changes::wake) who waits, for so long at most;
    /// without end where nothing is said.
    fn wait(&self, most: Option<Duration>);
    /// Ends the wait of whoever waits.
    fn wake(&self);
}
