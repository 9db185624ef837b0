//! A header's fields as they are written, for whoever judges the writing: which there are, on which line, in which shape.
//! It reads with the same readers as the facts, and must never mend or judge anything itself.

use super::{
    FIRST, leading_fields, lines,
    node::{Entry, Node, Value},
    plain,
    split::{Opening, split},
    text, yaml,
};
use crate::skill::OneLine;

/// How a field's value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing stands there.
    Blank,
    /// Text, a number, true or false.
    Text,
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// One field of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key, as it is written.
    pub key: OneLine,
    /// Line of the file, counted from 1.
    pub line: u32,
    /// How its value is written.
    pub shape: Shape,
    /// The value of a field that is text, one line.
    pub text: Option<OneLine>,
    /// Line of the first list or mapping in brackets, in it or below it.
    pub brackets: Option<u32>,
    /// The first character, in it or below it, that nobody sees; it may be written as an escape.
    pub unseen: Option<char>,
    /// The first key below it that holds more than one text, with its line.
    pub nested: Option<(OneLine, u32)>,
}

/// A header as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The fields, in the order of the file, repeated ones included.
    pub fields: Vec<Field>,
    /// Line of the file on which the body begins.
    pub body_line: u32,
}

impl Header {
    /// Reads the header of a file. One that is no text, or has none, has no fields.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Header {
        let parts = split(bytes);
        let above = bytes.get(..parts.body.start).unwrap_or_default();
        let breaks = above.iter().filter(|byte| **byte == b'\n').count();
        let body_line = u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1);
        if parts.opening == Opening::None || bytes.contains(&0) {
            return Header { fields: Vec::new(), body_line };
        }
        let header = text(bytes.get(parts.header).unwrap_or_default());
        let header: &str = match parts.opening {
            Opening::Unclosed => leading_fields(&header),
            _ => &header,
        };
        let whole = || plain::read(header, FIRST).map_or_else(|| yaml::read(header, FIRST), Ok);
        let strict = (parts.opening == Opening::Closed).then(whole).and_then(Result::ok);
        let fields = match strict.map(|node| node.value) {
            Some(Value::Map(map)) => map.iter().map(field).collect(),
            Some(Value::Null) => Vec::new(),
            _ => lines::read(header, FIRST).map.iter().map(field).collect(),
        };
        Header { fields, body_line }
    }

    /// The first field with this key; a hyphen and an underscore are the same, as they are to the parser.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| super::node::same_key(field.key.as_str(), key))
    }

    /// The line of a field, or the file's first where it is not there.
    #[must_use]
    pub fn line_of(&self, key: &str) -> u32 {
        self.field(key).map_or(1, |field| field.line)
    }
}

fn field(entry: &Entry<'_>) -> Field {
    let inner = match &entry.node.value {
        Value::Map(map) => map.as_slice(),
        _ => &[],
    };
    let deep = |inner: &&Entry<'_>| matches!(inner.node.value, Value::List(_) | Value::Map(_));
    let nested = inner.iter().find(deep).map(|inner| (OneLine::new(&inner.key), inner.line));
    Field {
        key: OneLine::new(&entry.key),
        line: entry.line,
        shape: match &entry.node.value {
            Value::Null => Shape::Blank,
            Value::List(_) => Shape::List,
            Value::Map(_) => Shape::Map,
            Value::Text(_) | Value::Number(_) | Value::Truth(_) => Shape::Text,
        },
        text: entry.node.scalar().and_then(OneLine::some),
        brackets: brackets(entry),
        unseen: unseen(&entry.key).or_else(|| unseen_in(&entry.node)),
        nested,
    }
}

fn unseen(text: &str) -> Option<char> {
    text.chars().find(|c| OneLine::is_unseen(*c))
}

fn unseen_in(node: &Node<'_>) -> Option<char> {
    match &node.value {
        Value::Map(map) => {
            map.iter().find_map(|it| unseen(&it.key).or_else(|| unseen_in(&it.node)))
        }
        Value::List(nodes) => nodes.iter().find_map(unseen_in),
        _ => node.scalar().and_then(unseen),
    }
}

/// A list or mapping that begins on its key's own line is in brackets: YAML has no other way to write that.
fn brackets(entry: &Entry<'_>) -> Option<u32> {
    match &entry.node.value {
        Value::List(_) | Value::Map(_) if entry.node.line == entry.line => Some(entry.line),
        Value::Map(map) => map.iter().find_map(brackets),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn shown(file: &str) -> Vec<String> {
        let header = Header::of(file.as_bytes());
        let row = |field: &Field| {
            let nested = field.nested.as_ref().map(|(key, line)| format!(" {key}@{line}"));
            format!(
                "{}:{} {:?} {:?}{}",
                field.line,
                field.key,
                field.shape,
                field.brackets,
                nested.unwrap_or_default()
            )
        };
        let mut rows: Vec<String> = header.fields.iter().map(row).collect();
        rows.push(format!("body {}", header.body_line));
        rows
    }

    #[test]
    fn fields_are_told_with_their_lines_and_shapes() {
        for (file, rows) in [
            (
                "---\nname: a\n\ntags: [x, y]\nmetadata:\n  b: 1\n  c:\n    - d\n---\nbody\n",
                vec![
                    "2:name Text None",
                    "4:tags List Some(4)",
                    "5:metadata Map None c@7",
                    "body 10",
                ],
            ),
            ("---\nm:\n  a: {b: 1}\n---\n", vec!["2:m Map Some(3) a@3", "body 5"]),
            ("---\na: x: y\nb:\n---\n", vec!["2:a Text None", "3:b Blank None", "body 5"]),
            ("---\r\na: 1\r\n---\r\nx", vec!["2:a Text None", "body 4"]),
            ("---\na: 1\n\n# Body\n", vec!["2:a Text None", "body 1"]),
            ("text\n", vec!["body 1"]),
            ("---\n- a\n---\n", vec!["body 4"]),
            ("", vec!["body 1"]),
        ] {
            assert_eq!(shown(file), rows, "{file:?}");
        }
    }
}
