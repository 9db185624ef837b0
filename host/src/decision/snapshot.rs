//! What a policy is told.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::skill::Instant;

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

/// The type of a value, as the dictionary and a policy's parameters name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `real`
    Real,
    /// `text`
    Text,
    /// `texts`
    Texts,
}

impl ValueType {
    /// The word of the dictionary.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ValueType::Boolean => "boolean",
            ValueType::Integer => "integer",
            ValueType::Real => "real",
            ValueType::Text => "text",
            ValueType::Texts => "texts",
        }
    }
}

impl Value {
    /// Its type.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::Boolean(_) => ValueType::Boolean,
            Value::Integer(_) => ValueType::Integer,
            Value::Real(_) => ValueType::Real,
            Value::Text(_) => ValueType::Text,
            Value::Texts(_) => ValueType::Texts,
        }
    }
}

impl std::fmt::Display for Value {
    /// As a person would type it after `KEY=`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Text(value) => write!(f, "{value}"),
            Value::Texts(values) => write!(f, "{}", values.join(",")),
        }
    }
}

/// One value a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// `boolean`
    Booleans(Vec<bool>),
    /// `integer`
    Integers(Vec<i64>),
    /// `real`
    Reals(Vec<f64>),
    /// `text`
    Texts(Vec<String>),
}

impl Values {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Booleans(values) => values.len(),
            Values::Integers(values) => values.len(),
            Values::Reals(values) => values.len(),
            Values::Texts(values) => values.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of each.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        match self {
            Values::Booleans(_) => ValueType::Boolean,
            Values::Integers(_) => ValueType::Integer,
            Values::Reals(_) => ValueType::Real,
            Values::Texts(_) => ValueType::Text,
        }
    }
}

/// One fact about the rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its key in the dictionary.
    pub key: &'static str,
    /// Which rows it is known of, ascending; every row where absent.
    pub rows: Option<Vec<u32>>,
    /// One value for each of them.
    pub values: Values,
}

/// Rows and what is known of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// How many rows.
    pub len: u32,
    /// The facts.
    pub columns: Vec<Column>,
}

/// What holds for a whole request.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The time of the decision.
    pub now: Instant,
    /// The same for the same session.
    pub seed: u64,
    /// Context facts that are known, by their key in the dictionary.
    pub facts: Vec<(&'static str, Value)>,
}

/// A policy's settings, each of its declared parameters with a value.
pub type Settings = BTreeMap<String, Value>;

/// What a demotion policy is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct DemotionRequest {
    /// What holds for all rows.
    pub context: Context,
    /// Visible skills.
    pub skills: Table,
    /// Categories that have any.
    pub categories: Table,
}

/// What a budget policy is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetRequest {
    /// What holds for all rows.
    pub context: Context,
    /// What the whole block may cost.
    pub limit: u32,
    /// What it costs before the first skill.
    pub fixed: u32,
    /// Visible skills.
    pub skills: Table,
    /// Categories that have any.
    pub categories: Table,
}
