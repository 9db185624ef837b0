//! What a claim has to show: links, errors, versions, issues, days. It looks at one block, and at nothing else.

use super::block::Block;
use crate::skill::Instant;

/// What a block has to show for its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Whether there is any.
    pub(super) is_shown: bool,
    /// The days that stand there, but for those until which something holds.
    pub(super) days: Vec<Instant>,
    /// The days until which something holds.
    pub(super) until: Vec<Instant>,
}

/// Words of errors. They count in spans of code and quotations alone.
const ERRORS: [&str; 16] = [
    "error",
    "fail",
    "exception",
    "denied",
    "refused",
    "timeout",
    "timed out",
    "not found",
    "unknown",
    "invalid",
    "cannot",
    "traceback",
    "unauthorized",
    "forbidden",
    "panic",
    "no such",
];

/// Words before the day until which something holds, and such as may stand between.
const UNTIL: [&str; 9] = [
    "until",
    "till",
    "expires",
    "expire",
    "expiry",
    "through",
    "recheck",
    "re-check",
    "revalidate",
];
const BETWEEN: [&str; 5] = ["on", "at", "by", "after", "before"];

/// What a block has to show.
pub(super) fn evidence(block: &Block) -> Evidence {
    let mut found = Evidence::default();
    let whole = restored(&block.prose, &mut block.spans.iter());
    let words: Vec<&str> = whole.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let Some(day) = day(word) else { continue };
        let before = words.get(..at).unwrap_or_default().iter().rev().map(|word| bare(word));
        let mut before = before.skip_while(|word| BETWEEN.contains(&word.as_str()));
        if before.next().is_some_and(|word| UNTIL.contains(&word.as_str())) {
            found.until.push(day);
        } else {
            found.days.push(day);
        }
    }
    found.is_shown = !found.days.is_empty()
        || !found.until.is_empty()
        || whole.contains("http://")
        || whole.contains("https://")
        || whole.contains("](")
        || block.spans.iter().any(|span| is_error(span))
        || words.iter().any(|word| is_issue(word) || is_version(word))
        || words.windows(2).any(is_coded);
    found
}

/// A sentence with its spans in the places of their covers.
pub(super) fn restored<'a>(prose: &str, spans: &mut impl Iterator<Item = &'a String>) -> String {
    let mut whole = String::with_capacity(prose.len() * 2);
    for c in prose.chars() {
        match (c, c == super::block::COVER) {
            (_, true) => whole.extend(spans.next().map(String::as_str)),
            (c, false) => whole.push(c),
        }
    }
    whole
}

/// A word without the marks around it, lower case.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The first second of a day that is written `2026-05-28`.
pub(super) fn day(word: &str) -> Option<Instant> {
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let shape = word.len() == 10
        && word.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date: jiff::civil::Date = word.parse().ok().filter(|_| shape)?;
    let first = jiff::tz::Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
    Some(Instant(first.as_second()))
}

fn is_error(span: &str) -> bool {
    let lower = span.to_lowercase();
    // `ENOENT`, `EACCES`, and what libraries name alike.
    let code = |word: &str| {
        word.len() >= 5
            && word.starts_with('E')
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    ERRORS.iter().any(|error| lower.contains(error))
        || span.split(|c: char| !c.is_ascii_alphanumeric()).any(code)
}

/// `#1234`, `org/repo#12`.
fn is_issue(word: &str) -> bool {
    let number = word
        .rsplit_once('#')
        .map(|(_, number)| number.trim_end_matches(|c: char| !c.is_alphanumeric()));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `1.2.3`, `v2.0`, `v3`: no date, no share, no number of a list.
fn is_version(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let (marked, number) = match word.strip_prefix(['v', 'V']) {
        Some(number) => (true, number),
        None => (false, word),
    };
    let parts: Vec<&str> = number.split('.').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let whole = parts.len() >= if marked { 1 } else { 2 };
    whole
        && parts.first().is_some_and(digits)
        && parts.iter().skip(1).all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// `HTTP 403`, `exit code 1` by its last two words, `error 5`, `version 3`.
fn is_coded(pair: &[&str]) -> bool {
    let [name, number] = pair else { return false };
    let number = bare(number);
    let counts = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    counts && ["http", "code", "status", "error", "version"].contains(&bare(name).as_str())
}

#[cfg(test)]
mod tests {
    use super::{day, is_error, is_issue, is_version};
    use crate::skill::Instant;

    #[test]
    fn words_are_evidence_by_their_shape() {
        for (word, issue, version) in [
            ("#1234,", true, false),
            ("moby/moby#12)", true, false),
            ("C#", false, false),
            ("#heading", false, false),
            ("v2.0", false, true),
            ("(1.2.3-rc1)", false, true),
            ("v3", false, true),
            ("3", false, false),
            ("e.g", false, false),
            ("very", false, false),
        ] {
            assert_eq!((is_issue(word), is_version(word)), (issue, version), "{word}");
        }
    }

    #[test]
    fn spans_are_errors_by_their_words() {
        for (span, expected) in [
            ("`Permission denied`", true),
            ("\"connection refused\"", true),
            ("`ENOENT`", true),
            ("`docker build`", false),
            ("`EDITOR=vi`", true),
        ] {
            assert_eq!(is_error(span), expected, "{span}");
        }
    }

    #[test]
    fn days_are_of_the_calendar() {
        for (word, expected) in [
            ("2026-05-28", Some(1_779_926_400)),
            ("(2026-05-28).", Some(1_779_926_400)),
            ("2026-13-01", None),
            ("2026-5-28", None),
            ("2026-05-28T10:00", None),
        ] {
            assert_eq!(day(word), expected.map(Instant), "{word}");
        }
    }
}
