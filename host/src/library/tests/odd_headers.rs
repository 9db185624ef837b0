//! A table of odd headers: files as people write them, and what is made of each. Every other surface is tested against
//! the same table.

use std::path::PathBuf;

use toml::{Table, Value};

use super::scanned;
use crate::{
    skill::{Facts, OneLine, Standing},
    system::OsSystem,
};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "tests", "odd-headers"].iter().collect()
}

fn texts<T: ToString>(texts: &[T]) -> Value {
    Value::Array(texts.iter().map(|text| Value::String(text.to_string())).collect())
}

/// Facts as the table has them: what is empty is left out.
fn summary(facts: &Facts) -> Table {
    let mut table = Table::new();
    table.insert("tier".to_owned(), facts.tier.word().into());
    let lines: [(&str, &Option<OneLine>); 6] = [
        ("name", &facts.name),
        ("description", &facts.description),
        ("when-to-use", &facts.when_to_use),
        ("category", &facts.category),
        ("version", &facts.version),
        ("opening", &facts.opening),
    ];
    for (key, line) in lines {
        if let Some(line) = line {
            table.insert(key.to_owned(), line.as_str().into());
        }
    }
    let gates = &facts.gates;
    let lists = [
        ("tags", texts(&facts.tags)),
        ("allowed-tools", texts(&facts.allowed_tools)),
        ("unknown-keys", texts(&facts.unknown_keys)),
        ("platforms", texts(&gates.platforms)),
        ("environments", texts(&gates.environments)),
        ("requires-toolsets", texts(&gates.requires_toolsets)),
        ("requires-tools", texts(&gates.requires_tools)),
        ("fallback-for-toolsets", texts(&gates.fallback_for_toolsets)),
        ("fallback-for-tools", texts(&gates.fallback_for_tools)),
        ("commands", texts(&gates.commands)),
    ];
    for (key, list) in lists {
        if list.as_array().is_some_and(|list| !list.is_empty()) {
            table.insert(key.to_owned(), list);
        }
    }
    if gates.manual {
        table.insert("manual".to_owned(), true.into());
    }
    let problems = facts.diagnostics.iter().map(|d| {
        let line = d.line.map_or(String::new(), |line| format!(" line {line}"));
        let field = d.field.as_ref().map_or(String::new(), |field| format!(" in {field}"));
        format!("{}{line}{field}: {}", d.problem.word(), d.cause)
    });
    let problems: Vec<String> = problems.collect();
    if !problems.is_empty() {
        table.insert("problems".to_owned(), texts(&problems));
    }
    table
}

#[test]
fn every_odd_header_is_read_as_the_table_says() {
    let expected = std::fs::read_to_string(folder().join("expected.toml")).unwrap();
    let expected: Table = expected.parse().unwrap();
    let library = scanned(&OsSystem, &[folder().to_str().unwrap()]);
    assert_eq!(library.roots[0].problem, None);
    assert_eq!(library.problems, []);
    let folders: Vec<_> = library.skills.iter().map(|s| s.place.folder.as_str()).collect();
    let mut keys: Vec<_> = expected.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(folders, keys);
    for skill in &library.skills {
        let found = summary(&skill.facts);
        assert_eq!(
            Some(&Value::Table(found.clone())),
            expected.get(&skill.place.folder),
            "[{}]\n{found}",
            skill.place.folder
        );
        let broken = skill.place.folder == "only-a-path";
        assert_eq!(skill.standing == Standing::Broken, broken);
    }
}

#[test]
fn every_problem_of_the_table_says_what_would_mend_it() {
    for skill in scanned(&OsSystem, &[folder().to_str().unwrap()]).skills {
        for diagnostic in &skill.facts.diagnostics {
            assert!(!diagnostic.fix.is_empty(), "{diagnostic:?}");
        }
    }
}
