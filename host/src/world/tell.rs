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
    // `categories`, but `days`.
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let ending = match (count, stem) {
        (1, _) => return format!("1 {noun}"),
        (_, Some(stem)) => return format!("{count} {stem}ies"),
        (_, None) if noun.ends_with('s') => "es",
        (_, None) => "s",
    };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn a_noun_has_the_ending_of_its_count() {
        for (count, noun, text) in [
            (1, "day", "1 day"),
            (0, "day", "0 days"),
            (2, "category", "2 categories"),
            (2, "skill", "2 skills"),
            (2, "pass", "2 passes"),
        ] {
            assert_eq!(counted(count, noun), text);
        }
    }
}
