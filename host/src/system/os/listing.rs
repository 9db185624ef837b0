//! What is in an open folder.

use std::{io, os::fd::AsFd};

#[cfg(target_os = "linux")]
use super::nanos;
#[cfg(target_os = "linux")]
use crate::system::Stat;
use crate::system::{Entry, Kind, Looked};

/// Bytes of a listing that the kernel hands over at once: a skill's folder takes one call.
#[cfg(target_os = "linux")]
const LISTING: usize = 8 * 1024;

/// Lists a folder by the kernel's own call. The standard library's way takes two allocations an entry and 32 KiB a
/// folder, which in a warm scan of thousands of folders was a fifth of the time. A file's state is asked for from the open
/// folder, so that the kernel need not go down the whole path again.
#[cfg(target_os = "linux")]
pub(super) fn list(folder: impl AsFd, wanted: impl Fn(&str) -> bool) -> io::Result<Looked> {
    use std::mem::MaybeUninit;

    use rustix::fs::{AtFlags, FileType, RawDir, statat};

    let opened = folder.as_fd();
    let mut buffer = [MaybeUninit::uninit(); LISTING];
    let mut raw = RawDir::new(opened, &mut buffer);
    let (mut entries, mut looked) = (Vec::new(), Vec::new());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let raw_name = entry.file_name().to_bytes();
        if matches!(raw_name, b"." | b"..") {
            continue;
        }
        let (name, odd_name) = named(raw_name);
        let kind = match entry.file_type() {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            // Some file systems don't note the type beside the name.
            FileType::Unknown => {
                let found = statat(opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                found.map_or(Kind::Other, |found| kind_of(&found))
            }
            _ => Kind::Other,
        };
        if kind == Kind::File
            && wanted(&name)
            && let Ok(found) = statat(opened, entry.file_name(), AtFlags::empty())
        {
            looked.push((name.clone(), stat_of(&found)));
        }
        entries.push(Entry { name, odd_name, kind });
    }
    Ok((entries, looked))
}

#[cfg(target_os = "linux")]
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the kernel's numbers have another width on each kind of machine"
)]
fn stat_of(found: &rustix::fs::Stat) -> Stat {
    let seconds = |seconds| i64::try_from(seconds).unwrap_or(i64::MAX);
    let part = |part| i64::try_from(part).unwrap_or(0);
    Stat {
        kind: kind_of(found),
        device: u64::from(found.st_dev),
        inode: u64::from(found.st_ino),
        size: u64::try_from(found.st_size).unwrap_or(0),
        mtime: nanos(seconds(found.st_mtime), part(found.st_mtime_nsec)),
        ctime: nanos(seconds(found.st_ctime), part(found.st_ctime_nsec)),
        mode: found.st_mode & 0o7777,
    }
}

/// Lists an open folder.
#[cfg(not(target_os = "linux"))]
pub(super) fn list(folder: impl AsFd, _wanted: impl Fn(&str) -> bool) -> io::Result<Looked> {
    use rustix::fs::{AtFlags, Dir, FileType, statat};

    let folder = folder.as_fd();
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let raw_name = entry.file_name().to_bytes();
        if matches!(raw_name, b"." | b"..") {
            continue;
        }
        let (name, odd_name) = named(raw_name);
        let kind = match entry.file_type() {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Unknown => {
                let found = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                found.map_or(Kind::Other, |found| kind_of(&found))
            }
            _ => Kind::Other,
        };
        entries.push(Entry { name, odd_name, kind });
    }
    Ok((entries, Vec::new()))
}

/// A name as an entry says it, and whether that is not how it is written.
fn named(raw: &[u8]) -> (String, bool) {
    match std::str::from_utf8(raw) {
        Ok(name) => (name.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(raw).into_owned(), true),
    }
}

/// What the system's answer says that something is.
pub(super) fn kind_of(found: &rustix::fs::Stat) -> Kind {
    use rustix::fs::FileType;

    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}
