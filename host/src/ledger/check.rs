//! The full look at a ledger: what SQLite can tell, references, sums computed again, words that nobody knows. It takes as
//! long as reading all of it, and changes nothing.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{
    ChangeId, Kind, Ledger, LedgerError, Origin, PendingId, PendingState, Step, Verb,
    open::Stop,
    queue, schema, takeover,
    usage::{Event, SUMS, Sums, sums_of},
    words::Sql,
};
use crate::skill::{Actor, Choice, SkillId, State};

/// Something that is wrong in a ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// SQLite's own words about the file.
    #[error("{0}")]
    File(String),
    /// A row of this table refers to one that isn't there.
    #[error("a row of `{0}` refers to one that isn't there")]
    Dangling(String),
    /// What the events come to is not what the sums say.
    #[error("the sums of skill `{0}` are not what its events come to")]
    Sums(SkillId),
    /// A column holds a word that nobody knows.
    #[error("`{column}` holds `{found}`, which means nothing")]
    Word {
        /// Such as `skills.state`.
        column: &'static str,
        /// The word.
        found: String,
    },
    /// A change's steps can't be read.
    #[error("the steps of change {} can't be read", .0.0)]
    Steps(ChangeId),
    /// A change was done to a skill that is not known.
    #[error("change {} was done to a skill that is not known", .0.0)]
    NoSkill(ChangeId),
    /// A write that waited is said to be done, and no change that was done is it.
    #[error("`{0}` is said to be done, and no change that was done is it")]
    NoChange(PendingId),
}

impl Ledger {
    /// All that is wrong, in a fixed order; empty for a ledger that is whole.
    ///
    /// # Errors
    /// Where it can't be read to its end.
    pub fn check(&self) -> Result<Vec<Fault>, LedgerError> {
        self.read(|all| {
            let mut faults = Vec::new();
            for words in texts(all, "PRAGMA integrity_check(100)")? {
                if words != "ok" {
                    faults.push(Fault::File(words));
                }
            }
            if !faults.is_empty() {
                // What is read from such a file says nothing.
                return Ok(faults);
            }
            faults.extend(texts(all, "PRAGMA foreign_key_check")?.into_iter().map(Fault::Dangling));
            words(all, &mut faults)?;
            changes(all, &mut faults)?;
            pending(all, &mut faults)?;
            sums(all, &mut faults)?;
            Ok(faults)
        })
    }
}

fn texts(all: &Connection, sql: &str) -> Result<Vec<String>, Stop> {
    let mut ask = all.prepare(sql)?;
    Ok(ask.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// The schema's version that brought a column, its name, its words, and which are known.
type Column = (i32, &'static str, &'static str, fn(&str) -> bool);

const WORDS: &[Column] = &[
    (1, "skills.state", "SELECT DISTINCT state FROM skills", |it| State::from_word(it).is_some()),
    (1, "skills.origin", "SELECT DISTINCT origin FROM skills", |it| {
        Origin::from_word(it).is_some()
    }),
    (1, "events.kind", "SELECT DISTINCT kind FROM events", |it| Kind::from_word(it).is_some()),
    (1, "events.actor", "SELECT DISTINCT actor FROM events", |it| Actor::from_word(it).is_some()),
    (1, "choices.choice", "SELECT DISTINCT choice FROM choices", |it| {
        Choice::from_word(it).is_some()
    }),
    (1, "changes.verb", "SELECT DISTINCT verb FROM changes", |it| Verb::from_word(it).is_some()),
    (1, "changes.actor", "SELECT DISTINCT actor FROM changes", |it| Actor::from_word(it).is_some()),
    (1, "changes.phase", "SELECT DISTINCT phase FROM changes", |it| {
        matches!(it, "open" | "done" | "abandoned")
    }),
    (takeover::VERSION, "taken.state", "SELECT DISTINCT state FROM taken", |it| {
        State::from_word(it).is_some()
    }),
    (
        queue::VERSION,
        "changes.origin",
        "SELECT DISTINCT origin FROM changes WHERE origin IS NOT NULL",
        |it| Origin::from_word(it).is_some(),
    ),
    (queue::VERSION, "pending.state", "SELECT DISTINCT state FROM pending", |it| {
        PendingState::from_word(it).is_some()
    }),
    (queue::VERSION, "pending.verb", "SELECT DISTINCT verb FROM pending", |it| {
        Verb::from_word(it).is_some()
    }),
    (queue::VERSION, "pending.actor", "SELECT DISTINCT actor FROM pending", |it| {
        Actor::from_word(it).is_some()
    }),
];

fn words(all: &Connection, faults: &mut Vec<Fault>) -> Result<(), Stop> {
    // A reader may meet an older file.
    let version = schema::version(all)?;
    for (_, column, sql, known) in WORDS.iter().filter(|(since, ..)| *since <= version) {
        let mut found = texts(all, sql)?;
        found.sort();
        let unknown = found.into_iter().filter(|word| !known(word));
        faults.extend(unknown.map(|found| Fault::Word { column, found }));
    }
    Ok(())
}

fn changes(all: &Connection, faults: &mut Vec<Fault>) -> Result<(), Stop> {
    let mut ask = all.prepare(
        "SELECT id, steps, phase = 'done' AND skill NOT IN (SELECT id FROM skills) FROM changes ORDER BY id",
    )?;
    let mut rows = ask.query([])?;
    while let Some(row) = rows.next()? {
        let id = row.get::<_, Sql<ChangeId>>(0)?.0;
        let steps = row.get::<_, String>(1)?;
        if serde_json::from_str::<Vec<Step>>(&steps).is_err() {
            faults.push(Fault::Steps(id));
        }
        if row.get(2)? {
            faults.push(Fault::NoSkill(id));
        }
    }
    Ok(())
}

fn pending(all: &Connection, faults: &mut Vec<Fault>) -> Result<(), Stop> {
    if schema::version(all)? < queue::VERSION {
        return Ok(());
    }
    let mut ask = all.prepare(
        "SELECT id FROM pending WHERE state = 'applied' AND verb <> 'outside'
           AND ifnull(change, 0) NOT IN (SELECT id FROM changes WHERE phase = 'done') ORDER BY id",
    )?;
    let mut rows = ask.query([])?;
    while let Some(row) = rows.next()? {
        faults.push(Fault::NoChange(row.get::<_, Sql<PendingId>>(0)?.0));
    }
    Ok(())
}

/// What the events of each skill come to.
pub(super) fn computed(all: &Connection) -> Result<BTreeMap<SkillId, Sums>, Stop> {
    let mut computed: BTreeMap<SkillId, Sums> = BTreeMap::new();
    let mut ask = all.prepare("SELECT skill, at, kind, actor, weight FROM events")?;
    let mut rows = ask.query([])?;
    while let Some(row) = rows.next()? {
        let words = (row.get::<_, String>(2)?, row.get::<_, String>(3)?);
        // Unknown words are a fault already.
        let (Some(kind), Some(actor)) = (Kind::from_word(&words.0), Actor::from_word(&words.1))
        else {
            continue;
        };
        let event = Event {
            skill: row.get::<_, Sql<_>>(0)?.0,
            at: row.get::<_, Sql<_>>(1)?.0,
            kind,
            actor,
            weight: row.get(4)?,
            session: None,
            note: None,
        };
        computed.entry(event.skill).or_default().add(&event);
    }
    Ok(computed)
}

fn sums(all: &Connection, faults: &mut Vec<Fault>) -> Result<(), Stop> {
    let computed = computed(all)?;
    let mut ask = all.prepare(&format!("SELECT {SUMS} FROM sums"))?;
    let kept: BTreeMap<SkillId, Sums> =
        ask.query_map([], sums_of)?.collect::<rusqlite::Result<_>>()?;
    let mut skills: Vec<&SkillId> = computed.keys().chain(kept.keys()).collect();
    skills.sort_unstable();
    skills.dedup();
    let wrong = skills.into_iter().filter(|skill| {
        computed.get(skill).copied().unwrap_or_default()
            != kept.get(skill).copied().unwrap_or_default()
    });
    faults.extend(wrong.map(|skill| Fault::Sums(*skill)));
    Ok(())
}
