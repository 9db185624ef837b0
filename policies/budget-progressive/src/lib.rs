//! Progressive Skill's budget rule: whole lines or none, block by block in the order of the index, used skills first within a
//! block that doesn't fit. It must never shorten a line and never go over the limit.

mod rule;
mod settings;

pub use settings::{Blocks, Misfit, Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Progressive;

impl Policy for Progressive {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-progressive";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "whole lines, category by category in their order, used skills first: Progressive Skill's rule";
    const NEEDS: &'static [Key] =
        &[key::CATEGORY, key::COST_FULL, key::COST_SHORT, key::COST_HEADER, key::COST_COUNT];
    const WANTS: &'static [Key] = &[key::USES, key::LAST_USED, key::FORM_CAP, key::COST_REST];
}

impl BudgetPolicy for Progressive {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(Progressive);
