//! `--now`: the time that decisions are made for. It steers decisions only; events are stamped by the real clock.

use jiff::{Timestamp, civil};

use crate::skill::{Instant, OneLine};

/// Why a text is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NowError {
    /// Neither of the two forms.
    #[error(
        "`{found}` is no time: RFC 3339, such as `2026-08-13T12:00:00Z`, or Unix seconds were expected"
    )]
    NoTime {
        /// What was given.
        found: OneLine,
    },
    /// A date and a time, and nothing says where.
    #[error("`{found}` has no offset, and RFC 3339 wants one")]
    NoOffset {
        /// What was given.
        found: OneLine,
    },
    /// Seconds that no calendar has.
    #[error("`{found}` seconds are no time: the year 9999 ends at 253402207200")]
    OutOfRange {
        /// What was given.
        found: OneLine,
    },
}

impl NowError {
    /// What to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            NowError::NoTime { .. } => "--now 2026-08-13T12:00:00Z".to_owned(),
            NowError::NoOffset { found } if found.as_str().contains([':', 'T']) => {
                format!("for UTC: --now {}Z", found.as_str().replace(' ', "T"))
            }
            NowError::NoOffset { found } => format!("for UTC: --now {found}T00:00:00Z"),
            NowError::OutOfRange { .. } => {
                "are they milliseconds? leave the last three digits out".to_owned()
            }
        }
    }
}

/// Reads a time: RFC 3339 with an offset, or seconds since 1970. A fraction of a second is dropped.
///
/// # Errors
/// Where it is neither, or outside the calendar.
pub fn parse_now(text: &str) -> Result<Instant, NowError> {
    let text = text.trim();
    let found = || OneLine::capped(text, 60);
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        let seconds = timestamp.as_nanosecond().div_euclid(1_000_000_000);
        return i64::try_from(seconds)
            .map(Instant)
            .map_err(|_| NowError::OutOfRange { found: found() });
    }
    if let Some(whole) = unix_seconds(text) {
        return whole
            .parse::<i64>()
            .ok()
            .filter(|seconds| Timestamp::from_second(*seconds).is_ok())
            .map(Instant)
            .ok_or(NowError::OutOfRange { found: found() });
    }
    Err(match text.parse::<civil::DateTime>() {
        Ok(_) => NowError::NoOffset { found: found() },
        Err(_) => NowError::NoTime { found: found() },
    })
}

/// The whole part of a plain number. `1e9` or `.5` is none: a typing slip must not become 1970.
fn unix_seconds(text: &str) -> Option<&str> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(digits) && is_number(fraction)).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::parse_now;
    use crate::skill::Instant;

    #[test]
    fn a_time_is_rfc_3339_or_unix_seconds() {
        for (text, seconds) in [
            ("2026-08-13T12:00:00Z", 1_786_622_400),
            ("2026-08-13T12:00:00.75Z", 1_786_622_400),
            ("2026-08-13 14:00:00+02:00", 1_786_622_400),
            ("1786622400", 1_786_622_400),
            (" 1786622400.9 ", 1_786_622_400),
            ("20260813", 20_260_813),
            ("0", 0),
            ("-86400", -86_400),
        ] {
            assert_eq!(parse_now(text), Ok(Instant(seconds)), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_a_hint() {
        for (text, message, hint) in [
            (
                "2026-08-13T12:00:00",
                "`2026-08-13T12:00:00` has no offset, and RFC 3339 wants one",
                "for UTC: --now 2026-08-13T12:00:00Z",
            ),
            (
                "2026-08-13",
                "`2026-08-13` has no offset, and RFC 3339 wants one",
                "for UTC: --now 2026-08-13T00:00:00Z",
            ),
            (
                "yesterday",
                "`yesterday` is no time: RFC 3339, such as `2026-08-13T12:00:00Z`, or Unix seconds were expected",
                "--now 2026-08-13T12:00:00Z",
            ),
            (
                "",
                "`` is no time: RFC 3339, such as `2026-08-13T12:00:00Z`, or Unix seconds were expected",
                "--now 2026-08-13T12:00:00Z",
            ),
            (
                "1e9",
                "`1e9` is no time: RFC 3339, such as `2026-08-13T12:00:00Z`, or Unix seconds were expected",
                "--now 2026-08-13T12:00:00Z",
            ),
            (
                "1786622400000",
                "`1786622400000` seconds are no time: the year 9999 ends at 253402207200",
                "are they milliseconds? leave the last three digits out",
            ),
            (
                "99999999999999999999",
                "`99999999999999999999` seconds are no time: the year 9999 ends at 253402207200",
                "are they milliseconds? leave the last three digits out",
            ),
        ] {
            let shown = parse_now(text).map_err(|error| (error.to_string(), error.hint()));
            assert_eq!(shown, Err((message.to_owned(), hint.to_owned())), "{text:?}");
        }
    }
}
