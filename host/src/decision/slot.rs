//! The questions that policies answer.

use serde::{Deserialize, Serialize};

/// One kind of question; each has a world in the contract, and a policy in charge of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// How much detail may each category show?
    Demotion,
    /// Which form does each line take, within a limit?
    Budget,
    /// Which skills are kept, go stale, are archived, become active?
    Curator,
    /// May this actor write this, and whose is it?
    Provenance,
}

impl Slot {
    /// All of them, in the order in which an index asks.
    pub const ALL: [Slot; 4] = [Slot::Demotion, Slot::Budget, Slot::Curator, Slot::Provenance];

    /// The word for people, for flags and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Slot::Demotion => "demotion",
            Slot::Budget => "budget",
            Slot::Curator => "curator",
            Slot::Provenance => "provenance",
        }
    }

    /// The slot of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Slot> {
        Slot::ALL.into_iter().find(|slot| slot.word() == word)
    }
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}
