//! What a cell or a line means: times as ages, the words of forms and details, lists, numbers.

use crate::facts::{Instant, Value};
use crate::key::{self, Key, Kind};

/// The keys whose numbers are times, which a case writes as ages.
const INSTANTS: [Key; 10] = [
    key::LAST_USED,
    key::CREATED,
    key::ADOPTED,
    key::RESTORED,
    key::LAST_VIEWED,
    key::LAST_WRITTEN,
    key::LAST_SUCCESS,
    key::LAST_FAILURE,
    key::NEGATIVE_CHECKED,
    key::NEGATIVE_EXPIRY,
];

const UNITS: [(&str, i64); 6] = [
    ("second", 1),
    ("minute", 60),
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 604_800),
    ("year", 31_536_000),
];

/// The key of a column or a context fact with that name.
pub(crate) fn known(name: &str) -> Option<&'static Key> {
    key::ALL.iter().find(|key| key.name == name)
}

/// The key of a write's fact with that name.
pub(crate) fn known_of_write(name: &str) -> Option<&'static Key> {
    key::write::ALL.iter().find(|key| key.name == name)
}

/// The type that a word means, as in `heat (real)`.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "boolean" => Kind::Boolean,
        "integer" => Kind::Integer,
        "real" => Kind::Real,
        "text" => Kind::Text,
        "texts" => Kind::Texts,
        _ => return None,
    })
}

/// The type that all of these cells have, for a key that the dictionary does not know.
pub(crate) fn guess<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> Kind {
    let all = |fits: fn(&str) -> bool| cells.clone().all(fits);
    if all(|cell| boolean(cell).is_some()) {
        Kind::Boolean
    } else if all(|cell| cell.parse::<i64>().is_ok() || instant(cell, 0).is_some()) {
        Kind::Integer
    } else if all(|cell| cell.parse::<f64>().is_ok()) {
        Kind::Real
    } else if all(|cell| cell.starts_with('[') && cell.ends_with(']')) {
        Kind::Texts
    } else {
        Kind::Text
    }
}

/// What a cell says, or what was expected of it.
pub(crate) fn read(name: &str, kind: Kind, cell: &str, now: Instant) -> Result<Value, String> {
    match kind {
        Kind::Boolean => boolean(cell).map(Value::Boolean).ok_or("`yes` or `no`".to_owned()),
        Kind::Integer => {
            let words = words(name);
            if let Some(code) = (0..).zip(words).find(|(_, word)| **word == cell) {
                return Ok(Value::Integer(code.0));
            }
            let number = cell.parse().ok().or_else(|| instant(cell, now));
            number.map(Value::Integer).ok_or_else(|| {
                if words.is_empty() {
                    "a whole number, an age such as `40 days ago`, or a time such as \
                     `2026-05-28T20:00:00Z`"
                        .to_owned()
                } else {
                    format!("one of `{}`", words.join("`, `"))
                }
            })
        }
        Kind::Real => {
            let number = cell.parse().ok().filter(|number: &f64| !number.is_nan());
            number.map(Value::Real).ok_or("a number".to_owned())
        }
        Kind::Text => Ok(Value::Text(unquoted(cell))),
        Kind::Texts => Ok(Value::Texts(list(cell))),
    }
}

/// A setting by the type of its default. A number that is meant to be wrong may be `nan`.
pub(crate) fn setting(text: &str, default: &Value) -> Result<Value, String> {
    let integer = || text.parse().ok().map(Value::Integer);
    // A wrong type is for the policy to refuse: what reads as another type is given as that.
    let other = || {
        let real = text.parse().ok().map(Value::Real);
        integer().or(real).or_else(|| boolean(text).map(Value::Boolean))
    };
    let text_of = || Value::Text(unquoted(text));
    Ok(match default {
        Value::Boolean(_) => boolean(text).map_or_else(text_of, Value::Boolean),
        Value::Integer(_) => other().unwrap_or_else(text_of),
        Value::Real(_) => text.parse().ok().map_or_else(text_of, Value::Real),
        Value::Text(_) => text_of(),
        Value::Texts(_) => Value::Texts(list(text)),
    })
}

/// The words of a key whose numbers have some.
fn words(name: &str) -> &'static [&'static str] {
    match name {
        "previous-form" | "form-cap" => &["full", "short", "name", "counted"],
        "user-detail" | "previous-detail" => &["full", "names", "count"],
        _ => &[],
    }
}

fn boolean(cell: &str) -> Option<bool> {
    match cell {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// Text without the quotes that keep its spaces, or say that it is empty.
fn unquoted(cell: &str) -> String {
    let between = |quote: char| cell.strip_prefix(quote)?.strip_suffix(quote);
    between('"').or_else(|| between('`')).unwrap_or(cell).to_owned()
}

fn list(cell: &str) -> Vec<String> {
    let inner = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(cell);
    let parts = inner.split(',').map(|part| unquoted(part.trim()));
    parts.filter(|part| !part.is_empty()).collect()
}

/// A time: an age, a time to come, or one of the calendar in UTC.
pub(crate) fn instant(text: &str, now: Instant) -> Option<Instant> {
    if text == "now" {
        return Some(now);
    }
    if let Some(span) = text.strip_suffix(" ago") {
        return Some(now.saturating_sub(seconds(span)?));
    }
    if let Some(span) = text.strip_prefix("in ") {
        return Some(now.saturating_add(seconds(span)?));
    }
    calendar(text)
}

/// A span such as `2 days 1 second`.
fn seconds(span: &str) -> Option<i64> {
    let words: Vec<&str> = span.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return None;
    }
    words.chunks(2).try_fold(0_i64, |sum, pair| {
        let [count, unit] = pair else { return None };
        let unit = unit.strip_suffix('s').unwrap_or(unit);
        let (_, seconds) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
        sum.checked_add(count.parse::<i64>().ok()?.checked_mul(seconds)?)
    })
}

/// `2026-05-28`, or `2026-05-28T20:26:40Z`.
fn calendar(text: &str) -> Option<Instant> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, time.strip_suffix('Z')?),
        None => (text, "00:00:00"),
    };
    let numbers = |text: &str, between: char| -> Option<[i64; 3]> {
        let parts: Vec<i64> = text
            .split(between)
            .map(|part| {
                part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
            })
            .collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let fits = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    // Years that begin in March put the leap day last, so that each month's first day is a plain fraction.
    let shifted = (month + 9) % 12;
    let year = if month <= 2 { year - 1 } else { year };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + day - 1;
    fits.then_some((days - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// As a cell of a written case says it.
pub(crate) fn render(name: &str, value: &Value, now: Instant) -> String {
    match value {
        Value::Boolean(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::Integer(code) => {
            let word = usize::try_from(*code).ok().and_then(|code| words(name).get(code));
            match word {
                Some(word) => (*word).to_owned(),
                None if INSTANTS.iter().any(|key| key.name == name) => age(*code, now),
                None => code.to_string(),
            }
        }
        Value::Real(value) => format!("{value:?}"),
        Value::Text(text) => quoted(text),
        Value::Texts(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("[{}]", texts.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.trim() == text && !text.starts_with(['"', '`', '[']);
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

fn age(then: Instant, now: Instant) -> String {
    let seconds = now.saturating_sub(then);
    let (days, rest) = (seconds.abs() / 86_400, seconds.abs() % 86_400);
    let span = match (days, rest) {
        (0, 0) => return "now".to_owned(),
        (0, rest) => format!("{rest} seconds"),
        (days, 0) => format!("{days} days"),
        (days, rest) => format!("{days} days {rest} seconds"),
    };
    if seconds > 0 { format!("{span} ago") } else { format!("in {span}") }
}

#[cfg(test)]
mod tests {
    use super::{instant, read};
    use crate::facts::Value;
    use crate::key::Kind;

    #[test]
    fn times_are_ages_or_of_the_calendar() {
        let now = 1_780_000_000;
        for (text, expected) in [
            ("now", Some(now)),
            ("1 second ago", Some(now - 1)),
            ("40 days ago", Some(now - 40 * 86_400)),
            ("2 days 1 second ago", Some(now - 172_801)),
            ("2 weeks, 1 hour ago", Some(now - 1_213_200)),
            ("in 1 year", Some(now + 31_536_000)),
            ("2026-05-28T20:26:40Z", Some(now)),
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(951_782_400)),
            ("1969-12-31T23:59:59Z", Some(-1)),
            ("2026-05-28T20:26:40", None),
            ("2026-13-01", None),
            ("yesterday", None),
            ("days ago", None),
            ("3 moons ago", None),
        ] {
            assert_eq!(instant(text, now), expected, "{text}");
        }
    }

    #[test]
    fn cells_are_read_by_their_type() {
        for (name, kind, cell, expected) in [
            ("pinned", Kind::Boolean, "yes", Ok(Value::Boolean(true))),
            ("pinned", Kind::Boolean, "1", Err("`yes` or `no`")),
            ("form-cap", Kind::Integer, "counted", Ok(Value::Integer(3))),
            ("form-cap", Kind::Integer, "names", Err("one of `full`, `short`, `name`, `counted`")),
            ("previous-detail", Kind::Integer, "names", Ok(Value::Integer(1))),
            ("heat", Kind::Real, "0.5", Ok(Value::Real(0.5))),
            ("description", Kind::Text, "\" a \"", Ok(Value::Text(" a ".to_owned()))),
            ("toolsets", Kind::Texts, "[]", Ok(Value::Texts(Vec::new()))),
            ("toolsets", Kind::Texts, "web, file", Ok(["web", "file"].into())),
        ] {
            assert_eq!(read(name, kind, cell, 0), expected.map_err(str::to_owned), "{cell}");
        }
    }
}
