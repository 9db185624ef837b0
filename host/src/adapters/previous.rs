//! Our own index of an earlier session (`index --format json`), read back so that this session's doesn't flap.
//! Only forms are taken from it: everything else is found anew.

use std::collections::{BTreeMap, btree_map::Entry};

use serde_json::Value;

use super::text::{ForeignError, json_of, kind_of};
use crate::skill::OneLine;

/// The schema that is understood.
const SCHEMA: &str = "skillkeep.index/1";

/// The forms of an earlier index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Previous {
    /// By qualified name (`category/name`): 0 full, 1 short, 2 name, 3 counted. Skills that were hidden have none.
    pub forms: BTreeMap<String, u8>,
}

/// Why an earlier index can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PreviousError {
    /// It could not be read as JSON.
    #[error("the previous index can't be read: {0}")]
    Unreadable(#[from] ForeignError),
    /// It is something else, or of another version.
    #[error("the previous index has the schema {found}, and `{SCHEMA}` was expected")]
    OtherSchema {
        /// What its `schema` says.
        found: OneLine,
    },
    /// An entry is not as the schema says.
    #[error("entry {at} of the previous index has no {missing}")]
    OddEntry {
        /// Its position, counted from 0.
        at: usize,
        /// What it lacks.
        missing: &'static str,
    },
}

/// Reads the forms of an earlier index. Where a qualified name comes twice, its most telling form counts.
///
/// # Errors
/// Where it is no output of `index --format json` of this schema.
pub fn read_previous(bytes: &[u8]) -> Result<Previous, PreviousError> {
    let index = json_of(bytes)?;
    match index.get("schema") {
        Some(Value::String(schema)) if schema == SCHEMA => {}
        found => {
            let found = match found {
                Some(Value::String(schema)) => format!("`{}`", OneLine::capped(schema, 80)),
                Some(other) => kind_of(other).to_owned(),
                None => "nothing".to_owned(),
            };
            return Err(PreviousError::OtherSchema { found: OneLine::new(&found) });
        }
    }
    let entries = match index.get("entries") {
        Some(Value::Array(entries)) => entries.as_slice(),
        found => {
            return Err(ForeignError::NotEntries { found: found.map_or("missing", kind_of) }.into());
        }
    };
    let mut previous = Previous::default();
    for (at, entry) in entries.iter().enumerate() {
        let text = |field, missing| {
            entry.get(field).and_then(Value::as_str).ok_or(PreviousError::OddEntry { at, missing })
        };
        let form = match entry.get("form") {
            None | Some(Value::Null) => continue,
            Some(form) => form_of(form)
                .ok_or(PreviousError::OddEntry { at, missing: "form that is known" })?,
        };
        let name = format!("{}/{}", text("category", "category")?, text("name", "name")?);
        match previous.forms.entry(name) {
            Entry::Vacant(slot) => {
                slot.insert(form);
            }
            Entry::Occupied(mut slot) => {
                let least = form.min(*slot.get());
                slot.insert(least);
            }
        }
    }
    Ok(previous)
}

fn form_of(word: &Value) -> Option<u8> {
    match word.as_str()? {
        "full" => Some(0),
        "short" => Some(1),
        "name" => Some(2),
        "counted" => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Previous, read_previous};

    #[test]
    fn forms_are_read_by_qualified_name_and_hidden_skills_have_none() {
        let json = br#"{"schema": "skillkeep.index/1", "coverage": {}, "entries": [
            {"name": "a", "category": "x", "form": "full", "cost": 12},
            {"name": "a", "category": "y/z", "form": "short"},
            {"name": "b", "category": "x", "form": "name"},
            {"name": "c", "category": "x", "form": "counted"},
            {"name": "c", "category": "x", "form": "short"},
            {"name": "d", "category": "x", "form": null},
            {"name": "e", "category": "x"}]}"#;
        let forms = [("x/a", 0), ("x/b", 2), ("x/c", 1), ("y/z/a", 1)];
        let forms = forms.map(|(name, form)| (name.to_owned(), form)).into();
        assert_eq!(read_previous(json), Ok(Previous { forms }));
    }

    #[test]
    fn what_is_no_index_of_ours_is_refused_in_words() {
        for (json, message) in [
            (
                "[",
                "the previous index can't be read: it is no JSON: EOF while parsing a list at line 1 column 1",
            ),
            (
                "[]",
                "the previous index has the schema nothing, and `skillkeep.index/1` was expected",
            ),
            (
                r#"{"schema": "skillkeep.index/2", "entries": []}"#,
                "the previous index has the schema `skillkeep.index/2`, and `skillkeep.index/1` was expected",
            ),
            (
                r#"{"schema": 1}"#,
                "the previous index has the schema a number, and `skillkeep.index/1` was expected",
            ),
            (
                r#"{"schema": "skillkeep.index/1"}"#,
                "the previous index can't be read: `entries` is missing, and a list was expected",
            ),
            (
                r#"{"schema": "skillkeep.index/1", "entries": [{"name": "a", "form": "full"}]}"#,
                "entry 0 of the previous index has no category",
            ),
            (
                r#"{"schema": "skillkeep.index/1", "entries": [{"name": "a", "category": "x", "form": "tiny"}]}"#,
                "entry 0 of the previous index has no form that is known",
            ),
        ] {
            assert_eq!(read_previous(json.as_bytes()).unwrap_err().to_string(), message);
        }
    }
}
