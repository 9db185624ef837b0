//! Codex's rule for its list of skills: descriptions grow evenly, a character each in turn, until the budget is used; where not
//! even the names fit, as many as do. It must never prefer one skill's description to another's.

mod rule;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

impl Policy for Codex {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-codex";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "all descriptions cut at the same length, so long that they fit; else names in order: Codex's rule";
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
        &[key::DESCRIPTION, key::DESCRIPTION_LENGTH, key::FORM_CAP, key::COST_REST, key::UNIT];
}

impl BudgetPolicy for Codex {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(Codex);
