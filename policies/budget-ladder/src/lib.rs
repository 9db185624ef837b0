//! One allocation over all categories at once: each skill climbs a ladder of forms, counted, name, short, full, and the step
//! that is worth most for what it costs is taken first. It reads numbers only, and must never go over the limit.

mod account;
mod climb;
mod rule;
mod rungs;
mod settings;
mod share;
mod telling;

pub use settings::{Reason, Settings};

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Ladder;

impl Policy for Ladder {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "budget-ladder";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "names first, then the longer forms that are worth most for what they cost";
    const NEEDS: &'static [Key] = &[
        key::CATEGORY,
        key::COST_FULL,
        key::COST_SHORT,
        key::COST_NAME,
        key::COST_HEADER,
        key::COST_NAMES,
        key::COST_COUNT,
    ];
    const WANTS: &'static [Key] = &[
        key::PINNED,
        key::USES,
        key::LAST_USED,
        key::PREVIOUS_FORM,
        key::FORM_CAP,
        key::USER_DETAIL,
        key::COST_REST,
        key::UNIT,
        key::DESCRIPTION_LENGTH,
        key::NAME_SHARERS,
        key::STALE,
    ];
}

impl BudgetPolicy for Ladder {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_budget!(Ladder);
