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

use std::{collections::BTreeSet, path::Path};

use super::{Access, Event, Kind, Ledger, NewRoot, NewSkill, Origin, RootId};
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
