//! Whatever happened to a library, the way back to a snapshot is exact, and so is the way back from there.

use std::{fs, os::unix::fs::PermissionsExt};

use proptest::prelude::*;

use super::{World, person, put, skill, target};
use crate::{
    change::Fate,
    skill::{SkillId, State},
};

/// Something that happens to a library.
#[derive(Clone, Debug)]
enum Event {
    Create(usize),
    Write(usize, usize, u8),
    Archive(usize),
    Restore(usize),
    Edit(usize, usize, u8),
    Remove(usize, usize),
    Mode(usize, usize, u32),
    Delete(usize),
    Drop(usize),
}

const FOLDERS: [&str; 4] = ["a", "b", "ops/a", "ops/c"];
const PATHS: [&str; 4] = ["SKILL.md", "assets/n.md", "scripts/m.md", "scripts/deep/x.sh"];

fn event() -> impl Strategy<Value = Event> {
    let (folder, path) = (0..FOLDERS.len(), 0..PATHS.len());
    let at = || (folder.clone(), path.clone());
    prop_oneof![
        3 => folder.clone().prop_map(Event::Create),
        3 => (at(), 0..9_u8).prop_map(|((skill, path), text)| Event::Write(skill, path, text)),
        2 => folder.clone().prop_map(Event::Archive),
        2 => folder.clone().prop_map(Event::Restore),
        2 => (at(), 0..9_u8).prop_map(|((skill, path), text)| Event::Edit(skill, path, text)),
        1 => at().prop_map(|(skill, path)| Event::Remove(skill, path)),
        1 => (at(), prop_oneof![Just(0o700), Just(0o755), Just(0o750)])
            .prop_map(|((skill, path), mode)| Event::Mode(skill, path, mode)),
        1 => folder.clone().prop_map(Event::Delete),
        1 => folder.clone().prop_map(Event::Drop),
    ]
}

/// Lets it happen, as far as it can; what others made is then known, as after a scan.
fn happen(world: &World, event: &Event, next: &mut u64) {
    let keeper = world.keeper();
    let known = |folder: &str| world.ledger.skill_at(world.id, folder).unwrap().map(|it| it.id);
    let text = |path: usize, folder: &str, text: u8| match PATHS[path] {
        "SKILL.md" => skill(folder.rsplit('/').next().unwrap(), &format!("Text {text}.\n")),
        _ => format!("{text}\n"),
    };
    match event {
        Event::Create(at) => {
            let (category, name) = match FOLDERS[*at].split_once('/') {
                Some((category, name)) => (Some(category), name),
                None => (None, FOLDERS[*at]),
            };
            // Commands scan first, so that nothing is made where the ledger knows a skill.
            if known(FOLDERS[*at]).is_none() {
                drop(world.create(category, name));
            }
        }
        Event::Write(at, path, number) => {
            if let Some(id) = known(FOLDERS[*at]) {
                let edit = [put(PATHS[*path], &text(*path, FOLDERS[*at], *number))];
                drop(keeper.write(target(id, FOLDERS[*at]), &edit, &person()));
            }
        }
        Event::Archive(at) => {
            if let Some(id) = known(FOLDERS[*at]) {
                drop(keeper.archive(target(id, FOLDERS[*at]), &person()));
            }
        }
        Event::Restore(at) => {
            let all = keeper.archived().unwrap();
            if let Some(copy) = all.get(at % all.len().max(1)) {
                drop(keeper.restore(copy, None, &person()));
            }
        }
        Event::Edit(at, path, number) => {
            world.intrude(
                &format!("{}/{}", FOLDERS[*at], PATHS[*path]),
                &text(*path, FOLDERS[*at], *number),
            );
        }
        Event::Remove(at, path) => {
            drop(fs::remove_file(world.root.join(FOLDERS[*at]).join(PATHS[*path])));
        }
        Event::Mode(at, path, mode) => {
            let path = world.root.join(FOLDERS[*at]).join(PATHS[*path]);
            drop(fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(*mode)));
            drop(fs::set_permissions(path, fs::Permissions::from_mode(*mode)));
        }
        Event::Delete(at) => drop(fs::remove_dir_all(world.root.join(FOLDERS[*at]))),
        Event::Drop(at) => drop(fs::remove_dir_all(world.root.join(FOLDERS[*at]).join("scripts"))),
    }
    for folder in FOLDERS {
        if world.is_there(&format!("{folder}/SKILL.md")) && known(folder).is_none() {
            *next += 1;
            let record = crate::ledger::NewSkill {
                id: SkillId::from_random(*next),
                root: world.id,
                folder: folder.to_owned(),
                name: folder.to_owned(),
                category: "general".to_owned(),
                state: State::Active,
                origin: crate::skill::Origin::Unknown,
                created: crate::skill::Instant(0),
            };
            world.ledger.add_skill(&record).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_happened_going_back_is_exact_and_so_is_going_forth(
        before in proptest::collection::vec(event(), 0..12),
        since in proptest::collection::vec(event(), 0..12),
    ) {
        let world = World::new();
        let mut next = 1_000;
        before.iter().for_each(|event| happen(&world, event, &mut next));
        let was = world.skills();
        let made = world.take("", 5).unwrap();
        since.iter().for_each(|event| happen(&world, event, &mut next));
        let is = world.skills();
        let archived = world.keeper().archived().unwrap().len();
        let rolled = world.roll_back(&made).unwrap();
        prop_assert_eq!(world.skills(), was);
        prop_assert_eq!(world.ledger.unfinished(world.id).unwrap(), []);
        // Nothing that came since is lost.
        let put_away = rolled.plan.skills.iter().filter(|it| it.fate == Fate::PutAway).count();
        let back = rolled.plan.skills.iter().filter(|it| matches!(it.fate, Fate::Back(_))).count();
        prop_assert_eq!(world.keeper().archived().unwrap().len(), archived + put_away - back);
        if rolled.safety.rollback.is_some() {
            world.snapshots().undo_rollback(&[world.keeper()], &rolled.safety, &person()).unwrap();
        }
        prop_assert_eq!(world.skills(), is);
    }
}
