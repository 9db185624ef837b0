//! `.usage.json` as Hermes writes it, with our counts and marks in it. What is there and isn't ours stays: other records,
//! other fields, and times that say the same.

use serde_json::{Map, Value, json};

use super::records::whole;
use crate::{
    adapters::{
        text::{ForeignError, kind_of},
        time::{from_iso, to_iso},
    },
    ledger::Origin,
    skill::{Instant, State},
};

/// One record that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageLine {
    /// The skill's name.
    pub key: String,
    /// Who made it.
    pub origin: Origin,
    /// Views, uses and writes, each with the time of the last one.
    pub counts: [(u64, Option<Instant>); 3],
    /// Since when it is known. A record that is there keeps its own.
    pub since: Instant,
    /// Active, stale or archived.
    pub state: State,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Since when it is archived.
    pub archived: Option<Instant>,
}

/// Why a usage file is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteRefused {
    /// The one that is there can't be read, and what it holds would be lost.
    #[error("the usage file that is there can't be read, and is not written over: {0}")]
    Unreadable(String),
}

/// Fields of a count, and of the time of the last one.
const COUNTS: [(&str, &str); 3] = [
    ("view_count", "last_viewed_at"),
    ("use_count", "last_used_at"),
    ("patch_count", "last_patched_at"),
];

/// The file with these records in it; of those that are there already only what differs is changed.
///
/// # Errors
/// Where the file that is there is no JSON mapping of mappings.
pub fn usage_file(there: Option<&[u8]>, lines: &[UsageLine]) -> Result<Vec<u8>, WriteRefused> {
    let mut records = match there {
        None => Map::new(),
        Some(bytes) => read(bytes)?,
    };
    for line in lines {
        let record = records.entry(line.key.clone()).or_insert_with(|| Value::Object(Map::new()));
        match record {
            Value::Object(record) => put(record, line),
            other => {
                let found = ForeignError::NotMapping { place: "a record", found: kind_of(other) };
                return Err(WriteRefused::Unreadable(found.to_string()));
            }
        }
    }
    let sorted = sorted(Value::Object(records));
    serde_json::to_vec_pretty(&sorted).map_err(|error| WriteRefused::Unreadable(error.to_string()))
}

fn read(bytes: &[u8]) -> Result<Map<String, Value>, WriteRefused> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(records)) => Ok(records),
        Ok(other) => {
            let found = ForeignError::NotMapping { place: "the whole", found: kind_of(&other) };
            Err(WriteRefused::Unreadable(found.to_string()))
        }
        Err(error) => Err(WriteRefused::Unreadable(error.to_string())),
    }
}

fn put(record: &mut Map<String, Value>, line: &UsageLine) {
    for ((count, last), (counted, at)) in COUNTS.iter().zip(line.counts) {
        set(record, count, json!(counted), |there| whole(there).is_some());
        time(record, last, at);
    }
    if record.get("created_at").is_none_or(Value::is_null) {
        record.insert("created_at".to_owned(), json!(to_iso(line.since)));
    }
    let made = match line.origin {
        Origin::Review => json!("agent"),
        Origin::Installed => json!("installed"),
        // Hermes has no word for the others.
        _ => record.get("created_by").cloned().unwrap_or(Value::Null),
    };
    let known = |there: &Value| matches!(there.as_str(), Some("agent" | "installed"));
    set(record, "created_by", made, known);
    set(record, "pinned", json!(line.pinned), Value::is_boolean);
    let known = |there: &Value| matches!(there.as_str(), Some("active" | "stale" | "archived"));
    set(record, "state", json!(line.state.word()), known);
    time(record, "archived_at", line.archived);
    for generation in ["patch_generation", "last_reused_patch_generation"] {
        record.entry(generation).or_insert(json!(0));
    }
}

/// Puts a value where nothing is, or something that is understood: what isn't stays.
fn set(
    record: &mut Map<String, Value>,
    field: &str,
    value: Value,
    is_known: impl Fn(&Value) -> bool,
) {
    if record.get(field).is_none_or(|there| there.is_null() || is_known(there)) {
        record.insert(field.to_owned(), value);
    }
}

/// A time that says the same is left as it is written.
fn time(record: &mut Map<String, Value>, field: &str, at: Option<Instant>) {
    let read = |there: &Value| there.as_str().and_then(from_iso);
    let there = record.get(field).and_then(read);
    if at.is_none() || there != at {
        let value = at.map_or(Value::Null, |at| json!(to_iso(at)));
        set(record, field, value, |there| read(there).is_some());
    }
}

/// With all keys in order, as Hermes writes them.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> =
                fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(sorted).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{UsageLine, usage_file};
    use crate::{
        ledger::Origin,
        skill::{Instant, State},
    };

    const NOON: Instant = Instant(1_786_622_400); // 2026-08-13T12:00:00Z

    fn line(key: &str) -> UsageLine {
        UsageLine {
            key: key.to_owned(),
            origin: Origin::Review,
            counts: [(9, Some(NOON)), (7, Some(NOON)), (0, None)],
            since: NOON,
            state: State::Stale,
            pinned: true,
            archived: None,
        }
    }

    #[test]
    fn a_new_file_is_as_hermes_writes_it() {
        let written = usage_file(None, &[line("zulu"), line("alpha")]).unwrap();
        let record = r#"{
    "archived_at": null,
    "created_at": "2026-08-13T12:00:00+00:00",
    "created_by": "agent",
    "last_patched_at": null,
    "last_reused_patch_generation": 0,
    "last_used_at": "2026-08-13T12:00:00+00:00",
    "last_viewed_at": "2026-08-13T12:00:00+00:00",
    "patch_count": 0,
    "patch_generation": 0,
    "pinned": true,
    "state": "stale",
    "use_count": 7,
    "view_count": 9
  }"#;
        let expected = format!("{{\n  \"alpha\": {record},\n  \"zulu\": {record}\n}}");
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }

    #[test]
    fn what_is_there_and_isn_t_ours_stays() {
        let there = r#"{"other": {"sync": [1]}, "x": {"created_at": "2025-01-01T00:00:00", "sync": {"b": 1, "a": 2},
            "last_used_at": "2026-08-13T12:00:00.123456+00:00", "patch_generation": 4, "created_by": "agent/v2"}}"#;
        let mut x = line("x");
        x.origin = Origin::Person;
        let written = usage_file(Some(there.as_bytes()), &[x.clone()]).unwrap();
        let text = String::from_utf8(written.clone()).unwrap();
        for kept in [
            "\"other\": {\n    \"sync\": [\n      1\n    ]\n  }",
            "\"created_at\": \"2025-01-01T00:00:00\"",
            "\"sync\": {\n      \"a\": 2,\n      \"b\": 1\n    }",
            "\"last_used_at\": \"2026-08-13T12:00:00.123456+00:00\"",
            "\"patch_generation\": 4",
            "\"created_by\": \"agent/v2\"",
        ] {
            assert!(text.contains(kept), "{kept} is missing in\n{text}");
        }
        assert_eq!(usage_file(Some(&written), &[x]).unwrap(), written);
    }

    #[test]
    fn what_is_not_understood_stays_as_it_is() {
        let odd = r#"{
  "x": {
    "archived_at": 3,
    "created_at": 7,
    "created_by": "agent/v2",
    "last_patched_at": [],
    "last_reused_patch_generation": 0,
    "last_used_at": "yesterday",
    "last_viewed_at": "",
    "patch_count": "2",
    "patch_generation": 0,
    "pinned": 1,
    "state": "asleep",
    "use_count": -1,
    "view_count": 2.5
  }
}"#;
        let written = usage_file(Some(odd.as_bytes()), &[line("x")]).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), odd);
    }

    #[test]
    fn a_file_that_can_t_be_read_is_not_written_over() {
        let why = "the usage file that is there can't be read, and is not written over: ";
        for (there, message) in [
            ("{\"x\": ", "EOF while parsing a value at line 1 column 6"),
            ("[]", "the whole is a list, and a mapping was expected"),
            ("{\"x\": 3}", "a record is a number, and a mapping was expected"),
            ("{\"y\": NaN}", "expected value at line 1 column 7"),
        ] {
            let error = usage_file(Some(there.as_bytes()), &[line("x")]).unwrap_err();
            assert_eq!(error.to_string(), format!("{why}{message}"));
        }
    }
}
