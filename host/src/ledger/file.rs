//! The ledger's file from outside: what its header says, how it is made private, set aside, listed with its backups.
//! SQLite opens and writes it itself; no content is read or written here but the header.

#![allow(
    clippy::disallowed_methods,
    reason = "SQLite goes to the disk by itself, and what lies beside its file is the ledger's own; no root is touched"
)]

use std::{
    ffi::OsString,
    fs,
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{LedgerError, error::io_error, schema};
use crate::skill::Instant;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// What a look at the first hundred bytes and the length comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// Nothing is there.
    Missing,
    /// A file without a byte.
    Empty,
    /// A ledger, of this version.
    Ledger(i32),
    /// A ledger once, or a part of one.
    Damaged(String),
    /// Something else.
    Foreign(String),
}

/// Looks at a file without SQLite, in one short read: all that is checked at each opening.
pub(super) fn look(path: &Path) -> Result<Looks, LedgerError> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Looks::Missing),
        Err(error) => return Err(io_error("opening", path)(error)),
    };
    let found = file.metadata().map_err(io_error("reading", path))?;
    if !found.is_file() {
        return Ok(Looks::Foreign("it is no regular file".to_owned()));
    }
    let mut bytes = Vec::with_capacity(HEADER);
    let read = file.by_ref().take(HEADER as u64).read_to_end(&mut bytes);
    read.map_err(io_error("reading", path))?;
    Ok(judge(&bytes, found.len(), length(&beside(path, "-wal")) > 0))
}

/// `logged` says whether pages may still lie in the log: the file may then be shorter than its header says.
fn judge(header: &[u8], length: u64, logged: bool) -> Looks {
    let number = |at: usize| {
        let bytes = header.get(at..at + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
        bytes.map(u32::from_be_bytes)
    };
    let signed = |at: usize| number(at).map(u32::cast_signed);
    if header.is_empty() {
        return Looks::Empty;
    }
    let named = header.starts_with(MAGIC);
    let (Some(version), Some(application)) = (signed(60), signed(68)) else {
        return if named || MAGIC.starts_with(header) {
            Looks::Damaged(format!("it was cut to {length} bytes"))
        } else {
            Looks::Foreign("it is no SQLite file".to_owned())
        };
    };
    match (named, application == schema::APPLICATION) {
        (true, true) => {}
        (false, true) => return Looks::Damaged("its first bytes were changed".to_owned()),
        (false, false) => return Looks::Foreign("it is no SQLite file".to_owned()),
        (true, false) => {
            return Looks::Foreign("it is a SQLite file of another program".to_owned());
        }
    }
    if version < 1 {
        return Looks::Damaged(format!("its version is {version}"));
    }
    // A file that claims to be for later programs would only be read.
    if !matches!(header.get(18..20), Some([1 | 2, 1 | 2])) {
        return Looks::Damaged("its format is neither of SQLite's two".to_owned());
    }
    let page = match header.get(16..18) {
        Some([0, 1]) => 65_536,
        Some([high, low]) => u64::from(u16::from_be_bytes([*high, *low])),
        _ => 0,
    };
    // SQLite believes its own count of pages only where both counters agree.
    let pages = if number(24) == number(92) { number(28).unwrap_or(0) } else { 0 };
    let expected = page * u64::from(pages);
    if !logged && length < expected {
        return Looks::Damaged(format!("it was cut to {length} of {expected} bytes"));
    }
    Looks::Ledger(version)
}

/// A file's length; nothing is 0 bytes long.
pub(super) fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// `<path><suffix>`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Makes the folder of a file (0700), where it isn't there.
pub(super) fn make_room(path: &Path) -> Result<(), LedgerError> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => make_folder(folder),
        None => Ok(()),
    }
}

/// Makes the folder (0700) and the file (0600), each where it isn't there. SQLite gives the log the file's permissions.
pub(super) fn make_private(path: &Path) -> Result<(), LedgerError> {
    make_room(path)?;
    let file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    file.map(drop).map_err(io_error("making", path))
}

pub(super) fn make_folder(folder: &Path) -> Result<(), LedgerError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(io_error("making", folder))
}

/// Makes what was made and moved in a folder durable.
pub(super) fn sync_folder(folder: &Path) -> Result<(), LedgerError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(io_error("syncing", folder))
}

/// Keeps others from making, setting aside or restoring the same file; let go when dropped.
pub(super) fn guard(path: &Path, wait: Duration) -> Result<fs::File, LedgerError> {
    let lock = beside(path, ".lock");
    let file = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&lock);
    let file = file.map_err(io_error("making", &lock))?;
    let pause = Duration::from_millis(20);
    for _ in 0..=wait.as_millis() / pause.as_millis() {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(pause),
            Err(fs::TryLockError::Error(error)) => return Err(io_error("locking", &lock)(error)),
        }
    }
    Err(LedgerError::Busy { path: path.to_owned(), waited: wait })
}

/// Moves a file with its log out of the way, to a name that nobody has. The log goes first: a new file never meets it.
pub(super) fn set_aside(path: &Path, now: Instant) -> Result<PathBuf, LedgerError> {
    let stamp = stamp(now);
    let target = (0..1_000)
        .map(|number| match number {
            0 => beside(path, &format!(".damaged-{stamp}")),
            _ => beside(path, &format!(".damaged-{stamp}-{number}")),
        })
        .find(|target| !exists(target) && !exists(&beside(target, "-wal")))
        .ok_or_else(|| LedgerError::Io {
            doing: "setting aside",
            path: path.to_owned(),
            source: io::ErrorKind::AlreadyExists.into(),
        })?;
    let wal = beside(path, "-wal");
    if exists(&wal) {
        fs::rename(&wal, beside(&target, "-wal")).map_err(io_error("setting aside", &wal))?;
    }
    if exists(path) {
        fs::rename(path, &target).map_err(io_error("setting aside", path))?;
    }
    // An index over the log that was moved: made again by whoever needs it.
    let _gone = fs::remove_file(beside(path, "-shm"));
    sync_folder(path.parent().unwrap_or(Path::new("")))?;
    Ok(target)
}

/// Puts a finished file in the place of another.
pub(super) fn put_in_place(from: &Path, to: &Path) -> Result<(), LedgerError> {
    fs::rename(from, to).map_err(io_error("moving", from))?;
    sync_folder(to.parent().unwrap_or(Path::new("")))
}

/// Removes a file of the ledger's own, such as an old backup.
pub(super) fn remove(path: &Path) -> Result<(), LedgerError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io_error("removing", path)(error))
        }
        _ => Ok(()),
    }
}

/// The files of a folder whose names begin and end like that, by name.
pub(super) fn named(folder: &Path, begin: &str, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(begin) && name.ends_with(end))
        .map(|name| folder.join(name))
        .collect();
    found.sort();
    found
}

/// `20260813T120000Z`: a time that sorts by name, for file names.
pub(super) fn stamp(at: Instant) -> String {
    at.to_string().replace(['-', ':'], "")
}

/// Tries what SQLite could not do and said no more of: to write beside a file, and make it durable. The system's own error
/// says why not.
pub(super) fn try_to_write(path: &Path) -> io::Result<()> {
    use std::io::Write;

    let trial = beside(path, &format!(".{}.trial", std::process::id()));
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&trial)?;
    let written = (&file).write_all(&[0; 1 << 16]).and_then(|()| file.sync_all());
    fs::remove_file(&trial).and(written)
}

/// Tries to open a file and says why that can't be.
pub(super) fn try_to_open(path: &Path) -> io::Result<()> {
    fs::File::open(path).map(drop)
}

/// Whether a byte is left of a file or of its log.
pub(super) fn is_anything(path: &Path) -> bool {
    length(path) > 0 || length(&beside(path, "-wal")) > 0
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use super::{Looks, judge, stamp};
    use crate::{ledger::schema, skill::Instant};

    fn header() -> Vec<u8> {
        let mut header = vec![0; 100];
        header[..16].copy_from_slice(super::MAGIC);
        header[16..18].copy_from_slice(&4_096_u16.to_be_bytes());
        header[18..20].fill(2);
        header[28..32].copy_from_slice(&3_u32.to_be_bytes());
        header[60..64].copy_from_slice(&1_i32.to_be_bytes());
        header[68..72].copy_from_slice(&schema::APPLICATION.to_be_bytes());
        header
    }

    #[test]
    fn a_header_tells_a_ledger_from_a_cut_a_changed_and_a_foreign_file() {
        let edit = |at: usize, byte: u8| {
            let mut header = header();
            header[at] = byte;
            header
        };
        let damaged = |words: &str| Looks::Damaged(words.to_owned());
        let foreign = |words: &str| Looks::Foreign(words.to_owned());
        for (name, header, length, logged, looks) in [
            ("whole", header(), 3 * 4_096, false, Looks::Ledger(1)),
            ("grown by a log", header(), 4_096, true, Looks::Ledger(1)),
            ("newer", edit(63, 9), 3 * 4_096, false, Looks::Ledger(9)),
            ("cut", header(), 8_192, false, damaged("it was cut to 8192 of 12288 bytes")),
            (
                "cut in its header",
                header()[..30].to_vec(),
                30,
                false,
                damaged("it was cut to 30 bytes"),
            ),
            ("cut in its name", header()[..3].to_vec(), 3, true, damaged("it was cut to 3 bytes")),
            ("no version", edit(63, 0), 12_288, false, damaged("its version is 0")),
            (
                "other format",
                edit(18, 0xfd),
                12_288,
                false,
                damaged("its format is neither of SQLite's two"),
            ),
            ("other name", edit(0, 0), 12_288, false, damaged("its first bytes were changed")),
            ("empty", Vec::new(), 0, false, Looks::Empty),
            ("text", b"hello".to_vec(), 5, false, foreign("it is no SQLite file")),
            ("long text", vec![b'x'; 100], 500, false, foreign("it is no SQLite file")),
            (
                "other's",
                edit(68, 0),
                12_288,
                false,
                foreign("it is a SQLite file of another program"),
            ),
        ] {
            assert_eq!(judge(&header, length, logged), looks, "{name}");
        }
    }

    #[test]
    fn a_stamp_sorts_as_its_time() {
        assert_eq!(stamp(Instant(1_786_622_400)), "20260813T120000Z");
    }
}
