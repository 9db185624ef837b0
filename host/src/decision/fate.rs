//! What becomes of skills: what a curator policy is asked, and what it answers.

use serde::{Deserialize, Serialize};

use super::{Answer, Context, Table};
use crate::skill::OneLine;

/// What a policy proposes for a skill, from the gentlest to the hardest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// A vote against every retirement.
    Keep,
    /// A stale skill becomes active.
    Activate,
    /// It goes stale: lower in the index, moved nowhere.
    MarkStale,
    /// It goes to the archive, from where it can be restored.
    Archive,
}

impl Fate {
    /// All of them, in order.
    pub const ALL: [Fate; 4] = [Fate::Keep, Fate::Activate, Fate::MarkStale, Fate::Archive];

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Fate::Keep => "keep",
            Fate::Activate => "activate",
            Fate::MarkStale => "mark-stale",
            Fate::Archive => "archive",
        }
    }
}

/// What a curator policy is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct CuratorRequest {
    /// What holds for all rows.
    pub context: Context,
    /// Skills of roots in this host's care, active and stale.
    pub skills: Table,
}

/// Something that a policy wants a person to look at; it changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The row of the request's table.
    pub row: u32,
    /// What kind of thing it is, in the policy's word.
    pub kind: OneLine,
    /// Position in the answer's reasons.
    pub why: u32,
}

/// A curator policy's answer as it came, before any law has looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curated {
    /// At most one a skill; a policy that says nothing of one has no opinion about it.
    pub fates: Answer<Fate>,
    /// What a person should look at; their reasons are among those of the fates.
    pub notices: Vec<Notice>,
}
