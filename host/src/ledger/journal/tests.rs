//! The journal: phases, what follows from a change, and its undo.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use super::After;
use crate::{
    ledger::{
        Blob, ChangeId, ChangeRecord, Digest, Leave, Ledger, LedgerError, NewChange, NewRoot,
        RootId, Step, Verb,
    },
    skill::{Actor, Choice, Instant, OneLine, SkillId, State},
};

fn ledger() -> (Ledger, RootId) {
    let ledger = Ledger::in_memory().unwrap();
    let root = NewRoot {
        path: "/root".into(),
        label: OneLine::new("root"),
        owned: true,
        trusted: true,
        precedence: 0,
        at: Instant(1),
    };
    let root = ledger.add_root(&root).unwrap();
    (ledger, root)
}

fn change(root: RootId, verb: Verb, steps: Vec<Step>) -> NewChange {
    NewChange {
        root,
        skill: SkillId::from_random(7),
        verb,
        actor: Actor::Review,
        session: Some("s".to_owned()),
        reason: "why".to_owned(),
        undoes: None,
        at: Instant(100),
        steps,
        leave: Leave::default(),
    }
}

fn done(ledger: &Ledger, change: &NewChange, after: After) -> ChangeId {
    let id = ledger.begin(change).unwrap();
    ledger.finish(id, &after).unwrap();
    id
}

fn undo(ledger: &Ledger, id: ChangeId) -> ChangeId {
    let undone = ledger.change(id).unwrap().unwrap().change;
    let steps = undone.steps.iter().rev().map(Step::inverse).collect();
    let undo = NewChange { verb: Verb::Undo, undoes: Some(id), steps, ..undone };
    done(ledger, &undo, After::default())
}

fn created(ledger: &Ledger, root: RootId) -> ChangeId {
    let after = After { state: Some(State::Active), folder: Some("git/commit".to_owned()) };
    done(ledger, &change(root, Verb::Create, Vec::new()), after)
}

#[test]
fn a_change_is_open_then_done_and_comes_back_as_it_was() {
    let (ledger, root) = ledger();
    let blob = Blob { digest: Digest::of(b"x"), size: 1, mode: 0o644 };
    let path = "git/commit/SKILL.md".to_owned();
    let new = change(root, Verb::Create, vec![Step::Put { path, before: None, after: blob }]);
    let id = ledger.begin(&new).unwrap();
    let record = ChangeRecord { id, change: new, undone_by: None, open: true, former_origin: None };
    assert_eq!(ledger.unfinished(root).unwrap(), std::slice::from_ref(&record));
    assert_eq!(ledger.change(id).unwrap(), None);
    assert_eq!(ledger.changes(None, 9).unwrap(), []);
    assert_eq!(ledger.skill(record.change.skill).unwrap(), None);

    let after = After { state: Some(State::Active), folder: Some("git/commit".to_owned()) };
    ledger.finish(id, &after).unwrap();
    assert_eq!(ledger.unfinished(root).unwrap(), []);
    let record = ChangeRecord { open: false, ..record };
    assert_eq!(ledger.change(id).unwrap(), Some(record.clone()));
    assert_eq!(
        ledger.changes(Some(record.change.skill), 9).unwrap(),
        std::slice::from_ref(&record)
    );
    assert_eq!(ledger.changes(Some(SkillId::from_random(8)), 9).unwrap(), []);
    let skill = ledger.skill_at(root, "git/commit").unwrap().unwrap();
    assert_eq!(
        (skill.id, skill.name.as_str(), skill.category.as_str(), skill.state),
        (record.change.skill, "commit", "git", State::Active)
    );
    assert_eq!(ledger.skills().unwrap(), [skill]);
}

#[test]
fn a_change_is_ended_once() {
    let (ledger, root) = ledger();
    let id = ledger.begin(&change(root, Verb::Create, Vec::new())).unwrap();
    ledger.abandon(id).unwrap();
    for result in [ledger.abandon(id), ledger.finish(id, &After::default())] {
        let error = result.unwrap_err().to_string();
        assert_eq!(error, "change 1 is abandoned, and an open change was expected");
    }
    let error = ledger.finish(ChangeId(9), &After::default()).unwrap_err().to_string();
    assert_eq!(error, "change 9 is unknown, and an open change was expected");
    assert_eq!(ledger.changes(None, 9).unwrap(), []);
    assert_eq!(ledger.skills().unwrap(), []);
    let other = ledger.begin(&change(root, Verb::Create, Vec::new())).unwrap();
    assert_eq!(other, ChangeId(2));
}

#[test]
fn a_root_that_is_not_known_is_refused() {
    let (ledger, _) = ledger();
    let error = ledger.begin(&change(RootId(9), Verb::Create, Vec::new())).unwrap_err();
    assert!(matches!(error, LedgerError::Contradiction { .. }), "{error:?}");
}

#[test]
fn the_archive_keeps_its_time_and_the_former_folder_is_remembered() {
    let (ledger, root) = ledger();
    created(&ledger, root);
    let away = After { state: Some(State::Archived), folder: Some("x/commit".to_owned()) };
    done(&ledger, &change(root, Verb::Archive, Vec::new()), away);
    let skill = ledger.skill(SkillId::from_random(7)).unwrap().unwrap();
    assert_eq!((skill.state, skill.archived_at), (State::Archived, Some(Instant(100))));
    assert_eq!(ledger.skill_at(root, "x/commit").unwrap(), None);
    let back = After { state: Some(State::Active), folder: Some("git/commit".to_owned()) };
    done(&ledger, &change(root, Verb::Restore, Vec::new()), back);
    let skill = ledger.skill_at(root, "git/commit").unwrap().unwrap();
    assert_eq!((skill.state, skill.archived_at), (State::Active, None));
}

#[test]
fn what_follows_of_a_finish_that_is_refused_is_nothing() {
    let (ledger, root) = ledger();
    created(&ledger, root);
    let other =
        NewChange { skill: SkillId::from_random(8), ..change(root, Verb::Create, Vec::new()) };
    let id = ledger.begin(&other).unwrap();
    let after = After { state: Some(State::Active), folder: Some("git/commit".to_owned()) };
    let error = ledger.finish(id, &after).unwrap_err();
    assert!(matches!(error, LedgerError::Contradiction { .. }), "{error:?}");
    assert_eq!(ledger.unfinished(root).unwrap().len(), 1);
    assert_eq!(ledger.skills().unwrap().len(), 1);
}

#[test]
fn a_choice_follows_from_the_steps_and_back() {
    let (ledger, root) = ledger();
    created(&ledger, root);
    let agent = || Some("codex".to_owned());
    let step = Step::Choose { agent: agent(), before: Choice::Auto, after: Choice::Off };
    let skill = SkillId::from_random(7);
    let set = done(&ledger, &change(root, Verb::Set, vec![step]), After::default());
    assert_eq!(ledger.choice(skill, Some("codex")).unwrap(), Choice::Off);
    assert_eq!(ledger.choice(skill, None).unwrap(), Choice::Auto);
    assert_eq!(ledger.choices().unwrap(), [(skill, agent(), Choice::Off)]);
    undo(&ledger, set);
    assert_eq!(ledger.choices().unwrap(), []);
}

#[test]
fn a_pin_follows_from_the_verb_and_turns_with_each_undo() {
    let (ledger, root) = ledger();
    created(&ledger, root);
    let pinned = || ledger.skill(SkillId::from_random(7)).unwrap().unwrap().pinned;
    let pin = done(&ledger, &change(root, Verb::Pin, Vec::new()), After::default());
    assert!(pinned());
    let undo_1 = undo(&ledger, pin);
    assert!(!pinned());
    let undo_2 = undo(&ledger, undo_1);
    assert!(pinned());
    undo(&ledger, undo_2);
    assert!(!pinned());
}

#[test]
fn a_change_is_undone_once_until_its_undo_is_undone() {
    let (ledger, root) = ledger();
    let first = created(&ledger, root);
    let second = undo(&ledger, first);
    assert_eq!(ledger.change(first).unwrap().unwrap().undone_by, Some(second));
    let again = NewChange { undoes: Some(first), ..change(root, Verb::Undo, Vec::new()) };
    let error = ledger.begin(&again).unwrap_err().to_string();
    assert_eq!(
        error,
        "change 1 is undone by change 2, and a change that is done and not undone was expected"
    );
    let third = undo(&ledger, second);
    assert_eq!(ledger.change(first).unwrap().unwrap().undone_by, None);
    assert_eq!(ledger.change(second).unwrap().unwrap().undone_by, Some(third));
    assert!(ledger.begin(&again).is_ok());
    let unknown = NewChange { undoes: Some(ChangeId(99)), ..again };
    assert!(matches!(ledger.begin(&unknown), Err(LedgerError::Phase { .. })));
}

#[test]
fn a_choice_is_begun_and_done_at_once_or_not_at_all() {
    let (ledger, root) = ledger();
    created(&ledger, root);
    let choose = |before, after| {
        let step = Step::Choose { agent: None, before, after };
        ledger.choose(&change(root, Verb::Set, vec![step]))
    };
    let id = choose(Choice::Auto, Choice::Off).unwrap();
    assert_eq!(ledger.choice(SkillId::from_random(7), None).unwrap(), Choice::Off);
    assert!(ledger.change(id).unwrap().is_some());
    // Somebody who read the choice before that was written.
    let late = choose(Choice::Auto, Choice::Full).unwrap_err();
    assert_eq!(
        late.to_string(),
        "the ledger refuses what contradicts it: the choice is `off` by now"
    );
    let moves = Step::Move { from: "a".to_owned(), to: "b".to_owned() };
    ledger.choose(&change(root, Verb::Set, vec![moves])).unwrap_err();
    assert_eq!(ledger.changes(None, 9).unwrap().len(), 2);
    assert_eq!(ledger.unfinished(root).unwrap(), []);
}

#[test]
fn a_skill_that_a_scan_met_before_its_making_was_done_is_one_with_all_that_is_known_of_it() {
    let (ledger, root) = ledger();
    let made = change(root, Verb::Create, Vec::new());
    let id = ledger.begin(&made).unwrap();
    let met = crate::ledger::NewSkill {
        id: SkillId::from_random(99),
        root,
        folder: "ops/deploy".to_owned(),
        name: "deploy".to_owned(),
        category: "ops".to_owned(),
        state: State::Active,
        origin: crate::skill::Origin::Unknown,
        created: Instant(101),
    };
    ledger.add_skill(&met).unwrap();
    let seen = crate::ledger::Event {
        skill: met.id,
        at: Instant(102),
        kind: crate::ledger::Kind::View,
        actor: Actor::Foreground,
        weight: 1,
        session: None,
        note: None,
    };
    ledger.record(&[seen]).unwrap();
    let after = After { folder: Some(met.folder.clone()), ..After::default() };
    ledger.finish(id, &after).unwrap();
    let skills = ledger.skills().unwrap();
    assert_eq!(skills.len(), 1, "{skills:?}");
    assert_eq!((skills[0].id, skills[0].origin), (made.skill, crate::skill::Origin::Review));
    assert_eq!(ledger.sums(made.skill).unwrap().views, 1);
    assert!(ledger.check().unwrap().is_empty());
}
