//! From a text to the words that are compared. It knows no skill, only how scripts are written.
//!
//! Compatibility forms are composed (NFKC) and lowered; letters and digits make words, everything else parts them. Scripts
//! that put no spaces between words (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese) give every two neighbours as a word, and a
//! letter that stands alone as itself. Nothing is stemmed: `image` is not `images`, for every rule alike.

use unicode_normalization::UnicodeNormalization as _;

use crate::skill::is_dense;

/// English words that say nothing of what a text is about. Other languages' have low weights by their frequency alone.
const STOP: [&str; 64] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "before",
    "but", "by", "can", "do", "does", "for", "from", "has", "have", "how", "i", "if", "in", "into",
    "is", "it", "its", "me", "my", "need", "needs", "no", "not", "of", "on", "or", "our", "should",
    "so", "that", "the", "their", "then", "these", "they", "this", "to", "use", "used", "using",
    "want", "was", "we", "what", "when", "where", "which", "will", "with", "you", "your",
];

/// The words of a text that tell what it is about, in their order.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut words = all_words(text);
    words.retain(|word| STOP.binary_search(&word.as_str()).is_err());
    words
}

/// All words of a text, in their order.
#[must_use]
pub fn all_words(text: &str) -> Vec<String> {
    let (mut words, mut spaced, mut dense) = (Vec::new(), String::new(), Vec::new());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if is_dense(c) {
            end_spaced(&mut spaced, &mut words);
            dense.push(c);
        } else {
            end_dense(&mut dense, &mut words);
            if c.is_alphanumeric() || is_mark(c) {
                spaced.push(c);
            } else {
                end_spaced(&mut spaced, &mut words);
            }
        }
    }
    end_spaced(&mut spaced, &mut words);
    end_dense(&mut dense, &mut words);
    words
}

fn end_spaced(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn end_dense(run: &mut Vec<char>, words: &mut Vec<String>) {
    match run.as_slice() {
        [] => {}
        [one] => words.push(one.to_string()),
        run => words.extend(run.windows(2).map(|two| two.iter().collect::<String>())),
    }
    run.clear();
}

/// Accents that compose with no letter belong to the word that they stand in.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{94f}' | '\u{1ab0}'..='\u{1aff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_in_order_so_that_they_can_be_looked_up() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn texts_become_words() {
        for (text, expected) in [
            ("Use this when the Docker-build is slow!", "docker build slow"),
            ("C++20, naïve ＰＤＦ ﬁles", "c 20 naïve pdf files"),
            ("業務メールを書く", "業務 務メ メー ール ルを を書 書く"),
            ("PDFを読む", "pdf を読 読む"),
            ("本 a 本", "本 本"),
            ("한국어 문서", "한국 국어 문서"),
            ("ÉCOLE e\u{301}cole", "école école"),
            ("हिन्दी में", "हिन्दी में"),
            ("", ""),
            ("--- *** `the`", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }
}
