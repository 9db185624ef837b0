//! Progressive Skill's usage file, read as generously as it reads it itself: numbers may be texts, and a missing time is
//! long ago. The reader for every other command is stricter, since there the file may be anybody's.

use serde_json::Value;

use crate::{
    adapters::{
        text::{ForeignError, is_odd_number, json_of, kind_of, shown},
        time::from_unix,
    },
    skill::{OneLine, Usage, UsageRecord},
};

/// Reads `{"NAME": {"count": 3, "last_used": 1786622400}}`. An entry that is odd is skipped and listed.
///
/// # Errors
/// Where it is no JSON mapping.
pub fn read_usage_of_progressive(bytes: &[u8], source: &str) -> Result<Usage, ForeignError> {
    let entries = match json_of(bytes)? {
        Value::Object(entries) => entries,
        other => {
            return Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) });
        }
    };
    let mut usage = Usage {
        source: format!("Progressive Skill's usage, `{}`", OneLine::new(source)),
        ..Usage::default()
    };
    for (name, entry) in &entries {
        match record(entry) {
            Ok(record) => {
                usage.records.insert(name.clone(), record);
            }
            Err(what) => usage.skipped.push(format!("`{}`: {what}", OneLine::capped(name, 80))),
        }
    }
    Ok(usage)
}

fn record(entry: &Value) -> Result<UsageRecord, String> {
    let Value::Object(fields) = entry else {
        return Err(format!("{}, and a mapping was expected", kind_of(entry)));
    };
    let number = |field: &str, expected: &str| match fields.get(field) {
        None => Ok(0.0),
        Some(value) => number(value)
            .ok_or_else(|| format!("`{field}` is {}, and {expected} was expected", shown(value))),
    };
    let count = number("count", "a number")?;
    let last_used = number("last_used", "a time in seconds since 1970")?;
    let last_used = from_unix(last_used)
        .ok_or_else(|| format!("`last_used` is {last_used}, and a time was expected"))?;
    // A negative count is worth nothing, and a fraction of a use is dropped; `as` saturates.
    Ok(UsageRecord {
        uses: (count.max(0.0) as u64).min(MOST),
        last_used: Some(last_used),
        pinned: false,
    })
}

/// The contract counts in signed integers.
const MOST: u64 = i64::MAX as u64;

/// A finite number, whether written as one, as a text, or as nothing at all, which is 0.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Null => Some(0.0),
        Value::String(text) if is_odd_number(text) => None,
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::read_usage_of_progressive;
    use crate::skill::Instant;

    const LONG_AGO: Instant = Instant(0);

    #[test]
    fn numbers_may_be_texts_and_times_may_be_missing() {
        for (entry, uses, last_used) in [
            (r#"{"count": 3, "last_used": 9}"#, 3, Instant(9)),
            (r#"{"count": "9", "last_used": "7.5"}"#, 9, Instant(7)),
            (r#"{"count": 2.9, "last_used": null}"#, 2, LONG_AGO),
            (r#"{"count": 2}"#, 2, LONG_AGO),
            (r#"{"last_used": 5}"#, 0, Instant(5)),
            (r#"{"count": -4, "last_used": 5}"#, 0, Instant(5)),
            ("{}", 0, LONG_AGO),
        ] {
            let json = format!("{{\"s\": {entry}}}");
            let usage = read_usage_of_progressive(json.as_bytes(), "u").unwrap();
            let record = usage.records.get("s").unwrap();
            assert_eq!((record.uses, record.last_used), (uses, Some(last_used)), "{entry}");
        }
    }

    #[test]
    fn an_odd_entry_is_skipped_with_its_reason() {
        for (entry, reason) in [
            ("[1]", "a list, and a mapping was expected"),
            (r#"{"count": "x"}"#, "`count` is `\"x\"`, and a number was expected"),
            (r#"{"count": 1e400}"#, "`count` is `1e400`, and a number was expected"),
            (r#"{"count": NaN}"#, "`count` is `NaN`, and a number was expected"),
            (r#"{"count": "inf"}"#, "`count` is `\"inf\"`, and a number was expected"),
            (r#"{"count": true}"#, "`count` is `true`, and a number was expected"),
            (
                r#"{"last_used": 1e30}"#,
                "`last_used` is 1000000000000000000000000000000, and a time was expected",
            ),
        ] {
            let json = format!(r#"{{"odd": {entry}, "good": {{"count": 1}}}}"#);
            let usage = read_usage_of_progressive(json.as_bytes(), "u").unwrap();
            assert_eq!(usage.skipped, [format!("`odd`: {reason}")]);
            assert_eq!(usage.records.keys().collect::<Vec<_>>(), ["good"]);
        }
    }

    #[test]
    fn what_is_no_usage_is_refused_in_words() {
        for (json, message) in [
            ("[]", "the whole is a list, and a mapping was expected"),
            ("{", "it is no JSON: EOF while parsing an object at line 1 column 1"),
        ] {
            let error = read_usage_of_progressive(json.as_bytes(), "u").unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
