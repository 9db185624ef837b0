//! An index is what its library is, and reads only what changed.

use std::{fs, io::ErrorKind, path::Path};

use super::{FILE, World, small};
use crate::{
    library::scan,
    search::{Index, Query, State, Updated},
    skill::{OneLine, Root},
    system::{Operation, OsSystem, System as _},
};

#[test]
fn an_index_that_is_up_to_date_reads_nothing_and_writes_nothing() {
    let world = small();
    let mut index = world.open();
    assert_eq!(index.state(), &State::Absent);
    let library = world.library();
    let updated = index.update(&library, &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 0, read: 7, stored: 7, removed: 0 });
    assert!(index.save(&world.system).unwrap());
    assert!(!index.save(&world.system).unwrap(), "nothing is new");

    let library = world.library();
    world.system.forget_counts();
    let mut index = world.open();
    assert_eq!(index.state(), &State::Whole);
    let updated = index.update(&library, &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 7, ..Updated::default() });
    assert!(!index.save(&world.system).unwrap());
    assert_eq!(world.system.counts(Operation::Read), [(FILE.into(), 1)]);
    assert_eq!(world.system.counts(Operation::Stat), []);
}

#[test]
fn what_is_edited_renamed_added_and_removed_is_so_in_the_index() {
    let world = small();
    drop(world.index());
    world.lay("/a/books/nimble", "A nimble reader.", "The slow green fox.");
    world.system.remove("/a/devops/compose");
    world.system.remove("/a/cjk/guilin");
    world.lay("/a/cjk/yangshuo", "桂林 and 漓江", "山水");
    world.lay("/a/new", "Brand new.", "Fresh paint.");
    world.system.advance(3_600);
    let mut index = world.open();
    let updated = index.update(&world.library(), &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 4, read: 3, stored: 3, removed: 2 });
    index.save(&world.system).unwrap();
    for mut index in [index, world.open()] {
        index.update(&world.library(), &world.system).unwrap();
        for (query, names) in [
            ("brown", &[][..]),
            ("green", &["nimble"]),
            ("containers", &[]),
            ("桂林", &["yangshuo"]),
            ("guilin", &[]),
            ("paint", &["new"]),
        ] {
            assert_eq!(world.names(&mut index, query), names, "{query}");
        }
    }
}

#[test]
fn a_file_that_was_changed_just_now_is_read_again_until_its_time_tells_it_from_others() {
    let world = World::new(&[("/a/x", "D.", "before")]);
    world.lay("/a/x", "D.", "midway");
    drop(world.index());
    // The same moment, the same size, the same file: nothing of its state tells.
    world.lay("/a/x", "D.", "after!");
    let mut index = world.open();
    let updated = index.update(&world.library(), &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 0, read: 1, stored: 1, removed: 0 });
    assert_eq!(world.names(&mut index, "after"), ["x"]);
    index.save(&world.system).unwrap();
    world.system.advance(10);
    let read = |expected: Updated| {
        let mut index = world.open();
        assert_eq!(index.update(&world.library(), &world.system).unwrap(), expected);
        index.save(&world.system).unwrap();
    };
    read(Updated { read: 1, ..Updated::default() });
    read(Updated { kept: 1, ..Updated::default() });
}

#[test]
fn a_file_that_was_only_touched_is_read_once_and_stored_never() {
    let world = small();
    drop(world.index());
    world.system.set_mtime("/a/books/nimble/SKILL.md", world.system.now_nanos());
    world.system.advance(3_600);
    let mut index = world.open();
    let updated = index.update(&world.library(), &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 6, read: 1, ..Updated::default() });
    index.save(&world.system).unwrap();
    let updated = world.open().update(&world.library(), &world.system).unwrap();
    assert_eq!(updated, Updated { kept: 7, ..Updated::default() });
}

#[test]
fn what_changes_after_the_library_was_read_is_not_shown_with_words_that_it_no_longer_has() {
    let world = small();
    let mut index = world.index();
    let library = world.library();
    world.lay("/a/books/nimble", "A nimble reader.", "The slow green fox.");
    world.system.remove("/a/books/wrong-book");
    let query = Query::parse("brown OR ticket OR docker");
    let asked =
        super::Asked { query: &query, field: None, limit: 9, wanted: &|_| true, uses: &|_| 0 };
    let found = index.search(&asked, &library, &world.system).unwrap();
    assert_eq!(world.library().skills.len(), 6);
    assert_eq!(found.total, 2);
    let names: Vec<_> =
        found.hits.iter().map(|hit| library.skills[hit.row].name.as_str()).collect();
    assert_eq!(names, ["docker-build", "compose"]);
}

#[test]
fn a_file_that_can_not_be_read_is_tried_again() {
    let world = small();
    let library = world.library();
    let path = "/a/books/nimble/SKILL.md";
    world.system.fail(path, Operation::Read, ErrorKind::PermissionDenied);
    let mut index = world.open();
    index.update(&library, &world.system).unwrap();
    index.save(&world.system).unwrap();
    world.system.heal();
    assert_eq!(world.names(&mut index, "brown"), [""; 0]);
    let mut index = world.open();
    assert_eq!(index.update(&library, &world.system).unwrap().stored, 1);
    assert_eq!(world.names(&mut index, "brown"), ["nimble"]);
}

#[test]
fn a_cache_that_can_not_be_written_costs_time_and_nothing_else() {
    let world = small();
    world.system.fail(FILE, Operation::Replace, ErrorKind::ReadOnlyFilesystem);
    for _ in 0..2 {
        let mut index = world.open();
        assert_eq!(index.update(&world.library(), &world.system).unwrap().stored, 7);
        assert_eq!(world.names(&mut index, "fox"), ["nimble"]);
        assert_eq!(index.save(&world.system).unwrap_err().kind(), ErrorKind::ReadOnlyFilesystem);
    }
    let mut nowhere = Index::open(&world.system, None).unwrap();
    nowhere.update(&world.library(), &world.system).unwrap();
    assert_eq!(nowhere.state(), &State::Off);
    assert!(!nowhere.save(&world.system).unwrap());
}

#[test]
fn an_index_does_not_grow_with_what_is_gone() {
    let world = small();
    let text = (0..4_000).map(|n| format!("word{n} ")).collect::<String>();
    world.lay("/a/large", "Large.", &text);
    drop(world.index());
    let length = || world.system.read(Path::new(FILE), u64::MAX).unwrap().len();
    let with = length();
    world.system.remove("/a/large");
    drop(world.index());
    assert!(length() < with / 2, "{} of {with}", length());
    for round in 0..40 {
        world.lay("/a/edited", "Edited.", &format!("round{round} {text}"));
        drop(world.index());
    }
    assert!(length() < with * 2, "{} after edits, {with} at first", length());
    assert_eq!(world.names(&mut world.index(), "round39"), ["edited"]);
    assert_eq!(world.names(&mut world.index(), "round38"), [""; 0]);
}

#[test]
fn on_real_files_the_index_is_private_and_follows_an_edit() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/x");
    fs::create_dir_all(&skill).unwrap();
    write(&skill, "A first text.");
    let root =
        Root { path: folder.path().join("skills"), label: OneLine::new("real"), category: None };
    let file = folder.path().join("cache/search.db");
    let find = |query: &str| {
        let library = scan(&OsSystem, std::slice::from_ref(&root), None);
        let mut index = Index::open(&OsSystem, Some(&file)).unwrap();
        index.update(&library, &OsSystem).unwrap();
        let query = Query::parse(query);
        let asked =
            super::Asked { query: &query, field: None, limit: 9, wanted: &|_| true, uses: &|_| 0 };
        let found = index.search(&asked, &library, &OsSystem).unwrap();
        index.save(&OsSystem).unwrap();
        found.total
    };
    assert_eq!((find("first"), find("second")), (1, 0));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    write(&skill, "A second text");
    assert_eq!((find("first"), find("second")), (0, 1));
}

#[test]
fn folders_whose_names_are_no_text_are_one_place_and_no_fault() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = tempfile::tempdir().unwrap();
    for name in [b"odd-\xfe", b"odd-\xff"] {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::create_dir(&path).unwrap();
        write(&path, "Never read.");
    }
    let root = Root { path: folder.path().to_owned(), label: OneLine::new("real"), category: None };
    let library = scan(&OsSystem, &[root], None);
    assert_eq!(library.skills.len(), 2);
    let mut index = Index::open(&OsSystem, None).unwrap();
    let updated = index.update(&library, &OsSystem).unwrap();
    assert_eq!((updated.stored, index.state()), (1, &State::Off));
    assert_eq!(index.update(&library, &OsSystem).unwrap().read, 0);
}

fn write(folder: &Path, body: &str) {
    let text = format!("---\nname: x\ndescription: D.\n---\n{body}\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
}
