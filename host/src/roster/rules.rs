//! How much a policy has to show before it is trusted, and how much it may fail before it is left alone.

use std::time::Duration;

/// The figures of probation and of the circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Calls that a new policy has to get through without a fault.
    pub probation_calls: u32,
    /// Time after which fewer will do, though never none: a policy that nobody asked has shown nothing.
    pub probation_time: Duration,
    /// Faults within [`Rules::window`] calls that open the breaker. Nothing is the same as one.
    pub faults: u32,
    /// Calls that the clock ended, within [`Rules::window`] calls, that open the breaker: nothing is held against the policy,
    /// but whoever asks it waits in vain. Nothing is the same as one.
    pub stalls: u32,
    /// The calls that are looked back on, 64 at most. Fewer than the faults, or the stalls, count as that many.
    pub window: u32,
    /// How long a policy is left alone when its breaker opens.
    pub cool_down: Duration,
    /// How long at most: each probe that fails doubles the time.
    pub longest_cool_down: Duration,
    /// Whether a candidate's own cases are run.
    pub cases: bool,
}

impl Default for Rules {
    /// Probation of 20 calls or a day; three faults or three stalls in ten calls open the breaker for half a minute, and for
    /// ten minutes at most; cases are run.
    fn default() -> Rules {
        Rules {
            probation_calls: 20,
            probation_time: Duration::from_secs(24 * 60 * 60),
            faults: 3,
            stalls: 3,
            window: 10,
            cool_down: Duration::from_secs(30),
            longest_cool_down: Duration::from_secs(600),
            cases: true,
        }
    }
}
