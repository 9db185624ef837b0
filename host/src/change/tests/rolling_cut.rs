//! A snapshot, a rollback and its undo, cut off at every operation. Afterwards a snapshot is there whole or not at all, and
//! of a rollback all skills are old or all are new.

use std::{collections::BTreeMap, path::Path};

use super::{
    agent,
    crashes::{ROOT, Stage, Wrong, begun_again, number, wrongs},
    person, put, skill, target,
};
use crate::{
    change::{ChangeError, Looks, Snapshot, Snapshots, Tree, snapshot::look_at},
    skill::{SkillId, State},
    system::{At, Disk as _, SimulatedDisk},
};

/// A root with a snapshot, and much that happened since.
fn stage(act: &str) -> (Stage, SimulatedDisk, Vec<SkillId>) {
    let (stage, disk) = Stage::of("rollback");
    let second = stage.create(&disk, Some("ops"), "second").unwrap();
    let third = stage.create(&disk, None, "third").unwrap();
    let snapshots = Snapshots::of(&disk, &stage.home);
    let keeper = stage.keeper(&disk);
    snapshots.take(&[stage.keeper(&disk)], &agent(), 5, &mut Looks::default()).unwrap();
    let edits = [put("SKILL.md", &skill("deploy", "New.\n")), put("assets/new/a", "a\n")];
    keeper.write(target(stage.id, "ops/deploy"), &edits, &person()).unwrap();
    keeper.archive(target(second, "ops/second"), &agent()).unwrap();
    let at = |below| At { top: Path::new(ROOT), below };
    for file in ["third/SKILL.md", "third/scripts/run.sh"] {
        disk.remove_file(at(file)).unwrap();
    }
    for folder in ["third/scripts", "third"] {
        disk.remove_folder(at(folder)).unwrap();
    }
    disk.sync_folder(at("")).unwrap();
    let fourth = stage.create(&disk, None, "fourth").unwrap();
    if act == "undo" {
        roll_back(&stage, &disk).unwrap();
    }
    let deploy = stage.id;
    (stage, disk, vec![deploy, second, third, fourth])
}

fn oldest(stage: &Stage, disk: &SimulatedDisk) -> Result<Snapshot, ChangeError> {
    let all = Snapshots::of(disk, &stage.home).list()?;
    all.into_iter().next_back().ok_or(ChangeError::NoSnapshot)
}

fn take(stage: &Stage, disk: &SimulatedDisk) -> Result<(), ChangeError> {
    let snapshots = Snapshots::of(disk, &stage.home);
    // One goes with it.
    snapshots.take(&[stage.keeper(disk)], &agent(), 1, &mut Looks::default()).map(drop)
}

fn roll_back(stage: &Stage, disk: &SimulatedDisk) -> Result<(), ChangeError> {
    let to = oldest(stage, disk)?;
    let (snapshots, how) = (Snapshots::of(disk, &stage.home), (5, &mut Looks::default()));
    snapshots.roll_back(&[stage.keeper(disk)], &to, &[], &person(), how).map(drop)
}

fn undo(stage: &Stage, disk: &SimulatedDisk) -> Result<(), ChangeError> {
    let snapshots = Snapshots::of(disk, &stage.home);
    let safety = snapshots.resolve(None)?;
    snapshots.undo_rollback(&[stage.keeper(disk)], &safety, &person()).map(drop)
}

type Looked = (BTreeMap<String, Tree>, Vec<State>, usize);

/// All that such an act may change.
fn look(stage: &Stage, disk: &SimulatedDisk, ids: &[SkillId], told: &str) -> Looked {
    let keepers = [stage.keeper(disk)];
    let (is, _) = look_at(&keepers, &Looks::default(), None).unwrap();
    let skills = is.skills().map(|(_, it)| (it.folder.clone(), it.tree.clone())).collect();
    let states = ids.iter().map(|id| stage.ledger.skill(*id).unwrap().unwrap().state).collect();
    // Each snapshot that is there is whole.
    let snapshots = Snapshots::of(disk, &stage.home);
    let all = snapshots.list().unwrap();
    for one in &all {
        assert_eq!(snapshots.verify(one, true).unwrap(), [], "{told}: {}", one.id);
    }
    (skills, states, keepers[0].archived().unwrap().len())
}

#[test]
fn wherever_it_is_cut_off_a_library_is_all_old_or_all_new() {
    type Act = fn(&Stage, &SimulatedDisk) -> Result<(), ChangeError>;
    let acts: [(&str, Act); 3] = [("snapshot", take), ("rollback", roll_back), ("undo", undo)];
    let mut round = number("SKILLKEEP_CRASH_SEED").unwrap_or(0);
    // All of them take minutes; each run takes others.
    let every = number("SKILLKEEP_CRASH_ROUNDS").map_or(5, |_| 1);
    for (name, act) in acts {
        let (first, disk, ids) = stage(name);
        let old = look(&first, &disk, &ids, name);
        disk.forget_operations();
        act(&first, &disk).unwrap();
        let operations = disk.operations();
        let new = look(&first, &disk, &ids, name);
        assert_eq!(old == new, name == "snapshot");
        for (at, operation) in operations.iter().enumerate() {
            for wrong in wrongs() {
                round += 1;
                if !round.is_multiple_of(every) {
                    continue;
                }
                let told = format!("{name}, {wrong:?} at {} `{operation}`, seed {round}", at + 1);
                let (stage, disk, ids) = stage(name);
                disk.forget_operations();
                wrong.befalls(&disk, at + 1);
                let result = act(&stage, &disk);
                let disk = begun_again(&stage, disk, round);
                let recovered = stage.keeper(&disk).recover();
                assert!(recovered.is_ok(), "{told}: {recovered:?}");
                let found = look(&stage, &disk, &ids, &told);
                match (result, wrong) {
                    (Ok(()), _) => assert_eq!(found, new, "{told}"),
                    (Err(why), Wrong::Once(_) | Wrong::All(_))
                        if !matches!(why, ChangeError::Unfinished { .. }) =>
                    {
                        assert_eq!(found, old, "{told}: {why}");
                    }
                    (Err(why), _) => {
                        assert!(found == old || found == new, "{told}: {why}: {found:#?}");
                    }
                }
                assert_eq!(stage.ledger.unfinished(stage.root).unwrap(), [], "{told}");
                // Whoever comes next goes on as if nothing had been.
                let next = take(&stage, &disk);
                assert!(next.is_ok(), "{told}: {next:?}");
                let next = stage.create(&disk, None, "next");
                assert!(next.is_ok(), "{told}: {next:?}");
            }
        }
    }
}
