//! What is foreseen, kept outside of roots, or given twice; and what a purge knows of changes that were not made.

use super::{World, agent, person, put, skill, target};
use crate::{
    change::{Base, ChangeError, Draft, Edit, Objects},
    ledger::{Blob, Digest, Leave, NewChange, Origin, Step, Verb},
    skill::{Actor, Instant},
    system::OsSystem,
};

fn remove(path: &str) -> Edit {
    Edit::Remove { path: path.to_owned(), base: Base::Any }
}

#[test]
fn what_is_foreseen_is_what_is_done_and_nothing_is_done_before() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let edits = [put("SKILL.md", &skill("deploy", "Do that.\n")), remove("scripts/run.sh")];
    let (before, changes) = (world.tree(), world.ledger.changes(None, 9).unwrap());
    let keeper = world.keeper();
    let preview = keeper.would_write("deploy", &edits, &person()).unwrap();
    assert!(matches!(
        keeper.would_write("deploy", &edits, &agent()),
        Err(ChangeError::Unread { .. })
    ));
    assert_eq!((world.tree(), world.ledger.changes(None, 9).unwrap()), (before, changes));
    let done = keeper.write(target(done.skill, "deploy"), &edits, &person()).unwrap();
    assert_eq!((done.steps, done.diffs), (preview.steps, preview.diffs));
}

#[test]
fn a_file_that_is_given_twice_is_refused_and_one_that_is_put_may_be_patched() {
    use crate::change::patch::{How, Patch};
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    let patch = Patch::new(Some("one"), Some("two"), How::Once).unwrap();
    let patch = Edit::Patch { path: "references/a.md".to_owned(), patch, base: Base::Any };
    for second in [put("references/a.md", "b"), remove("references/a.md")] {
        let twice = [put("references/a.md", "one"), second];
        let found = world.keeper().write(me, &twice, &agent()).unwrap_err();
        assert!(matches!(found, ChangeError::Twice(path) if path == "references/a.md"));
    }
    world.keeper().write(me, &[put("references/a.md", "one"), patch], &agent()).unwrap();
    assert_eq!(world.text("deploy/references/a.md"), "two");
}

#[test]
fn who_made_a_skill_is_on_record() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    assert_eq!(world.ledger.skill(done.skill).unwrap().unwrap().origin, Origin::Foreground);
}

#[test]
fn a_draft_is_private_lies_in_the_home_and_goes_with_all_that_an_editor_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let home = &world.home.path;
    let draft = Draft::lay(&OsSystem, home, "deploy", "references/a.md", b"one").unwrap();
    let path = draft.path();
    assert!(path.starts_with(home.join("edits")) && path.ends_with("a.md"), "{path:?}");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!((mode(&path) & 0o777, mode(path.parent().unwrap()) & 0o777), (0o600, 0o700));
    // An editor writes another file and moves it there, and leaves a copy beside it.
    std::fs::write(path.with_extension("md~"), "one").unwrap();
    std::fs::write(path.with_extension("new"), "two").unwrap();
    std::fs::rename(path.with_extension("new"), &path).unwrap();
    assert_eq!(draft.bytes().unwrap(), b"two");
    draft.discard().unwrap();
    assert_eq!(std::fs::read_dir(home.join("edits")).unwrap().count(), 0);
}

#[test]
fn a_purge_erases_what_a_change_brought_that_was_not_made() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let secret = b"a secret that was never written";
    let objects = Objects::new(&OsSystem, &world.home.path);
    objects.keep([secret.as_slice()]).unwrap();
    let digest = Digest::of(secret);
    let blob = Blob { digest, size: secret.len() as u64, mode: 0o644 };
    let step = Step::Put { path: "deploy/assets/x".to_owned(), before: None, after: blob };
    let id = world
        .ledger
        .begin(&NewChange {
            root: world.id,
            skill: done.skill,
            verb: Verb::Write,
            actor: Actor::Foreground,
            session: None,
            reason: String::new(),
            undoes: None,
            at: Instant(0),
            steps: vec![step],
            leave: Leave::default(),
        })
        .unwrap();
    world.ledger.abandon(id).unwrap();
    let keeper = world.keeper();
    keeper.archive(target(done.skill, "deploy"), &person()).unwrap();
    let archived = keeper.archived().unwrap().remove(0);
    let plan = keeper.purge_plan(&archived).unwrap();
    assert!(plan.objects.contains(&digest));
    keeper.purge(plan, &person()).unwrap();
    assert!(matches!(objects.bytes(&digest), Err(ChangeError::Lost(_, "missing"))));
}
