//! The SDK's keys are the dictionary's: same key, place, type, and whether every row has a value.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use skillkeep_policy::key::{ALL, Kind, Place, write};
use std::collections::BTreeSet;

fn text<'a>(fact: &'a toml::Value, key: &str) -> &'a str {
    fact.get(key).and_then(toml::Value::as_str).unwrap_or_default()
}

#[test]
fn every_key_of_the_dictionary_is_a_constant_and_no_other() {
    let dictionary: toml::Table = include_str!("../wit/dictionary.toml").parse().unwrap();
    let facts = dictionary.get("fact").and_then(toml::Value::as_array).unwrap();
    let written: BTreeSet<(&str, &str, &str, bool)> = facts
        .iter()
        .map(|fact| {
            (text(fact, "key"), text(fact, "in"), text(fact, "type"), text(fact, "rows") == "all")
        })
        .collect();
    let known: BTreeSet<(&str, &str, &str, bool)> = ALL
        .iter()
        .chain(write::ALL)
        .map(|key| {
            let place = match key.place {
                Place::Skills => "skills",
                Place::Categories => "categories",
                Place::Context => "context",
                Place::Write => "write",
            };
            let kind = match key.kind {
                Kind::Boolean => "boolean",
                Kind::Integer => "integer",
                Kind::Real => "real",
                Kind::Text => "text",
                Kind::Texts => "texts",
            };
            (key.name, place, kind, key.all)
        })
        .collect();
    assert_eq!(known, written);
}
