//! Writes that wait for a person, as the ledger keeps them: what was asked, by whom, and what became of it.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use super::{ChangeId, Origin, RootId, Step, Verb};
use crate::skill::{Actor, Instant, OneLine, SkillId};

/// A write that waits, as people name it: `p12`. Numbers grow and are never given out twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PendingId(pub i64);

impl fmt::Display for PendingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl Serialize for PendingId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that names no write that waits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{found}`, expected the number of a write that waits, such as `p12`")]
pub struct NoPendingId {
    found: OneLine,
}

impl FromStr for PendingId {
    type Err = NoPendingId;

    fn from_str(text: &str) -> Result<PendingId, NoPendingId> {
        let digits = text.strip_prefix(['p', 'P']).unwrap_or(text);
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|it| it.is_ascii_digit()));
        number.map(PendingId).ok_or_else(|| NoPendingId { found: OneLine::capped(text, 40) })
    }
}

/// What became of a write that was to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PendingState {
    /// It waits.
    Waiting,
    /// It waits, and did not fit when it was last looked at.
    Stale,
    /// A person approved it, and it was done; or accepted what somebody else had done.
    Applied,
    /// A person turned it down.
    Rejected,
    /// It was put out: there were too many, it waited for too long, or its skill was erased.
    Evicted,
}

impl PendingState {
    const ALL: [PendingState; 5] = [
        PendingState::Waiting,
        PendingState::Stale,
        PendingState::Applied,
        PendingState::Rejected,
        PendingState::Evicted,
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            PendingState::Waiting => "waiting",
            PendingState::Stale => "stale",
            PendingState::Applied => "applied",
            PendingState::Rejected => "rejected",
            PendingState::Evicted => "evicted",
        }
    }

    /// What a word means; nothing for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<PendingState> {
        PendingState::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether a person can still decide on it.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, PendingState::Waiting | PendingState::Stale)
    }
}

/// A write that is to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPending {
    /// In this root.
    pub root: RootId,
    /// To this skill.
    pub skill: SkillId,
    /// Its folder below the root, or the one that it is to be made in.
    pub folder: String,
    /// What is to be done: `create`, `write`, `archive`, `restore`; or `outside`, what somebody else did already.
    pub verb: Verb,
    /// Who asked.
    pub actor: Actor,
    /// In which session, if it is known.
    pub session: Option<String>,
    /// Why, in the actor's words; empty where nothing was said.
    pub reason: String,
    /// When, by the real clock.
    pub at: Instant,
    /// What was asked, as `change` writes it down.
    pub wanted: String,
    /// What that came to.
    pub steps: Vec<Step>,
    /// Whose the skill is to be declared.
    pub origin: Option<Origin>,
    /// Why it waits.
    pub why: String,
    /// Who said that it has to wait.
    pub judge: String,
}

/// A write that waits, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its number.
    pub id: PendingId,
    /// What it is.
    pub asked: NewPending,
    /// What became of it.
    pub state: PendingState,
    /// Whether its patches were put on a newer text than the one that it was made for.
    pub rebased: bool,
    /// When it was decided on, or put out.
    pub ended: Option<Instant>,
    /// By whom; nothing where it was put out.
    pub ended_by: Option<Actor>,
    /// A word on its state: what no longer fits, why it was turned down or put out.
    pub note: String,
    /// The change that it became; of what somebody else did, the change that wrote it down.
    pub change: Option<ChangeId>,
}

/// How many writes may wait, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Of one skill.
    pub of_a_skill: usize,
    /// In all.
    pub in_all: usize,
    /// Days.
    pub days: u32,
}

/// A write that waits from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Its number.
    pub id: PendingId,
    /// The same write waited already, and this is that one.
    pub already: bool,
    /// Writes that were put out to make room, or because they had waited for too long.
    pub evicted: Vec<PendingId>,
}

#[cfg(test)]
mod tests {
    use super::PendingId;

    #[test]
    fn a_number_is_read_as_it_is_written() {
        assert_eq!(PendingId(12).to_string(), "p12");
        for (text, number) in [("p12", Some(12)), ("12", Some(12)), ("P0", Some(0))] {
            assert_eq!(text.parse().ok(), number.map(PendingId));
        }
        for text in ["", "p", "-1", "p-1", "+1", "pp1", "p1.0", "p99999999999999999999", "q1"] {
            assert!(text.parse::<PendingId>().is_err(), "{text}");
        }
    }
}
