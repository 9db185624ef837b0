//! SUMMARY

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::{DAY, Key, Policy, Refusal, key};

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Days without use after which a skill is archived.
        pub unused_days: i64 = 90 => 1..=3650,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill is archived.
    pub enum Reason {
        Unused { days: i64 } = "unused for {0} days",
    }
}

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct TYPE;

impl Policy for TYPE {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = env!("CARGO_PKG_NAME");
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = env!("CARGO_PKG_DESCRIPTION");
    const NEEDS: &'static [Key] = &[];
    const WANTS: &'static [Key] = &[key::LAST_USED, key::PINNED];
}

impl CuratorPolicy for TYPE {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        let mut answer = Answer::default();
        for skill in request.skills() {
            let Some(last_used) = skill.last_used() else { continue };
            let days = request.now().saturating_sub(last_used) / DAY;
            if days >= settings.unused_days && !skill.pinned() {
                answer.archive(skill, Reason::Unused { days });
            }
        }
        Ok(answer)
    }
}

skillkeep_policy::export_curator!(TYPE);
