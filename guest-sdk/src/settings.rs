//! Settings as a plain struct: defaults, docs and limits in one place, from which the declared parameters come.
//! What a setting means is the policy's; nothing here knows a rule.

use crate::facts::{Entry, Value, kebab};
use std::ops::{RangeFrom, RangeInclusive};

/// A declared setting: key, type and default, and what it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As the contract spells it; `links.*` stands for every key that begins with `links.`.
    pub key: String,
    /// Its type, and its value where nobody sets it.
    pub default: Value,
    /// For the person who sets it.
    pub doc: String,
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The setting.
    pub key: String,
    /// What was found and what was expected.
    pub message: String,
}

impl Problem {
    /// A problem with the setting of this field or key.
    #[must_use]
    pub fn new(field: &str, message: impl Into<String>) -> Self {
        Self { key: kebab(field), message: message.into() }
    }
}

/// The settings of a policy. Write them with [`settings!`](crate::settings!).
pub trait Settings: Sized {
    /// What `describe` declares.
    fn parameters() -> Vec<Parameter>;
    /// The defaults with the entries laid over them, and whatever is wrong.
    fn read(entries: &[Entry]) -> (Self, Vec<Problem>);
}

/// For a policy without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoSettings;

impl Settings for NoSettings {
    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    fn read(entries: &[Entry]) -> (Self, Vec<Problem>) {
        (Self, entries.iter().map(unknown).collect())
    }
}

/// The problem with a setting that the policy does not declare.
#[must_use]
pub fn unknown(entry: &Entry) -> Problem {
    Problem {
        key: entry.key.clone(),
        message: "expected a setting that the policy declares".to_owned(),
    }
}

/// A type that one setting may have. An enum of choices implements it by its texts.
pub trait Scalar: Clone {
    /// As the contract writes it.
    fn to_value(&self) -> Value;
    /// Read back; else what was expected.
    fn from_value(value: &Value) -> Result<Self, String>;
}

macro_rules! scalar {
    ($type:ty, $case:ident, $expected:literal) => {
        impl Scalar for $type {
            fn to_value(&self) -> Value {
                Value::$case(self.clone())
            }

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::$case(value) => Ok(value.clone()),
                    _ => Err($expected.to_owned()),
                }
            }
        }
    };
}

scalar!(bool, Boolean, "true or false");
scalar!(i64, Integer, "a whole number");
scalar!(String, Text, "a text");
scalar!(Vec<String>, Texts, "a list of texts");

impl Scalar for f64 {
    fn to_value(&self) -> Value {
        Value::Real(*self)
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Real(value) => Ok(*value),
            #[allow(clippy::cast_precision_loss, reason = "a person writes `2` for `2.0`")]
            Value::Integer(value) => Ok(*value as Self),
            _ => Err("a number".to_owned()),
        }
    }
}

/// Settings of one type under one beginning: `links.web`, `links.file`. A given key replaces the default of that key alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyed<T>(Vec<(String, T)>);

impl<T> Keyed<T> {
    /// The value under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&T> {
        self.iter().find(|(under, _)| *under == key).map(|(_, value)| value)
    }

    fn set(&mut self, key: &str, value: T) {
        match self.0.iter_mut().find(|(under, _)| under == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Every key with its value: the defaults in their order, then what was added.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl<const N: usize> From<[(&str, &[&str]); N]> for Keyed<Vec<String>> {
    fn from(pairs: [(&str, &[&str]); N]) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self(pairs.iter().map(|(key, value)| ((*key).to_owned(), texts(value))).collect())
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Keyed<String> {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
    }
}

/// Texts as a setting's default.
#[must_use]
pub fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// What a field of a settings struct can do.
pub trait Setting {
    /// Adds what the field declares.
    fn declare(&self, key: &str, doc: &str, parameters: &mut Vec<Parameter>);
    /// Takes the entry if it is the field's own: `None` if it is not, else whether it was of the right type.
    fn take(&mut self, key: &str, entry: &Entry) -> Option<Result<(), String>>;
}

impl<T: Scalar> Setting for T {
    fn declare(&self, key: &str, doc: &str, parameters: &mut Vec<Parameter>) {
        let parameter =
            Parameter { key: key.to_owned(), default: self.to_value(), doc: doc.to_owned() };
        parameters.push(parameter);
    }

    fn take(&mut self, key: &str, entry: &Entry) -> Option<Result<(), String>> {
        (entry.key == key).then(|| T::from_value(&entry.value).map(|value| *self = value))
    }
}

impl<T: Scalar + Default> Setting for Keyed<T> {
    fn declare(&self, key: &str, doc: &str, parameters: &mut Vec<Parameter>) {
        for (under, value) in &self.0 {
            value.declare(&[key, ".", under].concat(), doc, parameters);
        }
        T::default().declare(&[key, ".*"].concat(), doc, parameters);
    }

    fn take(&mut self, key: &str, entry: &Entry) -> Option<Result<(), String>> {
        let under = entry.key.strip_prefix(key)?.strip_prefix(".")?;
        Some(T::from_value(&entry.value).map(|value| self.set(under, value)))
    }
}

/// A limit of a setting's value.
pub trait Limit<T> {
    /// Whether the value is allowed.
    fn allows(&self, value: &T) -> bool;
}

impl<T: PartialOrd> Limit<T> for RangeInclusive<T> {
    fn allows(&self, value: &T) -> bool {
        self.contains(value)
    }
}

impl<T: PartialOrd> Limit<T> for RangeFrom<T> {
    fn allows(&self, value: &T) -> bool {
        self.contains(value)
    }
}

/// The parts that [`settings!`](crate::settings!) is made of.
#[doc(hidden)]
pub mod parts {
    use super::{Entry, Limit, Parameter, Problem, Scalar, Setting, kebab};

    pub fn declare(
        field: &str,
        default: &dyn Setting,
        doc: &[&str],
        limit: Option<&str>,
        parameters: &mut Vec<Parameter>,
    ) {
        let mut text = String::new();
        for line in doc {
            // Rust's doc comments begin with the space after the slashes.
            text.push_str(if text.is_empty() { line.get(1..).unwrap_or_default() } else { line });
        }
        if let Some(limit) = limit {
            text.push_str(&[" (", limit, ")"].concat());
        }
        default.declare(&kebab(field), &text, parameters);
    }

    pub fn take(
        field: &str,
        value: &mut dyn Setting,
        entry: &Entry,
        problems: &mut Vec<Problem>,
    ) -> bool {
        match value.take(&kebab(field), entry) {
            None => false,
            Some(taken) => {
                if let Err(expected) = taken {
                    let message = ["expected ", &expected].concat();
                    problems.push(Problem { key: entry.key.clone(), message });
                }
                true
            }
        }
    }

    pub fn check<T: Scalar>(
        field: &str,
        value: &T,
        limit: &impl Limit<T>,
        text: &str,
    ) -> Option<Problem> {
        (!limit.allows(value)).then(|| out_of_limit(field, text))
    }

    fn out_of_limit(field: &str, text: &str) -> Problem {
        // The limit as the source has it: to format a number with a fraction costs a component 20 kB.
        Problem::new(field, ["expected a value in `", text, "`"].concat())
    }
}

/// Declares the settings of a policy.
///
/// Each field has a doc comment, a default, and after `=>`, where it is limited, a range. A last `check function;` names a
/// function from the settings to a list of [`Problem`]s, for what concerns more than one of them.
///
/// ```
/// skillkeep_policy::settings! {
///     /// How long a skill may rest.
///     pub struct Settings {
///         /// Days without use after which a skill counts as unused.
///         pub unused_days: i64 = 90 => 1..=3650,
///     }
/// }
/// assert_eq!(Settings::default().unused_days, 90);
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $field_vis:vis $field:ident : $type:ty = $default:expr $(=> $limit:expr)?
            ),* $(,)?
        }
        $(check $check:path;)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name { $( $(#[doc = $doc])* $field_vis $field: $type ),* }

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self { $( $field: $default ),* }
            }
        }

        impl $crate::settings::Settings for $name {
            fn parameters() -> ::std::vec::Vec<$crate::settings::Parameter> {
                let defaults = <Self as ::core::default::Default>::default();
                let mut parameters = ::std::vec::Vec::new();
                $(
                    let limits: &[&str] = &[$(stringify!($limit))?];
                    $crate::settings::parts::declare(
                        stringify!($field),
                        &defaults.$field,
                        &[$($doc),*],
                        limits.first().copied(),
                        &mut parameters,
                    );
                )*
                parameters
            }

            fn read(
                entries: &[$crate::facts::Entry],
            ) -> (Self, ::std::vec::Vec<$crate::settings::Problem>) {
                let mut settings = <Self as ::core::default::Default>::default();
                let mut problems = ::std::vec::Vec::new();
                for entry in entries {
                    let known = false $(
                        || $crate::settings::parts::take(
                            stringify!($field), &mut settings.$field, entry, &mut problems,
                        )
                    )*;
                    if !known {
                        problems.push($crate::settings::unknown(entry));
                    }
                }
                $($(
                    problems.extend($crate::settings::parts::check(
                        stringify!($field), &settings.$field, &($limit), stringify!($limit),
                    ));
                )?)*
                $( problems.extend($check(&settings)); )?
                (settings, problems)
            }
        }
    };
}

#[cfg(test)]
mod tests;
