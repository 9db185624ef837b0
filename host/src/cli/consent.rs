//! A question that a person at a terminal answers. Whoever is at none is not asked.

use std::io::BufRead;

use super::output::Output;
use crate::{
    system::System,
    world::error::{CommandError, Kind},
};

/// Asks; only a plain yes is one. Nothing where nobody is there to answer.
pub fn ask(system: &dyn System, question: &str, out: &mut Output<'_>) -> Option<bool> {
    if !system.is_attended() {
        return None;
    }
    out.note(&format!("{question} [y/N]"));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).ok()?;
    Some(is_yes(&answer))
}

/// Asks for what can't be done without an answer.
///
/// # Errors
/// Where nobody is there to answer; `command` is what was asked for, and works with `--yes`.
pub fn or_yes(
    system: &dyn System,
    question: &str,
    command: &str,
    out: &mut Output<'_>,
) -> Result<bool, CommandError> {
    ask(system, question, out).ok_or_else(|| {
        let message = "there is no terminal to ask at whether this is meant";
        CommandError::new(Kind::Usage, message).hint(format!("{command} --dry-run, and then --yes"))
    })
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_plain_yes_is_one() {
        for (answer, yes) in
            [("y\n", true), ("Yes\r\n", true), ("\n", false), ("no", false), ("yesterday", false)]
        {
            assert_eq!(is_yes(answer), yes, "{answer:?}");
        }
    }
}
