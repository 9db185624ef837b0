//! The ledger as a file: shared, full, busy, cut, foreign, newer, damaged; and what tests of its parts begin with.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod damage;
mod sharing;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{Access, Event, Kind, Ledger, LedgerError, NewRoot, NewSkill, Origin, RootId, Taken};
use crate::skill::{Actor, Instant, OneLine, SkillId, State};

pub(super) fn id(number: u64) -> SkillId {
    SkillId::from_random(number)
}

pub(super) fn root(path: &str) -> NewRoot {
    NewRoot {
        path: path.into(),
        label: OneLine::new("mine"),
        owned: true,
        trusted: true,
        precedence: 0,
        at: Instant(0),
    }
}

/// With skills 1 to `skills`, each in the folder of its number.
pub(super) fn fill(ledger: &Ledger, skills: u64) -> RootId {
    let root = ledger.add_root(&root("/skills")).unwrap();
    for number in 1..=skills {
        ledger
            .add_skill(&NewSkill {
                id: id(number),
                root,
                folder: number.to_string(),
                name: format!("skill-{number}"),
                category: "general".to_owned(),
                state: State::Active,
                origin: Origin::Unknown,
                created: Instant(0),
            })
            .unwrap();
    }
    root
}

pub(super) fn event(skill: u64, kind: Kind, at: i64) -> Event {
    Event {
        skill: id(skill),
        at: Instant(at),
        kind,
        actor: Actor::Foreground,
        weight: 1,
        session: None,
        note: None,
    }
}

fn open(path: &Path) -> Ledger {
    Ledger::open(path, Access::Write).unwrap().ledger
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_ledger_of_the_first_version_is_brought_up_to_date_by_who_writes_and_read_by_who_reads() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    {
        let old = rusqlite::Connection::open(&path).unwrap();
        old.execute_batch(include_str!("schema/1.sql")).unwrap();
        old.execute_batch(
            "PRAGMA application_id = 1397451632; PRAGMA user_version = 1;
             INSERT INTO exposures VALUES (zeroblob(32), 2, 1, 2, x'');
             INSERT INTO decisions VALUES (1, 5, 's', '', zeroblob(32), '{}');",
        )
        .unwrap();
    }
    let bytes = std::fs::read(&path).unwrap();
    let reader = Ledger::open(&path, Access::Read).unwrap().ledger;
    assert_eq!(reader.previous_forms("").unwrap(), BTreeMap::new());
    // Nothing waits in it, and nobody was asked for leave.
    assert_eq!((reader.waiting(None).unwrap(), reader.count_waiting().unwrap()), (vec![], 0));
    assert_eq!(reader.changes(None, 9).unwrap(), []);
    assert_eq!(reader.at_hand().unwrap(), []);
    assert_eq!(reader.check().unwrap(), []);
    let error = reader.decision_of("", "s").unwrap_err();
    assert!(matches!(error, LedgerError::Older { found: 1, needed: 2, .. }), "{error}");
    // Nothing was ever taken over into it.
    assert_eq!(reader.taken().unwrap(), Taken::default());
    assert_eq!(reader.references().unwrap(), []);
    drop(reader);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let writer = Ledger::open(&path, Access::Write).unwrap();
    assert_eq!(writer.lost, None);
    let decided = writer.ledger.decision_of("", "s").unwrap().unwrap();
    assert_eq!((decided.at, decided.record, decided.shelf), (Instant(5), None, None));
    drop(writer);
    let reader = Ledger::open(&path, Access::Read).unwrap().ledger;
    assert_eq!(reader.decisions(None, 9).unwrap(), [decided]);
}
