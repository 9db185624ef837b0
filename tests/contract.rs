//! The contract's own files against the host: the dictionary is the host's table, and one committed component of each
//! world is loaded.

use std::{collections::BTreeMap, fs, path::Path};

use skillkeep::{
    decision::{FACTS, Known, Place, Slot},
    policy::{BUILTINS, CONTRACT, CONTRACT_VERSION, Engine, Loaded, Source, inspect},
};

use crate::support::shared_cache;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn the_dictionary_is_the_hosts_table_of_facts() {
    let text = fs::read_to_string(repository().join("wit/policy-0.1/dictionary.toml")).unwrap();
    let dictionary: toml::Table = toml::from_str(&text).unwrap();
    let word = |fact: &toml::Value, key: &str| {
        fact.get(key).map(|value| value.as_str().unwrap().to_owned())
    };
    let written: Vec<_> = dictionary["fact"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| {
            let slots = fact["slots"]
                .as_array()
                .unwrap()
                .iter()
                .map(|slot| slot.as_str().unwrap().to_owned());
            let meaning = word(fact, "meaning").unwrap();
            assert!(!meaning.is_empty() && !meaning.ends_with('.'), "{meaning}");
            assert_eq!(word(fact, "since").as_deref(), Some("0.1.0"));
            (
                word(fact, "key"),
                word(fact, "in"),
                slots.collect::<Vec<_>>(),
                word(fact, "type"),
                word(fact, "rows"),
            )
        })
        .collect();
    let known: Vec<_> = FACTS
        .iter()
        .map(|fact| {
            let (place, rows) = match (fact.place, fact.known) {
                (Place::Context, _) => ("context", None),
                (Place::Skills, Known::All) => ("skills", Some("all")),
                (Place::Skills, Known::Some) => ("skills", Some("known")),
                (Place::Categories, Known::All) => ("categories", Some("all")),
                (Place::Categories, Known::Some) => ("categories", Some("known")),
                (Place::Write, Known::All) => ("write", Some("all")),
                (Place::Write, Known::Some) => ("write", Some("known")),
            };
            let slots = fact.slots.iter().map(|slot| slot.word().to_owned()).collect::<Vec<_>>();
            (
                Some(fact.key.to_owned()),
                Some(place.to_owned()),
                slots,
                Some(fact.value_type.word().to_owned()),
                rows.map(str::to_owned),
            )
        })
        .collect();
    assert_eq!(written, known);
}

/// A component names a key and no place: in the requests of its slot the key is found once, and wherever it stands its
/// values are of one type.
#[test]
fn a_key_means_one_thing_only() {
    for fact in FACTS {
        let alike: Vec<_> = FACTS.iter().filter(|other| other.key == fact.key).collect();
        assert!(alike.iter().all(|other| other.value_type == fact.value_type), "{}", fact.key);
        for slot in fact.slots {
            let places = alike.iter().filter(|other| other.slots.contains(slot)).count();
            assert_eq!(places, 1, "{}", fact.key);
        }
    }
}

#[test]
fn one_committed_component_of_each_world_loads() {
    let engine = Engine::new(Some(&shared_cache().join("components")), None).unwrap();
    let mut loaded: BTreeMap<Slot, Vec<String>> = BTreeMap::new();
    let mut load = |source: Source, bytes: &[u8]| {
        let slots = inspect(bytes).unwrap().slots;
        assert_eq!(slots.len(), 1, "{source}");
        let policy = Loaded::load(&engine, source, bytes, Some(slots[0]), &[]).unwrap();
        loaded.entry(slots[0]).or_default().push(policy.info.name.to_string());
    };
    for builtin in BUILTINS {
        load(Source::Builtin(builtin.name), builtin.bytes);
    }
    let mut fixtures: Vec<_> = fs::read_dir(repository().join("tests/fixtures/components"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    fixtures.sort();
    for fixture in fixtures {
        let bytes = fs::read(&fixture).unwrap();
        load(Source::File(fixture), &bytes);
    }
    let expected = [
        (Slot::Demotion, "demotion-toolset"),
        (
            Slot::Budget,
            "budget-ladder budget-progressive budget-claude-code budget-codex budget-openclaw \
             budget-hermes budget-careless",
        ),
        (
            Slot::Curator,
            "curator-inactivity curator-outcome curator-decay curator-negative curator-careless \
             curator-minimal",
        ),
        (
            Slot::Provenance,
            "provenance-declared provenance-open provenance-strict provenance-careless \
             provenance-minimal",
        ),
    ];
    let names = |names: &str| names.split(' ').map(str::to_owned).collect();
    assert_eq!(loaded, expected.map(|(slot, all)| (slot, names(all))).into());
}

#[test]
fn the_wit_package_is_the_one_that_the_host_speaks() {
    let wit = fs::read_to_string(repository().join("wit/policy-0.1/policy.wit")).unwrap();
    let (major, minor, patch) = CONTRACT_VERSION;
    assert!(wit.contains(&format!("\npackage {CONTRACT}@{major}.{minor}.{patch};\n")));
    for slot in Slot::ALL {
        assert!(wit.contains(&format!(
            "\nworld {slot}-policy {{\n    export policy;\n    export {slot};\n}}\n"
        )));
    }
}
