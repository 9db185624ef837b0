//! A header as a tree of values that remember their line and their spelling. It must never know a field's name.

use std::borrow::Cow;

/// One value of a header. Texts are borrowed from it where they stand there as they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node<'h> {
    /// Line of the file, counted from 1.
    pub(super) line: u32,
    pub(super) value: Value<'h>,
}

/// What a value is. Numbers and booleans keep their spelling: `1.10` is not `1.1`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'h> {
    Null,
    Text(Cow<'h, str>),
    Number(Cow<'h, str>),
    Truth(Cow<'h, str>),
    List(Vec<Node<'h>>),
    Map(Map<'h>),
}

/// Keys with their values, in the order of the file, repeated ones included.
pub(super) type Map<'h> = Vec<Entry<'h>>;

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry<'h> {
    pub(super) key: Cow<'h, str>,
    /// Line of the key.
    pub(super) line: u32,
    pub(super) node: Node<'h>,
}

impl<'h> Node<'h> {
    /// The words for what it is, as in "is a list".
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "empty",
            Value::Text(_) => "text",
            Value::Number(_) => "a number",
            Value::Truth(_) => "true or false",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// The text of a value that has one.
    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Number(text) | Value::Truth(text) => Some(text),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Its entries, if it is a mapping.
    pub(super) fn map(&self) -> Option<&Map<'h>> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The value as one text, for a place that expects text and found something else.
    pub(super) fn render(&self) -> String {
        match &self.value {
            Value::Null => String::new(),
            Value::Text(text) | Value::Number(text) | Value::Truth(text) => text.to_string(),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(Node::render).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Map(map) => {
                let entry = |entry: &Entry<'_>| format!("{}: {}", entry.key, entry.node.render());
                let entries: Vec<String> = map.iter().map(entry).collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }
}

/// The first value under a key; a hyphen and an underscore are the same, since authors mix them.
pub(super) fn find<'m, 'h>(map: &'m [Entry<'h>], key: &str) -> Option<&'m Entry<'h>> {
    map.iter().find(|entry| same_key(&entry.key, key))
}

/// Whether two keys are the same but for hyphens and underscores.
pub(super) fn same_key(left: &str, right: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b'-' } else { byte };
    left.len() == right.len() && left.bytes().map(plain).eq(right.bytes().map(plain))
}
