//! What a roster promises, whatever its policies do and in whatever order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod condemned;
mod sequences;
mod taken;
mod together;

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use super::{Came, Clock, Generation, Listener, Mark, Member, Recruit, Roster, Rules, Setup};
use crate::{
    decision::{Allowance, Slot, Value},
    policy::{Assignment, Builtin, Engine, Source},
    skill::OneLine,
};

/// A clock that stands until it is moved. In seconds.
#[derive(Default)]
struct Hand(AtomicI64);

impl Hand {
    fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for Hand {
    fn nanos(&self) -> i128 {
        i128::from(self.0.load(Ordering::SeqCst)) * 1_000_000_000
    }
}

/// Remembers what it was told, and asks the roster back: no lock may be held.
#[derive(Default)]
struct Ear {
    roster: OnceLock<Roster>,
    heard: Mutex<Vec<(Mark, u64)>>,
}

impl Listener for Ear {
    fn condemned(&self, mark: &Mark, now: &Generation) {
        if let Some(roster) = self.roster.get() {
            assert_eq!(roster.current().number(), now.number());
            assert!(roster.status().quarantine.contains(mark));
        }
        self.heard.lock().unwrap().push((mark.clone(), now.number()));
    }
}

/// One engine for all tests; what it compiled once it has.
fn engine() -> Engine {
    static ONE: OnceLock<(Engine, tempfile::TempDir)> = OnceLock::new();
    let (engine, _) = ONE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        (Engine::new(Some(folder.path()), None).unwrap(), folder)
    });
    engine.clone()
}

/// Three calls or an hour of probation; two faults in four calls; half a minute alone.
fn rules() -> Rules {
    Rules {
        probation_calls: 3,
        probation_time: Duration::from_secs(3600),
        faults: 2,
        window: 4,
        cases: false,
        ..Rules::default()
    }
}

struct World {
    roster: Roster,
    clock: Arc<Hand>,
    ear: Arc<Ear>,
}

/// A roster of these policies at the beginning of time.
fn world(recruits: Vec<(Slot, Recruit)>, marks: Vec<Mark>) -> World {
    let (clock, ear) = (Arc::new(Hand::default()), Arc::new(Ear::default()));
    let setup = Setup { rules: rules(), clock: clock.clone(), marks, listener: ear.clone() };
    let roster = Roster::begin(engine(), recruits, setup);
    assert!(ear.roster.set(roster.clone()).is_ok());
    World { roster, clock, ear }
}

/// The policies that come with the host.
fn usual() -> World {
    let recruits = [Slot::Demotion, Slot::Budget, Slot::Provenance]
        .map(|slot| (slot, Recruit::of_slot(slot).unwrap()));
    world(recruits.to_vec(), Vec::new())
}

fn set(key: &str, value: &str) -> Vec<Assignment> {
    vec![Assignment {
        key: key.to_owned(),
        value: Value::Text(value.to_owned()),
        untyped: true,
        from: "--set".to_owned(),
    }]
}

/// The bytes of a policy that comes with the host, as a file of another name.
fn copied(name: &str, path: &str) -> Recruit {
    Recruit::file(path, Builtin::named(name).unwrap().bytes.to_vec())
}

fn text_for_component() -> Recruit {
    let component = Ok((Source::File("notes.txt".into()), Cow::Borrowed(&b"some notes"[..])));
    Recruit {
        name: "notes.txt".to_owned(),
        component,
        settings: Vec::new(),
        allowance: Allowance::default(),
    }
}

impl World {
    /// Loads and activates.
    fn swap(&self, slot: Slot, names: &[&str]) -> Arc<Generation> {
        let recruits = names.iter().map(|name| Recruit::builtin(name)).collect();
        self.roster.prepare(slot, recruits).unwrap().activate().unwrap()
    }

    /// The one policy of a slot.
    fn one(&self, slot: Slot) -> Arc<Member> {
        let current = self.roster.current();
        let members: Vec<_> = current.of(slot).collect();
        assert_eq!(members.len(), 1);
        Arc::clone(members[0])
    }

    /// A call that comes out so. Whether the policy was asked.
    fn call(&self, slot: Slot, came: &Came) -> bool {
        self.one(slot).admit().map(|ticket| ticket.came(came)).is_ok()
    }

    fn names(&self, slot: Slot) -> Vec<String> {
        self.roster.current().of(slot).map(|it| it.name().to_owned()).collect()
    }
}

fn fault() -> Came {
    Came::Faulted(OneLine::new("it trapped"))
}

fn stall() -> Came {
    Came::Stalled(OneLine::new("it was not done after 2000 ms"))
}
