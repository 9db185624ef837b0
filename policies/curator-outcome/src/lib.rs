//! Retires what fails, by a bound on how often it can be expected to help. It must never let go of a skill because nobody
//! uses it, and never where there is little to go by.

mod bound;
mod rule;
mod settings;

pub use bound::upper;
pub use settings::{Reason, Settings};

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Outcome;

impl Policy for Outcome {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "curator-outcome";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "what fails more often than it helps goes stale and is archived, or told where it is much used";
    const NEEDS: &'static [Key] = &[key::STATE, key::CANDIDATE, key::PINNED, key::REFERENCED];
    const WANTS: &'static [Key] = &[
        key::USES,
        key::SUCCESSES,
        key::FAILURES,
        key::CORRECTED,
        key::LAST_SUCCESS,
        key::LAST_FAILURE,
        key::LAST_WRITTEN,
    ];
}

impl CuratorPolicy for Outcome {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_curator!(Outcome);
