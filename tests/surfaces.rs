//! Odd headers, and every surface agrees on each: the table beside them, the list, the index, `show` and `why`.
//! What policies are sent of them is compared in the index's own tests.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::Machine;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/odd-headers");

const SESSION: [&str; 10] = [
    "--platform",
    "linux",
    "--toolsets",
    "terminal",
    "--now",
    "1790000000",
    "--unit",
    "chars",
    "--limit",
    "100000",
];

fn with<'a>(head: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [head, &["--root", FOLDER], more].concat()
}

/// The rows of a JSON list by the folder in their path.
fn by_folder(rows: &Value) -> BTreeMap<String, Value> {
    let folder = |row: &Value| row["path"].as_str().unwrap().rsplit('/').nth(1).unwrap().to_owned();
    rows.as_array().unwrap().iter().map(|row| (folder(row), row.clone())).collect()
}

fn problems(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().unwrap().iter().map(|d| d["problem"].as_str().unwrap()).collect()
}

#[test]
fn the_list_says_of_every_odd_header_what_the_table_says() {
    let table: toml::Table =
        std::fs::read_to_string(format!("{FOLDER}/expected.toml")).unwrap().parse().unwrap();
    let list = by_folder(&Machine::new().json(&with(&["list"], &[]))["skills"]);
    assert!(list.len() >= 40, "{}", list.len());
    assert_eq!(list.keys().collect::<BTreeSet<_>>(), table.keys().collect::<BTreeSet<_>>());
    for (folder, listed) in &list {
        let expected = &table[folder];
        let text = |key: &str| expected.get(key).and_then(toml::Value::as_str);
        assert_eq!(listed["tier"].as_str(), text("tier"), "{folder}");
        assert_eq!(listed["name"].as_str(), text("name").or(Some(folder)), "{folder}");
        assert_eq!(listed["description"].as_str(), text("description"), "{folder}");
        let words = |key: &str| -> Vec<&str> {
            let list = expected.get(key).and_then(toml::Value::as_array);
            list.map(|list| list.iter().map(|word| word.as_str().unwrap()).collect())
                .unwrap_or_default()
        };
        let listed_words = |value: &Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(listed_words(&listed["allowed-tools"]), words("allowed-tools"), "{folder}");
        assert_eq!(listed_words(&listed["gates"]["platforms"]), words("platforms"), "{folder}");
        // The table has what the header says of itself; the list adds what its place does.
        let own: Vec<&str> =
            words("problems").iter().map(|problem| problem.split(' ').next().unwrap()).collect();
        assert_eq!(problems(&listed["diagnostics"])[..own.len()], own, "{folder}");
    }
}

#[test]
fn the_list_the_index_show_and_why_agree_on_every_odd_header() {
    let machine = Machine::new();
    let list = by_folder(&machine.json(&with(&["list"], &[]))["skills"]);
    let index = machine.json(&with(&["index"], &SESSION));
    let entries = by_folder(&index["entries"]);
    let block = index["text"].as_str().unwrap();
    for (folder, listed) in &list {
        let name = listed["name"].as_str().unwrap();
        let query = if list.values().filter(|other| other["name"] == name).count() == 1 {
            name
        } else {
            folder
        };
        let why = machine.json(&with(&["why", query], &SESSION));
        assert_eq!(&why["skill"], listed, "why and list on {folder}");
        if listed["standing"] != "broken" {
            let shown = machine.json(&with(&["show", query], &[]));
            assert_eq!(&shown["skill"], listed, "show and list on {folder}");
        }
        // In the index, or hidden by the gates that `why` finds shut or by its standing: never neither, never both.
        let hidden =
            index["hidden"].as_array().unwrap().iter().find(|hidden| hidden["name"] == name);
        let gates = why["now"]["gates"].as_array().unwrap().iter();
        let shut: Vec<&Value> =
            gates.filter(|gate| gate["open"] == false).map(|gate| &gate["code"]).collect();
        match (entries.get(folder), hidden) {
            (Some(entry), None) => {
                assert_eq!(
                    (&entry["name"], &entry["category"]),
                    (&listed["name"], &listed["category"]),
                    "{folder}"
                );
                assert_eq!((&entry["form"], shut.len()), (&why["now"]["form"], 0), "{folder}");
                if entry["form"] == "full" {
                    printed_with_its_description(folder, name, listed, block);
                }
            }
            (None, Some(hidden)) => {
                let codes: Vec<&Value> =
                    hidden["gates"].as_array().unwrap().iter().map(|gate| &gate["code"]).collect();
                assert!(why["now"]["form"].is_null(), "{folder}");
                if listed["standing"] == "live" {
                    assert_eq!(codes, shut, "{folder}");
                    assert!(!shut.is_empty(), "{folder}");
                }
            }
            other => panic!("{folder}: {other:?}"),
        }
        let reported =
            index["diagnostics"].as_array().unwrap().iter().filter(|d| d["path"] == listed["path"]);
        let reported: Vec<&str> = reported.map(|d| d["problem"].as_str().unwrap()).collect();
        assert_eq!(problems(&listed["diagnostics"]), reported, "list and index on {folder}");
    }
}

/// The block's line has the name and then the description of the list.
fn printed_with_its_description(folder: &str, name: &str, listed: &Value, block: &str) {
    let Some(description) = listed["description"].as_str() else { return };
    let start = format!("    - {name}: ");
    let line = block
        .lines()
        .find_map(|line| line.strip_prefix(&start))
        .unwrap_or_else(|| panic!("{folder}: {block}"));
    let text = if line.starts_with('[') { line.split_once("] ").unwrap().1 } else { line };
    assert!(text.starts_with(&description.replace("</", "&lt;/")), "{folder}: {line}");
}

#[test]
fn a_list_of_tools_and_a_text_of_tools_are_the_same_and_a_gate_is_told_from_a_forgotten_description()
 {
    let machine = Machine::new();
    let header = |name: &str, fields: &str| {
        machine
            .write(&format!("skills/{name}/SKILL.md"), format!("---\nname: {name}\n{fields}---\n"));
    };
    header("a", "description: D.\nallowed-tools:\n  - Read\n  - Bash(git:*)\n");
    header("b", "description: D.\nallowed-tools: Read Bash(git:*)\n");
    header("gated", "description: For one system.\nplatforms: [macos]\n");
    header("forgotten", "version: 1\n");
    header("torn", "description: [a\n");
    let list = by_folder(&machine.json(&["list", "--root", "../skills"])["skills"]);
    assert_eq!(list["a"]["allowed-tools"], list["b"]["allowed-tools"]);
    let told = ["gated", "forgotten", "torn"]
        .map(|name| (list[name]["description"].as_str(), problems(&list[name]["diagnostics"])));
    assert_eq!(
        told,
        [
            (Some("For one system."), vec![]),
            (None, vec!["missing-description"]),
            (Some("[a"), vec!["not-yaml"])
        ]
    );
}
