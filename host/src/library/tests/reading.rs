//! What of a skill's files is listed and opened.

use std::path::{Path, PathBuf};

use super::world;
use crate::{
    library::{files_of, open_inside},
    system::MemorySystem,
};

fn skill() -> MemorySystem {
    let world = world(&["/r/pop", "/r/pop/inner", "/r/pop/references/copy"]);
    world.write("/r/pop/references/guide.md", "guide");
    world.write("/r/pop/scripts/deep/run.sh", "12");
    world.write("/r/pop/notes.txt", "n");
    world.write("/r/pop/inner/own.md", "x");
    world.write("/r/pop/node_modules/x.js", "x");
    world.write("/r/secret", "hidden words");
    world.write("/shared/common.md", "common");
    world.link("/r/pop/out.md", "/r/secret");
    world.link("/r/pop/escape", "..");
    world.link("/r/pop/common.md", "/shared/common.md");
    world.link("/r/pop/gone.md", "missing");
    world
}

#[test]
fn a_skills_own_files_are_listed_with_their_sizes() {
    let files = files_of(&skill(), Path::new("/r/pop")).unwrap();
    let files: Vec<_> = files.iter().map(|(path, size)| (path.as_str(), *size)).collect();
    assert_eq!(
        files,
        [
            ("common.md", 6),
            ("notes.txt", 1),
            ("out.md", 12),
            ("references/copy/SKILL.md", 56),
            ("references/guide.md", 5),
            ("scripts/deep/run.sh", 2),
        ]
    );
    assert!(files_of(&skill(), Path::new("/r/none")).is_err());
}

#[test]
fn a_list_of_files_is_bounded() {
    let world = world(&["/r/pop"]);
    for number in 0..1_200 {
        world.write(format!("/r/pop/assets/{number}"), "");
    }
    assert_eq!(files_of(&world, Path::new("/r/pop")).unwrap().len(), 1_000);
}

#[test]
fn only_what_lies_inside_is_opened() {
    let world = skill();
    world.write("/r/pop/big", vec![0; 4 * 1024 * 1024 + 1]);
    let allowed = [PathBuf::from("/shared")];
    let open = |path: &str| match open_inside(&world, Path::new("/r/pop"), path, &allowed) {
        Ok((real, bytes)) => format!("{} {}", real.display(), String::from_utf8_lossy(&bytes)),
        Err(error) => error.to_string(),
    };
    for (path, result) in [
        ("references/guide.md", "/r/pop/references/guide.md guide"),
        ("./scripts//deep/run.sh", "/r/pop/scripts/deep/run.sh 12"),
        ("common.md", "/shared/common.md common"),
        ("../secret", "`../secret` has a part `..`; expected a path below the skill's folder"),
        (
            "a/../../secret",
            "`a/../../secret` has a part `..`; expected a path below the skill's folder",
        ),
        (
            "a\\..\\..\\x",
            "`a\\..\\..\\x` has a part `..`; expected a path below the skill's folder",
        ),
        ("/r/secret", "`/r/secret` is an absolute path; expected one below the skill's folder"),
        ("C:\\x", "`C:\\x` is an absolute path; expected one below the skill's folder"),
        ("out.md", "`out.md` leads out of the skill's folder"),
        ("escape/secret", "`escape/secret` leads out of the skill's folder"),
        ("gone.md", "no file `gone.md`"),
        ("nothing", "no file `nothing`"),
        ("notes.txt/x", "no file `notes.txt/x`"),
        ("references", "`references` is no regular file"),
        ("", "`` is no path of a file"),
        (".", "`.` is no path of a file"),
        ("big", "`big` has 4194305 bytes; at most 4194304 are read"),
    ] {
        assert_eq!(open(path), result, "{path:?}");
    }
}
