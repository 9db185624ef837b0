//! The queue of writes that wait: put in, looked at again, ended. What somebody else did waits in it too, to be accepted or
//! taken back; it is neither counted nor put out, since it guards what lies there.

use rusqlite::{Connection, OptionalExtension, Row};

use super::{
    ChangeId, Digest, Ledger, LedgerError, Limits, NewChange, NewPending, Origin, Pending,
    PendingId, PendingState, RootId, Staged, Step, Verb, former_objects, open::Stop, schema,
    words::Sql,
};
use crate::skill::{Actor, Instant, SkillId};

/// The version that the queue came with.
pub(super) const VERSION: i32 = 4;

/// Seconds of a day.
const DAY: i64 = 86_400;

const COLUMNS: &str = "id, root, skill, folder, verb, actor, session, reason, at, wanted, steps, origin, why, judge, \
                       state, rebased, ended, ended_by, note, change";

/// Those that a person can decide on.
pub(super) const OPEN: &str = "state IN ('waiting', 'stale')";

impl Ledger {
    /// Puts a write into the queue; durable on return. One that waits there already is not put in again; what waited for
    /// too long is put out, and where there are too many, the oldest of the skill, or of the skill that has the most.
    ///
    /// # Errors
    /// Where its root is not known, or the ledger can't be written.
    pub fn stage(&self, new: &NewPending, limits: Limits) -> Result<Staged, LedgerError> {
        let steps = as_json(&new.steps)?;
        self.write(|all| {
            let mut evicted = put_out_old(all, new.at, limits)?;
            if let Some(id) = same(all, new)? {
                return Ok(Staged { id, already: true, evicted });
            }
            evicted.extend(make_room(all, new, limits)?);
            let id = insert(all, new, &steps, None)?;
            Ok(Staged { id, already: false, evicted })
        })
    }

    /// Puts out what waited for too long, and says which.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn put_out(&self, now: Instant, limits: Limits) -> Result<Vec<PendingId>, LedgerError> {
        self.write(|all| put_out_old(all, now, limits))
    }

    /// A write that waits, or did.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn pending(&self, id: PendingId) -> Result<Option<Pending>, LedgerError> {
        self.read(|all| Ok(many(all, "id = ?1", [Sql(id)])?.into_iter().next()))
    }

    /// The writes that wait, of one skill or of all, oldest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn waiting(&self, of: Option<SkillId>) -> Result<Vec<Pending>, LedgerError> {
        self.read(|all| match of {
            Some(skill) => many(all, &format!("skill = ?1 AND {OPEN} ORDER BY id"), [Sql(skill)]),
            None => many(all, &format!("{OPEN} ORDER BY id"), []),
        })
    }

    /// The newest writes that don't wait any more, newest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn decided_on(&self, newest: usize) -> Result<Vec<Pending>, LedgerError> {
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        self.read(|all| many(all, &format!("NOT {OPEN} ORDER BY id DESC LIMIT ?1"), [newest]))
    }

    /// Every write that ever waited, for those who look for bytes.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn ever_pending(&self) -> Result<Vec<Pending>, LedgerError> {
        self.read(|all| many(all, "id > 0 ORDER BY id", []))
    }

    /// How many writes wait.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn count_waiting(&self) -> Result<usize, LedgerError> {
        self.read(|all| {
            if schema::version(all)? < VERSION {
                return Ok(0);
            }
            let mut ask =
                all.prepare_cached(&format!("SELECT count(*) FROM pending WHERE {OPEN}"))?;
            Ok(usize::try_from(ask.query_row([], |row| row.get::<_, i64>(0))?).unwrap_or(0))
        })
    }

    /// Notes how a write that waits fits what is there by now. One that doesn't wait any more stays as it is. `former` are
    /// bytes that it named until now, and doesn't name any more.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn look_again(&self, pending: &Pending, former: &[Digest]) -> Result<(), LedgerError> {
        let steps = as_json(&pending.asked.steps)?;
        self.write(|all| {
            let mut put = all.prepare_cached(&format!(
                "UPDATE pending SET state = ?2, rebased = ?3, note = ?4, wanted = ?5, steps = ?6
                 WHERE id = ?1 AND {OPEN}"
            ))?;
            let waits = put.execute((
                Sql(pending.id),
                Sql(pending.state),
                pending.rebased,
                &pending.note,
                &pending.asked.wanted,
                steps,
            ))?;
            if waits > 0 {
                former_objects::remember(all, pending.asked.skill, former)?;
            }
            Ok(())
        })
    }

    /// A person has decided, and no change comes of it: a write is turned down; or what somebody else did is accepted, and
    /// with it all that was done to the skill before.
    ///
    /// # Errors
    /// Where it doesn't wait any more or is just being done, or the ledger can't be written.
    pub fn decide(
        &self,
        id: PendingId,
        state: PendingState,
        (by, at): (Actor, Instant),
        note: &str,
    ) -> Result<(), LedgerError> {
        self.write(|all| {
            may_end(all, id)?;
            let mut put = all.prepare_cached(&format!(
                "UPDATE pending SET state = ?2, ended = ?3, ended_by = ?4, note = ?5
                 WHERE {OPEN} AND (id = ?1 OR (?2 = 'applied' AND verb = 'outside' AND id < ?1
                   AND skill = (SELECT skill FROM pending WHERE id = ?1)))"
            ))?;
            put.execute((Sql(id), Sql(state), Sql(at), Sql(by), note))?;
            Ok(())
        })
    }

    /// Whether what others do in a root waits to be accepted: all that lay there before was looked at.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn is_watched(&self, root: RootId) -> Result<bool, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT 1 FROM meta WHERE key = ?1")?;
            Ok(ask.exists([watched(root)])?)
        })
    }

    /// From now on it waits, or doesn't.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn watch(&self, root: RootId, watching: bool) -> Result<(), LedgerError> {
        self.write(|all| {
            let sql = if watching {
                "INSERT OR IGNORE INTO meta (key, value) VALUES (?1, '')"
            } else {
                "DELETE FROM meta WHERE key = ?1"
            };
            all.execute(sql, [watched(root)])?;
            Ok(())
        })
    }
}

fn watched(root: RootId) -> String {
    format!("watched-{}", root.0)
}

/// Whether a write that waits may end now: it waits still, and no change that was begun is about it.
pub(super) fn may_end(all: &Connection, id: PendingId) -> Result<(), Stop> {
    let mut ask = all.prepare_cached("SELECT state FROM pending WHERE id = ?1")?;
    let state = ask.query_row([Sql(id)], |row| row.get::<_, Sql<PendingState>>(0)).optional()?;
    let mut begun =
        all.prepare_cached("SELECT id FROM changes WHERE pending = ?1 AND phase = 'open'")?;
    let found = match state {
        None => format!("nothing waits as `{id}`"),
        Some(Sql(state)) if !state.is_open() => format!("`{id}` is {} already", state.word()),
        Some(_) if begun.exists([Sql(id)])? => format!("`{id}` is just being done"),
        Some(_) => return Ok(()),
    };
    Err(LedgerError::Contradiction { found }.into())
}

/// What follows for the queue once a change is done.
pub(super) fn follow(all: &Connection, id: ChangeId, change: &NewChange) -> Result<(), Stop> {
    if let Some(pending) = change.leave.pending {
        // Of what somebody else did, a change is the way back.
        let mut put = all.prepare_cached(&format!(
            "UPDATE pending SET ended = ?2, ended_by = ?3, note = '', skill = ?5,
               state = iif(verb = 'outside', 'rejected', 'applied'), change = iif(verb = 'outside', change, ?4)
             WHERE id = ?1 AND {OPEN}"
        ))?;
        let by = change.leave.approved.unwrap_or(change.actor);
        put.execute((Sql(pending), Sql(change.at), Sql(by), Sql(id), Sql(change.skill)))?;
    }
    let ends = |which: &str, what: &str| {
        format!(
            "UPDATE pending SET state = '{what}', ended = ?2, ended_by = ?3, note = ?4 WHERE {which} AND {OPEN}"
        )
    };
    if let (Verb::Undo, Some(undone)) = (change.verb, change.undoes) {
        let mut put = all.prepare_cached(&ends("change = ?1 AND verb = 'outside'", "rejected"))?;
        put.execute((Sql(undone), Sql(change.at), Sql(change.actor), ""))?;
    }
    if change.verb == Verb::Purge {
        let mut put = all.prepare_cached(&ends("skill = ?1", "evicted"))?;
        put.execute((
            Sql(change.skill),
            Sql(change.at),
            None::<Sql<Actor>>,
            "its skill was erased",
        ))?;
    }
    Ok(())
}

/// Has what somebody else did wait for a person, who accepts it or has it taken back.
pub(super) fn hold(all: &Connection, id: ChangeId, change: &NewChange) -> Result<(), Stop> {
    let mut ask = all.prepare_cached("SELECT folder FROM skills WHERE id = ?1")?;
    let new = NewPending {
        root: change.root,
        skill: change.skill,
        folder: ask.query_row([Sql(change.skill)], |row| row.get(0))?,
        verb: Verb::Outside,
        actor: change.actor,
        session: change.session.clone(),
        reason: change.reason.clone(),
        at: change.at,
        wanted: String::new(),
        steps: Vec::new(),
        origin: None,
        why: "it was done without asking, while agents' writes are to be approved".to_owned(),
        judge: "the host".to_owned(),
    };
    insert(all, &new, "[]", Some(id))?;
    Ok(())
}

/// Whether what somebody else did to a skill waits to be accepted.
pub(super) fn held(all: &Connection) -> Result<Vec<SkillId>, Stop> {
    if schema::version(all)? < VERSION {
        return Ok(Vec::new());
    }
    let mut ask = all.prepare_cached(&format!(
        "SELECT DISTINCT skill FROM pending WHERE {OPEN} AND verb = 'outside' ORDER BY skill"
    ))?;
    let found = ask.query_map([], |row| row.get::<_, Sql<SkillId>>(0))?;
    Ok(found.map(|id| id.map(|it| it.0)).collect::<rusqlite::Result<_>>()?)
}

pub(super) fn as_json(steps: &[Step]) -> Result<String, LedgerError> {
    serde_json::to_string(steps)
        .map_err(|error| LedgerError::Contradiction { found: error.to_string() })
}

/// The same write of the same actor, if it waits already.
pub(super) fn same(all: &Connection, new: &NewPending) -> Result<Option<PendingId>, Stop> {
    let mut ask = all.prepare_cached(&format!(
        "SELECT id FROM pending
         WHERE skill = ?1 AND verb = ?2 AND actor = ?3 AND wanted = ?4 AND {OPEN} ORDER BY id LIMIT 1"
    ))?;
    let values = (Sql(new.skill), Sql(new.verb), Sql(new.actor), &new.wanted);
    Ok(ask.query_row(values, |row| row.get::<_, Sql<PendingId>>(0)).optional()?.map(|it| it.0))
}

pub(super) fn insert(
    all: &Connection,
    new: &NewPending,
    steps: &str,
    change: Option<ChangeId>,
) -> Result<PendingId, Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO pending (root, skill, folder, verb, actor, session, reason, at, wanted, steps, origin, why, judge,
           change, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'waiting')",
    )?;
    put.execute((
        Sql(new.root),
        Sql(new.skill),
        &new.folder,
        Sql(new.verb),
        Sql(new.actor),
        &new.session,
        &new.reason,
        Sql(new.at),
        &new.wanted,
        steps,
        new.origin.map(Sql),
        &new.why,
        &new.judge,
        change.map(Sql),
    ))?;
    Ok(PendingId(all.last_insert_rowid()))
}

fn put_out_old(all: &Connection, now: Instant, limits: Limits) -> Result<Vec<PendingId>, Stop> {
    let since = now.0.saturating_sub(i64::from(limits.days).saturating_mul(DAY));
    let mut ask = all.prepare_cached(&format!(
        "SELECT id FROM pending WHERE {OPEN} AND verb <> 'outside' AND at < ?1 ORDER BY id"
    ))?;
    let found = ask.query_map([since], |row| row.get::<_, Sql<PendingId>>(0))?;
    let old: Vec<Sql<PendingId>> = found.collect::<rusqlite::Result<_>>()?;
    let note = format!("it waited for more than {} days", limits.days);
    old.iter().map(|id| evict(all, id.0, now, &note)).collect()
}

/// Puts out the oldest until one more has room.
fn make_room(all: &Connection, new: &NewPending, limits: Limits) -> Result<Vec<PendingId>, Stop> {
    let mut evicted = Vec::new();
    let counted = format!("FROM pending WHERE {OPEN} AND verb <> 'outside'");
    let mut of_skill =
        all.prepare_cached(&format!("SELECT count(*), min(id) {counted} AND skill = ?1"))?;
    let mut in_all = all.prepare_cached(&format!("SELECT count(*) {counted}"))?;
    let mut fullest = all.prepare_cached(&format!(
        "SELECT min(id) {counted} GROUP BY skill ORDER BY count(*) DESC, min(id) LIMIT 1"
    ))?;
    loop {
        let (count, oldest) = of_skill.query_row([Sql(new.skill)], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<Sql<PendingId>>>(1)?))
        })?;
        if let Some(Sql(oldest)) = oldest.filter(|_| is_full(count, limits.of_a_skill)) {
            let note = format!("more than {} writes waited for its skill", limits.of_a_skill);
            evicted.push(evict(all, oldest, new.at, &note)?);
            continue;
        }
        if !is_full(in_all.query_row([], |row| row.get(0))?, limits.in_all) {
            return Ok(evicted);
        }
        let oldest = fullest.query_row([], |row| row.get::<_, Sql<PendingId>>(0))?.0;
        let note = format!("more than {} writes waited", limits.in_all);
        evicted.push(evict(all, oldest, new.at, &note)?);
    }
}

fn is_full(count: i64, most: usize) -> bool {
    usize::try_from(count).is_ok_and(|count| count > 0 && count >= most)
}

fn evict(all: &Connection, id: PendingId, at: Instant, note: &str) -> Result<PendingId, Stop> {
    let mut put = all.prepare_cached(
        "UPDATE pending SET state = 'evicted', ended = ?2, note = ?3 WHERE id = ?1",
    )?;
    put.execute((Sql(id), Sql(at), note))?;
    Ok(id)
}

fn many(
    all: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<Pending>, Stop> {
    // A reader may meet a file from before there was a queue.
    if schema::version(all)? < VERSION {
        return Ok(Vec::new());
    }
    let mut ask = all.prepare_cached(&format!("SELECT {COLUMNS} FROM pending WHERE {which}"))?;
    Ok(ask.query_map(values, record)?.collect::<rusqlite::Result<_>>()?)
}

fn record(row: &Row<'_>) -> rusqlite::Result<Pending> {
    let steps: Vec<Step> = serde_json::from_str(row.get_ref(10)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(10, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Pending {
        id: row.get::<_, Sql<_>>(0)?.0,
        asked: NewPending {
            root: row.get::<_, Sql<_>>(1)?.0,
            skill: row.get::<_, Sql<_>>(2)?.0,
            folder: row.get(3)?,
            verb: row.get::<_, Sql<_>>(4)?.0,
            actor: row.get::<_, Sql<_>>(5)?.0,
            session: row.get(6)?,
            reason: row.get(7)?,
            at: row.get::<_, Sql<_>>(8)?.0,
            wanted: row.get(9)?,
            steps,
            origin: row.get::<_, Option<Sql<Origin>>>(11)?.map(|it| it.0),
            why: row.get(12)?,
            judge: row.get(13)?,
        },
        state: row.get::<_, Sql<_>>(14)?.0,
        rebased: row.get(15)?,
        ended: row.get::<_, Option<Sql<_>>>(16)?.map(|it| it.0),
        ended_by: row.get::<_, Option<Sql<_>>>(17)?.map(|it| it.0),
        note: row.get(18)?,
        change: row.get::<_, Option<Sql<_>>>(19)?.map(|it| it.0),
    })
}

#[cfg(test)]
mod tests;
