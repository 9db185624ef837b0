//! The first sentence of a body: what a skill without a description is shown with. It must never look at a header.

use crate::skill::OneLine;

/// Unicode scalars of a sentence that are kept.
const LONGEST: usize = 240;

/// Lines of a body that are looked at: a sentence further down introduces nothing.
const MOST_LINES: usize = 200;

/// The first sentence that is no heading, code, comment, rule, table or picture, if the body has one near its top.
pub(super) fn of(body: &str) -> Option<OneLine> {
    let mut fence = None;
    let mut comment = false;
    let mut paragraph = String::new();
    for line in body.lines().take(MOST_LINES) {
        let line = line.trim();
        if let Some(mark) = ["```", "~~~"].iter().find(|mark| line.starts_with(**mark)) {
            match fence {
                None => fence = Some(*mark),
                Some(open) if open == *mark => fence = None,
                Some(_) => {}
            }
            if !paragraph.is_empty() {
                break;
            }
            continue;
        }
        if fence.is_some() {
            continue;
        }
        if comment || line.starts_with("<!--") {
            comment = !line.contains("-->");
            continue;
        }
        if !paragraph.is_empty() && is_underline(line) {
            // What was gathered is a heading of the underlined kind.
            paragraph.clear();
            continue;
        }
        let stops = line.is_empty() || is_furniture(line);
        if stops && !paragraph.is_empty() {
            break;
        }
        if !stops {
            let item = is_item(line);
            if item && !paragraph.is_empty() {
                break;
            }
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(without_mark(line));
        }
        if paragraph.len() > LONGEST * 4 {
            break;
        }
    }
    let line = OneLine::capped(sentence(&paragraph), LONGEST);
    (!line.is_empty()).then_some(line)
}

fn is_underline(line: &str) -> bool {
    !line.is_empty() && (line.bytes().all(|b| b == b'=') || line.bytes().all(|b| b == b'-'))
}

/// Headings, tables, rules, pictures, and tags of a layout.
fn is_furniture(line: &str) -> bool {
    line.starts_with(['#', '|', '<'])
        || line.starts_with("![")
        || line.starts_with("[![")
        || (line.len() > 2 && line.bytes().all(|b| matches!(b, b'-' | b'*' | b'_' | b' ')))
}

fn is_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")
}

fn without_mark(line: &str) -> &str {
    line.trim_start_matches("> ").trim_start_matches(['-', '*', '+']).trim()
}

/// Up to the first full stop, question or exclamation mark that ends a sentence; all of it if there is none.
fn sentence(text: &str) -> &str {
    let mut ends = text.char_indices().filter_map(|(at, c)| {
        let after = at + c.len_utf8();
        let next = text.get(after..).and_then(|rest| rest.chars().next());
        let before = text.get(..at).unwrap_or_default();
        let abbreviation =
            c == '.' && ["e.g", "i.e", "etc", "vs"].iter().any(|a| before.ends_with(a));
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !abbreviation,
            _ => false,
        };
        ends.then_some(after)
    });
    text.get(..ends.next().unwrap_or(text.len())).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_first_sentence_is_found_behind_what_is_none() {
        for (body, expected) in [
            ("# Title\n\nDoes a thing. Then another.\n", Some("Does a thing.")),
            (
                "\n\n\nplain text without an end\nover two lines\n\nmore",
                Some("plain text without an end over two lines"),
            ),
            ("Title\n=====\n\nText.", Some("Text.")),
            ("```sh\nls -l\n```\nRun it, e.g. daily. Yes.", Some("Run it, e.g. daily.")),
            ("<!-- a\nnote -->\n![logo](x.png)\n\n> Quoted words.\n", Some("Quoted words.")),
            ("- first item\n- second", Some("first item")),
            ("| a | b |\n|---|---|\n\n---\n\n日本語の文。次の文。", Some("日本語の文。")),
            ("Version 1.2 is out! Really", Some("Version 1.2 is out!")),
            ("# Only\n## headings", None),
            ("```\nnever closed", None),
            ("", None),
        ] {
            assert_eq!(of(body).as_ref().map(|line| line.as_str()), expected, "{body:?}");
        }
    }
}
