//! Copies of the ledger: one a day at most, verified before it counts, a few kept.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, backup::Backup};

use super::{Access, Ledger, LedgerError, error::Context, file, open::WAIT};
use crate::skill::Instant;

const DAY: i64 = 24 * 60 * 60;

impl Ledger {
    /// Takes a backup where the newest one is a day old, and lets the oldest go beyond `keep`. For whoever has written, when
    /// the work is done. Nothing where none was due. A clock that was set back makes one due.
    ///
    /// # Errors
    /// Where the copy can't be made or isn't whole; older ones are then left alone.
    pub fn back_up(&self, now: Instant, keep: usize) -> Result<Option<PathBuf>, LedgerError> {
        let folder = folder_of(&self.context.path);
        let (today, past) = (file::stamp(now), file::stamp(Instant(now.0.saturating_sub(DAY))));
        let name = |stamp: &str| format!("keep-{stamp}.db");
        let is_recent = backups(&self.context.path).last().is_some_and(|newest| {
            let newest = newest.file_name().map(|name| name.to_string_lossy().into_owned());
            newest.is_some_and(|newest| name(&past) < newest && newest <= name(&today))
        });
        if is_recent {
            return Ok(None);
        }
        file::make_folder(&folder)?;
        let target = folder.join(name(&today));
        let partial = file::beside(&target, &format!(".{}.part", std::process::id()));
        let copied = self.copy_to(&partial).and_then(|()| verify(&partial));
        if let Err(error) = copied.and_then(|()| file::put_in_place(&partial, &target)) {
            file::remove(&partial)?;
            return Err(error);
        }
        let all = backups(&self.context.path);
        for old in all.iter().rev().skip(keep.max(1)).filter(|old| **old != target) {
            file::remove(old)?;
        }
        Ok(Some(target))
    }

    fn copy_to(&self, target: &Path) -> Result<(), LedgerError> {
        let context = Context { path: target.to_owned(), wait: WAIT };
        file::remove(target)?;
        file::make_private(target)?;
        let mut copy = context.map(Connection::open(target))?;
        let connection = self.connection();
        let all = Backup::new(&connection, &mut copy).and_then(|backup| {
            // In one step, so that a writer beside us can't make it start again.
            backup.step(-1).map(drop)
        });
        context.map(all)?;
        // A backup is one file, without a log.
        let mode = copy
            .pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0));
        context.map(mode).map(drop)
    }
}

/// Copies a backup that is whole.
pub(super) fn copy(backup: &Path, target: &Path) -> Result<(), LedgerError> {
    verify(backup)?;
    let context = Context { path: backup.to_owned(), wait: WAIT };
    let connection = super::open::connect(&context, Access::Read)?;
    Ledger::over(connection, context).copy_to(target)?;
    verify(target)
}

/// Whether a backup is whole.
///
/// # Errors
/// Where it isn't, or can't be read.
pub fn is_whole(backup: &Path) -> Result<(), LedgerError> {
    verify(backup)
}

/// The backups of the ledger at a path, oldest first.
#[must_use]
pub fn backups(ledger: &Path) -> Vec<PathBuf> {
    file::named(&folder_of(ledger), "keep-", ".db")
}

fn folder_of(ledger: &Path) -> PathBuf {
    ledger.parent().unwrap_or(Path::new("")).join("backups")
}

fn verify(path: &Path) -> Result<(), LedgerError> {
    let context = Context { path: path.to_owned(), wait: WAIT };
    match file::look(path)? {
        file::Looks::Ledger(version) => super::open::refuse_newer(path, version)?,
        file::Looks::Foreign(found) => {
            return Err(LedgerError::Foreign { path: context.path, found });
        }
        file::Looks::Damaged(found) => return Err(context.damaged(found)),
        file::Looks::Missing | file::Looks::Empty => {
            return Err(LedgerError::Missing { path: context.path });
        }
    }
    let connection = super::open::connect(&context, Access::Read)?;
    let words = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    match context.map::<String>(words)? {
        words if words == "ok" => Ok(()),
        words => Err(context.damaged(words)),
    }
}
