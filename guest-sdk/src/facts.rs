//! The words of the contract that all slots share, with the conversions that make them easy to write.
//! No rule and no lookup belongs here.

pub use crate::bindings::skillkeep::policy::facts::{
    Column as RawColumn, Context as RawContext, Entry, Reason as RawReason, Refusal as RawRefusal,
    Table as RawTable, Value, Values,
};

/// Whole seconds since 1970-01-01T00:00:00Z.
pub type Instant = i64;

/// The seconds of a day.
pub const DAY: i64 = 86_400;

/// How many days lie between two instants; never less than 0.
#[must_use]
pub fn days_between(earlier: Instant, later: Instant) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a span of seconds is far below 2^53")]
    let seconds = later.saturating_sub(earlier).max(0) as f64;
    seconds / 86_400.0
}

/// Turns a Rust name (`decay_days`, `UnusedFor`) into the contract's way of writing it (`decay-days`, `unused-for`).
#[must_use]
pub fn kebab(name: &str) -> String {
    let mut out = Vec::with_capacity(name.len() + 4);
    for letter in name.bytes() {
        if letter == b'_' {
            out.push(b'-');
        } else {
            if letter.is_ascii_uppercase() && !out.is_empty() {
                out.push(b'-');
            }
            out.push(letter.to_ascii_lowercase());
        }
    }
    // Only ASCII was changed, and that byte by byte: it is a text still.
    String::from_utf8(out).unwrap_or_default()
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<Vec<&str>> for Value {
    fn from(value: Vec<&str>) -> Self {
        Self::Texts(value.into_iter().map(str::to_owned).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Value {
    fn from(value: [&str; N]) -> Self {
        Self::Texts(value.into_iter().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, days_between, kebab};

    #[test]
    fn rust_names_become_the_contracts() {
        for (rust, contract) in [
            ("decay_days", "decay-days"),
            ("UnusedFor", "unused-for"),
            ("Pinned", "pinned"),
            ("a", "a"),
        ] {
            assert_eq!(kebab(rust), contract);
        }
    }

    #[test]
    fn a_later_beginning_is_no_time_ago() {
        assert_eq!(days_between(0, DAY + DAY / 2), 1.5);
        assert_eq!(days_between(10, 0), 0.0);
        assert_eq!(days_between(i64::MIN, i64::MAX), i64::MAX as f64 / 86_400.0);
    }
}
