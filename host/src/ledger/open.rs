//! The one connection manager: how a ledger is opened, who waits for whom, what is durable, and what becomes of a file
//! that is damaged, newer or somebody else's.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use super::{
    LedgerError, Lost, damage,
    error::Context,
    file::{self, Looks},
    schema,
};
use crate::{
    skill::Instant,
    system::{OsSystem, System},
};

/// How long is waited for another process that writes. A write takes milliseconds; a backup, far below a second.
pub(super) const WAIT: Duration = Duration::from_secs(10);

/// What a ledger is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read and write; what isn't there is made.
    Write,
    /// To read and write, in a home that had one: where there is none, it was lost.
    Again,
    /// To read: nothing is made, moved or changed in it.
    Read,
    /// To write to one that is there and whole: nothing is made, and nothing is set aside.
    Add,
}

/// A ledger, and what was found while it was opened.
#[derive(Debug)]
pub struct Opened {
    /// The ledger.
    pub ledger: Ledger,
    /// The one that was in its place, and was damaged or lost.
    pub lost: Option<Lost>,
    /// Its folder and its file may not be written at all, so it is read as if nobody else had it: what lies in a log beside
    /// it is not seen.
    pub immutable: bool,
}

/// The ledger. It may be shared by threads, which take turns; processes take turns by SQLite's own locks.
#[derive(Debug)]
pub struct Ledger {
    connection: Mutex<Connection>,
    pub(super) context: Context,
}

impl Ledger {
    /// Opens the ledger at a path; the real clock names what is set aside. To write, one that was lost is begun anew from
    /// its newest backup that is whole.
    ///
    /// # Errors
    /// Where there is none to read, it is newer or foreign (then it is not touched), damaged (to be read only), or the disk
    /// refuses.
    pub fn open(path: &Path, access: Access) -> Result<Opened, LedgerError> {
        Ledger::open_within(path, access, WAIT)
    }

    /// The same, and nobody is waited for longer than that, now or later.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn open_within(path: &Path, access: Access, wait: Duration) -> Result<Opened, LedgerError> {
        let context = Context { path: path.to_owned(), wait };
        match access {
            Access::Read => open_to_read(context),
            Access::Write => open_to_write(context, OsSystem.now(), false),
            Access::Again => open_to_write(context, OsSystem.now(), true),
            Access::Add => {
                is_readable(path)?;
                open_to_write(context, OsSystem.now(), false)
            }
        }
    }

    /// A ledger that is gone when it is dropped; for tests and simulation.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn in_memory() -> Result<Ledger, LedgerError> {
        let context = Context { path: PathBuf::from(":memory:"), wait: WAIT };
        let mut connection = context.map(Connection::open_in_memory())?;
        set_up(&connection, &context, Access::Write)?;
        schema::migrate(&mut connection, &context)?;
        Ok(Ledger::over(connection, context))
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.context.path
    }

    /// A number that is another one after somebody else wrote: by another process, or by another opening of the same file.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn version(&self) -> Result<i64, LedgerError> {
        let asked = self.connection().pragma_query_value(None, "data_version", |row| row.get(0));
        self.context.map(asked)
    }

    pub(super) fn over(connection: Connection, context: Context) -> Ledger {
        Ledger { connection: Mutex::new(connection), context }
    }

    /// Readers and a writer don't wait for each other; kept in the file.
    pub(super) fn to_wal(&self) -> Result<(), LedgerError> {
        let mode = self
            .connection()
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0));
        self.context.map(mode).map(drop)
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic between two statements left a transaction that was rolled back when it was dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks; all questions of one call see one state.
    pub(super) fn read<T>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, Stop>,
    ) -> Result<T, LedgerError> {
        let connection = self.connection();
        let begun = Transaction::new_unchecked(&connection, TransactionBehavior::Deferred);
        let all = self.context.map(begun)?;
        ask(&all).map_err(|stop| stop.told(&self.context))
    }

    /// Writes: all of it, durable on return, or nothing.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Stop>,
    ) -> Result<T, LedgerError> {
        let connection = self.connection();
        let begun = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate);
        let all = self.context.map(begun)?;
        let result = work(&all).map_err(|stop| stop.told(&self.context))?;
        self.context.map(all.commit())?;
        Ok(result)
    }
}

/// Why work in a transaction ended: SQLite's own error, or one of ours.
pub(super) enum Stop {
    Sqlite(rusqlite::Error),
    Ledger(Box<LedgerError>),
}

impl Stop {
    fn told(self, context: &Context) -> LedgerError {
        match self {
            Stop::Sqlite(error) => context.error(error),
            Stop::Ledger(error) => *error,
        }
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Stop {
        Stop::Sqlite(error)
    }
}

impl From<LedgerError> for Stop {
    fn from(error: LedgerError) -> Stop {
        Stop::Ledger(Box::new(error))
    }
}

fn open_to_write(context: Context, now: Instant, again: bool) -> Result<Opened, LedgerError> {
    let path = context.path.clone();
    if let Looks::Ledger(version) = file::look(&path)? {
        refuse_newer(&path, version)?;
        if version == schema::newest() {
            match connect(&context, Access::Write) {
                // Not even its schema can be read.
                Err(LedgerError::Damaged { .. }) => {}
                connected => return Ok(opened(connected?, context, None)),
            }
        }
    }
    file::make_room(&path)?;
    // From here on alone: two that find nothing, or damage, must not both act on it.
    let _guard = file::guard(&path, context.wait)?;
    let lost = match file::look(&path)? {
        Looks::Foreign(found) => return Err(LedgerError::Foreign { path, found }),
        Looks::Ledger(version) => {
            refuse_newer(&path, version)?;
            match connect(&context, Access::Write) {
                Err(LedgerError::Damaged { found, .. }) => Some(found),
                Ok(_) | Err(_) => None,
            }
        }
        Looks::Damaged(found) => Some(found),
        // Nothing was ever written, unless something is left of what was.
        looks @ (Looks::Empty | Looks::Missing) => (again || is_left(&path)).then(|| {
            if looks == Looks::Empty { "it is empty" } else { "it is missing" }.to_owned()
        }),
    };
    let lost = lost.map(|found| damage::begin_anew(&path, found, now)).transpose()?;
    file::make_private(&path)?;
    let mut connection = connect(&context, Access::Write)?;
    schema::migrate(&mut connection, &context)?;
    // Only now: a file that is cut while it is made is then empty, and not half a ledger with a log.
    let opened = opened(connection, context, lost);
    opened.ledger.to_wal()?;
    Ok(opened)
}

pub(super) fn refuse_newer(path: &Path, found: i32) -> Result<(), LedgerError> {
    let known = schema::newest();
    if found <= known {
        return Ok(());
    }
    Err(LedgerError::Newer { path: path.to_owned(), found, known })
}

/// Whether a log or a backup tells that an empty file, or none, was a ledger once.
fn is_left(path: &Path) -> bool {
    file::length(&file::beside(path, "-wal")) > 0 || !super::backups(path).is_empty()
}

fn is_readable(path: &Path) -> Result<(), LedgerError> {
    let path = path.to_owned();
    match file::look(&path)? {
        Looks::Missing | Looks::Empty => Err(LedgerError::Missing { path }),
        Looks::Foreign(found) => Err(LedgerError::Foreign { path, found }),
        Looks::Damaged(found) => Err(LedgerError::Damaged { path, found }),
        Looks::Ledger(version) => refuse_newer(&path, version),
    }
}

fn open_to_read(context: Context) -> Result<Opened, LedgerError> {
    is_readable(&context.path)?;
    let shared = connect(&context, Access::Read).and_then(|connection| {
        // The first question opens the log and its index, or can't.
        context.map(connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(())))?;
        Ok(connection)
    });
    match shared {
        Ok(connection) => Ok(opened(connection, context, None)),
        // A full disk has no room for the index over the log, and who reads needs none.
        Err(LedgerError::ReadOnly { .. } | LedgerError::Io { .. } | LedgerError::Full { .. }) => {
            let connection = connect_immutable(&context)?;
            Ok(Opened { immutable: true, ..opened(connection, context, None) })
        }
        Err(error) => Err(error),
    }
}

fn opened(connection: Connection, context: Context, lost: Option<Lost>) -> Opened {
    Opened { ledger: Ledger::over(connection, context), lost, immutable: false }
}

pub(super) fn connect(context: &Context, access: Access) -> Result<Connection, LedgerError> {
    let way = match access {
        Access::Write | Access::Again | Access::Add => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    // Its own mutexes aren't needed: threads take turns here.
    let flags = way | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = context.map(Connection::open_with_flags(&context.path, flags))?;
    set_up(&connection, context, access)?;
    Ok(connection)
}

/// Reads a file that nobody can write: no lock is taken and no log is looked at.
fn connect_immutable(context: &Context) -> Result<Connection, LedgerError> {
    use std::{fmt::Write, os::unix::ffi::OsStrExt};

    let mut uri = "file:".to_owned();
    for byte in context.path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte));
            }
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = context.map(Connection::open_with_flags(uri, flags))?;
    set_up(&connection, context, Access::Read)?;
    Ok(connection)
}

/// None of these reads or writes the file.
fn set_up(connection: &Connection, context: &Context, access: Access) -> Result<(), LedgerError> {
    let all = || {
        connection.busy_timeout(context.wait)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "foreign_keys", true)?;
        // A schema that was tampered with runs nothing.
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        // KiB, taken as needed. Changes go back and forth: what a hundred thousand skills come to fits. Who reads goes through
        // once, and a server keeps what it reads by.
        let cache = match access {
            Access::Write | Access::Again => -16_384,
            Access::Read | Access::Add => -2_048,
        };
        connection.pragma_update(None, "cache_size", cache)?;
        match access {
            // A commit that was acknowledged survives a loss of power.
            Access::Write | Access::Again | Access::Add => {
                connection.pragma_update(None, "synchronous", "FULL")
            }
            Access::Read => connection.pragma_update(None, "query_only", true),
        }
    };
    context.map(all())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Access, Context, Ledger, WAIT, connect_immutable};

    #[test]
    fn a_file_that_nobody_can_write_is_read_without_a_trace() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("keep #1 %.db");
        drop(Ledger::open(&path, Access::Write).unwrap());
        let before: Vec<_> = super::file::named(home.path(), "", "");
        let connection = connect_immutable(&Context { path: path.clone(), wait: WAIT }).unwrap();
        let roots: i64 =
            connection.query_row("SELECT count(*) FROM roots", [], |row| row.get(0)).unwrap();
        assert_eq!((roots, super::file::named(home.path(), "", "")), (0, before));
        assert!(connection.execute("DELETE FROM roots", []).is_err());
    }
}
