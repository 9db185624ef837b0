//! Progressive Skill's usage as records that are taken over: read as generously as it reads the file itself, but a use
//! without a time has none.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::usage::number;
use crate::{
    adapters::{
        said::{Count, Left, Program, Record, Said},
        text::{ForeignError, json_of, kind_of, shown},
        time::from_unix,
    },
    ledger::Digest,
};

/// What tells Hermes's own file from this one.
const OF_HERMES: &str = "use_count";

/// Why a file is not taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// It is no JSON mapping.
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    /// It is Hermes's.
    #[error("it is Hermes's `.usage.json`, and Progressive Skill's was expected")]
    OfHermes,
}

/// Reads the file. `place` is its path, `name` its name for messages.
///
/// # Errors
/// Where it is no JSON mapping, or Hermes's.
pub fn read_progressive_records(bytes: &[u8], place: &str) -> Result<Said, RecordsError> {
    let entries = match json_of(bytes)? {
        Value::Object(entries) => entries,
        other => {
            let found = kind_of(&other);
            return Err(ForeignError::NotMapping { place: "the whole", found }.into());
        }
    };
    if entries.values().any(|entry| entry.get(OF_HERMES).is_some()) {
        return Err(RecordsError::OfHermes);
    }
    let mut left = Vec::new();
    let mut records = Vec::new();
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, entry) in &entries {
        let Value::Object(fields) = entry else {
            let why = format!("{}, and a mapping was expected", kind_of(entry));
            left.push(Left::new(FILE, key, why));
            continue;
        };
        for field in fields.keys().filter(|field| !matches!(field.as_str(), "count" | "last_used"))
        {
            *others.entry(field).or_default() += 1;
        }
        let uses =
            Count { count: count(key, fields, &mut left), last: last(key, fields, &mut left) };
        records.push(Record { key: key.clone(), uses, ..Record::default() });
    }
    for (field, count) in others {
        left.push(Left::new(
            FILE,
            format!("*.{field}"),
            format!("is not known here ({count} times)"),
        ));
    }
    Ok(Said {
        program: Program::Progressive,
        place: place.to_owned(),
        digest: Digest::of(bytes),
        records,
        records_file: FILE,
        claims: Vec::new(),
        jobs: None,
        kept: Map::new(),
        left,
    })
}

/// The place is the file itself.
const FILE: &str = "";

fn count(key: &str, fields: &Map<String, Value>, left: &mut Vec<Left>) -> u32 {
    let Some(value) = fields.get("count") else { return 0 };
    let most = f64::from(u32::MAX);
    // A negative count is worth nothing there, and a fraction of a use is dropped.
    match number(value).filter(|number| *number < most) {
        Some(number) => number.max(0.0) as u32,
        None => {
            let why = format!("found {}, expected a number below {most}", shown(value));
            left.push(Left::new(FILE, format!("{key}.count"), why));
            0
        }
    }
}

fn last(
    key: &str,
    fields: &Map<String, Value>,
    left: &mut Vec<Left>,
) -> Option<crate::skill::Instant> {
    let value = fields.get("last_used").filter(|value| !value.is_null())?;
    let time = number(value).and_then(from_unix);
    if time.is_none() {
        let why = format!("found {}, expected a time in seconds since 1970", shown(value));
        left.push(Left::new(FILE, format!("{key}.last_used"), why));
    }
    // How it writes that it doesn't know.
    time.filter(|time| time.0 != 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::read_progressive_records;
    use crate::skill::Instant;

    #[test]
    fn an_entry_is_read_as_its_own_program_reads_it_and_no_time_is_none() {
        for (entry, count, last, left) in [
            (r#"{"count": 3, "last_used": 9.5}"#, 3, Some(9), ""),
            (r#"{"count": "9", "last_used": "7.5"}"#, 9, Some(7), ""),
            (r#"{"count": 2.9, "last_used": null}"#, 2, None, ""),
            (r#"{"count": 2, "last_used": 0}"#, 2, None, ""),
            (r#"{"last_used": 5}"#, 0, Some(5), ""),
            (r#"{"count": -4, "last_used": 5}"#, 0, Some(5), ""),
            (
                r#"{"count": 1e400, "last_used": 5}"#,
                0,
                Some(5),
                "s.count: found `1e400`, expected a number below 4294967295",
            ),
            (
                r#"{"count": 4294967296, "last_used": 5}"#,
                0,
                Some(5),
                "s.count: found `4294967296`, expected a number below 4294967295",
            ),
            (
                r#"{"count": 1, "last_used": 1786622400000}"#,
                1,
                None,
                "s.last_used: found `1786622400000`, expected a time in seconds since 1970",
            ),
            (
                r#"{"count": 1, "last_used": 5, "decay": 3}"#,
                1,
                Some(5),
                "*.decay: is not known here (1 times)",
            ),
        ] {
            let said =
                read_progressive_records(format!("{{\"s\": {entry}}}").as_bytes(), "u").unwrap();
            let uses = said.records.first().unwrap().uses;
            assert_eq!((uses.count, uses.last), (count, last.map(Instant)), "{entry}");
            let told: Vec<_> =
                said.left.iter().map(|it| format!("{}: {}", it.at, it.why)).collect();
            assert_eq!(told.join("\n"), left, "{entry}");
        }
    }

    #[test]
    fn another_program_s_file_and_half_a_file_are_refused() {
        for (bytes, message) in [
            (
                "{\"a\": {\"use_count\": 1}}",
                "it is Hermes's `.usage.json`, and Progressive Skill's was expected",
            ),
            ("[]", "the whole is a list, and a mapping was expected"),
            (
                "{\"a\": {\"count\": 1",
                "it is no JSON: EOF while parsing an object at line 1 column 17",
            ),
        ] {
            let error = read_progressive_records(bytes.as_bytes(), "u").unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(read_progressive_records(b"{}", "u").unwrap().records, []);
    }
}
