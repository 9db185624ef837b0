//! Bytes that a write which waits named before it was put on a newer text. No row names them any more, and without this
//! nobody would ever let them go.

use rusqlite::Connection;

use super::{Digest, Ledger, LedgerError, open::Stop, schema, words::Sql};
use crate::skill::SkillId;

/// The version that they came with.
const VERSION: i32 = 6;

impl Ledger {
    /// Their hashes, in order, each with the skill that the write is for. They may be gone, or needed by something else.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn former_objects(&self) -> Result<Vec<(Digest, SkillId)>, LedgerError> {
        self.read(|all| {
            // A reader may meet a file from before there were any.
            if schema::version(all)? < VERSION {
                return Ok(Vec::new());
            }
            let mut ask =
                all.prepare_cached("SELECT digest, skill FROM former_objects ORDER BY 1, 2")?;
            let found = ask.query_map([], |row| {
                Ok((row.get::<_, Sql<Digest>>(0)?.0, row.get::<_, Sql<SkillId>>(1)?.0))
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Forgets those that were let go.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn forget_objects(&self, gone: &[Digest]) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put = all.prepare_cached("DELETE FROM former_objects WHERE digest = ?1")?;
            gone.iter().try_for_each(|digest| put.execute([Sql(*digest)]).map(drop))?;
            Ok(())
        })
    }
}

/// Remembers them.
pub(super) fn remember(all: &Connection, skill: SkillId, former: &[Digest]) -> Result<(), Stop> {
    let mut put =
        all.prepare_cached("INSERT OR IGNORE INTO former_objects (digest, skill) VALUES (?1, ?2)")?;
    former.iter().try_for_each(|digest| put.execute((Sql(*digest), Sql(skill))).map(drop))?;
    Ok(())
}
