//! Hermes's rule for its index of skills: every description cut at the same length, whatever that costs. The limit of the
//! request holds all the same.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Hermes;

impl Policy for Hermes {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-hermes";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "every description cut at 60 characters, with no budget but the limit: Hermes's rule";
    const NEEDS: &'static [Key] = &[
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

impl BudgetPolicy for Hermes {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(Hermes);
