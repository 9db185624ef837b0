//! `.usage.json`: counts, marks and states, a record a name. A field that is odd loses itself and nothing else.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    adapters::{
        said::{Count, Left, Record},
        text::{ForeignError, json_of, kind_of, shown},
        time::from_iso,
    },
    ledger::Origin,
    skill::{Instant, State},
};

/// The file, below the home.
pub(super) const FILE: &str = "skills/.usage.json";

/// Fields that are understood and have no place here: Hermes's own bookkeeping between a patch and the next use.
const WITHOUT_PLACE: [&str; 2] = ["patch_generation", "last_reused_patch_generation"];

/// All fields that are taken over.
const FIELDS: [&str; 12] = [
    "created_by",
    "agent_created",
    "use_count",
    "view_count",
    "patch_count",
    "last_used_at",
    "last_viewed_at",
    "last_patched_at",
    "created_at",
    "state",
    "pinned",
    "archived_at",
];

/// Reads the records.
///
/// # Errors
/// Where it is no JSON mapping.
pub(super) fn read(bytes: &[u8], left: &mut Vec<Left>) -> Result<Vec<Record>, ForeignError> {
    let entries = match json_of(bytes)? {
        Value::Object(entries) => entries,
        other => {
            return Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) });
        }
    };
    let mut records = Vec::new();
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for (key, entry) in &entries {
        let Value::Object(fields) = entry else {
            let why = format!("{}, and a mapping was expected", kind_of(entry));
            left.push(Left::new(FILE, key, why));
            continue;
        };
        if key.trim().is_empty() {
            left.push(Left::new(FILE, key, "a record without a name"));
            continue;
        }
        for field in fields.keys().filter(|field| !FIELDS.contains(&field.as_str())) {
            *others.entry(field.clone()).or_default() += 1;
        }
        records.push(Fields { key, fields, left }.record());
    }
    for (field, count) in others {
        let why = if WITHOUT_PLACE.contains(&field.as_str()) {
            "has no place here"
        } else {
            "is not known here"
        };
        let records = if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
        left.push(Left::new(FILE, format!("*.{field}"), format!("{why} (in {records})")));
    }
    Ok(records)
}

struct Fields<'a> {
    key: &'a str,
    fields: &'a Map<String, Value>,
    left: &'a mut Vec<Left>,
}

impl Fields<'_> {
    fn record(mut self) -> Record {
        let made = match self.fields.get("created_at") {
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        Record {
            key: self.key.to_owned(),
            made,
            since: self.time("created_at"),
            views: self.count("view_count", "last_viewed_at"),
            uses: self.count("use_count", "last_used_at"),
            writes: self.count("patch_count", "last_patched_at"),
            pinned: self.truth("pinned"),
            state: self.state(),
            archived: self.time("archived_at"),
            origin: self.origin(),
        }
    }

    fn odd(&mut self, field: &str, expected: &str) {
        let found = self.fields.get(field).map(shown).unwrap_or_default();
        let why = format!("found {found}, expected {expected}");
        self.left.push(Left::new(FILE, format!("{}.{field}", self.key), why));
    }

    fn count(&mut self, count: &str, last: &str) -> Count {
        let counted = match self.fields.get(count) {
            None | Some(Value::Null) => Some(0),
            Some(value) => whole(value),
        };
        if counted.is_none() {
            self.odd(count, "a whole number from 0 to 4294967295");
        }
        Count { count: counted.unwrap_or(0), last: self.time(last) }
    }

    /// `null` is how Hermes writes `never`.
    fn time(&mut self, field: &str) -> Option<Instant> {
        match self.fields.get(field) {
            None | Some(Value::Null) => return None,
            Some(Value::String(text)) => {
                if let Some(time) = from_iso(text) {
                    return Some(time);
                }
            }
            Some(_) => {}
        }
        self.odd(field, "a time by ISO 8601");
        None
    }

    fn truth(&mut self, field: &str) -> bool {
        match self.fields.get(field) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(_) => {
                self.odd(field, "`true` or `false`");
                false
            }
        }
    }

    fn state(&mut self) -> Option<State> {
        match self.fields.get("state") {
            None | Some(Value::Null) => return None,
            Some(Value::String(word)) => match word.as_str() {
                "active" => return Some(State::Active),
                "stale" => return Some(State::Stale),
                "archived" => return Some(State::Archived),
                _ => {}
            },
            Some(_) => {}
        }
        self.odd("state", "`active`, `stale` or `archived`");
        None
    }

    /// The mark of what a review made, in both of its spellings. No key and `null` are nobody's word, and are not guessed.
    fn origin(&mut self) -> Option<Origin> {
        let marked = self.truth("agent_created");
        let word = match self.fields.get("created_by") {
            None | Some(Value::Null) => None,
            Some(Value::String(word)) if word == "agent" => Some(Origin::Review),
            Some(Value::String(word)) if word == "installed" => Some(Origin::Installed),
            Some(_) => {
                self.odd("created_by", "`agent`, `installed` or null; it stays unknown");
                return None;
            }
        };
        word.or(marked.then_some(Origin::Review))
    }
}

/// A count. `3.0` is one too; a text, a truth value and a negative number are none.
pub(in crate::adapters) fn whole(value: &Value) -> Option<u32> {
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => u32::try_from(number).ok(),
        (None, Some(real))
            if real.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&real) =>
        {
            Some(real as u32)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::read;
    use crate::{
        adapters::said::{Count, Record},
        ledger::Origin,
        skill::{Instant, State},
    };

    const NOON: Instant = Instant(1_786_622_400); // 2026-08-13T12:00:00Z

    fn one(fields: &str) -> (Record, Vec<String>) {
        let mut left = Vec::new();
        let records = read(format!("{{\"x\": {fields}}}").as_bytes(), &mut left).unwrap();
        let record = records.into_iter().next().unwrap_or_default();
        (record, left.iter().map(|it| format!("{}: {}", it.at, it.why)).collect())
    }

    #[test]
    fn a_whole_record_is_taken_with_its_times() {
        let (record, left) = one(
            r#"{"created_by": "agent", "use_count": 7, "view_count": 9, "patch_count": 2,
                "last_used_at": "2026-08-13T12:00:00.123456+00:00", "last_viewed_at": "2026-08-13T14:00:00+02:00",
                "last_patched_at": "2026-08-13T12:00:00", "created_at": "2026-08-13T12:00:00Z",
                "state": "archived", "pinned": true, "archived_at": "2026-08-13T12:00:00Z"}"#,
        );
        let at = |count| Count { count, last: Some(NOON) };
        let expected = Record {
            key: "x".to_owned(),
            made: "2026-08-13T12:00:00Z".to_owned(),
            since: Some(NOON),
            views: at(9),
            uses: at(7),
            writes: at(2),
            pinned: true,
            state: Some(State::Archived),
            archived: Some(NOON),
            origin: Some(Origin::Review),
        };
        assert_eq!((record, left), (expected, Vec::new()));
    }

    #[test]
    fn an_origin_is_what_a_known_word_says_and_nothing_else() {
        for (fields, origin, left) in [
            ("{}", None, ""),
            (r#"{"created_by": null}"#, None, ""),
            (r#"{"created_by": "agent"}"#, Some(Origin::Review), ""),
            (r#"{"agent_created": true}"#, Some(Origin::Review), ""),
            (r#"{"created_by": null, "agent_created": true}"#, Some(Origin::Review), ""),
            (r#"{"agent_created": false}"#, None, ""),
            (r#"{"created_by": "installed"}"#, Some(Origin::Installed), ""),
            (
                r#"{"created_by": "agent/v2", "agent_created": true}"#,
                None,
                "x.created_by: found `\"agent/v2\"`, expected `agent`, `installed` or null; it stays unknown",
            ),
            (
                r#"{"created_by": "Agent"}"#,
                None,
                "x.created_by: found `\"Agent\"`, expected `agent`, `installed` or null; it stays unknown",
            ),
            (
                r#"{"created_by": ["agent"]}"#,
                None,
                "x.created_by: found `[\"agent\"]`, expected `agent`, `installed` or null; it stays unknown",
            ),
            (
                r#"{"agent_created": "yes"}"#,
                None,
                "x.agent_created: found `\"yes\"`, expected `true` or `false`",
            ),
        ] {
            let (record, told) = one(fields);
            assert_eq!((record.origin, told.join("\n").as_str()), (origin, left), "{fields}");
        }
    }

    #[test]
    fn an_odd_field_loses_itself_and_nothing_else() {
        let count = "a whole number from 0 to 4294967295";
        for (fields, uses, told) in [
            (r#"{"use_count": 3}"#, 3, String::new()),
            (r#"{"use_count": 3.0}"#, 3, String::new()),
            (r#"{"use_count": null}"#, 0, String::new()),
            (r#"{"use_count": "3"}"#, 0, format!("x.use_count: found `\"3\"`, expected {count}")),
            (r#"{"use_count": -3}"#, 0, format!("x.use_count: found `-3`, expected {count}")),
            (r#"{"use_count": 2.5}"#, 0, format!("x.use_count: found `2.5`, expected {count}")),
            (r#"{"use_count": NaN}"#, 0, format!("x.use_count: found `NaN`, expected {count}")),
            (
                r#"{"use_count": 4294967296}"#,
                0,
                format!("x.use_count: found `4294967296`, expected {count}"),
            ),
            (
                r#"{"use_count": 3, "last_used_at": 1786622400}"#,
                3,
                "x.last_used_at: found `1786622400`, expected a time by ISO 8601".to_owned(),
            ),
            (
                r#"{"use_count": 3, "last_used_at": "yesterday"}"#,
                3,
                "x.last_used_at: found `\"yesterday\"`, expected a time by ISO 8601".to_owned(),
            ),
            (
                r#"{"use_count": 3, "state": "asleep"}"#,
                3,
                "x.state: found `\"asleep\"`, expected `active`, `stale` or `archived`".to_owned(),
            ),
            (
                r#"{"use_count": 3, "pinned": 1}"#,
                3,
                "x.pinned: found `1`, expected `true` or `false`".to_owned(),
            ),
            (
                r#"{"use_count": 3, "sync": {"a": 1}}"#,
                3,
                "*.sync: is not known here (in 1 record)".to_owned(),
            ),
            (
                r#"{"use_count": 3, "patch_generation": 2}"#,
                3,
                "*.patch_generation: has no place here (in 1 record)".to_owned(),
            ),
            ("[1]", 0, "x: a list, and a mapping was expected".to_owned()),
        ] {
            let (record, left) = one(fields);
            assert_eq!((record.uses.count, left.join("\n")), (uses, told), "{fields}");
            assert!(!record.pinned && record.state.is_none(), "{fields}");
        }
    }

    #[test]
    fn half_a_file_and_another_shape_are_refused_whole() {
        for (bytes, message) in [
            (
                &b"{\"x\": {\"use_co"[..],
                "it is no JSON: EOF while parsing a string at line 1 column 14",
            ),
            (b"[]", "the whole is a list, and a mapping was expected"),
            (b"\xff\xfe", "it is UTF-16, and UTF-8 text was expected"),
        ] {
            let error = read(bytes, &mut Vec::new()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(read(b"{}", &mut Vec::new()), Ok(Vec::new()));
    }
}
