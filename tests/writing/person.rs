//! `skillkeep edit` and `purge`: what a person does, at a terminal.

use std::fs;

use super::skill;
use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
};

impl Keeping {
    /// Runs it at a terminal of its own, where both streams come to one. `typed` is what the person types; an editor
    /// finds `text` in the variable `TEXT`.
    #[cfg(target_os = "linux")]
    pub fn seated(&self, editor: &str, text: &str, typed: &str, arguments: &[&str]) -> Ran {
        use std::{io::Write as _, process::Stdio};
        let program = self.machine.command(arguments);
        let line: Vec<String> = std::iter::once(program.get_program())
            .chain(program.get_args())
            .map(|part| format!("'{}'", part.to_str().unwrap()))
            .collect();
        let mut command = std::process::Command::new("/usr/bin/script");
        command
            .args(["--echo", "never", "-qec", &line.join(" "), "/dev/null"])
            .current_dir(program.get_current_dir().unwrap())
            .env_clear()
            .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("SHELL", "/bin/sh")
            .env("VISUAL", editor)
            .env("TEXT", text)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("`script` of util-linux makes the terminal");
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let ran = self.machine.finish(child.wait_with_output().unwrap());
        Ran { stdout: ran.stdout.replace("\r\n", "\n"), ..ran }
    }

    /// The private copies that are kept in the home.
    fn kept(&self) -> Vec<String> {
        let folders = fs::read_dir(self.machine.path("home/edits")).into_iter().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }
}

/// An editor that leaves `$TEXT` in the file.
const LEAVES: &str = "printf %s \"$TEXT\" >";

#[test]
#[cfg(target_os = "linux")]
fn what_a_person_leaves_in_the_editor_is_written() {
    let keeping = Keeping::owned().by_a_person();
    let before = keeping.tree();
    let text = skill("deploy", "Use when a service goes out.", "# deploy\n\nDo that.\n");
    let ran = keeping.seated(LEAVES, &text, "", &["edit", "deploy", "--reason", "it changed"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (
            0,
            "change 1: changed `SKILL.md` of `deploy`
--- a/deploy/SKILL.md
+++ b/deploy/SKILL.md
@@ -4,4 +4,4 @@
 ---
 # deploy
 
-Do it.
+Do that.
"
        )
    );
    let record = &keeping.json(&["log"])["changes"][0];
    assert_eq!(
        (record["actor"].as_str(), record["reason"].as_str()),
        (Some("person"), Some("it changed"))
    );
    let ran = keeping.seated(LEAVES, "a\n", "", &["edit", "deploy", "references/a.md"]);
    assert_eq!(ran.status, 0, "{ran:#?}");
    assert_eq!(keeping.text("deploy/references/a.md"), "a\n");
    let same = keeping.seated(LEAVES, &text, "", &["edit", "deploy"]);
    assert_eq!((same.status, same.stdout.as_str()), (0, "nothing was changed\n"));
    assert!(keeping.kept().is_empty());
    for change in ["2", "1"] {
        keeping.change(&["undo", change]);
    }
    assert_eq!(keeping.tree(), before);
}

#[test]
#[cfg(target_os = "linux")]
fn an_editor_that_fails_writes_nothing_and_loses_nothing() {
    let keeping = Keeping::owned();
    let before = keeping.tree();
    let ran = keeping.seated("exit 3; true", "", "", &["edit", "deploy"]);
    let said = "error: the editor `exit 3; true` ended with status 3; nothing was written\n";
    assert_eq!((ran.status, ran.stdout.as_str()), (1, said));
    let ran = keeping.seated("no-such-editor", "", "", &["edit", "deploy"]);
    assert_eq!(ran.status, 3, "{ran:#?}");
    assert!(
        ran.stdout.ends_with(
            "error: the editor `no-such-editor` can't be started: the shell ended with status 127; nothing was written\n\
             hint: name another one in `VISUAL` or `EDITOR`\n"
        ),
        "{ran:#?}"
    );
    assert!(keeping.kept().is_empty());
    let ran =
        keeping.seated("f() { printf half > \"$1\"; exit 1; }; f", "", "", &["edit", "deploy"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.contains("hint: your text is kept; mend it, then: skillkeep write deploy --put SKILL.md=[MACHINE]/home/edits/"));
    assert_eq!(keeping.kept(), ["half"]);
    assert_eq!((keeping.tree(), keeping.ledger().0), (before, 0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_text_that_is_refused_is_kept() {
    let keeping = Keeping::owned();
    let before = keeping.tree();
    let ran = keeping.seated(LEAVES, "no header\n", "", &["edit", "deploy"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    let said = "error: `SKILL.md` is not written: the header of the SKILL.md can't be read (line 1): the first line is not `---`\n\
                hint: write `name` and `description` between two lines `---` at the top\n\
                hint: your text is kept; mend it, then: skillkeep write deploy --put SKILL.md=[MACHINE]/home/edits/";
    assert!(ran.stdout.starts_with(said), "{ran:#?}");
    assert_eq!(keeping.tree(), before);
    // Somebody else was faster.
    let theirs = keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"));
    let editor = format!("printf theirs > '{}'; {LEAVES}", theirs.display());
    let mine = skill("deploy", "Use it.", "Mine.\n");
    let ran = keeping.seated(&editor, &mine, "", &["edit", "deploy"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.starts_with("error: `SKILL.md` was changed since it was read: found "));
    assert_eq!(keeping.text("deploy/SKILL.md"), "theirs");
    let mut kept = keeping.kept();
    kept.sort();
    assert_eq!(kept, [mine, "no header\n".to_owned()]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_skill_without_a_description_is_described_in_the_editor() {
    let keeping = Keeping::owned();
    let ran = keeping.seated(LEAVES, &skill("x", "Use for x.", "Do.\n"), "", &["new", "x"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "change 1: created `x`\nhint: it lies at `~/.claude/skills/x/SKILL.md`\n")
    );
    let before = keeping.tree();
    let ran = keeping.seated("true", "", "", &["new", "y"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (1, "error: the template was left as it was, so no skill is made\n")
    );
    assert!(keeping.kept().is_empty());
    let taken = keeping.seated(LEAVES, "never opened", "", &["new", "deploy"]);
    assert!(taken.stdout.starts_with("error: a skill `deploy` is there already"), "{taken:#?}");
    assert!(keeping.kept().is_empty());
    let ran = keeping.seated(LEAVES, "y", "", &["new", "y"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.contains("then: skillkeep new y --from [MACHINE]/home/edits/"), "{ran:#?}");
    assert_eq!((keeping.tree(), keeping.kept()), (before, vec!["y".to_owned()]));
}

#[test]
fn without_a_terminal_no_editor_opens() {
    let keeping = Keeping::owned();
    assert_eq!(
        keeping.refused(2, &["edit", "deploy"]),
        "error: there is no terminal to open an editor at\n\
         hint: skillkeep write deploy --put SKILL.md=FILE\n"
    );
}

const PLAN: &str = "\
`deploy`, archived at [TIME], skill [ID]

is erased for good:
  2 files, 90 bytes
    SKILL.md
    scripts/go.sh
  4 former texts that no other skill has
  0 records of what indexes and passes were decided from

copies may remain in:
  the ledger keeps names, reasons, times and hashes of its changes, and its backups do
  other archived copies of the skill, and other skills with the same text
  snapshots keep the names, sizes and hashes of its files; files that were exported of one keep all
  other homes' objects, exports and syncs of this root
  swap and backup files of editors, backups and snapshots of the disk
  caches and histories of agents that read it, and what they were sent
";

/// The plan without what differs from run to run.
fn stable(text: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap();
    let name = first.split(',').next().unwrap();
    assert!(first.starts_with(&format!("{name}, archived at 2")), "{first}");
    format!("{name}, archived at [TIME], skill [ID]\n{rest}")
}

/// Every file of home and root that holds a text.
fn holders(keeping: &Keeping, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![keeping.machine.path("home"), keeping.machine.path("user")];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else if fs::read(&path).unwrap().windows(text.len()).any(|it| it == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_secret_is_erased_wherever_this_home_has_it() {
    const SECRET: &str = "hunter2-is-my-password";
    let keeping = Keeping::owned();
    let text = skill("deploy", &format!("Use it with {SECRET}."), &format!("{SECRET}\n"));
    keeping.machine.write("work/with.md", text);
    keeping.machine.write("work/without.md", skill("deploy", "Use it.", "Do it.\n"));
    keeping.change(&["write", "deploy", "--replace", "with.md"]);
    let block = keeping.ok(&["index", "--session", "s"]).stdout;
    assert!(block.contains(SECRET), "{block}");
    assert!(keeping.ok(&["search", SECRET]).stdout.contains("deploy"));
    keeping.change(&["write", "deploy", "--replace", "without.md"]);
    assert_eq!(holders(&keeping, SECRET).len(), 1, "the former text");
    keeping.change(&["archive", "deploy"]);

    let before = (keeping.tree(), keeping.ledger(), holders(&keeping, SECRET));
    let dry = keeping.ok(&["purge", "deploy", "--dry-run"]);
    assert_eq!(
        (stable(&dry.stdout).as_str(), dry.stderr.as_str()),
        (
            PLAN.replace("90", "59")
                .replace("4 former", "5 former")
                .replace("0 records", "1 record")
                .as_str(),
            ""
        )
    );
    let plan = keeping.json(&["purge", "deploy", "--dry-run"]);
    assert_eq!(plan["schema"], "skillkeep.purge/1");
    assert_eq!(plan["files"], serde_json::json!(["SKILL.md", "scripts/go.sh"]));
    assert_eq!(plan["objects"].as_array().unwrap().len(), 5);
    assert_eq!(keeping.ledger(), before.1);
    let asks = keeping.no(2, &["purge", "deploy"]);
    let asks = stable(&asks);
    assert!(
        asks.ends_with(
            "error: there is no terminal to ask at whether this is meant\n\
             hint: skillkeep purge deploy --dry-run, and then --yes\n"
        ),
        "{asks}"
    );
    assert_eq!(
        (keeping.tree(), keeping.ledger().0, holders(&keeping, SECRET)),
        (before.0, before.1.0, before.2)
    );

    let done = keeping.ok(&["purge", "deploy", "--yes"]);
    assert_eq!(done.stdout, "change 4: erased `deploy`\n");
    assert_eq!(stable(&done.stderr), stable(&dry.stdout));
    assert_eq!(holders(&keeping, SECRET), Vec::<String>::new());
    // What an index was decided from is packed, so that it can't be seen there; it is gone.
    assert_eq!(fs::read_dir(keeping.machine.path("home/decisions")).unwrap().count(), 1);
    let then = keeping.no(1, &["why", "deploy", "--at", "4000000000"]);
    assert!(then.contains("is gone\n"), "{then}");
    assert_eq!(
        keeping.no(1, &["undo", "4"]),
        "error: change 4 can't be undone: what was purged is erased\n"
    );
    assert_eq!(
        keeping.no(1, &["restore", "deploy"]),
        "error: no archived skill is called `deploy`\n"
    );
    assert_eq!(keeping.names(), ["notes"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_person_at_a_terminal_is_asked_before_anything_is_erased() {
    let keeping = Keeping::owned();
    keeping.change(&["archive", "deploy"]);
    let before = keeping.ledger();
    for typed in ["n\n", "\n", "", "yess\n"] {
        let ran = keeping.seated("", "", typed, &["purge", "deploy"]);
        let end = "erase `deploy` for good? [y/N] error: nothing was erased\n";
        assert_eq!(ran.status, 1, "{ran:#?}");
        let plan = stable(&ran.stdout);
        assert_eq!(plan, format!("{}{end}", PLAN.replace("4 former", "3 former")));
    }
    assert_eq!(keeping.ledger().0, before.0);
    let ran = keeping.seated("", "", "Yes\n", &["purge", "deploy"]);
    assert_eq!(ran.status, 0, "{ran:#?}");
    assert!(ran.stdout.ends_with("erase `deploy` for good? [y/N] change 2: erased `deploy`\n"));
}

#[test]
fn what_is_erased_is_a_persons_choice_and_never_a_guess() {
    let keeping = Keeping::owned();
    keeping.change(&["archive", "deploy"]);
    let keeping = Keeping { token: None, ..keeping };
    assert_eq!(
        keeping.refused(1, &["purge", "deploy", "--yes"]),
        "error: only a person may purge, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    keeping.change(&["new", "deploy", "--description", "Use the new way."]);
    keeping.change(&["archive", "deploy"]);
    let keeping = keeping.by_a_person();
    let several = keeping.refused(1, &["purge", "deploy", "--yes"]);
    let lines: Vec<&str> = several.lines().collect();
    assert_eq!(lines[0], "error: `deploy` is 2 archived skills; the id tells them apart");
    assert_eq!(lines.len(), 3, "{several}");
    let command = lines[2].strip_prefix("hint: skillkeep purge ").unwrap();
    let (id, _) = command.split_once(" erases the one of ").unwrap();
    keeping.ok(&["purge", id, "--yes"]);
    keeping.ok(&["purge", "deploy", "--yes"]);
    assert_eq!(
        keeping.refused(1, &["purge", "notes", "--yes"]),
        "error: `notes` is in the library; only what is archived is erased\n\
         hint: skillkeep archive notes; then skillkeep purge notes\n"
    );
    assert_eq!(
        keeping.refused(1, &["purge", "deploy", "--yes"]),
        "error: no archived skill is called `deploy`\n"
    );
}

#[test]
fn a_plan_names_the_git_history_that_it_does_not_reach() {
    let keeping = Keeping::owned();
    fs::create_dir(keeping.machine.path("user/.claude/.git")).unwrap();
    keeping.change(&["archive", "deploy"]);
    let plan = keeping.ok(&["purge", "deploy", "--dry-run"]).stdout;
    let line = "\n  the git history of `[MACHINE]/user/.claude`, if it was committed\n";
    assert!(plan.contains(line), "{plan}");
}
