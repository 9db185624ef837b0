//! The index's file: a SQLite database as it lies in memory, and behind it a word and a hash of all bytes before. It is read and
//! replaced as a whole, so that there is no state between two, nobody waits, and no damage goes unseen.
//!
//! *Invariant*: nothing of a file is believed, and none of it reaches SQLite, whose hash doesn't fit.

use std::{io, path::Path};

use xxhash_rust::xxh3::xxh3_64;

use crate::system::System;

/// `SKSr`: whose SQLite file it is.
pub(super) const APPLICATION: i32 = 0x534b_5372;

/// Changes with the tables, and with how texts become words.
pub(super) const VERSION: i32 = 1;

/// Bytes of a file that are read: more than a hundred thousand skills.
const LARGEST: u64 = 512 << 20;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const END: &[u8; 8] = b"skillend";
const TAIL: usize = END.len() + size_of::<u64>();
/// Bytes of SQLite's own head.
const HEAD: usize = 100;

/// What became of the file of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// There is no place for one.
    #[default]
    Off,
    /// It was read.
    Whole,
    /// There was none yet.
    Absent,
    /// An older program wrote it; it is made anew.
    Older,
    /// It was damaged, in this way; it is made anew.
    Damaged(String),
    /// A newer program wrote it. It is not touched.
    Newer,
    /// It is somebody else's file. It is not touched.
    Foreign,
    /// It can't be read, for this reason. It is not touched.
    Unreadable(String),
}

impl State {
    /// Whether the file may be replaced.
    #[must_use]
    pub fn may_be_written(&self) -> bool {
        matches!(self, State::Whole | State::Absent | State::Older | State::Damaged(_))
    }
}

/// Reads the file at a path: the database in it, if all of it is there.
pub(super) fn read(system: &dyn System, path: &Path) -> (State, Option<Vec<u8>>) {
    let mut bytes = match system.read(path, LARGEST + 1) {
        Ok(bytes) if bytes.len() as u64 > LARGEST => {
            return (State::Unreadable(format!("it has more than {LARGEST} bytes")), None);
        }
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (State::Absent, None),
        Err(error) => return (State::Unreadable(error.to_string()), None),
    };
    match judge(&bytes) {
        State::Whole => {
            bytes.truncate(bytes.len().saturating_sub(TAIL));
            (State::Whole, Some(bytes))
        }
        other => (other, None),
    }
}

/// Writes a database, at once.
pub(super) fn write(system: &dyn System, path: &Path, database: &[u8]) -> io::Result<()> {
    let length = database.len() + TAIL;
    if length as u64 > LARGEST {
        return Err(io::Error::other(format!(
            "it would have {length} bytes, and {LARGEST} are read"
        )));
    }
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(database);
    bytes.extend_from_slice(END);
    bytes.extend_from_slice(&xxh3_64(database).to_le_bytes());
    system.replace_cache(path, &bytes)
}

/// What bytes are, told by both of their ends: one of them may be cut off or changed.
fn judge(bytes: &[u8]) -> State {
    let (database, tail) = match bytes.len().checked_sub(TAIL) {
        Some(end) => bytes.split_at_checked(end).unwrap_or_default(),
        None => (bytes, [].as_slice()),
    };
    let number = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map(i32::from_be_bytes)
    };
    let named = bytes.starts_with(MAGIC);
    let ends = tail.starts_with(END);
    let ours = ends || (number(68) == Some(APPLICATION) && bytes.len() >= HEAD);
    if !ours {
        // A cut as short as that leaves nothing to tell whose it was, and nothing to lose.
        let cut = MAGIC.starts_with(bytes) || (named && bytes.len() < HEAD);
        return if cut { damaged(bytes) } else { State::Foreign };
    }
    let whole = ends && tail.get(END.len()..) == Some(xxh3_64(database).to_le_bytes().as_slice());
    match number(60) {
        Some(VERSION) if whole && named => State::Whole,
        Some(version) if version > VERSION && (whole || !ends) => State::Newer,
        Some(_) if whole => State::Older,
        _ => damaged(bytes),
    }
}

fn damaged(bytes: &[u8]) -> State {
    State::Damaged(match bytes.len() {
        0 => "it is empty".to_owned(),
        length => format!("its {length} bytes are not those that were written"),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use super::*;
    use crate::system::MemorySystem;

    fn database() -> Vec<u8> {
        let mut bytes = vec![7; 4_096];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[60..64].copy_from_slice(&VERSION.to_be_bytes());
        bytes[68..72].copy_from_slice(&APPLICATION.to_be_bytes());
        bytes
    }

    fn file(database: &[u8]) -> Vec<u8> {
        let system = MemorySystem::new();
        assert!(write(&system, Path::new("/f"), database).is_ok());
        system.read(Path::new("/f"), LARGEST).unwrap_or_default()
    }

    #[test]
    fn a_file_that_was_written_is_read_as_it_was() {
        let system = MemorySystem::new();
        assert_eq!(read(&system, Path::new("/f")), (State::Absent, None));
        system.write("/f", file(&database()));
        assert_eq!(read(&system, Path::new("/f")), (State::Whole, Some(database())));
    }

    #[test]
    fn no_flipped_bit_and_no_cut_is_taken_for_a_whole_file_or_for_anothers() {
        let whole = file(&database());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            assert!(matches!(judge(&bytes), State::Damaged(_)), "{at}: {:?}", judge(&bytes));
        }
        for length in (0..whole.len()).filter(|length| *length < 200 || length % 97 == 0) {
            let judged = judge(&whole[..length]);
            assert!(matches!(judged, State::Damaged(_)), "{length}: {judged:?}");
        }
    }

    #[test]
    fn others_and_newer_files_are_told_apart() {
        let version = |version: i32| {
            let mut bytes = database();
            bytes[60..64].copy_from_slice(&version.to_be_bytes());
            bytes
        };
        assert_eq!(judge(&file(&version(VERSION + 1))), State::Newer);
        assert_eq!(judge(&version(VERSION + 1)), State::Newer, "with another end");
        assert_eq!(judge(&file(&version(VERSION - 1))), State::Older);
        let mut other = database();
        other[68..72].fill(0);
        assert_eq!(judge(&other), State::Foreign);
        assert_eq!(judge(b"a letter to my aunt"), State::Foreign);
        assert_eq!(judge(&[b'x'; 5_000]), State::Foreign);
        for state in [State::Off, State::Newer, State::Foreign, State::Unreadable(String::new())] {
            assert!(!state.may_be_written(), "{state:?}");
        }
    }
}
