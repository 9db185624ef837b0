//! Records in the home: written once, read back, forgotten when their time is over.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Record, Shelf,
    packed::{ENDING, MOST, pack, unpack, write_json},
};
use crate::{
    ledger::{Decided, Digest, Ledger, LedgerError},
    skill::{Instant, SkillId},
    system::{At, Disk},
};

/// Days that a decision's record is kept. An agent's newest decision is kept however old it is: the next index asks for it.
pub const KEEP_DAYS: i64 = 90;

/// Days beyond these that may pass before records are swept: a sweep reads the folder, and need not be at each session.
const LEEWAY_DAYS: i64 = 1;

/// Seconds for which a file that no decision names may be one whose decision is just being written.
const FRESH: i128 = 3_600;

const DAY: i64 = 86_400;
const FOLDER: &str = "decisions";

/// The records of a home.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    disk: &'a dyn Disk,
    home: &'a Path,
}

/// Why a record can't be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The disk refuses.
    #[error("{doing} `{path}`: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It isn't there any more.
    #[error("its record `{0}` is gone")]
    Gone(PathBuf),
    /// It isn't what its name says.
    #[error("the record `{path}` is damaged: {found}")]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What was seen.
        found: String,
    },
    /// Another version of this program wrote it, in a form that this one doesn't read.
    #[error("its record has the form `{found}`, and `{expected}` was expected")]
    Form {
        /// The form that it has.
        found: String,
        /// The one that is read.
        expected: &'static str,
    },
    /// The ledger refuses.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// A decision that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The name of its record.
    pub name: Digest,
    /// Whether it was written now.
    pub anew: bool,
}

impl<'a> Records<'a> {
    /// Those of the home at this path, without links in it.
    #[must_use]
    pub fn new(disk: &'a dyn Disk, home: &'a Path) -> Records<'a> {
        Records { disk, home }
    }

    /// Keeps a decision: its shelf, its record and its row, in this order, so that what a row names is there. One that is
    /// the session's last already is not kept again.
    ///
    /// # Errors
    /// Where one of them can't be written; what was written before is swept one day.
    pub fn keep(
        &self,
        ledger: &Ledger,
        record: &Record,
        shelf: &Shelf,
        at: Instant,
    ) -> Result<Stored, RecordError> {
        let name = Self::name_of(record)?;
        let last = ledger.decision_of(&record.agent, &record.session)?;
        if last.is_some_and(|last| last.record == Some(name)) {
            return Ok(Stored { name, anew: false });
        }
        self.found(ledger.oldest_decision()?.is_none())?;
        self.put(record.shelf, shelf)?;
        self.put(name, record)?;
        self.synced("")?;
        let forms = record.known_forms(shelf);
        let mut counts = std::collections::BTreeMap::new();
        for form in &record.forms.chosen {
            *counts.entry(form.word().to_owned()).or_insert(0) += 1;
        }
        let decided = Decided {
            at,
            session: Some(record.session.clone()),
            agent: record.agent.clone(),
            record: Some(name),
            shelf: Some(record.shelf),
            counts,
        };
        ledger.decided(&decided, &forms)?;
        Ok(Stored { name, anew: true })
    }

    /// The name that a shelf has, or a record.
    ///
    /// # Errors
    /// None that is known of: what they hold can be written as JSON.
    pub fn name_of(shelf: &impl Serialize) -> Result<Digest, RecordError> {
        Digest::of_written(|into| write_json(shelf, into)).map_err(unwritten)
    }

    /// A decision's record and its shelf.
    ///
    /// # Errors
    /// Where one of them is gone or damaged.
    pub fn read(&self, decided: &Decided) -> Result<(Record, Shelf), RecordError> {
        let Some(name) = decided.record else {
            return Err(RecordError::Gone(self.home.join(FOLDER)));
        };
        let record: Record = self.get(name)?;
        let shelf = self.get(record.shelf)?;
        Ok((record, shelf))
    }

    /// Forgets decisions whose time is over, and removes files that none names, if any can have become due. How many files
    /// were removed.
    ///
    /// # Errors
    /// Where the ledger or the folder can't be read or written. What was forgotten stays so.
    pub fn sweep(&self, ledger: &Ledger, now: Instant) -> Result<usize, RecordError> {
        let due = |oldest: Instant| now.since(oldest) > (KEEP_DAYS + LEEWAY_DAYS) * DAY;
        if !ledger.oldest_decision()?.is_some_and(due) {
            return Ok(0);
        }
        ledger.forget_decisions(Instant(now.0.saturating_sub(KEEP_DAYS * DAY)))?;
        let named = ledger.named_by_decisions()?;
        let mut removed = 0;
        for entry in self.told("listing", "", self.disk.entries(self.at(FOLDER)))? {
            let digest = entry.name.strip_suffix(ENDING).and_then(Digest::from_hex);
            if digest.is_some_and(|digest| named.contains(&digest)) || self.is_fresh(&entry.name) {
                continue;
            }
            let below = format!("{FOLDER}/{}", entry.name);
            self.told("removing", &entry.name, self.disk.remove_file(self.at(&below)))?;
            removed += 1;
        }
        Ok(removed)
    }

    /// Files that hold texts of a skill: shelves on which it was, and those that can't be read.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn holding(&self, ledger: &Ledger, skill: SkillId) -> Result<Vec<Digest>, RecordError> {
        let mut holding = ledger.shelves()?;
        holding.retain(|name| match self.get::<Shelf>(*name) {
            Ok(shelf) => {
                let shown = shelf.skills.iter().map(|it| it.id);
                shown.chain(shelf.hidden.iter().map(|it| it.id)).any(|id| id == Some(skill))
            }
            Err(RecordError::Gone(_)) => false,
            Err(_) => true,
        });
        Ok(holding)
    }

    /// Erases files, for the sake of what stands in them. Decisions that name them stay, and say that theirs are gone.
    ///
    /// # Errors
    /// Where one is there and can't be removed.
    pub fn erase(&self, files: &[Digest]) -> Result<(), RecordError> {
        for name in files {
            let file = format!("{name}{ENDING}");
            let below = format!("{FOLDER}/{file}");
            match self.disk.remove_file(self.at(&below)) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                removed => self.told("erasing", &file, removed)?,
            }
        }
        if files.is_empty() { Ok(()) } else { self.synced("") }
    }

    /// Whether a file is so new that its decision may still be on its way.
    fn is_fresh(&self, name: &str) -> bool {
        let now = i128::from(self.disk.now().0) * 1_000_000_000;
        let stat = self.disk.stat(&self.home.join(FOLDER).join(name));
        stat.is_ok_and(|stat| now - stat.ctime < FRESH * 1_000_000_000)
    }

    /// Makes the folder. Before the first decision one that is there may be a dead process's, and not durable yet.
    fn found(&self, first: bool) -> Result<(), RecordError> {
        match self.disk.make_folder(self.at(FOLDER), 0o700) {
            Err(there) if there.kind() == io::ErrorKind::AlreadyExists && !first => Ok(()),
            Err(other) if other.kind() != io::ErrorKind::AlreadyExists => {
                self.told("making", "", Err(other))
            }
            _ => self.told("making", "", self.disk.sync_folder(self.at(""))),
        }
    }

    /// Packed while it is written: a shelf's JSON is several times as large as the shelf.
    fn put(&self, name: Digest, it: &impl Serialize) -> Result<(), RecordError> {
        let file = format!("{name}{ENDING}");
        let below = format!("{FOLDER}/{file}");
        if self.disk.held(self.at(&below)).is_ok() {
            return Ok(());
        }
        let packed = self.told("packing", &file, pack(it))?;
        let fresh = format!("{FOLDER}/new-{:016x}", self.disk.random());
        let written = self.disk.write_new(self.at(&fresh), &packed, 0o600);
        self.told("writing", &file, written)?;
        let named = self.disk.replace_with(self.at(&fresh), self.at(&below));
        self.told("writing", &file, named)
    }

    fn synced(&self, file: &str) -> Result<(), RecordError> {
        self.told("writing", file, self.disk.sync_folder(self.at(FOLDER)))
    }

    fn get<T: DeserializeOwned>(&self, name: Digest) -> Result<T, RecordError> {
        let file = format!("{name}{ENDING}");
        let below = format!("{FOLDER}/{file}");
        let path = self.home.join(&below);
        let packed = match self.disk.bytes(self.at(&below), MOST) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => {
                return Err(RecordError::Gone(path));
            }
            bytes => self.told("reading", &file, bytes)?,
        };
        let bytes = unpack(&path, &packed, name)?;
        let damaged = |found: String| RecordError::Damaged { path, found };
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))
    }

    fn at<'b>(&'b self, below: &'b str) -> At<'b> {
        At { top: self.home, below }
    }

    fn told<T>(
        &self,
        doing: &'static str,
        file: &str,
        result: io::Result<T>,
    ) -> Result<T, RecordError> {
        result.map_err(|source| {
            let path = self.home.join(FOLDER).join(file);
            RecordError::Io { doing, path, source }
        })
    }
}

fn unwritten(error: io::Error) -> RecordError {
    RecordError::Damaged { path: PathBuf::from(FOLDER), found: error.to_string() }
}
