//! Progressive Skill's settings as those of the policies that decide in its place.

use super::config::Config;
use crate::decision::Value;

/// Scores that are this much below the threshold still promote.
const TOLERANCE: f64 = 1e-6;

/// The settings of `demotion-toolset` that make it decide as Progressive Skill does: no grace for what was used lately,
/// no second threshold for what was shown before, and tools that nothing is linked to count as tools.
#[must_use]
pub fn demotion_settings(config: &Config) -> Vec<(&'static str, Value)> {
    // Without use no score promotes, however low the threshold.
    let threshold = (config.promote_score - TOLERANCE).max(f64::MIN_POSITIVE);
    // Where nothing at all would be relevant, it demotes nothing.
    let unlinked = if config.always_relevant.is_empty() { "show" } else { "demote" };
    vec![
        ("always-relevant", Value::Texts(config.always_relevant.clone())),
        ("decay-days", Value::Real(config.decay_days)),
        ("fresh-days", Value::Real(0.0)),
        ("keep-score", Value::Real(threshold)),
        ("promote-score", Value::Real(threshold)),
        ("unlinked", Value::Text(unlinked.to_owned())),
    ]
}

/// The settings of `budget-progressive`. Two of its ways are left behind: that the first categories starve the last, and
/// that a line which doesn't fit keeps out the ones after it.
#[must_use]
pub fn budget_settings(config: &Config) -> Vec<(&'static str, Value)> {
    vec![
        ("blocks", Value::Text("all".to_owned())),
        ("decay-days", Value::Real(config.decay_days)),
        ("misfit", Value::Text("skip".to_owned())),
    ]
}
