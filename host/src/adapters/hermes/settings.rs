//! Hermes's `config.yaml`: which skills it hides, and where it keeps more of them.
//! Only the `skills` part is looked at; secrets and models in the same file are never kept.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::adapters::text::{ForeignError, kind_of, text_of, yaml_of};
use crate::skill::OneLine;

/// What Hermes's settings say about skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HermesSettings {
    /// `skills.disabled`: turned off everywhere, by name or folder.
    pub disabled: BTreeSet<String>,
    /// `skills.platform_disabled`: turned off on one of Hermes's platforms (`telegram`, `cli`, …).
    pub disabled_on: BTreeMap<String, BTreeSet<String>>,
    /// `skills.external_dirs`: more folders of skills, as written.
    pub external: Vec<String>,
    /// Fields of a kind that tells nothing, in words.
    pub odd: Vec<String>,
}

impl HermesSettings {
    /// What is turned off in a session on this platform, if one is known.
    #[must_use]
    pub fn disabled_in(&self, platform: Option<&str>) -> BTreeSet<String> {
        let more = platform.and_then(|platform| self.disabled_on.get(platform));
        self.disabled.iter().chain(more.into_iter().flatten()).cloned().collect()
    }
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    skills: Option<Value>,
}

/// Reads Hermes's `config.yaml`.
///
/// # Errors
/// Where it is no YAML mapping. An odd field is no error: it is listed in `odd`.
pub fn read_hermes_settings(bytes: &[u8]) -> Result<HermesSettings, ForeignError> {
    let text = text_of(bytes)?;
    let mut settings = HermesSettings::default();
    let document: Option<Document> = yaml_of(text)?;
    let skills = match document.and_then(|document| document.skills) {
        None | Some(Value::Null) => return Ok(settings),
        Some(Value::Object(skills)) => skills,
        Some(other) => {
            return Err(ForeignError::NotMapping { place: "`skills`", found: kind_of(&other) });
        }
    };
    let mut odd = Vec::new();
    let mut words = |field: &str, value: Option<&Value>| {
        words_of(value.unwrap_or(&Value::Null)).unwrap_or_else(|found| {
            odd.push(format!("`{field}` is {found}, and a list of names was expected"));
            Vec::new()
        })
    };
    settings.disabled = words("skills.disabled", skills.get("disabled")).into_iter().collect();
    settings.external = words("skills.external_dirs", skills.get("external_dirs"));
    if let Some(platforms) = skills.get("platform_disabled").and_then(Value::as_object) {
        for (platform, names) in platforms {
            let field = format!("skills.platform_disabled.{}", OneLine::capped(platform, 40));
            let names = words(&field, Some(names)).into_iter().collect();
            settings.disabled_on.insert(platform.clone(), names);
        }
    }
    settings.odd = odd;
    Ok(settings)
}

/// One word or a list of them. Hermes's own `config set` stores a list as a text that starts with `[`.
fn words_of(value: &Value) -> Result<Vec<String>, &'static str> {
    let list = match value {
        Value::Null => Vec::new(),
        Value::String(text) if text.trim_start().starts_with('[') => {
            yaml_of::<Vec<Value>>(text).unwrap_or_else(|_| vec![value.clone()])
        }
        Value::Array(list) => list.clone(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => vec![value.clone()],
        Value::Object(_) => return Err("a mapping"),
    };
    Ok(list
        .iter()
        .map(|word| match word {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        })
        .filter(|word| !word.is_empty() && word != "null")
        .collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{HermesSettings, read_hermes_settings};

    fn set(words: &[&str]) -> std::collections::BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn lists_are_read_in_every_spelling() {
        for (yaml, disabled) in [
            ("skills:\n  disabled: [a, b]", &["a", "b"][..]),
            ("skills:\n  disabled:\n    - a\n    - ' b '\n    - ''", &["a", "b"]),
            ("skills:\n  disabled: a", &["a"]),
            ("skills:\n  disabled: 'a, b'", &["a, b"]),
            ("skills:\n  disabled: '[\"a\", \"b\"]'", &["a", "b"]),
            ("skills:\n  disabled: \"['a']\"", &["a"]),
            ("skills:\n  disabled: '[a'", &["[a"]),
            ("skills:\n  disabled: [42, true]", &["42", "true"]),
            ("skills:\n  disabled: [y, n, Y, NO, on]", &["y", "n", "Y", "NO", "on"]),
            ("skills:\n  disabled:\n    - yes\n    - off", &["yes", "off"]),
            ("skills:\n  disabled: y", &["y"]),
            ("skills:\n  disabled: '[no, \"on\"]'", &["no", "on"]),
            ("skills:\n  disabled:", &[]),
            ("skills:\n", &[]),
            ("model: x\nkey: {1: 2}\n", &[]),
            ("", &[]),
            ("# only a comment\n", &[]),
        ] {
            let settings = read_hermes_settings(yaml.as_bytes()).unwrap();
            assert_eq!(
                settings,
                HermesSettings { disabled: set(disabled), ..HermesSettings::default() },
                "{yaml}"
            );
        }
    }

    #[test]
    fn a_platform_adds_to_what_is_off_everywhere() {
        let yaml = b"skills:\n  disabled: [a]\n  platform_disabled: {telegram: [b], cli: '[]'}\n  external_dirs: ~/x\n";
        let settings = read_hermes_settings(yaml).unwrap();
        assert_eq!(settings.external, ["~/x"]);
        assert_eq!(settings.disabled_in(None), set(&["a"]));
        assert_eq!(settings.disabled_in(Some("telegram")), set(&["a", "b"]));
        assert_eq!(settings.disabled_in(Some("cli")), set(&["a"]));
        assert_eq!(settings.disabled_in(Some("signal")), set(&["a"]));
    }

    #[test]
    fn odd_fields_are_said_and_the_others_kept() {
        let yaml = b"skills: {disabled: {a: 1}, external_dirs: [/x]}";
        let settings = read_hermes_settings(yaml).unwrap();
        assert_eq!(
            settings.odd,
            ["`skills.disabled` is a mapping, and a list of names was expected"]
        );
        assert_eq!(settings.external, ["/x"]);
        let error = read_hermes_settings(b"skills: [a]").unwrap_err();
        assert_eq!(error.to_string(), "`skills` is a list, and a mapping was expected");
        let error = read_hermes_settings(b"skills: {a: [").unwrap_err();
        assert!(error.to_string().starts_with("it is no YAML: "), "{error}");
    }
}
