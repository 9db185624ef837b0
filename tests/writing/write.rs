//! `skillkeep write`, and the hashes of `show` that it asks for.

use std::process::Stdio;

use serde_json::{Value, json};

use super::skill;
use crate::keeping::{Keeping, ROOT};

#[test]
fn an_agent_names_what_it_read_and_gets_the_change_as_a_diff() {
    let keeping = Keeping::agent();
    let patch = ["write", "deploy", "--patch", "SKILL.md", "--old", "Do it.", "--new", "Do that."];
    let hash = keeping.hash("deploy", "SKILL.md");
    assert_eq!(
        keeping.refused(1, &patch),
        format!(
            "error: `SKILL.md` is there, and the hash of what was read of it is missing: it is {hash} now\n\
             hint: skillkeep show deploy --json; with its `hash`, write again: --base HASH\n"
        )
    );
    let shown = keeping.ok(&["show", "deploy"]).stderr;
    assert!(shown.contains(&format!("\nhash {hash}\n")), "{shown}");
    let done = keeping.ok(&[&patch[..], &["--base", &hash]].concat());
    assert_eq!(
        done.stdout,
        "change 1: changed `SKILL.md` of `deploy`
--- a/deploy/SKILL.md
+++ b/deploy/SKILL.md
@@ -4,4 +4,4 @@
 ---
 # deploy
 
-Do it.
+Do that.
"
    );
    assert_eq!(done.stderr, "");
    assert_eq!(keeping.ok(&["diff", "1"]).stdout, done.stdout.split_once('\n').unwrap().1);
    let now = keeping.hash("deploy", "SKILL.md");
    assert_eq!(
        keeping.refused(1, &[&patch[..], &["--base", &hash]].concat()),
        format!(
            "error: `SKILL.md` was changed since it was read: found {now}, expected {hash}\n\
             hint: skillkeep show deploy --json; with its `hash`, write again: --base HASH\n"
        )
    );
    let script = keeping.refused(1, &["write", "deploy", "--remove", "scripts/go.sh"]);
    let hint = "hint: skillkeep show deploy scripts/go.sh --json; with its `hash`, write again: --base scripts/go.sh=HASH\n";
    assert!(script.ends_with(hint), "{script}");
}

#[test]
fn show_prints_the_hash_of_every_file() {
    let keeping = Keeping::agent();
    let shown = keeping.json(&["show", "deploy"]);
    let script = keeping.hash("deploy", "scripts/go.sh");
    assert_eq!(shown["files"], json!([{ "path": "scripts/go.sh", "bytes": 10, "hash": script }]));
    assert_eq!(
        script,
        // As `printf '#!/bin/sh\n' | sha256sum` says.
        "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"
    );
}

#[test]
fn several_edits_are_one_change_and_one_undo() {
    let mut keeping = Keeping::owned();
    let before = keeping.tree();
    keeping.machine.write("work/skill.md", skill("deploy", "Use now.", "Do that.\n"));
    keeping.machine.write("work/a b.md", "a=b\n");
    let done = keeping.ok(&[
        "write",
        "deploy",
        "--replace",
        "skill.md",
        "--put",
        "references/a b.md=a b.md",
        "--remove",
        "scripts/go.sh",
    ]);
    assert_eq!(
        done.stdout,
        "change 1: changed 3 files of `deploy`
--- a/deploy/SKILL.md
+++ b/deploy/SKILL.md
@@ -1,7 +1,5 @@
 ---
 name: deploy
-description: Use when a service goes out.
+description: Use now.
 ---
-# deploy
-
-Do it.
+Do that.
--- /dev/null
+++ b/deploy/references/a b.md
@@ -0,0 +1 @@
+a=b
--- a/deploy/scripts/go.sh
+++ /dev/null
@@ -1 +0,0 @@
-#!/bin/sh
"
    );
    let record = keeping.json(&["log"]);
    assert_eq!(
        (record["changes"][0]["verb"].as_str(), record["changes"][0]["actor"].as_str()),
        (Some("write"), Some("person"))
    );
    keeping.change(&["undo", "1"]);
    assert_eq!(keeping.tree(), before);
    keeping.token = None;
    // One that may not be, and none of the others is done.
    keeping.machine.write("work/bad.md", "no header\n");
    let hash = keeping.hash("deploy", "SKILL.md");
    keeping.refused(
        1,
        &[
            "write",
            "deploy",
            "--put",
            "references/a.md=a b.md",
            "--replace",
            "bad.md",
            "--base",
            &hash,
        ],
    );
}

#[test]
fn edits_as_json_are_one_change() {
    let keeping = Keeping::agent();
    let (skill, script) =
        (keeping.hash("deploy", "SKILL.md"), keeping.hash("deploy", "scripts/go.sh"));
    let edits = json!({
        "base": { "SKILL.md": skill, "scripts/go.sh": script },
        "edits": [
            { "patch": { "path": "SKILL.md", "old": "Do it.", "new": "Do `a`.\nThen `b`." } },
            { "patch": { "path": "deploy/SKILL.md", "old": "Then", "new": "And then" } },
            { "put": { "path": "scripts/run.sh", "text": "#!/bin/sh\nrun\n", "executable": true } },
            { "remove": { "path": "scripts/go.sh" } },
        ],
    });
    let done = keeping.fed(
        &["--json", "write", "deploy", "--edits", "-", "--session", "s1", "--reason", "it runs"],
        &edits.to_string(),
    );
    assert_eq!(done.status, 0, "{done:#?}");
    let done: Value = serde_json::from_str(&done.stdout).unwrap();
    let after = |path: &str| keeping.hash("deploy", path);
    assert_eq!(
        done,
        json!({
            "schema": "skillkeep.write/1",
            "change": 1,
            "dry-run": false,
            "skill": done["skill"],
            "name": "deploy",
            "folder": "deploy",
            "what": "changed 3 files of `deploy`",
            "files": [
                { "path": "SKILL.md", "hash": after("SKILL.md"), "bytes": 95, "mode": "644" },
                { "path": "scripts/go.sh", "hash": null },
                { "path": "scripts/run.sh", "hash": after("scripts/run.sh"), "bytes": 14, "mode": "755" },
            ],
            "tolerated": [],
            "diffs": [
                "--- a/deploy/SKILL.md\n+++ b/deploy/SKILL.md\n@@ -4,4 +4,5 @@\n ---\n # deploy\n \n-Do it.\n+Do `a`.\n+And then `b`.\n",
                "--- a/deploy/scripts/go.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-#!/bin/sh\n",
                "--- /dev/null\n+++ b/deploy/scripts/run.sh\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+run\n",
            ],
            "notes": [],
        })
    );
    let record = &keeping.json(&["log"])["changes"][0];
    assert_eq!(
        (record["session"].as_str(), record["reason"].as_str()),
        (Some("s1"), Some("it runs"))
    );
}

#[test]
fn edits_that_can_not_be_read_are_refused_with_the_near_key() {
    let keeping = Keeping::agent();
    for (edits, said) in [
        (
            r#"{"edits":[{"putt":{"path":"references/a.md","text":"x"}}]}"#,
            "error: the edits can't be read: unknown variant `putt`, expected one of `put`, `patch`, `remove` at line 1 column 17\n\
             hint: did you mean `put`?\n",
        ),
        (
            r#"{"edits":[{"put":{"path":"references/a.md","txt":"x"}}]}"#,
            "error: the edits can't be read: unknown field `txt`, expected one of `path`, `text`, `executable` at line 1 column 48\n\
             hint: did you mean `text`?\n",
        ),
        (r#"{"edits":[]}"#, "error: no edit was given\nhint: put, patch or remove a file\n"),
    ] {
        let ran = keeping.fed(&["write", "deploy", "--edits", "-"], edits);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", said));
    }
}

#[test]
fn a_dry_run_shows_the_diff_and_leaves_files_and_ledger_untouched() {
    let keeping = Keeping::owned();
    let patch = ["write", "deploy", "--patch", "SKILL.md", "--old", "Do it.", "--new", "Do that."];
    // A skill that the ledger doesn't know yet is no reason to write there.
    keeping.machine.write(&format!("{ROOT}/late/SKILL.md"), skill("late", "Use it.", "Do.\n"));
    keeping.machine.write("work/x", "x\n");
    let before = (keeping.tree(), keeping.ledger());
    let dry = keeping.ok(&[&patch[..], &["--dry-run"]].concat());
    assert_eq!(dry.stderr, "dry run: nothing is written\n");
    let late = keeping.json(&["write", "late", "--put", "scripts/x=x", "--dry-run"]);
    assert_eq!(late["dry-run"], true);
    assert_eq!((keeping.tree(), keeping.ledger()), before);
    let done = keeping.ok(&patch);
    assert_eq!(done.stdout, format!("change 1: changed `SKILL.md` of `deploy`\n{}", dry.stdout));
}

#[test]
fn a_patch_that_is_not_exact_is_refused_or_named() {
    let keeping = Keeping::owned();
    keeping
        .machine
        .write(&format!("{ROOT}/deploy/references/a.md"), "one\n  two\n  two\n\tthree\na\\nb\n");
    let patch = |more: &[&'static str]| -> Vec<&'static str> {
        [&["write", "deploy", "--patch", "references/a.md"], more].concat()
    };
    for (status, more, said) in [
        (
            1,
            &["--old", "four", "--new", "x"][..],
            "error: `references/a.md` is not patched: the text to replace is not in the file\n\
             hint: read the file again and copy the passage from it; the same call fails again\n",
        ),
        (
            1,
            &["--old", "onne", "--new", "x"],
            "error: `references/a.md` is not patched: the text to replace is not in the file; line 1 is `one`\n\
             hint: read the file again and copy the passage from it; the same call fails again\n",
        ),
        (
            1,
            &["--old", "two", "--new", "x"],
            "error: `references/a.md` is not patched: the text to replace is in the file 2 times, in lines 2, 3, expected once\n\
             hint: give more lines around the passage, or ask for all places\n",
        ),
        (
            1,
            &["--old", "  two ", "--new", "x", "--tolerant"],
            "error: `references/a.md` is not patched: the text to replace is in the file 2 times, in lines 2, 3, expected once\n\
             hint: copy the passage from the file exactly, with more lines around it\n",
        ),
        (
            1,
            &["--old", "one", "--new", "one"],
            "error: `references/a.md` is not patched: the new text is the old one, so nothing would change\n\
             hint: the file says it already; nothing is left to do\n",
        ),
        (
            1,
            &["--old", "", "--new", "x"],
            "error: `references/a.md` is not patched: the text to replace is empty\n\
             hint: give a passage copied from the file, or replace the whole file; the same call fails again\n",
        ),
        (
            1,
            &["--old", "  ", "--new", "x"],
            "error: `references/a.md` is not patched: the text to replace is blank\n\
             hint: give a passage copied from the file, or replace the whole file; the same call fails again\n",
        ),
        (
            2,
            &["--new", "x"],
            "error: `references/a.md` is not patched: no text to replace was given\n\
             hint: give a passage copied from the file, or replace the whole file; the same call fails again\n",
        ),
        (
            2,
            &["--old", "one"],
            "error: `references/a.md` is not patched: no text was given to put in the place of the old one; an empty one deletes it\n\
             hint: give the new text; an empty one deletes the passage\n",
        ),
    ] {
        assert_eq!(keeping.refused(status, &patch(more)), said, "{more:?}");
    }
    let done = keeping.ok(&patch(&["--old", "three", "--new", "-3", "--tolerant"]));
    assert_eq!(done.stderr, "");
    let done = keeping.ok(&patch(&["--old", "one \n", "--new", "1\n", "--tolerant"]));
    assert_eq!(
        done.stderr,
        "warning: the passage is not in `references/a.md` as it was given; it was found by the tolerance `trailing-space`\n"
    );
    assert!(done.stdout.contains("\n-one\n+1\n"), "{}", done.stdout);
    keeping.ok(&patch(&["--old", "two", "--new", "2", "--all"]));
    // A backslash and an n are these two characters on both sides.
    keeping.ok(&patch(&["--old", "a\\nb", "--new", "c\\nd"]));
    assert_eq!(keeping.text("deploy/references/a.md"), "1\n  2\n  2\n\t-3\nc\\nd\n");
}

#[test]
fn what_changes_nothing_or_would_break_a_skill_is_refused() {
    let keeping = Keeping::owned();
    keeping.machine.write("work/same.md", keeping.text("deploy/SKILL.md"));
    keeping.machine.write("work/large", vec![b'x'; 1024 * 1024 + 1]);
    keeping.machine.write("work/long.md", skill("deploy", "Use it.", &"x".repeat(100_000)));
    let hash = "0".repeat(64);
    for (status, more, said) in [
        (
            1,
            &["--replace", "same.md"][..],
            "error: nothing would change: what was given is there already\n",
        ),
        (
            1,
            &["--remove", "references/gone.md"],
            "error: there is no `references/gone.md`; there are SKILL.md, scripts/go.sh\n",
        ),
        (
            1,
            &["--remove", "SKILL.md"],
            "error: `deploy` can't be written: its SKILL.md makes it a skill; archive it instead\n",
        ),
        (
            1,
            &["--put", "assets/x=large"],
            "error: `assets/x` is not written: the file has 1048577 bytes, expected 1048576 at most\n\
             hint: keep large data outside and say where it is\n",
        ),
        (
            1,
            &["--replace", "long.md"],
            "error: `SKILL.md` is not written: the SKILL.md has 100042 characters, expected 100000 at most\n\
             hint: move parts of it to files in `references/` and name these in the text\n",
        ),
        (
            1,
            &["--patch", "SKILL.md", "--old", "---\nname", "--new", "name"],
            "error: `SKILL.md` is not written: the header of the SKILL.md can't be read (line 1): the first line is not `---`\n\
             hint: write `name` and `description` between two lines `---` at the top\n",
        ),
        (
            2,
            &[],
            "error: nothing to write was given\n\
             hint: skillkeep write deploy --put PATH=FILE, or --patch, --replace, --remove, --edits\n",
        ),
        (
            2,
            &["--put", "assets/a=same.md", "--put", "assets/a=large"],
            "error: `assets/a` is given twice in one change, and the first would be lost\n\
             hint: give each file once, or patch it after it was put\n",
        ),
        (
            2,
            &["--put", "assets/a=-", "--put", "assets/b=-"],
            "error: `-` can't be read: standard input was read already\n\
             hint: give `-` once, and the other texts as files\n",
        ),
        (
            2,
            &["--put", "assets/a=same.md", "--base", "abc"],
            "error: found `abc` as the hash of `SKILL.md`, expected 64 hex digits\n\
             hint: it comes with the text of `show --json`\n",
        ),
    ] {
        assert_eq!(
            keeping.refused(status, &[&["write", "deploy"], more].concat()),
            said,
            "{more:?}"
        );
    }
    let unused =
        keeping.refused(2, &["write", "deploy", "--put", "assets/a=same.md", "--base", &hash]);
    assert!(
        unused
            .starts_with("error: a hash of `SKILL.md` was given, and no edit is about that file\n"),
        "{unused}"
    );
    let missing = keeping.refused(1, &["write", "deplo", "--replace", "same.md"]);
    assert_eq!(
        missing,
        "error: no skill is called `deplo` among 2 skills in 1 root\nhint: did you mean `deploy`?\n"
    );
}

#[test]
fn of_two_that_write_at_once_what_they_read_one_does() {
    let keeping = Keeping::agent();
    let hash = keeping.hash("deploy", "SKILL.md");
    let write = |new: &str| {
        let arguments = [
            "write", "deploy", "--patch", "SKILL.md", "--old", "Do it.", "--new", new, "--base",
            &hash,
        ];
        let mut command = keeping.machine.command(&arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let both = [write("One."), write("Two.")];
    let mut ends = both.map(|mut one| one.wait().unwrap().code());
    ends.sort_unstable();
    assert_eq!(ends, [Some(0), Some(1)]);
    assert_eq!(keeping.ledger().0, 1);
}

#[test]
fn a_file_beside_the_skill_file_is_written_where_it_is_there() {
    let keeping = Keeping::agent();
    keeping.machine.write(&format!("{ROOT}/deploy/forms.md"), "One form.\n");
    keeping.machine.write(&format!("{ROOT}/deploy/.git/config"), "[core]\n");
    let hash = keeping.hash("deploy", "forms.md");
    let base = format!("forms.md={hash}");
    let patch = ["write", "deploy", "--patch", "forms.md", "--old", "One", "--new", "Two"];
    let ran = keeping.ok(&[&patch[..], &["--base", &base]].concat());
    assert!(ran.stdout.contains("-One form.\n+Two form.\n"), "{ran:#?}");
    assert_eq!(keeping.text("deploy/forms.md"), "Two form.\n");
    for (path, expected) in [
        ("more.md", "found `more.md` as the path of a file, expected `SKILL.md`, or a file in "),
        (
            ".git/config",
            "found `.git/config` as the path of a file, expected `SKILL.md`, or a file in ",
        ),
    ] {
        let put = format!("{path}=-");
        let ran = keeping.fed(&["write", "deploy", "--put", &put], "x\n");
        assert_eq!(ran.status, 2, "{ran:#?}");
        assert!(ran.stderr.contains(expected), "{ran:#?}");
    }
}
