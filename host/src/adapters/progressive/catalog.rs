//! Which top-level categories there are, and which skill is in which: from Hermes's snapshot of its prompt.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    adapters::text::{ForeignError, json_of, kind_of},
    skill::OneLine,
};

/// Categories and skills, as Progressive Skill keeps them: by bare name, a name that comes twice being where it came last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Every category, by the first segment of its path.
    pub categories: BTreeSet<String>,
    /// The category of each skill, by name.
    pub skills: BTreeMap<String, String>,
    /// Entries that tell nothing, in words.
    pub odd: Vec<String>,
}

impl Catalog {
    /// Adds a skill by its name and the path of its category. A path without a first segment names no category.
    pub fn add(&mut self, name: Option<&str>, path: &str) {
        let top = path.split('/').next().unwrap_or(path);
        if top.is_empty() {
            return;
        }
        self.categories.insert(top.to_owned());
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.skills.insert(name.to_owned(), top.to_owned());
        }
    }
}

/// Why a snapshot tells nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// It is no JSON, or no mapping.
    #[error(transparent)]
    Unreadable(#[from] ForeignError),
    /// It has no list of skills.
    #[error("`skills` is {found}, and a list was expected")]
    NoSkills {
        /// What is there instead.
        found: &'static str,
    },
}

/// Reads the snapshot that Hermes keeps of its skills prompt. An odd entry costs itself only, not those after it.
///
/// # Errors
/// Where it is no JSON mapping with a list of skills.
pub fn read_snapshot(bytes: &[u8]) -> Result<Catalog, CatalogError> {
    let document = match json_of(bytes)? {
        Value::Object(document) => document,
        other => {
            let found = kind_of(&other);
            return Err(ForeignError::NotMapping { place: "the whole", found }.into());
        }
    };
    let entries = match document.get("skills") {
        Some(Value::Array(entries)) => entries,
        Some(other) => return Err(CatalogError::NoSkills { found: kind_of(other) }),
        None => return Err(CatalogError::NoSkills { found: "missing" }),
    };
    let mut catalog = Catalog::default();
    for (number, entry) in entries.iter().enumerate() {
        let mut odd = |what: String| catalog.odd.push(format!("entry {}: {what}", number + 1));
        let Value::Object(fields) = entry else {
            odd(format!("{}, and a mapping was expected", kind_of(entry)));
            continue;
        };
        let text = |field: &str| match fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(format!("`{field}` is {}, and a text was expected", kind_of(other))),
        };
        let name = text("frontmatter_name").and_then(|name| match name {
            None | Some("") => text("skill_name"),
            given => Ok(given),
        });
        match (text("category"), name) {
            (Ok(category), Ok(name)) => catalog.add(name, category.unwrap_or("")),
            (Err(what), _) | (Ok(_), Err(what)) => odd(OneLine::new(&what).to_string()),
        }
    }
    Ok(catalog)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Catalog, read_snapshot};

    fn catalog(skills: &[(&str, &str)], categories: &[&str], odd: &[&str]) -> Catalog {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Catalog {
            categories: categories.iter().map(|name| (*name).to_owned()).collect(),
            skills: skills.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
            odd: owned(odd),
        }
    }

    #[test]
    fn a_skill_is_in_the_first_segment_of_its_last_category() {
        let json = br#"{"version": 1, "skills": [
            {"category": "books/comfy", "frontmatter_name": "graphs", "skill_name": "folder"},
            {"category": "creative", "frontmatter_name": "", "skill_name": "x"},
            {"category": "leadership", "frontmatter_name": "x"},
            {"category": "", "frontmatter_name": "nowhere"}, {"frontmatter_name": "nowhere"},
            {"category": "nameless"}]}"#;
        let expected = catalog(
            &[("graphs", "books"), ("x", "leadership")],
            &["books", "creative", "leadership", "nameless"],
            &[],
        );
        assert_eq!(read_snapshot(json), Ok(expected));
    }

    #[test]
    fn an_odd_entry_costs_no_other_and_a_byte_order_mark_costs_nothing() {
        let json = "\u{feff}{\"skills\": [[], {\"category\": 5}, {\"category\": \"a\", \"skill_name\": {}}, {\"category\": \"b\"}]}";
        let expected = catalog(
            &[],
            &["b"],
            &[
                "entry 1: a list, and a mapping was expected",
                "entry 2: `category` is a number, and a text was expected",
                "entry 3: `skill_name` is a mapping, and a text was expected",
            ],
        );
        assert_eq!(read_snapshot(json.as_bytes()), Ok(expected));
    }

    #[test]
    fn what_is_no_snapshot_is_refused_in_words() {
        for (json, message) in [
            ("{", "it is no JSON: EOF while parsing an object at line 1 column 1"),
            ("[]", "the whole is a list, and a mapping was expected"),
            ("{}", "`skills` is missing, and a list was expected"),
            (r#"{"skills": {}}"#, "`skills` is a mapping, and a list was expected"),
        ] {
            assert_eq!(read_snapshot(json.as_bytes()).unwrap_err().to_string(), message);
        }
    }
}
