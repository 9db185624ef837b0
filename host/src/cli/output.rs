//! Where a command's words go: results to standard output, all else to standard error.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use crate::{
    skill::OneLine,
    world::{
        Tell,
        error::{CommandError, Kind},
    },
};

/// The two streams. A reader that went away ends the program quietly.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    at_terminal: bool,
}

const BOLD_RED: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();
const BOLD_YELLOW: anstyle::Style = anstyle::AnsiColor::Yellow.on_default().bold();
const BOLD_CYAN: anstyle::Style = anstyle::AnsiColor::Cyan.on_default().bold();

impl<'a> Output<'a> {
    /// An output on two writers; the second decides by itself whether colours get through.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write) -> Output<'a> {
        Output { out, err, at_terminal: false }
    }

    /// Whether results go to a terminal.
    #[must_use]
    pub fn at_terminal(self, at_terminal: bool) -> Output<'a> {
        Output { at_terminal, ..self }
    }

    /// Prints a result as it is.
    ///
    /// # Errors
    /// Where standard output can't be written, a closed pipe aside.
    pub fn text(&mut self, text: &str) -> Result<(), CommandError> {
        written(self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()))
    }

    /// Prints a result as JSON.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn json(&mut self, value: &impl serde::Serialize) -> Result<(), CommandError> {
        let text = serde_json::to_string_pretty(value).map_err(|error| {
            CommandError::new(Kind::Fault, format!("can't write JSON: {error}"))
        })?;
        self.text(&(text + "\n"))
    }

    /// Prints what a file holds: as it is, but to a terminal as people are to see it.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn held(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        if self.at_terminal {
            self.text(&printable(&String::from_utf8_lossy(bytes)))
        } else {
            self.bytes(bytes)
        }
    }

    /// Prints bytes as they are.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        written(self.out.write_all(bytes).and_then(|()| self.out.flush()))
    }

    /// A line beside the result.
    pub fn note(&mut self, line: &str) {
        drop(writeln!(self.err, "{line}"));
    }

    /// A question, whose answer is typed behind it.
    pub fn ask(&mut self, question: &str) {
        drop(write!(self.err, "{question} ").and_then(|()| self.err.flush()));
    }

    /// What clap has to say, with its colours.
    pub fn note_ansi(&mut self, text: &clap::builder::StyledStr) {
        drop(write!(self.err, "{}", text.ansi()));
    }

    /// Something that the user should know and that stops nothing.
    pub fn warn(&mut self, line: &str) {
        drop(writeln!(self.err, "{BOLD_YELLOW}warning:{BOLD_YELLOW:#} {line}"));
    }

    /// What to do about the line before.
    pub fn hint(&mut self, line: &str) {
        drop(writeln!(self.err, "{BOLD_CYAN}hint:{BOLD_CYAN:#} {line}"));
    }

    /// Something that went wrong, with its hints.
    pub fn fail(&mut self, error: &CommandError) -> ExitCode {
        drop(writeln!(self.err, "{BOLD_RED}error:{BOLD_RED:#} {}", error.message));
        for hint in &error.hints {
            self.hint(hint);
        }
        ExitCode::from(error.kind.status())
    }
}

impl Tell for Output<'_> {
    fn note(&mut self, line: &str) {
        Output::note(self, line);
    }

    fn warn(&mut self, line: &str) {
        Output::warn(self, line);
    }

    fn hint(&mut self, line: &str) {
        Output::hint(self, line);
    }
}

fn written(result: io::Result<()>) -> Result<(), CommandError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::new(Kind::Fault, format!("can't write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Columns of text with two spaces between them, the last as long as it is.
pub(super) fn columns(rows: &[Vec<String>]) -> String {
    use unicode_width::UnicodeWidthStr as _;
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A file's own text for a person: what would steer a terminal, reorder a line or not be seen at all stands there as an escape, so
/// that nobody says yes to what they did not see. How lines end is not told.
pub(super) fn printable(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\n' | '\t' => printed.push(c),
            _ if c.is_control() || OneLine::is_unseen(c) => {
                printed.extend(c.escape_unicode());
            }
            _ => printed.push(c),
        }
    }
    printed
}
