//! Probation: what ends it well, and what is brought back where it ends badly.

use std::sync::Arc;

use super::*;
use crate::{
    policy::digest,
    roster::{Cause, Held, Trust, Why},
    skill::Instant,
};

#[test]
fn a_fault_on_probation_brings_back_who_was_there_and_the_bytes_do_not_return() {
    let world = usual();
    let ladder = world.one(Slot::Budget);
    let failed = world.swap(Slot::Budget, &["budget-codex"]);
    world.clock.advance(9);
    assert!(world.call(Slot::Budget, &Came::Answered));
    assert!(world.call(Slot::Budget, &fault()));

    let now = world.roster.current();
    assert_eq!(now.number(), 3);
    assert!(Arc::ptr_eq(&ladder, &world.one(Slot::Budget)));
    let codex = digest(Builtin::named("budget-codex").unwrap().bytes);
    let mark = Mark {
        digest: codex.clone(),
        only: None,
        name: "budget-codex".to_owned(),
        slot: Slot::Budget,
        why: OneLine::new("it trapped"),
        at: Instant(9),
    };
    assert_eq!(now.cause(), &Cause::Restored(Box::new(mark.clone())));
    assert_eq!(*world.ear.heard.lock().unwrap(), [(mark.clone(), 3)]);
    // Who is under way with the generation before asks it no more.
    let member = failed.of(Slot::Budget).next().unwrap();
    assert_eq!(member.admit().err(), Some(Held::Quarantined(OneLine::new("it trapped"))));

    // Neither under its name nor under another, until a person says so.
    for recruit in [Recruit::builtin("budget-codex"), copied("budget-codex", "better.wasm")] {
        let error = world.roster.prepare(Slot::Budget, vec![recruit]).err().unwrap();
        assert_eq!(*error.why, Why::Quarantined(mark.clone()));
    }
    assert!(!world.roster.pardon("ab"));
    assert!(world.roster.pardon(&codex));
    assert_eq!(world.roster.last_error(Slot::Budget), None);
    assert_eq!(world.swap(Slot::Budget, &["budget-codex"]).number(), 4);
    assert!(world.call(Slot::Budget, &Came::Answered));
}

#[test]
fn probation_ends_after_so_many_calls_or_with_time_and_one_call() {
    for (wait, calls, proven) in
        [(0, 2, false), (0, 3, true), (3_600, 0, false), (3_600, 1, true), (3_599, 1, false)]
    {
        let world = usual();
        world.swap(Slot::Budget, &["budget-codex"]);
        world.clock.advance(wait);
        for _ in 0..calls {
            assert!(world.call(Slot::Budget, &Came::Answered));
        }
        let trust = world.one(Slot::Budget).trust();
        assert_eq!(trust == Trust::Proven, proven, "{wait} s, {calls} calls: {trust:?}");
        assert!(world.call(Slot::Budget, &fault()));
        let name = if proven { "budget-codex" } else { "budget-ladder" };
        assert_eq!(world.names(Slot::Budget), [name], "{wait} s, {calls} calls");
    }
}

#[test]
fn refusals_are_good_calls_and_what_says_nothing_is_none() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    for _ in 0..50 {
        let machine = Came::Unknown(OneLine::new("there is no memory for it"));
        assert!(world.call(Slot::Budget, &machine));
    }
    assert_eq!(world.one(Slot::Budget).trust(), Trust::Probation { since: Instant(0), good: 0 });
    for _ in 0..3 {
        assert!(world.call(Slot::Budget, &Came::Refused));
    }
    assert_eq!(world.one(Slot::Budget).trust(), Trust::Proven);
    let tally = world.one(Slot::Budget).tally();
    assert_eq!((tally.asked, tally.refused, tally.stalls, tally.faults), (53, 3, 50, 0));
}

/// Each of its calls would be waited for in vain. That condemns nobody, on probation or off it.
#[test]
fn what_stalls_again_and_again_is_left_alone_for_a_while_and_loses_nothing_by_it() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    // What happens, in seconds from the call before, and whether the policy was asked.
    for (step, (after, came, asked)) in [
        (0, stall(), true),
        (0, stall(), true),
        (0, stall(), true),
        (0, Came::Answered, false),
        (29, Came::Answered, false),
        (1, stall(), true),
        (0, Came::Answered, false),
        (59, Came::Answered, false),
        (1, Came::Answered, true),
        (0, stall(), true),
        (0, stall(), true),
        (0, Came::Answered, true),
        (0, Came::Answered, true),
    ]
    .into_iter()
    .enumerate()
    {
        world.clock.advance(after);
        assert_eq!(world.call(Slot::Budget, &came), asked, "step {step}");
        if step == 3 {
            let held = world.one(Slot::Budget).admit().err().unwrap().to_string();
            assert_eq!(
                held,
                "it is left alone since 1970-01-01T00:00:00Z, after too many stalls; the last was: it was not done after 2000 ms"
            );
            let standing = world.roster.status().members.remove(1);
            assert_eq!((standing.breaker, standing.breaker_after), ("open", Some("stalls")));
        }
    }
    assert_eq!(world.names(Slot::Budget), ["budget-codex"]);
    assert_eq!(world.roster.current().number(), 2);
    assert_eq!(world.one(Slot::Budget).trust(), Trust::Proven);
    assert!(world.roster.quarantine().is_empty() && world.ear.heard.lock().unwrap().is_empty());
    let tally = world.one(Slot::Budget).tally();
    assert_eq!((tally.asked, tally.stalls, tally.answered, tally.held), (9, 6, 3, 5));
}

#[test]
fn what_comes_back_is_what_was_proven_not_what_was_there_for_a_moment() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    world.swap(Slot::Budget, &["budget-hermes"]);
    assert!(world.call(Slot::Budget, &fault()));
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
}

#[test]
fn a_swap_elsewhere_meanwhile_stays() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    world.swap(Slot::Provenance, &["provenance-open"]);
    assert!(world.call(Slot::Budget, &fault()));
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
    assert_eq!(world.names(Slot::Provenance), ["provenance-open"]);
    assert_eq!(world.roster.current().number(), 4);
}

#[test]
fn of_several_the_slot_gets_back_its_set_and_only_the_guilty_is_marked() {
    let world = usual();
    world.swap(Slot::Provenance, &["provenance-declared", "provenance-strict", "provenance-open"]);
    let current = world.roster.current();
    let trusts: Vec<bool> =
        current.of(Slot::Provenance).map(|it| it.trust() == Trust::Proven).collect();
    assert_eq!(trusts, [true, false, false]);
    // The proven one may fail without that.
    current.members()[2].admit().unwrap().came(&fault());
    assert_eq!(world.roster.current().number(), 2);
    current.members()[3].admit().unwrap().came(&fault());
    assert_eq!(world.names(Slot::Provenance), ["provenance-declared"]);
    let marked: Vec<String> = world.roster.quarantine().into_iter().map(|it| it.name).collect();
    assert_eq!(marked, ["provenance-strict"]);
    // The other is under no mark, and may be tried by itself.
    world.swap(Slot::Provenance, &["provenance-open"]);
}

#[test]
fn settings_that_break_a_proven_policy_are_marked_and_not_its_bytes() {
    let world = usual();
    let parameter = world.one(Slot::Budget).policy().unwrap().info.parameters[0].clone();
    let value = match parameter.default {
        Value::Boolean(value) => (!value).to_string(),
        Value::Integer(value) => (value + 1).to_string(),
        Value::Real(value) => (value / 2.0).to_string(),
        other => panic!("another type now: {other}"),
    };
    let other = || Recruit::builtin("budget-ladder").with(set(parameter.key.as_str(), &value));
    let candidate = world.roster.prepare(Slot::Budget, vec![other()]).unwrap();
    drop(candidate.activate().unwrap());
    assert!(world.call(Slot::Budget, &fault()));
    assert_eq!(world.roster.current().number(), 3);
    let marks = world.roster.quarantine();
    assert!(marks[0].only.is_some());
    let error = world.roster.prepare(Slot::Budget, vec![other()]).err().unwrap();
    assert_eq!(*error.why, Why::Quarantined(marks[0].clone()));
    // The bytes as they were decide on.
    assert_eq!(world.swap(Slot::Budget, &["budget-ladder"]).number(), 3);
    assert!(world.call(Slot::Budget, &Came::Answered));
}

#[test]
fn a_candidate_whose_bytes_fail_meanwhile_does_not_become_active() {
    let world = usual();
    let waiting = || world.roster.prepare(Slot::Budget, vec![Recruit::builtin("budget-codex")]);
    let waiting = waiting().unwrap();
    world.swap(Slot::Budget, &["budget-codex"]);
    assert!(world.call(Slot::Budget, &fault()));
    let error = waiting.activate().err().unwrap();
    assert!(matches!(*error.why, Why::Quarantined(_)), "{error}");
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
}

#[test]
fn two_faults_at_once_are_one_way_back() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    let member = world.one(Slot::Budget);
    let (one, two) = (member.admit().unwrap(), member.admit().unwrap());
    one.came(&fault());
    two.came(&fault());
    assert_eq!(world.roster.current().number(), 3);
    assert_eq!(world.ear.heard.lock().unwrap().len(), 1);
}

#[test]
fn a_late_fault_of_who_was_swapped_out_marks_it_and_swaps_nothing() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    let member = world.one(Slot::Budget);
    let ticket = member.admit().unwrap();
    world.swap(Slot::Budget, &["budget-hermes"]);
    ticket.came(&fault());
    assert_eq!(world.names(Slot::Budget), ["budget-hermes"]);
    assert_eq!(world.roster.current().number(), 3);
    assert_eq!(world.roster.quarantine()[0].name, "budget-codex");
    assert!(world.roster.prepare(Slot::Budget, vec![Recruit::builtin("budget-codex")]).is_err());
}

#[test]
fn a_late_fault_of_an_earlier_try_does_not_mark_who_proved_itself_since() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    let member = world.one(Slot::Budget);
    let ticket = member.admit().unwrap();
    world.swap(Slot::Budget, &["budget-ladder"]);
    world.swap(Slot::Budget, &["budget-codex"]);
    for _ in 0..3 {
        assert!(world.call(Slot::Budget, &Came::Answered));
    }
    ticket.came(&fault());
    assert_eq!((world.roster.quarantine(), world.roster.current().number()), (Vec::new(), 4));
    assert!(world.call(Slot::Budget, &Came::Answered));
}

#[test]
fn the_same_bytes_are_marked_once_however_often_they_were_tried() {
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    let earlier = world.one(Slot::Budget);
    let late = earlier.admit().unwrap();
    world.swap(Slot::Budget, &["budget-hermes"]);
    world.swap(Slot::Budget, &["budget-codex"]);
    assert!(world.call(Slot::Budget, &fault()));
    late.came(&fault());
    assert_eq!(world.roster.quarantine().len(), 1);
    assert_eq!((world.ear.heard.lock().unwrap().len(), world.roster.current().number()), (1, 5));
}

#[test]
fn after_the_roster_is_gone_what_is_under_way_ends_as_it_would() {
    let recruits = vec![(Slot::Budget, Recruit::builtin("budget-ladder"))];
    let roster = Roster::begin(engine(), recruits, Setup { rules: rules(), ..Setup::default() });
    let candidate = roster.prepare(Slot::Budget, vec![Recruit::builtin("budget-codex")]).unwrap();
    let generation = candidate.activate().unwrap();
    drop(roster);
    let member = generation.of(Slot::Budget).next().unwrap();
    member.admit().unwrap().came(&fault());
    assert!(member.admit().is_err());
}
