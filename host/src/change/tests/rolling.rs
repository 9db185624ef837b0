//! The way back to a snapshot, skill by skill, and the way back from there.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use super::{World, agent, person, put, skill, target};
use crate::{
    change::{Base, ChangeError, Edit, Fate, Keeper, Looks},
    ledger::Verb,
    skill::{SkillId, State},
    system::OsSystem,
};

#[test]
fn each_skill_goes_back_its_own_way() {
    let world = World::new();
    let id = |name| world.create(Some("ops"), name).unwrap().skill;
    let [same, written, archived, gone, other] =
        ["same", "written", "archived", "gone", "other"].map(id);
    let pinned = world.create(None, "late-pinned");
    drop(pinned);
    let keeper = world.keeper();
    fs::remove_dir_all(world.root.join("late-pinned")).unwrap();
    let before = world.skills();
    let made = world.take("", 5).unwrap();
    // Since then.
    let edits = [
        put("SKILL.md", &skill("written", "New.\n")),
        put("references/new.md", "new\n"),
        Edit::Remove { path: "scripts/run.sh".to_owned(), base: Base::Any },
    ];
    keeper.write(target(written, "ops/written"), &edits, &person()).unwrap();
    fs::set_permissions(world.root.join("ops/written"), fs::Permissions::from_mode(0o700)).unwrap();
    keeper.archive(target(archived, "ops/archived"), &agent()).unwrap();
    fs::remove_dir_all(world.root.join("ops/gone")).unwrap();
    let edit = [put("SKILL.md", &skill("other", "Other.\n"))];
    keeper.write(target(other, "ops/other"), &edit, &person()).unwrap();
    keeper.archive(target(other, "ops/other"), &agent()).unwrap();
    let late = world.create(None, "late").unwrap().skill;
    let stays = world.create(None, "stays").unwrap().skill;
    keeper.pin(target(stays, "stays"), &person()).unwrap();
    let after = world.skills();

    let fates = world.fates(&made);
    let packet =
        keeper.archived().unwrap().into_iter().find(|it| it.sidecar.id == archived).unwrap().packet;
    let files = ["", "SKILL.md", "references", "references/new.md", "scripts", "scripts/run.sh"];
    let files = files.map(str::to_owned).to_vec();
    let expected = [
        ("late", Fate::PutAway),
        ("ops/archived", Fate::Back(packet)),
        ("ops/gone", Fate::Anew),
        ("ops/other", Fate::Anew),
        ("ops/same", Fate::Unchanged),
        ("ops/written", Fate::Rewritten(files)),
        ("stays", Fate::Stays("`stays` is pinned, and stays where it is".to_owned())),
    ];
    assert_eq!(fates, expected.map(|(folder, fate)| (folder.to_owned(), fate)).into());
    assert_eq!(world.skills(), after, "a plan changes nothing");

    let rolled = world.roll_back(&made).unwrap();
    let mut now = world.skills();
    now.remove("stays");
    assert_eq!(now, before);
    // Each is a change like any other, and the skills are who they were.
    let known = |id: SkillId| world.ledger.skill(id).unwrap().unwrap();
    for (id, folder) in
        [(archived, "ops/archived"), (gone, "ops/gone"), (other, "ops/other"), (same, "ops/same")]
    {
        assert_eq!((known(id).state, known(id).folder.as_str()), (State::Active, folder));
    }
    assert_eq!(known(late).state, State::Archived);
    let verbs: Vec<Verb> = rolled
        .done
        .iter()
        .map(|it| world.ledger.change(it.id).unwrap().unwrap().change.verb)
        .collect();
    let expected = [Verb::Archive, Verb::Restore, Verb::Restore, Verb::Restore, Verb::Write];
    assert_eq!(verbs, expected);
    assert_eq!(rolled.safety.reason, format!("before going back to `{}`", made.id));

    // And back again, as one.
    let safety = world.snapshots().resolve(Some(&rolled.safety.id)).unwrap();
    assert_eq!(safety.rollback.as_ref().unwrap().changes.len(), 5);
    world.snapshots().undo_rollback(&[world.keeper()], &safety, &person()).unwrap();
    assert_eq!(world.skills(), after);
    assert_eq!(known(late).state, State::Active);
    assert_eq!(known(archived).state, State::Archived);
}

#[test]
fn where_the_first_snapshot_cannot_be_made_nothing_is_changed() {
    let world = World::new();
    let id = world.create(None, "one").unwrap().skill;
    let made = world.take("", 5).unwrap();
    world.keeper().write(target(id, "one"), &[put("assets/a.md", "a\n")], &person()).unwrap();
    let kept = world.home.path.join("snapshots.kept");
    fs::rename(world.home.path.join("snapshots"), &kept).unwrap();
    let before = world.tree();
    let roll = || world.roll_back(&made);
    assert!(roll().is_err());
    // There as a list, but nothing can be written: a folder is in the place of the objects' lock.
    fs::rename(&kept, world.home.path.join("snapshots")).unwrap();
    let lock = world.home.path.join("objects/lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    assert!(roll().is_err());
    assert_eq!(world.tree(), before);
    fs::remove_dir(&lock).unwrap();
    roll().unwrap();
    assert!(!world.is_there("one/assets/a.md"));
}

#[test]
fn only_a_person_goes_back_and_lost_bytes_are_found_before_anything_begins() {
    let world = World::new();
    let ids = ["one", "two"].map(|name| world.create(None, name).unwrap().skill);
    world.intrude("one/notes.md", "only here\n");
    let made = world.take("", 5).unwrap();
    let agents = world.snapshots().roll_back(
        &[world.keeper()],
        &made,
        &[],
        &agent(),
        (5, &mut Looks::default()),
    );
    assert!(matches!(agents, Err(ChangeError::PersonOnly { .. })));
    for (id, folder) in ids.into_iter().zip(["one", "two"]) {
        let edit = [put("SKILL.md", &skill(folder, "New.\n"))];
        world.keeper().write(target(id, folder), &edit, &person()).unwrap();
    }
    fs::remove_file(world.root.join("one/notes.md")).unwrap();
    let before = world.tree();
    let digest = crate::ledger::Digest::of(b"only here\n");
    fs::remove_file(world.home.path.join(crate::change::Objects::path(&digest))).unwrap();
    let lacks = world.snapshots().verify(&made, false).unwrap();
    assert_eq!((lacks.len(), lacks[0].how), (1, "missing"));
    assert!(matches!(world.roll_back(&made), Err(ChangeError::Lost(..))));
    assert_eq!(world.tree(), before);
}

#[test]
fn what_was_purged_stays_erased_and_the_others_go_back() {
    let world = World::new();
    let [secret, plain] = ["secret", "plain"].map(|name| world.create(None, name).unwrap().skill);
    world.intrude("secret/key", "hunter2\n");
    let made = world.take("", 5).unwrap();
    world.keeper().write(target(plain, "plain"), &[put("assets/a.md", "a\n")], &person()).unwrap();
    let keeper = world.keeper();
    keeper.archive(target(secret, "secret"), &person()).unwrap();
    let archived = keeper.archived().unwrap().remove(0);
    keeper.purge(keeper.purge_plan(&archived).unwrap(), &person()).unwrap();
    let digest = crate::ledger::Digest::of(b"hunter2\n");
    assert!(keeper.objects.bytes(&digest).is_err());
    let why = "it was purged, and its bytes are erased".to_owned();
    assert_eq!(world.fates(&made)["secret"], Fate::Stays(why));
    world.roll_back(&made).unwrap();
    assert!(!world.is_there("secret") && !world.is_there("plain/assets/a.md"));
}

#[test]
fn links_are_made_only_where_they_lead_into_a_root() {
    let world = World::new();
    let outside = world.root.parent().unwrap().join("hub");
    fs::create_dir_all(outside.join("ext")).unwrap();
    let id = world.create(None, "one").unwrap().skill;
    let link =
        |target: &str, at: &str| std::os::unix::fs::symlink(target, world.root.join(at)).unwrap();
    link("../hub/ext", "ext");
    link("one", "alias");
    link("SKILL.md", "one/same.md");
    link("../../hub/ext", "one/out");
    let made = world.take("", 5).unwrap();
    for gone in ["ext", "alias", "one/same.md", "one/out"] {
        fs::remove_file(world.root.join(gone)).unwrap();
    }
    world.keeper().write(target(id, "one"), &[put("assets/a.md", "a\n")], &person()).unwrap();
    let before = world.skills();
    let rolled = world.roll_back(&made).unwrap();
    assert_eq!(fs::read_link(world.root.join("one/same.md")).unwrap(), PathBuf::from("SKILL.md"));
    assert_eq!(fs::read_link(world.root.join("alias")).unwrap(), PathBuf::from("one"));
    assert!(
        !world.is_there("one/out") && !world.is_there("ext") && !world.is_there("one/assets/a.md")
    );
    assert_eq!(rolled.plan.skipped, ["the link `ext` to `../hub/ext`: it leads out of all roots"]);
    let notes = ["the link `out` to `../../hub/ext` leads out of all roots, and is not made"];
    assert_eq!(rolled.plan.skills[0].notes, notes);
    assert_eq!(rolled.failed_links, [""; 0]);
    world.snapshots().undo_rollback(&[world.keeper()], &rolled.safety, &person()).unwrap();
    assert_eq!(world.skills(), before);
}

#[test]
fn the_oldest_at_the_limit_is_gone_back_to_and_stays() {
    let world = World::new();
    let id = world.create(None, "one").unwrap().skill;
    let before = world.skills();
    let oldest = world.take("", 5).unwrap();
    for number in 0..4 {
        let edit = [put("assets/a.md", &format!("{number}\n"))];
        world.keeper().write(target(id, "one"), &edit, &person()).unwrap();
        world.take("", 5).unwrap();
    }
    world.roll_back(&oldest).unwrap();
    assert_eq!(world.skills(), before);
    let all = world.snapshots().list().unwrap();
    assert_eq!(all.len(), 6);
    assert!(all.contains(&oldest));
}

#[test]
fn a_snapshot_is_one_of_all_roots_and_going_back_is_too() {
    let world = World::new();
    let other = world.root.parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    Keeper::own(&OsSystem, &other, &world.home).unwrap();
    let root = crate::ledger::NewRoot {
        path: other.clone(),
        label: crate::skill::OneLine::new("other"),
        owned: true,
        trusted: true,
        precedence: 1,
        at: crate::skill::Instant(0),
    };
    let number = world.ledger.add_root(&root).unwrap();
    let keepers = || {
        [
            world.keeper(),
            Keeper::open(&OsSystem, &world.ledger, &world.home, number, &other).unwrap(),
        ]
    };
    let one = world.create(None, "one").unwrap().skill;
    let [_, second] = keepers();
    let files = [put("SKILL.md", &skill("two", "Do it.\n"))];
    let new =
        super::NewSkill { name: "two", category: None, files: &files, clash: super::Clash::Refuse };
    let two = second.create(&new, &crate::library::Library::default(), &agent()).unwrap().skill;
    let by = person();
    let made = world.snapshots().take(&keepers(), &by, 5, &mut Looks::default()).unwrap();
    assert_eq!((made.roots.len(), made.skills), (2, 2));
    world.keeper().archive(target(one, "one"), &by).unwrap();
    second.write(target(two, "two"), &[put("assets/a.md", "a\n")], &by).unwrap();
    let rolled = world
        .snapshots()
        .roll_back(&keepers(), &made, &[], &by, (5, &mut Looks::default()))
        .unwrap();
    assert_eq!(rolled.done.len(), 2);
    assert!(world.is_there("one/SKILL.md") && !other.join("two/assets/a.md").exists());
    // One that is not asked about is said.
    let plan =
        world.snapshots().plan(&[world.keeper()], &made, &[], (&by, &Looks::default())).unwrap();
    assert_eq!(plan.other_roots, [other.display().to_string()]);
    world.snapshots().undo_rollback(&keepers(), &rolled.safety, &by).unwrap();
    assert!(!world.is_there("one") && other.join("two/assets/a.md").exists());
}
