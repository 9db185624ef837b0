//! Progressive Skill's settings: the `config` section of a YAML file. Its keys are its own, its checks are ours: it has none.

use serde::Deserialize;
use serde_json::Value;

use crate::adapters::text::{ForeignError, kind_of, shown, text_of, yaml_of};

/// Its settings. `phase3_health_check` has no part in an answer and is not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Days after which 1/e of a use is left; like the score within what the policy takes, so that a wrong one is said by its
    /// own name.
    pub decay_days: f64,
    /// The score of one skill that keeps its category from being demoted.
    pub promote_score: f64,
    /// What the lines of all skills may take, in characters, the line breaks included.
    pub list_budget_chars: u32,
    /// Categories that are never demoted, by the first segment of their path.
    pub always_relevant: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            decay_days: 30.0,
            promote_score: 2.0,
            list_budget_chars: 4600,
            always_relevant: vec!["hermes".to_owned(), "software-development".to_owned()],
        }
    }
}

/// What is wrong with a settings file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigProblem {
    /// It tells nothing.
    #[error(transparent)]
    Unreadable(#[from] ForeignError),
    /// A value that makes no sense.
    #[error("`{key}` is {found}, and {expected} was expected")]
    Value {
        /// Its key.
        key: &'static str,
        /// As it was given.
        found: String,
        /// What would do.
        expected: &'static str,
    },
}

impl ConfigProblem {
    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            ConfigProblem::Unreadable(_) => {
                "for example `config: {list_budget_chars: 4600}`".to_owned()
            }
            ConfigProblem::Value { key, .. } => {
                let usual = Config::default();
                let usual = match *key {
                    "decay_days" => usual.decay_days.to_string(),
                    "promote_score" => usual.promote_score.to_string(),
                    "list_budget_chars" => usual.list_budget_chars.to_string(),
                    _ => format!("[{}]", usual.always_relevant.join(", ")),
                };
                format!("`{key}: {usual}` is what holds where nobody sets it")
            }
        }
    }
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    config: Option<Value>,
}

/// Reads the file. What it doesn't set keeps its default; keys that mean nothing are ignored.
///
/// # Errors
/// Where it is no YAML mapping, or a value makes no sense.
pub fn read_config(bytes: &[u8]) -> Result<Config, ConfigProblem> {
    let document: Option<Document> = yaml_of(text_of(bytes)?)?;
    let fields = match document.and_then(|document| document.config) {
        None | Some(Value::Null) => return Ok(Config::default()),
        Some(Value::Object(fields)) => fields,
        Some(other) => {
            let found = kind_of(&other);
            return Err(ForeignError::NotMapping { place: "`config`", found }.into());
        }
    };
    let given = |key: &'static str| fields.get(key).filter(|value| !value.is_null());
    let mut config = Config::default();
    if let Some(value) = given("decay_days") {
        config.decay_days = real(value)
            .filter(|days| (0.001..=36_500.0).contains(days))
            .ok_or_else(|| wrong("decay_days", value, "a number of days from 0.001 to 36500"))?;
    }
    if let Some(value) = given("promote_score") {
        config.promote_score = real(value)
            .filter(|score| (0.0..=1e9).contains(score))
            .ok_or_else(|| wrong("promote_score", value, "a number from 0 to 1000000000"))?;
    }
    if let Some(value) = given("list_budget_chars") {
        // A budget beyond 32 bits is no limit, and neither is the largest of them. `as` saturates and drops a fraction.
        config.list_budget_chars = real(value)
            .filter(|chars| *chars >= 0.0)
            .map(|chars| chars as u32)
            .ok_or_else(|| wrong("list_budget_chars", value, "a number of characters from 0"))?;
    }
    if let Some(value) = given("always_relevant") {
        config.always_relevant =
            names(value).ok_or_else(|| wrong("always_relevant", value, "a list of categories"))?;
    }
    Ok(config)
}

fn wrong(key: &'static str, found: &Value, expected: &'static str) -> ConfigProblem {
    ConfigProblem::Value { key, found: shown(found), expected }
}

/// A finite number, also where it stands in quotes.
fn real(value: &Value) -> Option<f64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.filter(|number: &f64| number.is_finite())
}

/// A list of names, or one name by itself: nobody means its letters.
fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(names) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Config, read_config};

    #[test]
    fn what_is_set_is_read_and_the_rest_keeps_its_default() {
        let usual = Config::default;
        for (yaml, expected) in [
            ("", usual()),
            ("config:\n", usual()),
            ("other: 1\nconfig: {nonesuch: 5, decay_days: null}\n", usual()),
            ("config: {decay_days: 14}", Config { decay_days: 14.0, ..usual() }),
            ("config: {promote_score: \"1.5\"}", Config { promote_score: 1.5, ..usual() }),
            ("config: {list_budget_chars: 0}", Config { list_budget_chars: 0, ..usual() }),
            ("config: {list_budget_chars: 99.9}", Config { list_budget_chars: 99, ..usual() }),
            (
                "config: {list_budget_chars: 1.0e12}",
                Config { list_budget_chars: u32::MAX, ..usual() },
            ),
            ("config: {always_relevant: []}", Config { always_relevant: vec![], ..usual() }),
            (
                "config: {always_relevant: dev}",
                Config { always_relevant: vec!["dev".to_owned()], ..usual() },
            ),
        ] {
            assert_eq!(read_config(yaml.as_bytes()), Ok(expected), "{yaml}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for (yaml, message, hint) in [
            (
                "config: {decay_days: 0}",
                "`decay_days` is `0`, and a number of days from 0.001 to 36500 was expected",
                "`decay_days: 30` is what holds where nobody sets it",
            ),
            (
                "config: {promote_score: -1}",
                "`promote_score` is `-1`, and a number from 0 to 1000000000 was expected",
                "`promote_score: 2` is what holds where nobody sets it",
            ),
            (
                "config: {list_budget_chars: lots}",
                "`list_budget_chars` is `\"lots\"`, and a number of characters from 0 was expected",
                "`list_budget_chars: 4600` is what holds where nobody sets it",
            ),
            (
                "config: {always_relevant: [1]}",
                "`always_relevant` is `[1]`, and a list of categories was expected",
                "`always_relevant: [hermes, software-development]` is what holds where nobody sets it",
            ),
            (
                "config: [1]",
                "`config` is a list, and a mapping was expected",
                "for example `config: {list_budget_chars: 4600}`",
            ),
        ] {
            let problem = read_config(yaml.as_bytes()).unwrap_err();
            assert_eq!((problem.to_string().as_str(), problem.hint().as_str()), (message, hint));
        }
        assert!(read_config(b"config: [").unwrap_err().to_string().starts_with("it is no YAML: "));
    }
}
