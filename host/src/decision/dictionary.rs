//! The facts that this host tells policies: `dictionary.toml` of the contract, as a table. A test keeps the two equal,
//! and others compare them with what is really sent: an index's, a judgement's, and a curator's pass's.

use super::{Slot, ValueType};

/// One fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its key.
    pub key: &'static str,
    /// Where in a request it is found.
    pub place: Place,
    /// In whose requests.
    pub slots: &'static [Slot],
    /// The type of a value.
    pub value_type: ValueType,
    /// Whether every row has a value.
    pub known: Known,
}

/// Where in a request a fact is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A column of `skills`.
    Skills,
    /// A column of `categories`.
    Categories,
    /// A fact of the context.
    Context,
    /// A fact of the write that is judged.
    Write,
}

/// For which rows a fact has a value; of a write, whether it is always told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// For all.
    All,
    /// For those of which it is known.
    Some,
}

const BOTH: &[Slot] = &[Slot::Demotion, Slot::Budget];
const BUDGET: &[Slot] = &[Slot::Budget];
const DEMOTION: &[Slot] = &[Slot::Demotion];
const CURATOR: &[Slot] = &[Slot::Curator];
const TABLES: &[Slot] = &[Slot::Demotion, Slot::Budget, Slot::Curator];
const PROVENANCE: &[Slot] = &[Slot::Provenance];

const fn fact(
    key: &'static str,
    place: Place,
    slots: &'static [Slot],
    value_type: ValueType,
    known: Known,
) -> Fact {
    Fact { key, place, slots, value_type, known }
}

/// Every fact of the dictionary, in its order.
pub const FACTS: [Fact; 61] = [
    fact("name", Place::Skills, TABLES, ValueType::Text, Known::All),
    fact("name-sharers", Place::Skills, BUDGET, ValueType::Integer, Known::Some),
    fact("stale", Place::Skills, BUDGET, ValueType::Boolean, Known::Some),
    fact("description", Place::Skills, BOTH, ValueType::Text, Known::Some),
    fact("description-length", Place::Skills, BUDGET, ValueType::Integer, Known::Some),
    fact("category", Place::Skills, BOTH, ValueType::Integer, Known::All),
    fact("pinned", Place::Skills, TABLES, ValueType::Boolean, Known::All),
    fact("uses", Place::Skills, TABLES, ValueType::Integer, Known::Some),
    fact("last-used", Place::Skills, TABLES, ValueType::Integer, Known::Some),
    fact("previous-form", Place::Skills, BUDGET, ValueType::Integer, Known::Some),
    fact("form-cap", Place::Skills, BUDGET, ValueType::Integer, Known::Some),
    fact("cost-full", Place::Skills, BUDGET, ValueType::Integer, Known::All),
    fact("cost-short", Place::Skills, BUDGET, ValueType::Integer, Known::All),
    fact("cost-name", Place::Skills, BUDGET, ValueType::Integer, Known::All),
    fact("cost-bare", Place::Skills, BUDGET, ValueType::Integer, Known::All),
    fact("state", Place::Skills, CURATOR, ValueType::Text, Known::All),
    fact("origin", Place::Skills, CURATOR, ValueType::Text, Known::All),
    fact("candidate", Place::Skills, CURATOR, ValueType::Boolean, Known::All),
    fact("referenced", Place::Skills, CURATOR, ValueType::Boolean, Known::All),
    fact("created", Place::Skills, CURATOR, ValueType::Integer, Known::All),
    fact("adopted", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("restored", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("views", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("writes", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("last-viewed", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("last-written", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("successes", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("failures", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("corrected", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("last-success", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("last-failure", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("negative-claims", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("negative-evidence", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("negative-checked", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("negative-expiry", Place::Skills, CURATOR, ValueType::Integer, Known::Some),
    fact("negative-claim", Place::Skills, CURATOR, ValueType::Text, Known::Some),
    fact("category-name", Place::Categories, BOTH, ValueType::Text, Known::All),
    fact("category-top", Place::Categories, BOTH, ValueType::Text, Known::All),
    fact("category-skills", Place::Categories, BOTH, ValueType::Integer, Known::All),
    fact("user-detail", Place::Categories, BOTH, ValueType::Integer, Known::Some),
    fact("previous-detail", Place::Categories, DEMOTION, ValueType::Integer, Known::Some),
    fact("cost-header", Place::Categories, BUDGET, ValueType::Integer, Known::All),
    fact("cost-names", Place::Categories, BUDGET, ValueType::Integer, Known::All),
    fact("cost-count", Place::Categories, BUDGET, ValueType::Integer, Known::All),
    fact("cost-rest", Place::Context, BUDGET, ValueType::Integer, Known::Some),
    fact("unit", Place::Context, BUDGET, ValueType::Text, Known::Some),
    fact("toolsets", Place::Context, BOTH, ValueType::Texts, Known::Some),
    fact("tools", Place::Context, BOTH, ValueType::Texts, Known::Some),
    fact("platform", Place::Context, BOTH, ValueType::Text, Known::Some),
    fact("actor", Place::Write, PROVENANCE, ValueType::Text, Known::All),
    fact("action", Place::Write, PROVENANCE, ValueType::Text, Known::All),
    fact("origin", Place::Write, PROVENANCE, ValueType::Text, Known::Some),
    fact("pinned", Place::Write, PROVENANCE, ValueType::Boolean, Known::All),
    fact("referenced", Place::Write, PROVENANCE, ValueType::Boolean, Known::All),
    fact("read", Place::Write, PROVENANCE, ValueType::Boolean, Known::All),
    fact("root", Place::Write, PROVENANCE, ValueType::Text, Known::All),
    fact("path", Place::Write, PROVENANCE, ValueType::Text, Known::Some),
    fact("successor", Place::Write, PROVENANCE, ValueType::Text, Known::Some),
    fact("approval", Place::Write, PROVENANCE, ValueType::Boolean, Known::All),
    fact("retire-bundled", Place::Write, PROVENANCE, ValueType::Boolean, Known::All),
    fact("content", Place::Write, PROVENANCE, ValueType::Text, Known::Some),
];
