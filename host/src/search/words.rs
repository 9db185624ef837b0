//! From a text to its words, for what is stored and for what is asked alike. It knows no skill and no query.
//!
//! Letters and digits make words, and everything else parts them. Case, compatibility forms and accents on Latin letters make no
//! difference. Of scripts that put no spaces between words each letter is a word of its own, so that whatever is asked in them is a
//! phrase of letters, found wherever it stands. What SQLite is given has a space between any two words and nothing else but them,
//! so that its own rules for parting words never decide anything.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use crate::skill::{OneLine, is_dense};

/// Unicode scalars of a word that count: what is longer is no word of anybody's, and found by its beginning.
const LONGEST: usize = 64;

/// The words of a text, with where each stands in it.
#[derive(Debug, Default)]
pub(super) struct Words {
    all: String,
    list: Vec<(Range<usize>, Range<usize>)>,
}

impl Words {
    /// Reads a text.
    pub(super) fn of(text: &str) -> Words {
        let mut words = Words::default();
        each(text, &mut |word, at| {
            let from = words.all.len();
            words.all.push_str(word);
            words.list.push((from..words.all.len(), at));
        });
        words
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// A word, by its number.
    pub(super) fn get(&self, number: usize) -> Option<&str> {
        self.all.get(self.list.get(number)?.0.clone())
    }

    /// Where a word stands in the text, in bytes.
    pub(super) fn at(&self, number: usize) -> Option<Range<usize>> {
        Some(self.list.get(number)?.1.clone())
    }

    /// The words by themselves.
    pub(super) fn to_list(&self) -> Vec<String> {
        (0..self.len()).filter_map(|number| self.get(number)).map(str::to_owned).collect()
    }
}

/// The words of a text with a space between them: as they are stored.
pub(super) fn spaced(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    each(text, &mut |word, _| {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(word);
    });
    all
}

/// Calls for each word of a text, with where it stands in bytes.
fn each(text: &str, take: &mut dyn FnMut(&str, Range<usize>)) {
    let mut maker = Maker { take, word: String::new(), scalars: 0, at: 0..0 };
    let mut rest = text.char_indices().peekable();
    while let Some((from, c)) = rest.next() {
        let mut to = from + c.len_utf8();
        if c.is_ascii() {
            // Most of most texts; what joins with a letter of these is dropped or pushed when its turn comes.
            if c.is_ascii_alphanumeric() {
                maker.push(c.to_ascii_lowercase(), from..to);
            } else {
                maker.end();
            }
            continue;
        }
        while let Some((_, next)) = rest.next_if(|(_, next)| joins(*next)) {
            to += next.len_utf8();
        }
        maker.cluster(text.get(from..to).unwrap_or_default(), from..to);
    }
    maker.end();
}

/// Whether a scalar is written together with the one before it.
fn joins(c: char) -> bool {
    !c.is_ascii()
        && (is_combining_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{ff9e}' | '\u{ff9f}'))
}

/// Words in the making.
struct Maker<'t> {
    take: &'t mut dyn FnMut(&str, Range<usize>),
    word: String,
    scalars: usize,
    at: Range<usize>,
}

impl Maker<'_> {
    fn push(&mut self, c: char, at: Range<usize>) {
        if self.scalars == 0 {
            self.at.start = at.start;
        }
        self.at.end = at.end;
        if self.scalars < LONGEST {
            self.word.push(c);
        }
        self.scalars += 1;
    }

    fn end(&mut self) {
        if self.scalars > 0 {
            (self.take)(&self.word, self.at.clone());
            self.word.clear();
            self.scalars = 0;
        }
    }

    /// A letter with all that joins it, or anything else that isn't ASCII.
    fn cluster(&mut self, cluster: &str, at: Range<usize>) {
        let mut latin = self.scalars > 0 && self.word.ends_with(|c: char| c.is_ascii_alphabetic());
        let folded = cluster.nfkd().filter(|c| {
            let accent = latin && matches!(c, '\u{300}'..='\u{36f}');
            if !accent {
                latin = c.is_ascii_alphabetic();
            }
            !accent && !is_dropped(*c)
        });
        let folded: String = folded.collect();
        if folded.is_empty() {
            // What nobody sees, or an accent, parts no word.
            if self.scalars > 0 {
                self.at.end = at.end;
            }
            return;
        }
        for c in folded.nfc().flat_map(char::to_lowercase) {
            match (c.is_alphanumeric() || is_combining_mark(c), is_dense(c)) {
                (false, _) => self.end(),
                (true, false) => self.push(c, at.clone()),
                (true, true) => {
                    self.end();
                    self.push(c, at.clone());
                    self.end();
                }
            }
        }
    }
}

/// What is left out wherever it stands: what nobody sees, and how a letter is to be drawn.
fn is_dropped(c: char) -> bool {
    OneLine::is_unseen(c) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20ff}')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use proptest::prelude::*;

    use super::{Words, spaced};

    #[test]
    fn texts_become_words() {
        for (text, words) in [
            ("Wrong-book, POL-358!", "wrong book pol 358"),
            ("snake_case camelCase C++20", "snake case camelcase c 20"),
            ("Café cafe\u{301} CAFÉ İstanbul", "cafe cafe cafe istanbul"),
            ("ﬁles ＰＤＦ ½ Straße", "files pdf 1 2 straße"),
            ("й ѐ ά", "й ѐ ά"),
            ("PPT模板2024年", "ppt 模 板 2024 年"),
            ("秃发", "秃 发"),
            ("ガ か\u{3099} ｶﾞ", "ガ が ガ"),
            ("한국어 \u{1112}\u{1161}\u{11ab}", "한 국 어 한"),
            ("हिन्दी में", "हिन्दी में"),
            ("ที่", "ท ี ่"),
            ("soft\u{ad}hyphen zero\u{200b}width", "softhyphen zerowidth"),
            ("1\u{fe0f}\u{20e3} 🔧 ❤\u{fe0f}", "1"),
            ("", ""),
            ("--- *** \"()\" \u{0}\n", ""),
        ] {
            assert_eq!(spaced(text), words, "{text:?}");
        }
        assert_eq!(spaced(&"x".repeat(5_000)).len(), super::LONGEST);
    }

    #[test]
    fn each_word_knows_where_it_stands() {
        let text = "Übung: e\u{301}cole, PPT模板.";
        let words = Words::of(text);
        let parts = |words: &Words| -> Vec<String> {
            (0..words.len()).map(|n| text[words.at(n).unwrap_or_default()].to_owned()).collect()
        };
        assert_eq!(parts(&words), ["Übung", "e\u{301}cole", "PPT", "模", "板"]);
        assert_eq!(words.to_list(), ["ubung", "ecole", "ppt", "模", "板"]);
        assert_eq!((words.get(9), words.at(9)), (None, None));
    }

    proptest! {
        #[test]
        fn words_are_clean_and_in_place_and_stay_as_they_are(text in ".{0,60}") {
            let words = Words::of(&text);
            let mut before = 0;
            for number in 0..words.len() {
                let (word, at) = (words.get(number).unwrap_or_default(), words.at(number).unwrap_or_default());
                prop_assert!(!word.is_empty() && !word.contains(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()));
                prop_assert!(text.get(at.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert!(before <= at.start);
                before = at.start;
            }
            prop_assert_eq!(words.to_list().join(" "), spaced(&text));
        }
    }
}
