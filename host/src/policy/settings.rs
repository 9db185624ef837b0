//! Settings: what people write, against what a policy declares.

use std::collections::BTreeMap;

use super::info::{Info, Parameter};
use crate::{
    decision::{Settings, Value, ValueType},
    skill::OneLine,
};

/// A setting as it was given, before its policy is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The key, without its slot.
    pub key: String,
    /// The value: text from the command line, or typed from a file.
    pub value: Value,
    /// Whether the value is text that still has to be read as the parameter's type.
    pub untyped: bool,
    /// Where it comes from, for messages, such as `--set` or `skillkeep.toml:12`.
    pub from: String,
}

/// What is wrong with one setting.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingProblem {
    /// The value has another type.
    #[error("setting `{key}` ({from}): found `{found}`, expected {expected}")]
    Type {
        /// Its key.
        key: String,
        /// Where it comes from.
        from: String,
        /// What was given.
        found: String,
        /// The type that the policy declares.
        expected: String,
    },
    /// The policy itself refuses it.
    #[error("setting `{key}`{}: {}{message}", given.as_ref().map_or_else(String::new, |it| format!(" ({})", it.0)), given.as_ref().map_or_else(String::new, |it| format!("found `{}`, ", it.1)))]
    Refused {
        /// Its key.
        key: String,
        /// Where it comes from and what was given; nothing where it is the policy's own default.
        given: Option<(String, String)>,
        /// The policy's words.
        message: OneLine,
    },
    /// The policy has no such parameter. Only a warning: a policy that is swapped for another may have fewer.
    #[error("setting `{key}` ({from}) is unknown to `{policy}`, and changes nothing")]
    Unknown {
        /// Its key.
        key: String,
        /// Where it comes from.
        from: String,
        /// The policy.
        policy: String,
        /// The parameter that is near.
        near: Option<String>,
    },
}

impl SettingProblem {
    /// What to do about it; `policy` is what `policy show` takes for the policy.
    #[must_use]
    pub fn hint(&self, policy: &str) -> String {
        match self {
            SettingProblem::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
            SettingProblem::Type { .. }
            | SettingProblem::Unknown { .. }
            | SettingProblem::Refused { .. } => parameters_hint(policy),
        }
    }

    /// The setting's key.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            SettingProblem::Type { key, .. }
            | SettingProblem::Refused { key, .. }
            | SettingProblem::Unknown { key, .. } => key,
        }
    }

    /// Whether an option of this very command line is what is wrong.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        let from = match self {
            SettingProblem::Type { from, .. } | SettingProblem::Unknown { from, .. } => Some(from),
            SettingProblem::Refused { given, .. } => given.as_ref().map(|(from, _)| from),
        };
        from.is_some_and(|from| from.starts_with("--"))
    }
}

/// Where a policy's parameters can be read; `policy` is what `policy show` takes.
#[must_use]
pub fn parameters_hint(policy: &str) -> String {
    format!("`skillkeep policy show {policy}` lists the parameters with their types")
}

/// The settings that a policy will be given, and what is wrong: errors in `Err`, warnings beside the settings.
pub(super) fn resolve(
    info: &Info,
    given: &[Assignment],
) -> Result<(Settings, Vec<SettingProblem>), Vec<SettingProblem>> {
    let mut settings: Settings = info
        .parameters
        .iter()
        .filter(|p| !is_family(p))
        .map(|p| (p.key.as_str().to_owned(), p.default.clone()))
        .collect();
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for assignment in given {
        let Some(parameter) = find(info, &assignment.key) else {
            warnings.push(SettingProblem::Unknown {
                key: assignment.key.clone(),
                from: assignment.from.clone(),
                policy: info.name.as_str().to_owned(),
                near: nearest(info, &assignment.key),
            });
            continue;
        };
        match convert(&assignment.value, assignment.untyped, parameter.default.value_type()) {
            Some(value) => {
                settings.insert(assignment.key.clone(), value);
            }
            None => errors.push(SettingProblem::Type {
                key: assignment.key.clone(),
                from: assignment.from.clone(),
                found: assignment.value.to_string(),
                expected: expected(parameter.default.value_type()).to_owned(),
            }),
        }
    }
    if errors.is_empty() { Ok((settings, warnings)) } else { Err(errors) }
}

/// Whether a parameter stands for every key that begins as it does.
fn is_family(parameter: &Parameter) -> bool {
    parameter.key.as_str().ends_with(".*")
}

fn find<'a>(info: &'a Info, key: &str) -> Option<&'a Parameter> {
    info.parameters.iter().find(|p| match p.key.as_str().strip_suffix('*') {
        Some(beginning) => key.len() > beginning.len() && key.starts_with(beginning),
        None => p.key.as_str() == key,
    })
}

fn nearest(info: &Info, key: &str) -> Option<String> {
    let keys = info.parameters.iter().map(|parameter| parameter.key.as_str());
    crate::skill::nearest(key, keys).map(str::to_owned)
}

fn expected(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Boolean => "`true` or `false`",
        ValueType::Integer => "a whole number",
        ValueType::Real => "a number",
        ValueType::Text => "text",
        ValueType::Texts => "texts with commas between them",
    }
}

fn convert(value: &Value, untyped: bool, wanted: ValueType) -> Option<Value> {
    match (value, wanted) {
        (Value::Text(text), _) if untyped => parse(text, wanted),
        (Value::Integer(number), ValueType::Real) => Some(Value::Real(*number as f64)),
        (Value::Text(text), ValueType::Texts) => Some(Value::Texts(vec![text.clone()])),
        (value, wanted) if value.value_type() == wanted => {
            if matches!(value, Value::Real(number) if !number.is_finite()) {
                None
            } else {
                Some(value.clone())
            }
        }
        _ => None,
    }
}

fn parse(text: &str, wanted: ValueType) -> Option<Value> {
    match wanted {
        ValueType::Boolean => match text {
            "true" | "yes" | "on" => Some(Value::Boolean(true)),
            "false" | "no" | "off" => Some(Value::Boolean(false)),
            _ => None,
        },
        ValueType::Integer => text.parse().ok().map(Value::Integer),
        ValueType::Real => {
            text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Real)
        }
        ValueType::Text => Some(Value::Text(text.to_owned())),
        ValueType::Texts => Some(Value::Texts(
            text.split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        )),
    }
}

/// What `describe` declares must make sense before anything is built on it.
pub(super) fn check_info(info: &Info) -> Result<(), String> {
    if info.name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let mut seen = BTreeMap::new();
    for parameter in &info.parameters {
        let key = parameter.key.as_str();
        if key.is_empty() || key == ".*" {
            return Err("a parameter has no key".to_owned());
        }
        if seen.insert(key, ()).is_some() {
            return Err(format!("parameter `{key}` is declared twice"));
        }
        if matches!(&parameter.default, Value::Real(number) if !number.is_finite()) {
            return Err(format!("the default of `{key}` is no number"));
        }
    }
    for code in info.reasons.keys() {
        if code.is_empty() {
            return Err("a reason has no code".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn info() -> Info {
        let parameter = |key: &str, default| Parameter {
            key: OneLine::new(key),
            default,
            doc: OneLine::new("a setting"),
        };
        Info {
            name: OneLine::new("rule"),
            version: OneLine::new("1.0.0"),
            summary: OneLine::new("a rule"),
            parameters: vec![
                parameter("decay-days", Value::Real(30.0)),
                parameter("count", Value::Integer(3)),
                parameter("on", Value::Boolean(true)),
                parameter("always", Value::Texts(vec!["a".to_owned()])),
                parameter("links.*", Value::Texts(vec![])),
            ],
            needs: vec![],
            wants: vec![],
            reasons: BTreeMap::new(),
        }
    }

    fn set(key: &str, value: &str) -> Assignment {
        Assignment {
            key: key.to_owned(),
            value: Value::Text(value.to_owned()),
            untyped: true,
            from: "--set".to_owned(),
        }
    }

    #[test]
    fn text_is_read_as_the_declared_type() {
        for (key, given, wanted) in [
            ("decay-days", "7", Value::Real(7.0)),
            ("decay-days", "7.5", Value::Real(7.5)),
            ("count", "-1", Value::Integer(-1)),
            ("on", "off", Value::Boolean(false)),
            ("always", "a, b,,c", Value::Texts(vec!["a".into(), "b".into(), "c".into()])),
            ("always", "", Value::Texts(vec![])),
            ("links.web", "research", Value::Texts(vec!["research".into()])),
        ] {
            let (settings, warnings) = resolve(&info(), &[set(key, given)]).unwrap();
            assert_eq!((settings.get(key), warnings), (Some(&wanted), vec![]), "{key}={given}");
        }
    }

    #[test]
    fn a_wrong_type_is_an_error_that_names_both_sides() {
        for (key, given, message) in [
            ("decay-days", "long", "setting `decay-days` (--set): found `long`, expected a number"),
            ("decay-days", "inf", "setting `decay-days` (--set): found `inf`, expected a number"),
            ("count", "1.5", "setting `count` (--set): found `1.5`, expected a whole number"),
            ("on", "1", "setting `on` (--set): found `1`, expected `true` or `false`"),
        ] {
            let problems = resolve(&info(), &[set(key, given)]).unwrap_err();
            assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
        }
    }

    #[test]
    fn an_unknown_key_warns_with_the_near_one_and_changes_nothing() {
        let (settings, warnings) =
            resolve(&info(), &[set("decay-day", "7"), set("links.", "x")]).unwrap();
        assert_eq!(settings.get("decay-days"), Some(&Value::Real(30.0)));
        assert_eq!(
            warnings.iter().map(|w| (w.to_string(), w.hint("rule"))).collect::<Vec<_>>(),
            [
                (
                    "setting `decay-day` (--set) is unknown to `rule`, and changes nothing"
                        .to_owned(),
                    "did you mean `decay-days`?".to_owned()
                ),
                (
                    "setting `links.` (--set) is unknown to `rule`, and changes nothing".to_owned(),
                    "did you mean `links.*`?".to_owned()
                ),
            ]
        );
    }
}
