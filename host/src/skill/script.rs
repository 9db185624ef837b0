//! How scripts are written, as far as it says where a word ends.

/// Whether a letter is of a script that is written without spaces between words, or whose words are found by their parts:
/// Han, Kana, Hangul, Thai, Lao, Khmer, Burmese.
#[must_use]
pub fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}
