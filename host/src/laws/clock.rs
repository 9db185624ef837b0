//! The law `clock`.

use crate::skill::Instant;

/// A time in the future counts as now. Says whether that was needed; who asks keeps the raw value.
#[must_use]
pub fn not_after(now: Instant, recorded: Instant) -> (Instant, bool) {
    if recorded > now { (now, true) } else { (recorded, false) }
}
