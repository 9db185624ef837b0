//! The schema and how an older file gets to it. One migration a file, each in a transaction with the number that it leads
//! to; what was released is never edited.

use rusqlite::{Connection, TransactionBehavior};

use super::{LedgerError, error::Context};

/// Tells a ledger from any other SQLite file: `SKkp`, in the header.
pub(super) const APPLICATION: i32 = 0x534b_6b70;

/// The migrations in order: the first leads to version 1.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
];

/// The version that this program writes.
pub(super) fn newest() -> i32 {
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// The version of an open file; one that is only read may be older than ours.
pub(super) fn version(all: &Connection) -> rusqlite::Result<i32> {
    all.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Brings a file to the newest version, step by step. Of two that do it at once, one does.
pub(super) fn migrate(connection: &mut Connection, context: &Context) -> Result<(), LedgerError> {
    loop {
        if context.map(version(connection))? >= newest() {
            return Ok(());
        }
        let step =
            context.map(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
        // Somebody else may have taken it meanwhile.
        let from = context.map(version(&step))?;
        let Some(sql) = usize::try_from(from).ok().and_then(|at| MIGRATIONS.get(at)) else {
            continue;
        };
        context.map(step.execute_batch(sql))?;
        context.map(step.pragma_update(None, "user_version", from + 1))?;
        context.map(step.pragma_update(None, "application_id", APPLICATION))?;
        context.map(step.commit())?;
    }
}
