//! What can be wrong with the ledger, by what a caller would do about it. SQLite's own errors are told apart here, once.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{ErrorCode, ffi};

use super::{ChangeId, file};
use crate::skill::SkillId;

/// Why the ledger did not do what was asked. Whatever it is, nothing was done by half.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// It was to be read, and there is none.
    #[error("there is no ledger at `{path}`")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// Another process writes, and did so for as long as we waited.
    #[error("another process is writing to `{path}`, and did not let go within {waited:?}")]
    Busy {
        /// The ledger.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// The disk, or the quota, is full.
    #[error("no space is left for `{path}`, which is as it was")]
    Full {
        /// The ledger.
        path: PathBuf,
    },
    /// It may only be read.
    #[error("`{path}` may only be read, and was to be written")]
    ReadOnly {
        /// The ledger.
        path: PathBuf,
    },
    /// A newer program wrote it. It is not touched.
    #[error("`{path}` has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// The ledger.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The newest one that is known here.
        known: i32,
    },
    /// An older program wrote it, and it is only read: it doesn't tell what was asked.
    #[error("`{path}` has version {found}, and what was asked came with {needed}")]
    Older {
        /// The ledger.
        path: PathBuf,
        /// Its version.
        found: i32,
        /// The version that is needed.
        needed: i32,
    },
    /// It is somebody else's file. It is not touched.
    #[error("`{path}` is no ledger of this program: {found}")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
    /// Its content is damaged.
    #[error("the ledger `{path}` is damaged: {found}")]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// What was seen of the damage.
        found: String,
    },
    /// The operating system refused.
    #[error("{doing} `{path}` failed: {source}")]
    Io {
        /// What was done, such as `opening`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Its words.
        source: io::Error,
    },
    /// The ledger knows no such skill.
    #[error("the ledger knows no skill `{0}`")]
    UnknownSkill(SkillId),
    /// Something that was named is not there, or something is there already.
    #[error("the ledger refuses what contradicts it: {found}")]
    Contradiction {
        /// What.
        found: String,
    },
    /// A change is not in the phase that was expected.
    #[error("change {} is {found}, and {expected} was expected", id.0)]
    Phase {
        /// The change.
        id: ChangeId,
        /// What it is: `open`, `done`, `abandoned`, `undone by change 7`, `unknown`.
        found: String,
        /// What it should be.
        expected: &'static str,
    },
    /// Anything else that SQLite says.
    #[error("`{path}`: {source}")]
    Sqlite {
        /// The ledger.
        path: PathBuf,
        /// Its words.
        source: rusqlite::Error,
    },
}

impl LedgerError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            LedgerError::Missing { .. } => "skillkeep scan".to_owned(),
            LedgerError::Busy { .. } => {
                "try again once the other `skillkeep` is done; `ps -C skillkeep` lists them"
                    .to_owned()
            }
            LedgerError::Full { path } => format!("make room: df -h {}", path.display()),
            LedgerError::ReadOnly { path } => {
                format!("give yourself the right to write: chmod u+w {}", path.display())
            }
            LedgerError::Newer { .. } => {
                "use the newer skillkeep that wrote it, or another home: --home FOLDER".to_owned()
            }
            LedgerError::Older { .. } => "skillkeep scan".to_owned(),
            LedgerError::Foreign { path, .. } => {
                format!("move it out of the way: mv {0} {0}.other", path.display())
            }
            LedgerError::Damaged { .. } => {
                "to set it aside and begin anew from its newest backup: skillkeep scan --rebuild"
                    .to_owned()
            }
            LedgerError::Io { path, .. } | LedgerError::Sqlite { path, .. } => {
                format!(
                    "see what its disk says: df -h {}; then skillkeep check --ledger",
                    path.display()
                )
            }
            LedgerError::UnknownSkill(_) => "skillkeep scan".to_owned(),
            LedgerError::Contradiction { .. } => "skillkeep check --ledger".to_owned(),
            LedgerError::Phase { .. } => "skillkeep log".to_owned(),
        })
    }
}

/// Which file errors are about, and how long is waited for it.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) path: PathBuf,
    pub(super) wait: Duration,
}

impl Context {
    /// SQLite's result, with its error told apart.
    pub(super) fn map<T>(&self, result: rusqlite::Result<T>) -> Result<T, LedgerError> {
        result.map_err(|error| self.error(error))
    }

    pub(super) fn damaged(&self, found: impl Into<String>) -> LedgerError {
        LedgerError::Damaged { path: self.path.clone(), found: found.into() }
    }

    pub(super) fn error(&self, source: rusqlite::Error) -> LedgerError {
        let path = self.path.clone();
        match &source {
            // A value of another type than the schema has: no statement of ours wrote it.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => self.damaged(source.to_string()),
            rusqlite::Error::SqliteFailure(failure, words) => {
                let words = words.clone().unwrap_or_else(|| failure.to_string());
                match failure.code {
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                        LedgerError::Busy { path, waited: self.wait }
                    }
                    ErrorCode::DiskFull => LedgerError::Full { path },
                    ErrorCode::ReadOnly => LedgerError::ReadOnly { path },
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => self.damaged(words),
                    ErrorCode::ConstraintViolation => LedgerError::Contradiction { found: words },
                    ErrorCode::SystemIoFailure
                    | ErrorCode::CannotOpen
                    | ErrorCode::PermissionDenied => self.io(failure, words),
                    // Tables or columns that every version has are missing.
                    ErrorCode::Unknown
                        if words.starts_with("no such ") || words.contains("already exists") =>
                    {
                        self.damaged(words)
                    }
                    _ => LedgerError::Sqlite { path, source },
                }
            }
            // The same, found while a statement was prepared.
            rusqlite::Error::SqlInputError { msg, .. }
                if msg.starts_with("no such ") || msg.contains("malformed") =>
            {
                self.damaged(msg.clone())
            }
            _ => LedgerError::Sqlite { path, source },
        }
    }
}

impl Context {
    /// SQLite says `disk I/O error` of nearly everything: what it was about is in the extended code, and the system's own
    /// words come with another try.
    fn io(&self, failure: &ffi::Error, words: String) -> LedgerError {
        let path = self.path.clone();
        let (doing, tried) = match failure.extended_code {
            // The index over the log can't grow: it is kilobytes, so that no other reason is known.
            ffi::SQLITE_IOERR_SHMSIZE => return LedgerError::Full { path },
            ffi::SQLITE_IOERR_WRITE
            | ffi::SQLITE_IOERR_FSYNC
            | ffi::SQLITE_IOERR_DIR_FSYNC
            | ffi::SQLITE_IOERR_TRUNCATE => ("writing", file::try_to_write(&path)),
            _ if failure.code == ErrorCode::SystemIoFailure => ("reading", Ok(())),
            _ => ("opening", file::try_to_open(&path)),
        };
        let source = tried.err().unwrap_or_else(|| io::Error::other(words));
        io_error(doing, &path)(source)
    }
}

pub(super) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
    let path = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            LedgerError::ReadOnly { path }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LedgerError::Full { path },
        _ => LedgerError::Io { doing, path, source },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use std::{path::Path, time::Duration};

    use rusqlite::ffi;

    use super::{Context, LedgerError};

    #[test]
    fn a_bare_disk_error_is_told_by_what_the_system_says_of_another_try() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("keep.db");
        let nowhere = folder.path().join("no-folder/keep.db");
        let told = |path: &Path, code| {
            let context = Context { path: path.to_owned(), wait: Duration::ZERO };
            let words = Some("disk I/O error".to_owned());
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), words);
            let error = context.error(error);
            assert!(error.hint().is_some(), "{error}");
            assert!(error.to_string().contains("keep.db"), "{error}");
            error
        };
        assert!(matches!(told(&there, ffi::SQLITE_IOERR_SHMSIZE), LedgerError::Full { .. }));
        assert!(matches!(told(&there, ffi::SQLITE_FULL), LedgerError::Full { .. }));
        assert!(matches!(told(&there, ffi::SQLITE_READONLY), LedgerError::ReadOnly { .. }));
        for (path, code, doing, words) in [
            (&there, ffi::SQLITE_IOERR_WRITE, "writing", "disk I/O error"),
            (&nowhere, ffi::SQLITE_IOERR_FSYNC, "writing", "No such file"),
            (&there, ffi::SQLITE_IOERR_READ, "reading", "disk I/O error"),
            (&nowhere, ffi::SQLITE_CANTOPEN, "opening", "No such file"),
        ] {
            let error = told(path, code).to_string();
            assert!(error.starts_with(doing) && error.contains(words), "{error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
