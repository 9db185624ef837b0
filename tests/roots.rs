//! Roots of every standing: found, named, added, owned, of a project that nobody trusts yet; and settings that stay as their
//! owner wrote them.

use std::fs;

use crate::keeping::Keeping;

/// With a team's folder that nobody names yet, in which one name is taken already.
fn with_team() -> Keeping {
    let keeping = Keeping::new();
    for name in ["deploy", "review"] {
        keeping.machine.write(
            &format!("team/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: The team's {name}.\n---\nDo it.\n"),
        );
    }
    keeping
}

/// The same, and a project's own skill where the program is run.
fn with_project() -> Keeping {
    let keeping = Keeping::owned();
    keeping.machine.write(
        "work/.claude/skills/build/SKILL.md",
        "---\nname: build\ndescription: Use to build this project.\n---\nBuild it.\n",
    );
    keeping
}

fn config(keeping: &Keeping) -> String {
    fs::read_to_string(keeping.machine.path("home/skillkeep.toml")).unwrap()
}

fn rows(stdout: &str) -> Vec<String> {
    let rows = stdout.lines().filter(|line| line.starts_with("  ") && line.contains("skill"));
    let rows = rows.filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_root_is_added_beside_those_that_are_found_and_only_read() {
    let keeping = with_team();
    let team = keeping.machine.path("team");
    let ran = keeping.ok(&["init", "--read-only", team.to_str().unwrap()]);
    assert!(
        ran.stdout.contains(
            "added [MACHINE]/team to `more-roots`: roots that are found stay, and come before it\n"
        ),
        "{ran:#?}"
    );
    assert_eq!(
        rows(&ran.stdout),
        [
            "1 claude ~/.claude/skills 2 skills read only",
            "2 [MACHINE]/team [MACHINE]/team 2 skills, 1 shadowed read only"
        ]
    );
    let first = config(&keeping);
    assert!(first.starts_with("# Skillkeep's settings."), "{first}");
    assert_eq!(keeping.names(), ["deploy", "deploy", "notes", "review"]);
    let again = keeping.ok(&["init", "--read-only", team.to_str().unwrap()]);
    assert!(again.stderr.contains("`[MACHINE]/team` is a root already"), "{again:#?}");
    assert_eq!(config(&keeping), first);
    let refused = keeping.no(1, &["archive", "review"]);
    assert!(refused.contains("is not owned, and is only read"), "{refused}");
}

#[test]
fn where_roots_are_named_a_root_is_added_to_them_and_all_else_stays() {
    let keeping = with_team();
    let found = keeping.machine.path("user/.claude/skills");
    let mine =
        format!("# mine\nroots = [\n  {found:?}, # the first\n]\n\n[index]\nlimit = 900 # small\n");
    keeping.machine.write("dotfiles/skillkeep.toml", &mine);
    fs::create_dir_all(keeping.machine.path("home")).unwrap();
    let link = keeping.machine.path("home/skillkeep.toml");
    std::os::unix::fs::symlink("../dotfiles/skillkeep.toml", &link).unwrap();
    let team = keeping.machine.path("team");
    let ran = keeping.ok(&["init", "--read-only", "../team"]);
    assert!(
        ran.stdout.contains("added [MACHINE]/team to `roots`, which it names already\n"),
        "{ran:#?}"
    );
    assert_eq!(
        config(&keeping),
        format!(
            "# mine\nroots = [\n  {found:?}, # the first\n  {team:?},\n]\n\n[index]\nlimit = 900 # small\n"
        )
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_folder_that_is_no_root_is_taken_where_that_was_answered() {
    let keeping = with_team();
    let team = keeping.machine.path("team");
    let refused = keeping.no(2, &["init", "../team"]);
    assert_eq!(
        refused,
        "error: `../team` is no root that skills are read from\n\
         hint: to add it to skillkeep.toml and take it: skillkeep init --yes [MACHINE]/team\n"
    );
    assert!(!team.join(".skillkeep").exists());
    let ran = keeping.ok(&["init", "--yes", "../team"]);
    assert_eq!(rows(&ran.stdout)[1], "2 [MACHINE]/team [MACHINE]/team 2 skills, 1 shadowed owned");
    let mut keeping = keeping;
    keeping.token =
        Some(fs::read_to_string(keeping.machine.path("home/token")).unwrap().trim().to_owned());
    keeping.change(&["archive", "review"]);
    // The last of its skills is put away, and comes back nevertheless.
    fs::remove_dir_all(keeping.machine.path("user/.claude")).unwrap();
    keeping.change(&["archive", "deploy"]);
    keeping.change(&["restore", "deploy"]);
    assert_eq!(keeping.names(), ["deploy"]);
}

#[test]
fn a_projects_root_is_read_and_marked_until_a_person_trusts_it() {
    let mut keeping = with_project();
    let project = keeping.machine.path("work/.claude/skills");
    let project = project.to_str().unwrap();
    assert_eq!(keeping.names(), ["build", "deploy", "notes"]);
    assert!(keeping.ok(&["index", "--unit", "chars"]).stdout.contains("build"));
    let overview = keeping.ok(&[]);
    assert!(overview.stdout.contains("1 skill, untrusted"), "{overview:#?}");
    let hint = "hint: skillkeep init --trust [MACHINE]/work/.claude/skills\n";
    assert!(overview.stderr.contains(hint), "{overview:#?}");
    let row = |keeping: &Keeping| rows(&keeping.ok(&["init"]).stdout)[0].clone();
    let of = |standing: &str| {
        format!("1 project .claude/skills [MACHINE]/work/.claude/skills 1 skill {standing}")
    };
    assert_eq!(row(&keeping), of("read only, untrusted"));
    let token = keeping.token.take();
    for arguments in [&["init", "--trust", project][..], &["init", project]] {
        assert_eq!(
            keeping.no(1, arguments),
            "error: only a person may trust a project's root, and `foreground` asked\n\
             hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
        );
    }
    keeping.token = token;
    keeping.ok(&["init", "--trust", project]);
    assert_eq!(row(&keeping), of("read only"));
    // It holds for what comes later, and nobody is asked again.
    keeping.machine.write(
        "work/.claude/skills/test/SKILL.md",
        "---\nname: test\ndescription: Use to test this project.\n---\nTest it.\n",
    );
    keeping.ok(&["scan"]);
    let overview = keeping.ok(&[]);
    assert!(overview.stdout.contains("2 skills\n") && overview.stderr.is_empty(), "{overview:#?}");
}

#[test]
fn what_nobody_trusts_can_be_hidden_and_who_takes_a_root_trusts_it() {
    let keeping = with_project();
    let settings = format!("untrusted = \"hide\"\n{}", config(&keeping));
    keeping.machine.write("home/skillkeep.toml", settings);
    let list = keeping.ok(&["list"]);
    assert!(!list.stdout.contains("build"), "{list:#?}");
    assert!(
        list.stderr.contains(
            "the project's root `[MACHINE]/work/.claude/skills` is not read: nobody trusts it yet"
        ),
        "{list:#?}"
    );
    keeping.ok(&["init", ".claude/skills"]);
    assert_eq!(keeping.names(), ["build", "deploy", "notes"]);
    keeping.change(&["archive", "build"]);
}
