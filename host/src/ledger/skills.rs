//! Skills as the ledger knows them, one row an identity.

use rusqlite::{Connection, OptionalExtension, Row};

use super::{Digest, Ledger, LedgerError, RootId, open::Stop, words::Sql};
use crate::skill::{Instant, Origin, SkillId, State};

/// A skill that is to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSkill {
    /// Its id, drawn at random.
    pub id: SkillId,
    /// Its root.
    pub root: RootId,
    /// Its folder below the root, with `/` between its parts.
    pub folder: String,
    /// The name that surfaces show.
    pub name: String,
    /// Its category.
    pub category: String,
    /// How far along its life it is.
    pub state: State,
    /// Who made it.
    pub origin: Origin,
    /// Since when it is known.
    pub created: Instant,
}

/// A skill that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRecord {
    /// Its id.
    pub id: SkillId,
    /// Its root.
    pub root: RootId,
    /// Its folder below the root as last seen.
    pub folder: String,
    /// Its name as last seen.
    pub name: String,
    /// Its category as last seen.
    pub category: String,
    /// How far along its life it is.
    pub state: State,
    /// Who made it.
    pub origin: Origin,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// SHA-256 of its SKILL.md as last seen.
    pub digest: Option<Digest>,
    /// Since when it is known.
    pub created: Instant,
    /// When it was last seen in its place, to the hour.
    pub seen: Instant,
    /// Since when it lies in the archive.
    pub archived_at: Option<Instant>,
}

const COLUMNS: &str =
    "id, root, folder, name, category, state, origin, pinned, digest, created, seen, archived_at";

impl Ledger {
    /// Makes a skill known.
    ///
    /// # Errors
    /// Where its id is known already or another skill is in its folder, or the ledger can't be written.
    pub fn add_skill(&self, skill: &NewSkill) -> Result<(), LedgerError> {
        self.write(|all| insert(all, skill))
    }

    /// One skill.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn skill(&self, id: SkillId) -> Result<Option<SkillRecord>, LedgerError> {
        self.read(|all| one(all, "id = ?1", [Sql(id)]))
    }

    /// All skills, whatever became of them, by id.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn skills(&self) -> Result<Vec<SkillRecord>, LedgerError> {
        self.read(|all| {
            let mut ask =
                all.prepare_cached(&format!("SELECT {COLUMNS} FROM skills ORDER BY id"))?;
            let found = ask.query_map([], record)?.collect::<rusqlite::Result<_>>()?;
            Ok(found)
        })
    }

    /// The skill that is in a folder now; not one that was there.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn skill_at(&self, root: RootId, folder: &str) -> Result<Option<SkillRecord>, LedgerError> {
        self.read(|all| {
            one(all, "root = ?1 AND folder = ?2 AND state IN ('active', 'stale')", (root.0, folder))
        })
    }

    /// Declares who made a skill.
    ///
    /// # Errors
    /// Where the skill is not known, or the ledger can't be written.
    pub fn declare(&self, id: SkillId, origin: Origin) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put = all.prepare_cached("UPDATE skills SET origin = ?2 WHERE id = ?1")?;
            known(id, put.execute((Sql(id), Sql(origin)))?)
        })
    }
}

pub(super) fn known(id: SkillId, changed: usize) -> Result<(), Stop> {
    if changed == 0 { Err(LedgerError::UnknownSkill(id).into()) } else { Ok(()) }
}

/// Pins a skill, or takes its pin away. No pass moves what is pinned, so what a person pins while it is stale would be so for
/// good: it is active again.
pub(super) fn pin(all: &Connection, id: SkillId, pinned: bool) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "UPDATE skills SET pinned = ?2, state = iif(?2 AND state = 'stale', 'active', state)
         WHERE id = ?1",
    )?;
    put.execute((Sql(id), pinned))?;
    Ok(())
}

pub(super) fn insert(all: &Connection, skill: &NewSkill) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO skills (id, root, folder, name, category, state, origin, created, seen, archived_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)",
    )?;
    put.execute((
        Sql(skill.id),
        Sql(skill.root),
        &skill.folder,
        &skill.name,
        &skill.category,
        Sql(skill.state),
        Sql(skill.origin),
        Sql(skill.created),
        (skill.state == State::Archived).then_some(Sql(skill.created)),
    ))?;
    Ok(())
}

/// Gives the skill that was met in a folder since this one was begun, if one was, its id and its origin, with all that is known of
/// it. Whether there was one. What was known before, or made by another change, is another skill.
pub(super) fn is_renumbered(all: &Connection, skill: &NewSkill) -> Result<bool, Stop> {
    let mut ask = all.prepare_cached(
        "SELECT id FROM skills
         WHERE root = ?1 AND folder = ?2 AND created >= ?3 AND state IN ('active', 'stale')
         AND NOT EXISTS (SELECT 1 FROM changes
           WHERE changes.skill = skills.id AND verb = 'create' AND phase = 'done')",
    )?;
    let place = (Sql(skill.root), &skill.folder, Sql(skill.created));
    let there = ask.query_row(place, |row| row.get::<_, i64>(0));
    let Some(there) = there.optional()? else { return Ok(false) };
    // What points to it is another's for a moment, and not any more when the transaction ends.
    all.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    for table in [
        "aliases",
        "events",
        "sums",
        "choices",
        "taken",
        "job_references",
        "changes",
        "pending",
        "former_objects",
        "transitions",
    ] {
        let mut put =
            all.prepare_cached(&format!("UPDATE {table} SET skill = ?2 WHERE skill = ?1"))?;
        put.execute((there, Sql(skill.id)))?;
    }
    let mut put = all.prepare_cached("UPDATE skills SET id = ?2, origin = ?3 WHERE id = ?1")?;
    put.execute((there, Sql(skill.id), Sql(skill.origin)))?;
    Ok(true)
}

pub(super) fn one(
    all: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Option<SkillRecord>, Stop> {
    let mut ask = all.prepare_cached(&format!("SELECT {COLUMNS} FROM skills WHERE {which}"))?;
    Ok(ask.query_row(values, record).optional()?)
}

pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<SkillRecord> {
    Ok(SkillRecord {
        id: row.get::<_, Sql<_>>(0)?.0,
        root: row.get::<_, Sql<_>>(1)?.0,
        folder: row.get(2)?,
        name: row.get(3)?,
        category: row.get(4)?,
        state: row.get::<_, Sql<_>>(5)?.0,
        origin: row.get::<_, Sql<_>>(6)?.0,
        pinned: row.get(7)?,
        digest: row.get::<_, Option<Sql<_>>>(8)?.map(|it| it.0),
        created: row.get::<_, Sql<_>>(9)?.0,
        seen: row.get::<_, Sql<_>>(10)?.0,
        archived_at: row.get::<_, Option<Sql<_>>>(11)?.map(|it| it.0),
    })
}
