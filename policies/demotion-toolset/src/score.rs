//! How much a skill is used: its uses, faded since the last one.

use crate::Settings;

/// `uses × what is left after age`. Within `fresh-days` nothing has faded yet, so that a threshold of whole uses holds for
/// days and not for the second after the last use.
pub fn score(settings: &Settings, uses: u64, age_days: f64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a count of uses is far below 2^53")]
    let uses = uses as f64;
    if age_days <= settings.fresh_days {
        return uses;
    }
    uses * settings.decay.left(age_days, settings.decay_days)
}
