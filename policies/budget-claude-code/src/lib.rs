//! Claude Code's rule for its list of skills: every name, and whole descriptions as long as they fit, the least used ones
//! dropped first. It must never drop a name that there is room for, and never go over the limit.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Policy for ClaudeCode {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-claude-code";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "every name; whole descriptions while they fit, the least used dropped first: Claude Code's rule";
    const NEEDS: &'static [Key] = &[
        key::CATEGORY,
        key::COST_FULL,
        key::COST_NAME,
        key::COST_BARE,
        key::COST_HEADER,
        key::COST_NAMES,
        key::COST_COUNT,
    ];
    const WANTS: &'static [Key] = &[
        key::DESCRIPTION_LENGTH,
        key::FORM_CAP,
        key::COST_REST,
        key::UNIT,
        key::USES,
        key::LAST_USED,
    ];
}

impl BudgetPolicy for ClaudeCode {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(ClaudeCode);
