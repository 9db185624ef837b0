//! What can be set, and what a notice may give as its reason. No rule belongs here.

use skillkeep_policy::Problem;

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// Days after which a claim is to be looked at again that says no day itself.
        pub expires_days: i64 = 90 => 1..=36500,
        /// The same for a skill with a claim without evidence.
        pub expires_without_evidence_days: i64 = 30 => 1..=36500,
        /// Days after a claim from which on a success with its skill casts doubt on it.
        pub doubt_after_days: i64 = 0 => 0..=36500,
        /// Whether claims of skills are told that came with an agent or were installed: whoever made them mends them.
        pub others: bool = false,
    }
    check evidence_lasts_longer;
}

fn evidence_lasts_longer(settings: &Settings) -> Option<Problem> {
    let Settings { expires_days, expires_without_evidence_days, .. } = settings;
    (expires_without_evidence_days > expires_days).then(|| {
        Problem::new("expires-without-evidence-days", "expected no more than `expires-days`")
    })
}

skillkeep_policy::reasons! {
    /// Why a claim should be looked at again.
    pub enum Reason {
        Expired { days: i64, claim: String } = "one of its claims was to hold until {0} days ago; the first is: {1}",
        Doubted { days: i64, claim: String } = "it helped {0} days ago, after it was written that something doesn't work: {1}",
        NoEvidence { without: u64, claims: u64, days: i64, allowed: i64, claim: String } = "{0} of {1} claims without evidence, not checked for {2} days, {3} allowed: {4}",
        Old { days: i64, allowed: i64, claim: String } = "not checked for {0} days, {1} allowed: {2}",
    }
}
