//! What can be set, and what a proposal may give as its reason. No rule belongs here.

use skillkeep_policy::Problem;

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Days without any use, look or change from which on a skill is stale.
        pub stale_after_days: i64 = 30 => 1..=36500,
        /// Days without any use, look or change from which on a skill is archived.
        pub archive_after_days: i64 = 90 => 1..=36500,
        /// Whether an active skill may be archived at once, which was not stale before. One that was adopted never is.
        pub straight: bool = true,
    }
    check stale_comes_first;
}

fn stale_comes_first(settings: &Settings) -> Option<Problem> {
    let Settings { stale_after_days, archive_after_days, .. } = settings;
    (archive_after_days < stale_after_days)
        .then(|| Problem::new("archive-after-days", "expected no less than `stale-after-days`"))
}

skillkeep_policy::reasons! {
    /// Why a skill goes stale, is archived, or becomes active.
    pub enum Reason {
        Unused { days: i64, allowed: i64 } = "unused for {0} days, {1} allowed",
        NotLookedAt { days: i64, allowed: i64 } = "last looked at {0} days ago, {1} allowed",
        NotChanged { days: i64, allowed: i64 } = "last changed {0} days ago, {1} allowed",
        NotUsedSinceRestored { days: i64, allowed: i64 } = "unused since it came back from the archive {0} days ago, {1} allowed",
        NeverUsed { days: i64, allowed: i64 } = "never used in the {0} days that it is known, {1} allowed",
        AdoptedIdle { days: i64, allowed: i64 } = "idle for {0} days, {1} allowed; it was adopted, so it goes stale before it is archived",
        Idle { days: i64, allowed: i64 } = "idle for {0} days, {1} allowed; it goes stale before it is archived",
        Again { days: i64, allowed: i64 } = "idle for {0} days only, {1} allowed",
    }
}
