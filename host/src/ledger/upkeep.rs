//! What is done now and then: sums computed again, roots asked anew, and when objects were last swept.

use std::collections::BTreeSet;

use rusqlite::OptionalExtension;

use super::{Digest, Ledger, LedgerError, check::computed, usage::add_sums, words::Sql};
use crate::skill::Instant;

const SWEPT: &str = "swept";
const DAY: i64 = 24 * 60 * 60;

impl Ledger {
    /// Computes all sums again from the events, and has every root asked again what it remembers.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn renew(&self) -> Result<(), LedgerError> {
        self.write(|all| {
            let computed = computed(all)?;
            all.execute("DELETE FROM sums", [])?;
            computed.iter().try_for_each(|(skill, sums)| add_sums(all, *skill, sums))?;
            all.execute("UPDATE roots SET owned = 0", [])?;
            Ok(())
        })
    }

    /// Whether a day is over since objects were last swept. A clock that was set back makes a sweep due.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn is_sweep_due(&self, now: Instant) -> Result<bool, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            let last: Option<String> = ask.query_row([SWEPT], |row| row.get(0)).optional()?;
            let last: Option<i64> = last.and_then(|last| last.parse().ok());
            Ok(last.is_none_or(|last| !(now.0.saturating_sub(DAY)..=now.0).contains(&last)))
        })
    }

    /// Objects were swept.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn swept(&self, now: Instant) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put =
                all.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
            put.execute((SWEPT, now.0.to_string()))?;
            Ok(())
        })
    }

    /// Objects that decisions name.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn objects_of_decisions(&self) -> Result<BTreeSet<Digest>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT object FROM exposures")?;
            let found = ask.query_map([], |row| Ok(row.get::<_, Sql<Digest>>(0)?.0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }
}
