//! What is wrong with one file, as it is found, in words for its author. It must never decide what is read.

use super::{
    lines::OddLine,
    node::{Entry, same_key},
    yaml::Fault,
};
use crate::skill::{Diagnostic, OneLine, Problem};

/// Diagnostics of one file, and the header that they quote.
pub(super) struct Problems<'h> {
    header: &'h str,
    /// Number of the header's first line in its file.
    first: u32,
    found: Vec<Diagnostic>,
}

/// Unicode scalars of a value that a diagnostic quotes.
const QUOTED: usize = 60;

impl<'h> Problems<'h> {
    pub(super) fn new(header: &'h str, first: u32) -> Problems<'h> {
        Problems { header, first, found: Vec::new() }
    }

    /// All of them, in the order of the file; those of no line come last.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.line.unwrap_or(u32::MAX));
        self.found
    }

    /// A problem of the file.
    pub(super) fn file(&mut self, problem: Problem, line: Option<u32>, cause: &str, fix: &str) {
        self.push(problem, line, None, cause, fix);
    }

    /// A problem of a field.
    pub(super) fn at(&mut self, problem: Problem, entry: &Entry<'_>, cause: &str, fix: &str) {
        self.push(problem, Some(entry.line), Some(&entry.key), cause, fix);
    }

    /// A field that is not there, or blank.
    pub(super) fn missing(&mut self, problem: Problem, field: &str, line: Option<u32>) {
        let cause = if line.is_some() { "it is blank" } else { "it is not there" };
        let fix = match problem {
            Problem::MissingName => "add `name: ` and the folder's name",
            _ => "add `description: ` and when to use the skill",
        };
        self.push(problem, line, Some(field), cause, fix);
    }

    /// A field of another type than expected.
    pub(super) fn odd(&mut self, path: &str, entry: &Entry<'_>, map: &[Entry<'_>], expected: &str) {
        let raw = OneLine::capped(&self.raw(entry, map), QUOTED);
        let cause = format!("`{raw}` is {}; expected {expected}", entry.node.kind());
        let fix = match expected {
            "text" => "put the value in quotes",
            "a list of words" => "write it as `[one, two]`",
            "`true` or `false`" => "write `true` or `false`, without quotes",
            _ => "write its fields below it, indented",
        };
        let field = format!("{path}{}", entry.key);
        self.push(Problem::OddField, Some(entry.line), Some(&field), &cause, fix);
    }

    /// A key that stands there again.
    pub(super) fn repeated(&mut self, entry: &Entry<'_>) {
        let cause = "it stands there twice; the first one counts";
        self.at(Problem::RepeatedField, entry, cause, "remove one of them");
    }

    /// A header that is not YAML: one diagnostic for each field that had to be taken as plain text, or one for the
    /// whole if every field is fine by itself.
    pub(super) fn not_yaml(&mut self, fault: &Fault, odd: &[OddLine]) {
        if odd.is_empty() {
            let field = fault.line.and_then(|line| self.key_above(line));
            let cause = format!("not YAML: {}", fault.message);
            let fix = "mend the header near that line";
            self.push(Problem::NotYaml, fault.line, field.as_deref(), &cause, fix);
        }
        for odd in odd {
            let (cause, fix) = explain(odd, &fault.message);
            self.push(Problem::NotYaml, Some(odd.line), Some(&odd.field), &cause, fix);
        }
    }

    /// The value of a field as it is written, one line.
    pub(super) fn raw(&self, entry: &Entry<'_>, map: &[Entry<'_>]) -> String {
        let next = map.iter().map(|other| other.line).filter(|line| *line > entry.line).min();
        let above = entry.line.saturating_sub(self.first) as usize;
        let count = next.map_or(usize::MAX, |next| (next - entry.line) as usize);
        let text: Vec<&str> = self.header.lines().skip(above).take(count).collect();
        let text = text.join("\n");
        let shared = map.iter().filter(|other| other.line == entry.line).count() > 1;
        match super::lines::split_key(text.split('\n').next().unwrap_or_default().trim()) {
            Some((key, _)) if !shared && same_key(key, &entry.key) => {
                let value = text.split_once(':').map_or("", |(_, value)| value);
                OneLine::new(value).as_str().to_owned()
            }
            _ => entry.node.render(),
        }
    }

    /// The key of the nearest line at or above this one that begins with one.
    fn key_above(&self, line: u32) -> Option<String> {
        let count = (line.checked_sub(self.first)? as usize).saturating_add(1);
        let lines: Vec<&str> = self.header.lines().take(count).collect();
        let mut keys = lines.iter().rev().filter(|line| !line.starts_with([' ', '\t', '-']));
        keys.find_map(|line| super::lines::split_key(line.trim())).map(|(key, _)| key.to_owned())
    }

    fn push(
        &mut self,
        problem: Problem,
        line: Option<u32>,
        field: Option<&str>,
        cause: &str,
        fix: &str,
    ) {
        let (cause, fix) = (OneLine::capped(cause, 240), OneLine::new(fix));
        let field = field.map(|field| OneLine::capped(field, QUOTED));
        self.found.push(Diagnostic { problem, line, field, cause, fix });
    }
}

/// Why a plain value is not YAML, and what mends it, by how it looks.
fn explain(odd: &OddLine, message: &str) -> (String, &'static str) {
    let text = odd.text.as_str();
    if odd.tabs {
        return ("a tab can't indent a line".to_owned(), "indent with spaces");
    }
    let quote = "put the value in quotes";
    if text.starts_with(['[', '{']) {
        return (
            format!("`{}` is no YAML list or mapping", OneLine::capped(text, QUOTED)),
            "close the bracket, or put the value in quotes if it is text",
        );
    }
    if let Some(mark) = text.chars().next().filter(|c| "@`%".contains(*c)) {
        return (format!("a plain value can't begin with `{mark}`"), quote);
    }
    if let Some(at) = text.find(": ") {
        let before: Vec<char> = text.get(..at).unwrap_or_default().chars().rev().take(20).collect();
        let before: String = before.into_iter().rev().collect();
        return (format!("a plain value can't hold a colon and a space (`{before}: `)"), quote);
    }
    if text.ends_with(':') {
        return ("a plain value can't end with a colon".to_owned(), quote);
    }
    (format!("not YAML: {message}"), "put the value in quotes, or mend it")
}
