//! The text around a hit: one line, with what was asked for between `«` and `»`.

use std::ops::Range;

use super::{query::Spot, texts::Field};
use crate::skill::OneLine;

/// Unicode scalars of a text that are shown.
const WIDTH: usize = 120;

/// Scalars before the first hit.
const BEFORE: usize = 36;

/// Places that are looked at for the best one: somewhere in a long text there may be a better one yet.
const MOST_SPOTS: usize = 500;

/// The best place of a description and a body: where the most different things stand close together, in the description rather
/// than in the body. Where nothing stands in either, the beginning of what says what the skill is about.
pub(super) fn best(description: &str, body: &str, about: &str, spots: &[Spot]) -> OneLine {
    let texts = [(Field::Description, description), (Field::Body, body)];
    let windows = texts.into_iter().filter_map(|(field, text)| {
        let mut here: Vec<&Spot> = spots.iter().filter(|spot| spot.field == field).collect();
        here.sort_by_key(|spot| (spot.at.start, spot.at.end));
        let (terms, from) = densest(text, &here)?;
        Some((terms, text, from, here))
    });
    // Of equals the first.
    let best = windows.reduce(|a, b| if b.0 > a.0 { b } else { a });
    match best {
        Some((_, text, from, here)) => around(text, from, &here),
        None => around(about, 0, &[]),
    }
}

/// How many different terms stand in the best window, and where the first of them does.
fn densest(text: &str, spots: &[&Spot]) -> Option<(usize, usize)> {
    let window = |number: usize| {
        let first = spots.get(number)?.at.start;
        let end = forward(text, first, WIDTH - BEFORE);
        let inside = spots.iter().skip(number).take_while(|spot| spot.at.end <= end);
        let mut terms: Vec<usize> = inside.map(|spot| spot.term).collect();
        terms.sort_unstable();
        terms.dedup();
        Some((terms.len().max(1), first))
    };
    let windows = (0..spots.len().min(MOST_SPOTS)).filter_map(window);
    windows.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

/// The line around a place.
fn around(text: &str, from: usize, spots: &[&Spot]) -> OneLine {
    let begin = backward(text, from, BEFORE);
    // Not in the middle of a word, where words are parted.
    let skipped = text.get(begin..from).and_then(|before| before.find(char::is_whitespace));
    let begin = if begin == 0 { 0 } else { begin + skipped.unwrap_or(0) };
    let end = forward(text, begin, WIDTH);
    let marked = merged(spots, begin..end);
    let least = marked.last().map_or(begin, |at| at.end);
    let cut = text.get(least..end).and_then(|after| after.rfind(char::is_whitespace));
    let end = if end == text.len() { end } else { cut.map_or(end, |cut| least + cut) };
    let mut line = String::new();
    let is_blank = |range: Range<usize>| text.get(range).unwrap_or_default().trim().is_empty();
    if !is_blank(0..begin) {
        line.push_str("… ");
    }
    let mut at = begin;
    for mark in marked {
        line.push_str(text.get(at..mark.start).unwrap_or_default());
        line.push('«');
        line.push_str(text.get(mark.clone()).unwrap_or_default());
        line.push('»');
        at = mark.end;
    }
    line.push_str(text.get(at..end).unwrap_or_default());
    if !is_blank(end..text.len()) {
        line.push_str(" …");
    }
    OneLine::new(&line)
}

/// The places that are wholly in a window, those that overlap made one.
fn merged(spots: &[&Spot], window: Range<usize>) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for spot in spots {
        let at = &spot.at;
        if at.start < window.start || at.end > window.end {
            continue;
        }
        match marks.last_mut() {
            Some(last) if at.start < last.end => last.end = last.end.max(at.end),
            _ => marks.push(at.clone()),
        }
    }
    marks
}

/// The place so many scalars further on, or the end.
fn forward(text: &str, from: usize, scalars: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.char_indices().nth(scalars).map_or(text.len(), |(at, _)| from + at)
}

/// The place so many scalars before, or the beginning.
fn backward(text: &str, from: usize, scalars: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    before.char_indices().rev().take(scalars).last().map_or(from, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::best;
    use crate::search::{Field, query::Query, words::Words};

    fn snippet(query: &str, description: &str, body: &str) -> String {
        let [above, below] = [description, body].map(Words::of);
        let texts = [(Field::Description, &above), (Field::Body, &below)];
        let spots = Query::parse(query).spots(&texts).unwrap_or_default();
        best(description, body, "About it.", &spots).into_string()
    }

    #[test]
    fn the_line_is_that_of_the_best_place() {
        let long = "word ".repeat(60);
        for (query, description, body, line) in [
            ("docker", "Use for Docker images.", "docker", "Use for «Docker» images."),
            (
                "docker small",
                "Use for docker.",
                "A docker\nimage, small.",
                "A «docker» image, «small».",
            ),
            ("none", "What it is for.", "Body.", "About it."),
            ("a-b", "x a B y", "", "x «a B» y"),
            ("\"a b\" OR \"b c\"", "x a b c y", "", "x «a b c» y"),
            ("模板", "用PPT模板。", "", "用PPT«模板»。"),
            ("bell", "a\u{7}\u{1b}[31m\n\nbell\u{202e}", "", "a[31m «bell»"),
            ("end", &format!("{long}end"), "", "… word word word word word word word «end»"),
        ] {
            assert_eq!(snippet(query, description, body), line, "{query}");
        }
        let begin = snippet("start", &format!("start {long}"), "");
        assert!(begin.starts_with("«start» word") && begin.ends_with("word …"), "{begin}");
        let middle = snippet("x", &format!("{long}x {long}"), "");
        assert!(middle.starts_with("… word") && middle.ends_with("word …"), "{middle}");
    }

    proptest! {
        #[test]
        fn whatever_the_texts_it_is_one_line_of_bounded_length(
            query in "[a-c*\" 模]{0,8}", description in "[a-c \n模板\u{7}é]{0,400}", body in ".{0,300}"
        ) {
            let line = snippet(&query, &description, &body);
            prop_assert!(line.chars().count() <= 2 * super::WIDTH + 8);
            prop_assert!(!line.contains(|c: char| c.is_control()));
        }
    }
}
