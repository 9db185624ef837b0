//! What can be set, and what a proposal or a notice may give as its reason. No rule belongs here.

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Outcomes below which nothing is concluded, with corrections at their weight.
        pub min_outcomes: f64 = 5.0 => 1.0..=1e6,
        /// A skill fails when it can't be expected to help this often, as a part of 1.
        pub threshold: f64 = 0.5 => 0.0..=1.0,
        /// How sure that has to be, in standard deviations: 1.645 is right in 95 of 100 cases.
        pub confidence: f64 = 1.645 => 0.0..=6.0,
        /// What a correction weighs, which nobody said was a failure; a failure that was said weighs 1.
        pub corrected_weight: f64 = 0.5 => 0.0..=1.0,
        /// Uses from which on a failing skill is told of, and not retired.
        pub many_uses: i64 = 20 => 1..=1_000_000_000,
        /// Days within which a success or a change makes a stale skill active.
        pub recent_days: i64 = 30 => 1..=36500,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill goes stale, is archived, becomes active, or is told of.
    pub enum Reason {
        Failing { helped: u64, said: u64, corrected: u64, most: i64 } = "it helped {0} of {1} times and was corrected {2} times: at most {3} uses in 100 can be expected to help",
        FailingInUse { helped: u64, said: u64, corrected: u64, most: i64, uses: u64 } = "it helped {0} of {1} times and was corrected {2} times: at most {3} uses in 100 can be expected to help; it was used {4} times, so it should be mended, not lost",
        FailingKept { helped: u64, said: u64, corrected: u64, most: i64 } = "it helped {0} of {1} times and was corrected {2} times: at most {3} uses in 100 can be expected to help; no pass may retire it",
        OftenCorrected { corrected: u64 } = "it was corrected {0} times after use, and nobody said how it did",
        Helped { days: i64 } = "it helped {0} days ago, and does not fail",
        Changed { days: i64 } = "it was changed {0} days ago, after it last failed",
    }
}
