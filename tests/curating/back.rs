//! Snapshots and going back to them: what a pass keeps before it retires anything, and what a person makes of it.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use serde_json::Value;

use super::{Curating, ROOT, text, used};

fn snapshots(it: &Curating) -> Vec<Value> {
    it.json(&["curator", "rollback", "--list"])["snapshots"].as_array().unwrap().clone()
}

/// A skill that is more than its text.
fn packed(it: &Curating, folder: &str) {
    let at = it.machine.path(&format!("{ROOT}/{folder}"));
    fs::create_dir_all(at.join("scripts")).unwrap();
    fs::write(at.join("scripts/run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(at.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(at.join("node_modules/heavy")).unwrap();
    fs::write(at.join("node_modules/heavy/index.js"), "x".repeat(4_000)).unwrap();
}

#[test]
fn a_pass_that_retires_keeps_a_snapshot_first_and_one_that_does_not_keeps_none() {
    let it = Curating::of(&[used("ops/old", 200), used("stale", 45)]);
    it.consented();
    let before = it.tree();
    let pass = it.pass();
    let id = text(&pass["snapshot"]);
    assert!(it.report().contains(&id), "{}", it.report());
    assert_eq!(it.state("old"), "archived");
    let back = it.json(&["curator", "rollback", &id, "--yes"]);
    assert_eq!(back["skills"][0]["fate"], "back", "{back:#}");
    assert_eq!(it.tree(), before);
    assert_eq!(it.state("old"), "active");
    // Nothing is left to retire or to keep.
    let known = snapshots(&it).len();
    it.ok(&["curator", "pin", "old"]);
    let pass = it.pass();
    assert_eq!((&pass["snapshot"], snapshots(&it).len()), (&Value::Null, known), "{pass:#}");
}

#[test]
fn a_snapshot_that_can_not_be_made_ends_the_pass_before_anything_is_changed() {
    let it = Curating::of(&[used("old", 200), used("stale", 45)]);
    it.consented();
    let before = it.tree();
    fs::write(it.machine.path("home/snapshots"), "in the way").unwrap();
    let pass = it.pass();
    let why = text(&pass["stopped"]);
    assert!(why.contains("no snapshot could be made, so nothing is changed"), "{why}");
    assert_eq!(it.tree(), before);
    assert_eq!((it.state("old"), it.state("stale")), ("active".to_owned(), "active".to_owned()));
    assert_eq!(pass["counts"]["left"], 2, "{pass:#}");
    // Nor does a person go back without one.
    let stderr = it.no(1, &["curator", "backup"]);
    assert!(stderr.contains("snapshots"), "{stderr}");
}

#[test]
fn a_backup_names_what_it_leaves_out_and_a_rollback_brings_all_back_and_can_be_taken_back() {
    let it = Curating::of(&[used("ops/deploy", 1), used("other", 1)]);
    packed(&it, "ops/deploy");
    it.ok(&["scan"]);
    let before = it.tree();
    let made = it.json(&["curator", "backup", "--reason", "before the clean-up"]);
    let id = text(&made["id"]);
    assert_eq!(made["left-out"][0]["what"], "`node_modules`", "{made:#}");
    let whole = it.ok(&["curator", "rollback", &id, "--verify"]);
    assert!(whole.stdout.contains("is whole"), "{whole:#?}");

    // Somebody makes a mess.
    it.lay("ops/deploy", "Something else.");
    fs::remove_dir_all(it.machine.path(&format!("{ROOT}/other"))).unwrap();
    it.lay("new-one", "Came since.");
    symlink("/etc", it.machine.path(&format!("{ROOT}/outside"))).unwrap();
    it.ok(&["scan"]);
    let mess = it.tree();
    let dry = it.json(&["curator", "rollback", &id, "--dry-run"]);
    assert_eq!(it.tree(), mess);
    let fates: Vec<(String, String)> = dry["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (text(&it["folder"]), text(&it["fate"])))
        .collect();
    let expected = [("ops/deploy", "rewritten"), ("other", "anew"), ("new-one", "put-away")];
    assert_eq!(fates, expected.map(|(folder, fate)| (folder.to_owned(), fate.to_owned())));

    // Nobody is there to ask, and an agent is no person.
    let stderr = it.no(1, &["curator", "rollback", &id]);
    assert!(stderr.contains("nobody to ask"), "{stderr}");
    let refused = it.by_agent(&["curator", "rollback", &id, "--yes"]);
    assert_ne!(refused.status, 0, "{refused:#?}");
    assert_eq!(it.tree(), mess);

    let back = it.json(&["curator", "rollback", &id, "--yes"]);
    fs::remove_file(it.machine.path(&format!("{ROOT}/outside"))).unwrap();
    assert_eq!(it.tree(), before, "{back:#}");
    let mode = fs::metadata(it.machine.path(&format!("{ROOT}/ops/deploy/scripts/run.sh"))).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o755);
    assert_eq!(it.state("new-one"), "archived");

    let safety = text(&back["safety"]);
    it.ok(&["curator", "rollback", &safety, "--undo"]);
    let after: Vec<_> = it.tree();
    let without_link: Vec<_> =
        mess.into_iter().filter(|(path, _)| !path.contains("/outside")).collect();
    assert_eq!(after, without_link);
}

#[test]
fn so_many_snapshots_are_kept_and_the_one_that_is_gone_back_to_is_never_let_go() {
    let it = Curating::of(&[used("deploy", 1)]);
    it.set("[curator]\nsnapshots = 2");
    let first = text(&it.json(&["curator", "backup"])["id"]);
    let second = text(&it.json(&["curator", "backup"])["id"]);
    assert_ne!(first, second);
    it.lay("deploy", "Another text.");
    it.ok(&["scan"]);
    // The rollback makes one of its own: the oldest would have to go.
    it.ok(&["curator", "rollback", &first, "--yes"]);
    let ids: Vec<String> = snapshots(&it).iter().map(|it| text(&it["id"])).collect();
    assert!(ids.contains(&first), "{ids:?}");
    it.ok(&["curator", "backup"]);
    assert_eq!(snapshots(&it).len(), 2);
    let stderr = it.no(1, &["curator", "rollback", "2001-01-01T00-00-00Z", "--yes"]);
    assert!(stderr.contains("no snapshot") && stderr.contains("hint:"), "{stderr}");
}

#[test]
fn a_snapshot_that_can_not_be_gone_back_to_is_found_before_somebody_needs_it() {
    let it = Curating::of(&[used("deploy", 1), used("other", 1)]);
    let id = text(&it.json(&["curator", "backup"])["id"]);
    let sound = it.ok(&["check", "--ledger"]).stdout;
    assert!(sound.ends_with(", 1 snapshot: nothing to mend\n"), "{sound}");
    // Nothing but the snapshot names these bytes.
    it.machine.write(&format!("{ROOT}/deploy/notes.md"), "only here\n");
    let second = text(&it.json(&["curator", "backup"])["id"]);
    let digest = skillkeep::ledger::Digest::of(b"only here\n");
    let object = it.machine.path(&format!("home/{}", skillkeep::change::Objects::path(&digest)));
    fs::remove_file(object).unwrap();
    let found = || {
        let found = it.json(&["check", "--ledger"])["findings"].clone();
        let found = found.as_array().unwrap().iter();
        found.map(|it| (text(&it["rule"]), text(&it["path"]), text(&it["fix"]))).collect::<Vec<_>>()
    };
    let verify = format!("to look at all its bytes: skillkeep curator rollback --verify {second}");
    let lacks = found();
    assert_eq!(lacks.len(), 1, "{lacks:?}");
    assert_eq!((lacks[0].0.as_str(), &lacks[0].2), ("snapshot-lacks", &verify));
    assert!(lacks[0].1.ends_with(&format!("snapshots/{second}.json")), "{lacks:?}");
    assert_eq!(it.run(&["check", "--ledger"]).status, 1);
    // The list of what it holds, and the snapshot itself.
    let folder = it.machine.path("home/snapshots");
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_str().unwrap().ends_with(".manifest.json") {
            fs::write(path, "{}").unwrap();
        }
    }
    fs::write(folder.join(format!("{id}.json")), "{").unwrap();
    let rules: Vec<String> = found().into_iter().map(|it| it.0).collect();
    assert_eq!(rules, ["snapshot-damaged", "snapshot-damaged"]);
}

#[test]
fn where_there_is_none_it_is_said_how_to_make_one() {
    let it = Curating::of(&[used("deploy", 1)]);
    let stderr = it.no(1, &["curator", "rollback", "--yes"]);
    assert!(stderr.contains("skillkeep curator backup"), "{stderr}");
    let listed = it.ok(&["curator", "rollback", "--list"]);
    assert_eq!(listed.stdout, "there is no snapshot\n");
}

#[test]
fn an_export_has_the_same_bytes_each_time_and_is_read_by_others() {
    let it = Curating::of(&[used("ops/deploy", 1)]);
    packed(&it, "ops/deploy");
    it.ok(&["scan"]);
    let [one, two] = ["one.tar.gz", "two.tar.gz"].map(|name| it.machine.path(name));
    let first = it.json(&["curator", "backup", "--export", one.to_str().unwrap()]);
    let id = text(&first["id"]);
    let made = it.json(&["curator", "backup", "--of", &id, "--export", two.to_str().unwrap()]);
    assert_eq!(made["exported"], "[MACHINE]/two.tar.gz");
    let listed = std::process::Command::new("tar").arg("-tzf").arg(&two).output().unwrap();
    let names = String::from_utf8(listed.stdout).unwrap();
    assert!(names.contains("ops/deploy/scripts/run.sh"), "{names}");
    assert!(!names.contains("node_modules"), "{names}");
    assert_eq!(fs::read(one).unwrap(), fs::read(two).unwrap());
}
