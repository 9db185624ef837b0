//! Who decides in all slots, as one value that never changes.

use std::sync::Arc;

use serde::Serialize;

use super::{Mark, Member, Trial};
use crate::{decision::Slot, policy::Engine, skill::Instant};

/// The whole set of active policies. A decision takes one and stays with it: whatever is swapped meanwhile, it is wholly this
/// generation's. It goes away with the last decision that holds it.
pub struct Generation {
    pub(super) number: u64,
    pub(super) since: Instant,
    pub(super) cause: Cause,
    pub(super) engine: Engine,
    /// In the order of slots, and in a slot as they were given.
    pub(super) members: Vec<Arc<Member>>,
    pub(super) trial: Option<Trial>,
}

/// How a generation came about.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// It was the first.
    Begun,
    /// The policies of these slots were swapped, in one step.
    Swapped(Vec<Slot>),
    /// A policy failed on probation, and its slot got back what it had before.
    Restored(Box<Mark>),
}

/// Which policies decided, for a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stamp {
    /// The generation's number.
    pub generation: u64,
    /// Its policies.
    pub policies: Vec<Stamped>,
}

/// One policy of a stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stamped {
    /// The slot.
    pub slot: Slot,
    /// Its name and version, or as it was named where it is not loaded.
    pub policy: String,
    /// SHA-256 of its bytes in hexadecimal, where there are any.
    pub digest: Option<String>,
}

impl Generation {
    /// Counts from one, and one more with every swap. Who comes up again has another number than before.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Since when it decides.
    #[must_use]
    pub fn since(&self) -> Instant {
        self.since
    }

    /// How it came about.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// What runs its policies.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Its policies, in the order of slots.
    #[must_use]
    pub fn members(&self) -> &[Arc<Member>] {
        &self.members
    }

    /// Those of a slot, in their order. There may be none.
    pub fn of(&self, slot: Slot) -> impl Iterator<Item = &Arc<Member>> {
        self.members.iter().filter(move |member| member.slot() == slot)
    }

    /// What its newest members decided otherwise than those before them, where that was tried.
    #[must_use]
    pub fn last_trial(&self) -> Option<&Trial> {
        self.trial.as_ref()
    }

    /// Its number and its policies' digests.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        let policies = self.members.iter().map(|member| Stamped {
            slot: member.slot(),
            policy: member.title(),
            digest: member.digest().map(str::to_owned),
        });
        Stamp { generation: self.number, policies: policies.collect() }
    }
}
