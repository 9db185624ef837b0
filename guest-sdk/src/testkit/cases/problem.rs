//! What is wrong with a file of cases: where, what was found, what was expected, and what to do.

use std::fmt;

/// A mistake in a file of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(line: usize, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        let message = format!("found {found}, expected {expected}");
        Self { path: String::new(), line, message, hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn within(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}
