//! Single durable steps on the machine's own files. A path is gone down from its top folder part by part, each opened
//! from the one before, so that no part can become a link between the look and the step.

use std::{
    fs::File,
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustix::{
    fs::{AtFlags, Mode, OFlags, RawMode, fchmod, mkdirat, openat, readlinkat, renameat, statat},
    io::Errno,
};

use super::{OsSystem, listing, lock};
use crate::system::{At, Disk, Entry, Held, Kind, Lock, System};

/// Enough to go through a folder: where the system has it, without a right to list it.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = OFlags::RDONLY;

/// Opens a regular file without waiting for the other end of a pipe.
const REGULAR: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Disk for OsSystem {
    fn random(&self) -> u64 {
        getrandom::u64().unwrap_or_else(|_| {
            // A machine without a source has still a clock, and a seed that the standard library took for its maps.
            let mut hasher = RandomState::new().build_hasher();
            hasher.write_i128(self.now_nanos());
            hasher.finish()
        })
    }

    fn held(&self, at: At<'_>) -> io::Result<Held> {
        let found = match at.last()? {
            Some(name) => statat(parent(at)?, name, AtFlags::SYMLINK_NOFOLLOW)?,
            None => rustix::fs::fstat(folder(at, THROUGH)?)?,
        };
        Ok(held_of(&found))
    }

    fn entries(&self, at: At<'_>) -> io::Result<Vec<Entry>> {
        let opened = folder(at, OFlags::RDONLY)?;
        listing::list(opened, |_| false).map(|(entries, _)| entries)
    }

    fn bytes(&self, at: At<'_>, limit: u64) -> io::Result<Vec<u8>> {
        let name = at.named()?;
        let file = openat(parent(at)?, name, OFlags::RDONLY | REGULAR, Mode::empty())?;
        let held = held_of(&rustix::fs::fstat(&file)?);
        regular(held.kind)?;
        let size = usize::try_from(held.size.min(limit)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(size.saturating_add(1));
        File::from(file).take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn target(&self, at: At<'_>) -> io::Result<PathBuf> {
        use std::{ffi::OsString, os::unix::ffi::OsStringExt};

        let target = readlinkat(parent(at)?, at.named()?, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    fn make_folder(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        let (parent, name) = (parent(at)?, at.named()?);
        mkdirat(&parent, name, bits(mode))?;
        let made = openat(&parent, name, THROUGH | FOLDER, Mode::empty())?;
        if held_of(&rustix::fs::fstat(&made)?).mode == mode & 0o7777 {
            return Ok(());
        }
        // The user's mask took bits away. What is set afterwards is another change of the folder, which the sync of its
        // parent doesn't promise.
        self.set_mode(at, mode)
    }

    fn write_new(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()> {
        make(at, bytes, mode, |file| file.sync_all())
    }

    fn write_loose(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()> {
        make(at, bytes, mode, |_| Ok(()))
    }

    fn sync_files(&self, top: &Path, below: &[&str]) -> io::Result<()> {
        are_regular(top, below)?;
        #[cfg(target_os = "linux")]
        if below.len() >= MANY {
            let opened = rustix::fs::open(top, OFlags::RDONLY | FOLDER, Mode::empty())?;
            return Ok(rustix::fs::syncfs(opened)?);
        }
        below.iter().try_for_each(|below| {
            let at = At { top, below };
            let flags = OFlags::RDONLY | REGULAR;
            File::from(openat(parent(at)?, at.named()?, flags, Mode::empty())?).sync_all()
        })
    }

    fn make_link(&self, at: At<'_>, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, parent(at)?, at.named()?)?)
    }

    fn move_to(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        let (old, new) = (parent(from)?, parent(to)?);
        rename_to_nothing(&old, from.named()?, &new, to.named()?)
    }

    fn replace_with(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        let (old, new) = (parent(from)?, parent(to)?);
        let (old_name, new_name) = (from.named()?, to.named()?);
        // A folder would take the place of an empty one.
        let found = statat(&old, old_name, AtFlags::SYMLINK_NOFOLLOW)?;
        if held_of(&found).kind == Kind::Folder {
            return Err(Errno::ISDIR.into());
        }
        Ok(renameat(&old, old_name, &new, new_name)?)
    }

    fn remove_file(&self, at: At<'_>) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(parent(at)?, at.named()?, AtFlags::empty())?)
    }

    fn remove_folder(&self, at: At<'_>) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(parent(at)?, at.named()?, AtFlags::REMOVEDIR)?)
    }

    fn set_mode(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        let open = || match at.last()? {
            Some(name) => Ok(openat(parent(at)?, name, OFlags::RDONLY | REGULAR, Mode::empty())?),
            None => folder(at, OFlags::RDONLY),
        };
        let opened = match open() {
            Err(refused) if refused.kind() == io::ErrorKind::PermissionDenied => {
                // Its owner may change what nobody may read, but not by an open file. What lies there was not looked at
                // and changed at once: a link put there in between would be followed, which no right to write gives
                // to anyone but the owner of the folder.
                let name = at.last()?.ok_or(refused)?;
                let parent = parent(at)?;
                if held_of(&statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW)?).kind == Kind::Link {
                    return Err(Errno::LOOP.into());
                }
                rustix::fs::chmodat(&parent, name, bits(mode | 0o400), AtFlags::empty())?;
                open()?
            }
            opened => opened?,
        };
        fchmod(&opened, bits(mode))?;
        File::from(opened).sync_all()
    }

    fn sync_folder(&self, at: At<'_>) -> io::Result<()> {
        File::from(folder(at, OFlags::RDONLY)?).sync_all()
    }

    #[cfg(target_os = "linux")]
    fn sync_folders(&self, top: &Path, below: &[&str]) -> io::Result<()> {
        if below.len() >= MANY
            && let Some(all) = whole(top, below)?
        {
            return Ok(rustix::fs::syncfs(all)?);
        }
        for below in below {
            match self.sync_folder(At { top, below }) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                synced => synced?,
            }
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    fn sync_all(&self, top: &Path, files: &[&str], folders: &[&str]) -> io::Result<()> {
        if files.len() + folders.len() >= MANY {
            are_regular(top, files)?;
            if let Some(all) = whole(top, folders)? {
                return Ok(rustix::fs::syncfs(all)?);
            }
        }
        self.sync_files(top, files)?;
        self.sync_folders(top, folders)
    }

    fn lock(&self, at: At<'_>, holder: &str, wait: Duration) -> io::Result<Box<dyn Lock>> {
        lock::take(&parent(at)?, at.named()?, holder, wait)
    }
}

/// What a folder is opened with, beside what for.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Files from which on the whole file system is synced at once: what else waits there is written with them, so a few are
/// synced by themselves.
#[cfg(target_os = "linux")]
const MANY: usize = 32;

/// A promise about what is gone is none, whichever way files are synced.
fn are_regular(top: &Path, below: &[&str]) -> io::Result<()> {
    below.par_iter().try_for_each(|below| regular(OsSystem.held(At { top, below })?.kind))
}

/// The top folder, where all of these are of its file system: one of another would be promised what isn't done. Folders that
/// are no longer there are passed over.
#[cfg(target_os = "linux")]
fn whole(top: &Path, folders: &[&str]) -> io::Result<Option<OwnedFd>> {
    let opened = rustix::fs::open(top, OFlags::RDONLY | FOLDER, Mode::empty())?;
    let device = rustix::fs::fstat(&opened)?.st_dev;
    let is_here = |below: &&str| match folder(At { top, below }, THROUGH) {
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(true),
        found => Ok::<_, io::Error>(rustix::fs::fstat(found?)?.st_dev == device),
    };
    let here: Vec<bool> = folders.par_iter().map(is_here).collect::<io::Result<_>>()?;
    Ok(here.into_iter().all(|it| it).then_some(opened))
}

/// Makes a file; `last` is done with it before it is closed.
fn make(
    at: At<'_>,
    bytes: &[u8],
    mode: u32,
    last: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (parent, name) = (parent(at)?, at.named()?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | REGULAR;
    let mut file = File::from(openat(&parent, name, flags, bits(0o600))?);
    let fill = |file: &mut File| {
        file.write_all(bytes)?;
        fchmod(&*file, bits(mode))?;
        last(file)
    };
    fill(&mut file).inspect_err(|_| {
        // Nobody else knows it yet; where it can't be removed, the caller was told to expect it.
        rustix::fs::unlinkat(&parent, name, AtFlags::empty()).unwrap_or_default();
    })
}

/// Opens the folder that lies at a place.
fn folder(at: At<'_>, wanted: OFlags) -> io::Result<OwnedFd> {
    let parts = at.parts()?;
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(at, wanted) {
        return Ok(opened);
    }
    let for_top = if parts.is_empty() { wanted } else { THROUGH };
    let mut opened = rustix::fs::open(at.top, for_top | FOLDER, Mode::empty())?;
    let mut left = parts.len();
    for part in parts {
        left -= 1;
        let wanted = if left == 0 { wanted } else { THROUGH };
        opened = openat(&opened, part, wanted | FOLDER, Mode::empty())?;
    }
    Ok(opened)
}

/// The same by one call, which refuses where any part is a link; going down part by part takes most of the time of a change
/// of many skills. Where it fails, that way says why, and on kernels without this call it is the only one.
#[cfg(target_os = "linux")]
fn at_once(at: At<'_>, wanted: OFlags) -> Option<OwnedFd> {
    use rustix::fs::{CWD, ResolveFlags, openat2};

    let path = at.top.join(at.below);
    openat2(CWD, &path, wanted | FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok()
}

/// Opens the folder that holds a place.
fn parent(at: At<'_>) -> io::Result<OwnedFd> {
    at.named()?;
    let above = at.below.rsplit_once('/').map_or("", |(above, _)| above);
    folder(At { top: at.top, below: above }, THROUGH)
}

/// Renames where nothing may be. Where the system or its file system can't promise that, it is looked first: somebody who
/// puts a file or an empty folder there in that moment loses it.
fn rename_to_nothing(old: &OwnedFd, from: &str, new: &OwnedFd, to: &str) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};

        match renameat_with(old, from, new, to, RenameFlags::NOREPLACE) {
            // The last of them also says that a folder would move into itself, which the second try finds again.
            Err(Errno::NOSYS | Errno::NOTSUP | Errno::INVAL) => {}
            done => return Ok(done?),
        }
    }
    look_and_rename(old, from, new, to)
}

fn look_and_rename(old: &OwnedFd, from: &str, new: &OwnedFd, to: &str) -> io::Result<()> {
    statat(old, from, AtFlags::SYMLINK_NOFOLLOW)?;
    match statat(new, to, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(renameat(old, from, new, to)?),
        Err(other) => Err(other.into()),
        Ok(_) => Err(Errno::EXIST.into()),
    }
}

/// Fails where something is no regular file.
pub(super) fn regular(kind: Kind) -> io::Result<()> {
    match kind {
        Kind::File => Ok(()),
        Kind::Folder => Err(Errno::ISDIR.into()),
        Kind::Link => Err(Errno::LOOP.into()),
        Kind::Other => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
    }
}

fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as RawMode)
}

#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the system's numbers have another width on each kind of machine"
)]
pub(super) fn held_of(found: &rustix::fs::Stat) -> Held {
    Held {
        kind: listing::kind_of(found),
        size: u64::try_from(found.st_size).unwrap_or(0),
        mode: u32::from(found.st_mode) & 0o7777,
        inode: u64::from(found.st_ino),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    #[test]
    fn where_the_system_cannot_promise_it_a_rename_looks_first() {
        let world = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(world.path()).unwrap();
        let at = |below| At { top: &top, below };
        let folder = folder(at(""), THROUGH).unwrap();
        let rename = |from, to| look_and_rename(&folder, from, &folder, to).map_err(|e| e.kind());
        OsSystem.write_new(at("f"), b"x", 0o600).unwrap();
        OsSystem.write_new(at("g"), b"y", 0o600).unwrap();
        OsSystem.make_folder(at("empty"), 0o700).unwrap();
        std::os::unix::fs::symlink("nowhere", top.join("link")).unwrap();
        for taken in ["g", "empty", "link", "f"] {
            assert_eq!(rename("f", taken), Err(io::ErrorKind::AlreadyExists));
        }
        assert_eq!(rename("nothing", "new"), Err(io::ErrorKind::NotFound));
        assert_eq!(rename("f", "new"), Ok(()));
        assert_eq!(OsSystem.bytes(at("new"), 9).unwrap(), b"x");
        assert_eq!(OsSystem.bytes(at("g"), 9).unwrap(), b"y");
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let world = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(world.path()).unwrap();
        let at = At { top: &top, below: "pipe" };
        let folder = folder(At { top: &top, below: "" }, THROUGH).unwrap();
        rustix::fs::mkfifoat(&folder, "pipe", bits(0o600)).unwrap();
        assert_eq!(OsSystem.held(at).unwrap().kind, Kind::Other);
        assert_eq!(OsSystem.bytes(at, 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let locked = OsSystem.lock(at, "x", Duration::ZERO).err().unwrap();
        assert_eq!(locked.kind(), io::ErrorKind::InvalidInput);
    }
}
