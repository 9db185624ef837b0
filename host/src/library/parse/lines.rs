//! The second way to read a header, for one that is not YAML as a whole: field by field. A field that is YAML by itself
//! is read so; of any other the plain text is taken, as if its author had put it in quotes. It must never fail.

use super::{
    fields::{LISTS, OTHERS, TEXTS, is_known},
    node::{Entry, Map, Node, Value, same_key},
    yaml,
};

/// A header, read field by field.
pub(super) struct Lenient {
    pub(super) map: Map<'static>,
    /// The fields that are no YAML by themselves.
    pub(super) odd: Vec<OddLine>,
}

/// A field of which the plain text was taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OddLine {
    pub(super) line: u32,
    pub(super) field: String,
    /// What stands there, one line of it.
    pub(super) text: String,
    /// Whether nothing is wrong with it but tabs in front of its lines.
    pub(super) tabs: bool,
}

/// Reads a header whose first line has the number `first` in its file.
pub(super) fn read(header: &str, first: u32) -> Lenient {
    let mut lenient = Lenient { map: Vec::new(), odd: Vec::new() };
    for chunk in chunks(header, first) {
        lenient.add(&chunk);
    }
    lenient
}

/// The lines that belong to one key.
struct Chunk<'h> {
    key: &'h str,
    line: u32,
    /// What follows the colon on the key's line.
    rest: &'h str,
    /// The whole of it, key included.
    text: &'h str,
    /// The lines below the key's.
    below: &'h str,
}

/// Cuts a header at the lines that begin with a key and are indented no deeper than the first such line.
fn chunks(header: &str, first: u32) -> Vec<Chunk<'_>> {
    let mut chunks: Vec<Chunk<'_>> = Vec::new();
    let mut starts = Vec::new();
    let mut depth = None;
    let mut at = 0;
    for (line, number) in header.split_inclusive('\n').zip(first..) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some((key, rest)) = split_key(line.trim())
            && indent <= *depth.get_or_insert(indent)
        {
            starts.push(at);
            chunks.push(Chunk { key, line: number, rest, text: "", below: "" });
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([header.len()]);
    for (chunk, (start, end)) in chunks.iter_mut().zip(starts.iter().zip(ends)) {
        chunk.text = header.get(*start..end).unwrap_or_default();
        chunk.below = chunk.text.split_once('\n').map_or("", |(_, below)| below);
    }
    chunks
}

/// The key and the rest of a line that begins with one. Without white space after the colon only a known key counts:
/// `name:x` is a slip, `https://x` is none.
pub(super) fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end();
    let key = ['"', '\'']
        .iter()
        .find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(key);
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_key =
        key.starts_with(|c: char| c.is_alphanumeric() || c == '_') && key.chars().all(letter);
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    (is_key && (spaced || is_known(key))).then(|| (key, rest.trim()))
}

impl Lenient {
    fn add(&mut self, chunk: &Chunk<'_>) {
        let (key, line) = (chunk.key.to_owned(), chunk.line);
        if let Some(entry) = entry(chunk.text, chunk.line) {
            self.map.push(entry);
            return;
        }
        let text = plain(chunk);
        let spaced = entry(&without_tabs(chunk.text), chunk.line);
        let shown = text.replace('\n', " ");
        self.odd.push(OddLine { line, field: key.clone(), text: shown, tabs: spaced.is_some() });
        if let Some(entry) = spaced {
            self.map.push(entry);
            return;
        }
        let is = |keys: &[&str]| keys.iter().any(|known| same_key(known, chunk.key));
        let value = if is(&LISTS) && !is(&TEXTS) {
            let words = text.trim_start_matches('[').trim_end_matches(']').split([',', '\n']);
            let word = |word: &str| {
                let word = unquote(word.trim().trim_start_matches("- "));
                Node { line, value: Value::Text(word.to_owned().into()) }
            };
            Value::List(words.map(word).filter(|node| node.scalar() != Some("")).collect())
        } else if is(&OTHERS) {
            // Its plain text is of no use, and a second complaint about its type would only hide the first.
            Value::Null
        } else {
            Value::Text(text.into())
        };
        self.map.push(Entry { key: key.into(), line, node: Node { line, value } });
    }
}

/// The one entry of a text that is YAML by itself.
fn entry(text: &str, line: u32) -> Option<Entry<'static>> {
    let Value::Map(map) = yaml::read(text, line).ok()?.value else { return None };
    let [entry] = <[Entry; 1]>::try_from(map).ok()?;
    Some(entry)
}

/// A text with two spaces for each tab that indents a line.
fn without_tabs(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start_matches([' ', '\t']);
        let indent = line.get(..line.len() - inner.len()).unwrap_or_default();
        spaced.push_str(&indent.replace('\t', "  "));
        spaced.push_str(inner);
    }
    spaced
}

/// The text of a field as a person reads it: without a block mark, without quotes around the whole.
fn plain(chunk: &Chunk<'_>) -> String {
    let block = chunk.rest.strip_prefix(['|', '>']);
    let is_block =
        block.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || "+-".contains(c)));
    let mut lines: Vec<&str> = Vec::new();
    if !is_block {
        lines.push(chunk.rest);
    }
    lines.extend(chunk.below.lines().map(str::trim).filter(|line| !line.is_empty()));
    unquote(lines.join("\n").trim()).to_owned()
}

fn unquote(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn rendered(header: &str) -> (String, Vec<(u32, String)>) {
        let Lenient { map, odd } = read(header, 2);
        let odd = odd.into_iter().map(|odd| (odd.line, odd.field)).collect();
        (Node { line: 1, value: Value::Map(map) }.render(), odd)
    }

    #[test]
    fn each_field_is_read_by_itself() {
        for (header, map, odd) in [
            (
                "name: a\ndescription: Use: this",
                "{name: a, description: Use: this}",
                vec![(3, "description")],
            ),
            ("description: x\nname:\n  - [", "{description: x, name: - [}", vec![(3, "name")]),
            (
                "platforms: [macos, \"linux\"\nname: a",
                "{platforms: [macos, linux], name: a}",
                vec![(2, "platforms")],
            ),
            (
                "description: a b\nmore text\nname: x",
                "{description: a b\nmore text, name: x}",
                vec![(2, "description")],
            ),
            (
                "description: \"say \"hi\" now\"",
                "{description: say \"hi\" now}",
                vec![(2, "description")],
            ),
            (
                "description: |\n  a: b\n   - c\n @d\nname: x",
                "{description: a: b\n- c\n@d, name: x}",
                vec![(2, "description")],
            ),
            (
                "metadata:\n  hermes:\n    tags: [a]\nx: @y",
                "{metadata: {hermes: {tags: [a]}}, x: @y}",
                vec![(5, "x")],
            ),
            ("name:x\nhttp://y", "{name: x\nhttp://y}", vec![(2, "name")]),
            ("\tname: a\n\tdescription: b", "{name: a, description: b}", vec![]),
            (
                "metadata:\n\thermes:\n\t\ttags: [a]",
                "{metadata: {hermes: {tags: [a]}}}",
                vec![(2, "metadata")],
            ),
            ("no keys at all", "{}", vec![]),
            ("", "{}", vec![]),
        ] {
            let odd: Vec<_> =
                odd.into_iter().map(|(line, field)| (line, field.to_owned())).collect();
            assert_eq!(rendered(header), (map.to_owned(), odd), "{header:?}");
        }
    }
}
