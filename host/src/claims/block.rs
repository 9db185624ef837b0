//! From Markdown to sentences: what is code, a table or a heading is not there any more, and what is quoted is covered.

use crate::library::{Fences, heading};

/// The letter that covers a span of code or a quotation: no word has it.
pub(super) const COVER: char = '\u{fffc}';

/// The longest quotation, in bytes: a mark that nothing closes covers no paragraph.
const LONGEST_QUOTE: usize = 300;

/// A paragraph or an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Its text, with [`COVER`] for each span.
    pub(super) prose: String,
    /// What is covered, with its marks, in order.
    pub(super) spans: Vec<String>,
    /// Of an item, what its list is about: the heading above it, and the paragraph before it that ends in a colon.
    pub(super) leads: Vec<String>,
}

/// The blocks of a body.
pub(super) fn blocks(body: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut fences = Fences::default();
    for line in body.lines() {
        let fenced = fences.holds(line);
        reader.line(line, fenced);
    }
    reader.close();
    reader.found
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    found: Vec<Block>,
    open: String,
    is_item: bool,
    /// An indented line is code where nothing is open and no item of a list is above it.
    in_list: bool,
    heading: Option<String>,
    lead: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str, fenced: bool) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let mut text = line.trim();
        while let Some(quoted) = text.strip_prefix('>') {
            text = quoted.trim_start();
        }
        let item = item(text);
        let code = indent >= 4 && self.open.is_empty() && !self.in_list && item.is_none();
        let silent = text.is_empty() || text.starts_with('|') || text.starts_with("<!--");
        let rule = text.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_' | b' '));
        let title = heading(line).filter(|_| !fenced);
        if fenced || code || silent || rule || title.is_some() {
            self.close();
            self.in_list &= text.is_empty() || indent > 0;
            if let Some((_, title)) = title {
                (self.heading, self.lead) = (Some(title.into_string()), None);
            }
            return;
        }
        if item.is_some() {
            self.close();
            (self.in_list, self.is_item) = (true, true);
        } else if indent == 0 && self.open.is_empty() {
            (self.in_list, self.is_item) = (false, false);
        }
        if !self.open.is_empty() {
            self.open.push(' ');
        }
        self.open.push_str(item.unwrap_or(text));
    }

    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let mut block = cover(&self.open);
        if self.is_item {
            block.leads = self.heading.iter().chain(&self.lead).cloned().collect();
        } else {
            let leads = block.prose.trim_end_matches(['*', '_']).ends_with(':');
            self.lead = leads.then(|| block.prose.clone());
        }
        self.found.push(block);
        self.open.clear();
    }
}

/// What follows the mark of an item of a list, without a box to tick.
fn item(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match text.len() - bare.len() {
        0 => text.strip_prefix(['-', '*', '+', '•']),
        1..=3 => bare.strip_prefix(['.', ')']),
        _ => None,
    }?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let boxed = ["[ ] ", "[x] ", "[X] "].into_iter().find_map(|tick| rest.strip_prefix(tick));
    Some(boxed.unwrap_or(rest))
}

/// Covers spans of code and quotations.
fn cover(text: &str) -> Block {
    let prose = String::with_capacity(text.len());
    let mut block = Block { prose, spans: Vec::new(), leads: Vec::new() };
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '“']) {
        let (before, tail) = rest.split_at(at);
        block.prose.push_str(before);
        // A mark of inches, or one inside of a word, opens nothing.
        let within = before.chars().next_back().is_some_and(char::is_alphanumeric);
        let length = span(tail).filter(|_| !(within && tail.starts_with('"')));
        let (span, after) = tail.split_at(length.unwrap_or_else(|| first_len(tail)));
        if length.is_some() {
            block.prose.push(COVER);
            block.spans.push(span.to_owned());
        } else {
            block.prose.push_str(span);
        }
        rest = after;
    }
    block.prose.push_str(rest);
    block
}

/// How long the span is that begins a text, its marks with it; nothing where it isn't closed.
fn span(tail: &str) -> Option<usize> {
    let inner = tail.trim_start_matches('`');
    let ticks = tail.len() - inner.len();
    if ticks > 0 {
        let mark = tail.get(..ticks)?;
        return Some(ticks + inner.find(mark)? + ticks);
    }
    let close = if tail.starts_with('“') { '”' } else { '"' };
    let opened = first_len(tail);
    let end = tail.get(opened..)?.find(close)?;
    (end <= LONGEST_QUOTE).then_some(opened + end + close.len_utf8())
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The sentences of a block's prose. A full stop ends one where no small letter follows: "e.g. this" goes on.
pub(super) fn sentences(prose: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in prose.char_indices() {
        let mut after = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' => true,
            ';' | '.' | '!' | '?' => {
                let rest = prose.get(after..).unwrap_or_default();
                // What closes a sentence's emphasis or parenthesis still belongs to it.
                let open = rest.trim_start_matches(['*', '_', ')', '"', '”']);
                let closers = rest.len() - open.len();
                let rest = open;
                let next = rest.trim_start().chars().next();
                let spaced = rest.is_empty() || rest.starts_with(char::is_whitespace);
                after += closers;
                spaced && (c == ';' || !next.is_some_and(char::is_lowercase))
            }
            _ => false,
        };
        if ends {
            found.extend(prose.get(start..after));
            start = after;
        }
    }
    found.extend(prose.get(start..));
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{blocks, sentences};

    #[test]
    fn blocks_are_paragraphs_and_items_without_code_tables_and_headings() {
        let body = "# Title is broken\n\nOne line\nand the next.\n- an item\n  goes on\n- [ ] a box\n1. a number\n\n\
                    ```\ncode is broken\n```\n\n    indented is broken\n\n| table | is broken |\n> a quote\n> more\n\n\
                    <!-- a comment -->\n---\nThe end";
        let found: Vec<String> = blocks(body).into_iter().map(|block| block.prose).collect();
        assert_eq!(
            found,
            [
                "One line and the next.",
                "an item goes on",
                "a box",
                "a number",
                "a quote more",
                "The end"
            ]
        );
    }

    #[test]
    fn an_item_knows_what_its_list_is_about() {
        let body = "# Limits\n\n- a\n\nUse it when:\n\n- b\n\n## Else\n\nText.\n\n- c";
        let found: Vec<_> =
            blocks(body).into_iter().map(|block| (block.prose, block.leads.join("; "))).collect();
        let pairs: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("a", "Limits"),
                ("Use it when:", ""),
                ("b", "Limits; Use it when:"),
                ("Text.", ""),
                ("c", "Else")
            ]
        );
    }

    #[test]
    fn code_and_quotations_are_covered_where_they_are_closed() {
        for (text, prose, spans) in [
            ("Run `a b` now.", "Run \u{fffc} now.", &["`a b`"][..]),
            ("Say \"it fails\" or “x”.", "Say \u{fffc} or \u{fffc}.", &["\"it fails\"", "“x”"]),
            ("A 19\" screen and 4\" more", "A 19\" screen and 4\" more", &[]),
            ("``a ` b`` c", "\u{fffc} c", &["``a ` b``"]),
            ("An `open tick", "An `open tick", &[]),
        ] {
            let found = &blocks(text)[0];
            assert_eq!(found.prose, prose);
            assert_eq!(found.spans, spans);
        }
    }

    #[test]
    fn sentences_end_where_the_next_begins() {
        for (prose, expected) in [
            ("One. Two! Three? four", &["One.", " Two!", " Three? four"][..]),
            ("Use it, e.g. here, vs. there.", &["Use it, e.g. here, vs. there."]),
            ("Version 1.2.3 is broken; use 1.2.4", &["Version 1.2.3 is broken;", " use 1.2.4"]),
            ("**It is broken.** Stop", &["**It is broken.**", " Stop"]),
            ("", &[]),
        ] {
            assert_eq!(sentences(prose), expected, "{prose}");
        }
    }
}
