//! Each act once, with what it refuses.

use std::{fs, os::unix::fs::symlink, time::Duration};

use super::{World, agent, by, person, put, skill, target};
use crate::{
    change::{
        Base, ChangeError, Clash, Edit, Home, Keeper, NewSkill, choose,
        patch::{How, Patch, Tolerance},
        unchoose,
    },
    ledger::{ChangeId, Digest, Step, Verb},
    skill::{Actor, Choice, SkillId, State},
    system::{At, Disk, OsSystem},
};

fn told<T>(result: Result<T, ChangeError>) -> String {
    result.err().map_or_else(|| "done".to_owned(), |error| error.to_string())
}

#[test]
fn a_skill_is_made_with_all_its_files_and_recorded() {
    let world = World::new();
    let done = world.create(Some("ops"), "deploy").unwrap();
    assert_eq!(world.text("ops/deploy/SKILL.md"), skill("deploy", "Do it.\n"));
    assert_eq!(world.mode("ops/deploy/SKILL.md"), 0o644);
    assert_eq!(world.mode("ops/deploy/scripts/run.sh"), 0o755);
    let known = world.ledger.skill(done.skill).unwrap().unwrap();
    assert_eq!((known.folder.as_str(), known.state), ("ops/deploy", State::Active));
    let record = world.ledger.change(done.id).unwrap().unwrap();
    assert_eq!(record.change.verb, Verb::Create);
    assert_eq!(record.change.reason, "because");
    assert!(world.is_there("ops/deploy"));
    assert_eq!(fs::read_dir(world.root.join(".skillkeep/staging")).unwrap().count(), 0);
}

#[test]
fn what_may_not_be_made_leaves_nothing_on_the_disk() {
    let world = World::new();
    world.create(Some("ops"), "deploy").unwrap();
    fs::create_dir_all(world.root.join("store/abc/recall")).unwrap();
    world.intrude("store/abc/recall/SKILL.md", &skill("recall", "x\n"));
    symlink("store/abc/recall", world.root.join("linked")).unwrap();
    symlink("/tmp", world.root.join("out")).unwrap();
    let before = world.tree();
    let text = |name: &str| vec![put("SKILL.md", &skill(name, "Do.\n"))];
    for (category, name, files, message) in [
        (None, "A B", text("x"), "found `A B` as the name of a skill, expected small letters"),
        (
            Some("../escape"),
            "x",
            text("x"),
            "found `../escape` as the name of a category, expected one name and no path",
        ),
        (
            Some(""),
            "x",
            text("x"),
            "found `` as the name of a category, expected one letter or digit at least",
        ),
        (None, "deploy", text("deploy"), "a skill `deploy` is there already"),
        (None, "recall", text("recall"), "a skill `recall` is there already"),
        (Some("out"), "x", text("x"), "is a link or lies behind one"),
        (
            None,
            "x",
            text("y"),
            "`SKILL.md` is not written: the header names the skill `y`, expected `x`",
        ),
        (None, "x", vec![], "`SKILL.md` is not written: the SKILL.md is empty"),
        (None, "x", vec![put("SKILL.md", "no header")], "can't be read"),
        (
            None,
            "x",
            [text("x"), vec![put("../y", "z")]].concat(),
            "found `../y` as the path of a file, expected names between single slashes",
        ),
    ] {
        let new = NewSkill { name, category, files: &files, clash: Clash::Refuse };
        let found = told(world.keeper().create(&new, &world.library(), &agent()));
        assert!(found.contains(message), "{found}");
        assert_eq!(world.tree(), before, "{name}");
    }
    // Inside another skill, and beside one that differs by capitals alone, even where shadowing is asked for.
    world.intrude("Build/SKILL.md", &skill("build", "x\n"));
    for (category, name, message) in [
        (Some("linked"), "x", "is a link"),
        (None, "build", "`Build` is there already"),
        (Some("ops"), "deploy", "`ops/deploy` is there already"),
    ] {
        let files = text(name);
        let new = NewSkill { name, category, files: &files, clash: Clash::Shadow };
        let found = told(world.keeper().create(&new, &world.library(), &agent()));
        assert!(found.contains(message), "{found}");
    }
    let files = text("deploy");
    let new = NewSkill { name: "deploy", category: None, files: &files, clash: Clash::Shadow };
    assert_eq!(told(world.keeper().create(&new, &world.library(), &agent())), "done");
    let new =
        NewSkill { category: Some("deploy"), name: "x", files: &text("x"), clash: Clash::Refuse };
    let found = told(world.keeper().create(&new, &world.library(), &agent()));
    assert_eq!(found, "`deploy/x` can't be made: it would lie inside another skill");
}

#[test]
fn several_files_are_written_as_one_change_or_not_at_all() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    let read = Base::Read(Digest::of(skill("deploy", "Do it.\n").as_bytes()));
    let edits = [
        Edit::Patch {
            path: "SKILL.md".to_owned(),
            patch: Patch::new(Some("Do it."), Some("Do that."), How::Once).unwrap(),
            base: read,
        },
        put("references/deep/a.md", "a\n"),
        Edit::Remove {
            path: "scripts/run.sh".to_owned(),
            base: Base::Read(Digest::of(b"#!/bin/sh\n")),
        },
    ];
    let written = world.keeper().write(me, &edits, &agent()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), skill("deploy", "Do that.\n"));
    assert_eq!(world.text("deploy/references/deep/a.md"), "a\n");
    assert!(!world.is_there("deploy/scripts"));
    assert_eq!(written.diffs.len(), 3);
    assert!(written.diffs[0].unified().contains("-Do it.\n+Do that.\n"));

    let before = world.tree();
    let broken = [put("references/b.md", "b\n"), put("SKILL.md", "broken")];
    assert!(world.keeper().write(me, &broken, &person()).is_err());
    assert_eq!(world.tree(), before);
}

#[test]
fn a_file_that_looks_like_a_skills_own_moves_no_skill() {
    let world = World::new();
    let done = world.create(None, "maker").unwrap();
    let me = target(done.skill, "maker");
    let known = || {
        let known = world.ledger.skill(done.skill).unwrap().unwrap();
        (known.folder, known.state)
    };
    let own = ("maker".to_owned(), State::Active);
    world.intrude("maker/templates/other/SKILL.md", &skill("other", "Fill in.\n"));
    let outside = world.observe(me.id, me.folder, None).unwrap().unwrap();
    assert_eq!(known(), own);
    world.keeper().undo(outside.id, &person()).unwrap();
    assert_eq!(known(), own);
}

#[test]
fn a_patch_by_a_tolerance_is_named_and_shown() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let patch = Patch::new(Some("Do it.  \n"), Some("Do that.\n"), How::Tolerant).unwrap();
    let edits = [Edit::Patch { path: "SKILL.md".to_owned(), patch, base: Base::Any }];
    let done = world.keeper().write(target(done.skill, "deploy"), &edits, &person()).unwrap();
    assert_eq!(done.tolerated, [("SKILL.md".to_owned(), Tolerance::TrailingSpace)]);
    assert!(done.diffs[0].unified().ends_with("-Do it.\n+Do that.\n"));
}

#[test]
fn an_agent_names_the_hash_that_it_read_and_no_change_is_none() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    let now = skill("deploy", "Do it.\n");
    let digest = Digest::of(now.as_bytes());
    let other = Digest::of(b"other");
    let with = |base, text: &str| {
        [Edit::Put { path: "SKILL.md".to_owned(), bytes: text.into(), mode: None, base }]
    };
    let next = skill("deploy", "Do more.\n");
    let changes = world.ledger.changes(None, 100).unwrap().len();
    for (base, text, who, message) in [
        (
            Base::Any,
            &next,
            agent(),
            format!(
                "`SKILL.md` is there, and the hash of what was read of it is missing: it is {digest} now"
            ),
        ),
        (
            Base::Read(other),
            &next,
            agent(),
            format!("`SKILL.md` was changed since it was read: found {digest}, expected {other}"),
        ),
        (
            Base::Absent,
            &next,
            agent(),
            format!("`SKILL.md` was changed since it was read: found {digest}, expected no file"),
        ),
        (
            Base::Read(digest),
            &now,
            agent(),
            "nothing would change: what was given is there already".to_owned(),
        ),
        (
            Base::Any,
            &now,
            person(),
            "nothing would change: what was given is there already".to_owned(),
        ),
    ] {
        assert_eq!(told(world.keeper().write(me, &with(base, text), &who)), message);
    }
    assert_eq!(world.ledger.changes(None, 100).unwrap().len(), changes);
    assert_eq!(told(world.keeper().write(me, &with(Base::Read(digest), &next), &agent())), "done");
}

#[test]
fn nothing_is_written_or_removed_through_a_link() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    let outside = world.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x.md"), "kept").unwrap();
    symlink(&outside, world.root.join("deploy/references")).unwrap();
    symlink(outside.join("x.md"), world.root.join("deploy/scripts/x.md")).unwrap();
    for path in ["references/x.md", "references/new.md", "scripts/x.md"] {
        let found = told(world.keeper().write(me, &[put(path, "lost")], &person()));
        assert!(found.contains("is a link or lies behind one"), "{found}");
        let edit = Edit::Remove { path: path.to_owned(), base: Base::Any };
        let found = told(world.keeper().write(me, &[edit], &person()));
        assert!(found.contains("is a link or lies behind one"), "{found}");
    }
    assert_eq!(fs::read_to_string(outside.join("x.md")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_missing_file_is_told_with_those_that_are_there() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let edit = Edit::Remove { path: "scripts/no.sh".to_owned(), base: Base::Any };
    assert_eq!(
        told(world.keeper().write(target(done.skill, "deploy"), &[edit], &person())),
        "there is no `scripts/no.sh`; there are SKILL.md, scripts/run.sh"
    );
    let edit = Edit::Remove { path: "SKILL.md".to_owned(), base: Base::Any };
    assert_eq!(
        told(world.keeper().write(target(done.skill, "deploy"), &[edit], &person())),
        "`deploy` can't be written: its SKILL.md makes it a skill; archive it instead"
    );
    assert_eq!(
        told(world.keeper().write(target(done.skill, "none"), &[put("SKILL.md", "x")], &person())),
        "there is no `none`"
    );
}

#[test]
fn an_oversized_skill_may_be_kept_and_shrunk() {
    let world = World::new();
    world.intrude("big/SKILL.md", &skill("big", &"x".repeat(200_000)));
    let me = target(SkillId::from_random(1), "big");
    let write = |size: usize| {
        let text = skill("big", &"x".repeat(size));
        told(world.keeper().write(me, &[put("SKILL.md", &text)], &person()))
    };
    assert!(write(200_001).contains("expected 100000 at most"));
    assert_eq!(write(150_000), "done");
    assert_eq!(write(10), "done");
    assert!(write(100_001).contains("expected 100000 at most"));
}

#[test]
fn an_archived_skill_comes_back_as_it_was_where_it_was() {
    let world = World::new();
    let done = world.create(Some("ops"), "deploy").unwrap();
    symlink("../outside", world.root.join("ops/deploy/link")).unwrap();
    let before = world.tree();
    world.keeper().archive(target(done.skill, "ops/deploy"), &agent()).unwrap();
    assert!(!world.is_there("ops/deploy"));
    assert_eq!(world.ledger.skill(done.skill).unwrap().unwrap().state, State::Archived);
    let archived = world.keeper().archived().unwrap();
    assert_eq!(archived[0].sidecar.folder, "ops/deploy");
    assert_eq!(archived[0].sidecar.reason, "because");
    world.keeper().restore(&archived[0], None, &person()).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(world.ledger.skill(done.skill).unwrap().unwrap().state, State::Active);
    assert_eq!(world.keeper().archived().unwrap(), []);
    assert_eq!(fs::read_dir(world.root.join(".skillkeep/archive")).unwrap().count(), 0);
}

#[test]
fn two_archives_of_one_name_are_both_kept_and_both_come_back() {
    let world = World::new();
    let first = world.create(None, "deploy").unwrap();
    world.keeper().archive(target(first.skill, "deploy"), &agent()).unwrap();
    let second = world.create(None, "deploy").unwrap();
    assert_ne!(first.skill, second.skill);
    world.keeper().archive(target(second.skill, "deploy"), &agent()).unwrap();
    let archived = world.keeper().archived().unwrap();
    let of = |id| archived.iter().find(|it| it.sidecar.id == id).unwrap();
    world.keeper().restore(of(first.skill), None, &person()).unwrap();
    assert_eq!(
        told(world.keeper().restore(of(second.skill), None, &person())),
        "`deploy` is there already"
    );
    for odd in ["", "../x", "/tmp/x", "a//b", ".skillkeep/x", ".hidden"] {
        let found = told(world.keeper().restore(of(second.skill), Some(odd), &person()));
        assert_eq!(found, format!("`{odd}` can't be made: it is no folder for skills"));
    }
    world.keeper().restore(of(second.skill), Some("other/deploy"), &person()).unwrap();
    let known = world.ledger.skill(second.skill).unwrap().unwrap();
    assert_eq!((known.folder.as_str(), known.state), ("other/deploy", State::Active));
    assert!(told(world.keeper().restore(of(first.skill), None, &person())).contains("is archived"));
}

#[test]
fn only_a_skills_own_folder_is_archived() {
    let world = World::new();
    world.create(Some("ops"), "deploy").unwrap();
    world.intrude("outer/SKILL.md", &skill("outer", "x\n"));
    world.intrude("outer/inner/SKILL.md", &skill("inner", "x\n"));
    symlink("ops/deploy", world.root.join("linked")).unwrap();
    let before = world.tree();
    for (folder, message) in [
        ("", "`` can't be archived: it is the root itself"),
        ("/", "`/` can't be archived: it is no folder of a skill"),
        ("..", "`..` can't be archived: it is no folder of a skill"),
        ("ops/../ops/deploy", "`ops/../ops/deploy` can't be archived: it is no folder of a skill"),
        (".skillkeep", "`.skillkeep` can't be archived: it is no folder of a skill"),
        ("ops", "`ops` can't be archived: there is no SKILL.md in it"),
        ("outer", "`outer` can't be archived: it holds another skill, `inner`"),
        ("none", "there is no `none`"),
    ] {
        let found = world.keeper().archive(target(SkillId::from_random(1), folder), &person());
        assert_eq!(told(found), message);
    }
    let found = told(world.keeper().archive(target(SkillId::from_random(1), "linked"), &person()));
    assert!(found.contains("is a link"), "{found}");
    assert_eq!(world.tree(), before);
}

#[test]
fn a_purge_says_what_it_erases_and_erases_it() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let other = world.create(None, "other").unwrap();
    let me = target(done.skill, "deploy");
    world.keeper().write(me, &[put("SKILL.md", &skill("deploy", "Secret.\n"))], &person()).unwrap();
    symlink("/etc", world.root.join("deploy/link")).unwrap();
    world.keeper().archive(me, &agent()).unwrap();
    let archived = world.keeper().archived().unwrap().remove(0);
    let plan = world.keeper().purge_plan(&archived).unwrap();
    assert_eq!(plan.files, ["SKILL.md", "link", "scripts/run.sh"]);
    // The script's bytes are another skill's too.
    let own = [skill("deploy", "Do it.\n"), skill("deploy", "Secret.\n")];
    assert!(own.iter().all(|text| plan.objects.contains(&Digest::of(text.as_bytes()))));
    assert!(!plan.objects.contains(&Digest::of(b"#!/bin/sh\n")));
    world.keeper().purge(plan, &person()).unwrap();
    assert_eq!(world.keeper().archived().unwrap(), []);
    assert_eq!(fs::read_dir(world.root.join(".skillkeep/archive")).unwrap().count(), 0);
    assert_eq!(world.ledger.skill(done.skill).unwrap().unwrap().state, State::Purged);
    let keeper = world.keeper();
    for text in own {
        assert!(matches!(
            keeper.objects.bytes(&Digest::of(text.as_bytes())),
            Err(ChangeError::Lost(..))
        ));
    }
    assert!(keeper.objects.bytes(&Digest::of(b"#!/bin/sh\n")).is_ok());
    assert!(fs::metadata("/etc").is_ok());
    assert_eq!(world.ledger.skill(other.skill).unwrap().unwrap().state, State::Active);
}

#[test]
fn a_choice_is_a_change_like_any_other() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let set = |choice, who| {
        choose(&OsSystem, &world.ledger, world.id, done.skill, Some("codex"), choice, &who)
    };
    let set_off = set(Choice::Off, person()).unwrap();
    assert_eq!(world.ledger.choice(done.skill, Some("codex")).unwrap(), Choice::Off);
    assert_eq!(
        told(set(Choice::Off, person())),
        "nothing would change: what was given is there already"
    );
    assert_eq!(told(set(Choice::Full, agent())), "only a person may set, and `foreground` asked");
    world.keeper().undo(set_off.id, &person()).unwrap();
    assert_eq!(world.ledger.choice(done.skill, Some("codex")).unwrap(), Choice::Auto);
}

#[test]
fn a_choice_is_taken_back_without_the_root_and_nothing_else_is() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let set = |choice| {
        choose(&OsSystem, &world.ledger, world.id, done.skill, None, choice, &person()).unwrap()
    };
    let back = |id, who| unchoose(&OsSystem, &world.ledger, id, &who);
    let off = set(Choice::Off);
    assert_eq!(told(back(off.id, agent())), "only a person may undo, and `foreground` asked");
    let undone = back(off.id, person()).unwrap();
    assert_eq!(world.ledger.choice(done.skill, None).unwrap(), Choice::Auto);
    assert_eq!(
        told(back(off.id, person())),
        format!("change {} was undone by change {}", off.id.0, undone.id.0)
    );
    back(undone.id, person()).unwrap();
    assert_eq!(world.ledger.choice(done.skill, None).unwrap(), Choice::Off);
    set(Choice::Full);
    assert_eq!(
        told(back(off.id, person())),
        format!(
            "undoing change {} would overwrite newer work: the choice is another one by now",
            off.id.0
        )
    );
    assert_eq!(
        told(back(done.id, person())),
        format!("change {} can't be undone: it is about files", done.id.0)
    );
    assert_eq!(told(back(ChangeId(99), person())), "there is no change 99");
    assert_eq!(world.ledger.unfinished(world.id).unwrap(), []);
}

#[test]
fn what_others_changed_is_written_down_with_a_way_back() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    assert_eq!(world.observe(me.id, me.folder, None).unwrap(), None);
    let before = world.tree();
    world.intrude("deploy/SKILL.md", "broken by hand");
    world.intrude("deploy/notes.txt", "mine");
    fs::remove_file(world.root.join("deploy/scripts/run.sh")).unwrap();
    let outside = world.observe(me.id, me.folder, None).unwrap().unwrap();
    assert_eq!(world.observe(me.id, me.folder, None).unwrap(), None);
    let record = world.ledger.change(outside.id).unwrap().unwrap();
    assert_eq!((record.change.verb, record.change.actor), (Verb::Outside, Actor::Outside));
    let replaced = |step: &Step| {
        matches!(step, Step::Put { path, before: Some(before), after } if path == "deploy/SKILL.md"
            && before.digest == Digest::of(skill("deploy", "Do it.\n").as_bytes())
            && after.digest == Digest::of(b"broken by hand"))
    };
    assert_eq!((outside.steps.len(), outside.steps.iter().any(replaced)), (3, true));
    let undone = world.keeper().undo(outside.id, &person()).unwrap();
    assert_eq!(world.tree(), before);
    world.keeper().undo(undone.id, &person()).unwrap();
    assert_eq!(world.text("deploy/SKILL.md"), "broken by hand");

    world.intrude("found/SKILL.md", "old");
    let me = target(SkillId::from_random(9), "found");
    let first = world.observe(me.id, me.folder, None).unwrap().unwrap();
    assert_eq!(
        told(world.keeper().undo(first.id, &person())),
        format!("change {} can't be undone: it changed nothing", first.id.0)
    );
    world.intrude("found/SKILL.md", "new");
    let second = world.observe(me.id, me.folder, None).unwrap().unwrap();
    world.keeper().undo(second.id, &person()).unwrap();
    assert_eq!(world.text("found/SKILL.md"), "old");
}

#[test]
fn a_second_home_reads_and_does_not_write() {
    let world = World::new();
    let other = Home { id: "two".to_owned(), path: world.root.parent().unwrap().join("two") };
    let found =
        Keeper::open(&OsSystem, &world.ledger, &other, world.id, &world.root).err().unwrap();
    assert_eq!(
        found.to_string(),
        format!(
            "the root `{}` is owned by the home `{}`, and only read by this one",
            world.root.display(),
            world.home.path.display()
        )
    );
    assert_eq!(found.hint(), Some(format!("use its home: --home {}", world.home.path.display())));
    assert!(Keeper::own(&OsSystem, &world.root, &other).is_err());
    assert!(Keeper::own(&OsSystem, &world.root, &world.home).is_ok());
    fs::write(world.root.join(".skillkeep/owner"), "x").unwrap();
    let found = Keeper::open(&OsSystem, &world.ledger, &world.home, world.id, &world.root).err();
    assert!(matches!(found, Some(ChangeError::Damaged { .. })));
}

#[test]
fn who_holds_the_root_is_named() {
    let world = World::new();
    let at = At { top: &world.root, below: ".skillkeep/lock" };
    let held = OsSystem.lock(at, "process 7, `archive`", Duration::ZERO).unwrap();
    let keeper = world.keeper().waiting(Duration::from_millis(5));
    let found = told(keeper.recover());
    let root = world.root.display();
    assert_eq!(
        found,
        format!("`{root}` is held by process 7, `archive`, and was not let go within 0 s")
    );
    drop(held);
    assert!(keeper.recover().is_ok());
}

#[test]
fn some_verbs_are_a_persons_alone() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    world.keeper().archive(me, &agent()).unwrap();
    let archived = world.keeper().archived().unwrap().remove(0);
    for actor in Actor::ALL.iter().copied().filter(|actor| *actor != Actor::Person) {
        let (keeper, who) = (world.keeper(), by(actor));
        let plan = keeper.purge_plan(&archived).unwrap();
        for (verb, found) in [
            ("pin", told(keeper.pin(me, &who))),
            ("unpin", told(keeper.unpin(me, &who))),
            ("undo", told(keeper.undo(done.id, &who))),
            ("purge", told(keeper.purge(plan, &who))),
        ] {
            assert_eq!(found, format!("only a person may {verb}, and `{}` asked", actor.word()));
        }
    }
}

#[test]
fn what_was_archived_last_is_first_though_a_second_holds_several() {
    let world = World::new();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for name in names {
        let done = world.create(None, name).unwrap();
        world.keeper().archive(target(done.skill, name), &agent()).unwrap();
    }
    let archived = world.keeper().archived().unwrap();
    let found: Vec<&str> = archived.iter().map(|it| it.sidecar.name.as_str()).collect();
    assert_eq!(found, names.into_iter().rev().collect::<Vec<_>>());
}
