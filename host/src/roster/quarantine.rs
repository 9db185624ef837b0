//! Components that failed on probation, by what their bytes are and never by their names.

use serde::{Deserialize, Serialize};

use super::Member;
use crate::{
    decision::{Allowance, Settings, Slot},
    policy::Loaded,
    skill::{Instant, OneLine},
};

/// A component that is not to be active again until a person says so. It is kept by whoever keeps the settings: a roster has
/// it in memory, and tells its [`super::Listener`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// SHA-256 of its bytes, in hexadecimal. The same bytes under another name are the same component.
    pub digest: String,
    /// Where the same bytes had proved themselves already, how they were used when they failed; the mark is about that alone
    /// then.
    pub only: Option<Box<Only>>,
    /// The name under which it failed, for people.
    pub name: String,
    /// The slot in which it failed.
    pub slot: Slot,
    /// What it did.
    pub why: OneLine,
    /// When.
    pub at: Instant,
}

/// One way of using a component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Only {
    /// In this slot.
    pub slot: Slot,
    /// With these settings.
    pub settings: Settings,
    /// Within these limits.
    #[serde(default, skip_serializing_if = "Allowance::is_usual")]
    pub limits: Allowance,
}

impl Only {
    pub(super) fn of(slot: Slot, policy: &Loaded) -> Only {
        Only { slot, settings: policy.settings.clone(), limits: policy.allowance }
    }
}

impl Mark {
    /// Whether the mark is about these bytes whatever their settings.
    #[must_use]
    pub fn covers_bytes(&self, digest: &str) -> bool {
        self.digest == digest && self.only.is_none()
    }

    /// Whether the mark is about this member.
    #[must_use]
    pub fn covers(&self, member: &Member) -> bool {
        member.digest() == Some(self.digest.as_str())
            && self.only.as_ref().is_none_or(|only| {
                member.policy().is_some_and(|it| **only == Only::of(member.slot(), it))
            })
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digest = self.digest.get(..12).unwrap_or(&self.digest);
        write!(f, "`{}` ({digest}) failed on probation at {}: {}", self.name, self.at, self.why)
    }
}

/// Who is told what the roster did by itself. It is called on the thread of the call that brought it about, without a lock
/// held, so it may ask a roster that it has; what takes long it should hand on. A roster keeps its listener, so one that keeps
/// the roster as well keeps both for ever.
pub trait Listener: Send + Sync {
    /// A component failed on probation and is in quarantine: the place for writing that into a lock file. `now` is the
    /// generation that decides from here on.
    fn condemned(&self, mark: &Mark, now: &super::Generation) {
        let _ = (mark, now);
    }
}

/// Nobody listens.
impl Listener for () {}
