//! The name that somebody may have meant. It guesses for a hint, and nothing may be done on the strength of it.

/// How alike two words are at least, by Jaro and Winkler, to be taken for one another.
const ALIKE: f64 = 0.75;

/// The known word that is most like this one, if any is like it; of equals, the first in the alphabet.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|known| (strsim::jaro_winkler(known, word), known))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_likest_word_is_taken_or_none() {
        let known = ["linux", "macos", "windows"];
        for (word, near) in [
            ("linus", Some("linux")),
            ("widnows", Some("windows")),
            ("mac", Some("macos")),
            ("plan9", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), near, "{word}");
        }
        assert_eq!(nearest("ax", ["ac", "ab"]), nearest("ax", ["ab", "ac"]));
    }
}
