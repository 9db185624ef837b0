//! Tables of Markdown, as text: cells in, cells out. What a cell means is not known here, beside which slot a heading is of.

use super::problem::Problem;

/// The kinds of policies, by what they decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// How much detail each category may show.
    Demotion,
    /// Which form each skill's line takes.
    Budget,
    /// What becomes of each skill.
    Curator,
    /// Whether a write is done.
    Provenance,
}

impl Slot {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Demotion, Self::Budget, Self::Curator, Self::Provenance];

    /// The word of the contract.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Demotion => "demotion",
            Self::Budget => "budget",
            Self::Curator => "curator",
            Self::Provenance => "provenance",
        }
    }

    /// The slot of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.word() == word)
    }

    /// The headings of a table of its proposals; the last, the reason, may be left out.
    pub(crate) const fn headings(self) -> &'static [&'static str] {
        match self {
            Self::Demotion => &["category", "detail", "why"],
            Self::Budget => &["skill", "form", "why"],
            Self::Curator => &["skill", "verdict", "why"],
            Self::Provenance => &["verdict", "why"],
        }
    }

    /// What a proposal may say, as people are told; what is in capitals stands for any text.
    pub(crate) const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Demotion => &["full", "names", "count"],
            Self::Budget => &["full", "short", "short at N", "name", "counted"],
            Self::Curator => &["keep", "activate", "mark stale", "archive", "notice KIND"],
            Self::Provenance => &["allow as ORIGIN", "stage as ORIGIN", "deny"],
        }
    }

    /// Whether a proposal may say that.
    pub(crate) fn says(self, choice: &str) -> bool {
        self.words().iter().any(|word| match word.rsplit_once(' ') {
            Some((first, last)) if last.bytes().all(|byte| byte.is_ascii_uppercase()) => {
                choice.strip_prefix(first).is_some_and(|rest| rest.starts_with(' '))
            }
            _ => choice == *word,
        })
    }

    /// What a row of a table with several questions says where there is no proposal.
    pub(crate) const fn silence(self) -> &'static str {
        match self {
            Self::Demotion => "full",
            Self::Budget | Self::Curator | Self::Provenance => "-",
        }
    }
}

/// A table as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The line of the headings, counted from 1.
    pub line: usize,
    pub headings: Vec<String>,
    /// Line and cells, as many as there are headings.
    pub rows: Vec<(usize, Vec<String>)>,
}

/// Whether a line belongs to a table.
pub(crate) fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Reads a table from lines, each with its number.
pub(crate) fn read(lines: &[(usize, &str)]) -> Result<Written, Problem> {
    let Some((&(line, first), rest)) = lines.split_first() else {
        return Err(Problem::new(0, "nothing", "a table"));
    };
    let headings = cells(first);
    let Some((&(ruled, rule), rows)) = rest.split_first() else {
        return Err(Problem::new(line, "a table of one line", "a line such as `| --- |` below it"));
    };
    let is_rule =
        |cell: &String| !cell.is_empty() && cell.bytes().all(|byte| matches!(byte, b'-' | b':'));
    if !cells(rule).iter().all(is_rule) {
        return Err(Problem::new(ruled, format!("`{}`", rule.trim()), "a line such as `| --- |`"));
    }
    let rows = rows.iter().map(|&(line, text)| {
        let cells = cells(text);
        if cells.len() == headings.len() {
            Ok((line, cells))
        } else {
            let expected = format!("{}, as many as the table has headings", headings.len());
            Err(Problem::new(
                line,
                format!("{} cell{}", cells.len(), if cells.len() == 1 { "" } else { "s" }),
                expected,
            )
            .hint("a bar within a cell is written `\\|`"))
        }
    });
    let rows = rows.collect::<Result<_, _>>()?;
    Ok(Written { line, headings, rows })
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('|')) => {
                letters.next();
                push(&mut cells, '|');
            }
            ('|', _) => cells.push(String::new()),
            _ => push(&mut cells, letter),
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn push(cells: &mut [String], letter: char) {
    if let Some(cell) = cells.last_mut() {
        cell.push(letter);
    }
}

/// Writes a table, its columns as wide as they need.
pub(crate) fn render(headings: &[&str], rows: &[Vec<String>]) -> String {
    let escaped = |cell: &str| cell.replace('|', "\\|");
    let mut all: Vec<Vec<String>> = vec![headings.iter().map(|cell| escaped(cell)).collect()];
    all.extend(rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>()));
    let width = |column: usize| {
        let cells = all.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[String], filler: char| {
        let mut text = String::from("|");
        for (cell, width) in cells.iter().zip(&widths) {
            text.push(' ');
            text.push_str(cell);
            let missing = width.saturating_sub(cell.chars().count());
            text.extend(std::iter::repeat_n(filler, missing));
            text.push_str(" |");
        }
        text.push('\n');
        text
    };
    let mut text = String::new();
    let blank = vec![String::new(); headings.len()];
    for (number, row) in all.iter().enumerate() {
        text.push_str(&line(row, ' '));
        if number == 0 {
            text.push_str(&line(&blank, '-'));
        }
    }
    text
}
