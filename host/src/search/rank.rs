//! The order of what was found. It must never look at a text but a name.
//!
//! First what counts: a live skill before one that another stands before, or that is broken. Then a name that is the query. Then by
//! words: each text has a BM25 of its own, and a name's weighs more than a description's, and that more than a body's. They are added
//! and not put into one, for in one the tenth mention in a body would weigh as much as the name. Use tells between what is alike.

use std::cmp::Ordering;

use super::{index::Asked, words::Words};
use crate::library::Library;

/// What BM25 counts for in a name, a description and a body.
const WEIGHTS: [f64; 3] = [16.0, 4.0, 1.0];

/// What the most used skill gains, as a share of what its words come to.
const MOST_GAIN: f64 = 0.2;

/// Uses that gain half of that.
const HALF_GAIN: f64 = 10.0;

/// A row that SQLite found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Match {
    pub(super) row: usize,
    /// BM25 in its name, its description and its body.
    pub(super) scores: [f64; 3],
}

/// A row in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    pub(super) row: usize,
    pub(super) score: f64,
    counts: bool,
    is_name: bool,
}

/// The rows in their order, which is the same for the same files and the same use.
pub(super) fn order(matches: Vec<Match>, asked: &Asked<'_>, library: &Library) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = matches
        .into_iter()
        .filter_map(|it| {
            let skill = library.skills.get(it.row)?;
            let named = it.scores.first().is_some_and(|score| *score > 0.0);
            Some(Ranked {
                row: it.row,
                score: score(it.scores, (asked.uses)(it.row)),
                counts: skill.is_live(),
                is_name: named && asked.query.is_name(&Words::of(skill.name.as_str())),
            })
        })
        .collect();
    ranked.sort_by(before);
    ranked
}

fn before(a: &Ranked, b: &Ranked) -> Ordering {
    let first = |it: &Ranked| (!it.counts, !it.is_name);
    first(a).cmp(&first(b)).then(b.score.total_cmp(&a.score)).then(a.row.cmp(&b.row))
}

fn score(scores: [f64; 3], uses: u64) -> f64 {
    let words: f64 = scores.iter().zip(WEIGHTS).map(|(score, weight)| score * weight).sum();
    // Beyond some millions one use more or less is none.
    let uses = f64::from(u32::try_from(uses).unwrap_or(u32::MAX));
    words * (1.0 + MOST_GAIN * uses / (uses + HALF_GAIN))
}

#[cfg(test)]
mod tests {
    use super::{MOST_GAIN, Ranked, before, score};

    #[test]
    fn use_tells_between_what_is_alike_and_no_more() {
        let words = [0.0, 1.0, 1.0];
        assert!(score(words, 1) > score(words, 0));
        assert!(score(words, 1_000) > score(words, 10));
        assert!(score(words, u64::MAX) <= score(words, 0) * (1.0 + MOST_GAIN));
        assert!(score([1.0, 0.0, 0.0], 0) > score([0.0, 1.0, 0.0], u64::MAX));
        assert!(score([0.0, 1.0, 0.0], 0) > score([0.0, 0.0, 1.0], u64::MAX));
        assert!(score([0.0; 3], u64::MAX).abs() < f64::EPSILON);
    }

    #[test]
    fn what_counts_is_first_then_the_name_then_the_score_then_the_row() {
        let of = |row, score, counts, is_name| Ranked { row, score, counts, is_name };
        let mut all = [
            of(5, 9.0, false, true),
            of(4, 1.0, true, false),
            of(3, 2.0, true, false),
            of(2, 2.0, true, false),
            of(1, 0.1, true, true),
            of(0, 99.0, false, false),
        ];
        all.sort_by(before);
        assert_eq!(all.iter().map(|it| it.row).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 0]);
    }
}
