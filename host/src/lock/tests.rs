//! Locks as text, and the way back through sets.

#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::{data::*, history::Made, *};
use crate::decision::Slot;

fn hash(letter: char) -> String {
    letter.to_string().repeat(64)
}

fn uses(slot: Slot, name: &str) -> SlotSet {
    let used = vec![Used { name: name.to_owned(), sha256: None }];
    SlotSet { used, ..SlotSet::empty(slot, 0) }
}

fn made() -> Made<'static> {
    Made { at: "2026-08-13T12:00:00Z", by: "person", did: "a test" }
}

fn names(set: &Generation) -> Vec<&str> {
    set.slots.iter().flat_map(|slot| &slot.used).map(|used| used.name.as_str()).collect()
}

#[test]
fn a_lock_says_what_it_is_and_is_read_as_it_was_written() {
    let mut lock = Lock::default();
    let mut budget = uses(Slot::Budget, "policies/mine.wasm");
    budget.settings = [("links.*".to_owned(), toml::Value::from(vec!["a"]))].into();
    lock.make(vec![budget], &made());
    for (slot, name, letter) in
        [(Slot::Provenance, "b.wasm", 'b'), (Slot::Budget, "policies/mine.wasm", 'a')]
    {
        lock.pinned.push(Pin {
            slot,
            name: name.to_owned(),
            sha256: hash(letter),
            policy: "mine".to_owned(),
            version: "0.1.0".to_owned(),
            at: "2026-08-13T12:00:00Z".to_owned(),
            by: "person".to_owned(),
            key: None,
        });
    }
    lock.quarantine(&hash('c'), "it used up its fuel\nagain", "2026-08-13T12:00:00Z");
    let text = lock.text().unwrap();
    insta::assert_snapshot!(text, @r###"
    # policies.lock: the policies that a person said yes to, and those that were used before.
    # Written by `skillkeep policy use`, `add`, `off` and `rollback`; look at it with `skillkeep policy list`.

    generation = 1

    [[pinned]]
    slot = "budget"
    name = "policies/mine.wasm"
    sha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    policy = "mine"
    version = "0.1.0"
    at = "2026-08-13T12:00:00Z"
    by = "person"

    [[pinned]]
    slot = "provenance"
    name = "b.wasm"
    sha256 = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    policy = "mine"
    version = "0.1.0"
    at = "2026-08-13T12:00:00Z"
    by = "person"

    [[quarantined]]
    sha256 = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    reason = "it used up its fuel again"
    at = "2026-08-13T12:00:00Z"

    [[set]]
    number = 1
    at = "2026-08-13T12:00:00Z"
    by = "person"
    did = "a test"

    [[set.slot]]
    slot = "budget"
    since = 1

    [set.slot.settings]
    "links.*" = ["a"]

    [[set.slot.use]]
    name = "policies/mine.wasm"
    "###);
    let read = Lock::read(text.as_bytes()).unwrap();
    assert_eq!(read.text().unwrap(), text);
    assert_eq!(
        read.pin(Slot::Budget, |name| name == "policies/mine.wasm").unwrap().sha256,
        hash('a')
    );
    assert_eq!(read.pin(Slot::Curator, |_| true), None);
    assert_eq!(Lock::read(b""), Ok(Lock::default()));
}

#[test]
fn what_is_no_lock_is_refused() {
    for (bytes, message) in [
        (&b"\xff"[..], "it is no UTF-8 text"),
        (b"generation = 1\npinned = 3\n", "line 2: invalid type: integer `3`, expected a sequence"),
        (
            b"colour = 3\n",
            "line 1: unknown field `colour`, expected one of `generation`, `unfinished`, `pinned`, `quarantined`, `set`",
        ),
        (
            b"[[quarantined]]\nsha256 = '../../x'\nreason = ''\nat = ''\n",
            "`../../x` is no sha256 in hex",
        ),
    ] {
        assert_eq!(Lock::read(bytes).unwrap_err().to_string(), message);
    }
}

#[test]
fn what_is_quarantined_keeps_its_first_reason_until_it_is_lifted() {
    let mut lock = Lock::default();
    lock.quarantine(&hash('a'), "one", "then");
    lock.quarantine(&hash('a'), "two", "later");
    assert_eq!(lock.quarantined(&hash('a')).unwrap().reason, "one");
    assert!(lock.lift(&hash('a')) && !lock.lift(&hash('a')));
    assert_eq!(lock.quarantined(&hash('a')), None);
}

#[test]
fn going_back_twice_goes_two_steps_and_what_is_made_then_comes_after_that() {
    let mut lock = Lock::default();
    assert_eq!(lock.way_back(None), Err(NoWayBack::First));
    for name in ["a", "b", "c"] {
        lock.make(vec![uses(Slot::Budget, name)], &made());
    }
    // The same again is nothing new.
    assert_eq!(lock.make(vec![uses(Slot::Budget, "c")], &made()), 3);
    for expected in ["b", "a"] {
        let back = lock.way_back(None).unwrap().clone();
        assert_eq!(names(&back), [expected]);
        lock.generation = back.number;
    }
    assert_eq!(lock.way_back(None), Err(NoWayBack::First));
    assert_eq!(names(lock.way_back(Some(3)).unwrap()), ["c"]);
    assert_eq!(lock.way_back(Some(9)), Err(NoWayBack::NoSuch(9)));
    assert_eq!(lock.make(vec![uses(Slot::Budget, "d")], &made()), 4);
    assert_eq!(names(lock.way_back(None).unwrap()), ["a"]);
}

#[test]
fn one_slot_goes_back_and_the_others_stay_and_a_second_time_goes_further() {
    let mut lock = Lock::default();
    let mut now: Vec<SlotSet> = Vec::new();
    for (slot, name) in [
        (Slot::Budget, "a"),
        (Slot::Budget, "b"),
        (Slot::Provenance, "p"),
        (Slot::Budget, "c"),
        (Slot::Provenance, "q"),
    ] {
        now.retain(|set| set.slot != slot);
        now.push(uses(slot, name));
        lock.make(now.clone(), &made());
    }
    let back = |lock: &mut Lock, slot: Slot| -> Option<Vec<String>> {
        let before = lock.way_back_in(slot).ok()?;
        let mut slots = lock.current().unwrap().slots.clone();
        slots.retain(|set| set.slot != slot);
        slots.push(before);
        lock.make(slots, &made());
        Some(names(lock.current().unwrap()).into_iter().map(str::to_owned).collect())
    };
    let seen: Vec<_> = std::iter::from_fn(|| back(&mut lock, Slot::Budget)).collect();
    assert_eq!(seen, [vec!["b", "q"], vec!["a", "q"]]);
    assert_eq!(lock.way_back_in(Slot::Budget), Err(NoWayBack::SlotFirst(Slot::Budget)));
    for expected in [vec!["a", "p"], vec!["a"]] {
        assert_eq!(back(&mut lock, Slot::Provenance).unwrap(), expected);
    }
    assert_eq!(back(&mut lock, Slot::Provenance), None);
    assert_eq!(lock.way_back_in(Slot::Curator), Err(NoWayBack::SlotFirst(Slot::Curator)));
}

#[test]
fn a_slot_that_was_taken_out_comes_back() {
    let mut lock = Lock::default();
    lock.make(vec![uses(Slot::Budget, "a")], &made());
    lock.make(vec![], &made());
    lock.make(vec![uses(Slot::Provenance, "p")], &made());
    assert_eq!(lock.way_back_in(Slot::Budget).unwrap().used[0].name, "a");
    assert!(lock.way_back_in(Slot::Provenance).unwrap().used.is_empty());
}

proptest! {
    #[test]
    fn history_is_bounded_and_there_is_always_a_way_back(steps in prop::collection::vec(0_u8..6, 2..160)) {
        let mut lock = Lock::default();
        lock.make(vec![uses(Slot::Budget, "first")], &made());
        for (number, step) in steps.iter().enumerate() {
            match step {
                0 => if let Ok(back) = lock.way_back(None) { lock.generation = back.number; },
                step => {
                    let set = uses(Slot::Budget, &format!("{step}-{number}"));
                    let from = lock.generation;
                    lock.make(vec![set], &made());
                    prop_assert_eq!(lock.way_back(None).unwrap().number, from);
                }
            }
            prop_assert!(lock.sets.len() <= 50);
            prop_assert!(lock.current().is_some());
            let text = lock.text().unwrap();
            prop_assert_eq!(Lock::read(text.as_bytes()).unwrap(), lock.clone());
        }
    }
}
