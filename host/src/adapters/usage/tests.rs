//! Usage files of both formats, whole, odd and broken.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::read_usage;
use crate::skill::{Instant, Usage, UsageRecord};

const NOON: i64 = 1_786_622_400; // 2026-08-13T12:00:00Z

fn usage(source: &str, records: &[(&str, u64, Option<i64>, bool)], skipped: &[&str]) -> Usage {
    Usage {
        source: source.to_owned(),
        records: records
            .iter()
            .map(|&(name, uses, last, pinned)| {
                (name.to_owned(), UsageRecord { uses, last_used: last.map(Instant), pinned })
            })
            .collect(),
        skipped: skipped.iter().map(|line| (*line).to_owned()).collect(),
    }
}

#[test]
fn progressive_skill_is_known_by_count_and_last_used() {
    let json = br#"{"deploy": {"count": 7, "last_used": 1786622400.75},
                    "pdf:fill": {"count": 1, "last_used": 1818158400},
                    "never": {"count": 0}}"#;
    let expected = usage(
        "Progressive Skill's usage, `usage.json`",
        &[
            ("deploy", 7, Some(NOON), false),
            ("pdf:fill", 1, Some(NOON + 31_536_000), false),
            ("never", 0, None, false),
        ],
        &[],
    );
    assert_eq!(read_usage(json, "usage.json"), Ok(expected));
}

#[test]
fn hermes_is_known_by_its_fields_and_tells_pins() {
    let json = br#"{
        "deploy": {"created_by": null, "use_count": 7, "view_count": 9, "pinned": true, "state": "active",
                   "last_used_at": "2026-08-13T12:00:00.123456+00:00", "last_viewed_at": null},
        "zulu": {"use_count": 1, "last_used_at": "2026-08-13T12:00:00Z"},
        "naive": {"use_count": 1, "last_used_at": "2026-08-13T12:00:00"},
        "offset": {"use_count": 1, "last_used_at": "2026-08-13T21:00:00+09:00"},
        "seen": {"view_count": 3, "last_used_at": null, "pinned": null}}"#;
    let expected = usage(
        "Hermes's usage, `.usage.json`",
        &[
            ("deploy", 7, Some(NOON), true),
            ("zulu", 1, Some(NOON), false),
            ("naive", 1, Some(NOON), false),
            ("offset", 1, Some(NOON), false),
            ("seen", 0, None, false),
        ],
        &[],
    );
    assert_eq!(read_usage(json, ".usage.json"), Ok(expected));
}

#[test]
fn an_odd_field_is_skipped_with_its_reason_and_nothing_else() {
    for (entry, record, reason) in [
        (r#"{"count": 1e400}"#, None, "`count` is `1e400`, and a whole number from 0 was expected"),
        (r#"{"count": NaN}"#, None, "`count` is `NaN`, and a whole number from 0 was expected"),
        (r#"{"count": -3}"#, None, "`count` is `-3`, and a whole number from 0 was expected"),
        (r#"{"count": 2.5}"#, None, "`count` is `2.5`, and a whole number from 0 was expected"),
        (r#"{"count": "3"}"#, None, "`count` is `\"3\"`, and a whole number from 0 was expected"),
        (r#"{"count": null}"#, None, "`count` is `null`, and a whole number from 0 was expected"),
        (
            r#"{"count": 18446744073709551615}"#,
            None,
            "`count` is `18446744073709551615`, and a smaller whole number was expected",
        ),
        (
            r#"{"count": true, "last_used": 5}"#,
            Some((0, Some(5))),
            "`count` is `true`, and a whole number from 0 was expected",
        ),
        (
            r#"{"count": 4, "last_used": "5"}"#,
            Some((4, None)),
            "`last_used` is `\"5\"`, and a time in seconds since 1970 was expected",
        ),
        (
            r#"{"count": 4, "last_used": null}"#,
            Some((4, None)),
            "`last_used` is `null`, and a time in seconds since 1970 was expected",
        ),
        (
            r#"{"count": 4, "last_used": 1786622400000}"#,
            Some((4, None)),
            "`last_used` is `1786622400000`, and a time in seconds since 1970 was expected",
        ),
        (
            r#"{"count": 4, "last_used": -Infinity}"#,
            Some((4, None)),
            "`last_used` is `-Infinity`, and a time in seconds since 1970 was expected",
        ),
        (
            r#"{"count": 4, "pinned": 1}"#,
            Some((4, None)),
            "`pinned` is `1`, and `true` or `false` was expected",
        ),
        ("null", None, "null, and a mapping was expected"),
        ("[1]", None, "a list, and a mapping was expected"),
    ] {
        let json = format!(r#"{{"good": {{"count": 2, "last_used": 9}}, "odd": {entry}}}"#);
        let mut records = vec![("good", 2, Some(9), false)];
        records.extend(record.map(|(uses, last)| ("odd", uses, last, false)));
        let skipped = format!("`odd`: {reason}");
        let expected = usage("Progressive Skill's usage, `u`", &records, &[&skipped]);
        assert_eq!(read_usage(json.as_bytes(), "u"), Ok(expected), "{entry}");
    }
}

#[test]
fn odd_fields_of_hermes_are_skipped_too() {
    let json = br#"{"a": {"use_count": 1, "last_used_at": "yesterday"}, "b": {"use_count": 3.0, "last_used_at": 5},
                    "": {"use_count": 1}}"#;
    let expected = usage(
        "Hermes's usage, `u`",
        &[("a", 1, None, false), ("b", 3, None, false)],
        &[
            "`a`: `last_used_at` is `\"yesterday\"`, and a time by ISO 8601 was expected",
            "`b`: `last_used_at` is `5`, and a time by ISO 8601 was expected",
            "``: an entry without a name",
        ],
    );
    assert_eq!(read_usage(json, "u"), Ok(expected));
}

#[test]
fn an_empty_file_of_usage_is_no_error_and_a_byte_order_mark_is_no_matter() {
    assert_eq!(read_usage(b"{}", "u"), Ok(usage("`u`", &[], &[])));
    let json = b"\xef\xbb\xbf{\"a\": {\"count\": 1}}";
    let expected = usage("Progressive Skill's usage, `u`", &[("a", 1, None, false)], &[]);
    assert_eq!(read_usage(json, "u"), Ok(expected));
}

#[test]
fn what_is_no_usage_is_refused_in_words() {
    for (json, message) in [
        (
            r#"{"a": {"count": 1}, "b": {"use_count": 1}}"#,
            "the usage file `u` mixes two formats: `a` has `count` or `last_used`, `b` has fields of Hermes's such as `use_count`",
        ),
        (
            r#"{"version": 1, "skills": {}}"#,
            "the usage file `u` has a shape that isn't known: `version` is a number",
        ),
        (
            r#"{"a": {"uses": 1, "when": 2}}"#,
            "the usage file `u` has a shape that isn't known: `a` is a mapping with `uses`, `when`",
        ),
        (
            r#"{"a": {}}"#,
            "the usage file `u` has a shape that isn't known: `a` is an empty mapping",
        ),
        ("[]", "the usage file `u` can't be read: the whole is a list, and a mapping was expected"),
        (
            "{\"a\": {\"count\": 1}",
            "the usage file `u` can't be read: it is no JSON: EOF while parsing an object at line 1 column 18",
        ),
        (
            "",
            "the usage file `u` can't be read: it is no JSON: EOF while parsing a value at line 1 column 0",
        ),
    ] {
        assert_eq!(read_usage(json.as_bytes(), "u").unwrap_err().to_string(), message);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(read_usage(&bytes, "u"));
    }

    /// Whatever stands in one entry, the others are read as if it weren't there.
    #[test]
    fn an_entry_never_costs_another(count in "[-+0-9.eENaInfity\\[\\]\"]{0,12}", uses in 0u64..1000) {
        let json = format!(r#"{{"good": {{"count": {uses}, "last_used": 9}}, "odd": {{"count": {count}}}}}"#);
        if let Ok(usage) = read_usage(json.as_bytes(), "u") {
            let expected = UsageRecord { uses, last_used: Some(Instant(9)), pinned: false };
            prop_assert_eq!(usage.records.get("good"), Some(&expected));
        }
    }
}
