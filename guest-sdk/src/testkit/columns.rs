//! From a library's facts to the tables of a request. As the host does, it sends only what the policy declares.

use super::library::{Facts, Library};
use crate::facts::{Entry, RawColumn, RawContext, RawTable, Value, Values};
use crate::key::{self, Kind, Place};
use crate::policy::{Policy, declared};

/// A key that a policy asks for. Of one that this SDK has no name for, only that is known; the facts say the rest.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub name: String,
    pub place: Option<Place>,
    pub kind: Option<Kind>,
}

impl Asked {
    /// What a policy of this crate declares.
    pub(crate) fn by<P: Policy>() -> Vec<Self> {
        let keys = declared::<P>().into_iter().flatten();
        keys.map(|key| Self {
            name: key.name.to_owned(),
            place: Some(key.place),
            kind: Some(key.kind),
        })
        .collect()
    }

    /// What a component declares, which is names alone.
    pub(crate) fn named(name: &str) -> Self {
        let known = key::ALL.iter().find(|key| key.name == name);
        Self {
            name: name.to_owned(),
            place: known.map(|key| key.place),
            kind: known.map(|key| key.kind),
        }
    }

    fn is_in(&self, place: Place) -> bool {
        self.place.is_none_or(|known| known == place)
    }
}

pub(crate) fn context(library: &Library, asked: &[Asked]) -> RawContext {
    let facts = asked.iter().filter(|key| key.is_in(Place::Context)).filter_map(|key| {
        let value = library.context.get(key.name.as_str())?.clone();
        Some(Entry { key: key.name.clone(), value })
    });
    RawContext { now: library.now, seed: library.seed, facts: facts.collect() }
}

pub(crate) fn skills(library: &Library, asked: &[Asked]) -> RawTable {
    table(Place::Skills, &skill_facts(library), asked)
}

pub(crate) fn categories(library: &Library, asked: &[Asked]) -> RawTable {
    table(Place::Categories, &category_facts(library), asked)
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
            facts.entry(key::DESCRIPTION_LENGTH.name.into()).or_insert_with(|| description.into());
        }
        for (key, value) in [
            (key::NAME, skill.name.as_str().into()),
            (key::CATEGORY, category.into()),
            (key::PINNED, false.into()),
            (key::COST_FULL, (name + description + 9).into()),
            (key::COST_SHORT, (name + description.min(60) + 9).into()),
            (key::COST_NAME, (name + 2).into()),
            (key::COST_BARE, (name + 7).into()),
            (key::STATE, "active".into()),
            (key::ORIGIN, "review".into()),
            (key::CANDIDATE, true.into()),
            (key::REFERENCED, false.into()),
            (key::CREATED, library.now.into()),
        ] {
            facts.entry(key.name.into()).or_insert(value);
        }
        facts
    });
    rows.collect()
}

pub(crate) fn category_facts(library: &Library) -> Vec<Facts> {
    let mut sizes = vec![0_i64; library.categories.len()];
    for skill in &library.skills {
        if let Some(size) = sizes.get_mut(skill.category) {
            *size += 1;
        }
    }
    let rows = library.categories.iter().zip(sizes).map(|(category, skills)| {
        let mut facts = category.facts.clone();
        let name = length(&category.name);
        let top = category.name.split('/').next().unwrap_or_default();
        for (key, value) in [
            (key::CATEGORY_NAME, category.name.as_str().into()),
            (key::CATEGORY_TOP, top.into()),
            (key::CATEGORY_SKILLS, skills.into()),
            (key::COST_HEADER, (name + 4).into()),
            (key::COST_NAMES, (name + 4).into()),
            (key::COST_COUNT, (name + 10).into()),
        ] {
            facts.entry(key.name.into()).or_insert(value);
        }
        facts
    });
    rows.collect()
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn table(place: Place, rows: &[Facts], asked: &[Asked]) -> RawTable {
    let asked = asked.iter().filter(|key| key.is_in(place));
    let columns = asked.filter_map(|key| column(key, rows)).collect();
    RawTable { len: u32::try_from(rows.len()).unwrap_or(u32::MAX), columns }
}

/// A column of what is known; none where nothing is.
fn column(key: &Asked, rows: &[Facts]) -> Option<RawColumn> {
    let known: Vec<(u32, &Value)> = (0..)
        .zip(rows)
        .filter_map(|(row, facts)| facts.get(key.name.as_str()).map(|value| (row, value)))
        .collect();
    let kind = match (key.kind, known.first()) {
        (Some(kind), _) => kind,
        (None, Some((_, value))) => Kind::of(value),
        (None, None) => return None,
    };
    if known.is_empty() && !rows.is_empty() {
        return None;
    }
    let every = known.len() == rows.len();
    let rows = (!every).then(|| known.iter().map(|(row, _)| *row).collect());
    let values = known.into_iter().map(|(_, value)| value);
    Some(RawColumn { key: key.name.clone(), rows, values: collect(&key.name, kind, values) })
}

fn collect<'a>(name: &str, kind: Kind, values: impl Iterator<Item = &'a Value>) -> Values {
    macro_rules! all {
        ($case:ident, $into:ident) => {
            Values::$into(
                values
                    .map(|value| match value {
                        Value::$case(value) => value.clone(),
                        other => panic!("`{name}` is told as {other:?}, expected {kind:?}"),
                    })
                    .collect(),
            )
        };
    }
    match kind {
        Kind::Boolean => all!(Boolean, Booleans),
        Kind::Integer => all!(Integer, Integers),
        Kind::Real => all!(Real, Reals),
        Kind::Text => all!(Text, Texts),
        Kind::Texts => panic!("`{name}` is a list of texts, which no column holds"),
    }
}
