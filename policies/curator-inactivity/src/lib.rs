//! Lets skills go stale, and then be archived, that nobody used for so many days: Hermes's rule, with a step more for what a
//! person adopted. It must never let go of what nobody gave into its care, and never decide by how often a skill was used.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Inactivity;

impl Policy for Inactivity {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "curator-inactivity";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "what nobody used for 30 days goes stale, for 90 days is archived";
    const NEEDS: &'static [Key] = &[key::STATE, key::CANDIDATE, key::CREATED];
    const WANTS: &'static [Key] =
        &[key::LAST_USED, key::LAST_VIEWED, key::LAST_WRITTEN, key::RESTORED, key::ADOPTED];
}

impl CuratorPolicy for Inactivity {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_curator!(Inactivity);
