//! `skillkeep progressive` beside Progressive Skill: each case of `tests/fixtures/progressive` by the real program.
//!
//! A case says what comes out, and under `was` what the other program does where ours differs on purpose. Those are the rows
//! of `differences.md`; everywhere else the two agree.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde::Deserialize;

use crate::support::{Machine, Ran};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    note: String,
    now: i64,
    argv: Vec<String>,
    files: BTreeMap<String, Content>,
    stdin: Option<String>,
    exit: i32,
    stdout: String,
    /// None where it is clap's own and pinned elsewhere.
    stderr: Option<String>,
    was: Option<Was>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    /// A file that several cases lay.
    Shared {
        shared: String,
    },
}

/// What the other program does; no text where only that it differs is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Was {
    exit: i32,
    stdout: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/progressive")
}

fn cases() -> BTreeMap<String, Case> {
    let files = fs::read_dir(folder().join("cases")).unwrap();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let case = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), case)
    };
    files.map(|file| read(file.unwrap().path())).collect()
}

fn run(machine: &Machine, arguments: &[&str], stdin: Option<&[u8]>) -> Ran {
    let mut command = machine.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments reads nothing, and that is no fault of the test.
    drop(child.stdin.take().unwrap().write_all(stdin.unwrap_or_default()));
    machine.finish(child.wait_with_output().unwrap())
}

fn run_case(case: &Case) -> Ran {
    let machine = Machine::new();
    for (name, content) in &case.files {
        let text = match content {
            Content::Text(text) => text.clone(),
            Content::Shared { shared } => fs::read_to_string(folder().join(shared)).unwrap(),
        };
        machine.write(&format!("work/{name}"), text);
    }
    let now = case.now.to_string();
    let mut arguments = vec!["progressive"];
    arguments.extend(case.argv.iter().map(String::as_str));
    if !case.argv.is_empty() {
        arguments.extend(["--now", &now]);
    }
    run(&machine, &arguments, case.stdin.as_deref().map(str::as_bytes))
}

#[test]
fn each_case_comes_out_as_it_is_written() {
    let cases = cases();
    assert!(cases.len() > 50, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for (id, case) in &cases {
        let ran = run_case(case);
        let stderr = case.stderr.clone().unwrap_or_else(|| ran.stderr.clone());
        let expected = Ran { status: case.exit, stdout: case.stdout.clone(), stderr };
        if ran != expected {
            wrong.push(format!("{id} ({}):\nfound {ran:#?}\nexpected {expected:#?}", case.note));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_differs_from_progressive_skill_is_in_the_table_and_nothing_else_is() {
    let table = fs::read_to_string(folder().join("differences.md")).unwrap();
    let rows: BTreeMap<String, Vec<String>> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .skip(2)
        .map(|line| line.split(" | ").map(str::to_owned).collect::<Vec<_>>())
        .map(|cells| (cells[0].clone(), cells))
        .collect();
    for (case, cells) in &rows {
        assert!(cells.len() == 4 && cells.iter().all(|cell| !cell.is_empty()), "{case}: {cells:?}");
    }
    let cases = cases();
    let differing: BTreeSet<&String> =
        cases.iter().filter(|(_, case)| case.was.is_some()).map(|(id, _)| id).collect();
    assert_eq!(rows.keys().collect::<BTreeSet<_>>(), differing);
    for id in differing {
        let case = &cases[id];
        let was = case.was.as_ref().unwrap();
        let same = was.exit == case.exit && was.stdout.as_ref() == Some(&case.stdout);
        assert!(!same, "{id} differs in nothing");
    }
}

#[test]
fn without_a_command_the_usage_is_said_and_nothing_is_printed() {
    let ran = Machine::new().run(&["progressive"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: skillkeep progressive"), "{}", ran.stderr);
}

#[test]
fn as_json_a_budget_says_what_was_kept_and_what_was_left_out() {
    let machine = Machine::new();
    machine.write("work/c.yaml", "config: {list_budget_chars: 30}\n");
    let text = "  a:\n    - s1: one\n    - s2: two\n    - plug:in: three\n  b [names only]: n\n";
    let arguments = ["--json", "progressive", "budget", "--relevant", "a", "--yaml", "c.yaml"];
    let ran = run(&machine, &arguments, Some(text.as_bytes()));
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let expected = serde_json::json!({
        "schema": "skillkeep.progressive-budget/1",
        "text": "  a:\n    - s1: one\n    - s2: two\n  b (1)\n",
        "kept": ["s1", "s2"],
        "dropped": ["plug:in"],
        "cost": 28,
        "limit": 30,
    });
    assert_eq!((ran.status, found), (0, expected));
}

#[test]
fn an_input_that_is_no_text_is_refused() {
    let machine = Machine::new();
    let ran = run(&machine, &["progressive", "budget", "--relevant", "a"], Some(b"  a:\n\xff"));
    let expected = "error: standard input is no UTF-8 text from byte 5 on, and text was expected\n\
                    hint: name the text of an index, or leave `--input` out and give it on standard input\n";
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", expected));
}

#[test]
fn an_input_that_is_too_long_is_refused_instead_of_cut_off() {
    let machine = Machine::new();
    let input = machine.path("work/long");
    fs::File::create(&input).unwrap().set_len((64 << 20) + 1).unwrap();
    let ran = machine.run(&["progressive", "budget", "--input", "long"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("`long` is longer than the 67108864 bytes that are read"));
}

#[test]
fn a_folder_that_is_not_there_is_said() {
    let machine = Machine::new();
    let ran = run(&machine, &["progressive", "demote", "--skills-dir", "gone"], None);
    let expected = "{\n  \"demote\": [],\n  \"relevant\": [],\n  \"all_categories\": []\n}\n";
    assert_eq!((ran.status, ran.stdout.as_str()), (1, expected), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("warning: the skills in `gone`: "), "{}", ran.stderr);
}

#[test]
fn an_index_of_our_own_goes_through_whole() {
    let machine = Machine::new();
    machine.skill("devops/docker", "Build images. Use when one is too large.");
    machine.skill("notes/meeting", "Write minutes.");
    let root = machine.path("skills");
    let index = machine.ok(&["index", "--root", root.to_str().unwrap()]).stdout;
    let ran = run(&machine, &["progressive", "budget", "--relevant", "x"], Some(index.as_bytes()));
    assert_eq!(ran, Ran { status: 0, stdout: index, stderr: String::new() });
}
