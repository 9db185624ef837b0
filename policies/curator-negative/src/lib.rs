//! Points out claims that something doesn't work, when it is time to look again. It must never propose what becomes of a
//! skill: a claim that is wrong is mended, and its skill is as good as ever.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Claims;

impl Policy for Claims {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "curator-negative";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "tells when to look again at what a skill says doesn't work; retires nothing";
    const NEEDS: &'static [Key] = &[key::ORIGIN, key::CREATED];
    const WANTS: &'static [Key] = &[
        key::NEGATIVE_CLAIMS,
        key::NEGATIVE_EVIDENCE,
        key::NEGATIVE_CHECKED,
        key::NEGATIVE_EXPIRY,
        key::NEGATIVE_CLAIM,
        key::LAST_WRITTEN,
        key::LAST_SUCCESS,
    ];
}

impl CuratorPolicy for Claims {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_curator!(Claims);
