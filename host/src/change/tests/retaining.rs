//! Former bytes that are let go: never those that a change within its time, an unfinished one, an archived skill or the
//! next change by somebody else needs.

use std::{cell::RefCell, collections::BTreeSet, path::Path};

use proptest::prelude::*;

use super::{agent, observe, person, put, skill, target};
use crate::{
    change::{
        Base, ChangeError, Clash, Edit, Home, Keeper, Looks, NewSkill, Retention, Standing, Swept,
        Unruled,
        patch::{How, Patch},
        sweep, turn_down, waiting,
    },
    ledger::{ChangeId, ChangeRecord, Digest, Ledger, NewRoot, PendingId, RootId, Step},
    library::Library,
    skill::{Instant, OneLine, SkillId, State},
    system::{SimulatedDisk, System},
};

const ROOT: &str = "/root";
const DAY: i64 = 86_400;
const SHORT: Retention = Retention { days: 30, newest: 2 };

struct Stage {
    disk: SimulatedDisk,
    ledger: Ledger,
    home: Home,
    root: RootId,
    skills: Vec<SkillId>,
    /// Changes that a sweep found past their time. A skill that is archived later doesn't bring their bytes back.
    past: RefCell<BTreeSet<ChangeId>>,
}

impl Stage {
    fn new(skills: usize) -> Stage {
        let disk = SimulatedDisk::new(11);
        disk.put_folder(ROOT, 0o755);
        disk.put_folder("/home", 0o700);
        let ledger = Ledger::in_memory().unwrap();
        let root = NewRoot {
            path: ROOT.into(),
            label: OneLine::new("mine"),
            owned: true,
            trusted: true,
            precedence: 0,
            at: Instant(0),
        };
        let root = ledger.add_root(&root).unwrap();
        let home = Home { id: "one".to_owned(), path: "/home".into() };
        Keeper::own(&disk, Path::new(ROOT), &home).unwrap();
        let mut stage =
            Stage { disk, ledger, home, root, skills: Vec::new(), past: RefCell::default() };
        for number in 0..skills {
            let name = format!("s{number}");
            let files = [put("SKILL.md", &skill(&name, "0\n")), put("assets/a", "0\n")];
            let new = NewSkill { name: &name, category: None, files: &files, clash: Clash::Refuse };
            let made = stage.keeper().create(&new, &Library::default(), &person()).unwrap();
            stage.skills.push(made.skill);
        }
        stage
    }

    fn keeper(&self) -> Keeper<'_> {
        let root = Path::new(ROOT);
        let keeper = Keeper::open(&self.disk, &self.ledger, &self.home, self.root, root).unwrap();
        keeper.keeping(SHORT)
    }

    fn sweep(&self) -> Swept {
        let within: BTreeSet<ChangeId> = self.within().iter().map(|it| it.id).collect();
        let all = self.ledger.history().unwrap().into_iter().map(|it| it.id);
        self.past.borrow_mut().extend(all.filter(|id| !within.contains(id)));
        sweep(&self.disk, &self.ledger, &self.home, SHORT).unwrap()
    }

    fn write(&self, number: usize, path: &str, text: &str) -> Result<(), ChangeError> {
        let folder = format!("s{number}");
        let text = if path == "SKILL.md" { skill(&folder, text) } else { text.to_owned() };
        let me = target(self.skills[number], &folder);
        self.keeper().write(me, &[put(path, &text)], &person()).map(drop)
    }

    /// Changes that must be whole: within their time, or among the newest of their skills, or of an archived one.
    fn within(&self) -> Vec<ChangeRecord> {
        let history = self.ledger.history().unwrap();
        let now = self.disk.now();
        let is_archived = |id: SkillId| {
            self.ledger.skill(id).unwrap().is_some_and(|it| it.state == State::Archived)
        };
        let later = |record: &ChangeRecord| {
            let same = |it: &&ChangeRecord| it.change.skill == record.change.skill;
            history.iter().filter(same).filter(|it| it.id > record.id).count()
        };
        let past = self.past.borrow();
        let within = |record: &&ChangeRecord| {
            if past.contains(&record.id) {
                return false;
            }
            record.change.at.0 >= now.0 - 30 * DAY
                || later(record) < 2
                || is_archived(record.change.skill)
        };
        history.iter().filter(within).cloned().collect()
    }

    fn is_whole(&self, record: &ChangeRecord) -> bool {
        let objects = self.keeper().objects;
        record.change.steps.iter().all(|step| match step {
            Step::Put { before, after, .. } => {
                before.is_none_or(|before| objects.bytes(&before.digest).is_ok())
                    && objects.bytes(&after.digest).is_ok()
            }
            Step::Remove { before, .. } => objects.bytes(&before.digest).is_ok(),
            _ => true,
        })
    }
}

#[test]
fn bytes_whose_time_is_over_are_let_go_and_that_is_told() {
    let stage = Stage::new(2);
    for round in 1..=6 {
        stage.disk.advance(DAY);
        stage.write(0, "SKILL.md", &format!("{round}\n")).unwrap();
    }
    assert_eq!(stage.sweep(), Swept { objects: 0, done: true });
    stage.disk.advance(40 * DAY);
    // Of the eight texts of its SKILL.md those of the two newest changes are left.
    assert_eq!(stage.sweep(), Swept { objects: 4, done: true });
    assert_eq!(stage.sweep(), Swept { objects: 0, done: true });
    let changes = stage.ledger.changes(Some(stage.skills[0]), 99).unwrap();
    let (newest, oldest) = (&changes[0], &changes[4]);
    stage.keeper().undo(newest.id, &person()).unwrap();
    stage.keeper().undo(changes[1].id, &person()).unwrap();
    // What its skill has now is another text; the one before it is gone.
    let refused = stage.keeper().undo(oldest.id, &person()).unwrap_err();
    assert!(matches!(refused, ChangeError::NewerWork { .. }), "{refused}");
    let refused = stage.keeper().undo(changes[2].id, &person()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "the bytes of change {} are no longer kept: it was made {}, and they are kept for 30 days",
            changes[2].id.0, changes[2].change.at
        )
    );
}

#[test]
fn a_file_that_nobody_touched_for_years_has_a_way_back() {
    let stage = Stage::new(1);
    for round in 1..=5 {
        stage.write(0, "SKILL.md", &format!("{round}\n")).unwrap();
    }
    stage.disk.advance(1_000 * DAY);
    stage.sweep();
    stage.disk.put_file("/root/s0/assets/a", "by hand", 0o644);
    let me = stage.skills[0];
    let outside = observe(&stage.keeper(), &mut Looks::default(), me, "s0", None).unwrap().unwrap();
    stage.keeper().undo(outside.id, &person()).unwrap();
    assert!(matches!(
        stage.disk.tree(ROOT).get("s0/assets/a"),
        Some(crate::system::Seen::File(_, bytes)) if bytes == b"0\n"
    ));
}

#[test]
fn a_sweep_waits_for_nobody_and_takes_nothing_that_no_change_named() {
    let stage = Stage::new(1);
    for round in 1..=5 {
        stage.write(0, "SKILL.md", &format!("{round}\n")).unwrap();
    }
    stage.disk.advance(1_000 * DAY);
    stage.disk.put_file("/home/objects/ab/cd", "somebody's", 0o600);
    stage.disk.put_file("/home/objects/new-1", "of a process that died", 0o600);
    stage.disk.advance(2 * DAY);
    stage.disk.put_file("/home/objects/new-2", "of one that is at work", 0o600);
    let keeper = stage.keeper();
    let held = keeper.objects.hold("another", std::time::Duration::ZERO).unwrap();
    assert_eq!(stage.sweep(), Swept::default());
    drop(held);
    assert_eq!(stage.sweep(), Swept { objects: 3, done: true });
    let left = stage.disk.tree("/home/objects");
    let is_there = ["ab/cd", "new-1", "new-2"].map(|path| left.contains_key(path));
    assert_eq!(is_there, [true, false, true]);
}

#[derive(Clone, Debug)]
enum Act {
    Write(usize, bool, u8),
    Outside(usize, u8),
    Archive(usize),
    Restore(usize),
    Pin(usize),
    Undo(usize),
    Wait(i64),
    Sweep,
}

fn an_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => (0..2_usize, any::<bool>(), 0..4_u8).prop_map(|(s, main, text)| Act::Write(s, main, text)),
        2 => (0..2_usize, 0..4_u8).prop_map(|(s, text)| Act::Outside(s, text)),
        1 => (0..2_usize).prop_map(Act::Archive),
        1 => (0..2_usize).prop_map(Act::Restore),
        1 => (0..2_usize).prop_map(Act::Pin),
        2 => (0..6_usize).prop_map(Act::Undo),
        3 => (1..50_i64).prop_map(Act::Wait),
        3 => Just(Act::Sweep),
    ]
}

fn act(stage: &Stage, act: &Act) -> Result<(), ChangeError> {
    let me = |number: usize| stage.skills[number];
    match act {
        Act::Write(s, main, text) => {
            let path = if *main { "SKILL.md" } else { "assets/a" };
            stage.write(*s, path, &format!("{text}\n"))
        }
        Act::Outside(s, text) => {
            let folder = format!("s{s}");
            stage.keeper().is_skill(&folder, "changed")?;
            let path = format!("{ROOT}/{folder}/assets/b");
            stage.disk.put_file(path, format!("outside {text}"), 0o600);
            observe(&stage.keeper(), &mut Looks::default(), me(*s), &folder, None).map(drop)
        }
        Act::Archive(s) => {
            stage.keeper().archive(target(me(*s), &format!("s{s}")), &person()).map(drop)
        }
        Act::Restore(s) => {
            let keeper = stage.keeper();
            let archived = keeper.archived()?.into_iter().find(|it| it.sidecar.id == me(*s));
            archived.map_or(Ok(()), |it| keeper.restore(&it, None, &person()).map(drop))
        }
        Act::Pin(s) => {
            let folder = format!("s{s}");
            let me = target(me(*s), &folder);
            let pin = stage.keeper().pin(me, &person());
            pin.or_else(|_| stage.keeper().unpin(me, &person())).map(drop)
        }
        Act::Undo(back) => {
            let changes = stage.ledger.changes(None, 99)?;
            let Some(change) = changes.get(*back) else { return Ok(()) };
            stage.keeper().undo(change.id, &person()).map(drop)
        }
        Act::Wait(days) => {
            stage.disk.advance(days * DAY);
            Ok(())
        }
        Act::Sweep => {
            stage.sweep();
            Ok(())
        }
    }
}

#[test]
fn what_waits_keeps_its_texts_and_lets_them_go_when_it_was_decided_on_long_ago() {
    let stage = Stage::new(1);
    let proposed = skill("s0", "1\n");
    let was = Digest::of(skill("s0", "0\n").as_bytes());
    let edits = [Edit::Put {
        path: "SKILL.md".to_owned(),
        bytes: proposed.clone().into_bytes(),
        mode: None,
        base: Base::Read(was),
    }];
    let keeper = stage.keeper().judged_by(&Unruled, true);
    let staged = keeper.write(target(stage.skills[0], "s0"), &edits, &agent());
    let Err(ChangeError::Waits(staged)) = staged else { panic!("{staged:?}") };
    let kept = || stage.keeper().objects.bytes(&Digest::of(proposed.as_bytes())).is_ok();
    stage.disk.advance(90 * DAY);
    stage.sweep();
    let pending = waiting(&stage.ledger, staged.id).unwrap();
    let proposal = stage.keeper().proposal(&pending, &Library::default()).unwrap();
    assert_eq!((proposal.standing, kept()), (Standing::Fits, true));
    turn_down(&stage.disk, &stage.ledger, staged.id, &person()).unwrap();
    stage.disk.advance(29 * DAY);
    stage.sweep();
    assert!(kept());
    stage.disk.advance(2 * DAY);
    assert_eq!(stage.sweep(), Swept { objects: 1, done: true });
    assert!(!kept());
}

#[test]
fn a_skill_that_was_turned_down_leaves_no_bytes_for_ever() {
    let stage = Stage::new(0);
    let files = [put("SKILL.md", &skill("late", "1\n")), put("assets/a", "new\n")];
    let new = NewSkill { name: "late", category: None, files: &files, clash: Clash::Refuse };
    let keeper = stage.keeper().judged_by(&Unruled, true);
    let staged = keeper.create(&new, &Library::default(), &agent());
    let Err(ChangeError::Waits(staged)) = staged else { panic!("{staged:?}") };
    let kept = || {
        let all = stage.disk.tree("/home/objects");
        all.values().filter(|seen| matches!(seen, crate::system::Seen::File(..))).count()
    };
    let before = kept();
    turn_down(&stage.disk, &stage.ledger, staged.id, &person()).unwrap();
    stage.disk.advance(31 * DAY);
    assert_eq!(stage.sweep(), Swept { objects: 2, done: true });
    assert_eq!(kept(), before - 2);
}

fn text(first: &str, second: &str) -> String {
    skill("s0", &format!("{first}\n\n\n\n{second}\n"))
}

/// A stage where a write waits for the first skill that was put on a newer text since.
fn rebased() -> (Stage, PendingId) {
    let stage = Stage::new(1);
    let me = target(stage.skills[0], "s0");
    stage.keeper().write(me, &[put("SKILL.md", &text("one", "two"))], &person()).unwrap();
    let edits = [Edit::Patch {
        path: "SKILL.md".to_owned(),
        patch: Patch::new(Some("two"), Some("2"), How::Once).unwrap(),
        base: Base::Read(Digest::of(text("one", "two").as_bytes())),
    }];
    let staged = stage.keeper().judged_by(&Unruled, true).write(me, &edits, &agent());
    let Err(ChangeError::Waits(staged)) = staged else { panic!("{staged:?}") };
    stage.keeper().write(me, &[put("SKILL.md", &text("1", "two"))], &person()).unwrap();
    assert!(waiting(&stage.ledger, staged.id).unwrap().rebased);
    (stage, staged.id)
}

impl Stage {
    fn keeps(&self, text: &str) -> bool {
        self.keeper().objects.bytes(&Digest::of(text.as_bytes())).is_ok()
    }
}

#[test]
fn what_a_write_came_to_before_it_was_put_on_a_newer_text_goes_with_it() {
    let (stage, id) = rebased();
    let kept = |first, second| stage.keeps(&text(first, second));
    turn_down(&stage.disk, &stage.ledger, id, &person()).unwrap();
    assert!(kept("one", "2") && kept("1", "2"));
    stage.disk.advance(31 * DAY);
    assert!(stage.sweep().done);
    assert!(!kept("one", "2") && !kept("1", "2"));
    assert!(kept("one", "two") && kept("1", "two"));
    assert_eq!(stage.ledger.former_objects().unwrap(), []);
}

#[test]
fn a_purge_erases_what_a_write_came_to_before_too() {
    let (stage, _) = rebased();
    stage.keeper().archive(target(stage.skills[0], "s0"), &person()).unwrap();
    let archived = stage.keeper().archived().unwrap().remove(0);
    let plan = stage.keeper().purge_plan(&archived).unwrap();
    stage.keeper().purge(plan, &person()).unwrap();
    for (first, second) in [("one", "two"), ("1", "two"), ("one", "2"), ("1", "2")] {
        assert!(!stage.keeps(&text(first, second)), "{first} {second}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_was_done_each_change_within_its_time_can_be_shown_and_taken_back(
        acts in proptest::collection::vec(an_act(), 1..40),
    ) {
        let stage = Stage::new(2);
        for it in &acts {
            if let Err(ChangeError::Lost(digest, how)) = act(&stage, it) {
                return Err(TestCaseError::fail(format!("{it:?}: {digest} is {how}")));
            }
            for record in stage.within() {
                prop_assert!(stage.is_whole(&record), "after {it:?}: change {}", record.id.0);
            }
        }
        // The newest change of each skill is taken back, as far as nothing newer is in its way.
        stage.sweep();
        for skill in &stage.skills {
            let newest = stage.ledger.changes(Some(*skill), 1).unwrap().remove(0);
            let undone = stage.keeper().undo(newest.id, &person());
            let lost = matches!(undone, Err(ChangeError::Lost(..) | ChangeError::PastRetention { .. }));
            prop_assert!(!lost, "{undone:?}");
        }
        // And what is not within its time is no longer there, or the disk would grow for ever.
        stage.disk.advance(10_000 * DAY);
        stage.sweep();
        let named = stage.within().len();
        let kept = stage.disk.tree("/home/objects").values()
            .filter(|seen| matches!(seen, crate::system::Seen::File(..))).count();
        prop_assert!(kept <= 2 * named * 3 + 8, "{kept} objects, {named} changes");
    }
}
