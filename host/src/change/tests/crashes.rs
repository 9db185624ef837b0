//! Each act is cut off at every step in turn, and each step fails in turn. Afterwards every skill is whole, old or new,
//! the ledger says the same as the disk, nothing is left over, and the next command works.

use std::{fs, io::ErrorKind};

use super::{
    World, agent,
    faulty::{Fault, Faulty},
    person, put, skill, target,
};
use crate::{
    change::{Base, ChangeError, Edit, Tree},
    skill::{SkillId, State},
    system::{Disk, OsSystem},
};

type Act = fn(&World, SkillId, &dyn Disk) -> Result<(), ChangeError>;

/// An act, and what comes before it.
const ACTS: [(&str, Act); 8] = [
    ("create", |world, _, disk| world.create_on(disk, Some("ops"), "other").map(drop)),
    ("write one", |world, id, disk| {
        let edits = [put("SKILL.md", &skill("deploy", "New.\n"))];
        world.keeper_on(disk).write(target(id, "ops/deploy"), &edits, &person()).map(drop)
    }),
    ("write several", |world, id, disk| {
        let edits = [
            put("SKILL.md", &skill("deploy", "New.\n")),
            put("references/deep/a.md", "a\n"),
            Edit::Remove { path: "scripts/run.sh".to_owned(), base: Base::Any },
        ];
        world.keeper_on(disk).write(target(id, "ops/deploy"), &edits, &person()).map(drop)
    }),
    ("archive", |world, id, disk| {
        world.keeper_on(disk).archive(target(id, "ops/deploy"), &agent()).map(drop)
    }),
    ("restore", |world, _, disk| {
        let keeper = world.keeper_on(disk);
        let archived = keeper.archived()?.remove(0);
        keeper.restore(&archived, None, &person()).map(drop)
    }),
    ("undo", |world, id, disk| {
        let newest = world.ledger.changes(Some(id), 1)?.remove(0);
        world.keeper_on(disk).undo(newest.id, &person()).map(drop)
    }),
    ("pin", |world, id, disk| {
        world.keeper_on(disk).pin(target(id, "ops/deploy"), &person()).map(drop)
    }),
    ("purge", |world, _, disk| {
        let keeper = world.keeper_on(disk);
        let archived = keeper.archived()?.remove(0);
        let plan = keeper.purge_plan(&archived)?;
        keeper.purge(plan, &person()).map(drop)
    }),
];

fn prepared(act: &str) -> (World, SkillId) {
    let world = World::new();
    let id = world.create(Some("ops"), "deploy").unwrap().skill;
    let me = target(id, "ops/deploy");
    if act == "undo" {
        let edits = [
            put("SKILL.md", &skill("deploy", "Undone.\n")),
            put("assets/a", "a\n"),
            Edit::Remove { path: "scripts/run.sh".to_owned(), base: Base::Any },
        ];
        world.keeper().write(me, &edits, &person()).unwrap();
    }
    if matches!(act, "restore" | "purge") {
        world.keeper().archive(me, &person()).unwrap();
    }
    (world, id)
}

/// All that an act may change, but for times and for ids that are drawn.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    tree: Tree,
    state: State,
    changes: usize,
    archived: Vec<(Tree, bool)>,
    pinned: (bool, bool),
}

fn seen(world: &World, id: SkillId) -> Seen {
    let keeper = world.keeper();
    let known = world.ledger.skill(id).unwrap().unwrap();
    let archived = keeper.archived().unwrap();
    let mut whole = Vec::new();
    for one in archived {
        let there = world.is_there(&one.folder());
        whole.push((one.sidecar.tree, there));
    }
    Seen {
        tree: world.tree(),
        state: known.state,
        changes: world.ledger.changes(None, 100).unwrap().len(),
        archived: whole,
        pinned: (known.pinned, keeper.pins().unwrap().values().any(|pin| pin.skill == id)),
    }
}

fn faults(at: usize, all: bool) -> Vec<Fault> {
    let fails = [
        Fault::Short,
        Fault::Fails(ErrorKind::StorageFull),
        Fault::Fails(ErrorKind::PermissionDenied),
        Fault::Fails(ErrorKind::CrossesDevices),
        Fault::Fails(ErrorKind::Other),
    ];
    let mut faults = vec![Fault::Before, Fault::After];
    if all {
        faults.extend(fails);
    } else {
        faults.push(fails[at % fails.len()]);
    }
    faults
}

#[test]
fn whatever_fails_each_skill_is_whole_and_the_next_command_works() {
    let all = crate::system::System::variable(&OsSystem, "SKILLKEEP_ALL_FAULTS").is_some();
    let mut rounds = 0;
    for (name, act) in ACTS {
        let (world, id) = prepared(name);
        let old = seen(&world, id);
        let counting = Faulty::new(&OsSystem, None);
        act(&world, id, &counting).unwrap();
        let (new, steps) = (seen(&world, id), counting.steps());
        assert_ne!(old, new, "{name}");
        for (at, step) in steps.iter().enumerate() {
            for fault in faults(at, all) {
                rounds += 1;
                let told = format!("{name}: {fault:?} at step {at}, `{step}`");
                let (world, id) = prepared(name);
                let faulty = Faulty::new(&OsSystem, Some((at, fault)));
                let result = act(&world, id, &faulty);
                let recovered = world.keeper().recover();
                assert!(recovered.is_ok(), "{told}: {recovered:?}");
                let found = seen(&world, id);
                match result {
                    Ok(()) => assert_eq!(found, new, "{told}"),
                    Err(ChangeError::Unfinished { .. }) => {
                        assert!(found == old || found == new, "{told}: {found:#?}");
                    }
                    // What was refused without a word of going on has changed nothing, but for a process that died.
                    Err(error) if matches!(fault, Fault::Fails(_) | Fault::Short) => {
                        assert_eq!(found, old, "{told}: {error}");
                    }
                    Err(_) => assert!(found == old || found == new, "{told}: {found:#?}"),
                }
                assert_eq!(world.ledger.unfinished(world.id).unwrap(), [], "{told}");
                let staging = world.root.join(".skillkeep/staging");
                assert!(!staging.exists() || fs::read_dir(staging).unwrap().count() == 0, "{told}");
                assert!(world.create(None, "next").is_ok(), "{told}");
            }
        }
    }
    assert!(rounds > 300, "{rounds}");
}
