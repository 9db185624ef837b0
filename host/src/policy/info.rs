//! What a policy says of itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{decision::Value, skill::OneLine};

/// A setting that a policy declares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its key; one that ends in `.*` stands for every key that begins so.
    pub key: OneLine,
    /// Its type, and its value where nobody sets it.
    pub default: Value,
    /// What it does.
    pub doc: OneLine,
}

/// What a policy says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// Its name.
    pub name: OneLine,
    /// Its version.
    pub version: OneLine,
    /// What it does.
    pub summary: OneLine,
    /// Its settings.
    pub parameters: Vec<Parameter>,
    /// Facts it can't do without.
    pub needs: Vec<OneLine>,
    /// Facts it uses where they are known.
    pub wants: Vec<OneLine>,
    /// Its reasons: code and template.
    pub reasons: BTreeMap<OneLine, OneLine>,
}

impl Info {
    /// Whether the policy is sent that fact.
    #[must_use]
    pub fn asks_for(&self, key: &str) -> bool {
        self.needs.iter().chain(&self.wants).any(|asked| asked.as_str() == key)
    }
}
