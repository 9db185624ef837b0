//! What a roster looks like from outside, as data.

use serde::Serialize;

use super::{After, Cause, Circuit, Mark, Member, Roster, Tally, Trial, Trust};
use crate::{
    decision::{Allowance, Slot},
    skill::{Instant, OneLine},
};

/// Who decides, how each of them behaves, and what went wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Status {
    /// The current generation's number.
    pub generation: u64,
    /// Since when it decides.
    pub since: Instant,
    /// How it came about: `begun`, `swapped` or `restored`.
    pub cause: &'static str,
    /// Its policies, in the order of slots.
    pub members: Vec<Standing>,
    /// Of each slot the last candidate that failed since its last swap.
    pub last_errors: Vec<Problem>,
    /// What its newest policies decide otherwise, where that was tried.
    pub last_trial: Option<Trial>,
    /// What may not become active.
    pub quarantine: Vec<Mark>,
}

/// How one policy stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Standing {
    /// The slot.
    pub slot: Slot,
    /// As it was named.
    pub name: String,
    /// Its own name and version, where it is loaded.
    pub policy: Option<String>,
    /// SHA-256 of its bytes in hexadecimal, where there are any.
    pub digest: Option<String>,
    /// How much of the usual limits it may use, where that is other than usual.
    #[serde(skip_serializing_if = "Allowance::is_usual")]
    pub limits: Allowance,
    /// Why it did not load.
    pub error: Option<String>,
    /// `proven`, `probation` or `quarantined`; nothing where it did not load.
    pub trust: Option<&'static str>,
    /// Calls that it got through on probation.
    pub probation: Option<u32>,
    /// `closed`, `open` or `half-open`.
    pub breaker: &'static str,
    /// What there was too much of when it opened: `faults` or `stalls`.
    pub breaker_after: Option<&'static str>,
    /// Since when the breaker is not closed.
    pub breaker_since: Option<Instant>,
    /// When an open one may be tried.
    pub breaker_until: Option<Instant>,
    /// Its calls.
    pub calls: Tally,
    /// Its last fault.
    pub last_fault: Option<(Instant, OneLine)>,
}

/// A candidate that failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Problem {
    /// The slot.
    pub slot: Slot,
    /// As it was named.
    pub name: String,
    /// SHA-256 of its bytes in hexadecimal, where there are any.
    pub digest: Option<String>,
    /// When.
    pub at: Instant,
    /// What was wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Roster {
    /// How everybody stands now.
    #[must_use]
    pub fn status(&self) -> Status {
        let current = self.current();
        let problem = |slot| {
            let error = self.last_error(slot)?;
            let hint = error.hint();
            let message = error.why.to_string();
            Some(Problem {
                slot,
                name: error.name,
                digest: error.digest,
                at: error.at,
                message,
                hint,
            })
        };
        Status {
            generation: current.number(),
            since: current.since(),
            cause: match current.cause() {
                Cause::Begun => "begun",
                Cause::Swapped(_) => "swapped",
                Cause::Restored(_) => "restored",
            },
            members: current.members().iter().map(|member| Standing::of(member)).collect(),
            last_errors: Slot::ALL.into_iter().filter_map(problem).collect(),
            last_trial: current.last_trial().cloned(),
            quarantine: self.quarantine(),
        }
    }
}

impl Standing {
    /// How that member stands now.
    #[must_use]
    pub fn of(member: &Member) -> Standing {
        let trust = match member.trust() {
            Trust::Proven if member.policy().is_none() => None,
            Trust::Proven => Some("proven"),
            Trust::Probation { .. } => Some("probation"),
            Trust::Condemned(_) => Some("quarantined"),
        };
        let (breaker, after, breaker_since, breaker_until) = match member.circuit() {
            Circuit::Closed => ("closed", None, None, None),
            Circuit::Open { since, until, after } => {
                ("open", Some(after), Some(since), Some(until))
            }
            Circuit::HalfOpen { since, after } => ("half-open", Some(after), Some(since), None),
        };
        Standing {
            slot: member.slot(),
            name: member.name().to_owned(),
            policy: member.policy().map(|it| it.title()),
            digest: member.digest().map(str::to_owned),
            limits: member.policy().map(|it| it.allowance).unwrap_or_default(),
            error: member.load_error().map(ToString::to_string),
            trust,
            probation: match member.trust() {
                Trust::Probation { good, .. } => Some(good),
                Trust::Proven | Trust::Condemned(_) => None,
            },
            breaker,
            breaker_after: after.map(After::word),
            breaker_since,
            breaker_until,
            calls: member.tally(),
            last_fault: member.last_fault(),
        }
    }
}
