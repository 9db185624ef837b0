//! What every reader of a foreign file does first: bytes to text, text to JSON, and words for what was found.
//! Nothing here knows whose file it is.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::skill::OneLine;

/// Why a foreign file could not be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignError {
    /// It is no UTF-8 text.
    #[error("it is {found}, and UTF-8 text was expected")]
    NotText {
        /// What the bytes look like.
        found: &'static str,
    },
    /// It is text of another format.
    #[error("it is no {format}: {message}")]
    NotParsed {
        /// `JSON` or `YAML`.
        format: &'static str,
        /// The parser's words, one line.
        message: OneLine,
    },
    /// It parses, and is something else than a mapping at the place where one must be.
    #[error("{place} is {found}, and a mapping was expected")]
    NotMapping {
        /// Which part of it.
        place: &'static str,
        /// What was found there.
        found: &'static str,
    },
    /// It parses, and is something else than a list at the place where one must be.
    #[error("{place} is {found}, and a list was expected")]
    NotList {
        /// Which part of it.
        place: &'static str,
        /// What was found there.
        found: &'static str,
    },
    /// The list that it must hold is missing.
    #[error("`entries` is {found}, and a list was expected")]
    NotEntries {
        /// What was found there.
        found: &'static str,
    },
}

/// The text of a file, without the mark that some editors put before it.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, ForeignError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|_| ForeignError::NotText {
        found: match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
            _ if bytes.contains(&0) => "binary",
            _ => "text in another encoding",
        },
    })
}

/// The JSON of a file. Python writes `NaN` and `Infinity`, and reads `1e400`; none of them is a number here, so they
/// become texts, and only the field that holds one is lost, not the file.
pub(super) fn json_of(bytes: &[u8]) -> Result<Value, ForeignError> {
    let text = text_of(bytes)?;
    serde_json::from_str(text)
        .or_else(|first| match quote_odd_numbers(text) {
            Some(mended) => serde_json::from_str(&mended),
            None => Err(first),
        })
        .map_err(|error| ForeignError::NotParsed {
            format: "JSON",
            message: OneLine::capped(&error.to_string(), 200),
        })
}

/// The YAML of a file. Its dialect is 1.2, in which `y`, `no` and `on` are words, as the names of a list are.
///
/// # Errors
/// Where it is no YAML, or no such value.
pub(super) fn yaml_of<T: DeserializeOwned>(text: &str) -> Result<T, ForeignError> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| ForeignError::NotParsed {
        format: "YAML",
        message: OneLine::capped(error.to_string().lines().next().unwrap_or(""), 200),
    })
}

/// The same JSON with quotes around what is no finite number, or nothing if there is none.
fn quote_odd_numbers(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len() + 16);
    let mut found = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '"' => string_len(rest),
            '-' | '0'..='9' | 'A'..='Z' | 'a'..='z' => rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
                .unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        if c != '"' && is_odd_number(token) {
            found = true;
            mended.extend(["\"", token, "\""]);
        } else {
            mended.push_str(token);
        }
        rest = after;
    }
    found.then_some(mended)
}

/// Bytes of the string that the text begins with, quotes included; all of the text if it never closes.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Whether a word is one of Python's numbers that JSON lacks, or too large for a double.
pub(super) fn is_odd_number(word: &str) -> bool {
    matches!(word, "NaN" | "Infinity" | "-Infinity")
        || (word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && word.parse::<f64>().is_ok_and(|number| !number.is_finite()))
}

/// A value for a message: as the file has it, cut.
pub(super) fn shown(value: &Value) -> String {
    let raw = match value {
        Value::String(text) if is_odd_number(text) => text.clone(),
        other => other.to_string(),
    };
    format!("`{}`", OneLine::capped(&raw, 40))
}

/// What kind of thing a value is, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::{ForeignError, json_of};

    #[test]
    fn numbers_that_json_lacks_become_texts_and_leave_the_rest_alone() {
        for (given, read) in [
            (r#"{"a": 1e400, "b": 2}"#, json!({"a": "1e400", "b": 2})),
            ("[NaN, -Infinity, Infinity, -1.5e2]", json!(["NaN", "-Infinity", "Infinity", -150.0])),
            (r#"{"NaN \" 1e400": [-1e999]}"#, json!({"NaN \" 1e400": ["-1e999"]})),
            ("\u{feff}{\"é\": NaN}", json!({"é": "NaN"})),
        ] {
            assert_eq!(json_of(given.as_bytes()).unwrap(), read, "{given}");
        }
    }

    #[test]
    fn what_is_no_json_is_said_in_one_line() {
        for (given, message) in [
            (&b"{\"a\": nan"[..], "it is no JSON: expected ident at line 1 column 8"),
            (b"{\"a\": NaN,\n", "it is no JSON: EOF while parsing a value at line 2 column 0"),
            (b"", "it is no JSON: EOF while parsing a value at line 1 column 0"),
            (b"\"open", "it is no JSON: EOF while parsing a string at line 1 column 5"),
            (b"\xff\xfe{\0}\0", "it is UTF-16, and UTF-8 text was expected"),
            (b"{\0\xff", "it is binary, and UTF-8 text was expected"),
            (b"caf\xe9", "it is text in another encoding, and UTF-8 text was expected"),
        ] {
            let error: ForeignError = json_of(given).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
