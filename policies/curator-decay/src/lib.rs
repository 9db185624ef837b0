//! Lets skills go by the strength of their memory: how often and how lately they were used, by the equation of ACT-R. It must
//! never judge a skill by its rest alone, as long as use says more.

mod rule;
mod settings;
mod strength;

pub use settings::{Reason, Settings};
pub use strength::{Practice, as_one_use, of_one_use, strength};

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

impl Policy for Memory {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "curator-decay";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "what is as weak as one use 30 days ago goes stale, 90 days ago is archived";
    const NEEDS: &'static [Key] = &[key::STATE, key::CANDIDATE, key::CREATED];
    const WANTS: &'static [Key] = &[
        key::USES,
        key::VIEWS,
        key::WRITES,
        key::LAST_USED,
        key::LAST_VIEWED,
        key::LAST_WRITTEN,
        key::RESTORED,
    ];
}

impl CuratorPolicy for Memory {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_curator!(Memory);
