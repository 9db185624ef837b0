//! `skillkeep new`

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use serde_json::json;

use super::skill;
use crate::keeping::{Keeping, ROOT};

#[test]
fn a_skill_is_made_from_a_description() {
    let keeping = Keeping::agent();
    let before = keeping.tree();
    let made = keeping.ok(&["new", "k8s-roll", "--description", "Use for prod: a rollout."]);
    assert_eq!(made.stdout, "change 1: created `k8s-roll`\n");
    assert_eq!(made.stderr, "hint: it lies at `~/.claude/skills/k8s-roll/SKILL.md`\n");
    assert_eq!(
        keeping.text("k8s-roll/SKILL.md"),
        "---\nname: k8s-roll\ndescription: \"Use for prod: a rollout.\"\n---\n\n# K8s roll\n"
    );
    assert_eq!(keeping.names(), ["deploy", "k8s-roll", "notes"]);
    let keeping = keeping.by_a_person();
    keeping.change(&["undo", "1"]);
    assert_eq!(keeping.tree(), before);
}

#[test]
fn a_skill_is_made_of_several_files_as_one_change() {
    let keeping = Keeping::agent();
    let run = keeping.machine.write("work/run.sh", "#!/bin/sh\n");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    keeping.machine.write("work/it.md", skill("grow", "Use when it grows.", "Grow.\n"));
    keeping
        .machine
        .write("work/edits.json", r#"{"edits":[{"put":{"path":"references/a.md","text":"a\n"}}]}"#);
    let made = keeping.json(&[
        "new",
        "grow",
        "--category",
        "ops",
        "--from",
        "it.md",
        "--put",
        "scripts/run.sh=run.sh",
    ]);
    assert_eq!(made["change"], 1);
    assert_eq!((made["name"].as_str(), made["folder"].as_str()), (Some("grow"), Some("ops/grow")));
    let paths: Vec<&str> =
        made["files"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["SKILL.md", "scripts/run.sh"]);
    assert_eq!(made["files"][0]["hash"].as_str().unwrap(), keeping.hash("grow", "SKILL.md"));
    assert_eq!(made["files"][1]["mode"], "755");

    let text = skill("shrink", "Use when it shrinks.", "Shrink.\n");
    let made = keeping.fed(&["new", "shrink", "--from", "-", "--edits", "edits.json"], &text);
    assert_eq!((made.status, made.stdout.as_str()), (0, "change 2: created `shrink`\n"));
    assert_eq!(keeping.text("shrink/SKILL.md"), text);
    assert_eq!(keeping.text("shrink/references/a.md"), "a\n");

    // The SKILL.md may come by the edits too, and then no description is asked for.
    let edits = json!({"edits": [{"put": {"path": "SKILL.md", "text": skill("x", "Use for x.", "Do.\n")}}]});
    let made = keeping.fed(&["new", "x", "--edits", "-"], &edits.to_string());
    assert_eq!((made.status, made.stdout.as_str()), (0, "change 3: created `x`\n"));
}

#[test]
fn what_may_not_be_made_is_refused_with_what_to_do() {
    let keeping = Keeping::agent();
    keeping.machine.write("work/other.md", skill("other", "Use it.", "Do.\n"));
    keeping.machine.write("work/bare.md", "no header\n");
    keeping.machine.write("work/x.md", "x\n");
    let long = "d".repeat(1_025);
    let described = ["--description", "Use it."];
    for (status, arguments, said) in [
        (
            1,
            &[&["deploy"], &described[..]].concat()[..],
            "error: a skill `deploy` is there already, at `[MACHINE]/user/.claude/skills/deploy`\n\
             hint: change that one: skillkeep write deploy; or make another one beside it with `--shadow`\n",
        ),
        (
            2,
            &["x"],
            "error: a skill needs a description, and none was given\n\
             hint: skillkeep new x --description 'Use when …'\n\
             hint: or take a whole SKILL.md from a file: --from FILE\n",
        ),
        (
            1,
            &["x", "--description", &long],
            "error: `SKILL.md` is not written: the description has 1025 characters, expected 1024 at most\n\
             hint: say when to use it, and the rest below\n",
        ),
        (
            1,
            &["x", "--description", " "],
            "error: `SKILL.md` is not written: the header of the SKILL.md has no `description`\n\
             hint: begin with `---`, `name:`, `description:`, `---`, then say what to do\n",
        ),
        (
            1,
            &["x", "--from", "other.md"],
            "error: `SKILL.md` is not written: the header names the skill `other`, expected `x` as its folder is called\n\
             hint: write `name: x`\n",
        ),
        (
            1,
            &["x", "--from", "bare.md"],
            "error: `SKILL.md` is not written: the header of the SKILL.md can't be read (line 1): the first line is not `---`\n\
             hint: write `name` and `description` between two lines `---` at the top\n",
        ),
        (
            2,
            &["x", "--from", "gone.md"],
            "error: `gone.md` can't be read: No such file or directory (os error 2)\n",
        ),
        (
            2,
            &["x", "--from", "other.md", "--put", "SKILL.md=x.md"],
            "error: `SKILL.md` is given twice in one change, and the first would be lost\n\
             hint: give each file once, or patch it after it was put\n",
        ),
        (
            2,
            &[&["x", "--in", "cloude"], &described[..]].concat(),
            "error: there is no root `cloude`\nhint: did you mean `claude`?\n",
        ),
        (
            2,
            &[&["x", "--put", "scripts/x"], &described[..]].concat(),
            "error: found `--put scripts/x`, expected PATH=FILE\n",
        ),
    ] {
        assert_eq!(keeping.refused(status, &[&["new"], arguments].concat()), said, "{arguments:?}");
    }
    let both = keeping.refused(2, &["new", "x", "--description", "Use it.", "--from", "other.md"]);
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn a_skill_that_shadows_another_is_made_where_that_is_said_and_told() {
    let keeping = Keeping::agent();
    let made = keeping.ok(&[
        "new",
        "deploy",
        "--category",
        "ops",
        "--shadow",
        "--description",
        "Use the other way.",
    ]);
    assert_eq!(made.stdout, "change 1: created `deploy`\n");
    assert_eq!(
        made.stderr,
        "warning: another `deploy` is at `~/.claude/skills/deploy/SKILL.md`\n\
         hint: `skillkeep list` shows which of them counts\n\
         hint: it lies at `~/.claude/skills/ops/deploy/SKILL.md`\n"
    );
}

#[test]
fn a_new_skill_does_not_shadow_one_behind_a_link() {
    let keeping = Keeping::agent();
    keeping.machine.write("store/abc/recall/SKILL.md", skill("recall", "Use it.", "Do.\n"));
    symlink(
        keeping.machine.path("store/abc/recall"),
        keeping.machine.path(&format!("{ROOT}/recall")),
    )
    .unwrap();
    assert_eq!(
        keeping.refused(1, &["new", "recall", "--description", "Use it."]),
        "error: a skill `recall` is there already, at `[MACHINE]/user/.claude/skills/recall`\n\
         hint: change that one: skillkeep write recall; or make another one beside it with `--shadow`\n"
    );
    let link = keeping.refused(1, &["write", "recall", "--remove", "references/x.md"]);
    assert_eq!(
        link,
        "error: `recall` has no folder of its own that could be changed\nhint: skillkeep why recall\n"
    );
}

#[test]
fn a_skill_is_made_in_the_first_owned_root_or_in_the_one_that_is_named() {
    let keeping = Keeping::agent();
    keeping.machine.write("user/.agents/skills/other/SKILL.md", skill("other", "Use it.", "Do.\n"));
    assert_eq!(
        keeping.refused(1, &["new", "x", "--description", "Use it.", "--in", "agents"]),
        "error: the root `[MACHINE]/user/.agents/skills` is not owned, and is only read\n\
         hint: skillkeep init [MACHINE]/user/.agents/skills\n"
    );
    let other = keeping.machine.path("user/.agents/skills");
    keeping.ok(&["init", other.to_str().unwrap()]);
    keeping.ok(&["new", "one", "--description", "Use it."]);
    keeping.ok(&["new", "two", "--description", "Use it.", "--in", "agents"]);
    keeping.ok(&["new", "three", "--description", "Use it.", "--in", other.to_str().unwrap()]);
    assert!(keeping.machine.path(&format!("{ROOT}/one/SKILL.md")).exists());
    assert!(other.join("two/SKILL.md").exists() && other.join("three/SKILL.md").exists());
}

#[test]
fn without_an_owned_root_no_skill_is_made() {
    let keeping = Keeping::new();
    keeping.ok(&["init"]);
    assert_eq!(
        keeping.no(1, &["new", "x", "--description", "Use it."]),
        "error: this home owns no root, so no skill can be made\nhint: skillkeep init ~/.claude/skills\n"
    );
}

#[test]
fn an_empty_root_can_be_taken_and_the_last_skill_comes_back() {
    let keeping = Keeping::new();
    for name in ["deploy", "notes"] {
        fs::remove_dir_all(keeping.machine.path(&format!("{ROOT}/{name}"))).unwrap();
    }
    let root = keeping.machine.path(ROOT);
    let taken = keeping.ok(&["init", root.to_str().unwrap()]).stdout;
    assert!(taken.ends_with("  1  claude  ~/.claude/skills  0 skills  owned\n"), "{taken}");
    keeping.ok(&["new", "first", "--description", "Use it first."]);
    keeping.ok(&["archive", "first"]);
    let keeping = keeping.by_a_person();
    keeping.ok(&["restore", "first"]);
    assert_eq!(keeping.names(), ["first"]);
}
