//! The one parser: a file's bytes in, what the skill says out. It never fails, whatever the bytes, and says what it did.
//!
//! *Invariant*: nothing here knows a path, a folder or a session. The facts depend on the bytes alone.

mod fields;
mod frontmatter;
mod header;
mod lines;
mod node;
mod opening;
mod plain;
mod problems;
mod split;
mod yaml;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use self::{
    fields::Fields,
    node::Value,
    problems::Problems,
    split::{HEADER_CAP, Opening, split},
};
use crate::skill::{Facts, Problem, Tier};

pub use frontmatter::frontmatter;
pub use header::{Field, Header, Shape};

/// A number that changes whenever the same bytes may give other facts: what was cached under another one is not used.
pub(super) const PARSER_VERSION: u32 = 2;

/// Line of a file on which its header begins.
const FIRST: u32 = 2;

/// Reads a SKILL.md.
#[must_use]
pub fn parse(bytes: &[u8]) -> Facts {
    if bytes.contains(&0) {
        return no_text(bytes);
    }
    let parts = split(bytes);
    let header = text(bytes.get(parts.header.clone()).unwrap_or_default());
    let body = text(bytes.get(parts.body.clone()).unwrap_or_default());
    let header: &str = match parts.opening {
        Opening::Unclosed => leading_fields(&header),
        _ => &header,
    };
    let mut problems = Problems::new(header, FIRST);
    about_bytes(bytes, &mut problems);
    about_opening(parts.opening, &body, &mut problems);
    let (tier, fields) = read(header, parts.opening, &mut problems);
    let opening = match parts.opening {
        // The header that never ends is shown with the body, and is no sentence of it.
        Opening::Unclosed => opening::of(body.split_once(header).map_or("", |(_, after)| after)),
        Opening::None if looks_like_path(&body) => None,
        _ => opening::of(&body),
    };
    Facts {
        tier,
        name: fields.name,
        description: fields.description,
        when_to_use: fields.when_to_use,
        opening,
        category: fields.category,
        tags: fields.tags,
        version: fields.version,
        gates: fields.gates,
        allowed_tools: fields.allowed_tools,
        unknown_keys: fields.unknown_keys,
        diagnostics: problems.finish(),
        bytes: bytes.len() as u64,
        body_chars: body.chars().count() as u64,
    }
}

/// What holds a zero is no text in UTF-8: nobody wrote what it would show, and none of it reaches a prompt.
fn no_text(bytes: &[u8]) -> Facts {
    let mut problems = Problems::new("", FIRST);
    let cause = "it holds bytes of zero, which no text does";
    problems.file(Problem::NotUtf8, None, cause, "save the file as UTF-8");
    problems.missing(Problem::MissingDescription, "description", None);
    Facts::silent(bytes.len() as u64, problems.finish())
}

/// What comes after the header and a byte-order mark, byte for byte.
#[must_use]
pub fn body(bytes: &[u8]) -> &[u8] {
    bytes.get(split(bytes).body).unwrap_or_default()
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Checking first is several times as fast as mending what needs no mending.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// The tiers, one after the other.
fn read(header: &str, opening: Opening, problems: &mut Problems<'_>) -> (Tier, Fields) {
    if opening == Opening::None {
        problems.missing(Problem::MissingDescription, "description", None);
        return (Tier::Folder, Fields::default());
    }
    // What is cut off or never ends is no YAML document, even if its beginning happens to be one.
    let whole = || plain::read(header, FIRST).map_or_else(|| yaml::read(header, FIRST), Ok);
    let strict = (opening == Opening::Closed).then(whole);
    match strict {
        Some(Ok(node)) => match node.value {
            Value::Map(map) => return (Tier::Strict, fields::read(&map, problems)),
            Value::Null => return (Tier::Strict, fields::read(&[], problems)),
            _ => problems.file(
                Problem::NotMapping,
                Some(node.line),
                &format!("the header is {}; expected fields with values", node.kind()),
                "write each field as `key: value`",
            ),
        },
        Some(Err(fault)) => {
            let lenient = lines::read(header, FIRST);
            problems.not_yaml(&fault, &lenient.odd);
            return lenient_fields(&lenient, problems);
        }
        None => {}
    }
    lenient_fields(&lines::read(header, FIRST), problems)
}

fn lenient_fields(lenient: &lines::Lenient, problems: &mut Problems<'_>) -> (Tier, Fields) {
    let found = lenient.map.iter().any(|entry| fields::is_known(&entry.key));
    let fields = fields::read(&lenient.map, problems);
    (if found { Tier::Lenient } else { Tier::Folder }, fields)
}

/// The lines of a header without an end that still look like one: up to the first blank line or heading.
fn leading_fields(header: &str) -> &str {
    let is_header = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '`']);
    let length = header.split_inclusive('\n').take_while(is_header).map(str::len).sum();
    header.get(..length).unwrap_or_default()
}

fn about_bytes(bytes: &[u8], problems: &mut Problems<'_>) {
    let Err(error) = std::str::from_utf8(bytes) else { return };
    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    problems.file(
        Problem::NotUtf8,
        u32::try_from(line).ok(),
        "bytes that are not UTF-8 were replaced",
        "save the file as UTF-8",
    );
}

fn about_opening(opening: Opening, body: &str, problems: &mut Problems<'_>) {
    match opening {
        Opening::Closed => {}
        Opening::None if looks_like_path(body) => problems.file(
            Problem::UnlinkedLink,
            Some(1),
            &format!("the file holds only the path `{}`", body.trim()),
            "make it a link again: `git config core.symlinks true`, then check it out anew",
        ),
        Opening::None => {
            let first = body.trim_start().lines().next().unwrap_or_default();
            let (cause, fix) = if body.trim().is_empty() {
                ("the file is empty".to_owned(), "write a header between two lines `---`")
            } else if first.starts_with("---") {
                let cause = "the first line must be `---` and nothing else".to_owned();
                (cause, "move the line `---` to the very top, by itself")
            } else {
                let cause = "the first line is not `---`".to_owned();
                (cause, "write `name` and `description` between two lines `---` at the top")
            };
            problems.file(Problem::NoHeader, Some(1), &cause, fix);
        }
        Opening::Unclosed => problems.file(
            Problem::UnclosedHeader,
            Some(1),
            "the header has no second line `---`",
            "add a line `---` after the last field",
        ),
        Opening::TooLong => problems.file(
            Problem::HeaderTooLong,
            Some(1),
            &format!("the header is longer than the {HEADER_CAP} bytes that are read of it"),
            "move what is not a field to the body",
        ),
    }
}

/// Whether a whole file is nothing but a relative path, as git leaves a link where links are turned off.
pub(super) fn looks_like_path(text: &str) -> bool {
    let path = text.strip_suffix('\n').unwrap_or(text);
    let odd = |c: char| c.is_control() || c.is_whitespace() || "`#*<>|\"".contains(c);
    let relative = path.starts_with("../") || path.starts_with("./");
    path.len() <= 1024
        && !path.contains(odd)
        && (relative || (path.contains('/') && path.ends_with(".md") && !path.contains("://")))
}
