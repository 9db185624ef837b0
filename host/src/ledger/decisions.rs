//! What was decided and shown: a decision is a row, an index that was shown is a row, and which skills it lists are eight
//! bytes each in that row. Showing an index of a thousand skills again changes one number.
//!
//! Costs, for N skills and D different indexes: `decided` writes one row, and 8 N bytes where the index is a new one;
//! `exposures` reads 8 N D bytes.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, Row};

use super::{Digest, Ledger, LedgerError, error::Context, open::Stop, usage::count, words::Sql};
use crate::{
    decision::Form,
    skill::{Instant, SkillId},
};

/// A decision that was made and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// When, by the real clock.
    pub at: Instant,
    /// In which session, if it is known.
    pub session: Option<String>,
    /// For which agent, by its word; empty for none in particular.
    pub agent: String,
    /// The file that holds the whole record, if there is one.
    pub record: Option<Digest>,
    /// The file that holds what it is about.
    pub shelf: Option<Digest>,
    /// How many skills got each form, and whatever else is worth a number.
    pub counts: BTreeMap<String, u64>,
}

impl Ledger {
    /// Writes a decision down, and that its index was shown once more. `forms` are those of the skills that the ledger
    /// knows; a list that was shown before is not written again.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn decided(
        &self,
        decided: &Decided,
        forms: &BTreeMap<SkillId, Form>,
    ) -> Result<(), LedgerError> {
        let counts = serde_json::to_string(&decided.counts)
            .map_err(|error| LedgerError::Contradiction { found: error.to_string() })?;
        self.write(|all| {
            let entries = pack(forms);
            let object = Sql(Digest::of(&entries));
            let mut again = all.prepare_cached(
                "UPDATE exposures SET shown = shown + 1, last = max(last, ?2) WHERE object = ?1",
            )?;
            if again.execute((&object, Sql(decided.at)))? == 0 {
                let mut first = all.prepare_cached(
                    "INSERT INTO exposures (object, shown, first, last, entries) VALUES (?1, 1, ?2, ?2, ?3)",
                )?;
                first.execute((&object, Sql(decided.at), entries))?;
            }
            let mut put = all.prepare_cached(
                "INSERT INTO decisions (at, session, agent, object, counts, record, shelf)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            put.execute((
                Sql(decided.at),
                &decided.session,
                &decided.agent,
                &object,
                counts,
                decided.record.map(Sql),
                decided.shelf.map(Sql),
            ))?;
            Ok(())
        })
    }

    /// The newest decisions, newest first: for one agent, or for all.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn decisions(
        &self,
        agent: Option<&str>,
        newest: usize,
    ) -> Result<Vec<Decided>, LedgerError> {
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        self.read(|all| {
            tells(all, &self.context)?;
            let sql = format!(
                "SELECT {ROW} FROM decisions WHERE ?1 IS NULL OR agent = ?1 ORDER BY id DESC LIMIT ?2"
            );
            let mut ask = all.prepare_cached(&sql)?;
            let found = ask.query_map((agent, newest), row)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The last decision of an agent's session.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn decision_of(&self, agent: &str, session: &str) -> Result<Option<Decided>, LedgerError> {
        self.read(|all| {
            tells(all, &self.context)?;
            let sql = format!(
                "SELECT {ROW} FROM decisions WHERE agent = ?1 AND session = ?2 ORDER BY id DESC LIMIT 1"
            );
            Ok(all.prepare_cached(&sql)?.query_row((agent, session), row).optional()?)
        })
    }

    /// The decision of an agent that held at a time: the last one until then.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn decision_at(&self, agent: &str, at: Instant) -> Result<Option<Decided>, LedgerError> {
        self.read(|all| {
            tells(all, &self.context)?;
            let sql = format!(
                "SELECT {ROW} FROM decisions WHERE agent = ?1 AND at <= ?2 ORDER BY at DESC, id DESC LIMIT 1"
            );
            Ok(all.prepare_cached(&sql)?.query_row((agent, Sql(at)), row).optional()?)
        })
    }

    /// When the oldest decision was made.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn oldest_decision(&self) -> Result<Option<Instant>, LedgerError> {
        self.read(|all| {
            let oldest = all.query_row("SELECT min(at) FROM decisions", [], |row| {
                row.get::<_, Option<Sql<Instant>>>(0)
            })?;
            Ok(oldest.map(|oldest| oldest.0))
        })
    }

    /// The files that decisions name.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn named_by_decisions(&self) -> Result<BTreeSet<Digest>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT record FROM decisions WHERE record IS NOT NULL
                 UNION SELECT shelf FROM decisions WHERE shelf IS NOT NULL",
            )?;
            let found = ask.query_map([], |row| Ok(row.get::<_, Sql<Digest>>(0)?.0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The forms that an agent's last decision gave to skills; nothing where there was none.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn previous_forms(&self, agent: &str) -> Result<BTreeMap<SkillId, Form>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT entries FROM exposures WHERE object =
                   (SELECT object FROM decisions WHERE agent = ?1 ORDER BY id DESC LIMIT 1)",
            )?;
            let found: Option<Vec<u8>> = ask.query_row([agent], |row| row.get(0)).optional()?;
            unpack(&found.unwrap_or_default(), &self.context)
        })
    }

    /// How often each skill was listed by name in an index that was shown. One that was only counted isn't listed.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn exposures(&self) -> Result<BTreeMap<SkillId, u64>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT shown, entries FROM exposures")?;
            let mut rows = ask.query([])?;
            let mut exposures = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let shown = count(row, 0)?;
                for (skill, form) in unpack(
                    row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?,
                    &self.context,
                )? {
                    if form != Form::Counted {
                        *exposures.entry(skill).or_insert(0) += shown;
                    }
                }
            }
            Ok(exposures)
        })
    }

    /// The files that hold what decisions are about, each once.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn shelves(&self) -> Result<Vec<Digest>, LedgerError> {
        self.read(|all| {
            let mut ask =
                all.prepare_cached("SELECT DISTINCT shelf FROM decisions WHERE shelf IS NOT NULL")?;
            let found = ask.query_map([], |row| Ok(row.get::<_, Sql<Digest>>(0)?.0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Forgets decisions that are older, but for each agent's newest; what was shown stays counted. How many they were.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn forget_decisions(&self, before: Instant) -> Result<usize, LedgerError> {
        self.write(|all| {
            let sql = "DELETE FROM decisions WHERE at < ?1
                 AND id NOT IN (SELECT max(id) FROM decisions GROUP BY agent)";
            Ok(all.execute(sql, [Sql(before)])?)
        })
    }
}

/// The version of the schema that brought records.
const VERSION: i32 = 2;

/// Whether decisions can be asked for: a ledger that is only read stays as old as it is.
fn tells(all: &Connection, context: &Context) -> Result<(), Stop> {
    let found = all.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found >= VERSION {
        return Ok(());
    }
    let path = context.path.clone();
    Err(LedgerError::Older { path, found, needed: VERSION }.into())
}

/// The columns of a decision.
const ROW: &str = "at, session, agent, record, shelf, counts";

fn row(row: &Row<'_>) -> rusqlite::Result<Decided> {
    let counts = serde_json::from_str(row.get_ref(5)?.as_str()?).map_err(|error| {
        let kind = rusqlite::types::Type::Text;
        rusqlite::Error::FromSqlConversionFailure(5, kind, Box::new(error))
    })?;
    Ok(Decided {
        at: row.get::<_, Sql<_>>(0)?.0,
        session: row.get(1)?,
        agent: row.get(2)?,
        record: row.get::<_, Option<Sql<_>>>(3)?.map(|it| it.0),
        shelf: row.get::<_, Option<Sql<_>>>(4)?.map(|it| it.0),
        counts,
    })
}

fn pack(forms: &BTreeMap<SkillId, Form>) -> Vec<u8> {
    let entry = |(skill, form): (&SkillId, &Form)| {
        let id = skill.to_number().cast_unsigned();
        let form = match form {
            Form::Full => 0,
            Form::Short => 1,
            Form::Name => 2,
            Form::Counted => 3,
        };
        (id << 4 | form).to_be_bytes()
    };
    forms.iter().flat_map(entry).collect()
}

fn unpack(bytes: &[u8], context: &Context) -> Result<BTreeMap<SkillId, Form>, Stop> {
    let (entries, rest) = bytes.as_chunks::<8>();
    let entry = |entry: &[u8; 8]| {
        let bits = u64::from_be_bytes(*entry);
        let form = match bits & 15 {
            0 => Form::Full,
            1 => Form::Short,
            2 => Form::Name,
            3 => Form::Counted,
            _ => return None,
        };
        Some((SkillId::from_random(bits >> 4), form))
    };
    let found: Option<BTreeMap<SkillId, Form>> = entries.iter().map(entry).collect();
    match found {
        Some(found) if rest.is_empty() => Ok(found),
        _ => Err(context
            .damaged("a list of what an index shows is cut or holds unknown forms")
            .into()),
    }
}
