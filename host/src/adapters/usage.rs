//! Usage files: how often each skill was used, as Hermes and Progressive Skill record it.
//!
//! The two formats are told apart by their content, since both are called `usage.json` by their users. An entry that is
//! odd loses its odd field, never the other entries. Nothing is judged here: a time in the future stays as it is.

use serde_json::{Map, Value};

use super::{
    text::{ForeignError, json_of, kind_of, shown},
    time::{from_iso, from_unix},
};
use crate::skill::{Instant, OneLine, Usage, UsageRecord};

/// Why a usage file tells nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// It could not be read as JSON, or is no mapping.
    #[error("the usage file `{source_name}` can't be read: {cause}")]
    Unreadable {
        /// The file.
        source_name: OneLine,
        /// What was found.
        cause: ForeignError,
    },
    /// Entries of both formats.
    #[error(
        "the usage file `{source_name}` mixes two formats: `{progressive}` has `count` or `last_used`, `{hermes}` has \
         fields of Hermes's such as `use_count`"
    )]
    Mixed {
        /// The file.
        source_name: OneLine,
        /// An entry of Progressive Skill's.
        progressive: OneLine,
        /// An entry of Hermes's; it may be the same one.
        hermes: OneLine,
    },
    /// Entries of neither format.
    #[error("the usage file `{source_name}` has a shape that isn't known: {found}")]
    Unknown {
        /// The file.
        source_name: OneLine,
        /// What its first entry looks like.
        found: OneLine,
    },
}

impl UsageError {
    /// What would be understood.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "give Hermes's `.usage.json`, {\"NAME\": {\"use_count\": 3, \"last_used_at\": \"2026-08-13T12:00:00Z\"}}, or \
         Progressive Skill's `usage.json`, {\"NAME\": {\"count\": 3, \"last_used\": 1786622400}}"
    }
}

/// Whose format it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Progressive,
    Hermes,
}

/// Fields that only one of the formats has. `pinned` and `state` prove nothing: anybody may call a field so.
const PROGRESSIVE_FIELDS: [&str; 2] = ["count", "last_used"];
const HERMES_FIELDS: [&str; 8] = [
    "use_count",
    "last_used_at",
    "view_count",
    "last_viewed_at",
    "patch_count",
    "last_patched_at",
    "created_by",
    "created_at",
];

/// Reads a usage file of either format. `source` is its name, for messages.
///
/// # Errors
/// Where it is no JSON mapping, mixes both formats, or has neither; an empty mapping is no error.
pub fn read_usage(bytes: &[u8], source: &str) -> Result<Usage, UsageError> {
    let source_name = OneLine::new(source);
    let unreadable = |cause| UsageError::Unreadable { source_name: source_name.clone(), cause };
    let entries = match json_of(bytes).map_err(unreadable)? {
        Value::Object(entries) => entries,
        other => {
            return Err(unreadable(ForeignError::NotMapping {
                place: "the whole",
                found: kind_of(&other),
            }));
        }
    };
    let mut usage = Usage { source: format!("`{source_name}`"), ..Usage::default() };
    let Some(shape) = shape_of(&entries, &source_name)? else {
        return Ok(usage);
    };
    usage.source = match shape {
        Shape::Progressive => format!("Progressive Skill's usage, `{source_name}`"),
        Shape::Hermes => format!("Hermes's usage, `{source_name}`"),
    };
    for (name, entry) in &entries {
        let mut odd = Vec::new();
        let record = match entry {
            _ if name.trim().is_empty() => {
                odd.push("an entry without a name".to_owned());
                None
            }
            Value::Object(fields) => record_of(shape, fields, &mut odd),
            other => {
                odd.push(format!("{}, and a mapping was expected", kind_of(other)));
                None
            }
        };
        let shown_name = OneLine::capped(name, 80);
        usage.skipped.extend(odd.iter().map(|reason| format!("`{shown_name}`: {reason}")));
        if let Some(record) = record {
            usage.records.insert(name.clone(), record);
        }
    }
    Ok(usage)
}

/// The one format of all entries; nothing if there are no entries.
fn shape_of(entries: &Map<String, Value>, source: &OneLine) -> Result<Option<Shape>, UsageError> {
    let first_with = |fields: &[&str]| {
        entries
            .iter()
            .find(|(_, entry)| fields.iter().any(|field| entry.get(field).is_some()))
            .map(|(name, _)| OneLine::capped(name, 80))
    };
    match (first_with(&PROGRESSIVE_FIELDS), first_with(&HERMES_FIELDS)) {
        (Some(_), None) => Ok(Some(Shape::Progressive)),
        (None, Some(_)) => Ok(Some(Shape::Hermes)),
        (Some(progressive), Some(hermes)) => {
            Err(UsageError::Mixed { source_name: source.clone(), progressive, hermes })
        }
        (None, None) => match entries.iter().next() {
            None => Ok(None),
            Some((name, entry)) => Err(UsageError::Unknown {
                source_name: source.clone(),
                found: OneLine::new(&format!(
                    "`{}` is {}",
                    OneLine::capped(name, 80),
                    described(entry)
                )),
            }),
        },
    }
}

fn described(entry: &Value) -> String {
    match entry.as_object() {
        Some(fields) if fields.is_empty() => "an empty mapping".to_owned(),
        Some(fields) => {
            let keys: Vec<String> = fields
                .keys()
                .take(5)
                .map(|key| format!("`{}`", OneLine::capped(key, 40)))
                .collect();
            format!("a mapping with {}", keys.join(", "))
        }
        None => kind_of(entry).to_owned(),
    }
}

/// One entry. Without a count there is a record only if something else is known: no record says less than zero uses.
fn record_of(
    shape: Shape,
    fields: &Map<String, Value>,
    odd: &mut Vec<String>,
) -> Option<UsageRecord> {
    let (count_field, time_field, read_time): (_, _, fn(&Value) -> Result<_, _>) = match shape {
        Shape::Progressive => ("count", "last_used", unix_time),
        Shape::Hermes => ("use_count", "last_used_at", iso_time),
    };
    let mut read = |field: &str, result: Result<(), &'static str>| {
        if let (Err(expected), Some(value)) = (result, fields.get(field)) {
            odd.push(format!("`{field}` is {}, and {expected} was expected", shown(value)));
        }
    };
    let uses = fields.get(count_field).map_or(Ok(None), |value| whole(value).map(Some));
    read(count_field, uses.map(drop));
    let last_used = fields.get(time_field).map_or(Ok(None), read_time);
    read(time_field, last_used.map(drop));
    let pinned = match fields.get("pinned") {
        None | Some(Value::Null) => Ok(false),
        Some(value) => value.as_bool().ok_or("`true` or `false`"),
    };
    read("pinned", pinned.map(drop));

    let count_is_bad = uses.is_err();
    let record = UsageRecord {
        uses: uses.ok().flatten().unwrap_or(0),
        last_used: last_used.ok().flatten(),
        pinned: pinned.unwrap_or(false),
    };
    (!count_is_bad || record.last_used.is_some() || record.pinned).then_some(record)
}

/// A count: it must fit the contract's signed integers.
fn whole(value: &Value) -> Result<u64, &'static str> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: from there on a double skips whole numbers.
    let number = match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => number,
        (None, Some(real)) if real.fract() == 0.0 && (0.0..=EXACT).contains(&real) => real as u64,
        _ => return Err("a whole number from 0"),
    };
    i64::try_from(number).map(|_| number).map_err(|_| "a smaller whole number")
}

fn unix_time(value: &Value) -> Result<Option<Instant>, &'static str> {
    value.as_f64().and_then(from_unix).map(Some).ok_or("a time in seconds since 1970")
}

fn iso_time(value: &Value) -> Result<Option<Instant>, &'static str> {
    match value {
        // How Hermes writes `never`.
        Value::Null => Ok(None),
        Value::String(text) => from_iso(text).map(Some).ok_or("a time by ISO 8601"),
        _ => Err("a time by ISO 8601"),
    }
}

#[cfg(test)]
mod tests;
