//! Names and paths that would lead elsewhere, and roots that are not ours.

use std::{fs, os::unix::fs::symlink};

use super::skill;
use crate::keeping::{Keeping, ROOT};

#[test]
fn hostile_names_and_paths_are_refused_before_anything_is_touched() {
    let keeping = Keeping::owned();
    keeping.machine.write("work/x", "x\n");
    keeping.machine.write("outside/secret.md", "secret\n");
    keeping.machine.write(&format!("{ROOT}/notes/references/real.md"), "real\n");
    let notes = keeping.machine.path(&format!("{ROOT}/notes"));
    symlink(keeping.machine.path("outside"), notes.join("assets")).unwrap();
    symlink(keeping.machine.path("outside/secret.md"), notes.join("references/link.md")).unwrap();
    let (long, deep) = ("a".repeat(300), "a/".repeat(20));
    let long_path = format!("references/{long}");
    let deep_path = format!("references/{deep}x");
    let names = [
        "../x",
        "/etc/x",
        "a/../../b",
        "..",
        ".",
        "",
        ".git",
        ".skillkeep",
        "con",
        "NUL",
        "lpt1",
        "A B",
        "x-",
        "a--b",
        "na\u{ef}ve",
        "nai\u{308}ve",
        "d\u{435}ploy",
        "技能",
        "x\u{202e}y",
        "x\ny",
        "x.",
        "scripts",
        "node_modules",
        "~",
        &long,
    ];
    for name in names {
        keeping.refused(2, &["new", "--description", "Use it.", "--", name]);
        keeping
            .refused(2, &["new", "x", "--description", "Use it.", &format!("--category={name}")]);
    }
    let paths = [
        "../x",
        "../../x",
        "/etc/passwd",
        "a/../../b",
        "references/../../b",
        "references/./x",
        "references//x",
        ".git/config",
        ".skillkeep/owner",
        "con",
        "references/con.txt",
        "references/x.",
        "references/gro\u{308}sse.md",
        "references/a\nb",
        "references/\u{202e}x",
        "references\\x",
        "C:\\x",
        "~/x",
        "SKILL.md/x",
        "skill.md",
        "notes/references/SKILL.md",
        "references/SKILL.md",
        "README.md",
        "references",
        "references/",
        &long_path,
        &deep_path,
    ];
    for path in paths {
        for (verb, more) in [
            ("write", vec![format!("--put={path}=x")]),
            ("write", vec![format!("--remove={path}")]),
            ("write", vec![format!("--patch={path}"), "--old=a".to_owned(), "--new=b".to_owned()]),
        ] {
            let more: Vec<&str> = more.iter().map(String::as_str).collect();
            let said = keeping.refused(2, &[&[verb, "notes"], &more[..]].concat());
            assert!(said.contains(" as the path of a file, expected "), "{path}: {said}");
        }
        let put = format!("--put={path}=x");
        keeping.refused(2, &["new", "fresh", "--description", "Use it.", &put]);
    }
    // Links inside a skill: what lies behind them is neither read nor written.
    for more in [
        ["--put", "assets/secret.md=x"],
        ["--remove", "assets/secret.md"],
        ["--put", "references/link.md=x"],
        ["--remove", "references/link.md"],
    ] {
        let said = keeping.refused(1, &[&["write", "notes"], &more[..]].concat());
        assert!(
            said.contains("is a link or lies behind one, and is not written through"),
            "{said}"
        );
    }
    assert_eq!(fs::read(keeping.machine.path("outside/secret.md")).unwrap(), b"secret\n");
}

#[test]
fn a_skill_file_in_small_letters_gets_no_second_one_beside_it() {
    let keeping = Keeping::owned();
    keeping.machine.write(&format!("{ROOT}/small/skill.md"), skill("small", "Use it.", "Do.\n"));
    keeping.machine.write("work/new.md", skill("small", "Use it.", "Do that.\n"));
    let said = keeping.refused(1, &["write", "small", "--replace", "new.md"]);
    assert_eq!(said, "error: `small/skill.md` is there already\n");
}

#[test]
fn what_is_not_owned_is_not_written() {
    let keeping = Keeping::new();
    keeping.ok(&["init"]);
    keeping.machine.write("work/x", "x\n");
    for dry in [&[][..], &["--dry-run"]] {
        assert_eq!(
            keeping.refused(1, &[&["write", "deploy", "--put", "assets/x=x"], dry].concat()),
            "error: the root `[MACHINE]/user/.claude/skills` is not owned, and is only read\n\
             hint: skillkeep init [MACHINE]/user/.claude/skills\n"
        );
    }
}
