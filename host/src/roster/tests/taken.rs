//! Who becomes active, who does not, and what stays of those that were.

use std::sync::Arc;

use super::*;
use crate::{
    decision::Settings,
    policy::{Fault, LoadError, Outcome, digest},
    roster::{After, Answer, Answers, Circuit, Held, Only, Rejected, Trust, Why},
    skill::Instant,
};

#[test]
fn a_swap_is_a_generation_more_and_the_other_slots_stay_who_they_are() {
    let world = usual();
    let before = world.roster.current();
    assert!(world.call(Slot::Demotion, &Came::Answered));
    let after = world.swap(Slot::Budget, &["budget-progressive"]);
    assert_eq!((before.number(), after.number()), (1, 2));
    for slot in [Slot::Demotion, Slot::Provenance] {
        let [one, two] = [&before, &after].map(|it| Arc::clone(it.of(slot).next().unwrap()));
        assert!(Arc::ptr_eq(&one, &two), "{slot}");
    }
    assert_eq!(world.one(Slot::Demotion).tally().asked, 1);
    let named: Vec<String> =
        after.stamp().policies.into_iter().map(|it| format!("{} {}", it.slot, it.policy)).collect();
    assert_eq!(
        named,
        [
            "demotion demotion-toolset 0.1.0",
            "budget budget-progressive 0.1.0",
            "provenance provenance-declared 0.1.0"
        ]
    );
    // Who began with the first still has it.
    assert_eq!(before.of(Slot::Budget).next().unwrap().name(), "budget-ladder");
}

#[test]
fn the_same_bytes_and_settings_are_no_new_generation_whatever_they_are_called() {
    let world = usual();
    let again = world.swap(Slot::Budget, &["budget-ladder"]);
    assert_eq!(again.number(), 1);
    let candidate = world.roster.prepare(Slot::Budget, vec![copied("budget-ladder", "mine.wasm")]);
    assert_eq!(candidate.unwrap().activate().unwrap().number(), 1);
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
}

#[test]
fn other_settings_are_another_member() {
    let world = usual();
    let parameter = world.one(Slot::Budget).policy().unwrap().info.parameters[0].clone();
    let value = match parameter.default {
        Value::Boolean(value) => (!value).to_string(),
        Value::Integer(value) => (value + 1).to_string(),
        Value::Real(value) => (value / 2.0).to_string(),
        other => panic!("another type now: {other}"),
    };
    let other = Recruit::builtin("budget-ladder").with(set(parameter.key.as_str(), &value));
    let after = world.roster.prepare(Slot::Budget, vec![other]).unwrap().activate().unwrap();
    assert_eq!(after.number(), 2);
    assert!(matches!(world.one(Slot::Budget).trust(), Trust::Probation { good: 0, .. }));
}

#[test]
fn what_fails_on_the_way_changes_nothing_and_is_kept() {
    let ladder = Builtin::named("budget-ladder").unwrap().bytes;
    let half = Recruit::file("half.wasm", ladder[..ladder.len() / 2].to_vec());
    let gone = Recruit {
        name: "gone.wasm".to_owned(),
        component: Err(LoadError::Unreadable {
            path: "gone.wasm".to_owned(),
            reason: "no such file".to_owned(),
        }),
        settings: Vec::new(),
        allowance: Allowance::default(),
    };
    let mistyped = Recruit::builtin("budget-codex").with(vec![Assignment {
        value: Value::Texts(vec!["no number".to_owned()]),
        untyped: false,
        ..set(&first_parameter("budget-codex"), "")[0].clone()
    }]);
    for (recruit, code, lasting) in [
        (text_for_component(), "not-wasm", true),
        (half, "damaged", true),
        (gone, "unreadable", false),
        (mistyped, "settings", true),
        (Recruit::builtin("provenance-open"), "other-slot", true),
        (Recruit::builtin("no-such-policy"), "unknown", true),
    ] {
        let world = usual();
        let before = world.roster.current();
        world.clock.advance(7);
        let name = recruit.name.clone();
        let Err(error) = world.roster.prepare(Slot::Budget, vec![recruit.clone()]) else {
            panic!("`{name}` is taken");
        };
        let Why::Load(why) = &*error.why else { panic!("{error}") };
        assert_eq!(
            (why.code(), error.name.as_str(), error.at, error.is_lasting()),
            (code, name.as_str(), Instant(7), lasting)
        );
        assert!(Arc::ptr_eq(&before, &world.roster.current()));
        assert_eq!(world.roster.last_error(Slot::Budget), Some(error.clone()));
        assert_eq!(world.roster.status().last_errors[0].message, error.why.to_string());
        // Once more it is the same, and what goes well is the end of it.
        assert_eq!(
            world.roster.prepare(Slot::Budget, vec![recruit]).err().map(|it| it.why),
            Some(error.why)
        );
        world.swap(Slot::Budget, &["budget-hermes"]);
        assert_eq!(world.roster.last_error(Slot::Budget), None);
    }
}

fn first_parameter(name: &str) -> String {
    let bytes = Builtin::named(name).unwrap().bytes;
    let source = Source::File("x.wasm".into());
    let loaded =
        crate::policy::Loaded::load(&engine(), source, bytes, Some(Slot::Budget), &[]).unwrap();
    loaded.info.parameters[0].key.to_string()
}

#[test]
fn what_is_broken_from_the_beginning_keeps_its_place_and_stops_nobody() {
    let mark = Mark {
        digest: digest(Builtin::named("provenance-strict").unwrap().bytes),
        only: None,
        name: "provenance-strict".to_owned(),
        slot: Slot::Provenance,
        why: OneLine::new("it trapped"),
        at: Instant(0),
    };
    let world = world(
        vec![
            (Slot::Provenance, Recruit::builtin("provenance-strict")),
            (Slot::Budget, text_for_component()),
            (Slot::Demotion, Recruit::builtin("demotion-toolset")),
            (Slot::Provenance, Recruit::builtin("provenance-declared")),
        ],
        vec![mark],
    );
    assert!(matches!(world.one(Slot::Budget).admit().err(), Some(Held::NotLoaded(_))));
    assert!(world.call(Slot::Demotion, &Came::Answered));
    let current = world.roster.current();
    let judges: Vec<bool> = current.of(Slot::Provenance).map(|it| it.admit().is_ok()).collect();
    assert_eq!(judges, [false, true]);
    let stands: Vec<_> = world.roster.status().members.into_iter().map(|it| it.trust).collect();
    assert_eq!(stands, [Some("proven"), None, Some("quarantined"), Some("proven")]);
    // Where nothing was good before, what fails leaves the slot as it was: to its fallback.
    world.swap(Slot::Budget, &["budget-codex"]);
    assert!(world.call(Slot::Budget, &fault()));
    assert_eq!(world.names(Slot::Budget), ["notes.txt"]);
}

#[test]
fn a_slot_that_takes_one_is_not_given_two() {
    let two = || vec![Recruit::builtin("budget-codex"), Recruit::builtin("budget-hermes")];
    let world = usual();
    let error = world.roster.prepare(Slot::Budget, two()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "slot `budget`: `budget-hermes` is not active: found 2 policies, expected one: slot `budget` has no way to make several answers one"
    );
    let begun = super::world(two().into_iter().map(|it| (Slot::Budget, it)).collect(), Vec::new());
    assert_eq!(begun.names(Slot::Budget), ["budget-codex"]);
    assert_eq!(begun.roster.last_error(Slot::Budget).map(|it| it.why), Some(error.why));
}

#[test]
fn a_slot_may_be_left_to_its_fallback() {
    let world = usual();
    assert_eq!(world.swap(Slot::Budget, &[]).number(), 2);
    assert_eq!(world.names(Slot::Budget), [""; 0]);
    assert_eq!(world.swap(Slot::Budget, &["budget-ladder"]).number(), 3);
}

#[test]
fn a_generation_and_a_policy_end_with_the_last_that_holds_them() {
    let world = usual();
    let first = Arc::downgrade(&world.roster.current());
    let ladder = Arc::downgrade(&world.one(Slot::Budget));
    let under_way = world.roster.current();
    world.swap(Slot::Budget, &["budget-progressive"]);
    assert!(first.upgrade().is_some(), "somebody is under way with it");
    drop(under_way);
    assert!(first.upgrade().is_none());
    assert!(ladder.upgrade().is_some(), "it comes back if the new one fails");
    for _ in 0..3 {
        assert!(world.call(Slot::Budget, &Came::Answered));
    }
    assert!(ladder.upgrade().is_none(), "the new one is proven");
    // And of a thousand that came and went, none is left.
    let mut gone = Vec::new();
    for number in 0..20 {
        let name = if number % 2 == 0 { "budget-codex" } else { "budget-hermes" };
        let generation = world.swap(Slot::Budget, &[name]);
        gone.push((Arc::downgrade(&generation), Arc::downgrade(&world.one(Slot::Budget))));
    }
    let last = gone.pop().unwrap();
    assert!(last.0.upgrade().is_some() && last.1.upgrade().is_some());
    assert!(gone.iter().all(|(it, member)| it.upgrade().is_none() && member.upgrade().is_none()));
}

#[test]
fn a_trial_says_what_differs_and_costs_nobody_trust() {
    let world = usual();
    let before = world.roster.current();
    let asked = std::cell::RefCell::new(Vec::new());
    let questions = |generation: &Arc<Generation>| {
        let member = generation.of(Slot::Budget).next().unwrap();
        asked.borrow_mut().push(member.name().to_owned());
        // Who is active faults, which is known already: only the candidate is on trial.
        if member.name() == "budget-ladder" {
            member.admit().unwrap().came(&fault());
        }
        let row = |about: &str, choice: &str| Answer {
            slot: Slot::Budget,
            about: OneLine::new(about),
            choice: choice.to_owned(),
            reason: None,
        };
        let form = if member.name() == "budget-ladder" { "full" } else { "name" };
        let rows = vec![row("ops/backup", form), row("ops/deploy", "short")];
        Ok::<_, String>(Answers { rows, fallbacks: Vec::new() })
    };
    world.clock.advance(5);
    let candidate =
        world.roster.prepare(Slot::Budget, vec![Recruit::builtin("budget-codex")]).unwrap();
    let candidate = candidate.try_out(questions).unwrap();
    assert_eq!(*asked.borrow(), ["budget-ladder", "budget-codex"]);
    assert!(Arc::ptr_eq(&before, &world.roster.current()));
    assert_eq!(world.one(Slot::Budget).tally().asked, 0);
    let after = candidate.activate().unwrap();
    let trial = after.last_trial().unwrap();
    assert_eq!(
        serde_json::to_value(trial).unwrap(),
        serde_json::json!({
            "at": 5, "against": 1, "asked": 2, "changed": 1, "fallbacks": [],
            "flips": [{
                "slot": "budget", "row": 0, "about": "ops/backup", "from": "full", "to": "name",
                "before": null, "after": null,
            }],
        })
    );
}

#[test]
fn a_trial_that_fails_leaves_who_is_active() {
    for (came, lasting) in [(Some(fault()), false), (Some(stall()), false), (None, false)] {
        let world = usual();
        let recruit = vec![Recruit::builtin("budget-codex")];
        let candidate = world.roster.prepare(Slot::Budget, recruit).unwrap();
        let tried = candidate.try_out(|generation| match &came {
            Some(came) => {
                let member = generation.of(Slot::Budget).next().unwrap();
                member.admit().unwrap().came(came);
                Ok(Answers::default())
            }
            None => Err("there is no library"),
        });
        let error = tried.err().unwrap();
        assert_eq!(error.is_lasting(), lasting);
        let matches = match (&came, &*error.why) {
            (Some(Came::Faulted(a)), Why::Faulted(b)) => a == b,
            (Some(Came::Stalled(a)), Why::Stalled(b)) => a == b,
            (None, Why::Questions(why)) => why == "there is no library",
            _ => false,
        };
        assert!(matches, "{error}");
        assert_eq!((world.roster.current().number(), world.roster.quarantine()), (1, Vec::new()));
        assert_eq!(world.roster.last_error(Slot::Budget), Some(error));
    }
}

#[test]
fn a_policy_that_faults_at_every_call_is_asked_a_few_times_in_ten_thousand() {
    let world = usual();
    let asked = (0..10_000).filter(|_| world.call(Slot::Budget, &fault())).count();
    assert_eq!(asked, 2);
    let member = world.one(Slot::Budget);
    assert_eq!((member.tally().asked, member.tally().held), (2, 9_998));
    assert_eq!(
        member.circuit(),
        Circuit::Open { since: Instant(0), until: Instant(30), after: After::Faults }
    );
    assert_eq!(
        member.admit().err().unwrap().to_string(),
        "it is left alone since 1970-01-01T00:00:00Z, after too many faults; the last was: it trapped"
    );
    // Nobody else is concerned, and nothing is in quarantine: it was trusted.
    assert!(world.call(Slot::Demotion, &Came::Answered));
    assert_eq!((world.roster.current().number(), world.roster.quarantine()), (1, Vec::new()));
    world.clock.advance(30);
    let probe = member.admit().unwrap();
    assert_eq!(member.circuit(), Circuit::HalfOpen { since: Instant(30), after: After::Faults });
    assert!(member.admit().is_err(), "one call probes");
    probe.came(&Came::Answered);
    assert_eq!(member.circuit(), Circuit::Closed);
    assert!(world.call(Slot::Budget, &Came::Answered));
}

#[test]
fn a_ticket_that_is_dropped_leaves_the_probe_to_the_next() {
    let world = usual();
    assert!(world.call(Slot::Budget, &fault()) && world.call(Slot::Budget, &fault()));
    world.clock.advance(30);
    let member = world.one(Slot::Budget);
    drop(member.admit().unwrap());
    assert!(world.call(Slot::Budget, &Came::Answered));
    assert_eq!(member.circuit(), Circuit::Closed);
}

#[test]
fn the_clock_and_the_machine_condemn_nobody_and_all_else_does() {
    let text = OneLine::new("x");
    for (fault, condemns) in [
        (Fault::Deadline { limit: 2_000 }, false),
        (Fault::Host(text.clone()), false),
        (Fault::Fuel { limit: 1 }, true),
        (Fault::Memory { asked: 2, limit: 1 }, true),
        (Fault::Table { asked: 2, limit: 1 }, true),
        (Fault::Stack { limit: 1 }, true),
        (Fault::Copied { limit: 1 }, true),
        (Fault::Trap(text.clone()), true),
        (Fault::Invalid(text.clone()), true),
        (Fault::Parts(text.clone()), true),
    ] {
        let came = Came::of::<()>(&Outcome::Faulted(fault.clone()));
        assert_eq!(matches!(came, Came::Faulted(_)), condemns, "{fault:?}");
        let world = usual();
        world.swap(Slot::Budget, &["budget-codex"]);
        assert!(world.call(Slot::Budget, &came));
        let name = if condemns { "budget-ladder" } else { "budget-codex" };
        assert_eq!(world.names(Slot::Budget), [name], "{fault:?}");
    }
}

#[test]
fn what_the_clock_may_have_ended_is_tried_again() {
    let lasting = |why| {
        let (name, at) = ("x.wasm".to_owned(), Instant(0));
        Rejected { slot: Slot::Budget, name, digest: None, at, why: Box::new(why) }.is_lasting()
    };
    let late = || Fault::Deadline { limit: 2_000 };
    for late in [
        LoadError::Describe(late()),
        LoadError::Instantiate(late()),
        LoadError::CheckSettings(late()),
        LoadError::CompileStopped { reason: "it took too long".to_owned() },
    ] {
        assert!(!lasting(Why::Load(late.clone())), "{late}");
    }
    assert!(lasting(Why::Load(LoadError::Describe(Fault::Fuel { limit: 1 }))));
    assert!(!lasting(Why::Cases {
        failed: 1,
        of: 1,
        first: "one".to_owned(),
        difference: OneLine::new("it was not done after 2000 ms"),
    }));
}

#[test]
fn settings_are_data_that_a_mark_keeps() {
    let mut settings = Settings::new();
    settings.insert("share".to_owned(), Value::Real(0.5));
    let mark = Mark {
        digest: "ab".repeat(32),
        only: Some(Box::new(Only { slot: Slot::Budget, settings, limits: Allowance::default() })),
        name: "mine.wasm".to_owned(),
        slot: Slot::Budget,
        why: OneLine::new("it trapped"),
        at: Instant(60),
    };
    let text = serde_json::to_string(&mark).unwrap();
    assert_eq!(serde_json::from_str::<Mark>(&text).unwrap(), mark);
    assert_eq!(
        mark.to_string(),
        "`mine.wasm` (abababababab) failed on probation at 1970-01-01T00:01:00Z: it trapped"
    );
}
