//! What Hermes's curator says of itself: when it last ran, whether it is paused (`.curator_state`), and its settings
//! (`curator` in `config.yaml`). It is kept for a curator of ours; nothing is done by it here.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::adapters::{
    said::Left,
    text::{ForeignError, json_of, kind_of, shown, text_of, yaml_of},
    time::from_iso,
};

pub(super) const STATE: &str = "skills/.curator_state";
pub(super) const CONFIG: &str = "config.yaml";

/// Settings that are kept, each with what it must be.
const SETTINGS: [(&str, Expected); 7] = [
    ("enabled", Expected::Truth),
    ("interval_hours", Expected::Number),
    ("min_idle_hours", Expected::Number),
    ("stale_after_days", Expected::Number),
    ("archive_after_days", Expected::Number),
    ("consolidate", Expected::Truth),
    ("prune_builtins", Expected::Truth),
];

/// What is kept of the state; the rest is about texts that were shown.
const KEPT: [(&str, Expected); 3] =
    [("last_run_at", Expected::Time), ("paused", Expected::Truth), ("run_count", Expected::Number)];

#[derive(Clone, Copy)]
enum Expected {
    Truth,
    Number,
    Time,
}

impl Expected {
    fn fits(self, value: &Value) -> bool {
        match self {
            Expected::Truth => value.is_boolean(),
            Expected::Number => value.as_f64().is_some_and(|number| number >= 0.0),
            Expected::Time => value.as_str().is_some_and(|text| from_iso(text).is_some()),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Expected::Truth => "`true` or `false`",
            Expected::Number => "a number from 0",
            Expected::Time => "a time by ISO 8601",
        }
    }
}

/// What is kept of the state.
///
/// # Errors
/// Where it is no JSON mapping.
pub(super) fn state(
    bytes: &[u8],
    left: &mut Vec<Left>,
) -> Result<Map<String, Value>, ForeignError> {
    match json_of(bytes)? {
        Value::Object(state) => Ok(taken(&state, &KEPT, STATE, "", left)),
        other => Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) }),
    }
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    curator: Option<Value>,
}

/// What is kept of the settings. That the file is no YAML is for the reader of its `skills` to say.
///
/// # Errors
/// Where `curator` is no mapping.
pub(super) fn settings(
    bytes: &[u8],
    left: &mut Vec<Left>,
) -> Result<Map<String, Value>, ForeignError> {
    let document: Option<Document> = yaml_of(text_of(bytes)?)?;
    match document.and_then(|document| document.curator) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(curator)) => Ok(taken(&curator, &SETTINGS, CONFIG, "curator.", left)),
        Some(other) => Err(ForeignError::NotMapping { place: "`curator`", found: kind_of(&other) }),
    }
}

fn taken(
    all: &Map<String, Value>,
    wanted: &[(&str, Expected)],
    file: &str,
    prefix: &str,
    left: &mut Vec<Left>,
) -> Map<String, Value> {
    let mut kept = Map::new();
    for (key, expected) in wanted {
        match all.get(*key) {
            None | Some(Value::Null) => {}
            Some(value) if expected.fits(value) => {
                kept.insert((*key).to_owned(), value.clone());
            }
            Some(value) => {
                let why = format!("found {}, expected {}", shown(value), expected.word());
                left.push(Left::new(file, format!("{prefix}{key}"), why));
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::{Value, json};

    use super::{settings, state};

    #[test]
    fn what_fits_is_kept_and_what_doesn_t_is_told() {
        let mut left = Vec::new();
        let json = br#"{"last_run_at": "2026-08-13T12:00:00+00:00", "paused": "yes", "run_count": 3, "last_run_summary": "s"}"#;
        let kept = Value::Object(state(json, &mut left).unwrap());
        assert_eq!(kept, json!({"last_run_at": "2026-08-13T12:00:00+00:00", "run_count": 3}));
        let yaml = b"model: x\ncurator: {interval_hours: 24, stale_after_days: -1, enabled: false, auxiliary: {}}\n";
        let kept = Value::Object(settings(yaml, &mut left).unwrap());
        assert_eq!(kept, json!({"enabled": false, "interval_hours": 24}));
        let left: Vec<_> =
            left.iter().map(|it| format!("{} {}: {}", it.file, it.at, it.why)).collect();
        assert_eq!(
            left,
            [
                "skills/.curator_state paused: found `\"yes\"`, expected `true` or `false`",
                "config.yaml curator.stale_after_days: found `-1`, expected a number from 0",
            ]
        );
        assert_eq!(settings(b"", &mut Vec::new()).unwrap().len(), 0);
        assert!(settings(b"curator: [1]", &mut Vec::new()).is_err());
        assert!(state(b"[]", &mut Vec::new()).is_err());
    }
}
