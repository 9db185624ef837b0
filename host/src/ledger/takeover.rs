//! What is taken over from other programs: written down in one transaction, with marks of what they said, so that the next
//! time only what is new counts. What is to be taken is planned elsewhere.

use rusqlite::{Connection, Row};

use super::{
    Digest, Event, Found, Known, Ledger, LedgerError, NewSkill, Origin,
    open::Stop,
    scan::{self, pack},
    skills,
    usage::put_events,
    words::Sql,
};
use crate::skill::{Instant, SkillId, State};

/// Where something was taken over from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Whose, in a word: `hermes`.
    pub program: String,
    /// The home or the file: an absolute path.
    pub place: String,
    /// Of the bytes that held its counts.
    pub digest: Digest,
    /// When something was last taken over.
    pub last: Instant,
    /// What it said of itself, as JSON.
    pub kept: String,
}

/// What a record of another program said when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its name there.
    pub key: String,
    /// When it was begun, in the other program's words; empty where it doesn't say.
    pub made: String,
    /// The skill that it was about.
    pub skill: SkillId,
    /// The most views that it ever told.
    pub views: u32,
    /// The most uses.
    pub uses: u32,
    /// The most writes.
    pub writes: u32,
    /// Whether it said that the skill is pinned.
    pub pinned: bool,
    /// The state that it told; active where it told none.
    pub state: State,
}

/// A job that names a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// The job's name.
    pub job: String,
    /// The skill as the job spells it.
    pub spelling: String,
    /// The skill; nothing where the spelling means none that is known.
    pub skill: Option<SkillId>,
}

/// All that was taken over until now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How often something was: what is planned on this holds until it is one more.
    pub runs: u64,
    /// Each source with its marks and the jobs that it told.
    pub sources: Vec<(Source, Vec<Mark>, Vec<Reference>)>,
}

/// A skill that lies in another program's archive, and stays there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutAway {
    /// Its id; one that is new is known from then on.
    pub id: SkillId,
    /// Where it lies, and what it is like.
    pub found: Found,
    /// Since when.
    pub since: Instant,
}

/// What is to be taken over, all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeover {
    /// From where, as it is then; `last` is when.
    pub source: Source,
    /// The runs that it was planned on.
    pub planned_on: u64,
    /// Skills of another program's archive.
    pub put_away: Vec<PutAway>,
    /// Counts.
    pub events: Vec<Event>,
    /// Who made a skill, where nobody had said.
    pub origins: Vec<(SkillId, Origin)>,
    /// Skills that are pinned in roots that are only read.
    pub pins: Vec<SkillId>,
    /// Skills that go stale, or become active again.
    pub states: Vec<(SkillId, State)>,
    /// Skills that are older than was known.
    pub since: Vec<(SkillId, Instant)>,
    /// All jobs that the source tells now; nothing where it doesn't, and those that were known stay.
    pub references: Option<Vec<Reference>>,
    /// What its records say now.
    pub marks: Vec<Mark>,
}

impl Ledger {
    /// What was taken over until now, from everywhere.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn taken(&self) -> Result<Taken, LedgerError> {
        self.read(|all| {
            if !tells(all)? {
                return Ok(Taken::default());
            }
            let mut ask = all.prepare_cached(
                "SELECT id, program, place, digest, last, kept FROM sources ORDER BY program, place",
            )?;
            let rows = ask.query_map([], |row| {
                let source = Source {
                    program: row.get(1)?,
                    place: row.get(2)?,
                    digest: row.get::<_, Sql<_>>(3)?.0,
                    last: row.get::<_, Sql<_>>(4)?.0,
                    kept: row.get(5)?,
                };
                Ok((row.get::<_, i64>(0)?, source))
            })?;
            let mut sources = Vec::new();
            for row in rows {
                let (id, source) = row?;
                sources.push((source, marks(all, id)?, references(all, Some(id))?));
            }
            Ok(Taken { runs: runs(all)?, sources })
        })
    }

    /// Skills that jobs name, of all sources: what the law `referenced` looks at.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn references(&self) -> Result<Vec<Reference>, LedgerError> {
        self.read(|all| if tells(all)? { references(all, None) } else { Ok(Vec::new()) })
    }

    /// Whether a job names a skill.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn is_referenced(&self, skill: SkillId) -> Result<bool, LedgerError> {
        self.read(|all| {
            if !tells(all)? {
                return Ok(false);
            }
            let mut ask = all.prepare_cached("SELECT 1 FROM job_references WHERE skill = ?1")?;
            Ok(ask.exists([Sql(skill)])?)
        })
    }

    /// All skills that may be found again, as a scan matches them with what it finds.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn known(&self) -> Result<Vec<Known>, LedgerError> {
        self.read(scan::known)
    }

    /// Writes down what is taken over, durable on return.
    ///
    /// # Errors
    /// Where something else was taken over since it was planned, a skill is not known, or the ledger can't be written.
    /// Nothing is written then.
    pub fn take_over(&self, plan: &Takeover) -> Result<(), LedgerError> {
        self.write(|all| {
            let runs = runs(all)?;
            if runs != plan.planned_on {
                let found = "something else was taken over since this was planned".to_owned();
                return Err(LedgerError::Contradiction { found }.into());
            }
            let at = plan.source.last;
            for away in &plan.put_away {
                put_away(all, away, at)?;
            }
            put_events(all, &plan.events)?;
            declare(all, plan)?;
            let source = put_source(all, &plan.source)?;
            if let Some(references) = &plan.references {
                put_references(all, source, references)?;
            }
            put_marks(all, source, &plan.marks)
        })
    }
}

/// The version of the schema that brought all this.
pub(super) const VERSION: i32 = 3;

/// Whether anything can have been taken over: a ledger that is only read stays as old as it is.
fn tells(all: &Connection) -> Result<bool, Stop> {
    let found: i32 = all.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(found >= VERSION)
}

fn runs(all: &Connection) -> Result<u64, Stop> {
    let mut ask = all.prepare_cached("SELECT coalesce(sum(runs), 0) FROM sources")?;
    Ok(ask.query_row([], |row| row.get::<_, Sql<u64>>(0))?.0)
}

fn marks(all: &Connection, source: i64) -> Result<Vec<Mark>, Stop> {
    let mut ask = all.prepare_cached(
        "SELECT key, made, skill, views, uses, writes, pinned, state FROM taken WHERE source = ?1
         ORDER BY key, made",
    )?;
    let found = ask.query_map([source], |row| {
        Ok(Mark {
            key: row.get(0)?,
            made: row.get(1)?,
            skill: row.get::<_, Sql<_>>(2)?.0,
            views: row.get(3)?,
            uses: row.get(4)?,
            writes: row.get(5)?,
            pinned: row.get(6)?,
            state: row.get::<_, Sql<_>>(7)?.0,
        })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn references(all: &Connection, source: Option<i64>) -> Result<Vec<Reference>, Stop> {
    let mut ask = all.prepare_cached(
        "SELECT job, spelling, skill FROM job_references WHERE ?1 IS NULL OR source = ?1 ORDER BY id",
    )?;
    let read = |row: &Row<'_>| {
        let skill = row.get::<_, Option<Sql<SkillId>>>(2)?.map(|it| it.0);
        Ok(Reference { job: row.get(0)?, spelling: row.get(1)?, skill })
    };
    Ok(ask.query_map([source], read)?.collect::<rusqlite::Result<_>>()?)
}

fn put_away(all: &Connection, away: &PutAway, at: Instant) -> Result<(), Stop> {
    let PutAway { id, found, since } = away;
    if skills::one(all, "id = ?1", [Sql(*id)])?.is_none() {
        let skill = NewSkill {
            id: *id,
            root: found.root,
            folder: found.folder.clone(),
            name: found.name.clone(),
            category: found.category.clone(),
            state: State::Archived,
            origin: Origin::Unknown,
            created: at,
        };
        skills::insert(all, &skill)?;
    }
    let mut put = all.prepare_cached(
        "UPDATE skills SET root = ?2, folder = ?3, name = ?4, state = 'archived', archived_at = ?5,
           device = ?6, inode = ?7, digest = coalesce(?8, digest), sketch = coalesce(?9, sketch), seen = ?10
         WHERE id = ?1",
    )?;
    put.execute((
        Sql(*id),
        Sql(found.root),
        &found.folder,
        &found.name,
        Sql(*since),
        Sql(found.device),
        Sql(found.inode),
        found.digest.map(Sql),
        found.sketch.map(pack),
        Sql(at),
    ))?;
    Ok(())
}

/// What holds of single skills, each where it still fits what is known.
fn declare(all: &Connection, plan: &Takeover) -> Result<(), Stop> {
    let mut origin =
        all.prepare_cached("UPDATE skills SET origin = ?2 WHERE id = ?1 AND origin = 'unknown'")?;
    for (id, said) in &plan.origins {
        origin.execute((Sql(*id), Sql(*said)))?;
    }
    let mut pin = all.prepare_cached("UPDATE skills SET pinned = 1 WHERE id = ?1")?;
    for id in &plan.pins {
        skills::known(*id, pin.execute([Sql(*id)])?)?;
    }
    let mut state = all.prepare_cached(
        "UPDATE skills SET state = ?2 WHERE id = ?1 AND state IN ('active', 'stale')",
    )?;
    for (id, said) in &plan.states {
        state.execute((Sql(*id), Sql(*said)))?;
    }
    let mut since =
        all.prepare_cached("UPDATE skills SET created = min(created, ?2) WHERE id = ?1")?;
    for (id, said) in &plan.since {
        since.execute((Sql(*id), Sql(*said)))?;
    }
    Ok(())
}

fn put_source(all: &Connection, source: &Source) -> Result<i64, Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO sources (program, place, digest, runs, first, last, kept) VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)
         ON CONFLICT (program, place) DO UPDATE SET digest = ?3, runs = runs + 1, last = ?4, kept = ?5
         RETURNING id",
    )?;
    let values =
        (&source.program, &source.place, Sql(source.digest), Sql(source.last), &source.kept);
    Ok(put.query_row(values, |row| row.get(0))?)
}

fn put_references(all: &Connection, source: i64, references: &[Reference]) -> Result<(), Stop> {
    all.execute("DELETE FROM job_references WHERE source = ?1", [source])?;
    let mut put = all.prepare_cached(
        "INSERT INTO job_references (source, job, spelling, skill) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for it in references {
        put.execute((source, &it.job, &it.spelling, it.skill.map(Sql)))?;
    }
    Ok(())
}

fn put_marks(all: &Connection, source: i64, marks: &[Mark]) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "INSERT INTO taken (source, key, made, skill, views, uses, writes, pinned, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (source, key, made) DO UPDATE
           SET skill = ?4, views = ?5, uses = ?6, writes = ?7, pinned = ?8, state = ?9",
    )?;
    for it in marks {
        put.execute((
            source,
            &it.key,
            &it.made,
            Sql(it.skill),
            it.views,
            it.uses,
            it.writes,
            it.pinned,
            Sql(it.state),
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Mark, PutAway, Reference, Source, Taken, Takeover};
    use crate::{
        ledger::{
            Digest, Found, Kind, Ledger, Origin, RootId,
            tests::{event, fill, id},
        },
        skill::{Instant, SkillId, State},
    };

    fn nothing(at: i64) -> Takeover {
        Takeover {
            source: Source {
                program: "hermes".to_owned(),
                place: "/h".to_owned(),
                digest: Digest::of(b"1"),
                last: Instant(at),
                kept: "{}".to_owned(),
            },
            planned_on: 0,
            put_away: Vec::new(),
            events: Vec::new(),
            origins: Vec::new(),
            pins: Vec::new(),
            states: Vec::new(),
            since: Vec::new(),
            references: None,
            marks: Vec::new(),
        }
    }

    fn away(id: SkillId, root: RootId) -> PutAway {
        let found = Found {
            root,
            folder: ".archive/old".to_owned(),
            name: "old".to_owned(),
            category: "general".to_owned(),
            device: 1,
            inode: 2,
            digest: Some(Digest::of(b"old")),
            sketch: None,
        };
        PutAway { id, found, since: Instant(5) }
    }

    #[test]
    fn what_is_taken_over_is_known_as_it_was_said() {
        let ledger = Ledger::in_memory().unwrap();
        let root = fill(&ledger, 2);
        let mark = Mark {
            key: "one".to_owned(),
            made: String::new(),
            skill: id(1),
            views: 0,
            uses: 3,
            writes: 0,
            pinned: true,
            state: State::Stale,
        };
        let reference =
            Reference { job: "j".to_owned(), spelling: "one".to_owned(), skill: Some(id(1)) };
        let plan = Takeover {
            put_away: vec![away(id(9), root), PutAway { id: id(2), ..away(id(2), root) }],
            events: vec![event(9, Kind::Use, 3)],
            origins: vec![(id(1), Origin::Review), (id(9), Origin::Bundled)],
            pins: vec![id(1)],
            states: vec![(id(1), State::Stale), (id(9), State::Stale)],
            since: vec![(id(1), Instant(-7))],
            references: Some(vec![reference.clone()]),
            marks: vec![mark.clone()],
            ..nothing(50)
        };
        ledger.take_over(&plan).unwrap();
        let one = ledger.skill(id(1)).unwrap().unwrap();
        assert_eq!(
            (one.origin, one.pinned, one.state, one.created),
            (Origin::Review, true, State::Stale, Instant(-7))
        );
        for number in [9, 2] {
            let old = ledger.skill(id(number)).unwrap().unwrap();
            assert_eq!(
                (old.state, old.folder.as_str(), old.archived_at),
                (State::Archived, ".archive/old", Some(Instant(5)))
            );
        }
        assert_eq!(ledger.sums(id(9)).unwrap().uses, 1);
        let sources = vec![(plan.source.clone(), vec![mark], vec![reference])];
        assert_eq!(ledger.taken().unwrap(), Taken { runs: 1, sources });
        assert_eq!(ledger.check().unwrap(), []);
    }

    #[test]
    fn one_thing_that_can_t_be_taken_leaves_all_as_it_was() {
        let ledger = Ledger::in_memory().unwrap();
        fill(&ledger, 1);
        let events = vec![event(1, Kind::Use, 3), event(8, Kind::Use, 3)];
        for plan in [
            Takeover { events, ..nothing(1) },
            Takeover { events: vec![event(1, Kind::Use, 3)], pins: vec![id(8)], ..nothing(1) },
            Takeover { events: vec![event(1, Kind::Use, 3)], planned_on: 4, ..nothing(1) },
        ] {
            assert!(ledger.take_over(&plan).is_err());
            assert_eq!(ledger.sums(id(1)).unwrap().uses, 0);
            assert_eq!(ledger.taken().unwrap(), Taken::default());
        }
    }
}
