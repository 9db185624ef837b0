//! `skillkeep.toml` with other policies in a slot. What the user wrote beside them stays: order, comments, blanks. A pure
//! function from text to text; whoever writes the file is another.

use std::path::Path;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{
    ConfigError, SlotConfig,
    edit::{parse, push},
};
use crate::{decision::Slot, skill::OneLine};

/// The text in which a slot is as it is wanted. `file` is named in errors. Limits are the operator's, whatever policies come
/// and go: they stay as they are written.
///
/// # Errors
/// Where the text is no TOML, or holds something else than tables there.
pub fn with_slots(
    file: &Path,
    text: &str,
    slot: Slot,
    wanted: &SlotConfig,
) -> Result<String, ConfigError> {
    let mut document = parse(file, text)?;
    let is_there = document
        .get("slots")
        .and_then(Item::as_table_like)
        .is_some_and(|slots| slots.contains_key(slot.word()));
    if !is_there {
        if *wanted == SlotConfig::default() {
            return Ok(text.to_owned());
        }
        // Behind all that is there, comments at the end too; where that is no TOML any more, `slots` is written otherwise.
        let blank = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        let appended = format!("{text}{blank}{}", fresh(slot, wanted));
        if appended.parse::<DocumentMut>().is_ok() {
            return Ok(appended);
        }
    }
    let place = |key: &str| ConfigError::Wrong {
        file: file.to_path_buf(),
        line: 1,
        key: OneLine::new(key),
        found: OneLine::new("something else"),
        expected: "a table",
    };
    let slots = below(document.as_table_mut(), "slots").ok_or_else(|| place("slots"))?;
    let key = format!("slots.{slot}");
    let table = below(slots, slot.word()).ok_or_else(|| place(&key))?;
    set_used(table, wanted.use_.as_deref().unwrap_or_default());
    match wanted.combine {
        Some(combine) => set(table, "combine", Value::from(combine.word())),
        None => drop(table.remove("combine")),
    }
    set_all(table, wanted);
    Ok(document.to_string())
}

/// A slot that the file says nothing of yet.
fn fresh(slot: Slot, wanted: &SlotConfig) -> String {
    let mut table = Table::new();
    set_used(&mut table, wanted.use_.as_deref().unwrap_or_default());
    if let Some(combine) = wanted.combine {
        set(&mut table, "combine", Value::from(combine.word()));
    }
    set_all(&mut table, wanted);
    let mut document = DocumentMut::new();
    let mut slots = Table::new();
    slots.set_implicit(true);
    slots.insert(slot.word(), Item::Table(table));
    document.insert("slots", Item::Table(slots));
    document.to_string()
}

/// The table of that key, made where none is.
fn below<'a>(parent: &'a mut dyn TableLike, key: &str) -> Option<&'a mut dyn TableLike> {
    let made = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    parent.entry(key).or_insert_with(made).as_table_like_mut()
}

/// Sets a value; what stands behind the one before stays.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

fn set_used(table: &mut dyn TableLike, names: &[String]) {
    let list = |names: &[String]| Value::Array(names.iter().map(String::as_str).collect());
    let commented = table
        .key("use")
        .and_then(|key| key.leaf_decor().prefix()?.as_str())
        .is_some_and(|before| before.contains('#'));
    let Some(old) = table.get_mut("use").and_then(Item::as_value_mut) else {
        if !names.is_empty() {
            set(table, "use", list(names));
        }
        return;
    };
    let commented = commented || old.to_string().contains('#');
    if names.is_empty() && !commented {
        table.remove("use");
        return;
    }
    let was: Vec<String> = match &*old {
        Value::Array(array) => {
            array.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
        }
        other => other.as_str().map(str::to_owned).into_iter().collect(),
    };
    if was == names {
        return;
    }
    if let Value::Array(array) = old {
        match names.split_last() {
            Some((last, before)) if before == was => return push(array, last),
            _ => {}
        }
        if let Some(place) = (0..was.len()).find(|place| without(&was, *place) == names) {
            return drop(array.remove(place));
        }
    }
    set(table, "use", list(names));
}

fn without(names: &[String], place: usize) -> Vec<String> {
    let others = names.iter().enumerate().filter(|(at, _)| *at != place);
    others.map(|(_, name)| name.clone()).collect()
}

/// Settings that are as they are wanted stay as they are written; the others are set, or taken out.
fn set_all(table: &mut dyn TableLike, wanted: &SlotConfig) {
    let mut known = std::collections::BTreeSet::new();
    if let Some(settings) = table.get_mut("settings").and_then(Item::as_table_like_mut) {
        prune(settings, "", wanted, &mut known);
        if settings.is_empty() {
            table.remove("settings");
        }
    }
    let missing = wanted.settings.iter().filter(|(key, _)| !known.contains(*key));
    for (key, value) in missing {
        let Some(value) = written(value) else { continue };
        let dotted = || {
            let mut settings = Table::new();
            settings.set_dotted(true);
            Item::Table(settings)
        };
        let settings = table.entry("settings").or_insert_with(dotted);
        if let Some(settings) = settings.as_table_like_mut() {
            put(settings, key, value);
        }
    }
}

/// A setting, its dots as tables within tables where that is how they are written.
fn put(table: &mut dyn TableLike, key: &str, value: Value) {
    if let Some((first, rest)) = key.split_once('.') {
        let made = || {
            let mut inner = InlineTable::new();
            inner.set_dotted(true);
            Item::Value(Value::InlineTable(inner))
        };
        if let Some(inner) = table.entry(first).or_insert_with(made).as_table_like_mut() {
            return put(inner, rest, value);
        }
    }
    set(table, key, value);
}

/// Sets what is there otherwise than wanted and takes out what isn't wanted. What stays is `known`.
fn prune(
    table: &mut dyn TableLike,
    parent: &str,
    wanted: &SlotConfig,
    known: &mut std::collections::BTreeSet<String>,
) {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    for key in keys {
        let whole = if parent.is_empty() { key.clone() } else { format!("{parent}.{key}") };
        let Some(item) = table.get_mut(&key) else { continue };
        if let Some(inner) = item.as_table_like_mut() {
            prune(inner, &whole, wanted, known);
            if inner.is_empty() {
                table.remove(&key);
            }
            continue;
        }
        match wanted.settings.get(&whole).and_then(|value| Some((value, written(value)?))) {
            None => drop(table.remove(&key)),
            Some((_, value)) => {
                known.insert(whole);
                let is_same = item
                    .as_value()
                    .is_some_and(|old| old.to_string().trim() == value.to_string().trim());
                if !is_same {
                    set(table, &key, value);
                }
            }
        }
    }
}

/// A setting as it is written.
fn written(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::Boolean(value) => Value::from(*value),
        toml::Value::Integer(value) => Value::from(*value),
        toml::Value::Float(value) => Value::from(*value),
        toml::Value::String(value) => Value::from(value.as_str()),
        toml::Value::Array(values) => {
            let texts: Option<Array> = values.iter().map(toml::Value::as_str).collect();
            Value::Array(texts?)
        }
        toml::Value::Datetime(_) | toml::Value::Table(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use proptest::prelude::*;

    use super::with_slots;
    use crate::{
        config::{Combine, SlotConfig, read},
        decision::{Allowance, Slot},
    };

    fn slot(names: &[&str], settings: &[(&str, toml::Value)]) -> SlotConfig {
        SlotConfig {
            use_: (!names.is_empty()).then(|| names.iter().map(|it| (*it).to_owned()).collect()),
            combine: None,
            settings: settings.iter().map(|(key, it)| ((*key).to_owned(), it.clone())).collect(),
            limits: Allowance::default(),
        }
    }

    fn edited(text: &str, slot: Slot, wanted: &SlotConfig) -> String {
        with_slots(Path::new("skillkeep.toml"), text, slot, wanted).unwrap()
    }

    #[test]
    fn a_slot_is_changed_and_all_else_stays() {
        let real = |value: f64| toml::Value::Float(value);
        let mine = slot(&["mine.wasm"], &[]);
        for (text, wanted, expected) in [
            ("", mine.clone(), "[slots.budget]\nuse = [\"mine.wasm\"]\n"),
            (
                "# all of it\n# is comment",
                mine.clone(),
                "# all of it\n# is comment\n\n[slots.budget]\nuse = [\"mine.wasm\"]\n",
            ),
            (
                "[slots.budget]\n# because of the camel\nuse = [\"old.wasm\"] # for now\n\n[index]\nlimit = 9\n",
                mine.clone(),
                "[slots.budget]\n# because of the camel\nuse = [\"mine.wasm\"] # for now\n\n[index]\nlimit = 9\n",
            ),
            (
                "slots = { budget = { use = \"old.wasm\" } } # all\n",
                mine.clone(),
                "slots = { budget = { use = [\"mine.wasm\"] } } # all\n",
            ),
            (
                "slots = { curator = { use = \"old.wasm\" } } # all\n",
                mine.clone(),
                "slots = { curator = { use = \"old.wasm\" } , budget.use = [\"mine.wasm\"] } # all\n",
            ),
            (
                "[slots.budget]\nuse = [\"old.wasm\"]\nsettings.exploration = 0.2 # more\n",
                slot(&[], &[("exploration", real(0.2))]),
                "[slots.budget]\nsettings.exploration = 0.2 # more\n",
            ),
            (
                "[slots.budget]\n# why\nuse = [\"old.wasm\"]\n",
                slot(&[], &[]),
                "[slots.budget]\n# why\nuse = []\n",
            ),
            (
                "[slots.budget]\nuse = [\"mine.wasm\"]\n[slots.budget.settings]\na.b = 1 # one\nc = 2\n",
                slot(&["mine.wasm"], &[("a.b", toml::Value::Integer(3)), ("a.d", real(0.5))]),
                "[slots.budget]\nuse = [\"mine.wasm\"]\n[slots.budget.settings]\na.b = 3 # one\na.d = 0.5\n",
            ),
            (
                "[slots.budget]\nuse = [\"old.wasm\"]\nlimits.fuel = 4 # it is slow\n",
                slot(&[], &[]),
                "[slots.budget]\nlimits.fuel = 4 # it is slow\n",
            ),
            (
                "[index]\nlimit = 9\n",
                slot(&[], &[("links.my-tools", toml::Value::from(vec!["a", "b"]))]),
                "[index]\nlimit = 9\n\n[slots.budget]\nsettings.links.my-tools = [\"a\", \"b\"]\n",
            ),
        ] {
            assert_eq!(edited(text, Slot::Budget, &wanted), expected, "{text}");
        }
    }

    #[test]
    fn of_several_one_comes_or_goes_and_the_others_keep_their_comments() {
        let text = "[slots.curator]\nuse = [\n  \"a.wasm\", # first\n  \"b.wasm\", # second\n]\ncombine = \"any\" # so\n";
        let mut wanted = slot(&["a.wasm", "b.wasm", "c.wasm"], &[]);
        wanted.combine = Some(Combine::All);
        assert_eq!(
            edited(text, Slot::Curator, &wanted),
            "[slots.curator]\nuse = [\n  \"a.wasm\", # first\n  \"b.wasm\", # second\n  \"c.wasm\",\n]\ncombine = \"all\" # so\n"
        );
        let wanted = SlotConfig { combine: None, ..slot(&["b.wasm"], &[]) };
        let without = edited(text, Slot::Curator, &wanted);
        assert!(
            without.contains("\"b.wasm\", # second") && !without.contains("a.wasm"),
            "{without}"
        );
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for text in ["slots = 3\n", "[slots]\nbudget = 3\n", "[slots\n"] {
            let file = Path::new("skillkeep.toml");
            let edited = with_slots(file, text, Slot::Budget, &slot(&["mine.wasm"], &[]));
            assert!(edited.is_err(), "{text}: {edited:?}");
        }
    }

    fn any_slot() -> impl Strategy<Value = SlotConfig> {
        let key = prop::sample::select(vec!["a", "b.c", "b.d", "links.*", "x-y"]);
        let value = prop_oneof![
            any::<bool>().prop_map(toml::Value::Boolean),
            any::<i64>().prop_map(toml::Value::Integer),
            (-1e9..1e9).prop_map(toml::Value::Float),
            "[a-z\"\\\\ é]{1,6}".prop_map(toml::Value::String),
            prop::collection::vec("[a-z]{1,3}", 0..3).prop_map(toml::Value::from),
        ];
        let names = prop::collection::btree_set("[a-z]{1,6}\\.wasm", 1..3);
        (
            prop::option::of(names),
            prop::option::of(prop::sample::select(vec![Combine::Any, Combine::All])),
            prop::collection::btree_map(key.prop_map(str::to_owned), value, 0..4),
        )
            .prop_map(|(names, combine, settings)| SlotConfig {
                use_: names.map(|names| names.into_iter().collect()),
                combine,
                settings,
                limits: Allowance::default(),
            })
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_is_read(first in any_slot(), second in any_slot()) {
            let file = Path::new("skillkeep.toml");
            let mut text = "# mine\n[index]\nlimit = 9 # odd\n".to_owned();
            for wanted in [&first, &second, &first] {
                text = edited(&text, Slot::Curator, wanted);
                let config = read(file, &text, |path| path.into()).unwrap();
                let read = config.slots.get("curator").cloned().unwrap_or_default();
                prop_assert_eq!(&read, wanted, "{}", text);
                prop_assert!(text.starts_with("# mine\n[index]\nlimit = 9 # odd\n"), "{}", text);
            }
        }
    }
}
