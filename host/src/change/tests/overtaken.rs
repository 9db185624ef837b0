//! Files that somebody writes while a snapshot reads them: it has each as it was or as it is then, or there is no snapshot.

use super::{agent, crashes::Stage, skill};
use crate::{
    change::{ChangeError, Looks, Objects, Snapshot, Snapshots},
    ledger::Digest,
    system::{At, Disk as _, SimulatedDisk},
};

const FILE: &str = "/root/ops/deploy/SKILL.md";

fn take(stage: &Stage, disk: &SimulatedDisk, looks: &mut Looks) -> Result<Snapshot, ChangeError> {
    Snapshots::of(disk, &stage.home).take(&[stage.keeper(disk)], &agent(), 9, looks)
}

/// A text that is as long as any other one with its word.
fn text(word: &str) -> Vec<u8> {
    assert_eq!(word.len(), 5);
    skill("deploy", &format!("Do it {word}.\n")).into_bytes()
}

/// What a snapshot has of the file.
fn held(stage: &Stage, disk: &SimulatedDisk, snapshot: &Snapshot) -> Vec<u8> {
    let snapshots = Snapshots::of(disk, &stage.home);
    assert_eq!(snapshots.verify(snapshot, true).unwrap(), []);
    let manifest = snapshots.manifest(snapshot).unwrap();
    let (_, state) = manifest.skills().find(|(_, it)| it.folder == "ops/deploy").unwrap();
    let (_, blob) = state.tree.files.iter().find(|(path, _)| path == "SKILL.md").unwrap();
    let bytes = Objects::new(disk, &stage.home.path).bytes(&blob.digest).unwrap();
    assert_eq!(blob.size, bytes.len() as u64);
    bytes
}

#[test]
fn a_file_that_is_written_while_it_is_read_is_read_again() {
    let (stage, disk) = Stage::of("snapshot");
    disk.put_file(FILE, text("first"), 0o644);
    for times in [1, 2] {
        let coming = [text("later"), text("again")];
        disk.overtake_reads(FILE, coming.iter().take(times).map(Vec::as_slice));
        let snapshot = take(&stage, &disk, &mut Looks::default()).unwrap();
        assert_eq!(held(&stage, &disk, &snapshot), coming[times - 1]);
    }
}

#[test]
fn of_one_that_never_comes_to_rest_there_is_no_snapshot() {
    let (stage, disk) = Stage::of("snapshot");
    disk.put_file(FILE, text("first"), 0o644);
    let coming: Vec<Vec<u8>> = (10_000..10_100).map(|it| text(&it.to_string())).collect();
    disk.overtake_reads(FILE, coming.iter().map(Vec::as_slice));
    let refused = take(&stage, &disk, &mut Looks::default()).unwrap_err();
    assert!(refused.to_string().contains("it is changing while we look"), "{refused}");
    assert_eq!(Snapshots::of(&disk, &stage.home).list().unwrap(), []);
}

#[test]
fn nor_of_one_whose_bytes_are_kept_again_and_are_others_by_then() {
    let (stage, disk) = Stage::of("snapshot");
    disk.put_file(FILE, text("first"), 0o644);
    disk.advance(60);
    let mut looks = Looks::default();
    let first = take(&stage, &disk, &mut looks).unwrap();
    let object = Objects::path(&Digest::of(&text("first")));
    disk.remove_file(At { top: &stage.home.path, below: &object }).unwrap();
    let later = text("later");
    disk.overtake_reads(FILE, [later.as_slice()]);
    let refused = take(&stage, &disk, &mut looks).unwrap_err();
    assert!(refused.to_string().contains("it is changing while we look"), "{refused}");
    assert_eq!(Snapshots::of(&disk, &stage.home).list().unwrap(), [first]);
    // Whoever tries again has what is there now.
    let next = take(&stage, &disk, &mut looks).unwrap();
    assert_eq!(held(&stage, &disk, &next), later);
}
