//! The half of the door through which roots, archives and objects are written: single steps, each with what it promises of
//! a loss of power. What makes them whole is `change`'s.

use std::{io, path::Path, time::Duration};

use super::{Entry, Kind, System};

/// A place below a folder that is owned: the folder, resolved once, and the path below it, with `/` between its parts.
///
/// It is gone down part by part when it is opened, and no part may be a link: what was checked as a name is checked again
/// as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<'a> {
    /// The folder, absolute, without links in it.
    pub top: &'a Path,
    /// The path below; empty for the folder itself. No part is empty, `.` or `..`.
    pub below: &'a str,
}

impl<'a> At<'a> {
    /// The parts of the path below the top.
    pub(super) fn parts(self) -> io::Result<Vec<&'a str>> {
        if !self.top.is_absolute() {
            return Err(invalid("the top folder is not given by an absolute path"));
        }
        if self.below.is_empty() {
            return Ok(Vec::new());
        }
        let parts: Vec<_> = self.below.split('/').collect();
        if parts.iter().any(|part| matches!(*part, "" | "." | "..") || part.contains('\0')) {
            return Err(invalid("a part of the path is no name"));
        }
        Ok(parts)
    }

    /// The last part, unless the place is the top itself.
    pub(super) fn last(self) -> io::Result<Option<&'a str>> {
        self.parts().map(|parts| parts.last().copied())
    }

    /// The last part, where there must be one.
    pub(super) fn named(self) -> io::Result<&'a str> {
        self.last()?.ok_or_else(|| invalid("the top folder itself was meant"))
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// What lies at a place, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What it is.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// Inode: the same folder after it was moved has the same.
    pub inode: u64,
}

/// Held until it is dropped; a process that dies lets go.
pub trait Lock: Send + Sync {}

/// Single steps on files and folders.
///
/// Of each step is said what is *durable*: what a loss of power can't take back. What isn't may be there afterwards, or not,
/// or in part. Errors are the operating system's own; a link in the way is [`io::ErrorKind::NotADirectory`] or
/// [`io::ErrorKind::FilesystemLoop`].
pub trait Disk: System {
    /// Bits from the machine's source of randomness.
    fn random(&self) -> u64;

    /// What lies there.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] where nothing does.
    fn held(&self, at: At<'_>) -> io::Result<Held>;

    /// The entries of a folder, in no order.
    ///
    /// # Errors
    /// Where it is no folder or may not be listed.
    fn entries(&self, at: At<'_>) -> io::Result<Vec<Entry>>;

    /// The bytes of a regular file, at most `limit` of them.
    ///
    /// # Errors
    /// Where it is none or can't be read.
    fn bytes(&self, at: At<'_>, limit: u64) -> io::Result<Vec<u8>>;

    /// What a link holds, unresolved.
    ///
    /// # Errors
    /// Where it is no link.
    fn target(&self, at: At<'_>) -> io::Result<std::path::PathBuf>;

    /// Makes a folder with exactly these permissions. Durable once its parent was synced.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there.
    fn make_folder(&self, at: At<'_>, mode: u32) -> io::Result<()>;

    /// Makes a file with exactly these permissions and bytes. The bytes are durable on return, its name once its folder
    /// was synced. After an error there is no file, or one that was cut short.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there.
    fn write_new(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()>;

    /// As [`Disk::write_new`], for one of many files: its bytes are durable once [`Disk::sync_files`] was told of it. A sync
    /// for each of a thousand files takes seconds.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there.
    fn write_loose(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()>;

    /// Makes the bytes and permissions of files durable, all of them in one go where the system has a way to.
    ///
    /// # Errors
    /// Where one isn't there or can't be synced; of none is promised anything then.
    fn sync_files(&self, top: &Path, below: &[&str]) -> io::Result<()>;

    /// Makes a symbolic link, whatever its target is. Durable once its folder was synced.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there.
    fn make_link(&self, at: At<'_>, target: &Path) -> io::Result<()>;

    /// Moves a file or a folder within one file system, where nothing may be at the new place. Whoever looks sees it at
    /// one of the two. Durable once both folders were synced.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there; [`io::ErrorKind::CrossesDevices`] across file systems.
    fn move_to(&self, from: At<'_>, to: At<'_>) -> io::Result<()>;

    /// Puts a file in the place of another one, or where nothing is. Whoever looks sees the old one or the new. Durable
    /// once both folders were synced.
    ///
    /// # Errors
    /// Where a folder is in its place; [`io::ErrorKind::CrossesDevices`] across file systems.
    fn replace_with(&self, from: At<'_>, to: At<'_>) -> io::Result<()>;

    /// Removes a file or a link. Durable once its folder was synced.
    ///
    /// # Errors
    /// Where it is a folder or not there.
    fn remove_file(&self, at: At<'_>) -> io::Result<()>;

    /// Removes an empty folder. Durable once its parent was synced.
    ///
    /// # Errors
    /// [`io::ErrorKind::DirectoryNotEmpty`] where it isn't empty.
    fn remove_folder(&self, at: At<'_>) -> io::Result<()>;

    /// Sets permissions of a file or folder. Durable on return.
    ///
    /// # Errors
    /// Where it is not ours.
    fn set_mode(&self, at: At<'_>, mode: u32) -> io::Result<()>;

    /// Makes what was made, moved and removed in a folder durable.
    ///
    /// # Errors
    /// Where it can't be; nothing is durable then.
    fn sync_folder(&self, at: At<'_>) -> io::Result<()>;

    /// Makes what was made, moved and removed in folders durable, all of them in one go where the system has a way to. A
    /// folder that is no longer there is passed over.
    ///
    /// # Errors
    /// Where one can't be synced; of none is promised anything then.
    fn sync_folders(&self, top: &Path, below: &[&str]) -> io::Result<()> {
        for below in below {
            match self.sync_folder(At { top, below }) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    /// What [`Disk::sync_files`] and [`Disk::sync_folders`] do, in one go where the system has a way to.
    ///
    /// # Errors
    /// As theirs; nothing is promised then.
    fn sync_all(&self, top: &Path, files: &[&str], folders: &[&str]) -> io::Result<()> {
        self.sync_files(top, files)?;
        self.sync_folders(top, folders)
    }

    /// Waits for the lock of a file, which is made where it isn't there, and keeps it. `holder` is written into the file,
    /// for whoever waits.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] where somebody else holds it for that long; the file says who.
    fn lock(&self, at: At<'_>, holder: &str, wait: Duration) -> io::Result<Box<dyn Lock>>;
}
