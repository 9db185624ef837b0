//! What a lock holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{config::Combine, decision::Slot};

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Lock {
    /// The number of the set in force; 0 where none was made yet.
    #[serde(default)]
    pub generation: u64,
    /// A change that was begun and has not been seen to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<Unfinished>,
    /// What a person said yes to, by slot and name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Pin>,
    /// What is never loaded, by hash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quarantined: Vec<Quarantined>,
    /// The sets that were in force, by number.
    #[serde(default, rename = "set", skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<Generation>,
}

/// A component that a person said yes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pin {
    /// The slot that it decides in.
    pub slot: Slot,
    /// As the settings name it.
    pub name: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// The name that it gives itself.
    pub policy: String,
    /// Its version, as it says.
    pub version: String,
    /// When, in RFC 3339.
    pub at: String,
    /// Who.
    pub by: String,
    /// The public key that it was signed with, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A component that is never loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Quarantined {
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// What it did.
    pub reason: String,
    /// When, in RFC 3339.
    pub at: String,
}

/// A change between its first write and its last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Unfinished {
    /// The command that began it, and mends it.
    pub command: String,
    /// When it was begun, in RFC 3339.
    pub at: String,
}

/// A set of policies that was in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u64,
    /// The one that it came after; nothing for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// When it was made, in RFC 3339.
    pub at: String,
    /// Who made it.
    pub by: String,
    /// What was done.
    pub did: String,
    /// What the settings said of each slot of which they said something.
    #[serde(default, rename = "slot", skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotSet>,
}

/// What the settings said of a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SlotSet {
    /// The slot.
    pub slot: Slot,
    /// The number of the set that brought it.
    pub since: u64,
    /// How several became one, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combine: Option<Combine>,
    /// Settings, as the file had them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, toml::Value>,
    /// The policies; none where the slot's own held.
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<Used>,
}

/// A policy that was used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Used {
    /// As the settings named it.
    pub name: String,
    /// Its pin's hash; none where it is part of the program, or nobody had said yes to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl Lock {
    /// The pin of a policy in a slot. Names are compared as `same` has it: a file may be written in several ways.
    #[must_use]
    pub fn pin(&self, slot: Slot, same: impl Fn(&str) -> bool) -> Option<&Pin> {
        self.pinned.iter().find(|pin| pin.slot == slot && same(&pin.name))
    }

    /// Why a component is never loaded, if it isn't.
    #[must_use]
    pub fn quarantined(&self, sha256: &str) -> Option<&Quarantined> {
        self.quarantined.iter().find(|it| it.sha256 == sha256)
    }

    /// Puts a component where it is never loaded, until a person lifts that. `at` is in RFC 3339. One that is there already
    /// keeps its first reason.
    pub fn quarantine(&mut self, sha256: &str, reason: &str, at: &str) {
        if self.quarantined(sha256).is_none() {
            self.quarantined.push(Quarantined {
                sha256: sha256.to_owned(),
                reason: crate::skill::OneLine::capped(reason, 400).into_string(),
                at: at.to_owned(),
            });
        }
    }

    /// Lets a component be loaded again. Whether it was not.
    pub fn lift(&mut self, sha256: &str) -> bool {
        let before = self.quarantined.len();
        self.quarantined.retain(|it| it.sha256 != sha256);
        self.quarantined.len() < before
    }

    /// The set of that number.
    #[must_use]
    pub fn set(&self, number: u64) -> Option<&Generation> {
        self.sets.iter().find(|set| set.number == number)
    }

    /// The set in force.
    #[must_use]
    pub fn current(&self) -> Option<&Generation> {
        self.set(self.generation)
    }

    /// All hashes whose bytes are wanted: pinned now, or in a set that may come back.
    #[must_use]
    pub fn wanted(&self) -> std::collections::BTreeSet<&str> {
        let pinned = self.pinned.iter().map(|pin| pin.sha256.as_str());
        let slots = self.sets.iter().flat_map(|set| &set.slots);
        let used = slots.flat_map(|slot| &slot.used).filter_map(|used| used.sha256.as_deref());
        pinned.chain(used).collect()
    }
}

impl Generation {
    /// What it said of a slot.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> Option<&SlotSet> {
        self.slots.iter().find(|set| set.slot == slot)
    }
}

impl SlotSet {
    /// Whether two say the same, whenever they came, and wherever the same bytes lie.
    #[must_use]
    pub fn says_as(&self, other: &SlotSet) -> bool {
        let same = |(one, other): (&Used, &Used)| match (&one.sha256, &other.sha256) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        };
        self.slot == other.slot
            && self.combine == other.combine
            && self.settings == other.settings
            && self.used.len() == other.used.len()
            && self.used.iter().zip(&other.used).all(same)
    }
}
