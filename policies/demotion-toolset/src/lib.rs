//! Demotes the categories that the session's toolsets have no use for, unless somebody uses them: Progressive Skill's
//! rule, repaired. It must never undo what the user chose, and never demote where nothing is known about the session.

mod relevance;
mod rule;
mod score;
mod settings;

pub use settings::{Reason, Settings};

use skillkeep_policy::demotion::{Answer, DemotionPolicy, Request};
use skillkeep_policy::{Key, Policy, Refusal, key};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Toolset;

impl Policy for Toolset {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "demotion-toolset";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = "shows names only of categories that the session's toolsets have no use for and nobody uses";
    const NEEDS: &'static [Key] = &[key::CATEGORY, key::CATEGORY_TOP];
    const WANTS: &'static [Key] = &[
        key::TOOLSETS,
        key::TOOLS,
        key::USES,
        key::LAST_USED,
        key::USER_DETAIL,
        key::PREVIOUS_DETAIL,
    ];
}

impl DemotionPolicy for Toolset {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        Ok(rule::decide(request, settings))
    }
}

skillkeep_policy::export_demotion!(Toolset);
