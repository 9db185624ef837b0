//! Writes that waited for a person in another program and are taken into the queue: which record each came from, so that none
//! is taken twice, whatever became of it here. Nothing that waits is put out for them.

use rusqlite::{Connection, OptionalExtension, Row};

use super::{
    Digest, Ledger, LedgerError, Limits, NewPending, PendingId, open::Stop, queue, schema,
    words::Sql,
};
use crate::skill::SkillId;

/// The version that they came with.
const VERSION: i32 = 6;

/// A record of another program: a write that waits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteRecord {
    /// Whose, in a word: `hermes`.
    pub program: String,
    /// The home: an absolute path.
    pub place: String,
    /// Its file below that.
    pub file: String,
    /// Of its bytes.
    pub digest: Digest,
    /// Since when it waits, in the other program's words; nothing where it doesn't say.
    pub at: Option<String>,
}

/// A write of the queue, and the record that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenWrite {
    /// The record.
    pub record: WriteRecord,
    /// The write that it became.
    pub pending: PendingId,
}

/// Why there is no room in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// So many wait for its skill.
    #[error("{0} writes wait for its skill already, and none of them is put out for it")]
    OfSkill(usize),
    /// So many wait in all.
    #[error("{0} writes wait already, and none of them is put out for it")]
    InAll(usize),
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// It waits from now on.
    New(PendingId),
    /// The same write waited here before, and this is that one.
    Same(PendingId),
    /// It was taken before.
    Known(PendingId),
    /// It was not taken.
    Left(NoRoom),
}

impl Limits {
    /// Whether one more finds room where so many wait for its skill, and in all.
    ///
    /// # Errors
    /// Where it doesn't.
    pub fn room(&self, of_skill: usize, in_all: usize) -> Result<(), NoRoom> {
        if of_skill >= self.of_a_skill {
            Err(NoRoom::OfSkill(of_skill))
        } else if in_all >= self.in_all {
            Err(NoRoom::InAll(in_all))
        } else {
            Ok(())
        }
    }
}

impl Ledger {
    /// Takes a write of another program into the queue, with a mark of its record; durable on return. One that was taken
    /// before is not taken again, and where there is no room it is left.
    ///
    /// # Errors
    /// Where nothing was ever taken over from that place, its root is not known, or the ledger can't be written.
    pub fn take_write(
        &self,
        new: &NewPending,
        record: &WriteRecord,
        limits: Limits,
    ) -> Result<Took, LedgerError> {
        let steps = queue::as_json(&new.steps)?;
        self.write(|all| {
            let found = many(all, "taken_writes.digest = ?1", [Sql(record.digest)])?;
            if let Some(known) = found.first() {
                return Ok(Took::Known(known.pending));
            }
            if let Some(same) = queue::same(all, new)? {
                mark(all, record, same)?;
                return Ok(Took::Same(same));
            }
            let (of_skill, in_all) = counted(all, new.skill)?;
            if let Err(full) = limits.room(of_skill, in_all) {
                return Ok(Took::Left(full));
            }
            let id = queue::insert(all, new, &steps, None)?;
            mark(all, record, id)?;
            Ok(Took::New(id))
        })
    }

    /// The writes that were ever taken from other programs, by their numbers.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn taken_writes(&self) -> Result<Vec<TakenWrite>, LedgerError> {
        self.read(|all| many(all, "?1", [true]))
    }

    /// The record that a write of the queue came from, if another program had it first. Of several that say the same, one.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn taken_write(&self, id: PendingId) -> Result<Option<TakenWrite>, LedgerError> {
        self.read(|all| Ok(many(all, "pending = ?1", [Sql(id)])?.into_iter().next()))
    }
}

/// How many wait that are counted: for a skill, and in all.
fn counted(all: &Connection, skill: SkillId) -> Result<(usize, usize), Stop> {
    let mut ask = all.prepare_cached(&format!(
        "SELECT count(*) FILTER (WHERE skill = ?1), count(*) FROM pending WHERE {} AND verb <> 'outside'",
        queue::OPEN
    ))?;
    let count = |row: &Row<'_>, at| -> rusqlite::Result<usize> {
        Ok(usize::try_from(row.get::<_, i64>(at)?).unwrap_or(0))
    };
    Ok(ask.query_row([Sql(skill)], |row| Ok((count(row, 0)?, count(row, 1)?)))?)
}

fn mark(all: &Connection, record: &WriteRecord, pending: PendingId) -> Result<(), Stop> {
    let mut ask = all.prepare_cached("SELECT id FROM sources WHERE program = ?1 AND place = ?2")?;
    let source = ask.query_row((&record.program, &record.place), |row| row.get::<_, i64>(0));
    let Some(source) = source.optional()? else {
        let found = format!("nothing was ever taken over from `{}`", record.place);
        return Err(LedgerError::Contradiction { found }.into());
    };
    let mut put = all.prepare_cached(
        "INSERT INTO taken_writes (digest, source, file, at, pending) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    put.execute((Sql(record.digest), source, &record.file, &record.at, Sql(pending)))?;
    Ok(())
}

fn many(
    all: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<TakenWrite>, Stop> {
    // A reader may meet a file from before there were any.
    if schema::version(all)? < VERSION {
        return Ok(Vec::new());
    }
    let mut ask = all.prepare_cached(&format!(
        "SELECT program, place, file, taken_writes.digest, at, pending
         FROM taken_writes JOIN sources ON sources.id = source
         WHERE {which} ORDER BY pending, file"
    ))?;
    let read = |row: &Row<'_>| {
        let record = WriteRecord {
            program: row.get(0)?,
            place: row.get(1)?,
            file: row.get(2)?,
            digest: row.get::<_, Sql<_>>(3)?.0,
            at: row.get(4)?,
        };
        Ok(TakenWrite { record, pending: row.get::<_, Sql<_>>(5)?.0 })
    };
    Ok(ask.query_map(values, read)?.collect::<rusqlite::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{NoRoom, TakenWrite, Took, WriteRecord};
    use crate::{
        ledger::{
            Digest, Ledger, LedgerError, Limits, NewPending, PendingId, PendingState, RootId,
            Source, Takeover, Verb,
            tests::{fill, id},
        },
        skill::{Actor, Instant},
    };

    const LIMITS: Limits = Limits { of_a_skill: 2, in_all: 3, days: 30 };

    fn asked(root: RootId, skill: u64, wanted: &str) -> NewPending {
        NewPending {
            root,
            skill: id(skill),
            folder: skill.to_string(),
            verb: Verb::Write,
            actor: Actor::Review,
            session: None,
            reason: String::new(),
            at: Instant(1),
            wanted: wanted.to_owned(),
            steps: Vec::new(),
            origin: None,
            why: String::new(),
            judge: String::new(),
        }
    }

    fn record(bytes: &str) -> WriteRecord {
        WriteRecord {
            program: "hermes".to_owned(),
            place: "/h".to_owned(),
            file: format!("pending/skills/{bytes}.json"),
            digest: Digest::of(bytes.as_bytes()),
            at: Some("1.5".to_owned()),
        }
    }

    fn known() -> (Ledger, RootId) {
        let ledger = Ledger::in_memory().unwrap();
        let root = fill(&ledger, 3);
        let source = Source {
            program: "hermes".to_owned(),
            place: "/h".to_owned(),
            digest: Digest::of(b"1"),
            last: Instant(1),
            kept: "{}".to_owned(),
        };
        let nothing = Takeover {
            source,
            planned_on: 0,
            put_away: Vec::new(),
            events: Vec::new(),
            origins: Vec::new(),
            pins: Vec::new(),
            states: Vec::new(),
            since: Vec::new(),
            references: None,
            marks: Vec::new(),
        };
        ledger.take_over(&nothing).unwrap();
        (ledger, root)
    }

    #[test]
    fn a_record_is_taken_once_whatever_became_of_it() {
        let (ledger, root) = known();
        let take = |wanted: &str, bytes: &str| {
            ledger.take_write(&asked(root, 1, wanted), &record(bytes), LIMITS).unwrap()
        };
        assert_eq!(take("a", "one"), Took::New(PendingId(1)));
        assert_eq!(take("b", "one"), Took::Known(PendingId(1)));
        assert_eq!(take("a", "two"), Took::Same(PendingId(1)));
        let by = (Actor::Person, Instant(2));
        ledger.decide(PendingId(1), PendingState::Rejected, by, "").unwrap();
        assert_eq!(take("a", "one"), Took::Known(PendingId(1)));
        assert_eq!(take("a", "three"), Took::New(PendingId(2)));
        let taken =
            |bytes: &str, number| TakenWrite { record: record(bytes), pending: PendingId(number) };
        let all = [taken("one", 1), taken("two", 1), taken("three", 2)];
        assert_eq!(ledger.taken_writes().unwrap(), all);
        assert_eq!(ledger.taken_write(PendingId(2)).unwrap(), Some(taken("three", 2)));
        assert_eq!(ledger.taken_write(PendingId(3)).unwrap(), None);
        assert_eq!(ledger.check().unwrap(), []);
    }

    #[test]
    fn what_waits_is_put_out_for_none_and_what_has_no_room_can_come_later() {
        let (ledger, root) = known();
        let take = |skill: u64, wanted: &str| {
            ledger.take_write(&asked(root, skill, wanted), &record(wanted), LIMITS).unwrap()
        };
        for wanted in ["a", "b"] {
            ledger.stage(&asked(root, 1, wanted), LIMITS).unwrap();
        }
        assert_eq!(take(1, "c"), Took::Left(NoRoom::OfSkill(2)));
        // The same as one that waits takes no room.
        assert_eq!(take(1, "b"), Took::Same(PendingId(2)));
        assert_eq!(take(2, "d"), Took::New(PendingId(3)));
        assert_eq!(take(3, "e"), Took::Left(NoRoom::InAll(3)));
        assert!(ledger.ever_pending().unwrap().iter().all(|it| it.state.is_open()));
        let by = (Actor::Person, Instant(2));
        ledger.decide(PendingId(1), PendingState::Rejected, by, "").unwrap();
        assert_eq!(take(1, "c"), Took::New(PendingId(4)));
    }

    #[test]
    fn nothing_is_taken_from_a_place_that_nobody_took_anything_over_from() {
        let (ledger, root) = known();
        let elsewhere = WriteRecord { place: "/other".to_owned(), ..record("one") };
        let refused = ledger.take_write(&asked(root, 1, "a"), &elsewhere, LIMITS);
        assert!(matches!(refused, Err(LedgerError::Contradiction { .. })), "{refused:?}");
        assert_eq!(ledger.ever_pending().unwrap(), []);
    }
}
