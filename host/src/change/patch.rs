//! A passage of a text replaced by another: exactly, or, where that was allowed, by one named tolerance that fits in one
//! place alone. Both texts are taken as they are: a backslash and an `n` are these two characters on either side.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::skill::OneLine;

/// What is to be replaced by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The passage, as it stands in the file.
    pub old: String,
    /// What comes in its place.
    pub new: String,
    /// How it is looked for.
    pub how: How,
}

/// How a passage is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Exactly, in one place.
    Once,
    /// Exactly, in every place.
    All,
    /// Exactly in one place, or else by the first tolerance that fits in one place.
    Tolerant,
}

/// By what a passage was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// It is there as it was given.
    Exact,
    /// Its lines end otherwise; the new ones end as the file's do.
    LineEnds,
    /// White space at the ends of lines differs.
    TrailingSpace,
    /// All its lines are indented by the same, more or less; the new ones are too.
    Indentation,
    /// Quotes, dashes or spaces are typographic ones.
    Typography,
}

impl Tolerance {
    const ALL: [Tolerance; 4] = [
        Tolerance::LineEnds,
        Tolerance::TrailingSpace,
        Tolerance::Indentation,
        Tolerance::Typography,
    ];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Tolerance::Exact => "exact",
            Tolerance::LineEnds => "line-ends",
            Tolerance::TrailingSpace => "trailing-space",
            Tolerance::Indentation => "indentation",
            Tolerance::Typography => "typography",
        }
    }
}

/// A text after a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The text.
    pub text: String,
    /// How the passage was found. Anything but exact is shown with a diff.
    pub by: Tolerance,
    /// In how many places it was replaced.
    pub places: usize,
}

/// A line of the file that is like what was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearLine {
    /// Counted from 1.
    pub line: usize,
    /// The line.
    pub text: OneLine,
}

/// Why a patch can't be made. The same patch on the same text fails again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPatch {
    /// No passage was given.
    #[error("no text to replace was given")]
    Missing,
    /// The passage is empty.
    #[error("the text to replace is empty")]
    Empty,
    /// The passage is nothing but white space.
    #[error("the text to replace is blank")]
    Blank,
    /// Nothing was given to put in its place.
    #[error("no text was given to put in the place of the old one; an empty one deletes it")]
    NoNew,
    /// Both texts are the same.
    #[error("the new text is the old one, so nothing would change")]
    NoChange,
    /// The passage isn't there.
    #[error("the text to replace is not in the file{}", nearest(.near))]
    Absent {
        /// The lines that are most like its first one.
        near: Vec<NearLine>,
    },
    /// The passage is there more than once.
    #[error("the text to replace is in the file {} times, in lines {}, expected once", .lines.len(), list(.lines))]
    Several {
        /// By what it was found.
        by: Tolerance,
        /// Where, counted from 1.
        lines: Vec<usize>,
    },
}

fn nearest(near: &[NearLine]) -> String {
    near.iter().map(|near| format!("; line {} is `{}`", near.line, near.text)).collect()
}

fn list(lines: &[usize]) -> String {
    let mut text: Vec<String> = lines.iter().take(8).map(usize::to_string).collect();
    if lines.len() > 8 {
        text.push("…".to_owned());
    }
    text.join(", ")
}

impl BadPatch {
    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            BadPatch::Missing | BadPatch::Empty | BadPatch::Blank => {
                "give a passage copied from the file, or replace the whole file; the same call fails again"
            }
            BadPatch::NoNew => "give the new text; an empty one deletes the passage",
            BadPatch::NoChange => "the file says it already; nothing is left to do",
            BadPatch::Absent { .. } => {
                "read the file again and copy the passage from it; the same call fails again"
            }
            BadPatch::Several { by: Tolerance::Exact, .. } => {
                "give more lines around the passage, or ask for all places"
            }
            BadPatch::Several { .. } => {
                "copy the passage from the file exactly, with more lines around it"
            }
        }
    }
}

impl Patch {
    /// From what somebody gave, where each may be missing.
    ///
    /// # Errors
    /// Where a text is missing or can't be looked for, or nothing would change.
    pub fn new(old: Option<&str>, new: Option<&str>, how: How) -> Result<Patch, BadPatch> {
        let old = old.ok_or(BadPatch::Missing)?;
        if old.is_empty() {
            return Err(BadPatch::Empty);
        }
        if old.trim().is_empty() {
            return Err(BadPatch::Blank);
        }
        let new = new.ok_or(BadPatch::NoNew)?;
        if old == new {
            return Err(BadPatch::NoChange);
        }
        Ok(Patch { old: old.to_owned(), new: new.to_owned(), how })
    }

    /// The text with the passage replaced.
    ///
    /// # Errors
    /// Where the passage is not there, or in several places, or nothing would change.
    pub fn apply(&self, text: &str) -> Result<Patched, BadPatch> {
        Patch::new(Some(&self.old), Some(&self.new), self.how)?;
        let exact: Vec<usize> = places(text, &self.old).collect();
        if self.how == How::All && !exact.is_empty() {
            let text = text.replace(&self.old, &self.new);
            return Ok(Patched { text, by: Tolerance::Exact, places: exact.len() });
        }
        match exact.as_slice() {
            [at] => {
                let text = spliced(text, *at..*at + self.old.len(), &self.new);
                return Ok(Patched { text, by: Tolerance::Exact, places: 1 });
            }
            [_, ..] => {
                let lines = exact.iter().map(|at| line_of(text, *at)).collect();
                return Err(BadPatch::Several { by: Tolerance::Exact, lines });
            }
            [] => {}
        }
        let tolerances: &[Tolerance] =
            if self.how == How::Tolerant { &Tolerance::ALL } else { &[] };
        for by in tolerances {
            let found = tolerant(text, self, *by);
            match found.as_slice() {
                [] => {}
                [(range, new)] => {
                    let patched = spliced(text, range.clone(), new);
                    if patched == text {
                        return Err(BadPatch::NoChange);
                    }
                    return Ok(Patched { text: patched, by: *by, places: 1 });
                }
                several => {
                    let lines = several.iter().map(|(at, _)| line_of(text, at.start)).collect();
                    return Err(BadPatch::Several { by: *by, lines });
                }
            }
        }
        Err(BadPatch::Absent { near: near(text, &self.old) })
    }
}

/// Where a passage begins, overlapping places too: in `aaa` there are two of `aa`, and which was meant can't be told.
fn places<'a>(text: &'a str, passage: &'a str) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(passage)?;
        from = at + text.get(at..)?.chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    [before, new, after].concat()
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

/// The places where a passage of whole lines is by a tolerance, and what comes there.
fn tolerant(text: &str, patch: &Patch, by: Tolerance) -> Vec<(Range<usize>, String)> {
    let wanted: Vec<&str> = patch.old.lines().collect();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let windows = lines.windows(wanted.len().max(1));
    windows
        .filter_map(|window| {
            let (first, last) = (window.first()?, window.last()?);
            let found: Vec<&str> = window.iter().map(|(_, line)| ended(line).0).collect();
            let indent = fits(&found, &wanted, by)?;
            // The end of the last line goes along only where the passage has one.
            let end = if patch.old.ends_with('\n') { "" } else { ended(last.1).1 };
            let range = first.0..last.0 + last.1.len() - end.len();
            let crlf = window.iter().any(|(_, line)| line.ends_with("\r\n"));
            Some((range, as_there(&patch.new, indent, crlf)))
        })
        .collect()
}

/// A line and how it ends.
fn ended(line: &str) -> (&str, &str) {
    let bare = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    line.split_at(bare.len())
}

/// More or less white space in front of each line of the file.
#[derive(Clone, Copy)]
enum Indent<'a> {
    Same,
    More(&'a str),
    Less(&'a str),
}

fn fits<'a>(found: &[&'a str], wanted: &[&'a str], by: Tolerance) -> Option<Indent<'a>> {
    let equal = |same: fn(&str, &str) -> bool| {
        found.iter().zip(wanted).all(|(found, wanted)| same(found, wanted)).then_some(Indent::Same)
    };
    match by {
        Tolerance::Exact => None,
        Tolerance::LineEnds => equal(|found, wanted| found == wanted),
        Tolerance::TrailingSpace => equal(|found, wanted| found.trim_end() == wanted.trim_end()),
        Tolerance::Typography => {
            equal(|found, wanted| plain(found.trim_end()) == plain(wanted.trim_end()))
        }
        Tolerance::Indentation => {
            let mut pairs = found.iter().zip(wanted).filter(|(found, _)| !found.trim().is_empty());
            let (found_first, wanted_first) = pairs.next()?;
            let indent = match (found_first.strip_suffix(wanted_first), wanted_first) {
                (Some(more), _) => Indent::More(more),
                (None, wanted) => Indent::Less(wanted.strip_suffix(found_first)?),
            };
            let (Indent::More(space) | Indent::Less(space)) = indent else { return None };
            let blank = !space.is_empty() && space.trim().is_empty();
            let all = found.iter().zip(wanted).all(|(found, wanted)| match indent {
                _ if found.trim().is_empty() => wanted.trim().is_empty(),
                Indent::Less(space) => wanted.strip_prefix(space) == Some(*found),
                _ => found.strip_prefix(space) == Some(*wanted),
            });
            (blank && all).then_some(indent)
        }
    }
}

fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\u{2018}' | '\u{2019}' => plain.push('\''),
            '\u{201c}' | '\u{201d}' => plain.push('"'),
            '\u{2010}'..='\u{2014}' | '\u{2212}' => plain.push('-'),
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            '\u{2026}' => plain.push_str("..."),
            c => plain.push(c),
        }
    }
    plain
}

/// The new text with the indentation and the line ends of its place.
fn as_there(new: &str, indent: Indent<'_>, crlf: bool) -> String {
    let mut text = String::with_capacity(new.len());
    for line in new.split_inclusive('\n') {
        let (bare, end) = ended(line);
        match indent {
            Indent::More(more) if !bare.trim().is_empty() => text.extend([more, bare]),
            Indent::Less(less) => text.push_str(bare.strip_prefix(less).unwrap_or(bare)),
            _ => text.push_str(bare),
        }
        text.push_str(if crlf && !end.is_empty() { "\r\n" } else { end });
    }
    text
}

/// The three lines that are most like the passage's first one.
fn near(text: &str, old: &str) -> Vec<NearLine> {
    let Some(wanted) = old.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return Vec::new();
    };
    let cut = |line: &str| line.chars().take(200).collect::<String>();
    let wanted = cut(wanted);
    let mut likeness: Vec<(f64, usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| (strsim::jaro_winkler(&wanted, &cut(line.trim())), at + 1, line))
        .filter(|(likeness, _, _)| *likeness > 0.7)
        .collect();
    likeness.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    likeness
        .into_iter()
        .take(3)
        .map(|(_, line, text)| NearLine { line, text: OneLine::capped(text, 120) })
        .collect()
}

#[cfg(test)]
mod tests;
