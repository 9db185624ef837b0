//! BM25 over a few thousand short texts, as Robertson and Zaragoza give it in "The Probabilistic Relevance Framework" (2009), with
//! the weight of a word as Lucene has it, which is never negative: `ln(1 + (N - n + 0.5) / (n + 0.5))`. N and n count
//! the texts that are visible, no others.

use std::collections::HashMap;

use super::{rank::Rank, words::words};

/// How soon more of the same word says nothing more.
pub const K1: f64 = 1.2;
/// How much a text's length counts against it, from 0 to 1.
pub const B: f64 = 0.75;

/// Texts, ready to be asked. A row may have no text: it can't be found then, and counts nowhere.
#[derive(Clone, Debug)]
pub struct Bm25 {
    /// For each word, the rows that have it, with what it is worth there.
    worth: HashMap<String, Vec<(usize, f64)>>,
    rows: usize,
}

impl Bm25 {
    /// Reads the texts.
    #[must_use]
    pub fn new<T: AsRef<str>>(texts: &[Option<T>]) -> Bm25 {
        Bm25::with(texts, K1, B)
    }

    /// As [`Bm25::new`], with other constants.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^53")]
    pub fn with<T: AsRef<str>>(texts: &[Option<T>], k1: f64, b: f64) -> Bm25 {
        let split: Vec<(usize, Vec<String>)> = texts
            .iter()
            .enumerate()
            .filter_map(|(row, text)| Some((row, words(text.as_ref()?.as_ref()))))
            .collect();
        let all: usize = split.iter().map(|(_, words)| words.len()).sum();
        let average = all as f64 / split.len().max(1) as f64;
        // Times of each word by row, rows in their order.
        let mut times: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = vec![0.0; texts.len()];
        for (row, words) in &split {
            if let Some(length) = lengths.get_mut(*row) {
                *length = words.len() as f64;
            }
            for word in words {
                match times.get_mut(word) {
                    Some(rows) => match rows.last_mut() {
                        Some((last, times)) if last == row => *times += 1.0,
                        _ => rows.push((*row, 1.0)),
                    },
                    None => {
                        times.insert(word.clone(), vec![(*row, 1.0)]);
                    }
                }
            }
        }
        let n = split.len() as f64;
        #[allow(clippy::iter_over_hash_type, reason = "each word by itself, in any order")]
        for rows in times.values_mut() {
            let having = rows.len() as f64;
            let weight = (1.0 + (n - having + 0.5) / (having + 0.5)).ln();
            for (row, times) in rows {
                let length = lengths.get(*row).copied().unwrap_or(0.0) / average;
                let often = *times * (k1 + 1.0) / (*times + k1 * (1.0 - b + b * length));
                *times = weight * often;
            }
        }
        Bm25 { worth: times, rows: texts.len() }
    }

    /// The score of every row; 0 for those that have none of the query's words. A word that is asked for twice counts once.
    #[must_use]
    pub fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.rows];
        let asked = words(query);
        for (at, word) in asked.iter().enumerate() {
            if asked.iter().take(at).any(|before| before == word) {
                continue;
            }
            for (row, worth) in self.worth.get(word).map_or(&[][..], Vec::as_slice) {
                if let Some(score) = scores.get_mut(*row) {
                    *score += worth;
                }
            }
        }
        scores
    }

    /// The rank of a row for a query; none if it has none of its words.
    #[must_use]
    pub fn rank(&self, query: &str, row: usize) -> Option<Rank> {
        Rank::of(&self.scores(query), row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reckoned by hand. Three texts of 2, 4 and 2 words, 8/3 on average; `pdf` in two of them: ln(1 + 1.5/2.5) = ln 1.6;
    /// `mail` in one: ln(1 + 2.5/1.5) = ln(8/3). Lengths over the average: 0.75, 1.5, 0.75, so that the divisor's
    /// k1·(1 - b + b·length) is 0.975, 1.65, 0.975.
    #[test]
    fn scores_are_those_of_the_formula() {
        let texts =
            [Some("pdf forms"), Some("pdf pdf scans ocr"), Some("mail drafts"), None::<&str>];
        let found = Bm25::new(&texts);
        let (ln_pdf, ln_mail) = (0.470_003_629_245_735_5, 0.980_829_253_011_726_3);
        for (query, expected) in [
            ("pdf", [ln_pdf * 2.2 / 1.975, ln_pdf * 4.4 / 3.65, 0.0, 0.0]),
            ("the PDF, a pdf", [ln_pdf * 2.2 / 1.975, ln_pdf * 4.4 / 3.65, 0.0, 0.0]),
            ("pdf mail", [ln_pdf * 2.2 / 1.975, ln_pdf * 4.4 / 3.65, ln_mail * 2.2 / 1.975, 0.0]),
            ("nothing", [0.0; 4]),
            ("", [0.0; 4]),
        ] {
            for (got, expected) in found.scores(query).into_iter().zip(expected) {
                assert!((got - expected).abs() < 1e-12, "{query}: {got} for {expected}");
            }
        }
        assert_eq!(found.scores("pdf").map_to_text(), ["0.5235", "0.5666", "0.0000", "0.0000"]);
    }

    trait MapToText {
        fn map_to_text(self) -> Vec<String>;
    }

    impl MapToText for Vec<f64> {
        fn map_to_text(self) -> Vec<String> {
            self.into_iter().map(|score| format!("{score:.4}")).collect()
        }
    }

    #[test]
    fn no_texts_and_empty_texts_find_nothing() {
        assert_eq!(Bm25::new::<&str>(&[]).scores("x"), Vec::<f64>::new());
        assert_eq!(Bm25::new(&[Some(""), None]).scores("x"), [0.0, 0.0]);
        assert_eq!(Bm25::new(&[Some("x")]).rank("x", 9), None);
    }
}
