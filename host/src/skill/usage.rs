//! How a skill was used.

use std::collections::BTreeMap;

use super::Instant;

/// What is known of one skill's use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageRecord {
    /// How often it was opened for a task.
    pub uses: u64,
    /// When it was last used; as recorded, so possibly in the future.
    pub last_used: Option<Instant>,
    /// Whether a person pinned it.
    pub pinned: bool,
}

/// Usage by the name it was recorded under: a skill's name, its folder's, or `category/name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Where it comes from, for people: the format and the file.
    pub source: String,
    /// The records.
    pub records: BTreeMap<String, UsageRecord>,
    /// Entries that could not be read, each with its reason, one line.
    pub skipped: Vec<String>,
}
