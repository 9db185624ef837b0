//! Who is told what should be known beside a result.

use super::error::CommandError;

/// Takes what somebody should know beside a result, line by line.
pub trait Tell {
    /// A line beside the result.
    fn note(&mut self, line: &str);
    /// Something that should be known and that stops nothing.
    fn warn(&mut self, line: &str);
    /// What to do about the line before.
    fn hint(&mut self, line: &str);

    /// A problem that stops nothing, with what to do about it.
    fn problem(&mut self, problem: &CommandError) {
        self.warn(&problem.message);
        for hint in &problem.hints {
            self.hint(hint);
        }
    }
}

/// A count with its noun, such as `1 skill` and `2 skills`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    let ending = match (count, noun.strip_suffix('y')) {
        (1, _) => return format!("1 {noun}"),
        (_, Some(stem)) => return format!("{count} {stem}ies"),
        (_, None) => "s",
    };
    format!("{count} {noun}{ending}")
}
