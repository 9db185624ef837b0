//! The clock that is handed in, so that a cool-down can be a test's and a decision's time is nobody's secret.

use crate::{skill::Instant, system::System};

/// Tells the time. A [`System`] that can be sent to another thread is one.
pub trait Clock: Send + Sync {
    /// Nanoseconds since 1970. It may be set back: nothing here waits for ever because of that.
    fn nanos(&self) -> i128;
}

impl<S: System + Send> Clock for S {
    fn nanos(&self) -> i128 {
        self.now_nanos()
    }
}

/// The same in whole seconds, as people are told it.
pub(super) fn instant(nanos: i128) -> Instant {
    Instant(i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MAX))
}
