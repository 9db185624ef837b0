//! Texts as words, so that texts can be compared. It must never know what a text is for.

/// The words of a text, lower case. A letter of a script that is written without spaces is a word by itself.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut word = String::new();
    for c in text.chars() {
        let single = is_single(c);
        if c.is_alphanumeric() && !single {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if single {
            words.push(c.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether a letter belongs to a script without spaces: Han, kana, Thai, Lao, Khmer, Myanmar.
pub(super) fn is_single(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

/// The first scalars of a text, at most so many.
pub(super) fn head(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_letters_without_spaces_stand_alone() {
        for (text, found) in [
            ("Use `docker-build`, NOW.", vec!["use", "docker", "build", "now"]),
            ("日本 and 語", vec!["日", "本", "and", "語"]),
            ("Größe ΣΑΣ", vec!["größe", "σασ"]),
            ("한국어 글", vec!["한국어", "글"]),
            (" .,! ", vec![]),
        ] {
            assert_eq!(words(text), found, "{text}");
        }
        assert_eq!((head("日本語", 2), head("ab", 5), head("", 1)), ("日本", "ab", ""));
    }
}
