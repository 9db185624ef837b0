//! Where a row comes in a ranking, and what that is worth where several come equal. No order of names or rows matters.

/// A place that may be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Rows that come before.
    pub before: usize,
    /// Rows that share the place, this one among them.
    pub sharing: usize,
}

impl Rank {
    /// The rank of a row by its score; none at a score of 0, since then nothing speaks for it.
    #[must_use]
    pub fn of(scores: &[f64], row: usize) -> Option<Rank> {
        let own = *scores.get(row).filter(|score| **score > 0.0)?;
        let before = scores.iter().filter(|score| **score > own).count();
        let sharing = scores.iter().filter(|score| **score == own).count();
        Some(Rank { before, sharing })
    }

    /// How likely it is among the first so many, if those that share its place come in any order.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of skills are far below 2^53")]
    pub fn within(self, first: usize) -> f64 {
        let left = first.saturating_sub(self.before).min(self.sharing);
        left as f64 / self.sharing.max(1) as f64
    }

    /// The rank that is to be expected, counted from 1.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of skills are far below 2^53")]
    pub fn expected(self) -> f64 {
        self.before as f64 + (self.sharing as f64 + 1.0) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn those_who_come_equal_share_their_places() {
        let scores = [3.0, 1.0, 2.0, 1.0, 0.0, 1.0];
        for (row, rank, first, among_two, among_five, expected) in [
            (0, Some((0, 1)), 1.0, 1.0, 1.0, 1.0),
            (2, Some((1, 1)), 0.0, 1.0, 1.0, 2.0),
            (1, Some((2, 3)), 0.0, 0.0, 1.0, 4.0),
            (5, Some((2, 3)), 0.0, 0.0, 1.0, 4.0),
            (4, None, 0.0, 0.0, 0.0, 0.0),
            (6, None, 0.0, 0.0, 0.0, 0.0),
        ] {
            let got = Rank::of(&scores, row);
            assert_eq!(got.map(|rank| (rank.before, rank.sharing)), rank, "{row}");
            if let Some(rank) = got {
                let within = [1, 2, 5].map(|first| rank.within(first));
                assert_eq!((within, rank.expected()), ([first, among_two, among_five], expected));
            }
        }
        assert!((Rank { before: 3, sharing: 4 }.within(5) - 0.5).abs() < 1e-12);
        assert!((Rank { before: 0, sharing: 4 }.within(1) - 0.25).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn places_are_all_given_away_and_the_order_of_rows_changes_nothing(
            scores in proptest::collection::vec(0_u8..4, 1..30), first in 1_usize..8,
        ) {
            let scores: Vec<f64> = scores.into_iter().map(|score| f64::from(score) + 1.0).collect();
            let share = |scores: &[f64]| -> Vec<f64> {
                (0..scores.len()).filter_map(|row| Some(Rank::of(scores, row)?.within(first))).collect()
            };
            let shares = share(&scores);
            let given: f64 = shares.iter().sum();
            #[allow(clippy::cast_precision_loss, reason = "small")]
            let places = first.min(scores.len()) as f64;
            prop_assert!((given - places).abs() < 1e-9);
            let mut turned: Vec<f64> = scores.clone();
            turned.reverse();
            let mut back = share(&turned);
            back.reverse();
            prop_assert_eq!(shares, back);
        }
    }
}
