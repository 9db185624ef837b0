//! The journal of changes: a change is `open` before anything moves on the disk, and `done` together with what follows
//! from it, or `abandoned`. Which files move is `change`'s.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row};

use super::{
    ChangeId, ChangeRecord, Leave, Ledger, LedgerError, NewChange, NewSkill, Origin, RootId, Step,
    Verb, open::Stop, queue, schema, skills, words::Sql,
};
use crate::skill::{Actor, Choice, Instant, SkillId, State};

/// What else holds once a change is done. Choices follow from its steps, a pin from its verb.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// The skill's state, where it is another one then.
    pub state: Option<State>,
    /// The skill's folder below the root, where it is another one then.
    pub folder: Option<String>,
}

const COLUMNS: &str = "id, root, skill, verb, actor, session, reason, undoes, at, steps, undone_by,
    phase = 'open'";
/// Those that came with the queue of writes that wait.
const LEAVE: &str = "origin, approved, pending, former_origin";

impl Ledger {
    /// Writes down a change that is about to be made; durable on return.
    ///
    /// # Errors
    /// Where the root is not known, the change that it undoes is not done or is undone already, or the ledger can't be
    /// written.
    pub fn begin(&self, change: &NewChange) -> Result<ChangeId, LedgerError> {
        self.write(|all| begin(all, change))
    }

    /// Writes down changes that are about to be made as one, in this order; durable on return. All of them are begun, or none
    /// is: one commit is all that a thousand cost.
    ///
    /// # Errors
    /// As [`Ledger::begin`], for any of them. None is begun then.
    pub fn begin_all<'c>(
        &self,
        changes: impl IntoIterator<Item = &'c NewChange>,
    ) -> Result<Vec<ChangeId>, LedgerError> {
        self.write(|all| changes.into_iter().map(|change| begin(all, change)).collect())
    }

    /// Writes down changes that others made: all of them are done at once, durable on return, or none is. Nothing is moved
    /// for them, so that none is ever open; where their skills are now is a scan's to say. Those that are to wait for a person
    /// are in the queue then.
    ///
    /// # Errors
    /// Where a root is not known, or the ledger can't be written.
    pub fn note(&self, changes: &[NewChange]) -> Result<Vec<ChangeId>, LedgerError> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        self.write(|all| {
            let noted = changes.iter().map(|change| {
                let id = insert(all, change, "done")?;
                if change.leave.waits {
                    queue::hold(all, id, change)?;
                }
                Ok(id)
            });
            noted.collect()
        })
    }

    /// The change is made: it is done, with all that follows from it. A skill that the ledger doesn't know yet is known
    /// then.
    ///
    /// # Errors
    /// Where the change is not open, what follows contradicts what is known, or the ledger can't be written.
    pub fn finish(&self, id: ChangeId, after: &After) -> Result<(), LedgerError> {
        self.write(|all| finish(all, id, after))
    }

    /// Changes are made: all of them are done, in this order, with all that follows from each, or none is.
    ///
    /// # Errors
    /// As [`Ledger::finish`], for any of them. All of them are open then.
    pub fn finish_all(&self, made: &[(ChangeId, After)]) -> Result<(), LedgerError> {
        self.write(|all| made.iter().try_for_each(|(id, after)| finish(all, *id, after)))
    }

    /// A change of users' choices, which moves no file: it is begun and done at once, so that nobody has to go on with it.
    ///
    /// # Errors
    /// Where a choice is another one than the change says, a step is no choice, or as [`Ledger::begin`] and
    /// [`Ledger::finish`]. Nothing is written then.
    pub fn choose(&self, change: &NewChange) -> Result<ChangeId, LedgerError> {
        self.write(|all| {
            for step in &change.steps {
                let refused = match step {
                    Step::Choose { agent, before, .. } => {
                        let now = choice(all, change.skill, agent.as_deref())?;
                        (now != *before).then(|| format!("the choice is `{}` by now", now.word()))
                    }
                    _ => Some("a choice moves no file".to_owned()),
                };
                if let Some(found) = refused {
                    return Err(LedgerError::Contradiction { found }.into());
                }
            }
            let id = begin(all, change)?;
            finish(all, id, &After::default())?;
            Ok(id)
        })
    }

    /// The change was not made, or was taken back before it was done.
    ///
    /// # Errors
    /// Where the change is not open, or the ledger can't be written.
    pub fn abandon(&self, id: ChangeId) -> Result<(), LedgerError> {
        self.write(|all| close(all, id, "abandoned"))
    }

    /// Changes were not made, or were taken back before they were done: all of them are abandoned, or none is.
    ///
    /// # Errors
    /// As [`Ledger::abandon`], for any of them.
    pub fn abandon_all(&self, ids: &[ChangeId]) -> Result<(), LedgerError> {
        self.write(|all| ids.iter().try_for_each(|id| close(all, *id, "abandoned")))
    }

    /// The changes in a root that were begun and not ended, oldest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn unfinished(&self, root: RootId) -> Result<Vec<ChangeRecord>, LedgerError> {
        self.read(|all| many(all, "root = ?1 AND phase = 'open' ORDER BY id", [Sql(root)]))
    }

    /// A change that was done.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn change(&self, id: ChangeId) -> Result<Option<ChangeRecord>, LedgerError> {
        self.read(|all| Ok(many(all, "id = ?1 AND phase = 'done'", [Sql(id)])?.into_iter().next()))
    }

    /// The newest change that was done to each skill, and when; of those that have any.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn newest(&self) -> Result<BTreeMap<SkillId, (ChangeId, Instant)>, LedgerError> {
        self.read(|all| {
            // SQLite gives the other columns of the row that has the maximum.
            let mut ask = all.prepare_cached(
                "SELECT skill, max(id), at FROM changes WHERE phase = 'done' GROUP BY skill",
            )?;
            let found = ask.query_map([], |row| {
                let newest = (row.get::<_, Sql<_>>(1)?.0, row.get::<_, Sql<_>>(2)?.0);
                Ok((row.get::<_, Sql<_>>(0)?.0, newest))
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The newest changes that were done, of one skill or of all, newest first. What scans saw for the first time is no
    /// news of all: it is given for one skill only.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn changes(
        &self,
        of: Option<SkillId>,
        newest: usize,
    ) -> Result<Vec<ChangeRecord>, LedgerError> {
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        self.read(|all| match of {
            Some(skill) => many(
                all,
                "skill = ?1 AND phase = 'done' ORDER BY id DESC LIMIT ?2",
                (Sql(skill), newest),
            ),
            None => {
                let which = "phase = 'done' AND verb <> 'found' ORDER BY id DESC LIMIT ?1";
                many(all, which, [newest])
            }
        })
    }

    /// Every change that was ever begun, whatever became of it, newest first: all whose bytes may lie somewhere.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn begun(&self) -> Result<Vec<ChangeRecord>, LedgerError> {
        self.read(|all| many(all, "id > 0 ORDER BY id DESC", []))
    }

    /// All changes that were done or are open, of all skills, oldest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn history(&self) -> Result<Vec<ChangeRecord>, LedgerError> {
        self.read(|all| many(all, "phase <> 'abandoned' ORDER BY id", []))
    }

    /// A user's choice for a skill: for one agent, or for all. What was chosen for all holds for each of them that has no
    /// choice of its own; that is for the caller to apply.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn choice(&self, skill: SkillId, agent: Option<&str>) -> Result<Choice, LedgerError> {
        self.read(|all| choice(all, skill, agent))
    }

    /// All choices that users made: skill, agent (nothing for all agents), choice.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn choices(&self) -> Result<Vec<(SkillId, Option<String>, Choice)>, LedgerError> {
        self.read(choices)
    }
}

fn begin(all: &Connection, change: &NewChange) -> Result<ChangeId, Stop> {
    if let Some(undone) = change.undoes {
        may_be_undone(all, undone)?;
    }
    if let Some(pending) = change.leave.pending {
        queue::may_end(all, pending)?;
    }
    insert(all, change, "open")
}

pub(super) fn insert(all: &Connection, change: &NewChange, phase: &str) -> Result<ChangeId, Stop> {
    let Leave { origin, approved, pending, .. } = change.leave;
    let steps = serde_json::to_string(&change.steps)
        .map_err(|error| LedgerError::Contradiction { found: error.to_string() })?;
    let mut put = all.prepare_cached(
        "INSERT INTO changes (root, skill, verb, phase, actor, session, reason, undoes, at, steps, origin, approved,
           pending, former_origin)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
           iif(?11 IS NULL, NULL, (SELECT origin FROM skills WHERE id = ?2)))",
    )?;
    put.execute((
        Sql(change.root),
        Sql(change.skill),
        Sql(change.verb),
        phase,
        Sql(change.actor),
        &change.session,
        &change.reason,
        change.undoes.map(Sql),
        Sql(change.at),
        steps,
        origin.map(Sql),
        approved.map(Sql),
        pending.map(Sql),
    ))?;
    Ok(ChangeId(all.last_insert_rowid()))
}

fn finish(all: &Connection, id: ChangeId, after: &After) -> Result<(), Stop> {
    close(all, id, "done")?;
    let record = of_id(all, id)?;
    let Some(ChangeRecord { change, .. }) = record else { return Ok(()) };
    settle_skill(all, &change, after)?;
    if let Some(origin) = change.leave.origin {
        // What is adopted no more was never: and what is so again is since then, where it was not all along.
        let mut put = all.prepare_cached(
            "UPDATE skills SET origin = ?2, adopted = iif(?2 = 'adopted', coalesce(adopted, ?3), NULL)
             WHERE id = ?1",
        )?;
        put.execute((Sql(change.skill), Sql(origin), Sql(change.at)))?;
    }
    queue::follow(all, id, &change)?;
    for step in &change.steps {
        if let Step::Choose { agent, after, .. } = step {
            choose(all, change.skill, agent.as_deref(), *after)?;
        }
    }
    if let Some(pinned) = pins(all, &change)? {
        skills::pin(all, change.skill, pinned)?;
    }
    mark_undone(all, id, &change)
}

fn choice(all: &Connection, skill: SkillId, agent: Option<&str>) -> Result<Choice, Stop> {
    let mut ask =
        all.prepare_cached("SELECT choice FROM choices WHERE skill = ?1 AND agent = ?2")?;
    let found =
        ask.query_row((Sql(skill), agent.unwrap_or("")), |row| row.get::<_, Sql<Choice>>(0));
    Ok(found.optional()?.map_or(Choice::Auto, |it| it.0))
}

/// All choices, by skill.
pub(super) fn choices(all: &Connection) -> Result<Vec<(SkillId, Option<String>, Choice)>, Stop> {
    let mut ask =
        all.prepare_cached("SELECT skill, agent, choice FROM choices ORDER BY skill, agent")?;
    let found = ask.query_map([], |row| {
        let agent = Some(row.get::<_, String>(1)?).filter(|agent| !agent.is_empty());
        Ok((row.get::<_, Sql<_>>(0)?.0, agent, row.get::<_, Sql<_>>(2)?.0))
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn close(all: &Connection, id: ChangeId, phase: &str) -> Result<(), Stop> {
    let mut put =
        all.prepare_cached("UPDATE changes SET phase = ?2 WHERE id = ?1 AND phase = 'open'")?;
    if put.execute((Sql(id), phase))? == 1 {
        return Ok(());
    }
    let found = phase_of(all, id)?.unwrap_or_else(|| "unknown".to_owned());
    Err(LedgerError::Phase { id, found, expected: "an open change" }.into())
}

fn phase_of(all: &Connection, id: ChangeId) -> Result<Option<String>, Stop> {
    let mut ask = all.prepare_cached("SELECT phase FROM changes WHERE id = ?1")?;
    Ok(ask.query_row([Sql(id)], |row| row.get(0)).optional()?)
}

fn may_be_undone(all: &Connection, id: ChangeId) -> Result<(), Stop> {
    let found = match (phase_of(all, id)?.as_deref(), of_id(all, id)?) {
        (Some("done"), Some(ChangeRecord { undone_by: None, .. })) => return Ok(()),
        (Some("done"), Some(ChangeRecord { undone_by: Some(by), .. })) => {
            format!("undone by change {}", by.0)
        }
        (Some(phase), _) => phase.to_owned(),
        (None, _) => "unknown".to_owned(),
    };
    Err(LedgerError::Phase { id, found, expected: "a change that is done and not undone" }.into())
}

/// The skill's row: made where there is none, else its state and folder.
fn settle_skill(all: &Connection, change: &NewChange, after: &After) -> Result<(), Stop> {
    let Some(skill) = skills::one(all, "id = ?1", [Sql(change.skill)])? else {
        let folder = after.folder.clone().unwrap_or_default();
        let (category, name) = folder.rsplit_once('/').unwrap_or(("general", &folder));
        let skill = NewSkill {
            id: change.skill,
            root: change.root,
            name: name.to_owned(),
            category: category.to_owned(),
            state: after.state.unwrap_or(State::Active),
            origin: change.leave.origin.unwrap_or_else(|| made_by(change)),
            created: change.at,
            folder,
        };
        // A scan that came between may have met the folder before the change that made it was done.
        if change.verb == Verb::Create && skills::is_renumbered(all, &skill)? {
            return Ok(());
        }
        return skills::insert(all, &skill);
    };
    if after.state.is_none() && after.folder.is_none() {
        return Ok(());
    }
    let state = after.state.unwrap_or(skill.state);
    let archived_at = match state {
        State::Archived => skill.archived_at.or(Some(change.at)),
        _ => None,
    };
    let folder = after.folder.as_ref().unwrap_or(&skill.folder);
    let mut put = all.prepare_cached(
        "UPDATE skills SET state = ?2, folder = ?3, archived_at = ?4, returned = coalesce(?5, returned)
         WHERE id = ?1",
    )?;
    // Coming back counts as activity: it is not put away again for what it did before.
    let returned = (skill.state == State::Archived && state == State::Active).then_some(change.at);
    put.execute((Sql(skill.id), Sql(state), folder, archived_at.map(Sql), returned.map(Sql)))?;
    if *folder != skill.folder {
        former(all, skill.id, &skill.folder, change.at)?;
    }
    Ok(())
}

/// Who made a skill is known where it was made by a change, and of the others nobody said.
fn made_by(change: &NewChange) -> Origin {
    match (change.verb, change.actor) {
        (Verb::Create, Actor::Person) => Origin::Person,
        (Verb::Create, Actor::Foreground) => Origin::Foreground,
        (Verb::Create, Actor::Review) => Origin::Review,
        _ => Origin::Unknown,
    }
}

/// Remembers what a skill was called or where it lay.
pub(super) fn former(
    all: &Connection,
    skill: SkillId,
    alias: &str,
    until: Instant,
) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO aliases (alias, skill, until) VALUES (?1, ?2, ?3)
         ON CONFLICT (alias, skill) DO UPDATE SET until = ?3",
    )?;
    put.execute((alias, Sql(skill), Sql(until)))?;
    Ok(())
}

fn choose(
    all: &Connection,
    skill: SkillId,
    agent: Option<&str>,
    choice: Choice,
) -> Result<(), Stop> {
    let agent = agent.unwrap_or("");
    if choice == Choice::Auto {
        let mut gone = all.prepare_cached("DELETE FROM choices WHERE skill = ?1 AND agent = ?2")?;
        gone.execute((Sql(skill), agent))?;
        return Ok(());
    }
    let mut put = all.prepare_cached(
        "INSERT INTO choices (skill, agent, choice) VALUES (?1, ?2, ?3)
         ON CONFLICT (skill, agent) DO UPDATE SET choice = ?3",
    )?;
    put.execute((Sql(skill), agent, Sql(choice)))?;
    Ok(())
}

/// Whether a skill is pinned after a change; nothing where the change is about something else. An undo of a pin unpins, an
/// undo of that pins again, and so on.
fn pins(all: &Connection, change: &NewChange) -> Result<Option<bool>, Stop> {
    let (mut verb, mut undoes, mut turned) = (change.verb, change.undoes, false);
    while let (Verb::Undo, Some(undone)) = (verb, undoes) {
        let Some(record) = of_id(all, undone)? else { return Ok(None) };
        // An undo is of an older change, or the file was tampered with and this would never end.
        if record.change.undoes.is_some_and(|older| older >= undone) {
            return Ok(None);
        }
        (verb, undoes, turned) = (record.change.verb, record.change.undoes, !turned);
    }
    Ok(match verb {
        Verb::Pin => Some(!turned),
        Verb::Unpin => Some(turned),
        _ => None,
    })
}

/// Marks the change that was undone. Where that was an undo itself, what it had undone holds again, and can be undone again.
fn mark_undone(all: &Connection, id: ChangeId, change: &NewChange) -> Result<(), Stop> {
    let Some(undone) = change.undoes else { return Ok(()) };
    may_be_undone(all, undone)?;
    let mut put = all.prepare_cached("UPDATE changes SET undone_by = ?2 WHERE id = ?1")?;
    put.execute((Sql(undone), Some(Sql(id))))?;
    if let Some(older) = of_id(all, undone)?.and_then(|record| record.change.undoes) {
        put.execute((Sql(older), None::<Sql<ChangeId>>))?;
    }
    Ok(())
}

fn of_id(all: &Connection, id: ChangeId) -> Result<Option<ChangeRecord>, Stop> {
    Ok(many(all, "id = ?1", [Sql(id)])?.into_iter().next())
}

fn many(
    all: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<ChangeRecord>, Stop> {
    // A reader may meet a file from before anybody was asked for leave.
    let leave =
        if schema::version(all)? < queue::VERSION { "NULL, NULL, NULL, NULL" } else { LEAVE };
    let mut ask =
        all.prepare_cached(&format!("SELECT {COLUMNS}, {leave} FROM changes WHERE {which}"))?;
    Ok(ask.query_map(values, record)?.collect::<rusqlite::Result<_>>()?)
}

fn record(row: &Row<'_>) -> rusqlite::Result<ChangeRecord> {
    let steps = row.get_ref(9)?.as_str()?;
    let steps: Vec<Step> = serde_json::from_str(steps).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(9, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(ChangeRecord {
        id: row.get::<_, Sql<_>>(0)?.0,
        change: NewChange {
            root: row.get::<_, Sql<_>>(1)?.0,
            skill: row.get::<_, Sql<_>>(2)?.0,
            verb: row.get::<_, Sql<_>>(3)?.0,
            actor: row.get::<_, Sql<Actor>>(4)?.0,
            session: row.get(5)?,
            reason: row.get(6)?,
            undoes: row.get::<_, Option<Sql<_>>>(7)?.map(|it| it.0),
            at: row.get::<_, Sql<_>>(8)?.0,
            steps,
            leave: Leave {
                origin: row.get::<_, Option<Sql<_>>>(12)?.map(|it| it.0),
                approved: row.get::<_, Option<Sql<_>>>(13)?.map(|it| it.0),
                pending: row.get::<_, Option<Sql<_>>>(14)?.map(|it| it.0),
                waits: false,
            },
        },
        undone_by: row.get::<_, Option<Sql<_>>>(10)?.map(|it| it.0),
        open: row.get(11)?,
        former_origin: row.get::<_, Option<Sql<_>>>(15)?.map(|it| it.0),
    })
}

#[cfg(test)]
mod tests;
