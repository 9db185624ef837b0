//! A home of one's own: roots taken, skills put away and brought back, and every change with its way back. The real
//! program on real files, with a real ledger.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::support::{Machine, Ran};

/// A machine with two skills in Claude Code's folder, and a home beside them.
pub struct Keeping {
    pub machine: Machine,
    pub token: Option<String>,
}

/// The folder of its skills.
pub const ROOT: &str = "user/.claude/skills";

impl Keeping {
    pub fn new() -> Keeping {
        let machine = Machine::new();
        for (name, description) in
            [("deploy", "Use when a service goes out."), ("notes", "Use for minutes of a meeting.")]
        {
            machine.write(
                &format!("{ROOT}/{name}/SKILL.md"),
                format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\nDo it.\n"),
            );
        }
        machine.write(&format!("{ROOT}/deploy/scripts/go.sh"), "#!/bin/sh\n");
        Keeping { machine, token: None }
    }

    /// The same with a home that owns the root, and a person who calls.
    pub fn owned() -> Keeping {
        let mut keeping = Keeping::new();
        let root = keeping.machine.path(ROOT);
        keeping.ok(&["init", root.to_str().unwrap()]);
        let token = fs::read_to_string(keeping.machine.path("home/token")).unwrap();
        keeping.token = Some(token.trim().to_owned());
        keeping
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.machine.command(arguments);
        if let Some(token) = &self.token {
            command.env("SKILLKEEP_TOKEN", token);
        }
        self.machine.finish(command.output().unwrap())
    }

    pub fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    /// What it says where it refuses.
    pub fn no(&self, status: i32, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{arguments:?}: {ran:#?}");
        ran.stderr
    }

    /// The number of the change that was just made.
    pub fn change(&self, arguments: &[&str]) -> String {
        let ran = self.ok(arguments);
        let rest = ran.stdout.strip_prefix("change ").unwrap_or_else(|| panic!("{ran:#?}"));
        rest.split(':').next().unwrap().to_owned()
    }

    pub fn names(&self) -> Vec<String> {
        let list = self.machine.json(&["list"]);
        let skills = list["skills"].as_array().unwrap().iter();
        skills.map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Every file of the library with its bytes and permissions.
    pub fn tree(&self) -> Vec<(String, Vec<u8>, u32)> {
        let mut files = Vec::new();
        walk(&self.machine.path(ROOT), "", &mut files);
        files.sort();
        files
    }
}

fn walk(folder: &Path, at: &str, files: &mut Vec<(String, Vec<u8>, u32)>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name == ".skillkeep" {
            continue;
        }
        let path = format!("{at}/{name}");
        let found = entry.metadata().unwrap();
        if found.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap().into_os_string();
            files.push((path, target.into_encoded_bytes(), 0));
        } else if found.is_dir() {
            files.push((path.clone(), Vec::new(), found.permissions().mode()));
            walk(&entry.path(), &path, files);
        } else {
            files.push((path, fs::read(entry.path()).unwrap(), found.permissions().mode()));
        }
    }
}

#[test]
fn a_home_is_made_once_and_explained() {
    let keeping = Keeping::new();
    let first = keeping.ok(&["init"]);
    assert_eq!(
        first.stdout,
        "home  [MACHINE]/home (made, private to you)
  skillkeep.toml  settings
  keep.db         what is known of skills, and what was done
  objects/        former texts, for `undo`
  token           shown in SKILLKEEP_TOKEN, it stands for you

roots; where two hold a skill of one name, the earlier one's counts:
  1  claude  ~/.claude/skills  2 skills  read only
"
    );
    assert_eq!(
        first.stderr,
        "hint: to let Skillkeep write in one: skillkeep init [MACHINE]/user/.claude/skills\n"
            .replace("[MACHINE]/user", "~")
    );
    let before = ["id", "token", "skillkeep.toml"]
        .map(|file| fs::read(keeping.machine.path(&format!("home/{file}"))).unwrap());
    let again = keeping.ok(&["init"]);
    assert_eq!(again.stdout, first.stdout.replace("made, private to you", "was there already"));
    let after = ["id", "token", "skillkeep.toml"]
        .map(|file| fs::read(keeping.machine.path(&format!("home/{file}"))).unwrap());
    assert_eq!(before, after);
}

#[test]
fn a_home_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let keeping = Keeping::owned();
    let mode =
        |path: &str| fs::metadata(keeping.machine.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("home"), 0o700);
    for file in ["home/id", "home/token", "home/keep.db", "home/skillkeep.toml"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    assert_eq!(mode(&format!("{ROOT}/.skillkeep/owner")), 0o600);
}

#[test]
fn what_is_not_owned_is_not_written() {
    let keeping = Keeping::new();
    let before = keeping.tree();
    assert_eq!(
        keeping.no(1, &["archive", "deploy"]),
        "error: there is no home yet, so nothing is kept\nhint: skillkeep init\n"
    );
    keeping.ok(&["init"]);
    let refused = keeping.no(1, &["archive", "deploy"]);
    assert_eq!(
        refused,
        "error: the root `[MACHINE]/user/.claude/skills` is not owned, and is only read\n\
         hint: skillkeep init [MACHINE]/user/.claude/skills\n"
    );
    assert_eq!(keeping.tree(), before);
    assert!(!keeping.machine.path(&format!("{ROOT}/.skillkeep")).exists());
}

#[test]
fn a_second_home_only_reads_what_the_first_owns() {
    let keeping = Keeping::owned();
    let mut command =
        keeping.machine.command(&["init", keeping.machine.path(ROOT).to_str().unwrap()]);
    let other = command.env("SKILLKEEP_HOME", keeping.machine.path("other")).output().unwrap();
    let other = keeping.machine.finish(other);
    assert_eq!(other.status, 1, "{other:#?}");
    assert_eq!(
        other.stderr,
        "error: the root `[MACHINE]/user/.claude/skills` is owned by the home `[MACHINE]/home`, and only read by this one\n\
         hint: use its home: --home [MACHINE]/home\n"
    );
}

#[test]
fn some_verbs_are_a_persons_alone() {
    let mut keeping = Keeping::owned();
    let change = keeping.change(&["archive", "notes"]);
    keeping.token = Some("not the token".to_owned());
    for (verb, arguments) in [("pin", ["pin", "deploy"]), ("undo", ["undo", &change])] {
        assert_eq!(
            keeping.no(1, &arguments),
            format!(
                "error: only a person may {verb}, and `foreground` asked\n\
                 hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
            )
        );
    }
    assert_eq!(keeping.names(), ["deploy"]);
}

#[test]
fn what_is_archived_is_gone_from_the_library_and_comes_back_as_it_was() {
    let keeping = Keeping::owned();
    let before = keeping.tree();
    keeping.change(&["archive", "deploy", "--reason", "we ship by hand now"]);
    assert_eq!(keeping.names(), ["notes"]);
    assert!(!keeping.ok(&["index", "--unit", "chars"]).stdout.contains("deploy"));
    keeping.change(&["restore", "deploy"]);
    assert_eq!(keeping.tree(), before);
    assert_eq!(
        keeping.no(1, &["restore", "deplo"]),
        "error: no archived skill is called `deplo`\n"
    );
}

#[test]
fn of_two_archived_copies_the_newest_comes_back_and_a_header_may_name_another_than_the_folder() {
    let keeping = Keeping::owned();
    let file = format!("{ROOT}/folder/SKILL.md");
    let text = |body: &str| format!("---\nname: header\ndescription: A skill.\n---\n{body}\n");
    for body in ["The first one, about bread.", "The second one, about something else entirely."] {
        keeping.machine.write(&file, text(body));
        keeping.change(&["archive", "header"]);
    }
    keeping.change(&["restore", "header"]);
    let found = fs::read_to_string(keeping.machine.path(&file)).unwrap();
    assert_eq!(found, text("The second one, about something else entirely."));
    assert_eq!(keeping.no(1, &["restore", "folder"]), "error: `folder` is there already\n");
}

#[test]
fn a_library_that_lies_in_the_archive_is_no_machine_without_skills() {
    let keeping = Keeping::owned();
    keeping.change(&["archive", "deploy"]);
    keeping.change(&["archive", "notes"]);
    let index = keeping.ok(&["index"]);
    assert!(!index.stdout.contains("SAMPLE") && !index.stderr.contains("SAMPLE"), "{index:#?}");
    let shown = keeping.no(1, &["show", "deploy"]);
    assert!(
        shown.starts_with("error: `deploy` is in the archive\nhint: skillkeep restore "),
        "{shown}"
    );
    assert_eq!(keeping.names(), [""; 0]);
}

#[test]
fn a_pinned_skill_stays() {
    let keeping = Keeping::owned();
    keeping.change(&["pin", "deploy"]);
    let before = keeping.tree();
    assert_eq!(
        keeping.no(1, &["archive", "deploy"]),
        "error: `deploy` is pinned, and stays where it is\nhint: skillkeep unpin deploy\n"
    );
    assert_eq!(keeping.tree(), before);
    keeping.change(&["unpin", "deploy"]);
    keeping.change(&["archive", "deploy"]);
    assert_eq!(keeping.names(), ["notes"]);
}

#[test]
fn what_others_change_is_told_and_can_be_taken_back() {
    let keeping = Keeping::owned();
    let before = keeping.tree();
    assert_eq!(keeping.ok(&["scan"]).stdout, "2 skills: 0 new, 0 moved, 0 gone\n");
    let file = format!("{ROOT}/notes/SKILL.md");
    let text = fs::read_to_string(keeping.machine.path(&file)).unwrap();
    keeping.machine.write(&file, text.replace("Do it.", "Do it twice."));
    let scan = keeping.ok(&["scan"]).stdout;
    assert_eq!(
        scan,
        "2 skills: 0 new, 0 moved, 0 gone\nchange 3: `notes` was changed by somebody else\n"
    );
    assert_eq!(
        keeping.ok(&["diff", "3"]).stdout,
        "--- a/notes/SKILL.md
+++ b/notes/SKILL.md
@@ -4,4 +4,4 @@
 ---
 # notes
 
-Do it.
+Do it twice.
"
    );
    assert_eq!(keeping.ok(&["scan"]).stdout, "2 skills: 0 new, 0 moved, 0 gone\n");
    keeping.change(&["undo", "3"]);
    assert_eq!(keeping.tree(), before);
    assert_eq!(
        keeping.no(1, &["undo", "3"]),
        "error: change 3 was undone by change 4\nhint: skillkeep undo 4\n"
    );
}

#[test]
fn a_first_look_at_a_skill_is_nobodys_change() {
    let keeping = Keeping::owned();
    keeping.change(&["archive", "deploy"]);
    keeping.change(&["restore", "deploy"]);
    keeping.change(&["pin", "notes"]);
    for _ in 0..2 {
        assert_eq!(keeping.ok(&["scan"]).stdout, "2 skills: 0 new, 0 moved, 0 gone\n");
    }
}

fn quiet(mut command: Command) -> Command {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn homes_that_are_made_at_once_are_one() {
    let keeping = Keeping::new();
    let root = keeping.machine.path(ROOT);
    let arguments = ["init", root.to_str().unwrap()];
    let all: Vec<_> =
        (0..4).map(|_| quiet(keeping.machine.command(&arguments)).spawn().unwrap()).collect();
    for mut one in all {
        assert!(one.wait().unwrap().success());
    }
    let id = fs::read_to_string(keeping.machine.path("home/id")).unwrap();
    let owner = fs::read_to_string(root.join(".skillkeep/owner")).unwrap();
    assert!(owner.contains(id.trim()), "{owner} and {id}");
    let mut files: Vec<_> = fs::read_dir(keeping.machine.path("home"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("keep.db"))
        .collect();
    files.sort();
    assert_eq!(files, ["id", "objects", "server-token", "skillkeep.toml", "token"]);
}

#[test]
fn each_change_taken_back_from_the_last_to_the_first_leaves_the_library_as_it_was() {
    let keeping = Keeping::owned();
    let before = keeping.tree();
    let changes = [
        keeping.change(&["pin", "notes"]),
        keeping.change(&["archive", "deploy"]),
        keeping.change(&["restore", "deploy"]),
        keeping.change(&["unpin", "notes"]),
        keeping.change(&["archive", "notes"]),
    ];
    for change in changes.iter().rev() {
        keeping.change(&["undo", change]);
    }
    assert_eq!(keeping.tree(), before);
    keeping.change(&["archive", "notes"]);
}

#[test]
fn a_renamed_skill_keeps_its_history_and_a_name_that_is_used_again_begins_anew() {
    let keeping = Keeping::owned();
    keeping.change(&["pin", "deploy"]);
    keeping.change(&["unpin", "deploy"]);
    let root = keeping.machine.path(ROOT);
    fs::rename(root.join("deploy"), root.join("ship")).unwrap();
    let text = fs::read_to_string(root.join("ship/SKILL.md")).unwrap();
    fs::write(root.join("ship/SKILL.md"), text.replace("name: deploy", "name: ship")).unwrap();
    assert_eq!(
        keeping.ok(&["scan"]).stdout.lines().next(),
        Some("2 skills: 0 new, 1 moved, 0 gone")
    );
    keeping.machine.write(
        &format!("{ROOT}/deploy/SKILL.md"),
        "---\nname: deploy\ndescription: Somewhat else by that name, about bread and butter.\n---\nBake.\n",
    );
    assert_eq!(keeping.ok(&["scan"]).stdout, "3 skills: 1 new, 0 moved, 0 gone\n");
    let verbs = |name: &str| -> Vec<String> {
        let mut command = json(&keeping, &["log", name]);
        let changes = command["changes"].take();
        let changes = changes.as_array().unwrap().iter();
        changes.map(|change| change["verb"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(verbs("ship"), ["outside", "unpin", "pin"]);
    assert_eq!(verbs("deploy"), ["found"]);
}

fn json(keeping: &Keeping, arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&keeping.ok(&[&["--json"], arguments].concat()).stdout).unwrap()
}

#[test]
fn what_is_not_known_is_told() {
    let keeping = Keeping::owned();
    assert_eq!(
        keeping.no(2, &["diff", "77"]),
        "error: there is no change 77\nhint: skillkeep log\n"
    );
    assert_eq!(
        keeping.no(1, &["log", "depoly"]),
        "error: nothing is known of a skill `depoly`\nhint: skillkeep scan\n"
    );
    let elsewhere = keeping.machine.path("work");
    assert_eq!(
        keeping.no(2, &["init", elsewhere.to_str().unwrap()]),
        "error: `[MACHINE]/work` is no root that skills are read from\n\
         hint: to add it to skillkeep.toml and take it: skillkeep init --yes [MACHINE]/work\n"
    );
}

#[test]
fn a_ledger_that_is_no_ledger_is_refused_and_a_damaged_one_set_aside() {
    let keeping = Keeping::owned();
    keeping
        .machine
        .write("home/keep.db", "a letter to my aunt, which is no ledger at all\n".repeat(40));
    let refused = keeping.run(&["log"]);
    assert_eq!(refused.status, 3, "{refused:#?}");
    let kept = fs::read(keeping.machine.path("home/keep.db")).unwrap();
    assert!(kept.starts_with(b"a letter"), "it is still there");
}
