//! A body by what it says in running words: headings, sentences and list items, without code, tables and marks. Which of
//! them make a query is not decided here.

use crate::{
    index::{TRIGGERS, sentence_end},
    library::{Fences, heading},
    skill::OneLine,
};

/// What kind of place a passage stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It says when the skill is to be used.
    Trigger,
    /// A heading below the title that tells of a subject.
    Heading,
    /// Any other sentence or list item.
    Sentence,
}

impl Kind {
    /// All of them, in the order in which queries are taken.
    pub const ALL: [Kind; 3] = [Kind::Trigger, Kind::Heading, Kind::Sentence];

    /// The word for people and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Trigger => "trigger",
            Kind::Heading => "heading",
            Kind::Sentence => "sentence",
        }
    }
}

/// One passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its kind.
    pub kind: Kind,
    /// Its text, without marks.
    pub text: OneLine,
}

/// Bytes of a body that are looked at: what comes later says little of what a skill is for.
const MOST_BYTES: usize = 1 << 16;

/// Words of a heading below which it is said when a skill is to be used.
const WHEN: [&str; 7] = [
    "when to use",
    "when to apply",
    "use when",
    "use cases",
    "when to activate",
    "trigger",
    "使う",
];

/// The passages of a body, in its order.
#[must_use]
pub fn passages(body: &str) -> Vec<Passage> {
    let mut end = body.len().min(MOST_BYTES);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    let mut found = Vec::new();
    let (mut fences, mut paragraph, mut under) = (Fences::default(), String::new(), Kind::Sentence);
    for line in body.get(..end).unwrap_or(body).lines() {
        if fences.holds(line) {
            close(&mut paragraph, under, &mut found);
            continue;
        }
        if let Some((level, title)) = heading(line) {
            close(&mut paragraph, under, &mut found);
            let lower = title.as_str().to_lowercase();
            let tells = WHEN.iter().any(|when| lower.contains(when)) && !lower.contains("not ");
            under = if tells { Kind::Trigger } else { Kind::Sentence };
            if level > 1 && !tells {
                push(Kind::Heading, &title_of(title.as_str()), &mut found);
            }
            continue;
        }
        let text = line.trim();
        // Code by indentation, tables, quotes, rules and tags are no running words.
        let other = line.starts_with("    ") && paragraph.is_empty() && item(text).is_none()
            || text.starts_with(['|', '<', '>'])
            || text.is_empty();
        if other {
            close(&mut paragraph, under, &mut found);
        } else if let Some(text) = item(text) {
            close(&mut paragraph, under, &mut found);
            paragraph.push_str(text);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(text);
        }
    }
    close(&mut paragraph, under, &mut found);
    found
}

/// Ends a paragraph: its sentences are passages. One that begins as a trigger clause does is one, wherever it stands.
fn close(paragraph: &mut String, under: Kind, found: &mut Vec<Passage>) {
    let text = plain(&std::mem::take(paragraph));
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (sentence, after) = rest.split_at(sentence_end(rest));
        let lower = sentence.to_lowercase();
        let trigger = TRIGGERS.iter().any(|trigger| lower.starts_with(trigger));
        push(if trigger { Kind::Trigger } else { under }, sentence, found);
        rest = after.trim_start();
    }
}

fn push(kind: Kind, text: &str, found: &mut Vec<Passage>) {
    // What holds an address, a path or code is nothing that anybody asks for.
    if text.contains(['{', '}', '=', '|', '\\', '$', '_']) || text.contains("://") {
        return;
    }
    if let Some(text) = OneLine::some(text.trim_end_matches([':', ';', ','])) {
        found.push(Passage { kind, text });
    }
}

/// A list item without its mark.
fn item(text: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark));
    let numbered = || {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < text.len())
            .then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))
            .flatten()
    };
    let text = marked.or_else(numbered)?.trim_start();
    let boxes = ["[ ] ", "[x] ", "[X] "];
    Some(boxes.iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text))
}

/// A heading without its number: `2. `, `Step 3: `.
fn title_of(title: &str) -> String {
    let text = plain(title);
    let text = text.trim();
    let lower = text.to_lowercase();
    let skipped = ["step ", "phase ", "part "]
        .iter()
        .find(|word| lower.starts_with(*word))
        .and_then(|word| text.get(word.len()..))
        .unwrap_or(text);
    let rest = skipped.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.len() < skipped.len() {
        rest.trim_start_matches([')', ':', '-', '–', '—', ' ']).to_owned()
    } else {
        text.to_owned()
    }
}

/// Running text without marks: of a link its words, of emphasis and code what stands in it; pictures and tags are left out.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        rest = match c {
            '!' if after.starts_with('[') => link(after).map_or(after, |(_, rest)| rest),
            '[' => match link(rest) {
                Some((words, rest)) => {
                    plain.push_str(&words.replace(['*', '`'], ""));
                    rest
                }
                None => after,
            },
            ']' | '*' | '`' => after,
            '<' => match after.find('>') {
                Some(end) if end < MOST_TAG => after.get(end + 1..).unwrap_or(""),
                _ => after,
            },
            c => {
                plain.push(c);
                after
            }
        };
    }
    plain
}

/// The longest tag, in bytes.
const MOST_TAG: usize = 200;

/// The words of `[words](address)`, and what comes behind it.
fn link(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 2_000;
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let near = text.get(..end)?;
    let middle = near.find("](")?;
    let words = near.get(1..middle)?;
    let close = near.get(middle..)?.find(')')?;
    (!words.contains('[')).then_some((words, text.get(middle + close + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_gives_headings_sentences_and_items() {
        let body = "# Title\nOpening words. A **second** one\nthat goes on.\n\n## When to Use\n- A [scan](x.md) has no `text`\n\
                    1. Forms are empty. Second sentence here.\n\n## Step 2: Run OCR\n```sh\n# no heading\n```\n    code\n| a | b |\n\
                    See https://x.y for more. Use when pages are skewed!\n- [ ] a_b\n## When NOT to use\n- Born-digital files\n![pic](a.png) <b>bold</b>\n";
        let got: Vec<String> = passages(body)
            .into_iter()
            .map(|passage| format!("{}: {}", passage.kind.word(), passage.text))
            .collect();
        assert_eq!(
            got,
            [
                "sentence: Opening words.",
                "sentence: A second one that goes on.",
                "trigger: A scan has no text",
                "trigger: Forms are empty.",
                "trigger: Second sentence here.",
                "heading: Run OCR",
                "trigger: Use when pages are skewed!",
                "heading: When NOT to use",
                "sentence: Born-digital files bold",
            ]
        );
    }

    #[test]
    fn odd_bodies_are_read_in_time() {
        for body in
            ["[".repeat(60_000), "<".repeat(60_000), "![a](".repeat(12_000), "é".repeat(50_000)]
        {
            assert!(passages(&body).len() <= 2);
        }
        assert_eq!(passages(""), []);
    }
}
