//! Laws by name, and what happens when one bites.

use serde::{Deserialize, Serialize};

use crate::skill::{OneLine, Origin};

/// A plan law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Every visible skill is in the index in some form, or counted.
    Total,
    /// The printed block never costs more than its limit.
    WithinLimit,
    /// Text that reaches a prompt or a terminal is one line.
    OneLine,
    /// Every proposal carries a declared reason.
    Reasoned,
    /// A time in the future counts as now.
    Clock,
    /// What the user chose is not undone, and no category is counted whose names would fit.
    Asked,
    /// Only a folder that is in this host's care is written.
    Owned,
    /// What is pinned is not retired.
    Pinned,
    /// What a job names is not retired.
    Referenced,
    /// No pass retires what nobody declared to be its to retire, and no rule declares that.
    Declared,
    /// The few that the operator protects are never retired.
    BuiltIn,
    /// What was made, adopted or brought back since the last pass is not retired in this one.
    Fresh,
    /// Before the first pass that retires anything a person has seen a plan and said yes.
    Consent,
    /// At most so many are retired in one automatic pass.
    BlastRadius,
    /// No pass retires without a snapshot that can be gone back to.
    SnapshotFirst,
    /// Some acts are a person's alone, and who did not ask writes nothing.
    Caller,
}

impl Law {
    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Law::Total => "total",
            Law::WithinLimit => "within-limit",
            Law::OneLine => "one-line",
            Law::Reasoned => "reasoned",
            Law::Clock => "clock",
            Law::Asked => "asked",
            Law::Owned => "owned",
            Law::Pinned => "pinned",
            Law::Referenced => "referenced",
            Law::Declared => "declared",
            Law::BuiltIn => "built-in",
            Law::Fresh => "fresh",
            Law::Consent => "consent",
            Law::BlastRadius => "blast-radius",
            Law::SnapshotFirst => "snapshot-first",
            Law::Caller => "caller",
        }
    }
}

/// An answer that is thrown away whole, since a law forbids it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// A row that the request doesn't have.
    #[error("it answers for row {row}, and was asked about {len}")]
    RowOutOfRange {
        /// The row.
        row: u32,
        /// How many rows there are.
        len: usize,
    },
    /// A row that it answers for more than once.
    #[error("it answers twice for row {row}")]
    RowTwice {
        /// The row.
        row: u32,
    },
    /// Rows that it must answer for and doesn't.
    #[error("it answers for {answered} of {len} rows; the first it leaves out is {first}")]
    RowsMissing {
        /// How many it answers for.
        answered: usize,
        /// How many rows there are.
        len: usize,
        /// The first that is missing.
        first: usize,
    },
    /// A reason that the answer doesn't have.
    #[error("row {row} points to reason {why}, and the answer has {len}")]
    NoReason {
        /// The row.
        row: u32,
        /// The reference.
        why: u32,
        /// How many reasons there are.
        len: usize,
    },
    /// A reason that the policy doesn't declare.
    #[error("row {row} gives the reason `{code}`, which `describe` doesn't declare")]
    Undeclared {
        /// The row.
        row: u32,
        /// The code.
        code: OneLine,
    },
    /// A reason for a write that the policy doesn't declare.
    #[error("it gives the reason `{code}`, which `describe` doesn't declare")]
    UndeclaredWhy {
        /// The code.
        code: OneLine,
    },
    /// An origin that there is not.
    #[error("it gives the result the origin `{word}`, expected one of {}", origins())]
    NoOrigin {
        /// The word.
        word: OneLine,
    },
    /// An origin that a pass may retire, for what it may not.
    #[error("it gives the result the origin `{}`, which only its maker or a person declares", origin.word())]
    Claimed {
        /// The origin.
        origin: Origin,
    },
    /// A block that costs too much.
    #[error("the block would cost {cost}, and the limit is {limit}")]
    OverLimit {
        /// Its cost.
        cost: u64,
        /// The limit.
        limit: u64,
    },
}

impl Breach {
    /// The law that forbids it.
    #[must_use]
    pub fn law(&self) -> Law {
        match self {
            Breach::RowOutOfRange { .. } | Breach::RowTwice { .. } | Breach::RowsMissing { .. } => {
                Law::Total
            }
            Breach::NoReason { .. } | Breach::Undeclared { .. } | Breach::UndeclaredWhy { .. } => {
                Law::Reasoned
            }
            Breach::NoOrigin { .. } | Breach::Claimed { .. } => Law::Declared,
            Breach::OverLimit { .. } => Law::WithinLimit,
        }
    }
}

fn origins() -> String {
    let words: Vec<String> = Origin::ALL.iter().map(|it| format!("`{}`", it.word())).collect();
    words.join(", ")
}

/// A law that bit, for the record: it names the law, whose proposal it was, and what was done instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bite {
    /// The law.
    pub law: Law,
    /// The policy, or whatever else brought it up.
    pub about: OneLine,
    /// What was proposed, and what was done instead.
    pub what: OneLine,
    /// The rows of the request that it concerns; empty where it concerns all.
    pub rows: Vec<u32>,
}
