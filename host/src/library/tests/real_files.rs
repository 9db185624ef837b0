//! The same on a real file system: links, loops, rights and times as they are.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::{loose, rows, skill_text};
use crate::{
    library::{CacheState, Library, scan},
    skill::{OneLine, Root},
    system::OsSystem,
};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn scanned(path: &Path, cache: Option<&Path>) -> Library {
    let root = Root { path: path.to_owned(), label: OneLine::new("real"), category: None };
    scan(&OsSystem, &[root], cache)
}

#[test]
fn links_loops_and_dangling_links_are_what_they_are_in_memory() {
    let world = tempfile::tempdir().unwrap();
    let at = fs::canonicalize(world.path()).unwrap();
    write(&at.join("r/a/one/SKILL.md"), &skill_text("one"));
    write(&at.join("hub/two/SKILL.md"), &skill_text("two"));
    symlink("../hub/two", at.join("r/two")).unwrap();
    symlink("..", at.join("r/a/up")).unwrap();
    symlink("loop", at.join("r/loop")).unwrap();
    symlink("../nowhere", at.join("r/gone")).unwrap();
    symlink(at.join("r"), at.join("skills")).unwrap();
    let library = scanned(&at.join("skills"), None);
    let shown = |row: String| row.replace(at.to_str().unwrap(), "");
    assert_eq!(
        rows(&library).into_iter().map(shown).collect::<Vec<_>>(),
        [
            "0 a/one:SKILL.md a/one live",
            "0 gone: general/gone broken -> ../nowhere",
            "0 loop: general/loop broken -> loop",
            "0 two:SKILL.md general/two live -> /hub/two",
        ]
    );
    assert_eq!(loose(&library), ["a/up: link-loop"]);
    assert_eq!(library.path_of(0).unwrap(), at.join("r/a/one/SKILL.md"));
}

#[test]
fn a_change_in_the_same_moment_is_seen_and_an_old_file_is_not_read_again() {
    let world = tempfile::tempdir().unwrap();
    let (root, cache) = (world.path().join("r"), world.path().join("cache/facts"));
    let file = root.join("a/SKILL.md");
    write(&file, &skill_text("aa"));
    let name = |library: &Library| library.skills[0].name.to_string();
    let first = scanned(&root, Some(&cache));
    assert_eq!((name(&first), first.stats.cache), ("aa".to_owned(), CacheState::Absent));
    for next in ["bb", "cc", "dd"] {
        // Same size, same inode, and most likely the same tick of the clock.
        fs::write(&file, skill_text(next)).unwrap();
        let library = scanned(&root, Some(&cache));
        assert_eq!((name(&library), library.stats.files_read), (next.to_owned(), 1));
    }
}

#[test]
fn a_folder_with_a_name_that_is_not_utf8_is_a_broken_row() {
    use std::os::unix::ffi::OsStrExt;
    let world = tempfile::tempdir().unwrap();
    let folder = world.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    if fs::create_dir(&folder).is_err() {
        return; // some file systems take no such names
    }
    let library = scanned(world.path(), None);
    assert_eq!(rows(&library), ["0 caf\u{fffd}: general/caf\u{fffd} broken"]);
    assert_eq!(super::problems(&library, 0), ["odd-folder-name"]);
}
