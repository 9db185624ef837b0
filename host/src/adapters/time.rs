//! Times as other programs write them. Reading a time is all that happens here: whether it lies in the future is for
//! whoever has the clock.

use jiff::{Timestamp, civil::DateTime, tz::Offset};

use crate::skill::Instant;

/// A time by ISO 8601, as Python's `fromisoformat` takes it: with `Z`, an offset, or nothing, which means UTC.
pub(super) fn from_iso(text: &str) -> Option<Instant> {
    let text = text.trim();
    let timestamp = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok())?;
    Some(Instant(timestamp.as_nanosecond().div_euclid(1_000_000_000).try_into().ok()?))
}

/// As Python writes a time in UTC: `2026-08-13T12:00:00+00:00`.
pub(super) fn to_iso(at: Instant) -> String {
    let text = at.to_string();
    text.strip_suffix('Z').map_or(text.clone(), |text| format!("{text}+00:00"))
}

/// Seconds since 1970, with a fraction that is dropped; nothing where the calendar has no such second, as with
/// milliseconds by mistake.
pub(super) fn from_unix(seconds: f64) -> Option<Instant> {
    let whole = seconds.floor();
    // Every second of the calendar (years -9999 to 9999) is exact in a double.
    let known =
        whole >= Timestamp::MIN.as_second() as f64 && whole <= Timestamp::MAX.as_second() as f64;
    known.then_some(Instant(whole as i64))
}

#[cfg(test)]
mod tests {
    use super::{from_iso, from_unix};
    use crate::skill::Instant;

    #[test]
    fn a_time_is_read_with_any_offset_and_as_utc_without_one() {
        let noon = 1_786_622_400; // 2026-08-13T12:00:00Z
        for (text, seconds) in [
            ("2026-08-13T12:00:00Z", Some(noon)),
            ("2026-08-13T12:00:00+00:00", Some(noon)),
            ("2026-08-13T12:00:00.123456+00:00", Some(noon)),
            ("2026-08-13T14:00:00+02:00", Some(noon)),
            ("2026-08-13T12:00:00.999999", Some(noon)),
            ("2026-08-13 12:00:00", Some(noon)),
            (" 2026-08-13T12:00:00 ", Some(noon)),
            ("20260813T120000", Some(noon)),
            ("2026-08-13", Some(noon - 43_200)),
            ("1969-12-31T23:59:59.5Z", Some(-1)),
            ("2026-08-13T12:00", Some(noon)),
            ("yesterday", None),
            ("2026-13-01T00:00:00Z", None),
            ("1786622400", None),
            ("", None),
        ] {
            assert_eq!(from_iso(text), seconds.map(Instant), "{text:?}");
        }
    }

    #[test]
    fn seconds_outside_the_calendar_are_no_time() {
        for (seconds, read) in [
            (0.0, Some(0)),
            (1_786_622_400.9, Some(1_786_622_400)),
            (-0.5, Some(-1)),
            (1_786_622_400_000.0, None),
            (1e300, None),
            (-1e300, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(from_unix(seconds), read.map(Instant), "{seconds}");
        }
    }
}
