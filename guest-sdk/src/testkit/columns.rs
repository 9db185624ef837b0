//! From a library's facts to the tables of a request. As the host does, it sends only what the policy declares.

use super::library::{Facts, Library};
use crate::facts::{Entry, RawColumn, RawContext, RawTable, Value, Values};
use crate::key::{self, Key, Place};
use crate::policy::{Policy, declared};

pub(crate) fn context<P: Policy>(library: &Library) -> RawContext {
    let facts = declared_of::<P>(Place::Context).filter_map(|key| {
        let value = library.context.get(key.name)?.clone();
        Some(Entry { key: key.name.to_owned(), value })
    });
    RawContext { now: library.now, seed: library.seed, facts: facts.collect() }
}

pub(crate) fn skills<P: Policy>(library: &Library) -> RawTable {
    table::<P>(Place::Skills, &skill_facts(library))
}

pub(crate) fn categories<P: Policy>(library: &Library) -> RawTable {
    table::<P>(Place::Categories, &category_facts(library))
}

/// The skills' facts with what the dictionary says every row has.
pub(crate) fn skill_facts(library: &Library) -> Vec<Facts> {
    let rows = library.skills.iter().map(|skill| {
        let mut facts = skill.facts.clone();
        let name = length(&skill.name);
        let description = match facts.get(key::DESCRIPTION.name) {
            Some(Value::Text(text)) => length(text),
            _ => 0,
        };
        let category = i64::try_from(skill.category).unwrap_or(i64::MAX);
        if facts.contains_key(key::DESCRIPTION.name) {
            facts.entry(key::DESCRIPTION_LENGTH.name).or_insert_with(|| description.into());
        }
        for (key, value) in [
            (key::NAME, skill.name.as_str().into()),
            (key::CATEGORY, category.into()),
            (key::PINNED, false.into()),
            (key::COST_FULL, (name + description + 9).into()),
            (key::COST_SHORT, (name + description.min(60) + 9).into()),
            (key::COST_NAME, (name + 2).into()),
            (key::COST_BARE, (name + 7).into()),
        ] {
            facts.entry(key.name).or_insert(value);
        }
        facts
    });
    rows.collect()
}

pub(crate) fn category_facts(library: &Library) -> Vec<Facts> {
    let rows = library.categories.iter().enumerate().map(|(row, category)| {
        let mut facts = category.facts.clone();
        let name = length(&category.name);
        let skills = library.skills.iter().filter(|skill| skill.category == row).count();
        let top = category.name.split('/').next().unwrap_or_default();
        for (key, value) in [
            (key::CATEGORY_NAME, category.name.as_str().into()),
            (key::CATEGORY_TOP, top.into()),
            (key::CATEGORY_SKILLS, i64::try_from(skills).unwrap_or(i64::MAX).into()),
            (key::COST_HEADER, (name + 4).into()),
            (key::COST_NAMES, (name + 4).into()),
            (key::COST_COUNT, (name + 10).into()),
        ] {
            facts.entry(key.name).or_insert(value);
        }
        facts
    });
    rows.collect()
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn declared_of<P: Policy>(place: Place) -> impl Iterator<Item = &'static Key> {
    declared::<P>().into_iter().flatten().filter(move |key| key.place == place)
}

fn table<P: Policy>(place: Place, rows: &[Facts]) -> RawTable {
    let columns = declared_of::<P>(place).filter_map(|key| column(key, rows)).collect();
    RawTable { len: u32::try_from(rows.len()).unwrap_or(u32::MAX), columns }
}

/// A column of what is known; none where nothing is.
fn column(key: &Key, rows: &[Facts]) -> Option<RawColumn> {
    let known: Vec<(u32, &Value)> = (0..)
        .zip(rows)
        .filter_map(|(row, facts)| facts.get(key.name).map(|value| (row, value)))
        .collect();
    if known.is_empty() && !rows.is_empty() {
        return None;
    }
    let every = known.len() == rows.len();
    let rows = (!every).then(|| known.iter().map(|(row, _)| *row).collect());
    let values = known.into_iter().map(|(_, value)| value);
    Some(RawColumn { key: key.name.to_owned(), rows, values: collect(key, values) })
}

fn collect<'a>(key: &Key, values: impl Iterator<Item = &'a Value>) -> Values {
    macro_rules! all {
        ($case:ident, $into:ident) => {
            Values::$into(
                values
                    .map(|value| match value {
                        Value::$case(value) => value.clone(),
                        other => {
                            panic!("`{}` is told as {other:?}, expected {:?}", key.name, key.kind)
                        }
                    })
                    .collect(),
            )
        };
    }
    match key.kind {
        key::Kind::Boolean => all!(Boolean, Booleans),
        key::Kind::Integer => all!(Integer, Integers),
        key::Kind::Real => all!(Real, Reals),
        key::Kind::Text => all!(Text, Texts),
        key::Kind::Texts => panic!("`{}` is a list of texts, which no column holds", key.name),
    }
}
