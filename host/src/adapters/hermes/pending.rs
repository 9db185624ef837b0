//! `pending/skills/ID.json`: writes that wait for somebody's word. They are told, and stay where they are.

use serde_json::Value;

use crate::{
    adapters::{
        text::{ForeignError, json_of, kind_of},
        time::from_unix,
    },
    skill::{Instant, OneLine},
};

/// A write that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingWrite {
    /// What it would do: `create`, `patch`, …
    pub action: OneLine,
    /// To which skill.
    pub skill: OneLine,
    /// Who asked: `background_review`, `assistant_tool`, …
    pub origin: OneLine,
    /// When.
    pub at: Option<Instant>,
}

/// Reads one.
///
/// # Errors
/// Where it is no JSON mapping.
pub fn read_pending_write(bytes: &[u8]) -> Result<PendingWrite, ForeignError> {
    let record = match json_of(bytes)? {
        Value::Object(record) => record,
        other => {
            return Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) });
        }
    };
    let word = |value: Option<&Value>| {
        OneLine::capped(value.and_then(Value::as_str).unwrap_or("unknown"), 80)
    };
    Ok(PendingWrite {
        action: word(record.get("action")),
        skill: word(record.get("payload").and_then(|payload| payload.get("name"))),
        origin: word(record.get("origin")),
        at: record.get("created_at").and_then(Value::as_f64).and_then(from_unix),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{PendingWrite, read_pending_write};
    use crate::skill::Instant;

    #[test]
    fn a_write_is_told_as_far_as_it_says() {
        let json = br#"{"id": "0a1b2c3d", "subsystem": "skills", "action": "patch", "origin": "background_review",
            "created_at": 1786622400.5, "payload": {"name": "deploy", "old_string": "x"}}"#;
        let expected = PendingWrite {
            action: "patch".into(),
            skill: "deploy".into(),
            origin: "background_review".into(),
            at: Some(Instant(1_786_622_400)),
        };
        assert_eq!(read_pending_write(json).unwrap(), expected);
        let bare = read_pending_write(b"{\"payload\": 3}").unwrap();
        assert_eq!(
            (bare.action.as_str(), bare.skill.as_str(), bare.at),
            ("unknown", "unknown", None)
        );
        assert!(read_pending_write(b"[]").is_err() && read_pending_write(b"{").is_err());
    }
}
