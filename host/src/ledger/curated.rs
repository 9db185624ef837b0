//! What a pass needs of all skills that are in the library, asked in one go.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Ledger, LedgerError, NewChange, Origin, RootId, Verb,
    journal::insert,
    passes, schema, skills,
    usage::{SUMS, Sums, sums_of},
    words::Sql,
};
use crate::skill::{Instant, SkillId, State};

/// A skill that is in the library, as a pass looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InCare {
    /// Its id.
    pub id: SkillId,
    /// Its root.
    pub root: RootId,
    /// Its folder below the root as last seen.
    pub folder: String,
    /// Its name as last seen.
    pub name: String,
    /// Active or stale.
    pub state: State,
    /// Who made it.
    pub origin: Origin,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Since when it is known.
    pub created: Instant,
    /// When a person took it into the curator's care.
    pub adopted: Option<Instant>,
    /// When it last came back from the archive.
    pub returned: Option<Instant>,
    /// What its events come to.
    pub sums: Sums,
}

/// When a skill last helped, and when it last didn't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastOutcomes {
    /// It helped.
    pub success: Option<Instant>,
    /// It didn't.
    pub failure: Option<Instant>,
}

impl Ledger {
    /// All skills that are in the library (active or stale), by id.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn in_care(&self) -> Result<Vec<InCare>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(&format!("SELECT {SUMS} FROM sums ORDER BY skill"))?;
            let mut sums = BTreeMap::new();
            let mut rows = ask.query([])?;
            while let Some(row) = rows.next()? {
                let (skill, found) = sums_of(row)?;
                sums.insert(skill, found);
            }
            // A reader may meet a file from before there were passes.
            let times = if schema::version(all)? < passes::VERSION {
                "NULL, NULL"
            } else {
                "adopted, returned"
            };
            let mut ask = all.prepare_cached(&format!(
                "SELECT id, root, folder, name, state, origin, pinned, created, {times}
                 FROM skills NOT INDEXED WHERE state IN ('active', 'stale') ORDER BY id",
            ))?;
            let found = ask.query_map([], |row| {
                let id = row.get::<_, Sql<SkillId>>(0)?.0;
                Ok(InCare {
                    id,
                    root: row.get::<_, Sql<_>>(1)?.0,
                    folder: row.get(2)?,
                    name: row.get(3)?,
                    state: row.get::<_, Sql<_>>(4)?.0,
                    origin: row.get::<_, Sql<_>>(5)?.0,
                    pinned: row.get(6)?,
                    created: row.get::<_, Sql<_>>(7)?.0,
                    adopted: row.get::<_, Option<Sql<_>>>(8)?.map(|it| it.0),
                    returned: row.get::<_, Option<Sql<_>>>(9)?.map(|it| it.0),
                    sums: sums.remove(&id).unwrap_or_default(),
                })
            })?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// When each skill last helped and last didn't; of those of which somebody said so.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn last_outcomes(&self) -> Result<BTreeMap<SkillId, LastOutcomes>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT skill, kind = 'success', max(at) FROM events
                 WHERE kind IN ('success', 'failure') GROUP BY skill, kind",
            )?;
            let mut found: BTreeMap<SkillId, LastOutcomes> = BTreeMap::new();
            let mut rows = ask.query([])?;
            while let Some(row) = rows.next()? {
                let last = found.entry(row.get::<_, Sql<_>>(0)?.0).or_default();
                let at = Some(row.get::<_, Sql<_>>(2)?.0);
                if row.get(1)? {
                    last.success = at;
                } else {
                    last.failure = at;
                }
            }
            Ok(found)
        })
    }

    /// The newest time at which anything was done with any skill by somebody who works with them: maintenance is none.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn last_activity(&self) -> Result<Option<Instant>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT max(at) FROM (
                   SELECT max(at) AS at FROM (SELECT at FROM events
                     WHERE actor NOT IN ('review', 'curator', 'sync') ORDER BY id DESC LIMIT 1000)
                   UNION ALL SELECT max(at) FROM (SELECT at FROM decisions ORDER BY id DESC LIMIT 1000))",
            )?;
            let found: Option<Sql<Instant>> = ask.query_row([], |row| row.get(0))?;
            Ok(found.map(|it| it.0))
        })
    }

    /// Ids of skills that jobs name.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn referenced(&self) -> Result<BTreeSet<SkillId>, LedgerError> {
        let references = self.references()?;
        Ok(references.into_iter().filter_map(|it| it.skill).collect())
    }

    /// Takes a skill into the curator's care: a change that moves nothing, begun and done at once.
    ///
    /// # Errors
    /// Where the change is no adoption, the skill is not known, or the ledger can't be written.
    pub fn adopt(&self, change: &NewChange) -> Result<super::ChangeId, LedgerError> {
        self.write(|all| {
            if change.verb != Verb::Adopt || !change.steps.is_empty() {
                let found = "an adoption moves no file".to_owned();
                return Err(LedgerError::Contradiction { found }.into());
            }
            let id = insert(all, change, "done")?;
            let mut put = all.prepare_cached(
                "UPDATE skills SET origin = 'adopted', adopted = ?2 WHERE id = ?1",
            )?;
            skills::known(change.skill, put.execute((Sql(change.skill), Sql(change.at)))?)?;
            Ok(id)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::LastOutcomes;
    use crate::{
        ledger::{
            Kind, Leave, Ledger, NewChange, Origin, PassEnd, PassPhase, Transition, Verb,
            tests::{event, fill, id},
        },
        skill::{Actor, Instant, State},
    };

    #[test]
    fn what_is_gone_is_not_in_care_and_outcomes_are_told_apart() {
        let ledger = Ledger::in_memory().unwrap();
        let root = fill(&ledger, 3);
        ledger
            .record(&[
                event(1, Kind::Use, 7),
                event(1, Kind::Success, 8),
                event(1, Kind::Failure, 9),
                event(1, Kind::Success, 5),
                event(2, Kind::Failure, 4),
            ])
            .unwrap();
        ledger.connection().execute_batch("UPDATE skills SET state = 'gone' WHERE id = 3").unwrap();
        let change = NewChange {
            root,
            skill: id(2),
            verb: Verb::Adopt,
            actor: Actor::Person,
            session: None,
            reason: String::new(),
            undoes: None,
            at: Instant(6),
            steps: Vec::new(),
            leave: Leave { origin: Some(Origin::Adopted), ..Leave::default() },
        };
        ledger.adopt(&change).unwrap();
        let told: Vec<_> = ledger
            .in_care()
            .unwrap()
            .into_iter()
            .map(|it| (it.id, it.origin, it.adopted, it.sums.uses, it.sums.failures))
            .collect();
        let expected = [
            (id(1), Origin::Unknown, None, 1, 1),
            (id(2), Origin::Adopted, Some(Instant(6)), 0, 1),
        ];
        assert_eq!(told, expected);
        let last = ledger.last_outcomes().unwrap();
        let both = LastOutcomes { success: Some(Instant(8)), failure: Some(Instant(9)) };
        assert_eq!(last.get(&id(1)), Some(&both));
        assert_eq!(last.get(&id(2)).unwrap().success, None);
        assert_eq!(ledger.last_activity().unwrap(), Some(Instant(9)));
    }

    #[test]
    fn a_skill_that_is_something_else_by_now_is_left_and_a_pass_that_was_cut_off_is_stopped() {
        let ledger = Ledger::in_memory().unwrap();
        fill(&ledger, 2);
        let first = ledger.begin_pass(Actor::Curator, "p1", Instant(10)).unwrap();
        let stale = |skill| Transition {
            skill: id(skill),
            was: State::Active,
            state: State::Stale,
            by: "rule 1".to_owned(),
            code: "idle".to_owned(),
            why: "unused".to_owned(),
        };
        let both = [stale(1), stale(2)];
        assert_eq!(ledger.transit(first, Instant(11), &both).unwrap(), [id(1), id(2)]);
        assert_eq!(ledger.transit(first, Instant(12), &both).unwrap(), []);
        assert_eq!(ledger.transitions(id(1), 9).unwrap().len(), 1);
        assert_eq!(ledger.transitions_of(first).unwrap().len(), 2);
        let second = ledger.begin_pass(Actor::Person, "p2", Instant(20)).unwrap();
        let end = PassEnd {
            phase: PassPhase::Done,
            at: Instant(21),
            report: None,
            counts: "{}".to_owned(),
            summary: "no changes".to_owned(),
        };
        ledger.end_pass(second, &end).unwrap();
        let passes = ledger.passes(9).unwrap();
        let told: Vec<_> = passes.iter().map(|it| (it.phase, it.summary.as_str())).collect();
        assert_eq!(told, [(PassPhase::Done, "no changes"), (PassPhase::Stopped, "cut off")]);
        assert_eq!(ledger.passes_done().unwrap(), 1);
    }

    #[test]
    fn what_a_person_said_first_stays_said() {
        let ledger = Ledger::in_memory().unwrap();
        for at in [5, 9] {
            ledger.defer(Instant(at)).unwrap();
            ledger.consent(Instant(at)).unwrap();
            ledger.pause(Some(Instant(at))).unwrap();
        }
        let standing = ledger.standing().unwrap();
        let five = Some(Instant(5));
        assert_eq!((standing.deferred, standing.consent, standing.paused), (five, five, five));
        ledger.pause(None).unwrap();
        assert_eq!(ledger.standing().unwrap().paused, None);
    }
}
