//! Writes that are judged, wait, and are decided on; and what others did while agents' writes are to be approved.

use std::fs;

use proptest::prelude::*;

use super::{World, agent, by, observe, person, put, skill, target};
use crate::{
    change::{
        Base, ChangeError, Clash, Done, Edit, Keeper, LIMITS, NewSkill, Staged, Standing, Unruled,
        content::check_skill,
        patch::{How, Patch},
        turn_down, waiting,
    },
    decision::{Action, By, Judgement, Reasoned, Verdict, WriteRequest},
    ledger::{Digest, PendingId, PendingState},
    skill::{Actor, OneLine, Origin, SkillId},
    system::OsSystem,
};

impl World {
    /// The writer where agents' writes are to be approved.
    fn approving(&self) -> Keeper<'_> {
        self.keeper().judged_by(&Unruled, true)
    }

    fn shown(&self, id: PendingId) -> Digest {
        self.proposal(id).shown.unwrap()
    }

    fn proposal(&self, id: PendingId) -> crate::change::Proposal {
        let pending = waiting(&self.ledger, id).unwrap();
        self.keeper().proposal(&pending, &self.library()).unwrap()
    }

    fn approve(&self, id: PendingId) -> Result<Done, ChangeError> {
        self.keeper().approve(id, &self.shown(id), &self.library(), &person())
    }

    fn state(&self, id: PendingId) -> PendingState {
        self.ledger.pending(id).unwrap().unwrap().state
    }
}

fn staged<T: std::fmt::Debug>(result: Result<T, ChangeError>) -> Staged {
    match result {
        Err(ChangeError::Waits(staged)) => *staged,
        other => panic!("{other:?}"),
    }
}

fn patch(path: &str, old: &str, new: &str, read: &str) -> Edit {
    Edit::Patch {
        path: path.to_owned(),
        patch: Patch::new(Some(old), Some(new), How::Once).unwrap(),
        base: Base::Read(Digest::of(read.as_bytes())),
    }
}

fn verdict(verdict: Verdict<Origin>) -> impl Fn(&WriteRequest) -> Judgement {
    move |_| Judgement {
        verdict,
        reason: Reasoned { code: OneLine::new("so"), text: OneLine::new("so it is") },
        by: By::Policy(OneLine::new("a-policy 0.1.0")),
    }
}

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A skill of a few lines.
fn lines(world: &World) -> (SkillId, String) {
    let text = skill("deploy", LINES);
    let files = [put("SKILL.md", &text)];
    let new = NewSkill { name: "deploy", category: None, files: &files, clash: Clash::Refuse };
    (world.keeper().create(&new, &world.library(), &person()).unwrap().skill, text)
}

#[test]
fn every_write_is_judged_and_what_is_said_of_the_skill_is_declared_with_the_change() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let origin = || world.ledger.skill(id).unwrap().unwrap().origin;
    assert_eq!(origin(), Origin::Person);
    let asked = std::sync::Mutex::new(Vec::new());
    let adopt = |write: &WriteRequest| {
        let WriteRequest { action, actor, origin, read, .. } = *write;
        asked.lock().unwrap().push((action, actor, origin, read, write.path.clone()));
        verdict(Verdict::Allow(Origin::Adopted))(write)
    };
    let keeper = world.keeper().judged_by(&adopt, false);
    let edits = [patch("SKILL.md", "two", "2", &text), put("assets/a", "a\n")];
    let done = keeper.write(me, &edits, &agent()).unwrap();
    assert_eq!(origin(), Origin::Adopted);
    keeper.archive(me, &by(Actor::Review)).unwrap();
    let archived = keeper.archived().unwrap().remove(0);
    keeper.restore(&archived, None, &person()).unwrap();
    let (persons, adopted) = (Some(Origin::Person), Some(Origin::Adopted));
    let file = |path: &str| Some(path.to_owned());
    assert_eq!(
        asked.into_inner().unwrap(),
        [
            (Action::Edit, Actor::Foreground, persons, true, file("SKILL.md")),
            (Action::Edit, Actor::Foreground, persons, true, file("assets/a")),
            (Action::Retire, Actor::Review, adopted, false, None),
            (Action::Restore, Actor::Person, adopted, false, None),
        ]
    );
    // With the change what it declared is taken back, and with that again.
    let back = world.keeper().undo(done.id, &person()).unwrap();
    assert_eq!(origin(), Origin::Person);
    world.keeper().undo(back.id, &person()).unwrap();
    assert_eq!(origin(), Origin::Adopted);
}

#[test]
fn of_several_files_the_strictest_word_holds() {
    let world = World::new();
    let (id, text) = lines(&world);
    let of_scripts = |write: &WriteRequest| {
        let is_script = write.path.as_deref().is_some_and(|path| path.starts_with("scripts/"));
        let origin = Origin::Review;
        let is = if is_script { Verdict::Stage(origin) } else { Verdict::Allow(origin) };
        assert_eq!(write.content.contains("#!"), is_script);
        verdict(is)(write)
    };
    let keeper = world.keeper().judged_by(&of_scripts, false);
    let me = target(id, "deploy");
    let patch = patch("SKILL.md", "two", "2", &text);
    let with_script = [put("scripts/a.sh", "#!/bin/sh\n"), patch.clone(), put("assets/a", "a\n")];
    staged(keeper.write(me, &with_script, &agent()));
    keeper.write(me, &[patch], &agent()).unwrap();
}

#[test]
fn a_refusal_says_why_and_by_whom_and_leaves_nothing() {
    let world = World::new();
    let (id, text) = lines(&world);
    let before = world.tree();
    let deny = verdict(Verdict::Deny);
    let keeper = world.keeper().judged_by(&deny, true);
    let me = target(id, "deploy");
    let edits = [patch("SKILL.md", "two", "2", &text)];
    let files = [put("SKILL.md", &skill("other", "x\n"))];
    let new = NewSkill { name: "other", category: None, files: &files, clash: Clash::Refuse };
    for refused in [
        keeper.write(me, &edits, &person()),
        keeper.create(&new, &world.library(), &agent()),
        keeper.archive(me, &agent()),
    ] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.to_string(), "it is refused by a-policy 0.1.0: so it is");
        assert_eq!(
            refused.hint().as_deref(),
            Some("see what it lets whom do: skillkeep policy show a-policy")
        );
    }
    assert_eq!(world.tree(), before);
    assert_eq!(world.ledger.ever_pending().unwrap(), []);
    let preview = keeper.would_write("deploy", &edits, &agent()).unwrap();
    assert_eq!(preview.judgement.verdict, Verdict::Deny);
}

#[test]
fn the_laws_hold_whatever_a_judge_says() {
    let world = World::new();
    let (id, _) = lines(&world);
    let me = target(id, "deploy");
    let allow = verdict(Verdict::Allow(Origin::Review));
    let stage = verdict(Verdict::Stage(Origin::Review));
    world.keeper().pin(me, &person()).unwrap();
    for judge in [&allow as &dyn crate::change::Judge, &stage] {
        let keeper = world.keeper().judged_by(judge, false);
        assert_eq!(keeper.archive(me, &by(Actor::Curator)).unwrap_err().law(), Some("pinned"));
    }
    // A pin that comes while it waits holds too.
    world.keeper().unpin(me, &person()).unwrap();
    let keeper = world.keeper().judged_by(&stage, false);
    let waits = staged(keeper.archive(me, &by(Actor::Curator))).id;
    let shown = world.shown(waits);
    world.keeper().pin(me, &person()).unwrap();
    assert_eq!(world.state(waits), PendingState::Stale);
    let refused = world.keeper().approve(waits, &shown, &world.library(), &person()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`p1` doesn't fit any more: `deploy` is pinned, and stays where it is"
    );
    world.keeper().unpin(me, &person()).unwrap();
    assert_eq!(world.state(waits), PendingState::Waiting);
    world.approve(waits).unwrap();
    assert!(!world.is_there("deploy"));
}

#[test]
fn what_is_approved_is_what_was_shown_and_keeps_who_asked() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let before = world.tree();
    let edits = [patch("SKILL.md", "two", "2", &text), put("assets/a", "a\n")];
    let waits = staged(world.approving().write(me, &edits, &by(Actor::Review)));
    assert_eq!((world.tree(), waits.already, waits.by.as_str()), (before, false, "the host"));
    let again = staged(world.approving().write(me, &edits, &by(Actor::Review)));
    assert_eq!((again.id, again.already), (waits.id, true));
    let proposal = world.proposal(waits.id);
    assert_eq!((proposal.standing, proposal.diffs.len()), (Standing::Fits, 2));
    let shown = proposal.shown.unwrap();
    let approve = |by: &super::By, shown: &Digest| {
        world.keeper().approve(waits.id, shown, &world.library(), by)
    };
    assert!(matches!(approve(&agent(), &shown), Err(ChangeError::PersonOnly { .. })));
    let other = approve(&person(), &Digest::of(b"other")).unwrap_err();
    assert_eq!(other.to_string(), format!("`p1` is not what was shown: it is {shown} now"));
    let approver = super::By { session: None, reason: "fine".to_owned(), ..person() };
    let done = approve(&approver, &shown).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), text.replace("two", "2"));
    assert_eq!(world.text("deploy/assets/a"), "a\n");
    let change = world.ledger.change(done.id).unwrap().unwrap().change;
    assert_eq!(
        (change.actor, change.session.as_deref(), change.reason.as_str()),
        (Actor::Review, Some("s1"), "because")
    );
    assert_eq!(
        (change.leave.approved, change.leave.pending),
        (Some(Actor::Person), Some(waits.id))
    );
    let ended = approve(&person(), &shown).unwrap_err();
    assert_eq!(ended.to_string(), "`p1` is applied already");
    world.keeper().undo(done.id, &person()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), text);
}

#[test]
fn a_staged_skill_is_its_makers_and_one_of_two_is_made() {
    let world = World::new();
    let make = |text: &str| {
        let files = [put("SKILL.md", &skill("other", text))];
        let new =
            NewSkill { name: "other", category: Some("ops"), files: &files, clash: Clash::Refuse };
        staged(world.approving().create(&new, &world.library(), &by(Actor::Review)))
    };
    let (first, second) = (make("1\n"), make("2\n"));
    assert_eq!(first.skill, second.skill);
    assert!(!world.is_there("ops"));
    let done = world.approve(second.id).unwrap();
    let known = world.ledger.skill(done.skill).unwrap().unwrap();
    assert_eq!((known.origin, known.folder.as_str()), (Origin::Review, "ops/other"));
    assert_eq!(world.state(first.id), PendingState::Stale);
    let Standing::Stale(why) = world.proposal(first.id).standing else { panic!() };
    assert!(why.starts_with("a skill `other` is there already, at "), "{why}");
    // Once it is away the first fits again, as another skill.
    world.keeper().archive(target(done.skill, "ops/other"), &person()).unwrap();
    assert_eq!(world.state(first.id), PendingState::Waiting);
    let again = world.approve(first.id).unwrap();
    assert_ne!(again.skill, done.skill);
    assert_eq!(world.text("ops/other/SKILL.md"), skill("other", "1\n"));
    assert_eq!(world.ledger.check().unwrap(), []);
}

#[test]
fn what_could_not_be_written_is_refused_at_once_and_nothing_waits() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    for (edit, message) in [
        (put("SKILL.md", &text), "the hash of what was read of it is missing"),
        (patch("SKILL.md", "nine", "9", &text), "the text to replace is not in the file"),
        (patch("SKILL.md", "two", "2", "other"), "was changed since it was read"),
        (put("../x", "x"), "found `../x` as the path of a file"),
        (put("elsewhere/x", "x"), "found `elsewhere/x` as the path of a file"),
    ] {
        let refused = world.approving().write(me, &[edit], &agent()).unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
    assert_eq!(world.ledger.ever_pending().unwrap(), []);
}

#[test]
fn siblings_are_put_on_the_newer_text_or_marked() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let stage = |edit: Edit| staged(world.approving().write(me, &[edit], &agent())).id;
    let first = stage(patch("SKILL.md", "one", "1", &text));
    let far = stage(patch("SKILL.md", "eight", "8", &text));
    let same = stage(patch("SKILL.md", "one\ntwo", "1 2", &text));
    let whole = stage(Edit::Put {
        path: "SKILL.md".to_owned(),
        bytes: skill("deploy", "All new.\n").into_bytes(),
        mode: None,
        base: Base::Read(Digest::of(text.as_bytes())),
    });
    let beside = stage(put("assets/a", "a\n"));
    let shown = world.shown(far);
    world.approve(first).unwrap();
    let states = [first, far, same, whole, beside].map(|id| world.state(id));
    use PendingState::{Applied, Stale, Waiting};
    assert_eq!(states, [Applied, Waiting, Stale, Stale, Waiting]);
    assert_eq!(world.proposal(far).standing, Standing::Rebased);
    assert_eq!(world.proposal(beside).standing, Standing::Fits);
    // It is not what was shown, so it is looked at again.
    let refused = world.keeper().approve(far, &shown, &world.library(), &person()).unwrap_err();
    assert!(matches!(refused, ChangeError::OtherThanShown { .. }));
    let proposal = world.proposal(whole);
    assert_eq!((proposal.shown, proposal.since.len(), proposal.diffs.len()), (None, 1, 1));
    assert!(proposal.since[0].unified().contains("-one\n+1\n"), "{:?}", proposal.since);
    assert!(proposal.diffs[0].unified().contains("+All new.\n"), "{:?}", proposal.diffs);
    world.approve(far).unwrap();
    let now = text.replace("one", "1").replace("eight", "8");
    assert_eq!(world.text("deploy/SKILL.md"), now);
    // Whoever changes it, by whatever way.
    let direct = [Edit::Put {
        path: "SKILL.md".to_owned(),
        bytes: text.clone().into_bytes(),
        mode: None,
        base: Base::Any,
    }];
    world.keeper().write(me, &direct, &person()).unwrap();
    assert_eq!([same, whole].map(|id| world.state(id)), [Waiting, Waiting]);
}

#[test]
fn a_tolerance_is_kept_as_it_was_shown_and_never_used_on_another_text() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let tolerant = Edit::Patch {
        path: "SKILL.md".to_owned(),
        patch: Patch::new(Some("two  \nthree"), Some("2 3"), How::Tolerant).unwrap(),
        base: Base::Read(Digest::of(text.as_bytes())),
    };
    let waits = staged(world.approving().write(me, &[tolerant], &agent())).id;
    assert_eq!(world.proposal(waits).tolerated.len(), 1);
    world.keeper().write(me, &[patch("SKILL.md", "eight", "8", &text)], &person()).unwrap();
    assert_eq!(world.state(waits), PendingState::Stale);
}

#[test]
fn what_waits_for_a_skill_is_not_done_to_another_one_in_its_place() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let edits = [patch("SKILL.md", "two", "2", &text)];
    let waits = staged(world.approving().write(me, &edits, &agent())).id;
    let away = staged(world.approving().archive(me, &agent())).id;
    world.keeper().archive(me, &person()).unwrap();
    assert_ne!(lines(&world).0, id);
    for id in [waits, away] {
        let Standing::Stale(why) = world.proposal(id).standing else { panic!() };
        assert_eq!(why, "`deploy` can't be written: another skill lies there by now");
        assert_eq!(world.state(id), PendingState::Stale);
    }
    assert_eq!(world.text("deploy/SKILL.md"), text);
}

#[test]
fn a_persons_write_that_waits_is_for_what_was_there_though_they_named_no_hash() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let stage = verdict(Verdict::Stage(Origin::Person));
    let keeper = world.keeper().judged_by(&stage, false);
    let whole = [put("SKILL.md", &skill("deploy", "All new.\n"))];
    let waits = staged(keeper.write(me, &whole, &person())).id;
    world.keeper().write(me, &[patch("SKILL.md", "two", "2", &text)], &agent()).unwrap();
    assert_eq!(world.state(waits), PendingState::Stale);
    assert_eq!(world.proposal(waits).shown, None);
}

#[test]
fn nothing_is_said_to_wait_that_was_not_kept() {
    let world = World::new();
    let (id, text) = lines(&world);
    let objects = world.home.path.join("objects");
    fs::rename(&objects, world.home.path.join("aside")).unwrap();
    fs::write(&objects, "").unwrap();
    let edits = [patch("SKILL.md", "two", "2", &text)];
    let failed = world.approving().write(target(id, "deploy"), &edits, &agent()).unwrap_err();
    assert!(!matches!(failed, ChangeError::Waits(_)), "{failed}");
    assert_eq!(world.ledger.ever_pending().unwrap(), []);
}

#[test]
fn a_flood_of_writes_for_one_skill_is_capped() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let mut evicted = 0;
    for number in 0..500 {
        let edits = [patch("SKILL.md", "two", &format!("{number}"), &text)];
        evicted += staged(world.approving().write(me, &edits, &by(Actor::Review))).evicted.len();
    }
    assert_eq!(evicted, 500 - LIMITS.of_a_skill);
    let waits = world.ledger.waiting(None).unwrap();
    assert_eq!(waits.len(), LIMITS.of_a_skill);
    // One is applied, and none of the others fits.
    world.approve(waits[3].id).unwrap();
    let waits = world.ledger.waiting(None).unwrap();
    assert_eq!(waits.len(), LIMITS.of_a_skill - 1);
    assert!(waits.iter().all(|it| it.state == PendingState::Stale));
}

#[test]
fn what_was_turned_down_is_not_done_and_not_turned_down_again() {
    let world = World::new();
    let (id, text) = lines(&world);
    let edits = [patch("SKILL.md", "two", "2", &text)];
    let waits = staged(world.approving().write(target(id, "deploy"), &edits, &agent())).id;
    let no = |by: &super::By| turn_down(&OsSystem, &world.ledger, waits, by);
    assert!(matches!(no(&agent()), Err(ChangeError::PersonOnly { .. })));
    no(&person()).unwrap();
    assert_eq!(no(&person()).unwrap_err().to_string(), "`p1` is rejected already: because");
    assert_eq!(world.text("deploy/SKILL.md"), text);
    let unknown = turn_down(&OsSystem, &world.ledger, PendingId(9), &person()).unwrap_err();
    assert_eq!(unknown.to_string(), "nothing waits as `p9`");
}

#[test]
fn an_archive_that_waits_is_of_the_skill_as_it_was() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let waits = staged(world.approving().archive(me, &by(Actor::Curator))).id;
    assert!(world.is_there("deploy/SKILL.md"));
    world.keeper().write(me, &[patch("SKILL.md", "two", "2", &text)], &person()).unwrap();
    assert_eq!(world.state(waits), PendingState::Stale);
    let waits = staged(world.approving().archive(me, &by(Actor::Curator))).id;
    world.approve(waits).unwrap();
    let sidecar = world.keeper().archived().unwrap().remove(0).sidecar;
    assert_eq!((sidecar.actor, sidecar.id), (Actor::Curator, id));
}

#[test]
fn what_waits_for_a_skill_is_erased_with_it() {
    let world = World::new();
    let (id, text) = lines(&world);
    let me = target(id, "deploy");
    let secret = b"the secret\n";
    let edits = [put("assets/a", "the secret\n"), patch("SKILL.md", "two", "hidden", &text)];
    let waits = staged(world.approving().write(me, &edits, &agent())).id;
    let keeper = world.keeper();
    keeper.archive(me, &person()).unwrap();
    let archived = keeper.archived().unwrap().remove(0);
    keeper.purge(keeper.purge_plan(&archived).unwrap(), &person()).unwrap();
    assert_eq!(world.state(waits), PendingState::Evicted);
    for bytes in [&secret[..], b"hidden"] {
        let lost = keeper.objects.bytes(&Digest::of(bytes));
        assert!(matches!(lost, Err(ChangeError::Lost(_, "missing"))), "{lost:?}");
    }
}

/// A scan finds what others did to a skill, and has it wait.
fn observe_watching(world: &World, id: SkillId, folder: &str) {
    let keeper = world.keeper().watching(true);
    observe(&keeper, &mut world.looks.borrow_mut(), id, folder, None).unwrap().unwrap();
}

#[test]
fn what_others_did_is_accepted_or_taken_back() {
    let world = World::new();
    let (id, text) = lines(&world);
    let outside = |text: &str| {
        world.intrude("deploy/SKILL.md", text);
        observe_watching(&world, id, "deploy");
        world.ledger.waiting(Some(id)).unwrap().last().unwrap().id
    };
    let (first, second) = (outside("first"), outside("second"));
    let newer = world.keeper().take_back(first, &person()).unwrap_err();
    assert!(matches!(newer, ChangeError::NewerWork { .. }), "{newer}");
    assert!(matches!(
        world.keeper().take_back(second, &agent()),
        Err(ChangeError::PersonOnly { .. })
    ));
    world.keeper().take_back(second, &person()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), "first");
    world.keeper().take_back(first, &person()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), text);
    let [first, second] = [first, second].map(|id| world.state(id));
    assert_eq!((first, second), (PendingState::Rejected, PendingState::Rejected));
    let third = outside("third");
    let shown = world.shown(third);
    world.intrude("deploy/SKILL.md", "fourth");
    let other = world.keeper().accept(third, &shown, &person()).unwrap_err();
    assert!(matches!(other, ChangeError::OtherThanShown { .. }), "{other}");
    world.keeper().accept(third, &world.shown(third), &person()).unwrap();
    assert_eq!(world.state(third), PendingState::Applied);
}

#[test]
fn a_skill_that_others_made_is_put_away_when_it_is_turned_down() {
    let world = World::new();
    world.intrude("mine/SKILL.md", &skill("mine", "x\n"));
    let id = SkillId::from_random(5);
    let new = crate::ledger::NewSkill {
        id,
        root: world.id,
        folder: "mine".to_owned(),
        name: "mine".to_owned(),
        category: "general".to_owned(),
        state: crate::skill::State::Active,
        origin: Origin::Unknown,
        created: crate::skill::Instant(0),
    };
    world.ledger.add_skill(&new).unwrap();
    observe_watching(&world, id, "mine");
    let waits = world.ledger.waiting(Some(id)).unwrap()[0].id;
    assert!(world.proposal(waits).diffs[0].unified().starts_with("--- /dev/null\n"));
    world.keeper().take_back(waits, &person()).unwrap();
    assert!(!world.is_there("mine"));
    assert_eq!(world.keeper().archived().unwrap()[0].sidecar.id, id);
    assert_eq!(world.state(waits), PendingState::Rejected);
}

const NAMES: [&str; 2] = ["deploy", "notes"];

#[derive(Clone, Debug)]
enum Act {
    Create(usize, u8, bool),
    Patch(usize, u8, bool),
    Put(usize, u8, bool),
    Archive(usize, bool),
    Approve(usize),
    Reject(usize),
    Undo(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let (name, text, staged) = (0..NAMES.len(), 0..3_u8, prop::bool::weighted(0.7));
    let act = prop_oneof![
        2 => (name.clone(), text.clone(), staged).prop_map(|(a, b, c)| Act::Create(a, b, c)),
        4 => (name.clone(), text.clone(), staged).prop_map(|(a, b, c)| Act::Patch(a, b, c)),
        2 => (name.clone(), text, staged).prop_map(|(a, b, c)| Act::Put(a, b, c)),
        1 => (name, staged).prop_map(|(a, c)| Act::Archive(a, c)),
        4 => (0..8_usize).prop_map(Act::Approve),
        1 => (0..8_usize).prop_map(Act::Reject),
        2 => (0..8_usize).prop_map(Act::Undo),
    ];
    prop::collection::vec(act, 4..24)
}

/// Does it; whether something was changed, and what was said to wait.
fn act(world: &World, act: &Act) -> Result<Done, ChangeError> {
    let known = |name: usize| {
        let there = world.ledger.skill_at(world.id, NAMES[name]).unwrap();
        there.map(|it| it.id).ok_or(ChangeError::NoChange)
    };
    let keeper = |staged: bool| world.keeper().judged_by(&Unruled, staged);
    let read = |name: usize| {
        fs::read_to_string(world.root.join(NAMES[name]).join("SKILL.md")).unwrap_or_default()
    };
    match *act {
        Act::Create(name, text, staged) => {
            let body = format!("{text}\n{LINES}");
            let files = [put("SKILL.md", &skill(NAMES[name], &body))];
            let clash = Clash::Refuse;
            let new = NewSkill { name: NAMES[name], category: None, files: &files, clash };
            keeper(staged).create(&new, &world.library(), &agent())
        }
        Act::Patch(name, text, staged) => {
            let old = ["one", "four", "eight"][usize::from(text)];
            let edits = [patch("SKILL.md", old, &format!("<{old}>"), &read(name))];
            keeper(staged).write(target(known(name)?, NAMES[name]), &edits, &agent())
        }
        Act::Put(name, text, staged) => {
            let bytes = skill(NAMES[name], &format!("{text}\n{LINES}")).into_bytes();
            let base = Base::Read(Digest::of(read(name).as_bytes()));
            let edits = [Edit::Put { path: "SKILL.md".to_owned(), bytes, mode: None, base }];
            keeper(staged).write(target(known(name)?, NAMES[name]), &edits, &agent())
        }
        Act::Archive(name, staged) => {
            keeper(staged).archive(target(known(name)?, NAMES[name]), &agent())
        }
        Act::Approve(number) => {
            let all = world.ledger.waiting(None).unwrap();
            let one = all.get(number % all.len().max(1)).ok_or(ChangeError::NoChange)?;
            let shown = world.proposal(one.id).shown.ok_or(ChangeError::NoChange)?;
            world.keeper().approve(one.id, &shown, &world.library(), &person())
        }
        Act::Reject(number) => {
            let all = world.ledger.waiting(None).unwrap();
            let one = all.get(number % all.len().max(1)).ok_or(ChangeError::NoChange)?;
            turn_down(&OsSystem, &world.ledger, one.id, &person())?;
            Err(ChangeError::NoChange)
        }
        Act::Undo(number) => {
            let all = world.ledger.changes(None, 8).unwrap();
            let one = all.get(number % all.len().max(1)).ok_or(ChangeError::NoChange)?;
            world.keeper().undo(one.id, &person())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_staged_approved_rejected_and_undone_skills_are_whole_and_the_queue_is_true(acts in acts()) {
        let world = World::new();
        for one in &acts {
            let before = world.tree();
            let result = act(&world, one);
            if result.is_err() {
                // What waits, was refused or turned down has changed nothing.
                prop_assert_eq!(world.tree(), before);
            }
            // What was shown a moment ago is done.
            if let (Act::Approve(_), Err(error)) = (one, &result) {
                prop_assert!(matches!(error, ChangeError::NoChange), "{error}");
            }
            for name in NAMES {
                if let Ok(bytes) = fs::read(world.root.join(name).join("SKILL.md")) {
                    prop_assert!(check_skill(name, &bytes, None).is_ok());
                }
            }
            for pending in world.ledger.ever_pending().unwrap() {
                let change = pending.change.map(|id| world.ledger.change(id).unwrap().unwrap());
                prop_assert_eq!(pending.state == PendingState::Applied, change.is_some());
                if let Some(record) = change {
                    prop_assert_eq!(record.change.leave.pending, Some(pending.id));
                    prop_assert_eq!(record.change.actor, Actor::Foreground);
                }
                if pending.state.is_open() {
                    let fits = world.proposal(pending.id).shown.is_some();
                    prop_assert_eq!(fits, pending.state == PendingState::Waiting, "{:?}", pending);
                }
            }
            prop_assert_eq!(world.ledger.check().unwrap(), []);
            prop_assert_eq!(world.ledger.unfinished(world.id).unwrap(), []);
        }
    }
}
