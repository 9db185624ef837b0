//! One step back for every change, and never over newer work.

use proptest::prelude::*;

use super::{World, agent, person, put, skill, target};
use crate::{
    change::{Base, ChangeError, Edit},
    skill::State,
};

fn told<T>(result: Result<T, ChangeError>) -> String {
    result.err().map_or_else(|| "done".to_owned(), |error| error.to_string())
}

#[test]
fn newer_work_is_told_and_kept() {
    let world = World::new();
    let made = world.create(Some("ops"), "deploy").unwrap();
    let me = target(made.skill, "ops/deploy");
    let keeper = world.keeper();
    let first = keeper.write(me, &[put("SKILL.md", &skill("deploy", "1\n"))], &person()).unwrap();
    let second = keeper.write(me, &[put("SKILL.md", &skill("deploy", "2\n"))], &person()).unwrap();
    assert_eq!(
        told(keeper.undo(first.id, &person())),
        format!(
            "undoing change {} would overwrite newer work: `ops/deploy/SKILL.md` was changed by change {} since",
            first.id.0, second.id.0
        )
    );
    let back = keeper.undo(second.id, &person()).unwrap();
    assert_eq!(
        told(keeper.undo(second.id, &person())),
        format!("change {} was undone by change {}", second.id.0, back.id.0)
    );
    keeper.undo(first.id, &person()).unwrap();
    // A file that came without asking is newer work too; a neighbour in the category is none.
    world.intrude("ops/deploy/notes.md", "mine");
    let found = told(keeper.undo(made.id, &person()));
    assert!(found.contains("`ops/deploy/notes.md` came later"), "{found}");
    std::fs::remove_file(world.root.join("ops/deploy/notes.md")).unwrap();
    world.create(Some("ops"), "other").unwrap();
    let gone = keeper.undo(made.id, &person()).unwrap();
    assert!(!world.is_there("ops/deploy"));
    assert!(world.is_there("ops/other/SKILL.md"));
    assert_eq!(world.ledger.skill(made.skill).unwrap().unwrap().state, State::Gone);
    keeper.undo(gone.id, &person()).unwrap();
    assert_eq!(world.text("ops/deploy/SKILL.md"), skill("deploy", "Do it.\n"));
    assert_eq!(world.ledger.skill(made.skill).unwrap().unwrap().state, State::Active);
    assert_eq!(
        told(keeper.undo(crate::ledger::ChangeId(999), &person())),
        "there is no change 999"
    );
}

#[test]
fn archives_and_restores_are_undone_like_anything_else() {
    let world = World::new();
    let made = world.create(Some("ops"), "deploy").unwrap();
    let before = world.tree();
    let keeper = world.keeper();
    let state = || world.ledger.skill(made.skill).unwrap().unwrap().state;
    let archived = keeper.archive(target(made.skill, "ops/deploy"), &agent()).unwrap();
    let back = keeper.undo(archived.id, &person()).unwrap();
    assert_eq!((world.tree(), state()), (before.clone(), State::Active));
    let again = keeper.undo(back.id, &person()).unwrap();
    assert_eq!((world.is_there("ops/deploy"), state()), (false, State::Archived));
    let restored = keeper.restore(&keeper.archived().unwrap()[0], None, &person()).unwrap();
    let away = keeper.undo(restored.id, &person()).unwrap();
    assert_eq!((world.is_there("ops/deploy"), state()), (false, State::Archived));
    assert_eq!(keeper.archived().unwrap().len(), 1);
    keeper.undo(away.id, &person()).unwrap();
    assert_eq!((world.tree(), state()), (before, State::Active));
    assert!(told(keeper.undo(again.id, &person())).contains("newer work"));
}

#[derive(Clone, Debug)]
enum Act {
    Create(u8),
    Write(u8, u8, u8),
    Remove(u8, u8),
    Archive(u8),
    Restore(u8),
    Pin(u8),
    Outside(u8, u8),
}

const NAMES: [&str; 3] = ["ops/deploy", "build", "ops/test"];
const FILES: [&str; 4] = ["SKILL.md", "references/a.md", "references/deep/b.md", "assets/c.bin"];

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let (name, file) = (0..3_u8, 0..4_u8);
    let act = prop_oneof![
        name.clone().prop_map(Act::Create),
        (name.clone(), file.clone(), 0..3_u8)
            .prop_map(|(name, file, text)| Act::Write(name, file, text)),
        (name.clone(), file).prop_map(|(name, file)| Act::Remove(name, file)),
        name.clone().prop_map(Act::Archive),
        name.clone().prop_map(Act::Restore),
        name.clone().prop_map(Act::Pin),
        (name, 0..3_u8).prop_map(|(name, text)| Act::Outside(name, text)),
    ];
    prop::collection::vec(act, 1..14)
}

fn act(world: &World, act: &Act) -> Result<Option<crate::change::Done>, ChangeError> {
    let keeper = world.keeper();
    let folder = |name: u8| NAMES[usize::from(name)];
    let id = |name: u8| {
        let there = world.ledger.skill_at(world.id, folder(name)).unwrap();
        there.map(|skill| skill.id).ok_or(ChangeError::NoChange)
    };
    let name_of = |name: u8| folder(name).rsplit('/').next().unwrap();
    Ok(Some(match act {
        Act::Create(name) => {
            let category = folder(*name).rsplit_once('/').map(|(category, _)| category);
            world.create(category, name_of(*name))?
        }
        Act::Write(name, file, text) => {
            let path = FILES[usize::from(*file)];
            let bytes = match file {
                0 => skill(name_of(*name), &format!("{text}\n")).into_bytes(),
                _ => vec![*text; 9],
            };
            let mode = (*file == 3).then_some(0o600 + u32::from(*text));
            let edit = Edit::Put { path: path.to_owned(), bytes, mode, base: Base::Any };
            keeper.write(target(id(*name)?, folder(*name)), &[edit], &person())?
        }
        Act::Remove(name, file) => {
            let path = FILES[usize::from(*file)].to_owned();
            let edit = Edit::Remove { path, base: Base::Any };
            keeper.write(target(id(*name)?, folder(*name)), &[edit], &person())?
        }
        Act::Archive(name) => keeper.archive(target(id(*name)?, folder(*name)), &person())?,
        Act::Restore(name) => {
            let archived = keeper.archived()?;
            let archived = archived.iter().find(|it| it.sidecar.folder == folder(*name));
            keeper.restore(archived.ok_or(ChangeError::NoChange)?, None, &person())?
        }
        Act::Pin(name) => keeper.pin(target(id(*name)?, folder(*name)), &person())?,
        Act::Outside(name, text) => {
            let me = target(id(*name)?, folder(*name));
            keeper.is_skill(me.folder, "changed")?;
            world.intrude(&format!("{}/assets/mine.txt", me.folder), &text.to_string());
            return world.observe(me.id, me.folder, None);
        }
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn changes_and_their_undos_in_reverse_are_the_identity(acts in acts()) {
        let world = World::new();
        let mut trees = vec![world.tree()];
        let mut done = Vec::new();
        for one in &acts {
            if let Ok(Some(change)) = act(&world, one) {
                done.push(change.id);
                trees.push(world.tree());
            }
        }
        for id in done.into_iter().rev() {
            let after = trees.pop().unwrap();
            prop_assert_eq!(world.tree(), after);
            let undone = world.keeper().undo(id, &person());
            prop_assert!(undone.is_ok(), "{}", told(undone));
        }
        prop_assert_eq!(world.tree(), trees.pop().unwrap());
    }
}
