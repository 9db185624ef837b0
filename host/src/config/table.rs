//! TOML values with their places: each reader here turns one value into one kind of thing, or says where it stands, what
//! it is and what was expected. Nothing here knows which keys there are.

use std::{collections::BTreeMap, path::Path};

use toml::{
    Spanned, Value,
    de::{DeString, DeTable, DeValue},
};

use super::{ConfigError, ConfigWarning};
use crate::skill::OneLine;

/// A value and where it stands.
pub(super) type Placed<'a> = Spanned<DeValue<'a>>;

/// One file while it is read.
pub(super) struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    /// Keys that mean nothing, so far.
    pub(super) warnings: Vec<ConfigWarning>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a Path, text: &'a str) -> Reader<'a> {
        Reader { file, text, warnings: Vec::new() }
    }

    /// The whole file.
    pub(super) fn parse(&self) -> Result<DeTable<'a>, ConfigError> {
        DeTable::parse(self.text).map(Spanned::into_inner).map_err(|error| ConfigError::NotToml {
            file: self.file.to_path_buf(),
            line: self.line(error.span().map_or(0, |span| span.start)),
            message: OneLine::capped(error.message(), 200),
        })
    }

    fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
    }

    pub(super) fn wrong(
        &self,
        key: &str,
        value: &Placed<'_>,
        expected: &'static str,
    ) -> ConfigError {
        ConfigError::Wrong {
            file: self.file.to_path_buf(),
            line: self.line(value.span().start),
            key: OneLine::capped(key, 120),
            found: found(value.get_ref()),
            expected,
        }
    }

    /// Notes a key that means nothing, with the known one that looks like it.
    pub(super) fn unknown(
        &mut self,
        parent: &str,
        key: &Spanned<DeString<'_>>,
        known: &[&'static str],
    ) {
        // 0.6: one slip in a word of three letters or more, and no more than two in a word of five.
        let near = known
            .iter()
            .map(|word| (strsim::normalized_damerau_levenshtein(word, key.get_ref()), *word))
            .filter(|(likeness, _)| *likeness >= 0.6)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, word)| word);
        self.warnings.push(ConfigWarning {
            file: self.file.to_path_buf(),
            line: self.line(key.span().start),
            key: OneLine::capped(&dotted(parent, key.get_ref()), 120),
            near,
        });
    }

    pub(super) fn table<'v, 't>(
        &self,
        key: &str,
        value: &'v Placed<'t>,
        expected: &'static str,
    ) -> Result<&'v DeTable<'t>, ConfigError> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(key, value, expected))
    }

    pub(super) fn text(&self, key: &str, value: &Placed<'_>) -> Result<String, ConfigError> {
        match value.get_ref().as_str() {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(self.wrong(key, value, "a text that is not blank")),
        }
    }

    /// A list of texts; one text alone is a list of one.
    pub(super) fn texts(&self, key: &str, value: &Placed<'_>) -> Result<Vec<String>, ConfigError> {
        let expected = "a list of texts";
        match value.get_ref() {
            DeValue::Array(list) => list
                .iter()
                .map(|item| self.text(key, item).map_err(|_| self.wrong(key, item, expected)))
                .collect(),
            _ => self
                .text(key, value)
                .map(|text| vec![text])
                .map_err(|_| self.wrong(key, value, expected)),
        }
    }

    /// A whole number from 1 that fits 32 bits, as the contract's limits must.
    pub(super) fn count(&self, key: &str, value: &Placed<'_>) -> Result<u32, ConfigError> {
        integer(value.get_ref())
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| *number > 0)
            .ok_or_else(|| self.wrong(key, value, "a whole number from 1 to 4294967295"))
    }

    /// Settings of a policy: flat, with dots for the tables they are in.
    pub(super) fn settings(
        &self,
        at: &str,
        prefix: &str,
        table: &DeTable<'_>,
        into: &mut BTreeMap<String, Value>,
    ) -> Result<(), ConfigError> {
        for (key, value) in table {
            let key = dotted(prefix, key.get_ref());
            let whole_key = dotted(at, &key);
            match value.get_ref() {
                DeValue::Table(inner) => self.settings(at, &key, inner, into)?,
                DeValue::Array(_) => {
                    let texts = self.texts(&whole_key, value)?.into_iter().map(Value::String);
                    into.insert(key, Value::Array(texts.collect()));
                }
                scalar => {
                    let setting = setting(scalar).ok_or_else(|| {
                        self.wrong(
                            &whole_key,
                            value,
                            "a truth value, a number, a text or a list of texts",
                        )
                    })?;
                    into.insert(key, setting);
                }
            }
        }
        Ok(())
    }
}

pub(super) fn dotted(parent: &str, key: &str) -> String {
    if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
}

fn setting(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::Boolean(boolean) => Some(Value::Boolean(*boolean)),
        DeValue::Integer(_) => integer(value).map(Value::Integer),
        DeValue::Float(float) => {
            float.as_str().parse().ok().filter(|real: &f64| real.is_finite()).map(Value::Float)
        }
        DeValue::String(text) => Some(Value::String(text.to_string())),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A number, whole or not.
pub(super) fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        // What is lost of a large number is far beyond any bound.
        _ => integer(value).map(|number| number as f64),
    }
}

fn found(value: &DeValue<'_>) -> OneLine {
    match value {
        DeValue::Table(_) => OneLine::new("a table"),
        DeValue::Array(_) => OneLine::new("a list"),
        DeValue::String(text) if text.trim().is_empty() => OneLine::new("a blank text"),
        DeValue::String(text) => OneLine::new(&format!("the text `{}`", OneLine::capped(text, 40))),
        DeValue::Integer(number) => OneLine::new(&format!("`{number}`")),
        DeValue::Float(number) => OneLine::new(&format!("`{number}`")),
        DeValue::Boolean(boolean) => OneLine::new(&format!("`{boolean}`")),
        DeValue::Datetime(time) => OneLine::new(&format!("the time `{time}`")),
    }
}
