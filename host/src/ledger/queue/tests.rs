//! The queue: what is put in and put out, and what ends it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use crate::{
    ledger::{
        After, Leave, Ledger, LedgerError, Limits, NewChange, NewPending, PendingId, PendingState,
        RootId, Step, Verb,
        tests::{fill, id},
    },
    skill::{Actor, Instant},
};

const DAY: i64 = 86_400;
const LIMITS: Limits = Limits { of_a_skill: 3, in_all: 5, days: 30 };

fn asked(root: RootId, skill: u64, wanted: &str, at: i64) -> NewPending {
    NewPending {
        root,
        skill: id(skill),
        folder: skill.to_string(),
        verb: Verb::Write,
        actor: Actor::Review,
        session: Some("s".to_owned()),
        reason: "because".to_owned(),
        at: Instant(at),
        wanted: wanted.to_owned(),
        steps: vec![Step::MakeFolder { path: "x".to_owned(), mode: 0o755 }],
        origin: None,
        why: "approval".to_owned(),
        judge: "host".to_owned(),
    }
}

fn change(root: RootId, skill: u64, verb: Verb, leave: Leave) -> NewChange {
    NewChange {
        root,
        skill: id(skill),
        verb,
        actor: Actor::Review,
        session: None,
        reason: String::new(),
        undoes: None,
        at: Instant(9),
        steps: Vec::new(),
        leave,
    }
}

fn states(ledger: &Ledger) -> Vec<(i64, &'static str)> {
    let all = ledger.ever_pending().unwrap();
    all.iter().map(|it| (it.id.0, it.state.word())).collect()
}

#[test]
fn what_is_staged_comes_back_as_it_was_and_is_staged_once() {
    let ledger = Ledger::in_memory().unwrap();
    let root = fill(&ledger, 2);
    let first = ledger.stage(&asked(root, 1, "a", 1), LIMITS).unwrap();
    assert_eq!((first.id, first.already), (PendingId(1), false));
    let again = ledger.stage(&asked(root, 1, "a", 5), LIMITS).unwrap();
    assert_eq!((again.id, again.already), (PendingId(1), true));
    let pending = ledger.pending(PendingId(1)).unwrap().unwrap();
    assert_eq!(pending.asked, asked(root, 1, "a", 1));
    assert_eq!((pending.state, pending.ended, pending.change), (PendingState::Waiting, None, None));
    // Another skill's, and another actor's, are others.
    ledger.stage(&asked(root, 2, "a", 1), LIMITS).unwrap();
    let job = NewPending { actor: Actor::Job, ..asked(root, 1, "a", 1) };
    assert!(!ledger.stage(&job, LIMITS).unwrap().already);
    assert_eq!(ledger.count_waiting().unwrap(), 3);
    assert_eq!(ledger.pending(PendingId(9)).unwrap(), None);
}

#[test]
fn the_oldest_is_put_out_where_there_are_too_many_and_what_waited_too_long() {
    let ledger = Ledger::in_memory().unwrap();
    let root = fill(&ledger, 3);
    let stage = |skill, wanted: &str, at| {
        let staged = ledger.stage(&asked(root, skill, wanted, at), LIMITS).unwrap();
        staged.evicted.iter().map(|id| id.0).collect::<Vec<_>>()
    };
    for wanted in ["a", "b", "c"] {
        assert!(stage(1, wanted, 0).is_empty());
    }
    assert_eq!(stage(1, "d", 1), [1]);
    assert!(stage(2, "a", 1).is_empty());
    assert!(stage(2, "b", 1).is_empty());
    // Five wait. The skill that has the most gives room, whoever asks.
    assert_eq!(stage(3, "a", 2), [2]);
    // Those that wait since the beginning are old thirty days later, and not a second before.
    assert_eq!(ledger.put_out(Instant(30 * DAY), LIMITS).unwrap(), []);
    assert_eq!(ledger.put_out(Instant(30 * DAY + 1), LIMITS).unwrap(), [PendingId(3)]);
    let evicted = ledger.pending(PendingId(1)).unwrap().unwrap();
    assert_eq!(
        (evicted.state, evicted.note.as_str(), evicted.ended),
        (PendingState::Evicted, "more than 3 writes waited for its skill", Some(Instant(1)))
    );
    let old = ledger.pending(PendingId(3)).unwrap().unwrap();
    assert_eq!(old.note, "it waited for more than 30 days");
    assert_eq!(
        states(&ledger),
        [
            (1, "evicted"),
            (2, "evicted"),
            (3, "evicted"),
            (4, "waiting"),
            (5, "waiting"),
            (6, "waiting"),
            (7, "waiting")
        ]
    );
    let newest = ledger.decided_on(2).unwrap();
    assert_eq!(newest.iter().map(|it| it.id.0).collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn it_ends_once_and_with_the_change_that_it_became() {
    let ledger = Ledger::in_memory().unwrap();
    let root = fill(&ledger, 1);
    let first = ledger.stage(&asked(root, 1, "a", 1), LIMITS).unwrap().id;
    let second = ledger.stage(&asked(root, 1, "b", 1), LIMITS).unwrap().id;
    let leave = Leave { approved: Some(Actor::Person), pending: Some(first), ..Leave::default() };
    let begun = ledger.begin(&change(root, 1, Verb::Write, leave)).unwrap();
    // While it is being done it can be neither begun again nor turned down.
    let refused = |error: LedgerError| error.to_string();
    let busy = "the ledger refuses what contradicts it: `p1` is just being done";
    assert_eq!(refused(ledger.begin(&change(root, 1, Verb::Write, leave)).unwrap_err()), busy);
    let no = ledger.decide(first, PendingState::Rejected, (Actor::Person, Instant(2)), "no");
    assert_eq!(refused(no.unwrap_err()), busy);
    // What was taken back leaves it waiting.
    ledger.abandon(begun).unwrap();
    assert_eq!(states(&ledger), [(1, "waiting"), (2, "waiting")]);
    let begun = ledger.begin(&change(root, 1, Verb::Write, leave)).unwrap();
    ledger.finish(begun, &After::default()).unwrap();
    let done = ledger.pending(first).unwrap().unwrap();
    assert_eq!(
        (done.state, done.change, done.ended_by),
        (PendingState::Applied, Some(begun), Some(Actor::Person))
    );
    assert_eq!(ledger.change(begun).unwrap().unwrap().change.leave, leave);
    ledger.decide(second, PendingState::Rejected, (Actor::Person, Instant(2)), "no").unwrap();
    for id in [first, second, PendingId(7)] {
        let again = ledger.decide(id, PendingState::Rejected, (Actor::Person, Instant(2)), "");
        assert!(matches!(again, Err(LedgerError::Contradiction { .. })));
    }
    assert_eq!(states(&ledger), [(1, "applied"), (2, "rejected")]);
    assert_eq!(ledger.check().unwrap(), []);
}

#[test]
fn what_somebody_else_did_waits_with_its_change_and_is_not_put_out() {
    let ledger = Ledger::in_memory().unwrap();
    let root = fill(&ledger, 2);
    let outside = |skill| {
        let leave = Leave { waits: true, ..Leave::default() };
        ledger.note(&[change(root, skill, Verb::Outside, leave)]).unwrap()[0]
    };
    let (first, second) = (outside(1), outside(1));
    let held = || ledger.at_hand().unwrap().iter().map(|it| it.held).collect::<Vec<_>>();
    assert_eq!(held(), [true, false]);
    assert_eq!(ledger.pending(PendingId(1)).unwrap().unwrap().change, Some(first));
    for wanted in ["a", "b", "c", "d", "e"] {
        ledger.stage(&asked(root, 1, wanted, 99 * DAY), LIMITS).unwrap();
    }
    assert_eq!(states(&ledger)[..2], [(1, "waiting"), (2, "waiting")]);
    // Its undo ends it.
    let undo = NewChange { undoes: Some(second), ..change(root, 1, Verb::Undo, Leave::default()) };
    let undo = ledger.begin(&undo).unwrap();
    ledger.finish(undo, &After::default()).unwrap();
    assert_eq!(states(&ledger)[..2], [(1, "waiting"), (2, "rejected")]);
    // Who accepts what lies there accepts all that was done before.
    outside(1);
    let newest = ledger.waiting(None).unwrap().last().unwrap().id;
    ledger.decide(newest, PendingState::Applied, (Actor::Person, Instant(2)), "").unwrap();
    assert_eq!(held(), [false, false]);
    // Nothing waits for what was erased.
    outside(2);
    let purge = ledger.begin(&change(root, 2, Verb::Purge, Leave::default())).unwrap();
    ledger.finish(purge, &After::default()).unwrap();
    assert_eq!(held(), [false, false]);
    assert_eq!(ledger.check().unwrap(), []);
}

#[test]
fn a_root_is_watched_from_when_that_was_said() {
    let ledger = Ledger::in_memory().unwrap();
    let root = fill(&ledger, 1);
    assert!(!ledger.is_watched(root).unwrap());
    ledger.watch(root, true).unwrap();
    ledger.watch(root, true).unwrap();
    assert!(ledger.is_watched(root).unwrap());
    assert!(!ledger.is_watched(RootId(root.0 + 1)).unwrap());
    ledger.watch(root, false).unwrap();
    assert!(!ledger.is_watched(root).unwrap());
}
