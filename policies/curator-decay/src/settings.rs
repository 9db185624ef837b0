//! What can be set, and what a proposal may give as its reason. No rule belongs here.

use skillkeep_policy::Problem;

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// A skill as weak as one use so many days ago is stale.
        pub stale_after_days: i64 = 30 => 1..=36500,
        /// A skill as weak as one use so many days ago is archived.
        pub archive_after_days: i64 = 90 => 1..=36500,
        /// A stale skill is active again once it is stronger than one use so many days ago.
        pub active_within_days: i64 = 20 => 1..=36500,
        /// Days without any use, look or change from which on a skill is let go however often it was used before.
        pub forget_after_days: i64 = 1095 => 1..=36500,
        /// What a look without a use, or a change, counts beside a use.
        pub look_weight: f64 = 0.25 => 0.0..=1.0,
    }
    check days_in_order;
}

fn days_in_order(settings: &Settings) -> Option<Problem> {
    let Settings {
        active_within_days,
        stale_after_days,
        archive_after_days,
        forget_after_days,
        ..
    } = settings;
    if active_within_days > stale_after_days {
        return Some(Problem::new(
            "active-within-days",
            "expected no more than `stale-after-days`",
        ));
    }
    if archive_after_days < stale_after_days {
        return Some(Problem::new(
            "archive-after-days",
            "expected no less than `stale-after-days`",
        ));
    }
    (forget_after_days < archive_after_days)
        .then(|| Problem::new("forget-after-days", "expected no less than `archive-after-days`"))
}

skillkeep_policy::reasons! {
    /// Why a skill goes stale, is archived, or becomes active.
    pub enum Reason {
        Weak { as_weak_as: i64, allowed: i64, uses: u64, last: i64 } = "as weak as one use {0} days ago, {1} allowed; uses: {2}, last sign of life {3} days ago",
        Forgotten { days: i64, allowed: i64 } = "no sign of life for {0} days, {1} allowed however often it was used",
        Strong { as_weak_as: i64, allowed: i64 } = "as strong as one use {0} days ago, {1} wanted",
    }
}
