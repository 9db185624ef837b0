//! Text that may reach a prompt or a terminal.

use serde::{Deserialize, Serialize};

/// One line of text: no control characters, no line breaks, no direction overrides, no invisible letters, trimmed, of
/// bounded length. The law `one-line` is this type: whatever is printed of a skill or a policy has gone through it.
///
/// The joiners U+200C and U+200D stay, since Persian words and emoji need them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OneLine(Box<str>);

/// Unicode scalars that are kept of a text where nothing smaller is asked for.
const DEFAULT_CAP: usize = 4096;

impl OneLine {
    /// Makes one line of any text: white space runs become one space, what must not be printed is left out.
    #[must_use]
    pub fn new(text: &str) -> OneLine {
        OneLine::capped(text, DEFAULT_CAP)
    }

    /// As [`OneLine::new`], and cut after `cap` Unicode scalars.
    #[must_use]
    pub fn capped(text: &str, cap: usize) -> OneLine {
        if text.len() <= cap && is_plain(text) {
            return OneLine(text.into());
        }
        let mut line = String::with_capacity(text.len().min(cap.saturating_mul(4)));
        let mut count = 0;
        let mut gap = false;
        for c in text.chars() {
            if c.is_whitespace() || is_line_break(c) {
                gap = true;
            } else if is_printed(c) {
                if gap && count > 0 {
                    if count + 1 >= cap {
                        break;
                    }
                    line.push(' ');
                    count += 1;
                }
                gap = false;
                if count >= cap {
                    break;
                }
                line.push(c);
                count += 1;
            }
        }
        OneLine(line.into_boxed_str())
    }

    /// The text, if there is any left.
    #[must_use]
    pub fn some(text: &str) -> Option<OneLine> {
        let line = OneLine::new(text);
        (!line.is_empty()).then_some(line)
    }

    /// Whether a scalar is left out of every line since nobody would see it, or it would reorder what is seen. White
    /// space is not, for it becomes a space.
    #[must_use]
    pub fn is_unseen(c: char) -> bool {
        !c.is_whitespace() && !is_line_break(c) && !is_printed(c)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without a copy.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0.into_string()
    }

    /// Whether nothing is left of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for OneLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&str> for OneLine {
    fn from(text: &str) -> OneLine {
        OneLine::new(text)
    }
}

/// Whether a text is one line already, told by its bytes: most are.
fn is_plain(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        let printed = (b' '..=b'~').contains(&byte) && !(byte == b' ' && before == b' ');
        if !printed {
            return false;
        }
        before = byte;
    }
    text.is_empty() || before != b' '
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{85}')
}

/// Whether a scalar may be printed. Left out: C0 and C1 controls, zero-width space and its kin, direction marks and
/// overrides (they reorder a terminal's line), tags and variation selectors beyond the basic ones (they carry unseen text).
fn is_printed(c: char) -> bool {
    !(c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'))
}

#[cfg(test)]
mod tests {
    use super::OneLine;

    #[test]
    fn what_must_not_be_printed_is_left_out() {
        for (given, kept) in [
            ("plain", "plain"),
            ("  two\n\tlines \r\n", "two lines"),
            ("bell\u{7}, escape \u{1b}[31mred", "bell, escape [31mred"),
            ("next\u{85}line\u{2028}and\u{2029}paragraph", "next line and paragraph"),
            ("ab\u{200b}c\u{feff}d\u{2060}e", "abcde"),
            ("\u{202e}evil\u{202c} \u{2066}x\u{2069}", "evil x"),
            ("tag\u{e0041}\u{e0042}s", "tags"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩\u{200d}🔧 ❤\u{fe0f}", "👩\u{200d}🔧 ❤\u{fe0f}"),
            ("Vec<T> & co", "Vec<T> & co"),
            ("", ""),
            (" \u{0} ", ""),
        ] {
            assert_eq!(OneLine::new(given).as_str(), kept, "{given:?}");
        }
    }

    #[test]
    fn the_cap_counts_scalars_and_never_ends_in_a_space() {
        for (cap, kept) in [(0, ""), (1, "a"), (3, "ab"), (4, "ab c"), (9, "ab c日本")] {
            assert_eq!(OneLine::capped("ab c日本", cap).as_str(), kept, "{cap}");
        }
    }
}
