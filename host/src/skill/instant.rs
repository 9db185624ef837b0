//! Points in time, as whole seconds.

use serde::{Deserialize, Serialize};

/// Whole seconds since 1970-01-01T00:00:00Z, as the contract counts them.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Instant(pub i64);

impl Instant {
    /// Seconds from `earlier` to `self`; negative if it is the later one, and never an overflow.
    #[must_use]
    pub fn since(self, earlier: Instant) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::fmt::Display for Instant {
    /// RFC 3339 in UTC, or the bare seconds where the calendar ends.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(timestamp) => write!(f, "{timestamp}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}
