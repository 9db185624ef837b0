//! What was done with skills: events, and the sums that they come to, written in one transaction.
//!
//! Sums are integers, so that they can be recomputed exactly.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{Ledger, LedgerError, open::Stop, words::Sql};
use crate::skill::{Actor, Instant, SkillId, UsageRecord};

/// What was done with a skill. That it was listed in an index is no event: see [`Ledger::decided`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Its text was shown.
    View,
    /// It was opened for a task.
    Use,
    /// A file of it was shown.
    FileView,
    /// It was written to.
    Write,
    /// It helped, as somebody says.
    Success,
    /// It didn't.
    Failure,
    /// It had to be corrected.
    Corrected,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] = [
        Kind::View,
        Kind::Use,
        Kind::FileView,
        Kind::Write,
        Kind::Success,
        Kind::Failure,
        Kind::Corrected,
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::View => "view",
            Kind::Use => "use",
            Kind::FileView => "file-view",
            Kind::Write => "write",
            Kind::Success => "success",
            Kind::Failure => "failure",
            Kind::Corrected => "corrected",
        }
    }

    /// What a word means; nothing for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// What of a skill somebody was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Its text, or a section of it.
    Text,
    /// One of its other files.
    File,
    /// The headings of its text, or of a file.
    Outline,
}

impl Shown {
    /// What that counts as. Who works for somebody opens a text for a task; a person who looks at it, and whoever keeps the
    /// library, has only seen it.
    #[must_use]
    pub fn kinds(self, actor: Actor) -> &'static [Kind] {
        match (self, actor) {
            (Shown::Text, Actor::Foreground | Actor::Job) => &[Kind::View, Kind::Use],
            (Shown::Text | Shown::Outline, _) => &[Kind::View],
            (Shown::File, _) => &[Kind::FileView],
        }
    }
}

/// Something that was done with a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// With which.
    pub skill: SkillId,
    /// When, by the real clock.
    pub at: Instant,
    /// What.
    pub kind: Kind,
    /// By whom. What a review or a curator looks at is maintenance, and no use.
    pub actor: Actor,
    /// How many such it stands for: one, or what another program had counted before.
    pub weight: u32,
    /// In which session, if it is known.
    pub session: Option<String>,
    /// In somebody's words.
    pub note: Option<String>,
}

/// An event as a history needs it: without the words that stand with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// With which skill.
    pub skill: SkillId,
    /// When; as recorded, so possibly in the future.
    pub at: Instant,
    /// What.
    pub kind: Kind,
    /// By whom.
    pub actor: Actor,
    /// How many such it stands for.
    pub weight: u32,
}

/// What the events of a skill come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How often its text was shown.
    pub views: u64,
    /// How often it was opened for a task.
    pub uses: u64,
    /// How often a file of it was shown.
    pub file_views: u64,
    /// How often it was written to.
    pub writes: u64,
    /// How often it helped.
    pub successes: u64,
    /// How often it didn't.
    pub failures: u64,
    /// How often it was corrected.
    pub corrected: u64,
    /// How often maintenance looked at it; counted nowhere else.
    pub maintenance: u64,
    /// When its text was last shown; as recorded, so possibly in the future. So are the others.
    pub last_view: Option<Instant>,
    /// When it was last opened for a task.
    pub last_use: Option<Instant>,
    /// When it was last written to.
    pub last_write: Option<Instant>,
}

impl Sums {
    /// With one event more.
    pub fn add(&mut self, event: &Event) {
        let weight = u64::from(event.weight.max(1));
        let looks = matches!(event.kind, Kind::View | Kind::Use | Kind::FileView);
        if looks && matches!(event.actor, Actor::Review | Actor::Curator | Actor::Sync) {
            self.maintenance = self.maintenance.saturating_add(weight);
            return;
        }
        let (sum, last) = match event.kind {
            Kind::View => (&mut self.views, Some(&mut self.last_view)),
            Kind::Use => (&mut self.uses, Some(&mut self.last_use)),
            Kind::FileView => (&mut self.file_views, None),
            Kind::Write => (&mut self.writes, Some(&mut self.last_write)),
            Kind::Success => (&mut self.successes, None),
            Kind::Failure => (&mut self.failures, None),
            Kind::Corrected => (&mut self.corrected, None),
        };
        *sum = sum.saturating_add(weight);
        if let Some(last) = last {
            *last = (*last).max(Some(event.at));
        }
    }
}

pub(super) const SUMS: &str =
    "skill, views, uses, file_views, writes, successes, failures, corrected, maintenance,
    last_view, last_use, last_write";

impl Ledger {
    /// Writes events down, all of them, durable on return, or none.
    ///
    /// # Errors
    /// Where a skill is not known, or the ledger can't be written.
    pub fn record(&self, events: &[Event]) -> Result<(), LedgerError> {
        if events.is_empty() {
            return Ok(());
        }
        self.write(|all| put_events(all, events))
    }

    /// What the events of a skill come to.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn sums(&self, skill: SkillId) -> Result<Sums, LedgerError> {
        self.read(|all| {
            let mut ask =
                all.prepare_cached(&format!("SELECT {SUMS} FROM sums WHERE skill = ?1"))?;
            let mut found = ask.query([Sql(skill)])?;
            Ok(found.next()?.map(sums_of).transpose()?.map_or_else(Sums::default, |(_, sums)| sums))
        })
    }

    /// All that was ever done with skills, in the order in which it was; what was written down at one time in that order.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn happenings(&self) -> Result<Vec<Happening>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT skill, at, kind, actor, weight FROM events ORDER BY at, id",
            )?;
            let mut rows = ask.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                // A word of a newer program is none that a rule of this one knows of.
                let Some(kind) = Kind::from_word(&row.get::<_, String>(2)?) else { continue };
                found.push(Happening {
                    skill: row.get::<_, Sql<_>>(0)?.0,
                    at: row.get::<_, Sql<_>>(1)?.0,
                    kind,
                    actor: row.get::<_, Sql<_>>(3)?.0,
                    weight: row.get(4)?,
                });
            }
            Ok(found)
        })
    }

    /// The use of each skill that is in the library, as the index wants it. One that was never used is in it too. A time in
    /// the future comes as it was recorded: the law of the clock is the caller's.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn usage(&self) -> Result<BTreeMap<SkillId, UsageRecord>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT id, pinned, coalesce(uses, 0), last_use
                 FROM skills INDEXED BY skills_for_usage LEFT JOIN sums ON skill = id
                 WHERE state IN ('active', 'stale') ORDER BY id",
            )?;
            let found = ask.query_map([], |row| {
                let record = UsageRecord {
                    uses: count(row, 2)?,
                    last_used: row.get::<_, Option<Sql<_>>>(3)?.map(|it| it.0),
                    pinned: row.get(1)?,
                };
                Ok((row.get::<_, Sql<SkillId>>(0)?.0, record))
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Events, and the sums that they add to.
pub(super) fn put_events(all: &Connection, events: &[Event]) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO events (skill, at, kind, actor, weight, session, note)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    // Many events of one skill are one write of its sums.
    let mut added: BTreeMap<SkillId, Sums> = BTreeMap::new();
    for event in events {
        added.entry(event.skill).or_default().add(event);
        let values = (
            Sql(event.skill),
            Sql(event.at),
            event.kind.word(),
            Sql(event.actor),
            event.weight.max(1),
            &event.session,
            &event.note,
        );
        put.execute(values).map_err(|error| unknown(error, event.skill))?;
    }
    added.iter().try_for_each(|(skill, sums)| add_sums(all, *skill, sums))
}

fn unknown(error: rusqlite::Error, skill: SkillId) -> Stop {
    match &error {
        rusqlite::Error::SqliteFailure(failure, _)
            if failure.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
        {
            LedgerError::UnknownSkill(skill).into()
        }
        _ => error.into(),
    }
}

pub(super) fn add_sums(all: &Connection, skill: SkillId, sums: &Sums) -> Result<(), Stop> {
    let mut put = all.prepare_cached(&format!(
        "INSERT INTO sums ({SUMS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (skill) DO UPDATE SET
           views = views + ?2, uses = uses + ?3, file_views = file_views + ?4, writes = writes + ?5,
           successes = successes + ?6, failures = failures + ?7, corrected = corrected + ?8,
           maintenance = maintenance + ?9,
           last_view = nullif(max(coalesce(last_view, ?13), coalesce(?10, ?13)), ?13),
           last_use = nullif(max(coalesce(last_use, ?13), coalesce(?11, ?13)), ?13),
           last_write = nullif(max(coalesce(last_write, ?13), coalesce(?12, ?13)), ?13)"
    ))?;
    put.execute((
        Sql(skill),
        number(sums.views),
        number(sums.uses),
        number(sums.file_views),
        number(sums.writes),
        number(sums.successes),
        number(sums.failures),
        number(sums.corrected),
        number(sums.maintenance),
        sums.last_view.map(Sql),
        sums.last_use.map(Sql),
        sums.last_write.map(Sql),
        i64::MIN,
    ))
    .map_err(|error| unknown(error, skill))?;
    Ok(())
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(super) fn sums_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<(SkillId, Sums)> {
    let time =
        |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<Sql<Instant>>>(at)?.map(|it| it.0));
    let sums = Sums {
        views: count(row, 1)?,
        uses: count(row, 2)?,
        file_views: count(row, 3)?,
        writes: count(row, 4)?,
        successes: count(row, 5)?,
        failures: count(row, 6)?,
        corrected: count(row, 7)?,
        maintenance: count(row, 8)?,
        last_view: time(9)?,
        last_use: time(10)?,
        last_write: time(11)?,
    };
    Ok((row.get::<_, Sql<SkillId>>(0)?.0, sums))
}

/// A number that is never negative.
pub(super) fn count(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let number = row.get::<_, i64>(at)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, number))
}

#[cfg(test)]
mod tests;
