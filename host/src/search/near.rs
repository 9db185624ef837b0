//! Names that somebody may have meant who found nothing. They are guesses for a hint: nothing is searched for on the strength of them.

use super::{query::Query, words::Words};
use crate::skill::nearest;

/// Names that are told.
const MOST: usize = 5;

/// How alike a word and a part of a name are at least, from 0 to 1, by Jaro and Winkler.
const ALIKE: f64 = 0.85;

/// Letters that a word has at least to be compared with parts of names: nearly all short ones are alike.
const LEAST: usize = 4;

/// The names that are most like a query: as a whole, or word by word; the likest first.
#[must_use]
pub fn near<'a>(query: &Query, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let words = query.words();
    let whole = words.join("-");
    let mut alike: Vec<(f64, &str)> = Vec::new();
    let mut all: Vec<&str> = names.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    for name in &all {
        let parts = Words::of(name).to_list();
        let by_part = words
            .iter()
            .filter(|word| word.chars().count() >= LEAST)
            .flat_map(|word| parts.iter().map(move |part| strsim::jaro_winkler(word, part)));
        let by_whole = strsim::jaro_winkler(&whole, &parts.join("-"));
        let best = by_part.chain([by_whole]).fold(0.0, f64::max);
        if best >= ALIKE {
            alike.push((best, name));
        }
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    alike.truncate(MOST);
    if alike.is_empty() && !query.is_empty() {
        return nearest(&whole, all).into_iter().collect();
    }
    alike.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::near;
    use crate::search::Query;

    #[test]
    fn names_are_near_as_a_whole_or_by_a_part() {
        let names = ["docker-build", "docker-compose", "invoice-check", "mail", "docker-build"];
        for (query, expected) in [
            ("dokcer-build", &["docker-build", "docker-compose"][..]),
            ("dokcer", &["docker-build", "docker-compose"]),
            ("invoces", &["invoice-check"]),
            ("mial", &["mail"]),
            ("zzz", &[]),
            ("", &[]),
            ("***", &[]),
        ] {
            assert_eq!(near(&Query::parse(query), names), expected, "{query}");
        }
    }
}
