//! The headers that most skills have, read without a YAML library: one line a field, simple lists, simple nesting.
//!
//! *Invariant*: the same tree that the YAML library gives, or none at all. Whatever is not plainly one thing is left to
//! it. A property test compares the two; this is here for the speed of a first run alone.

use super::node::{Entry, Map, Node, Value};

/// The tree of a header whose first line has the number `first` in its file, if it is plain.
pub(super) fn read(header: &str, first: u32) -> Option<Node<'_>> {
    if !header.bytes().all(is_usual) || header.contains(UNUSUAL) {
        return None;
    }
    let mut lines: Vec<Line<'_>> = Vec::with_capacity(16);
    for (text, number) in header.split_terminator('\n').zip(first..) {
        let inner = text.trim_start_matches(' ');
        let indent = text.len() - inner.len();
        let ragged = text.ends_with(' ');
        lines.push(Line { number, indent, text: inner.trim_end_matches(' '), ragged });
    }
    let mut reader = Reader { lines: &lines, at: 0 };
    let line = reader.peek()?.number;
    let map = reader.map(0, 0)?;
    (reader.peek().is_none()).then_some(Node { line, value: Value::Map(map) })
}

/// Bytes that mean the same everywhere. Tabs, carriage returns and other controls have rules of their own.
fn is_usual(byte: u8) -> bool {
    byte == b'\n' || (byte >= b' ' && byte != 0x7f)
}

/// Scalars that YAML counts as line breaks, or does not print.
const UNUSUAL: fn(char) -> bool = |c| {
    matches!(
        c,
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
};

/// Levels of nesting; the rest is left to the library, which has a limit of its own.
const DEEPEST: usize = 8;

/// Bytes of a key: the library looks no further than 1,024 for the colon.
const LONGEST_KEY: usize = 64;

#[derive(Clone, Copy)]
struct Line<'h> {
    number: u32,
    indent: usize,
    text: &'h str,
    /// Whether white space at its end was left out of the text.
    ragged: bool,
}

struct Reader<'l, 'h> {
    lines: &'l [Line<'h>],
    at: usize,
}

impl<'h> Reader<'_, 'h> {
    /// The next line that is not blank.
    fn peek(&mut self) -> Option<Line<'h>> {
        while self.lines.get(self.at).is_some_and(|line| line.text.is_empty()) {
            self.at += 1;
        }
        self.lines.get(self.at).copied()
    }

    /// The entries at one depth of indentation.
    fn map(&mut self, indent: usize, depth: usize) -> Option<Map<'h>> {
        let mut map = Map::new();
        while let Some(line) = self.peek() {
            if line.indent < indent {
                break;
            }
            if line.indent > indent || depth > DEEPEST {
                return None;
            }
            let (key, rest) = key_of(line.text)?;
            self.at += 1;
            let node = match rest {
                "" => self.below(indent, depth)?,
                ">" | ">-" | "|" | "|-" => {
                    // Where the library says such a text begins.
                    let line = self.lines.get(self.at)?.number;
                    Node { line, value: self.block(indent, rest)? }
                }
                _ => Node { line: line.number, value: value(rest, line.number)? },
            };
            map.push(Entry { key: key.into(), line: line.number, node });
        }
        (!map.is_empty()).then_some(map)
    }

    /// What stands below a key that has nothing beside it.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Node<'h>> {
        let line = self.peek()?;
        let number = line.number;
        if line.text.starts_with("- ") && line.indent >= indent {
            return Some(Node {
                line: number,
                value: Value::List(self.items(line.indent, indent)?),
            });
        }
        let map = (line.indent > indent).then(|| self.map(line.indent, depth + 1))??;
        Some(Node { line: number, value: Value::Map(map) })
    }

    /// The items of a list of words.
    fn items(&mut self, indent: usize, above: usize) -> Option<Vec<Node<'h>>> {
        let mut items = Vec::new();
        while let Some(line) = self.peek() {
            let Some(rest) = line.text.strip_prefix("- ").filter(|_| line.indent == indent) else {
                // A line further in would go on with the item; one further out ends the list.
                let ends = line.indent <= above && !line.text.starts_with('-');
                return ends.then_some(items);
            };
            self.at += 1;
            let value = value(rest.trim_start_matches(' '), line.number)?;
            if matches!(value, Value::List(_)) {
                return None;
            }
            items.push(Node { line: line.number, value });
        }
        Some(items)
    }

    /// Text over several lines, all indented alike and none of them blank.
    fn block(&mut self, indent: usize, mark: &str) -> Option<Value<'h>> {
        let inner = self.lines.get(self.at)?.indent;
        let mut text = String::new();
        let mut last_blank = false;
        while let Some(line) = self.lines.get(self.at) {
            if line.ragged {
                return None;
            } else if line.text.is_empty() {
                last_blank = true;
            } else if line.indent <= indent {
                break;
            } else if line.indent != inner || last_blank {
                return None;
            } else {
                if !text.is_empty() {
                    text.push(if mark.starts_with('>') { ' ' } else { '\n' });
                }
                text.push_str(line.text);
            }
            self.at += 1;
        }
        if !mark.ends_with('-') {
            text.push('\n');
        }
        (inner > indent && text.len() > 1).then(|| Value::Text(text.into()))
    }
}

/// A key and what follows it on its line.
fn key_of(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once(':')?;
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_key = key.len() <= LONGEST_KEY
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(letter);
    let spaced = rest.is_empty() || rest.starts_with(' ');
    (is_key && spaced).then(|| (key, rest.trim_start_matches(' ')))
}

/// A value on one line.
fn value(text: &str, line: u32) -> Option<Value<'_>> {
    match text.as_bytes().first()? {
        b'[' => list(text, line),
        b'"' | b'\'' => quoted(text).map(|text| Value::Text(text.into())),
        b'0'..=b'9' => number(text),
        byte if byte.is_ascii_alphabetic() => word(text),
        _ => None,
    }
}

/// Text in quotes, with no quote and no escape inside.
fn quoted(text: &str) -> Option<&str> {
    let mark = text.chars().next()?;
    let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
    (!inner.contains(mark) && !inner.contains('\\')).then_some(inner)
}

/// Plain text that begins with a letter.
fn word(text: &str) -> Option<Value<'_>> {
    if text.len() <= 8 {
        if matches!(text, "true" | "false") {
            return Some(Value::Truth(text.into()));
        }
        let means_something = ["true", "false", "null", "inf", "infinity", "nan"];
        if means_something.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return None;
        }
    }
    let mut bytes = text.bytes().peekable();
    let mut before = b'a';
    while let Some(byte) = bytes.next() {
        let ends_key = byte == b':' && bytes.peek().is_none_or(|next| *next == b' ');
        if ends_key || (byte == b'#' && before == b' ') {
            return None;
        }
        before = byte;
    }
    Some(Value::Text(text.into()))
}

/// `7`, `1.0` and `1.2.3`: the last of them is text.
fn number(text: &str) -> Option<Value<'_>> {
    let mut parts = 0;
    for part in text.split('.') {
        let digits = (1..=9).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        let octal = parts == 0 && part.len() > 1 && part.starts_with('0');
        if !digits || octal {
            return None;
        }
        parts += 1;
    }
    let text = text.into();
    Some(if parts <= 2 { Value::Number(text) } else { Value::Text(text) })
}

/// A list of simple words on one line.
fn list(text: &str, line: u32) -> Option<Value<'_>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim_matches(' ');
    let mut items = Vec::new();
    if inner.is_empty() {
        return Some(Value::List(items));
    }
    for part in inner.split(',') {
        let part = part.trim_matches(' ');
        let letter = |byte: u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b' ')
        };
        let value = match part.as_bytes().first()? {
            // A comma in quotes has cut it in two, and neither half is quoted then.
            b'"' | b'\'' => Value::Text(quoted(part)?.into()),
            byte if byte.is_ascii_alphabetic() && part.bytes().all(letter) => word(part)?,
            _ => return None,
        };
        items.push(Node { line, value });
    }
    Some(Value::List(items))
}
