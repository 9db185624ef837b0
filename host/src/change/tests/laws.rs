//! The act laws, each by a test of its name.

use std::fs;

use super::{World, agent, by, person, put, skill, target};
use crate::{
    change::{ChangeError, Keeper},
    ledger::Digest,
    skill::Actor,
    system::OsSystem,
};

#[test]
fn pinned() {
    let world = World::new();
    let done = world.create(Some("ops"), "deploy").unwrap();
    let other = world.create(None, "other").unwrap();
    let me = target(done.skill, "ops/deploy");
    let pin = world.keeper().pin(me, &person()).unwrap();
    assert!(world.ledger.skill(done.skill).unwrap().unwrap().pinned);
    assert!(matches!(world.keeper().pin(me, &person()), Err(ChangeError::NoChange)));
    for actor in Actor::ALL {
        let refused = world.keeper().archive(me, &by(*actor)).unwrap_err();
        assert_eq!(refused.law(), Some("pinned"));
        assert_eq!(refused.hint().as_deref(), Some("skillkeep unpin ops/deploy"));
    }
    // Taking back its making would put it away too. Edits are allowed.
    assert_eq!(world.keeper().undo(done.id, &person()).unwrap_err().law(), Some("pinned"));
    world.keeper().write(me, &[put("SKILL.md", &skill("deploy", "New.\n"))], &person()).unwrap();
    // Another pin doesn't stand in the way of taking this one back.
    world.keeper().pin(target(other.skill, "other"), &person()).unwrap();
    let back = world.keeper().undo(pin.id, &person()).unwrap();
    assert!(!world.ledger.skill(done.skill).unwrap().unwrap().pinned);
    assert_eq!(world.keeper().pins().unwrap().len(), 1);
    world.keeper().undo(back.id, &person()).unwrap();
    assert_eq!(world.keeper().pins().unwrap().len(), 2);
    world.keeper().unpin(me, &person()).unwrap();
    // A file that can't be read pins everything.
    fs::write(world.root.join(".skillkeep/pins"), "{").unwrap();
    let refused = world.keeper().archive(me, &person()).unwrap_err();
    assert!(matches!(refused, ChangeError::Damaged { .. }));
    fs::remove_file(world.root.join(".skillkeep/pins")).unwrap();
    world.keeper().archive(me, &person()).unwrap();
    assert!(matches!(world.keeper().pin(me, &person()), Err(ChangeError::Missing { .. })));
}

#[test]
fn owned() {
    let world = World::new();
    let other = world.root.parent().unwrap().join("other");
    fs::create_dir_all(other.join("x")).unwrap();
    let opened = Keeper::open(&OsSystem, &world.ledger, &world.home, world.id, &other);
    let refused = opened.err().unwrap();
    assert_eq!(refused.law(), Some("owned"));
    assert_eq!(refused.hint(), Some(format!("skillkeep init {}", other.display())));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
}

#[test]
fn no_loss() {
    let world = World::new();
    let done = world.create(Some("ops"), "deploy").unwrap();
    let me = target(done.skill, "ops/deploy");
    let before = world.tree();
    // Nobody but a person erases, and only what is archived; all else is moved and comes back exactly.
    world.keeper().archive(me, &by(Actor::Curator)).unwrap();
    let archived = world.keeper().archived().unwrap().remove(0);
    let plan = world.keeper().purge_plan(&archived).unwrap();
    assert!(world.keeper().purge(plan, &by(Actor::Curator)).is_err());
    assert_eq!(archived.sidecar.digest, archived.sidecar.tree.digest());
    world.keeper().restore(&archived, None, &person()).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn snapshot_first() {
    let world = World::new();
    let done = world.create(None, "deploy").unwrap();
    let me = target(done.skill, "deploy");
    let before = world.tree();
    // Former bytes can't be kept where a file lies in the place of their folder.
    let objects = world.home.path.join("objects");
    fs::rename(&objects, world.home.path.join("aside")).unwrap();
    fs::write(&objects, "").unwrap();
    let edits = [put("SKILL.md", &skill("deploy", "New.\n"))];
    assert!(world.keeper().write(me, &edits, &person()).is_err());
    assert_eq!(world.tree(), before);
    assert_eq!(world.ledger.unfinished(world.id).unwrap(), []);
    fs::remove_file(&objects).unwrap();
    fs::rename(world.home.path.join("aside"), &objects).unwrap();
    world.keeper().write(me, &edits, &agent()).unwrap_err();
    world.keeper().write(me, &edits, &person()).unwrap();
    let kept = world.keeper().objects.bytes(&Digest::of(skill("deploy", "Do it.\n").as_bytes()));
    assert!(kept.is_ok());
}
