//! SUMMARY

use skillkeep_policy::demotion::{Answer, DemotionPolicy, Request};
use skillkeep_policy::{DAY, Detail, Key, Policy, Refusal, key};

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Days without use of any of its skills after which a category shows names only.
        pub unused_days: i64 = 30 => 1..=3650,
    }
}

skillkeep_policy::reasons! {
    /// Why a category is demoted.
    pub enum Reason {
        Unused { days: i64 } = "none of its skills was used for {0} days",
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
    const NEEDS: &'static [Key] = &[key::CATEGORY];
    const WANTS: &'static [Key] = &[key::LAST_USED, key::USER_DETAIL];
}

impl DemotionPolicy for TYPE {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        // The last use of each category's skills; none where nothing is known of any.
        let mut last: Vec<Option<i64>> = vec![None; request.categories().len()];
        for skill in request.skills() {
            if let Some(known) = last.get_mut(skill.category().row() as usize) {
                *known = (*known).max(skill.last_used());
            }
        }
        let mut answer = Answer::default();
        for (category, last) in request.categories().zip(last) {
            let Some(last) = last else { continue };
            let days = request.now().saturating_sub(last) / DAY;
            // What the user asked for is left to the user.
            if days >= settings.unused_days && category.user_detail().is_none() {
                answer.detail(category, Detail::Names, Reason::Unused { days });
            }
        }
        Ok(answer)
    }
}

skillkeep_policy::export_demotion!(TYPE);
