//! Where a file's header ends and its body begins. It must never look into either.

use std::ops::Range;

/// Bytes of a header that are read. Real headers are below 4 KiB; what is beyond this cap is said to be too long.
pub(super) const HEADER_CAP: usize = 64 * 1024;

/// What kind of opening a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// No line of three hyphens at the start.
    None,
    /// A header with both its lines.
    Closed,
    /// A header with both its lines, and more bytes between them than are read.
    TooLong,
    /// A header whose second line is missing.
    Unclosed,
}

/// A file, cut up: ranges of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) opening: Opening,
    /// What is read as header, without its lines of hyphens; it begins on line 2.
    pub(super) header: Range<usize>,
    /// What a reader is shown: everything after the header, byte for byte.
    pub(super) body: Range<usize>,
}

/// Cuts a file up. One byte-order mark in front is no part of it; one further down is text.
pub(super) fn split(bytes: &[u8]) -> Parts {
    let start = if bytes.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let none = Parts { opening: Opening::None, header: start..start, body: start..bytes.len() };
    let mut lines = Lines { bytes, at: start };
    match lines.next() {
        Some(line) if is_fence(bytes, &line) => {}
        _ => return none,
    }
    let header = lines.at;
    let cap = header.saturating_add(HEADER_CAP);
    // The last line that ends within the cap: a line is never read in half.
    let mut within = header;
    while let Some(line) = lines.next() {
        if is_fence(bytes, &line) {
            let too_long = line.start > cap;
            return Parts {
                opening: if too_long { Opening::TooLong } else { Opening::Closed },
                header: header..if too_long { within } else { line.start },
                body: lines.at..bytes.len(),
            };
        }
        if lines.at <= cap {
            within = lines.at;
        }
    }
    Parts { opening: Opening::Unclosed, header: header..within, body: start..bytes.len() }
}

/// Whether a line is three hyphens and nothing else but white space after them.
fn is_fence(bytes: &[u8], line: &Range<usize>) -> bool {
    let line = bytes.get(line.clone()).unwrap_or_default();
    line.strip_prefix(b"---").is_some_and(|rest| rest.trim_ascii_end().is_empty())
}

/// Lines without their ends, as ranges; `at` is where the next one begins.
struct Lines<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = rest.iter().position(|byte| *byte == b'\n');
        self.at = start + length.map_or(rest.len(), |length| length + 1);
        Some(start..start + length.unwrap_or(rest.len()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::*;

    #[test]
    fn a_header_is_what_stands_between_two_lines_of_hyphens() {
        use Opening::{Closed, None, Unclosed};
        for (file, opening, header, body) in [
            ("---\na: 1\n---\ntext\n", Closed, "a: 1\n", "text\n"),
            ("\u{feff}---\na: 1\n---\n\u{feff}text", Closed, "a: 1\n", "\u{feff}text"),
            ("---\r\na: 1\r\n---\r\ntext\r\n", Closed, "a: 1\r\n", "text\r\n"),
            ("--- \t\na: 1\n---   \nx", Closed, "a: 1\n", "x"),
            ("---\na: 1\n---", Closed, "a: 1\n", ""),
            ("---\n---\nx", Closed, "", "x"),
            (
                "---\na: \"x --- y\"\n---\np\n\n---\n\nq\n---\n",
                Closed,
                "a: \"x --- y\"\n",
                "p\n\n---\n\nq\n---\n",
            ),
            ("---\na: |\n  ---\n  x\n---\nb", Closed, "a: |\n  ---\n  x\n", "b"),
            ("---\na: 1\n----\n...\n", Unclosed, "a: 1\n----\n...\n", "---\na: 1\n----\n...\n"),
            ("---", Unclosed, "", "---"),
            ("----\na: 1\n---\n", None, "", "----\na: 1\n---\n"),
            ("---x\n---\n", None, "", "---x\n---\n"),
            ("\n---\na: 1\n---\n", None, "", "\n---\na: 1\n---\n"),
            ("text", None, "", "text"),
            ("", None, "", ""),
            ("\u{feff}", None, "", ""),
        ] {
            let parts = split(file.as_bytes());
            assert_eq!(
                (parts.opening, &file[parts.header], &file[parts.body]),
                (opening, header, body),
                "{file:?}"
            );
        }
    }

    #[test]
    fn a_header_is_read_up_to_the_cap_in_whole_lines() {
        for lines in [100, 2_600, 4_000] {
            let header = "k: 0123456789012\n".repeat(lines);
            let parts = split(format!("---\n{header}---\nbody").as_bytes());
            let long = header.len() > HEADER_CAP;
            assert_eq!(parts.opening == Opening::TooLong, long, "{lines}");
            assert_eq!(parts.header.len(), if long { HEADER_CAP / 17 * 17 } else { header.len() });
            assert_eq!(parts.body.len(), 4);
        }
    }
}
