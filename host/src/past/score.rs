//! What a replay came to.

use crate::{decision::Reasoned, skill::Instant};

use super::replay::DAY;

/// A retirement that was regretted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regret {
    /// The skill's name.
    pub name: String,
    /// When it was retired.
    pub retired: Instant,
    /// When somebody wanted it.
    pub wanted: Instant,
    /// Who retired it.
    pub by: String,
    /// Why.
    pub reason: Reasoned,
}

/// What a rule did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Passes.
    pub passes: u32,
    /// Passes that changed nothing because a policy gave no answer that counts.
    pub failed: u32,
    /// Retirements; a skill that came back may be retired again.
    pub retired: u32,
    /// Retirements that were regretted.
    pub regretted: u32,
    /// Skills that were wanted after the window, and brought back.
    pub late: u32,
    /// How often a skill went stale.
    pub stale: u32,
    /// How often one became active again by the rule.
    pub reactivated: u32,
    /// Wishes to retire that a law held.
    pub held: u32,
    /// Tokens · seconds of all that was carried.
    pub carried: u64,
    /// Tokens · seconds of what was carried and not wanted soon.
    pub wasted: u64,
}

/// How a rule fared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// In numbers.
    pub totals: Totals,
    /// Every retirement that was regretted, by when it was.
    pub regrets: Vec<Regret>,
    /// What the first policy that failed did, and who it is.
    pub failure: Option<(String, String)>,
}

impl Totals {
    /// The waste, in whole tokens · days.
    #[must_use]
    pub fn waste(&self) -> u64 {
        self.wasted / DAY.unsigned_abs()
    }

    /// What was carried, in whole tokens · days.
    #[must_use]
    pub fn carried_days(&self) -> u64 {
        self.carried / DAY.unsigned_abs()
    }

    /// Regretted retirements as a part of all, from 0 to 1; nothing where none was retired.
    #[must_use]
    pub fn regret_share(&self) -> Option<f64> {
        (self.retired > 0).then(|| f64::from(self.regretted) / f64::from(self.retired))
    }

    /// Waste as a part of what was carried, from 0 to 1; nothing where nothing was carried.
    #[must_use]
    pub fn waste_share(&self) -> Option<f64> {
        (self.carried > 0).then(|| real(self.wasted) / real(self.carried))
    }
}

/// Sums of tokens · seconds are far below 2^53 for any library that there is; beyond it a share is right to 15 digits.
#[allow(clippy::cast_precision_loss, reason = "a share is shown with one digit")]
fn real(number: u64) -> f64 {
    number as f64
}

/// Whether one rule does worse than another in both: more regret, and more waste.
#[must_use]
pub fn dominated(one: &Totals, by: &Totals) -> bool {
    by.regretted < one.regretted && by.wasted < one.wasted
}
