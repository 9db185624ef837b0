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

#[cfg(test)]
mod tests {
    use super::score;
    use crate::Settings;

    #[test]
    fn the_score_is_uses_faded_by_e_folding_over_thirty_days() {
        let settings = Settings::default();
        for (uses, age_days, expected) in [
            (1, 0.0, 1.0),
            (1, 7.0, 0.791_889_566_336_781_6),
            (1, 30.0, 0.367_879_441_171_442_33),
            (1, 365.0, 5.200_963_470_939_485e-6),
            (2, 7.0, 1.583_779_132_673_563_3),
            (2, 30.0, 0.735_758_882_342_884_7),
            (3, 10.0, 2.149_593_931_721_368),
            (3, 12.0, 2.010_960_138_106_917_8),
            (3, 13.0, 1.945_033_023_004_529_2),
            (5, 13.0, 3.241_721_705_007_548_4),
            (10, 48.0, 2.018_965_179_946_554),
            (50, 90.0, 2.489_353_418_393_197_3),
            (100, 30.0, 36.787_944_117_144_235),
        ] {
            let found = score(&settings, uses, age_days);
            assert!((found - expected).abs() <= expected * 1e-15, "{uses} {age_days} {found}");
        }
    }

    #[test]
    fn what_was_used_in_the_last_two_days_has_not_faded() {
        let settings = Settings::default();
        for age_days in [0.0, 1.0 / 86_400.0, 1.0 / 24.0, 1.0, 2.0] {
            assert_eq!(score(&settings, 2, age_days), 2.0);
        }
        assert!(score(&settings, 2, 2.0001) < 1.872);
    }
}
