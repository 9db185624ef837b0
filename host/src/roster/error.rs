//! Why a candidate did not become active. Who was active before still is.

use super::{Came, Mark};
use crate::{
    decision::Slot,
    policy::LoadError,
    skill::{Instant, OneLine},
};

/// A candidate that was turned down, or that failed on probation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("slot `{slot}`: `{name}` is not active: {why}")]
pub struct Rejected {
    /// The slot that it was for.
    pub slot: Slot,
    /// As it was named.
    pub name: String,
    /// SHA-256 of its bytes, where there are any.
    pub digest: Option<String>,
    /// When.
    pub at: Instant,
    /// What was wrong.
    pub why: Box<Why>,
}

/// What was wrong with a candidate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Why {
    /// It does not load.
    #[error("{0}")]
    Load(LoadError),
    /// It is in quarantine.
    #[error("it is in quarantine: {0}")]
    Quarantined(Mark),
    /// Its own cases fail in this host.
    #[error("{failed} of its {of} cases fail, the first of them `{first}`: {difference}")]
    Cases {
        /// How many.
        failed: usize,
        /// Of how many.
        of: usize,
        /// The name of the first that does.
        first: String,
        /// What is wrong with it.
        difference: OneLine,
    },
    /// It carries more text of cases than is looked at.
    #[error("its cases have {bytes} bytes; {most} are looked at")]
    TooManyCases {
        /// Bytes of all of them.
        bytes: usize,
        /// Bytes that they may have.
        most: usize,
    },
    /// It did in its trial what no policy may.
    #[error("its trial fails: {0}")]
    Faulted(OneLine),
    /// Its trial was ended by the clock or by the machine, which may be otherwise next time.
    #[error("its trial could not be finished: {0}")]
    Stalled(OneLine),
    /// Who brought the questions could not ask them.
    #[error("there is nothing to try it on: {0}")]
    Questions(String),
    /// More policies than the slot can have.
    #[error(
        "found {found} policies, expected one: slot `{slot}` has no way to make several answers one"
    )]
    TooMany {
        /// The slot.
        slot: Slot,
        /// How many there are.
        found: usize,
    },
}

impl Rejected {
    /// Whether the same bytes with the same settings would be turned down again, on any machine and on any day: there is no use
    /// in trying before something changes. What the clock may have had a part in is not lasting, and it may have in cases.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        match &*self.why {
            Why::Load(LoadError::Unreadable { .. } | LoadError::CompileStopped { .. }) => false,
            Why::Load(LoadError::Machine { .. }) => false,
            Why::Load(
                LoadError::Instantiate(fault)
                | LoadError::Describe(fault)
                | LoadError::CheckSettings(fault),
            ) => matches!(Came::of_fault(fault), Came::Faulted(_)),
            Why::Load(_) | Why::Quarantined(_) | Why::TooManyCases { .. } | Why::TooMany { .. } => {
                true
            }
            Why::Cases { .. } | Why::Faulted(_) | Why::Stalled(_) | Why::Questions(_) => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match &*self.why {
            Why::Load(error) => error.hint_in(self.slot),
            Why::Cases { .. } => {
                Some(format!("`skillkeep policy test {}` shows each case", self.name))
            }
            Why::Quarantined(_)
            | Why::TooManyCases { .. }
            | Why::Faulted(_)
            | Why::Stalled(_)
            | Why::Questions(_)
            | Why::TooMany { .. } => None,
        }
    }
}
