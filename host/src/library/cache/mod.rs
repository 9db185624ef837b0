//! The facts of files that have not changed, so that they need not be opened. One file for all sets of roots; it can be
//! lost at any time, and nothing but speed is lost with it.
//!
//! *Invariant*: facts are found by the path and the identity of their file, never by one of them alone, and an entry
//! that could have been written in the same moment as its file is not believed.

mod format;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::{Deserialize, Serialize};

pub use self::format::Identity;
use self::format::{Damage, Entry, Store};
use crate::{
    skill::{Facts, OneLine},
    system::{Stat, System},
};

/// What was found of the cache, or why it could not be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CacheState {
    /// It was asked for none.
    #[default]
    Off,
    /// It was read.
    Fresh,
    /// There was none yet.
    Absent,
    /// It was written by another version of the program, or by another program.
    Foreign,
    /// It was cut off or damaged.
    Truncated,
    /// It could not be read or written, for this reason.
    Unwritable(String),
}

/// What is kept of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "nearly all are the large one, and none is kept")]
pub(super) enum Payload {
    /// A SKILL.md's facts.
    Skill(Facts),
    /// A DESCRIPTION.md's description.
    Note(Option<OneLine>),
    /// The path that a file holds, if it holds nothing else.
    Path(Option<OneLine>),
}

/// Bytes of a cache file that are read: some 400,000 skills.
const LARGEST: u64 = 512 * 1024 * 1024;

/// Entries below other roots that are kept.
const MOST_OTHERS: usize = 200_000;

/// Nanoseconds in which a file may change again without a new time: file systems count in steps of up to two seconds.
const RACY: i128 = 2_000_000_000;

/// Whether what is read of a file at this moment, in nanoseconds since 1970, belongs to this state of it for good: a file that
/// was changed just now could change again, and look the same.
#[must_use]
pub fn is_settled(stat: &Stat, moment: i128) -> bool {
    stat.ctime < moment - RACY && (stat.mtime - moment).abs() > RACY
}

/// The cache of one scan.
pub(super) struct Cache {
    file: Option<PathBuf>,
    state: CacheState,
    store: Store,
    /// Which of the stored entries are still those of their files.
    seen: Vec<AtomicBool>,
    learned: Mutex<Vec<Entry>>,
}

impl Cache {
    /// Reads the cache, if there is one.
    pub(super) fn open(system: &dyn System, file: Option<&Path>) -> Cache {
        let (state, store) = match file {
            None => (CacheState::Off, Store::default()),
            Some(file) => match system.read(file, LARGEST) {
                Ok(bytes) => match Store::read(bytes) {
                    Ok(store) => (CacheState::Fresh, store),
                    Err(Damage::Foreign) => (CacheState::Foreign, Store::default()),
                    Err(Damage::Truncated) => (CacheState::Truncated, Store::default()),
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    (CacheState::Absent, Store::default())
                }
                Err(error) => (CacheState::Unwritable(error.to_string()), Store::default()),
            },
        };
        let seen = (0..store.len()).map(|_| AtomicBool::new(false)).collect();
        Cache { file: file.map(Path::to_owned), state, store, seen, learned: Mutex::default() }
    }

    /// What is known of a file, if it is what it was.
    pub(super) fn get(&self, path: &Path, stat: &Stat) -> Option<Payload> {
        let (number, entry) = self.store.find(path.as_os_str().as_encoded_bytes())?;
        if !entry.trusted || entry.identity != Identity::of(stat) {
            return None;
        }
        let payload = entry.payload()?;
        if let Some(seen) = self.seen.get(number) {
            seen.store(true, Ordering::Relaxed);
        }
        Some(payload)
    }

    /// Keeps what was read of a file at this moment.
    pub(super) fn learn(&self, path: &Path, stat: &Stat, moment: i128, payload: &Payload) {
        if self.file.is_none() {
            return;
        }
        let trusted = is_settled(stat, moment);
        let path = path.as_os_str().as_encoded_bytes();
        if let Some(entry) = Entry::new(path, Identity::of(stat), trusted, payload) {
            self.learned.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        }
    }

    /// Writes the cache if something changed, and says what became of it. Entries below the folders that were searched
    /// are kept only if they were seen; others belong to other sets of roots.
    pub(super) fn close(self, system: &dyn System, searched: &[PathBuf]) -> CacheState {
        let Some(file) = &self.file else { return CacheState::Off };
        let learned = self.learned.into_inner().unwrap_or_else(PoisonError::into_inner);
        let damaged = matches!(self.state, CacheState::Foreign | CacheState::Truncated);
        // The usual run: everything was found as it was, so that nothing has to be compared.
        if learned.is_empty()
            && !damaged
            && self.seen.iter().all(|seen| seen.load(Ordering::Relaxed))
        {
            return self.state;
        }
        let learned = format::sorted(learned);
        let mut kept = Vec::new();
        let (mut others, mut changed) = (0, false);
        for (number, entry) in self.store.entries().enumerate() {
            let seen = self.seen.get(number).is_some_and(|seen| seen.load(Ordering::Relaxed));
            let again = format::position(&learned, &entry);
            let mine = || searched.iter().any(|top| is_below(entry.path, top));
            if let Some(again) = again {
                changed |= learned.get(again).is_none_or(|new| new.bytes() != entry.bytes);
            } else if seen {
                kept.push(entry);
            } else if mine() || others >= MOST_OTHERS {
                changed = true;
            } else {
                others += 1;
                kept.push(entry);
            }
        }
        let grown = learned.len() + kept.len() > self.store.len();
        if !(changed || grown || damaged) {
            return self.state;
        }
        match system.replace_cache(file, &format::write(&kept, &learned)) {
            Ok(()) => self.state,
            Err(error) => CacheState::Unwritable(error.to_string()),
        }
    }
}

fn is_below(path: &[u8], top: &Path) -> bool {
    let top = top.as_os_str().as_encoded_bytes();
    path.strip_prefix(top).is_some_and(|rest| rest.starts_with(b"/") || top.ends_with(b"/"))
}
