//! What a reading command needs of all skills that are in the library, asked in one go.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use rusqlite::{OptionalExtension, Row, types::ValueRef};

use super::{
    Ledger, LedgerError, Origin, RootId,
    journal::choices,
    put_back::put_back,
    queue, roots,
    usage::{SUMS, Sums, sums_of},
    words::Sql,
};
use crate::skill::{Choice, SkillId, State};

/// A skill that is in the library, with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtHand {
    /// Its id.
    pub id: SkillId,
    /// Its root: absolute, links resolved.
    pub root: Arc<Path>,
    /// Its folder below the root as last seen.
    pub folder: String,
    /// Active or stale.
    pub state: State,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Whether what somebody else did to it waits to be accepted.
    pub held: bool,
    /// The archived skill that it was, where somebody else put it back and no person said that it be shown.
    pub put_back: Option<SkillId>,
    /// Who made it.
    pub origin: Origin,
    /// What its events come to.
    pub sums: Sums,
    /// What users chose for it: for one agent, or under nothing for all.
    pub choices: BTreeMap<Option<String>, Choice>,
}

impl AtHand {
    /// What holds for an agent: its own choice, else that for all, else `auto`.
    #[must_use]
    pub fn choice(&self, agent: Option<&str>) -> Choice {
        let own = agent.and_then(|agent| self.choices.get(&Some(agent.to_owned())));
        own.or_else(|| self.choices.get(&None)).copied().unwrap_or_default()
    }
}

impl AtHand {
    /// Whether the same is known of it, how often it was used aside.
    #[must_use]
    pub fn is_but_for_use(&self, other: &AtHand) -> bool {
        let AtHand { id, root, folder, state, pinned, held, put_back, origin, sums: _, choices } =
            self;
        (id, root, folder, state, pinned)
            == (&other.id, &other.root, &other.folder, &other.state, &other.pinned)
            && (held, put_back) == (&other.held, &other.put_back)
            && (origin, choices) == (&other.origin, &other.choices)
    }
}

impl Ledger {
    /// All skills that are in the library (active or stale), by id, as one state of the ledger has them.
    ///
    /// Three questions in the order of ids, merged: a join looks each skill's sums up by itself. Left to itself SQLite goes by
    /// the narrow index that `usage` has, and from there to each row; told not to, it takes a third of the time.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn at_hand(&self) -> Result<Vec<AtHand>, LedgerError> {
        self.read(|all| {
            let roots = roots::paths(all)?;
            let held = queue::held(all)?;
            let put_back = put_back(all)?;
            let mut choices = choices(all)?.into_iter().peekable();
            let mut ask = all.prepare_cached(&format!("SELECT {SUMS} FROM sums ORDER BY skill"))?;
            let mut sums = ask.query_map([], sums_of)?;
            let mut next = sums.next().transpose()?;
            let mut ask = all.prepare_cached(&format!(
                "SELECT {SKILL} FROM skills NOT INDEXED
                 WHERE state IN ('active', 'stale') ORDER BY id"
            ))?;
            let mut rows = ask.query([])?;
            let mut skills = Vec::new();
            while let Some(row) = rows.next()? {
                let mut skill = bare(row, 0, &roots)?;
                skill.held = held.binary_search(&skill.id).is_ok();
                skill.put_back = put_back.get(&skill.id).copied();
                // What is known of skills that are gone is passed over.
                while let Some((of, found)) = next.filter(|(of, _)| *of <= skill.id) {
                    if of == skill.id {
                        skill.sums = found;
                    }
                    next = sums.next().transpose()?;
                }
                while let Some((of, agent, choice)) = choices.next_if(|it| it.0 <= skill.id) {
                    if of == skill.id {
                        skill.choices.insert(agent, choice);
                    }
                }
                skills.push(skill);
            }
            Ok(skills)
        })
    }

    /// The skill that is in a folder of a root now, by the root's path; one row, whatever the size of the library.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn at_hand_in(&self, root: &Path, folder: &str) -> Result<Option<AtHand>, LedgerError> {
        self.read(|all| {
            let Some(number) = roots::at(all, root)?.map(|root| root.id) else { return Ok(None) };
            let roots = BTreeMap::from([(number, Arc::from(root))]);
            let mut ask = all.prepare_cached(&format!(
                "SELECT {SUMS}, {SKILL} FROM skills LEFT JOIN sums ON skill = id
                 WHERE root = ?1 AND folder = ?2 AND state IN ('active', 'stale')"
            ))?;
            let found = ask.query_row((Sql(number), folder), |row| {
                let mut skill = bare(row, 12, &roots)?;
                // Its columns are empty where nothing was ever done with the skill.
                if row.get_ref(0)? != ValueRef::Null {
                    skill.sums = sums_of(row)?.1;
                }
                Ok(skill)
            });
            let Some(mut skill) = found.optional()? else { return Ok(None) };
            skill.held = queue::held(all)?.binary_search(&skill.id).is_ok();
            skill.put_back = put_back(all)?.get(&skill.id).copied();
            let mut ask =
                all.prepare_cached("SELECT agent, choice FROM choices WHERE skill = ?1")?;
            let mut rows = ask.query([Sql(skill.id)])?;
            while let Some(row) = rows.next()? {
                let agent = Some(row.get::<_, String>(0)?).filter(|agent| !agent.is_empty());
                skill.choices.insert(agent, row.get::<_, Sql<_>>(1)?.0);
            }
            Ok(Some(skill))
        })
    }
}

const SKILL: &str = "id, root, folder, state, pinned, origin";

/// A skill whose columns begin at `first`, without its sums and choices.
fn bare(
    row: &Row<'_>,
    first: usize,
    roots: &BTreeMap<RootId, Arc<Path>>,
) -> rusqlite::Result<AtHand> {
    let root = row.get::<_, Sql<RootId>>(first + 1)?.0;
    Ok(AtHand {
        id: row.get::<_, Sql<_>>(first)?.0,
        // A foreign key holds the two together.
        root: roots.get(&root).cloned().unwrap_or_else(|| Path::new("").into()),
        folder: row.get(first + 2)?,
        state: row.get::<_, Sql<_>>(first + 3)?.0,
        pinned: row.get(first + 4)?,
        held: false,
        put_back: None,
        origin: row.get::<_, Sql<_>>(first + 5)?.0,
        sums: Sums::default(),
        choices: BTreeMap::new(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::{collections::BTreeMap, path::Path};

    use super::AtHand;
    use crate::{
        ledger::{
            Access, After, Kind, Leave, Ledger, NewChange, Origin, RootId, Step, Sums, Verb,
            tests::{event, fill, id},
        },
        skill::{Actor, Choice, Instant, State},
    };

    fn choose(ledger: &Ledger, root: RootId, skill: u64, agent: Option<&str>, choice: Choice) {
        let agent = agent.map(str::to_owned);
        let change = NewChange {
            root,
            skill: id(skill),
            verb: Verb::Set,
            actor: Actor::Person,
            session: None,
            reason: String::new(),
            undoes: None,
            at: Instant(1),
            steps: vec![Step::Choose { agent, before: Choice::Auto, after: choice }],
            leave: Leave::default(),
        };
        let change = ledger.begin(&change).unwrap();
        ledger.finish(change, &After::default()).unwrap();
    }

    #[test]
    fn each_skill_of_the_library_comes_with_its_own_and_those_that_are_gone_don_t() {
        let ledger = Ledger::in_memory().unwrap();
        let root = fill(&ledger, 4);
        ledger
            .record(&[event(1, Kind::Use, 7), event(2, Kind::Use, 8), event(3, Kind::View, 9)])
            .unwrap();
        ledger.declare(id(4), Origin::Review).unwrap();
        for (skill, agent, choice) in [
            (1, None, Choice::Name),
            (2, Some("codex"), Choice::Off),
            (3, Some("codex"), Choice::Full),
            (3, None, Choice::Manual),
        ] {
            choose(&ledger, root, skill, agent, choice);
        }
        let gone = "UPDATE skills SET state = 'gone' WHERE id = 2;
                    UPDATE skills SET state = 'stale', pinned = 1 WHERE id = 4;";
        ledger.connection().execute_batch(gone).unwrap();
        let skill = |number, sums, choices: &[(Option<&str>, Choice)]| AtHand {
            id: id(number),
            root: Path::new("/skills").into(),
            folder: number.to_string(),
            state: State::Active,
            pinned: false,
            held: false,
            put_back: None,
            origin: Origin::Unknown,
            sums,
            choices: choices
                .iter()
                .map(|(agent, choice)| (agent.map(str::to_owned), *choice))
                .collect(),
        };
        let used = Sums { uses: 1, last_use: Some(Instant(7)), ..Sums::default() };
        let seen = Sums { views: 1, last_view: Some(Instant(9)), ..Sums::default() };
        assert_eq!(
            ledger.at_hand().unwrap(),
            [
                skill(1, used, &[(None, Choice::Name)]),
                skill(3, seen, &[(None, Choice::Manual), (Some("codex"), Choice::Full)]),
                AtHand {
                    state: State::Stale,
                    pinned: true,
                    origin: Origin::Review,
                    ..skill(4, Sums::default(), &[])
                },
            ]
        );
        for skill in ledger.at_hand().unwrap() {
            assert_eq!(ledger.at_hand_in(&skill.root, &skill.folder).unwrap(), Some(skill));
        }
        for (root, folder) in [("/skills", "2"), ("/skills", "9"), ("/other", "1")] {
            assert_eq!(ledger.at_hand_in(root.as_ref(), folder).unwrap(), None);
        }
    }

    #[test]
    fn an_agent_s_own_choice_counts_before_the_general_one() {
        let skill = |choices: &[(Option<&str>, Choice)]| AtHand {
            id: id(1),
            root: Path::new("/skills").into(),
            folder: "a".to_owned(),
            state: State::Active,
            pinned: false,
            held: false,
            put_back: None,
            origin: Origin::Unknown,
            sums: Sums::default(),
            choices: choices
                .iter()
                .map(|(agent, choice)| (agent.map(str::to_owned), *choice))
                .collect::<BTreeMap<_, _>>(),
        };
        let both = skill(&[(None, Choice::Manual), (Some("codex"), Choice::Full)]);
        assert_eq!(both.choice(Some("codex")), Choice::Full);
        assert_eq!(both.choice(Some("hermes")), Choice::Manual);
        assert_eq!(both.choice(None), Choice::Manual);
        let own = skill(&[(Some("codex"), Choice::Off)]);
        assert_eq!((own.choice(None), own.choice(Some("codex"))), (Choice::Auto, Choice::Off));
        assert_eq!(skill(&[]).choice(Some("codex")), Choice::Auto);
    }

    #[test]
    fn a_reader_gets_the_same_as_a_writer() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("keep.db");
        let ledger = Ledger::open(&path, Access::Write).unwrap().ledger;
        fill(&ledger, 2);
        ledger.record(&[event(2, Kind::Use, 7)]).unwrap();
        let reader = Ledger::open(&path, Access::Read).unwrap().ledger;
        assert_eq!(reader.at_hand().unwrap(), ledger.at_hand().unwrap());
    }
}
