//! A text by its headings, so that a part can be opened without the whole. Text in, text out.

use thiserror::Error;

use crate::skill::OneLine;

/// One heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text, without marks.
    pub title: OneLine,
    /// Its line in the text, counted from 1.
    pub line: u32,
    /// Bytes of its section: from its line to the next heading of its level or a higher one.
    pub bytes: usize,
}

/// Why a section can't be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SectionError {
    /// No heading is like the query.
    #[error("no section `{query}`")]
    None {
        /// What was asked for.
        query: String,
    },
    /// Several headings are, and none is better.
    #[error("several sections are called `{query}`: numbers {}", numbers(.rows))]
    Several {
        /// What was asked for.
        query: String,
        /// Their positions in the outline, counted from 1.
        rows: Vec<usize>,
    },
}

fn numbers(rows: &[usize]) -> String {
    rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The headings of a text, in order. Lines in code blocks are none.
#[must_use]
pub fn outline(text: &str) -> Vec<Heading> {
    headings(text).into_iter().map(|(_, heading)| heading).collect()
}

/// One section of a text, with its heading and all sections below it: by number in the outline, counted from 1, by
/// title in any case, or by the beginning of a title.
///
/// # Errors
/// Where no heading, or more than one, fits.
pub fn section<'t>(text: &'t str, query: &str) -> Result<&'t str, SectionError> {
    let headings = headings(text);
    let wanted = query.trim().trim_start_matches('#').trim().to_lowercase();
    let rows = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let rows = headings.iter().enumerate();
        rows.filter(|(_, (_, heading))| fits(&heading.title.as_str().to_lowercase()))
            .map(|(row, _)| row)
            .collect()
    };
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let mut found = rows(&|title| title == wanted);
    if found.is_empty() {
        found = number.filter(|row| *row < headings.len()).into_iter().collect();
    }
    if found.is_empty() && !wanted.is_empty() {
        found = rows(&|title| title.starts_with(&wanted));
    }
    match found.as_slice() {
        [row] => {
            let part = headings.get(*row).and_then(|(at, h)| text.get(*at..*at + h.bytes));
            part.ok_or_else(|| SectionError::None { query: query.to_owned() })
        }
        [] => Err(SectionError::None { query: query.to_owned() }),
        _ => {
            let rows = found.iter().map(|row| row + 1).collect();
            Err(SectionError::Several { query: query.to_owned(), rows })
        }
    }
}

/// Headings with the byte at which each begins.
fn headings(text: &str) -> Vec<(usize, Heading)> {
    let mut found: Vec<(usize, Heading)> = Vec::new();
    let mut fences = Fences::default();
    let mut at = 0;
    for (line, number) in text.split_inclusive('\n').zip(1_u32..) {
        if !fences.holds(line)
            && let Some((level, title)) = heading(line)
        {
            found.push((at, Heading { level, title, line: number, bytes: 0 }));
        }
        at += line.len();
    }
    let ends: Vec<usize> = (0..found.len())
        .map(|row| {
            let level = found.get(row).map_or(0, |(_, heading)| heading.level);
            let mut later = found.iter().skip(row + 1);
            later.find(|(_, other)| other.level <= level).map_or(text.len(), |(at, _)| *at)
        })
        .collect();
    for ((start, heading), end) in found.iter_mut().zip(ends) {
        heading.bytes = end - *start;
    }
    found
}

/// Tells the lines of code blocks from others, as they come; a block's marks belong to it.
#[derive(Debug, Default)]
pub struct Fences {
    open: Option<(char, usize)>,
}

impl Fences {
    /// Whether the next line is part of a code block.
    pub fn holds(&mut self, line: &str) -> bool {
        match (self.open, fence_of(line)) {
            (None, Some((kind, length, _))) => self.open = Some((kind, length)),
            (Some((open, least)), Some((kind, length, bare)))
                if open == kind && length >= least && bare =>
            {
                self.open = None;
            }
            (None, None) => return false,
            (Some(_), _) => {}
        }
        true
    }
}

/// The mark of a code block's first or last line: its letter, its length, and whether nothing follows it.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let inner = line.trim_start_matches(' ');
    if line.len() - inner.len() > 3 {
        return None;
    }
    let kind = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(kind);
    let length = inner.len() - rest.len();
    (length >= 3 && !(kind == '`' && rest.contains('`')))
        .then(|| (kind, length, rest.trim().is_empty()))
}

/// The level and title of a line that is a heading, if it is one; whether it is in a code block is not asked here.
#[must_use]
pub fn heading(line: &str) -> Option<(u8, OneLine)> {
    let inner = line.trim_start_matches(' ');
    let rest = inner.trim_start_matches('#');
    let level =
        u8::try_from(inner.len() - rest.len()).ok().filter(|level| (1..=6).contains(level))?;
    if line.len() - inner.len() > 3 || !(rest.trim().is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let closed = title.trim_end_matches('#');
    let title =
        if closed.is_empty() || closed.ends_with([' ', '\t']) { closed.trim() } else { title };
    Some((level, OneLine::new(title)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const TEXT: &str = "intro\n# Top #\n## Set up\ntext\n```sh\n# no heading\n```\n### Deep\nx\n## Use C#\n\
                        ~~~\n## not\n```\n~~~\n    # indented code\n##none\n## Set\nend";

    #[test]
    fn headings_are_found_outside_code_with_the_size_of_their_sections() {
        let rows: Vec<_> = outline(TEXT)
            .into_iter()
            .map(|h| (h.level, h.title.as_str().to_owned(), h.line, h.bytes))
            .collect();
        let row = |level, title: &str, line, bytes| (level, title.to_owned(), line, bytes);
        assert_eq!(
            rows,
            [
                row(1, "Top", 2, TEXT.len() - 6),
                row(2, "Set up", 3, 49),
                row(3, "Deep", 8, 11),
                row(2, "Use C#", 10, 56),
                row(2, "Set", 17, 10),
            ]
        );
    }

    #[test]
    fn a_section_is_asked_for_by_title_number_or_beginning() {
        for (query, begins) in [
            ("set up", "## Set up\ntext"),
            ("## Set", "## Set\nend"),
            ("3", "### Deep\nx\n"),
            ("use", "## Use C#\n~~~"),
            ("TOP", "# Top #\n## Set up"),
        ] {
            assert!(section(TEXT, query).unwrap().starts_with(begins), "{query}");
        }
        assert_eq!(section(TEXT, "9").unwrap_err().to_string(), "no section `9`");
        assert_eq!(section(TEXT, " ").unwrap_err().to_string(), "no section ` `");
        assert_eq!(
            section("# a\n# A\n", "a").unwrap_err(),
            SectionError::Several { query: "a".to_owned(), rows: vec![1, 2] }
        );
    }
}
