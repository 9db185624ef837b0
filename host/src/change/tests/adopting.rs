//! Skills given into the curator's care.

use super::{World, agent, person, target};
use crate::{
    change::{ChangeError, Done},
    ledger::{Origin, Verb},
};

fn origin(world: &World, done: &Done) -> Origin {
    world.ledger.skill(done.skill).unwrap().unwrap().origin
}

#[test]
fn a_person_adopts_and_takes_that_back() {
    let world = World::new();
    let made = world.create(Some("ops"), "deploy").unwrap();
    let it = target(made.skill, "ops/deploy");
    let keeper = world.keeper();
    let before = world.tree();
    let refused = keeper.adopt(it, &agent()).unwrap_err().to_string();
    assert_eq!(refused, "only a person may adopt, and `foreground` asked");
    assert_eq!(origin(&world, &made), Origin::Foreground);

    let done = keeper.adopt(it, &person()).unwrap();
    assert_eq!(origin(&world, &made), Origin::Adopted);
    let adopted = || world.ledger.in_care().unwrap().first().and_then(|it| it.adopted);
    assert!(adopted().is_some());
    assert_eq!(world.ledger.change(done.id).unwrap().unwrap().change.verb, Verb::Adopt);
    assert!(matches!(keeper.adopt(it, &person()), Err(ChangeError::NoChange)));

    let undone = keeper.undo(done.id, &person()).unwrap();
    assert_eq!((origin(&world, &made), adopted()), (Origin::Foreground, None));
    keeper.undo(undone.id, &person()).unwrap();
    assert_eq!(origin(&world, &made), Origin::Adopted);
    assert!(adopted().is_some());
    assert_eq!(world.tree(), before);
}

#[test]
fn what_is_somebody_else_s_to_keep_is_not_adopted() {
    let world = World::new();
    let made = world.create(None, "deploy").unwrap();
    let it = target(made.skill, "deploy");
    for (origin, why) in [
        (Origin::Bundled, "`deploy` can't be adopted: it came with an agent"),
        (Origin::Installed, "`deploy` can't be adopted: it was installed from elsewhere"),
    ] {
        world.ledger.declare(made.skill, origin).unwrap();
        assert_eq!(world.keeper().adopt(it, &person()).unwrap_err().to_string(), why);
    }
}
