//! A ledger that was damaged or lost: the one that begins anew in its place, and that it stands in for another until a
//! person has seen to it.

use std::path::{Path, PathBuf};

use rusqlite::OptionalExtension;

use super::{
    Access, Fault, Ledger, LedgerError, Opened, backup,
    error::Context,
    file,
    open::{WAIT, connect},
    schema,
};
use crate::skill::Instant;

const DAMAGED: &str = "damaged_since";

/// Numbers of changes, and of writes that wait, that are left out where some may have been given out that nobody knows any
/// more: `undo 12` must never mean another change than the one that was printed as 12.
const UNKNOWN: i64 = 1_000;

/// A ledger that was damaged or gone, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What was seen of the damage.
    pub found: String,
    /// Where it lies now with its log; nothing where nothing was left.
    pub aside: Option<PathBuf>,
    /// The backup that the new one was made from; nothing where it begins empty.
    pub backup: Option<PathBuf>,
    /// Newer backups that are damaged too.
    pub broken: Vec<PathBuf>,
}

/// What counts as damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// A file that SQLite can't read to its end: nothing else is worth a day's record without anybody having asked.
    File,
    /// What rows say too, such as words that mean nothing: for who was asked to begin anew.
    Anything,
}

impl Ledger {
    /// Since when this ledger stands in for one that was damaged or lost. Until it is accepted, nothing may be retired but
    /// by a person: what would speak against it may be lost.
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
    pub fn replace_damaged(
        path: &Path,
        counts: Damage,
        now: Instant,
    ) -> Result<Opened, LedgerError> {
        let context = Context { path: path.to_owned(), wait: WAIT };
        let lost = {
            let _guard = file::guard(path, context.wait)?;
            damage(&context, counts)?.map(|found| begin_anew(path, found, now)).transpose()?
        };
        let opened = Ledger::open(path, Access::Again)?;
        Ok(Opened { lost: opened.lost.or(lost), ..opened })
    }

    /// Marks a ledger as one that stands in for another, of which all that came later is not known: nobody goes on with what
    /// was begun in it long ago, roots are asked for what they know (they are owned no more, until somebody looks), and no
    /// number of a change is given out twice.
    fn stand_in(&self, now: Instant) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put =
                all.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
            put.execute((DAMAGED, now.0.to_string()))?;
            all.execute("UPDATE changes SET phase = 'abandoned' WHERE phase = 'open'", [])?;
            all.execute("UPDATE roots SET owned = 0", [])?;
            // What lies in them by now may be anybody's: it is looked at once before anything waits to be accepted.
            all.execute("DELETE FROM meta WHERE key LIKE 'watched-%'", [])?;
            for numbered in ["changes", "pending"] {
                let leapt = all.execute(
                    "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1",
                    (numbered, UNKNOWN),
                )?;
                if leapt == 0 {
                    all.execute(
                        "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)",
                        (numbered, UNKNOWN),
                    )?;
                }
            }
            Ok(())
        })
    }
}

/// Sets aside what is left of a ledger, and lays a new one in its place: of the newest backup that is whole, or empty. It is
/// complete before it gets its name, so that whoever is cut off here begins here again. For who holds the guard.
pub(super) fn begin_anew(path: &Path, found: String, now: Instant) -> Result<Lost, LedgerError> {
    let aside = file::is_anything(path).then(|| file::set_aside(path, now)).transpose()?;
    let partial = file::beside(path, &format!(".{}.part", std::process::id()));
    let mut lost = Lost { found, aside, backup: None, broken: Vec::new() };
    for backup in super::backups(path).into_iter().rev() {
        if backup::copy(&backup, &partial).is_ok() {
            lost.backup = Some(backup);
            break;
        }
        lost.broken.push(backup);
    }
    if lost.backup.is_none() {
        file::remove(&partial)?;
        file::make_private(&partial)?;
    }
    {
        let context = Context { path: partial.clone(), wait: WAIT };
        let mut connection = connect(&context, Access::Write)?;
        schema::migrate(&mut connection, &context)?;
        Ledger::over(connection, context).stand_in(now)?;
    }
    file::put_in_place(&partial, path)?;
    Ok(lost)
}

/// What a full look finds first that can't be mended in place.
fn damage(context: &Context, counts: Damage) -> Result<Option<String>, LedgerError> {
    if !matches!(file::look(&context.path)?, file::Looks::Ledger(_)) {
        // Opening deals with it.
        return Ok(None);
    }
    let looked = connect(context, Access::Write)
        .and_then(|connection| Ledger::over(connection, context.clone()).check());
    match looked {
        Ok(faults) => Ok(faults.into_iter().find_map(|fault| match fault {
            Fault::File(words) => Some(words),
            Fault::Sums(_) | Fault::NoSkill(_) => None,
            fault => (counts == Damage::Anything).then(|| fault.to_string()),
        })),
        Err(LedgerError::Damaged { found, .. }) => Ok(Some(found)),
        Err(error) => Err(error),
    }
}
