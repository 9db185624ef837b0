//! That a ledger was damaged, until a person has seen to it; and how a damage that was found late is dealt with.

use std::path::Path;

use rusqlite::OptionalExtension;

use super::{
    Access, Ledger, LedgerError, Opened, SetAside,
    error::Context,
    file,
    open::{WAIT, connect},
};
use crate::skill::Instant;

const DAMAGED: &str = "damaged_since";

impl Ledger {
    /// Since when this ledger stands in for one that was damaged. Until it is resolved, nothing may be retired: what would
    /// speak against it may be lost.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn damaged_since(&self) -> Result<Option<Instant>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            let found: Option<String> = ask.query_row([DAMAGED], |row| row.get(0)).optional()?;
            // A mark that can't be read is one nevertheless.
            Ok(found.map(|text| Instant(text.parse().unwrap_or(0))))
        })
    }

    pub(super) fn mark_damaged(&self, now: Instant) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put =
                all.prepare_cached("INSERT OR IGNORE INTO meta (key, value) VALUES (?1, ?2)")?;
            put.execute((DAMAGED, now.0.to_string()))?;
            Ok(())
        })
    }

    /// A person has seen to it: retirement is open again.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn resolve_damage(&self) -> Result<(), LedgerError> {
        self.write(|all| {
            all.execute("DELETE FROM meta WHERE key = ?1", [DAMAGED])?;
            Ok(())
        })
    }

    /// Deals with a damage that a call came upon ([`LedgerError::Damaged`]): looks at all of the file, and where it is
    /// damaged indeed, sets it aside and begins a new one. A ledger that is whole is opened as it is. Nobody else of this
    /// process may have it open.
    ///
    /// # Errors
    /// As [`Ledger::open`] to write.
    pub fn replace_damaged(path: &Path, now: Instant) -> Result<Opened, LedgerError> {
        let context = Context { path: path.to_owned(), wait: WAIT };
        let aside = {
            let _guard = file::guard(path, context.wait)?;
            match damage(&context)? {
                Some(found) => Some(SetAside { path: file::set_aside(path, now)?, found }),
                None => None,
            }
        };
        let mut opened = Ledger::open(path, Access::Write)?;
        if aside.is_some() {
            opened.ledger.mark_damaged(now)?;
            opened.set_aside = aside;
        }
        Ok(opened)
    }
}

/// What SQLite's own full look finds first.
fn damage(context: &Context) -> Result<Option<String>, LedgerError> {
    if !matches!(file::look(&context.path)?, file::Looks::Ledger(_)) {
        // Opening deals with it.
        return Ok(None);
    }
    let looked = connect(context, Access::Write).and_then(|connection| {
        let words = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        context.map::<String>(words)
    });
    match looked {
        Ok(words) if words == "ok" => Ok(None),
        Ok(found) | Err(LedgerError::Damaged { found, .. }) => Ok(Some(found)),
        Err(error) => Err(error),
    }
}
