//! Why a component is not loaded though it could be: nobody said yes to it, it is another one by now, or it must not be.
//! Who knows that is another room; here it is said.

use crate::{decision::Slot, skill::OneLine};

/// Why a component is kept from being loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    /// Nobody said yes to it.
    #[error("nobody said yes to `{name}` (sha256 {found})")]
    NotPinned {
        /// The slot.
        slot: Slot,
        /// As the settings name it.
        name: OneLine,
        /// SHA-256 of what is there, in hex.
        found: String,
    },
    /// It is another one than the one that somebody said yes to.
    #[error("`{name}` changed since it was pinned: now {found}, pinned {pinned}")]
    Changed {
        /// The slot.
        slot: Slot,
        /// As the settings name it.
        name: OneLine,
        /// SHA-256 of what is there, in hex.
        found: String,
        /// SHA-256 of what was pinned, in hex.
        pinned: String,
    },
    /// It is in quarantine.
    #[error("it is in quarantine since {at}: {reason} (sha256 {sha256})")]
    Quarantined {
        /// The slot.
        slot: Slot,
        /// As it was named.
        name: OneLine,
        /// SHA-256 of it, in hex.
        sha256: String,
        /// What it did.
        reason: OneLine,
        /// When it was put there.
        at: OneLine,
    },
    /// The settings want a signature, and there is none.
    #[error("`{signature}` is not there, and the settings want a signature")]
    Unsigned {
        /// The signature's file.
        signature: OneLine,
    },
    /// Its signature is wrong.
    #[error("its signature `{signature}` is wrong: {reason}")]
    BadSignature {
        /// The signature's file.
        signature: OneLine,
        /// What is wrong.
        reason: OneLine,
    },
    /// The file that says to what somebody said yes can't be read.
    #[error("`{lock}` can't be read, so nobody knows what was pinned: {reason}")]
    NoLock {
        /// The file.
        lock: OneLine,
        /// What is wrong.
        reason: OneLine,
    },
}

impl Withheld {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Withheld::NotPinned { slot, name, .. } | Withheld::Changed { slot, name, .. } => {
                format!("look at it, and say yes: skillkeep policy use {slot} {name}")
            }
            Withheld::Quarantined { slot, name, .. } => {
                format!("a person lifts that: skillkeep policy use {slot} {name} --yes")
            }
            Withheld::Unsigned { .. } => {
                "get the signature from whoever signed it, or see `require-signature` under `[policies]` in skillkeep.toml".to_owned()
            }
            Withheld::BadSignature { .. } => {
                "get the component and its signature anew from whoever signed them".to_owned()
            }
            Withheld::NoLock { lock, .. } => {
                format!("mend it, or put it away and say yes anew: mv {lock} {lock}.broken")
            }
        }
    }

    /// The word for JSON.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Withheld::NotPinned { .. } => "not-pinned",
            Withheld::Changed { .. } => "changed-since-pinned",
            Withheld::Quarantined { .. } => "quarantined",
            Withheld::Unsigned { .. } => "unsigned",
            Withheld::BadSignature { .. } => "bad-signature",
            Withheld::NoLock { .. } => "no-lock",
        }
    }

    /// Whether it is only a yes that is missing.
    #[must_use]
    pub fn wants_a_yes(&self) -> bool {
        matches!(self, Withheld::NotPinned { .. } | Withheld::Changed { .. })
    }
}
