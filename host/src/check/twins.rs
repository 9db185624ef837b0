//! Texts that are another's, whole or for the most part.
//!
//! Two texts are near when the share of their shingles that both have (Jaccard) reaches a threshold. It is computed
//! exactly, but not for all pairs: a pair is looked at if it has one of the [`SKETCH`] lowest hashes of both in common,
//! as nearly every pair that is near does. Each hash remembers its first [`HELD`] texts only, and each text is compared
//! with the [`TRIED`] that it shares most hashes with, so the work grows with the texts' length and never with the square
//! of their number. Nothing is drawn at random: the same library gives the same verdict.

use std::collections::HashMap;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{Look, finding::Draft, rule::Rule, words::words};
use crate::skill::Standing;

/// Lowest hashes of a text by which others are found.
const SKETCH: usize = 64;
/// Texts that one hash remembers.
const HELD: usize = 8;
/// Texts that one text is compared with.
const TRIED: usize = 8;

/// How a kind of text is compared.
struct Measure {
    /// Words of the longest shingle.
    longest: usize,
    /// Whether shorter shingles count too: a short text has too few long ones.
    and_shorter: bool,
    /// Words below which a text is too short to be anybody's.
    fewest: usize,
    /// The share of shingles from which on two texts are near.
    near: f64,
    /// The rules for equal and for near texts.
    rules: (Rule, Rule),
}

const BODIES: Measure = Measure {
    longest: 3,
    and_shorter: false,
    fewest: 20,
    near: 0.6,
    rules: (Rule::TwinBody, Rule::NearTwinBody),
};

const DESCRIPTIONS: Measure = Measure {
    longest: 2,
    and_shorter: true,
    fewest: 4,
    near: 0.6,
    rules: (Rule::TwinDescription, Rule::NearTwinDescription),
};

/// What is wrong with skills that are like others.
pub(super) fn judge(looks: &[Look<'_>], found: &mut Vec<Draft>) {
    let looks: Vec<&Look<'_>> = looks.iter().filter(|look| counts(look)).collect();
    let bodies: Vec<&str> =
        looks.iter().map(|look| look.page.map_or("", |page| page.body.as_str())).collect();
    let said: Vec<&str> = looks.iter().map(|look| look.description().unwrap_or("")).collect();
    compare(
        &looks,
        &bodies,
        &BODIES,
        |look| look.page.map_or(1, |page| page.header.body_line),
        found,
    );
    compare(&looks, &said, &DESCRIPTIONS, |look| look.line_of("description"), found);
}

/// A shadowed skill counts: that a copy is no longer one is the trouble with copies.
fn counts(look: &Look<'_>) -> bool {
    !matches!(look.skill.standing, Standing::Broken | Standing::Support { .. })
}

fn compare(
    looks: &[&Look<'_>],
    texts: &[&str],
    measure: &Measure,
    line: impl Fn(&Look<'_>) -> u32,
    found: &mut Vec<Draft>,
) {
    let sets: Vec<Shingles> = texts.par_iter().map(|text| Shingles::of(text, measure)).collect();
    let mut draft = |row: usize, other: usize, rule: Rule, cause: &str| {
        let (Some(look), Some(other)) = (looks.get(row), looks.get(other)) else { return };
        let cause = format!("{cause} `{}`", other.skill.qualified());
        let draft = Draft::new(look.row, rule, line(look), &cause);
        found.push(if measure.longest == DESCRIPTIONS.longest {
            draft.field("description")
        } else {
            draft
        });
    };
    // Texts that are equal stand for each other: only the first of them is compared with others.
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (row, set) in sets.iter().enumerate().filter(|(_, set)| set.words >= measure.fewest) {
        groups.entry(set.whole).or_default().push(row);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_unstable();
    // A shadowed skill with the same text is a true copy, and its name says so already.
    let is_live = |row: &&usize| looks.get(**row).is_some_and(|look| look.skill.is_live());
    for group in &groups {
        let live: Vec<usize> = group.iter().filter(is_live).copied().collect();
        let [first, second, ..] = live.as_slice() else { continue };
        let more = match live.len() {
            2 => String::new(),
            count => format!(" {} others, such as", count - 1),
        };
        for row in &live {
            let other = if row == first { second } else { first };
            draft(*row, *other, measure.rules.0, &format!("it is word for word that of{more}"));
        }
    }
    let firsts: Vec<usize> = groups.iter().filter_map(|group| group.first().copied()).collect();
    let sets: Vec<&Shingles> = firsts.iter().filter_map(|row| sets.get(*row)).collect();
    for (row, (other, share)) in nearest(&sets, measure.near)
        .into_iter()
        .enumerate()
        .filter_map(|(row, near)| Some((row, near?)))
    {
        let (Some(row), Some(other)) = (firsts.get(row), firsts.get(other)) else { continue };
        // Rounded down: only equal texts share everything.
        let percent = ((share * 100.0).floor() as u32).min(99);
        draft(*row, *other, measure.rules.1, &format!("it shares {percent} % with that of"));
    }
}

/// A text as the set of its shingles.
struct Shingles {
    /// Hashes of the shingles, sorted, each once.
    hashes: Vec<u64>,
    /// Hash of all words in their order.
    whole: u64,
    words: usize,
}

impl Shingles {
    fn of(text: &str, measure: &Measure) -> Shingles {
        let words: Vec<u64> = words(text).iter().map(|word| xxh3_64(word.as_bytes())).collect();
        let mix = |words: &[u64]| {
            words.iter().fold(0_u64, |mixed, word| {
                mixed.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word
            })
        };
        let shortest = if measure.and_shorter { 1 } else { measure.longest };
        let windows = |size: usize| words.windows(size).map(|window| spread(mix(window)));
        let mut hashes: Vec<u64> = (shortest..=measure.longest).flat_map(windows).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Shingles { hashes, whole: mix(&words), words: words.len() }
    }

    /// The share of all shingles of two texts that both have.
    fn share(&self, other: &Shingles) -> f64 {
        let (mut left, mut right) = (self.hashes.iter().peekable(), other.hashes.iter().peekable());
        let mut both = 0_usize;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    both += 1;
                    left.next();
                    right.next();
                }
            }
        }
        let all = self.hashes.len() + other.hashes.len() - both;
        if all == 0 { 0.0 } else { both as f64 / all as f64 }
    }
}

/// Spreads a hash over all its bits, so that the lowest hashes are a fair sample.
fn spread(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// For each text the nearest other one, with the share, if any is near. Of equally near ones it is the first.
fn nearest(sets: &[&Shingles], near: f64) -> Vec<Option<(usize, f64)>> {
    let mut best: Vec<Option<(usize, f64)>> = vec![None; sets.len()];
    let mut held: HashMap<u64, Vec<u32>> = HashMap::new();
    for (row, set) in sets.iter().enumerate() {
        let mut common: HashMap<u32, u32> = HashMap::new();
        for hash in set.hashes.iter().take(SKETCH) {
            let rows = held.entry(*hash).or_default();
            for other in rows.iter() {
                *common.entry(*other).or_default() += 1;
            }
            if rows.len() < HELD {
                rows.push(u32::try_from(row).unwrap_or(u32::MAX));
            }
        }
        let mut tried: Vec<(u32, u32)> = common.into_iter().collect();
        tried.sort_unstable_by_key(|(other, count)| (std::cmp::Reverse(*count), *other));
        tried.truncate(TRIED);
        tried.sort_unstable();
        for (other, _) in tried {
            let other = other as usize;
            let Some(held) = sets.get(other) else { continue };
            let (short, long) =
                (set.hashes.len().min(held.hashes.len()), set.hashes.len().max(held.hashes.len()));
            if (short as f64) < near * long as f64 {
                continue;
            }
            let share = set.share(held);
            if share >= near {
                for (row, other) in [(row, other), (other, row)] {
                    if let Some(best) = best.get_mut(row)
                        && best.is_none_or(|(_, held)| share > held)
                    {
                        *best = Some((other, share));
                    }
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn text(words: impl IntoIterator<Item = usize>) -> String {
        words.into_iter().map(|word| format!("w{word} ")).collect()
    }

    fn near(texts: &[String]) -> Vec<Option<(usize, f64)>> {
        let sets: Vec<Shingles> = texts.iter().map(|text| Shingles::of(text, &BODIES)).collect();
        nearest(&sets.iter().collect::<Vec<_>>(), BODIES.near)
    }

    #[test]
    fn the_share_is_that_of_all_shingles() {
        let shingles = |text: &str| Shingles::of(text, &DESCRIPTIONS);
        for (left, right, share) in [
            ("a b", "a b", 1.0),
            ("a b", "A, b!", 1.0),
            ("a b", "c d", 0.0),
            ("a b c", "a b d", 3.0 / 7.0),
            ("", "", 0.0),
        ] {
            assert_eq!(shingles(left).share(&shingles(right)), share, "{left} {right}");
        }
    }

    #[test]
    fn the_nearest_of_several_is_found_and_strangers_have_none() {
        let changed =
            |every: usize| text((0..300).map(|n| if n % every == 0 { n + 1_000 } else { n }));
        let texts = [text(0..300), text(5_000..5_300), changed(60), changed(30), text(0..40)];
        let rows: Vec<Option<usize>> =
            near(&texts).into_iter().map(|best| best.map(|(row, _)| row)).collect();
        assert_eq!(rows, [Some(2), None, Some(0), Some(2), None]);
    }

    #[test]
    fn ten_thousand_texts_that_are_nearly_equal_are_not_compared_pair_by_pair() {
        let texts: Vec<String> = (0..10_000).map(|n| text((0..60).chain([n + 1_000]))).collect();
        let best = near(&texts);
        assert!(best.iter().all(Option::is_some));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What is found by sketches is what a comparison of all pairs finds.
        #[test]
        fn no_pair_that_is_near_is_missed(changes in proptest::collection::vec(proptest::collection::vec(0..120_usize, 0..12), 2..7)) {
            let texts: Vec<String> = changes
                .iter()
                .enumerate()
                .map(|(row, at)| text((0..120).map(|n| if at.contains(&n) { 1_000 * (row + 1) + n } else { n })))
                .collect();
            let sets: Vec<Shingles> = texts.iter().map(|text| Shingles::of(text, &BODIES)).collect();
            for (row, found) in near(&texts).into_iter().enumerate() {
                let others = (0..sets.len()).filter(|other| *other != row).map(|other| sets[row].share(&sets[other]));
                let best = others.fold(0.0, f64::max);
                prop_assert_eq!(found.map(|(_, share)| share), (best >= BODIES.near).then_some(best));
            }
        }
    }
}
