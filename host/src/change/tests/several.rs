//! Many skills in one go: what is left out, and what a crash leaves.

use std::{collections::BTreeMap, path::Path};

use super::{
    World, agent,
    crashes::{ROOT, Stage, Wrong, begun_again, number, wrongs},
    person, skill, target,
};
use crate::{
    change::{Archived, ChangeError, Done, Judge as _, Retire, Tree, Unruled, spot::Spot, tree},
    decision::{Successor, WriteRequest},
    ledger::{Digest, Step, Verb},
    skill::{SkillId, State},
    system::{At, Disk as _, SimulatedDisk},
};

fn retire<'a>(id: SkillId, folder: &'a str) -> Retire<'a> {
    let reason = format!("`{folder}` is idle");
    Retire { target: target(id, folder), reason, tree: None, successor: None }
}

#[test]
fn what_a_law_forbids_is_left_out_and_stops_nobody() {
    let world = World::new();
    let made = ["one", "two", "three", "four"].map(|name| {
        let done = world.create(Some("ops"), name).unwrap();
        (done.skill, format!("ops/{name}"))
    });
    let [one, two, three, four] = made.each_ref().map(|(id, folder)| retire(*id, folder));
    let keeper = world.keeper();
    keeper.pin(two.target, &person()).unwrap();
    let other = Retire { tree: Some(Digest::of(b"other")), ..three };
    let seen = tree::read(Spot { disk: &crate::system::OsSystem, top: &world.root }, "ops/four");
    let four = Retire { tree: Some(seen.unwrap().digest()), ..four };
    let twice = retire(made[0].0, "ops/one");
    let nowhere = retire(SkillId::from_random(9), "ops/nine");
    let all = [one, two, other, twice, nowhere, four];
    let done = keeper.archive_all(&all, &person()).unwrap();
    let told = |it: &Result<Done, ChangeError>| {
        it.as_ref().map(|it| it.skill).map_err(ToString::to_string)
    };
    assert_eq!(
        done.iter().map(told).collect::<Vec<_>>(),
        [
            Ok(made[0].0),
            Err("`ops/two` is pinned, and stays where it is".to_owned()),
            Err("`ops/three` is not as it was a moment ago: its files were changed since that was decided".to_owned()),
            Err("`ops/one` is not as it was a moment ago: `ops/one` is about the same folder, and comes first".to_owned()),
            Err("there is no `ops/nine`".to_owned()),
            Ok(made[3].0),
        ]
    );
    for (folder, there) in [("one", false), ("two", true), ("three", true), ("four", false)] {
        assert_eq!(world.is_there(&format!("ops/{folder}/SKILL.md")), there, "{folder}");
    }
    // Each is a change of its own, with its own reason, and the ledger follows.
    let log = world.ledger.changes(Some(made[3].0), 1).unwrap().remove(0);
    assert_eq!(
        (log.change.verb, log.change.reason.as_str()),
        (Verb::Archive, "`ops/four` is idle")
    );
    assert_eq!(world.ledger.skill(made[3].0).unwrap().unwrap().state, State::Archived);
    assert_eq!(world.ledger.unfinished(world.id).unwrap(), []);
}

#[test]
fn who_judges_is_told_what_takes_the_place_and_what_waits_waits() {
    let world = World::new();
    let made = ["one", "two"].map(|name| world.create(None, name).unwrap().skill);
    let asked = std::sync::Mutex::new(Vec::new());
    let judge = |write: &WriteRequest| {
        asked.lock().unwrap().push((write.successor, write.retire_bundled));
        Unruled.judge(write)
    };
    let keeper = world.keeper().judged_by(&judge, true).retiring_bundled(true);
    let one = Retire { successor: Some(Successor::Present), ..retire(made[0], "one") };
    let done = keeper.archive_all(&[one, retire(made[1], "two")], &agent()).unwrap();
    assert!(done.iter().all(|it| matches!(it, Err(ChangeError::Waits(_)))), "{done:?}");
    assert_eq!(world.ledger.waiting(None).unwrap().len(), 2);
    assert!(world.is_there("one/SKILL.md") && world.is_there("two/SKILL.md"));
    let successors = [Some(Successor::Present), Some(Successor::None)];
    assert_eq!(*asked.lock().unwrap(), successors.map(|it| (it, true)));
}

#[test]
fn what_was_put_away_together_comes_back_together_exactly() {
    let world = World::new();
    let names: Vec<String> = (0..40).map(|number| format!("s{number}")).collect();
    let made: Vec<_> =
        names.iter().map(|name| world.create(Some("ops"), name).unwrap().skill).collect();
    let folders: Vec<String> = names.iter().map(|name| format!("ops/{name}")).collect();
    let before = world.tree();
    let all: Vec<_> = made.iter().zip(&folders).map(|(id, folder)| retire(*id, folder)).collect();
    let keeper = world.keeper();
    let away = keeper.archive_all(&all, &agent()).unwrap();
    assert!(away.iter().all(Result::is_ok), "{away:?}");
    let archived = keeper.archived().unwrap();
    assert_eq!((archived.len(), world.tree().files.len()), (40, 0));
    let back = keeper.restore_all(&archived, &person()).unwrap();
    assert!(back.iter().all(Result::is_ok), "{back:?}");
    assert_eq!(world.tree(), before);
    assert_eq!(keeper.archived().unwrap(), []);
    // And taken back, in one go: all of them, or none where one is in the way.
    let ids: Vec<_> = back.into_iter().map(|it| it.unwrap().id).collect();
    world.intrude("ops/s7/SKILL.md", &skill("s7", "Newer.\n"));
    keeper.undo_all(&ids, &person()).unwrap();
    assert_eq!(keeper.archived().unwrap().len(), 40);
    let undone: Vec<_> = away.into_iter().map(|it| it.unwrap().id).collect();
    world.intrude("ops/s9/other", "mine");
    let refused = keeper.undo_all(&undone, &person()).unwrap_err();
    assert!(matches!(refused, ChangeError::NewerWork { .. }), "{refused}");
    assert_eq!(keeper.archived().unwrap().len(), 40);
}

#[test]
fn no_two_are_about_one_folder_however_it_is_spelled_nor_about_one_in_the_other() {
    let world = World::new();
    let one = world.create(Some("ops"), "one").unwrap().skill;
    let on = world.create(Some("ops"), "on").unwrap().skill;
    let done = world.keeper().archive_all(
        &[
            retire(one, "ops/one"),
            retire(one, "OPS/One"),
            retire(one, "ops"),
            retire(one, "ops/one/sub"),
            retire(on, "ops/on"),
        ],
        &person(),
    );
    let found = "`ops/one` is about the same folder, and comes first";
    let told = |it: Result<Done, ChangeError>| match it {
        Err(ChangeError::InTheWay { found, .. }) => found,
        other => other.map(|_| "done".to_owned()).unwrap_or_else(|why| why.to_string()),
    };
    let told: Vec<String> = done.unwrap().into_iter().map(told).collect();
    assert_eq!(told, ["done", found, found, found, "done"]);
}

#[test]
fn what_lies_beside_a_skill_is_in_its_step_and_where_it_is_long_it_is_an_object() {
    for (files, as_object) in [(1, false), (200, true)] {
        let world = World::new();
        let id = world.create(Some("ops"), "one").unwrap().skill;
        for number in 0..files {
            world.intrude(&format!("ops/one/assets/{number}"), "mine");
        }
        let (before, keeper) = (world.tree(), world.keeper());
        let away = keeper.archive(target(id, "ops/one"), &person()).unwrap();
        let archived = keeper.archived().unwrap().remove(0);
        let beside = world.root.join(format!("{}.json", archived.packet));
        let bytes = std::fs::read(&beside).unwrap();
        let has_object = || world.keeper().objects.bytes(&Digest::of(&bytes)).is_ok();
        let has_text = |it: &Done| {
            it.steps.iter().any(|step| {
                matches!(step, Step::PutText { text, .. } | Step::RemoveText { text, .. }
                    if text.as_bytes() == bytes)
            })
        };
        assert_eq!((has_object(), has_text(&away)), (as_object, !as_object));
        // It comes back, goes again, and comes back once more, by undos alone: the same bytes lie beside it.
        let back = keeper.restore(&archived, None, &person()).unwrap();
        assert_eq!((has_object(), has_text(&back)), (as_object, !as_object));
        assert_eq!(world.tree(), before);
        let undone = keeper.undo(back.id, &person()).unwrap();
        assert_eq!(std::fs::read(&beside).unwrap(), bytes);
        assert_eq!(keeper.archived().unwrap(), [archived]);
        keeper.undo(undone.id, &person()).unwrap();
        assert_eq!((world.tree(), has_object()), (before, as_object));
    }
}

const SKILLS: [&str; 3] = ["ops/deploy", "ops/second", "third"];

/// Three skills, as an act wants to find them.
fn stage(act: &str) -> (Stage, SimulatedDisk, Vec<SkillId>) {
    let (stage, disk) = Stage::of("several");
    let second = stage.create(&disk, Some("ops"), "second").unwrap();
    let third = stage.create(&disk, None, "third").unwrap();
    let ids = vec![stage.id, second, third];
    if act != "archive" {
        let done = archive(&stage, &disk, &ids).unwrap();
        assert!(done.iter().all(Result::is_ok), "{done:?}");
    }
    if act == "undo" {
        drop(restore(&stage, &disk, &ids).unwrap());
    }
    (stage, disk, ids)
}

type Results = Result<Vec<Result<Done, ChangeError>>, ChangeError>;

fn archive(stage: &Stage, disk: &SimulatedDisk, ids: &[SkillId]) -> Results {
    let all: Vec<_> = ids.iter().zip(SKILLS).map(|(id, folder)| retire(*id, folder)).collect();
    stage.keeper(disk).archive_all(&all, &agent())
}

fn restore(stage: &Stage, disk: &SimulatedDisk, ids: &[SkillId]) -> Results {
    let keeper = stage.keeper(disk);
    let found = keeper.archived()?;
    let of = |id: &SkillId| found.iter().find(|it| it.sidecar.id == *id).cloned();
    let all: Vec<Archived> = ids.iter().filter_map(of).collect();
    keeper.restore_all(&all, &person())
}

fn undo(stage: &Stage, disk: &SimulatedDisk, ids: &[SkillId]) -> Results {
    let newest = |id: &SkillId| Ok(stage.ledger.changes(Some(*id), 1)?.remove(0).id);
    let all = ids.iter().map(newest).collect::<Result<Vec<_>, ChangeError>>()?;
    let mut done = stage.keeper(disk).undo_all(&all, &person())?;
    done.reverse();
    Ok(done.into_iter().map(Ok).collect())
}

/// Where each skill is, by the disk and by the ledger; each is whole, at one place.
fn places(stage: &Stage, disk: &SimulatedDisk, ids: &[SkillId], told: &str) -> Vec<bool> {
    let keeper = stage.keeper(disk);
    let archived = keeper.archived().unwrap();
    let spot = Spot { disk, top: Path::new(ROOT) };
    let known = |id| stage.ledger.skill(id).unwrap().unwrap();
    let place = |(id, folder): (&SkillId, &str)| {
        let here = tree::read(spot, folder).ok();
        let away: Vec<Tree> = archived
            .iter()
            .filter(|it| it.sidecar.id == *id)
            .filter_map(|it| tree::read(spot, &it.folder()).ok())
            .collect();
        let is_away = !away.is_empty();
        assert_eq!((here.is_none(), away.len()), (is_away, usize::from(is_away)), "{told}");
        let whole = here.or(away.into_iter().next()).unwrap();
        assert_eq!(whole.paths(), ["SKILL.md", "scripts/run.sh"], "{told}");
        let state = if is_away { State::Archived } else { State::Active };
        assert_eq!(known(*id).state, state, "{told}: {folder}");
        is_away
    };
    let places = ids.iter().zip(SKILLS).map(place).collect();
    // Nothing else is in the archive: no folder without its sidecar, no sidecar without its folder.
    let ours = disk.tree(ROOT).into_keys().filter(|path| path.starts_with(".skillkeep/archive/"));
    let ours: Vec<String> = ours.filter(|path| path.matches('/').count() == 2).collect();
    assert_eq!(ours.len(), 2 * archived.len(), "{told}: {ours:?}");
    places
}

#[test]
fn whatever_fails_each_of_several_is_whole_at_its_old_place_or_its_new_one() {
    type Act = fn(&Stage, &SimulatedDisk, &[SkillId]) -> Results;
    let acts: [(&str, Act, bool); 3] =
        [("archive", archive, true), ("restore", restore, false), ("undo", undo, true)];
    let mut round = number("SKILLKEEP_CRASH_SEED").unwrap_or(0);
    let mut tried = 0;
    for (name, act, away) in acts {
        let (first, disk, ids) = stage(name);
        disk.forget_operations();
        assert!(act(&first, &disk, &ids).unwrap().iter().all(Result::is_ok), "{name}");
        let operations = disk.operations();
        assert_eq!(places(&first, &disk, &ids, name), [away; 3]);
        for (at, operation) in operations.iter().enumerate() {
            for wrong in wrongs() {
                round += 1;
                tried += 1;
                let told = format!("{name}, {wrong:?} at {} `{operation}`, seed {round}", at + 1);
                let (stage, disk, ids) = stage(name);
                disk.forget_operations();
                wrong.befalls(&disk, at + 1);
                let results = act(&stage, &disk, &ids);
                let disk = begun_again(&stage, disk, round);
                let recovered = stage.keeper(&disk).recover();
                assert!(recovered.is_ok(), "{told}: {recovered:?}");
                let found = places(&stage, &disk, &ids, &told);
                let results = results.map_or_else(
                    |error| ids.iter().map(|_| Err(error.to_string())).collect::<Vec<_>>(),
                    |all| all.into_iter().map(|it| it.map_err(|why| why.to_string())).collect(),
                );
                for (result, is_away) in results.iter().zip(&found) {
                    let is_new = *is_away == away;
                    match (result, wrong) {
                        (Ok(_), _) => assert!(is_new, "{told}: {results:?} {found:?}"),
                        (Err(why), Wrong::Once(_) | Wrong::All(_))
                            if !why.contains("is only begun") =>
                        {
                            assert!(!is_new, "{told}: {results:?} {found:?}");
                        }
                        (Err(_), _) => {}
                    }
                }
                // What is undone together is undone for all or for none.
                if name == "undo" {
                    assert!(found == [away; 3] || found == [!away; 3], "{told}: {found:?}");
                }
                assert_eq!(stage.ledger.unfinished(stage.root).unwrap(), [], "{told}");
                let left = |path: &&String| path.starts_with(".skillkeep/staging/");
                assert_eq!(disk.tree(ROOT).keys().find(left), None, "{told}");
                let next = stage.create(&disk, None, "next");
                assert!(next.is_ok(), "{told}: {next:?}");
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn what_others_put_in_the_way_of_one_that_was_cut_off_stops_that_one_alone() {
    let (stage, disk, ids) = stage("archive");
    disk.forget_operations();
    let moves = {
        let (other, disk, ids) = self::stage("archive");
        disk.forget_operations();
        drop(archive(&other, &disk, &ids).unwrap());
        disk.operations().iter().position(|it| it.starts_with("move ops/deploy")).unwrap()
    };
    disk.fault(moves + 1, crate::system::Fault::CrashBefore);
    drop(archive(&stage, &disk, &ids));
    let disk = disk.after_kill();
    // Somebody takes the second away before anybody goes on.
    let at = |below| At { top: Path::new(ROOT), below };
    disk.move_to(at("ops/second"), at("ops/elsewhere")).unwrap();
    let recovered = stage.keeper(&disk).recover().unwrap();
    assert_eq!((recovered.finished.len(), recovered.taken_back.len()), (2, 1));
    let states: BTreeMap<_, _> =
        ids.iter().map(|id| (*id, stage.ledger.skill(*id).unwrap().unwrap().state)).collect();
    assert_eq!(states.values().filter(|it| **it == State::Archived).count(), 2);
    assert_eq!(states[&ids[1]], State::Active);
    assert_eq!(stage.keeper(&disk).archived().unwrap().len(), 2);
}
