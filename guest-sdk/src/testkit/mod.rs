//! Tests a policy natively, through the same code that the component runs: columns in, views, an answer out.
//!
//! A [`Library`] says what there is; [`demotion`], [`budget`] and [`curator`] run a policy on it, check that the answer keeps
//! to the contract, and give it back with names instead of rows. What breaks the contract panics with what was found: here
//! that is a failed test.
//!
//! No rule and no host behaviour beyond the contract belongs here.
#![allow(clippy::panic, reason = "a broken contract fails the test that found it")]

pub mod cases;
mod columns;
mod contract;
mod cost;
mod library;
mod run;

pub use cost::{block_cost, block_cost_cut};
pub use library::{CategoryFacts, Library, NOW, SkillFacts};
pub use run::{
    Budgeted, Curated, Demoted, Judged, Line, Proposed, Refused, budget, curator, demotion,
    provenance,
};

use crate::facts::{Entry, Value};

/// A setting, as a user would give it.
#[must_use]
pub fn setting(key: &str, value: impl Into<Value>) -> Entry {
    Entry { key: key.to_owned(), value: value.into() }
}
