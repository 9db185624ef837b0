//! Strict YAML to a tree of values. It must never mend anything: what is not YAML is an error with its line.
//!
//! The dialect is pinned here, so that a verdict does not change with the library: YAML 1.2 (`yes` and `on` are words),
//! merge keys expanded, aliases and depth bounded, repeated keys handed on.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, NonFiniteFloatPolicy, Options, Spanned};

use super::node::{Entry, Node, Value};

/// Why a header is not YAML.
#[derive(Debug)]
pub(super) struct Fault {
    /// Line of the file, if it is known.
    pub(super) line: Option<u32>,
    /// What the reader says, without a picture of the place.
    pub(super) message: String,
}

/// Reads a header whose first line has the number `first` in its file.
pub(super) fn read(header: &str, first: u32) -> Result<Node<'static>, Fault> {
    let options = options();
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(header, options) {
        Ok(raw) => Ok(Source { text: header, first }.node(raw)),
        Err(error) => {
            let line = error.location().and_then(|at| u32::try_from(at.line()).ok());
            let line = line.filter(|line| *line > 0);
            let line = line.map(|line| (first - 1).saturating_add(line));
            Err(Fault { line, message: message(&error) })
        }
    }
}

/// Reads a header as JSON; nothing where it is no mapping, or has a key twice.
pub(super) fn json(header: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
    let mut options = options();
    options.duplicate_keys = DuplicateKeyPolicy::Error;
    serde_saphyr::from_str_with_options(header, options).ok()
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_documents: 1,
            // The reader calls itself for each level, on a thread whose stack is not ours to choose.
            max_depth: 24,
            max_nodes: 20_000,
            max_events: 60_000,
            max_anchors: 256,
            max_aliases: 1_024,
            max_total_scalar_bytes: 1_048_576,
            max_merge_keys: 256,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 20_000,
            max_replay_stack_depth: 16,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        null_as_string: true,
        ignore_binary_tag_for_string: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
    }
}

/// The first line of the library's message, without its own note of the place: that is told apart.
fn message(error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = match line.split_once(": ") {
        Some((place, rest)) if place.starts_with("line ") => rest,
        _ => line,
    };
    let end = [" at line ", " (line "].iter().filter_map(|mark| line.find(mark)).min();
    line.get(..end.unwrap_or(line.len())).unwrap_or(line).to_owned()
}

/// A value as the library hands it over: numbers and booleans without their spelling, which only the place tells.
enum Raw {
    Null,
    Text(String),
    Number,
    Truth,
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Raw, E> {
        Ok(Raw::Truth)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Number)
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

/// The text that places point into.
struct Source<'h> {
    text: &'h str,
    first: u32,
}

impl Source<'_> {
    fn line(&self, at: &serde_saphyr::Location) -> u32 {
        let line = u32::try_from(at.line()).unwrap_or(1).max(1);
        (self.first - 1).saturating_add(line)
    }

    fn spelling(&self, at: &serde_saphyr::Location) -> String {
        let span = at.span();
        let range = span.byte_offset().zip(span.byte_len()).and_then(|(start, len)| {
            let start = usize::try_from(start).ok()?;
            Some(start..start.checked_add(usize::try_from(len).ok()?)?)
        });
        range.and_then(|range| self.text.get(range)).unwrap_or_default().trim().to_owned()
    }

    fn node(&self, raw: Spanned<Raw>) -> Node<'static> {
        let line = self.line(&raw.referenced);
        let value = match raw.value {
            Raw::Null => Value::Null,
            Raw::Text(text) => Value::Text(text.into()),
            Raw::Number => Value::Number(self.spelling(&raw.defined).into()),
            Raw::Truth => Value::Truth(self.spelling(&raw.defined).into()),
            Raw::List(items) => {
                Value::List(items.into_iter().map(|item| self.node(item)).collect())
            }
            Raw::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| Entry {
                        line: self.line(&key.referenced),
                        key: key.value.into(),
                        node: self.node(value),
                    })
                    .collect(),
            ),
        };
        Node { line, value }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn rendered(header: &str) -> String {
        read(header, 2).map_or_else(
            |fault| format!("{:?}: {}", fault.line, fault.message),
            |node| node.render(),
        )
    }

    #[test]
    fn scalars_keep_their_spelling_and_words_stay_words() {
        for (header, value) in [
            ("a: 1.10", "{a: 1.10}"),
            ("a: 0x1F\nb: 1_000\nc: 007", "{a: 0x1F, b: 1_000, c: 007}"),
            ("a: yes\nb: on\nc: true", "{a: yes, b: on, c: true}"),
            ("a: .inf\nb: 1e999", "{a: .inf, b: 1e999}"),
            ("a: 2026-01-31", "{a: 2026-01-31}"),
            ("a: &x 1.50\nb: *x", "{a: 1.50, b: 1.50}"),
            ("a: ~\nb: null\nc:", "{a: , b: , c: }"),
            ("a: !!str 42\nb: !mine 7", "{a: 42, b: 7}"),
            ("a: !!binary aGk=", "{a: aGk=}"),
            ("1: one\ntrue: two\n~: three", "{1: one, true: two, ~: three}"),
            ("a: 1\na: 2", "{a: 1, a: 2}"),
            ("a: [x, [y, 2]]\nb: {c: d}", "{a: [x, [y, 2]], b: {c: d}}"),
            ("a: >-\n  one\n  two\nb: |\n  x\n  y", "{a: one two, b: x\ny\n}"),
            ("base: &b {x: 1}\nit:\n  <<: *b\n  y: 2", "{base: {x: 1}, it: {y: 2, x: 1}}"),
            ("", ""),
            ("# only a comment", ""),
            ("a: 1\r\nb: two\r\n", "{a: 1, b: two}"),
        ] {
            assert_eq!(rendered(header), value, "{header:?}");
        }
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let node = read("a: 1\n\n# note\nlist:\n  - x\n  - y\n", 2).unwrap();
        let lines: Vec<_> =
            node.map().unwrap().iter().map(|e| (&*e.key, e.line, e.node.line)).collect();
        assert_eq!(lines, [("a", 2, 2), ("list", 5, 6)]);
    }
}
