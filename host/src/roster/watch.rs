//! What is known of how a policy behaves: its trust, its breaker, its counts. Every call goes by here, before and after.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::Serialize;

use super::{
    Member, Rules,
    breaker::{After, Breaker, Pass, Seen, nanos},
    clock::{Clock, instant},
    desk::Desk,
};
use crate::{
    policy::{Fault, LoadError, Loaded, Outcome},
    skill::{Instant, OneLine},
};

/// How a call came out, as far as the policy's standing goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// It answered, and no law threw the answer away.
    Answered,
    /// It said no, which is its right.
    Refused,
    /// The clock ended the call: it is not held against the policy, and yet it is left alone where that comes often.
    Stalled(OneLine),
    /// The machine failed, or nobody was asked: nothing is known of the policy.
    Unknown(OneLine),
    /// It did what no policy may, or its answer could not be used.
    Faulted(OneLine),
}

impl Came {
    /// A fault of a call. Fuel, traps and limits are the same on every machine; the clock is not.
    #[must_use]
    pub fn of_fault(fault: &Fault) -> Came {
        let text = OneLine::capped(&fault.to_string(), 400);
        match fault {
            Fault::Deadline { .. } => Came::Stalled(text),
            Fault::Host(_) => Came::Unknown(text),
            Fault::Fuel { .. }
            | Fault::Memory { .. }
            | Fault::Table { .. }
            | Fault::Stack { .. }
            | Fault::Copied { .. }
            | Fault::Trap(_)
            | Fault::Invalid(_)
            | Fault::Parts(_) => Came::Faulted(text),
        }
    }

    /// An outcome whose answer, if it is one, stood.
    #[must_use]
    pub fn of<T>(outcome: &Outcome<T>) -> Came {
        match outcome {
            Outcome::Answer(_) => Came::Answered,
            Outcome::Refused(_) => Came::Refused,
            Outcome::Faulted(fault) => Came::of_fault(fault),
        }
    }
}

/// Why a policy is not asked. Its slot falls back.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Held {
    /// It did not load.
    #[error("{0}")]
    NotLoaded(LoadError),
    /// It failed on probation, here or before.
    #[error("it is in quarantine: {0}")]
    Quarantined(OneLine),
    /// Its circuit breaker is open, or one call is finding out whether it may close.
    #[error("it is left alone since {since}, after too many {}; the last was: {last}", after.word())]
    Open {
        /// When the breaker opened.
        since: Instant,
        /// When it may be tried again.
        until: Instant,
        /// What there was too much of.
        after: After,
        /// The last of them.
        last: OneLine,
    },
}

/// Calls of a policy, counted since it became a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tally {
    /// It was asked.
    pub asked: u64,
    /// It answered.
    pub answered: u64,
    /// It refused.
    pub refused: u64,
    /// It did what no policy may.
    pub faults: u64,
    /// The clock ended the call, or the machine failed.
    pub stalls: u64,
    /// It was not asked, since its breaker was open or it was in quarantine.
    pub held: u64,
}

/// How far a policy is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It got through probation, or was there from the beginning.
    Proven,
    /// One fault takes it away.
    Probation {
        /// Since when.
        since: Instant,
        /// Calls that it got through.
        good: u32,
    },
    /// It failed on probation, for this.
    Condemned(OneLine),
}

/// What a breaker lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    /// Every call.
    Closed,
    /// None, until then.
    Open {
        /// When it opened.
        since: Instant,
        /// When one call may probe.
        until: Instant,
        /// What there was too much of.
        after: After,
    },
    /// One call, which says whether it closes.
    HalfOpen {
        /// When the wait was over.
        since: Instant,
        /// What there was too much of.
        after: After,
    },
}

pub(super) struct Watch {
    rules: Rules,
    clock: Arc<dyn Clock>,
    /// Whom to tell; nobody for a watch that stands apart, as a trial's does.
    desk: Weak<Desk>,
    state: Mutex<State>,
}

struct State {
    trust: Inner,
    breaker: Breaker,
    tally: Tally,
    last_fault: Option<(Instant, OneLine)>,
    last_stall: Option<OneLine>,
}

#[derive(Clone)]
enum Inner {
    Proven,
    Probation { since: i128, good: u32 },
    Condemned(OneLine),
}

/// What follows from how a call came out.
enum Then {
    Nothing,
    Proven,
    Condemn(OneLine),
}

impl Watch {
    /// `trusted` says whether it begins as proven.
    pub(super) fn new(
        rules: Rules,
        clock: Arc<dyn Clock>,
        desk: Weak<Desk>,
        trusted: bool,
    ) -> Watch {
        let trust = match trusted {
            true => Inner::Proven,
            false => Inner::Probation { since: clock.nanos(), good: 0 },
        };
        let breaker = Breaker::new();
        let (tally, last_fault, last_stall) = (Tally::default(), None, None);
        let state = State { trust, breaker, tally, last_fault, last_stall };
        Watch { rules, clock, desk, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way; a caller that did says nothing about these counts.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts probation now, where it is on probation: it waited to become active.
    pub(super) fn start(&self) {
        if let Inner::Probation { since, .. } = &mut self.state().trust {
            *since = self.clock.nanos();
        }
    }

    pub(super) fn condemn(&self, why: &OneLine) {
        self.state().trust = Inner::Condemned(why.clone());
    }

    pub(super) fn is_proven(&self) -> bool {
        matches!(self.state().trust, Inner::Proven)
    }

    pub(super) fn is_condemned(&self) -> bool {
        matches!(self.state().trust, Inner::Condemned(_))
    }

    pub(super) fn trust(&self) -> Trust {
        match &self.state().trust {
            Inner::Proven => Trust::Proven,
            Inner::Probation { since, good } => {
                Trust::Probation { since: instant(*since), good: *good }
            }
            Inner::Condemned(why) => Trust::Condemned(why.clone()),
        }
    }

    pub(super) fn circuit(&self) -> Circuit {
        match self.state().breaker.seen(self.clock.nanos(), &self.rules) {
            Seen::Closed => Circuit::Closed,
            Seen::Open { since, until, after } => {
                Circuit::Open { since: instant(since), until: instant(until), after }
            }
            Seen::HalfOpen { since, after } => Circuit::HalfOpen { since: instant(since), after },
        }
    }

    pub(super) fn tally(&self) -> Tally {
        self.state().tally
    }

    pub(super) fn last_fault(&self) -> Option<(Instant, OneLine)> {
        self.state().last_fault.clone()
    }

    pub(super) fn last_stall(&self) -> Option<OneLine> {
        self.state().last_stall.clone()
    }

    /// Whether a call may go on, and whether it is a probe.
    fn ask(&self) -> Result<bool, Held> {
        let now = self.clock.nanos();
        let mut state = self.state();
        if let Inner::Condemned(why) = &state.trust {
            let held = Held::Quarantined(why.clone());
            state.tally.held += 1;
            return Err(held);
        }
        match state.breaker.ask(now, &self.rules) {
            Pass::Go => Ok(false),
            Pass::Probe => Ok(true),
            Pass::No { since, until, after } => {
                state.tally.held += 1;
                let last = match after {
                    After::Faults => state.last_fault.as_ref().map(|(_, text)| text.clone()),
                    After::Stalls => state.last_stall.clone(),
                };
                let last = last.unwrap_or_else(|| OneLine::new("unknown"));
                Err(Held::Open { since: instant(since), until: instant(until), after, last })
            }
        }
    }

    fn note(&self, came: &Came, probe: bool) -> Then {
        let now = self.clock.nanos();
        let mut state = self.state();
        state.tally.asked += 1;
        match came {
            Came::Answered | Came::Refused => {
                match came {
                    Came::Answered => state.tally.answered += 1,
                    _ => state.tally.refused += 1,
                }
                state.breaker.good(probe, &self.rules);
                if self.passed(&mut state.trust, now) {
                    state.trust = Inner::Proven;
                    return Then::Proven;
                }
                Then::Nothing
            }
            Came::Stalled(text) => {
                state.tally.stalls += 1;
                state.last_stall = Some(text.clone());
                state.breaker.stall(probe, now, &self.rules);
                Then::Nothing
            }
            Came::Unknown(text) => {
                state.tally.stalls += 1;
                state.last_stall = Some(text.clone());
                state.breaker.nothing(probe);
                Then::Nothing
            }
            Came::Faulted(text) => {
                state.tally.faults += 1;
                state.last_fault = Some((instant(now), text.clone()));
                state.breaker.fault(probe, now, &self.rules);
                if let Inner::Probation { .. } = state.trust {
                    // At once, so that no other call asks it while the roster finds out what to bring back.
                    state.trust = Inner::Condemned(text.clone());
                    return Then::Condemn(text.clone());
                }
                Then::Nothing
            }
        }
    }

    /// Whether this good call was the one that ends probation.
    fn passed(&self, trust: &mut Inner, now: i128) -> bool {
        let Inner::Probation { since, good } = trust else { return false };
        *since = (*since).min(now);
        *good = good.saturating_add(1);
        *good >= self.rules.probation_calls
            || now.saturating_sub(*since) >= nanos(self.rules.probation_time)
    }
}

/// Leave to ask a policy once. What became of the call is told with [`Ticket::came`]; a ticket that is dropped, as when the
/// caller panics, says nothing of the policy.
#[must_use]
pub struct Ticket<'a> {
    member: &'a Member,
    policy: &'a Loaded,
    probe: bool,
    used: bool,
}

impl<'a> Ticket<'a> {
    pub(super) fn new(member: &'a Member, policy: &'a Loaded) -> Result<Ticket<'a>, Held> {
        let probe = member.watch.ask()?;
        Ok(Ticket { member, policy, probe, used: false })
    }

    /// The policy to be asked.
    #[must_use]
    pub fn policy(&self) -> &'a Loaded {
        self.policy
    }

    /// Says what became of the call. Where it was a fault on probation, the last good policy is back when this returns.
    pub fn came(mut self, came: &Came) {
        self.used = true;
        let then = self.member.watch.note(came, self.probe);
        let Some(desk) = self.member.watch.desk.upgrade() else { return };
        match then {
            Then::Nothing => {}
            Then::Proven => desk.proven(self.member.slot()),
            Then::Condemn(why) => desk.condemn(self.member, &why),
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        if !self.used {
            self.member.watch.state().breaker.nothing(self.probe);
        }
    }
}
