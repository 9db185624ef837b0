//! Writes that waited in another program: checked and judged as their writer's, never made at once, on what lies there.

use super::{World, by, person, put, skill, target};
use crate::{
    change::{
        Act, Base, ChangeError, Clash, Edit, Foreseen, NewSkill, Standing, WaitedElsewhere,
        patch::{How, Patch},
        waiting,
    },
    decision::{Action, By, Judgement, Reasoned, Successor, Verdict, WriteRequest},
    ledger::{Digest, PendingId, Source, Takeover, Took, Verb, WriteRecord},
    skill::{Actor, Instant, OneLine, Origin},
    system::{OsSystem, System},
};

/// A write that waited elsewhere since a minute ago.
pub(super) fn elsewhere(act: Act<'_>, actor: Actor) -> WaitedElsewhere<'_> {
    WaitedElsewhere {
        act,
        foreseen: Foreseen::default(),
        by: by(actor),
        at: Instant(OsSystem.now().0 - 60),
        program: "Hermes",
    }
}

/// The record that it comes from.
pub(super) fn record(bytes: &str) -> WriteRecord {
    WriteRecord {
        program: "hermes".to_owned(),
        place: "/h".to_owned(),
        file: format!("pending/skills/{bytes}.json"),
        digest: Digest::of(bytes.as_bytes()),
        at: Some("7.5".to_owned()),
    }
}

/// A world that something was taken over to.
fn world() -> World {
    let world = World::new();
    let source = Source {
        program: "hermes".to_owned(),
        place: "/h".to_owned(),
        digest: Digest::of(b""),
        last: Instant(0),
        kept: "{}".to_owned(),
    };
    let takeover = Takeover {
        source,
        planned_on: 0,
        put_away: Vec::new(),
        events: Vec::new(),
        origins: Vec::new(),
        pins: Vec::new(),
        states: Vec::new(),
        since: Vec::new(),
        references: None,
        marks: Vec::new(),
    };
    world.ledger.take_over(&takeover).unwrap();
    world
}

fn patch(path: &str, old: &str, new: &str) -> Edit {
    let patch = Patch::new(Some(old), Some(new), How::Tolerant).unwrap();
    Edit::Patch { path: path.to_owned(), patch, base: Base::Absent }
}

/// What a judge is asked is kept, and everything is allowed.
fn allowing(
    asked: &std::sync::Mutex<Vec<WriteRequest>>,
) -> impl Fn(&WriteRequest) -> Judgement + Sync {
    |write: &WriteRequest| {
        asked.lock().unwrap().push(write.clone());
        judgement(Verdict::Allow(write.origin.unwrap_or(Origin::Review)))
    }
}

fn judgement(verdict: Verdict<Origin>) -> Judgement {
    let reason = Reasoned { code: OneLine::new("so"), text: OneLine::new("so it is") };
    Judgement { verdict, reason, by: By::Host }
}

#[test]
fn it_waits_though_a_judge_would_let_it_be_done_and_is_then_done_as_it_was_shown() {
    let world = world();
    let id = world.create(None, "deploy").unwrap().skill;
    let me = target(id, "deploy");
    let asked = std::sync::Mutex::default();
    let judge = allowing(&asked);
    let keeper = world.keeper().judged_by(&judge, false);
    let before = world.tree();
    let edits = [patch("SKILL.md", "Do it.", "Do that."), put("assets/a", "a\n")];
    let write = elsewhere(Act::Write(me, &edits), Actor::Review);
    let would = keeper.would_wait(&write, &world.library()).unwrap();
    assert_eq!(world.ledger.ever_pending().unwrap(), []);
    let took = keeper.have_wait(&write, &record("one"), &world.library()).unwrap();
    assert_eq!((took, world.tree()), (Took::New(PendingId(1)), before));
    let pending = waiting(&world.ledger, PendingId(1)).unwrap();
    let it = &pending.asked;
    assert_eq!(it.wanted, would);
    assert_eq!((it.actor, it.at, it.verb), (Actor::Review, write.at, Verb::Write));
    assert_eq!(it.why, "it waited for a person in Hermes");
    assert_eq!(it.reason, "because");
    // What lies there counts as what its writer had read.
    assert!(asked.lock().unwrap().iter().all(|write| write.read && write.actor == Actor::Review));
    let library = world.library();
    let proposal = world.keeper().proposal(&pending, &library).unwrap();
    assert_eq!(proposal.standing, Standing::Fits);
    let shown = proposal.shown.unwrap();
    world.keeper().approve(PendingId(1), &shown, &library, &person()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), skill("deploy", "Do that.\n"));
    assert_eq!(world.text("deploy/assets/a"), "a\n");
    let change = world.ledger.changes(Some(id), 1).unwrap().remove(0);
    assert_eq!(
        (change.change.actor, change.change.leave.approved),
        (Actor::Review, Some(Actor::Person))
    );
    // It was taken once.
    let again = world.keeper().have_wait(
        &elsewhere(Act::Write(me, &[put("assets/a", "b\n")]), Actor::Review),
        &record("one"),
        &library,
    );
    assert_eq!(again.unwrap(), Took::Known(PendingId(1)));
}

#[test]
fn what_was_changed_after_it_was_taken_is_not_written_over() {
    let world = world();
    let id = world.create(None, "deploy").unwrap().skill;
    let edits = [put("SKILL.md", &skill("deploy", "All new.\n"))];
    let write = elsewhere(Act::Write(target(id, "deploy"), &edits), Actor::Foreground);
    world.keeper().have_wait(&write, &record("one"), &world.library()).unwrap();
    world.intrude("deploy/SKILL.md", &skill("deploy", "By hand.\n"));
    let pending = waiting(&world.ledger, PendingId(1)).unwrap();
    let proposal = world.keeper().proposal(&pending, &world.library()).unwrap();
    assert!(matches!(proposal.standing, Standing::Stale(_)), "{proposal:?}");
    let shown = Digest([0; 32]);
    let refused = world.keeper().approve(PendingId(1), &shown, &world.library(), &person());
    assert!(matches!(refused, Err(ChangeError::Stale { .. })), "{refused:?}");
    assert_eq!(world.text("deploy/SKILL.md"), skill("deploy", "By hand.\n"));
}

#[test]
fn what_its_writer_would_be_refused_never_waits() {
    let world = world();
    let id = world.create(None, "deploy").unwrap().skill;
    let me = target(id, "deploy");
    let deny = |_: &WriteRequest| judgement(Verdict::Deny);
    let gone = target(id, "gone");
    let outside = [put("../x", "x")];
    let same = [put("SKILL.md", &skill("deploy", "Do it.\n"))];
    let good = [put("assets/a", "a")];
    let files = [put("SKILL.md", &skill("deploy", "x\n"))];
    let taken = NewSkill { name: "deploy", category: None, files: &files, clash: Clash::Refuse };
    world.keeper().pin(me, &person()).unwrap();
    for (act, why) in [
        (Act::Write(me, &outside), "found `../x` as the path of a file"),
        (Act::Write(me, &same), "nothing would change"),
        (Act::Write(gone, &good), "there is no `gone`"),
        (Act::Create(taken), "a skill `deploy` is there already"),
        (Act::Archive(me), "`deploy` is pinned"),
    ] {
        let write = elsewhere(act, Actor::Review);
        let would = world.keeper().would_wait(&write, &world.library()).unwrap_err().to_string();
        assert!(would.starts_with(why), "{would}");
        let refused = world.keeper().have_wait(&write, &record("one"), &world.library());
        assert_eq!(refused.unwrap_err().to_string(), would);
    }
    let keeper = world.keeper().judged_by(&deny, false);
    let write = elsewhere(Act::Write(me, &good), Actor::Review);
    let refused = keeper.have_wait(&write, &record("one"), &world.library());
    assert!(matches!(refused, Err(ChangeError::Denied { .. })), "{refused:?}");
    assert_eq!(world.ledger.ever_pending().unwrap(), []);
}

#[test]
fn a_judge_is_told_what_will_be_known_by_then() {
    let world = world();
    let id = world.create(None, "deploy").unwrap().skill;
    let declared = world.ledger.skill(id).unwrap().unwrap().origin;
    let asked = std::sync::Mutex::default();
    let judge = allowing(&asked);
    let keeper = world.keeper().judged_by(&judge, false);
    let foreseen = Foreseen {
        origin: Some(Origin::Bundled),
        pinned: true,
        referenced: true,
        successor: Some(Successor::Present),
    };
    let act = Act::Archive(target(id, "deploy"));
    for foreseen in [Foreseen::default(), foreseen] {
        let write = WaitedElsewhere { foreseen, ..elsewhere(act, Actor::Review) };
        keeper.would_wait(&write, &world.library()).unwrap();
    }
    let told: Vec<_> = asked
        .lock()
        .unwrap()
        .iter()
        .map(|it| (it.action, it.origin, it.pinned, it.referenced, it.successor))
        .collect();
    // Who was declared stays.
    assert_eq!(
        told,
        [
            (Action::Retire, Some(declared), false, false, Some(Successor::None)),
            (Action::Retire, Some(declared), true, true, Some(Successor::Present)),
        ]
    );
    assert_ne!(declared, Origin::Unknown);
}

#[test]
fn skills_that_are_to_be_made_in_one_folder_are_counted_together() {
    let world = world();
    for (number, text) in ["one\n", "two\n"].into_iter().enumerate() {
        let files = [put("SKILL.md", &skill("late", text))];
        let new = NewSkill { name: "late", category: None, files: &files, clash: Clash::Refuse };
        let write = elsewhere(Act::Create(new), Actor::Review);
        let took = world.keeper().have_wait(&write, &record(text), &world.library()).unwrap();
        assert_eq!(took, Took::New(PendingId(number as i64 + 1)));
    }
    let all = world.ledger.waiting(None).unwrap();
    assert_eq!(all[0].asked.skill, all[1].asked.skill);
    assert_eq!(all[0].asked.origin, Some(Origin::Review));
}
