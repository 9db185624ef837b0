//! OpenClaw's rule for its catalogue of skills: so many by name, as many of these as fit, and then descriptions cut at the same
//! length. A name comes before any description.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct OpenClaw;

impl Policy for OpenClaw {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-openclaw";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "the first 150 by the alphabet, names first, then all descriptions cut at one length: OpenClaw's rule";
    const NEEDS: &'static [Key] = &[
        key::NAME,
        key::CATEGORY,
        key::COST_FULL,
        key::COST_NAME,
        key::COST_BARE,
        key::COST_HEADER,
        key::COST_NAMES,
        key::COST_COUNT,
    ];
    const WANTS: &'static [Key] =
        &[key::DESCRIPTION_LENGTH, key::FORM_CAP, key::COST_REST, key::UNIT];
}

impl BudgetPolicy for OpenClaw {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(OpenClaw);
