//! Several slots in one step, and what failed under another roster.

use super::*;
use crate::{policy::digest, roster::Cause};

#[test]
fn several_slots_are_swapped_in_one_step_and_go_back_one_by_one() {
    let world = usual();
    let prepare = |slot, name| world.roster.prepare(slot, vec![Recruit::builtin(name)]).unwrap();
    let both = prepare(Slot::Provenance, "provenance-open")
        .and(prepare(Slot::Demotion, "demotion-toolset"))
        .and(prepare(Slot::Budget, "budget-codex"));
    assert_eq!(both.slots(), [Slot::Demotion, Slot::Budget, Slot::Provenance]);
    assert!(!both.is_active());
    let after = both.activate().unwrap();
    assert_eq!(after.number(), 2);
    assert_eq!(after.cause(), &Cause::Swapped(vec![Slot::Budget, Slot::Provenance]));
    assert_eq!(world.names(Slot::Budget), ["budget-codex"]);
    assert_eq!(world.names(Slot::Provenance), ["provenance-open"]);
    let again =
        prepare(Slot::Provenance, "provenance-open").and(prepare(Slot::Budget, "budget-codex"));
    assert!(again.is_active());
    assert_eq!(again.activate().unwrap().number(), 2);
    // Who fails on probation costs its own slot and no other.
    assert!(world.call(Slot::Budget, &fault()));
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
    assert_eq!(world.names(Slot::Provenance), ["provenance-open"]);
}

#[test]
fn of_two_candidates_for_a_slot_the_second_is_taken() {
    let world = usual();
    let prepare = |name| world.roster.prepare(Slot::Budget, vec![Recruit::builtin(name)]).unwrap();
    let one = prepare("budget-codex").and(prepare("budget-hermes"));
    assert_eq!((one.slots(), one.members().len()), (&[Slot::Budget][..], 1));
    drop(one.activate().unwrap());
    assert_eq!(world.names(Slot::Budget), ["budget-hermes"]);
}

#[test]
fn what_failed_elsewhere_goes_where_it_is_on_probation_and_stays_where_it_proved_itself() {
    let digest_of = |name| digest(Builtin::named(name).unwrap().bytes);
    let why = OneLine::new("it trapped elsewhere");
    let world = usual();
    world.swap(Slot::Budget, &["budget-codex"]);
    assert!(!world.roster.condemn(&digest_of("budget-hermes"), &why), "it is not there");
    assert!(world.roster.condemn(&digest_of("budget-codex"), &why));
    assert_eq!(world.names(Slot::Budget), ["budget-ladder"]);
    assert_eq!(world.ear.heard.lock().unwrap()[0].0.why, why);
    assert!(!world.roster.condemn(&digest_of("budget-ladder"), &why));
    assert_eq!(
        (world.names(Slot::Budget), world.roster.quarantine().len()),
        (vec!["budget-ladder".to_owned()], 1)
    );
}
