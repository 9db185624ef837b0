//! The curator's passes and what they moved between active and stale; what a person said about passes at all.

use rusqlite::{Connection, OptionalExtension, Row};

use super::{ChangeId, Ledger, LedgerError, open::Stop, schema, skills, words::Sql};
use crate::skill::{Actor, Instant, SkillId, State};

/// The version of the schema that brought passes.
pub(super) const VERSION: i32 = 7;

const DEFERRED: &str = "curator-deferred";
const PAUSED: &str = "curator-paused";
const CONSENT: &str = "curator-consent";

/// A pass, as people name it. Numbers grow and are never given out twice.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct PassId(pub i64);

impl PassId {
    /// The session of all changes that the pass makes.
    #[must_use]
    pub fn session(self) -> String {
        format!("pass-{}", self.0)
    }

    /// The pass whose session that is; nothing for the session of anything else.
    #[must_use]
    pub fn of_session(session: &str) -> Option<PassId> {
        session.strip_prefix("pass-")?.parse().ok().map(PassId)
    }
}

/// How far a pass got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassPhase {
    /// It was begun. Whoever finds it so while nobody has the claim knows that it was cut off.
    Open,
    /// It came to its end.
    Done,
    /// It was stopped before: paused, or cut off.
    Stopped,
}

impl PassPhase {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            PassPhase::Open => "open",
            PassPhase::Done => "done",
            PassPhase::Stopped => "stopped",
        }
    }

    /// What a word means; nothing for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<PassPhase> {
        [PassPhase::Open, PassPhase::Done, PassPhase::Stopped]
            .into_iter()
            .find(|it| it.word() == word)
    }
}

/// A pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its number.
    pub id: PassId,
    /// Who had it made: the curator by itself, or a person.
    pub actor: Actor,
    /// The plan that it carried out.
    pub plan: String,
    /// How far it got.
    pub phase: PassPhase,
    /// When it began.
    pub begun: Instant,
    /// When it ended.
    pub ended: Option<Instant>,
    /// The snapshot that was made before, where one was.
    pub snapshot: Option<String>,
    /// The folder of its report below the home, where there is one.
    pub report: Option<String>,
    /// What it came to, as JSON.
    pub counts: String,
    /// The same in one line.
    pub summary: String,
}

/// What became of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassEnd {
    /// Done, or stopped.
    pub phase: PassPhase,
    /// When.
    pub at: Instant,
    /// The folder of its report below the home.
    pub report: Option<String>,
    /// What it came to, as JSON.
    pub counts: String,
    /// The same in one line.
    pub summary: String,
}

/// A skill that goes stale or becomes active again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Which.
    pub skill: SkillId,
    /// What it has to be now; where it is something else by now, it is left.
    pub was: State,
    /// What it is then.
    pub state: State,
    /// The policy, by name and version.
    pub by: String,
    /// Its reason's code.
    pub code: String,
    /// Its reason.
    pub why: String,
}

/// A transition that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// In which pass.
    pub pass: PassId,
    /// When.
    pub at: Instant,
    /// What it was.
    pub transition: Transition,
}

/// A skill that a pass moved to the archive, or meant to when it was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Which.
    pub skill: SkillId,
    /// The change that moved it.
    pub change: ChangeId,
    /// When that was begun.
    pub at: Instant,
    /// Whether it was done. What was begun is finished or taken back by whoever comes next.
    pub done: bool,
    /// Why.
    pub why: String,
}

/// What holds for passes at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// When somebody first asked whether a pass is due: the first waits an interval from there.
    pub deferred: Option<Instant>,
    /// Since when passes are paused.
    pub paused: Option<Instant>,
    /// When a person saw a plan that retires and said yes.
    pub consent: Option<Instant>,
}

impl Ledger {
    /// What holds for passes.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn standing(&self) -> Result<Standing, LedgerError> {
        self.read(|all| {
            Ok(Standing {
                deferred: when(all, DEFERRED)?,
                paused: when(all, PAUSED)?,
                consent: when(all, CONSENT)?,
            })
        })
    }

    /// The first pass waits from now on, unless it does already.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn defer(&self, at: Instant) -> Result<(), LedgerError> {
        self.write(|all| put(all, DEFERRED, Some(at), "INSERT OR IGNORE"))
    }

    /// No pass begins until that is taken back, and one that is under way ends with its next step.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn pause(&self, since: Option<Instant>) -> Result<(), LedgerError> {
        self.write(|all| put(all, PAUSED, since, "INSERT OR IGNORE"))
    }

    /// A person saw a plan that retires skills and said yes.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn consent(&self, at: Instant) -> Result<(), LedgerError> {
        self.write(|all| put(all, CONSENT, Some(at), "INSERT OR IGNORE"))
    }

    /// Begins a pass. What was open is stopped: only who has the claim comes here, so nobody goes on with it.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn begin_pass(&self, actor: Actor, plan: &str, at: Instant) -> Result<PassId, LedgerError> {
        self.write(|all| {
            let mut stop = all.prepare_cached(
                "UPDATE passes SET phase = 'stopped', ended = ?1, summary = 'cut off' WHERE phase = 'open'",
            )?;
            stop.execute([Sql(at)])?;
            let mut begin = all.prepare_cached(
                "INSERT INTO passes (actor, plan, phase, begun, counts, summary)
                 VALUES (?1, ?2, 'open', ?3, '{}', '')",
            )?;
            begin.execute((Sql(actor), plan, Sql(at)))?;
            Ok(PassId(all.last_insert_rowid()))
        })
    }

    /// The snapshot of a pass was made.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn snapshot_of(&self, pass: PassId, snapshot: &str) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put = all.prepare_cached("UPDATE passes SET snapshot = ?2 WHERE id = ?1")?;
            put.execute((pass.0, snapshot))?;
            Ok(())
        })
    }

    /// Ends a pass.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn end_pass(&self, pass: PassId, end: &PassEnd) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put = all.prepare_cached(
                "UPDATE passes SET phase = ?2, ended = ?3, report = ?4, counts = ?5, summary = ?6 WHERE id = ?1",
            )?;
            let PassEnd { phase, at, report, counts, summary } = end;
            put.execute((pass.0, phase.word(), Sql(*at), report, counts, summary))?;
            Ok(())
        })
    }

    /// The newest passes, newest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn passes(&self, newest: usize) -> Result<Vec<Pass>, LedgerError> {
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        self.read(|all| {
            if schema::version(all)? < VERSION {
                return Ok(Vec::new());
            }
            let mut ask = all.prepare_cached(
                "SELECT id, actor, plan, phase, begun, ended, snapshot, report, counts, summary
                 FROM passes ORDER BY id DESC LIMIT ?1",
            )?;
            Ok(ask.query_map([newest], pass)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// How many passes came to their end.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn passes_done(&self) -> Result<u64, LedgerError> {
        self.read(|all| {
            if schema::version(all)? < VERSION {
                return Ok(0);
            }
            let mut ask = all.prepare_cached("SELECT count(*) FROM passes WHERE phase = 'done'")?;
            let count: i64 = ask.query_row([], |row| row.get(0))?;
            Ok(u64::try_from(count).unwrap_or(0))
        })
    }

    /// Moves skills between active and stale, all in one transaction, durable on return. A skill that is something else by now
    /// than the transition says is left; those that were moved are returned.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn transit(
        &self,
        pass: PassId,
        at: Instant,
        transitions: &[Transition],
    ) -> Result<Vec<SkillId>, LedgerError> {
        self.write(|all| {
            let mut moved = Vec::with_capacity(transitions.len());
            let mut set =
                all.prepare_cached("UPDATE skills SET state = ?3 WHERE id = ?1 AND state = ?2")?;
            let mut note = all.prepare_cached(
                "INSERT INTO transitions (pass, skill, at, was, state, by, code, why)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for it in transitions {
                if set.execute((Sql(it.skill), Sql(it.was), Sql(it.state)))? == 0 {
                    continue;
                }
                note.execute((
                    pass.0,
                    Sql(it.skill),
                    Sql(at),
                    Sql(it.was),
                    Sql(it.state),
                    &it.by,
                    &it.code,
                    &it.why,
                ))?;
                moved.push(it.skill);
            }
            Ok(moved)
        })
    }

    /// The newest transitions of a skill, newest first.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn transitions(&self, skill: SkillId, newest: usize) -> Result<Vec<Moved>, LedgerError> {
        let newest = i64::try_from(newest).unwrap_or(i64::MAX);
        self.read(|all| {
            if schema::version(all)? < VERSION {
                return Ok(Vec::new());
            }
            let mut ask = all.prepare_cached(
                "SELECT pass, at, skill, was, state, by, code, why FROM transitions
                 WHERE skill = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            Ok(ask.query_map((Sql(skill), newest), moved)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The transitions of a pass, in their order.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn transitions_of(&self, pass: PassId) -> Result<Vec<Moved>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT pass, at, skill, was, state, by, code, why FROM transitions
                 WHERE pass = ?1 ORDER BY id",
            )?;
            Ok(ask.query_map([pass.0], moved)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// What a pass moved to the archive, in its order.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn retired_in(&self, pass: PassId) -> Result<Vec<Retired>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT skill, id, at, phase = 'done', reason FROM changes
                 WHERE session = ?1 AND verb = 'archive' ORDER BY id",
            )?;
            let found = ask.query_map([pass.session()], |row| {
                Ok(Retired {
                    skill: row.get::<_, Sql<_>>(0)?.0,
                    change: row.get::<_, Sql<_>>(1)?.0,
                    at: row.get::<_, Sql<_>>(2)?.0,
                    done: row.get(3)?,
                    why: row.get(4)?,
                })
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// A skill is in the curator's care from now on: nothing of it is moved.
    ///
    /// # Errors
    /// Where the skill is not known, or the ledger can't be written.
    pub fn adopted(&self, skill: SkillId, at: Instant) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut put = all.prepare_cached("UPDATE skills SET adopted = ?2 WHERE id = ?1")?;
            skills::known(skill, put.execute((Sql(skill), Sql(at)))?)
        })
    }
}

fn when(all: &Connection, key: &str) -> Result<Option<Instant>, Stop> {
    let mut ask = all.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    let found: Option<String> = ask.query_row([key], |row| row.get(0)).optional()?;
    Ok(found.and_then(|text| text.parse().ok()).map(Instant))
}

fn put(all: &Connection, key: &str, at: Option<Instant>, how: &str) -> Result<(), Stop> {
    let Some(at) = at else {
        all.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([key])?;
        return Ok(());
    };
    let mut put = all.prepare_cached(&format!("{how} INTO meta (key, value) VALUES (?1, ?2)"))?;
    put.execute((key, at.0.to_string()))?;
    Ok(())
}

fn pass(row: &Row<'_>) -> rusqlite::Result<Pass> {
    let phase: String = row.get(3)?;
    let phase = PassPhase::from_word(&phase).ok_or_else(|| {
        let why = format!("`{phase}` is no phase of a pass");
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, why.into())
    })?;
    Ok(Pass {
        id: PassId(row.get(0)?),
        actor: row.get::<_, Sql<_>>(1)?.0,
        plan: row.get(2)?,
        phase,
        begun: row.get::<_, Sql<_>>(4)?.0,
        ended: row.get::<_, Option<Sql<_>>>(5)?.map(|it| it.0),
        snapshot: row.get(6)?,
        report: row.get(7)?,
        counts: row.get(8)?,
        summary: row.get(9)?,
    })
}

fn moved(row: &Row<'_>) -> rusqlite::Result<Moved> {
    Ok(Moved {
        pass: PassId(row.get(0)?),
        at: row.get::<_, Sql<_>>(1)?.0,
        transition: Transition {
            skill: row.get::<_, Sql<_>>(2)?.0,
            was: row.get::<_, Sql<_>>(3)?.0,
            state: row.get::<_, Sql<_>>(4)?.0,
            by: row.get(5)?,
            code: row.get(6)?,
            why: row.get(7)?,
        },
    })
}
