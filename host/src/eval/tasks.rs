//! Tasks: a query and the skill that it should lead to; and reading a user's own. Which skill a name means is not asked
//! here.
//!
//! Three ways to write them: lines `query -> skill`, with empty lines and lines that begin with `#` between them; JSON
//! lines `{"query": "…", "skill": "…"}`; and TOML with a table `[[task]]` of the same two keys each.

use serde::Deserialize;
use thiserror::Error;

use super::passages::Kind;
use crate::skill::OneLine;

/// Where a task comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user's file, with the line.
    File(usize),
    /// A skill's body, with the kind of place.
    Body(Kind),
}

/// A query and the skill that it should lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is asked for.
    pub query: OneLine,
    /// Row of the skill in the library.
    pub skill: usize,
    /// Where it comes from.
    pub origin: Origin,
}

/// A task as a user wrote it: the skill is a name yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What is asked for.
    pub query: OneLine,
    /// What the user calls the skill.
    pub skill: OneLine,
    /// Its line in the file, counted from 1.
    pub line: usize,
}

/// Why a text is no list of tasks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TaskError {
    /// No text.
    #[error("it is not UTF-8 (byte {0})")]
    NotText(usize),
    /// A line without an arrow.
    #[error("line {line}: found `{found}`, expected `query -> skill`")]
    NoArrow {
        /// The line.
        line: usize,
        /// What stands there.
        found: OneLine,
    },
    /// Nothing before the arrow, or behind it.
    #[error("line {line}: the {side} is empty")]
    Empty {
        /// The line.
        line: usize,
        /// `query` or `skill`.
        side: &'static str,
    },
    /// A line of JSON that is none, or has other keys.
    #[error("line {line}: {reason}; expected {{\"query\": \"…\", \"skill\": \"…\"}}")]
    Json {
        /// The line.
        line: usize,
        /// What the reader says.
        reason: OneLine,
    },
    /// A text of TOML that is none, or has other keys.
    #[error("line {line}: {reason}; expected [[task]] with query = \"…\" and skill = \"…\"")]
    Toml {
        /// The line.
        line: usize,
        /// What the reader says.
        reason: OneLine,
    },
    /// Nothing in it.
    #[error("it holds no task")]
    NoTask,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    query: String,
    skill: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    #[serde(default)]
    task: Vec<toml::Spanned<Pair>>,
}

/// Reads tasks. The way they are written is seen from the first line that says anything.
///
/// # Errors
/// The first line that is no task, and a text without any.
pub fn read_tasks(bytes: &[u8]) -> Result<Vec<Written>, TaskError> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| TaskError::NotText(error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let tasks = match first {
        None => Vec::new(),
        Some(line) if line.starts_with("[[") && !line.contains("->") => tables(text)?,
        Some(_) => {
            let lines = text.lines().map(str::trim).zip(1..);
            lines
                .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
                .map(|(text, line)| one(text, line))
                .collect::<Result<_, _>>()?
        }
    };
    if tasks.is_empty() { Err(TaskError::NoTask) } else { Ok(tasks) }
}

fn one(text: &str, line: usize) -> Result<Written, TaskError> {
    if text.starts_with('{') {
        let pair: Pair = serde_json::from_str(text).map_err(|error| {
            // Its own line is always 1 and would contradict ours.
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            TaskError::Json { line, reason: OneLine::capped(reason, MOST_QUOTED) }
        })?;
        return written(&pair.query, &pair.skill, line);
    }
    // The last arrow parts them: a query may hold one, a name doesn't.
    let Some((query, skill)) = text.rsplit_once("->") else {
        return Err(TaskError::NoArrow { line, found: OneLine::capped(text, MOST_QUOTED) });
    };
    written(query, skill, line)
}

/// Unicode scalars of a bad line that are quoted.
const MOST_QUOTED: usize = 80;

fn tables(text: &str) -> Result<Vec<Written>, TaskError> {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let tables: Tables = toml::from_str(text).map_err(|error| TaskError::Toml {
        line: error.span().map_or(1, |span| line_of(span.start)),
        reason: OneLine::capped(error.message(), MOST_QUOTED),
    })?;
    tables
        .task
        .into_iter()
        .map(|pair| {
            let line = line_of(pair.span().start);
            written(&pair.get_ref().query, &pair.get_ref().skill, line)
        })
        .collect()
}

fn written(query: &str, skill: &str, line: usize) -> Result<Written, TaskError> {
    let side =
        |text: &str, side: &'static str| OneLine::some(text).ok_or(TaskError::Empty { line, side });
    Ok(Written { query: side(query, "query")?, skill: side(skill, "skill")?, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<(String, String, usize)>, String> {
        read_tasks(text)
            .map(|tasks| {
                tasks
                    .into_iter()
                    .map(|task| (task.query.into_string(), task.skill.into_string(), task.line))
                    .collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn tasks_are_read_as_lines_as_json_and_as_toml() {
        let row = |query: &str, skill: &str, line| (query.to_owned(), skill.to_owned(), line);
        for (text, expected) in [
            ("a b -> x", vec![row("a b", "x", 1)]),
            (
                "\u{feff}# mine\r\n\r\nfrom csv -> json -> ops/jq\r\n  b->y  ",
                vec![row("from csv -> json", "ops/jq", 3), row("b", "y", 4)],
            ),
            (
                "{\"query\": \"a\\nb\", \"skill\": \"x\"}\nc -> z",
                vec![row("a b", "x", 1), row("c", "z", 2)],
            ),
            (
                "# mine\n[[task]]\nquery = \"a\"\nskill = \"x\"\n\n[[task]]\nskill = \"y\"\nquery = \"b -> c\"\n",
                vec![row("a", "x", 2), row("b -> c", "y", 6)],
            ),
            ("[[wiki]] links -> notes", vec![row("[[wiki]] links", "notes", 1)]),
            ("\u{1b}[31mred\u{202e} -> x\u{7}", vec![row("[31mred", "x", 1)]),
        ] {
            assert_eq!(read(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_task_is_said_with_its_line() {
        for (text, expected) in [
            (&b""[..], "it holds no task"),
            (b"\n# nothing\n", "it holds no task"),
            (b"a -> x\nb => y\n", "line 2: found `b => y`, expected `query -> skill`"),
            (b"\n -> x", "line 2: the query is empty"),
            (b"a -> \x07", "line 1: the skill is empty"),
            (
                b"{\"query\": \"a\"}",
                "line 1: missing field `skill`; expected {\"query\": \"…\", \"skill\": \"…\"}",
            ),
            (
                b"{\"query\": \"a\", \"skill\": \"b\", \"x\": 1}",
                "line 1: unknown field `x`, expected `query` or `skill`; expected {\"query\": \"…\", \"skill\": \"…\"}",
            ),
            (
                b"[[task]]\nquery = \"a\"\n",
                "line 1: missing field `skill`; expected [[task]] with query = \"…\" and skill = \"…\"",
            ),
            (
                b"[[job]]\n",
                "line 1: unknown field `job`, expected `task`; expected [[task]] with query = \"…\" and skill = \"…\"",
            ),
            (b"a -> x\n\xff", "it is not UTF-8 (byte 7)"),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_long_or_deep_line_is_quoted_in_part() {
        let long = "x".repeat(1 << 20);
        let deep = format!("{{\"query\": {}", "[".repeat(100_000));
        for text in [long, deep] {
            assert!(read(text.as_bytes()).unwrap_err().len() < 300);
        }
    }
}
