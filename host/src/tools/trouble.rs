//! Why a tool did nothing, and what an agent does then.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    change::{ChangeError, patch::BadPatch, request::BadRequest},
    skill::{OneLine, nearest},
    world::error::{CommandError, Kind},
};

/// What is wrong with what a tool was called with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadInput {
    /// A key that the tool has not.
    #[error("found the key `{found}`, expected {}", quoted(.known))]
    Key {
        /// What was given.
        found: OneLine,
        /// The keys that there are.
        known: Vec<String>,
    },
    /// A value of another kind.
    #[error("at `{at}`: {found}")]
    Value {
        /// Where.
        at: String,
        /// What was found, and what was expected.
        found: OneLine,
    },
    /// A number that is too small or too large.
    #[error("found `{key}` {found}, expected {expected}")]
    Range {
        /// Its key.
        key: &'static str,
        /// What was given.
        found: String,
        /// What may be.
        expected: String,
    },
    /// Two things that don't go together, or one that lacks another.
    #[error("{0}")]
    Together(&'static str),
}

fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// Why a tool did nothing.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// It was called wrongly.
    #[error(transparent)]
    Input(#[from] BadInput),
    /// A change of a skill was not made.
    #[error("{error}")]
    Change {
        /// Why.
        error: ChangeError,
        /// The skill, as it was called.
        skill: String,
    },
    /// Anything else.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// Whether the same call can come to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// Not as it is; once what `next` says was done
    Corrected,
    /// The same call, in a moment
    Later,
    /// No call of yours; only a person can change that
    Never,
}

/// That a tool did nothing. Nothing was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Refusal {
    /// What was found and what was expected
    pub error: String,
    /// What to do next
    pub next: Vec<String>,
    /// Whether the same call can come to something
    pub retry: Retry,
    /// How often this very call was refused so in this session, this time included
    pub times: u32,
    /// Whether the call itself was wrong, for the exit status of a command.
    #[serde(skip)]
    pub is_input: bool,
}

impl Trouble {
    /// Whether the same call can come to something.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Trouble::Input(_) => Retry::Corrected,
            Trouble::Command(error) => match error.kind {
                Kind::Finding | Kind::Usage => Retry::Corrected,
                Kind::Fault => Retry::Never,
            },
            Trouble::Change { error, .. } => retry_of(error),
        }
    }

    /// Whether a rule or a law stands in the way, whatever the call says: what nobody but a person can change.
    #[must_use]
    pub fn is_barred(&self) -> bool {
        match self {
            Trouble::Change { error, .. } => matches!(
                error,
                ChangeError::Denied { .. }
                    | ChangeError::Pinned(_)
                    | ChangeError::NotOwned(_)
                    | ChangeError::OwnedElsewhere { .. }
                    | ChangeError::PersonOnly { .. }
                    | ChangeError::Unaccepted { .. }
            ),
            Trouble::Input(_) | Trouble::Command(_) => false,
        }
    }

    /// What an agent does next.
    #[must_use]
    pub fn next(&self) -> Vec<String> {
        match self {
            Trouble::Input(bad) => next_of_input(bad).into_iter().collect(),
            Trouble::Command(error) => error.hints.iter().map(|hint| for_agents(hint)).collect(),
            Trouble::Change { error, skill } => vec![next_of(error, skill)],
        }
    }

    /// As an agent is told.
    #[must_use]
    pub fn refusal(&self, times: u32) -> Refusal {
        let mut next = self.next();
        if times > 1 {
            next.insert(0, self.again(times));
        }
        let is_input = match self {
            Trouble::Input(_) => true,
            Trouble::Command(error) => error.kind == Kind::Usage,
            Trouble::Change { .. } => false,
        };
        Refusal { error: self.to_string(), next, retry: self.retry(), times, is_input }
    }

    fn again(&self, times: u32) -> String {
        let way = match self.retry() {
            Retry::Corrected => "change the call as told here, or go on without it",
            Retry::Later => "if it goes on, tell the person",
            Retry::Never => "go on without it, and tell the person",
        };
        format!("this very call was refused {times} times: trying it again won't help; {way}")
    }

    /// What a change's error means for a skill.
    pub fn of(skill: &str) -> impl Fn(ChangeError) -> Trouble {
        let skill = OneLine::capped(skill, 80).into_string();
        move |error| Trouble::Change { error, skill: skill.clone() }
    }
}

impl From<BadRequest> for Trouble {
    fn from(bad: BadRequest) -> Trouble {
        match bad {
            BadRequest::Change(error) => Trouble::Change { error, skill: String::new() },
            bad => CommandError::new(Kind::Usage, bad.to_string()).maybe_hint(bad.hint()).into(),
        }
    }
}

impl From<Trouble> for CommandError {
    fn from(trouble: Trouble) -> CommandError {
        match trouble {
            Trouble::Command(error) => error,
            Trouble::Change { error, .. } => error.into(),
            Trouble::Input(bad) => {
                let next = next_of_input(&bad);
                CommandError::new(Kind::Usage, bad.to_string()).maybe_hint(next)
            }
        }
    }
}

fn next_of_input(bad: &BadInput) -> Option<String> {
    match bad {
        BadInput::Key { found, known } => {
            let near = nearest(found.as_str(), known.iter().map(String::as_str))?;
            Some(format!("did you mean `{near}`?"))
        }
        _ => None,
    }
}

fn retry_of(error: &ChangeError) -> Retry {
    match error {
        ChangeError::Held { .. } | ChangeError::InTheWay { .. } => Retry::Later,
        ChangeError::Unfinished { why, .. } => match retry_of(why) {
            Retry::Never => Retry::Never,
            _ => Retry::Later,
        },
        ChangeError::Denied { .. }
        | ChangeError::Pinned(_)
        | ChangeError::NotOwned(_)
        | ChangeError::OwnedElsewhere { .. }
        | ChangeError::PersonOnly { .. }
        | ChangeError::Unaccepted { .. }
        | ChangeError::Damaged { .. }
        | ChangeError::Lost(..)
        | ChangeError::Io { .. }
        | ChangeError::Ledger(_) => Retry::Never,
        _ => Retry::Corrected,
    }
}

/// What an agent does about a change that was not made.
fn next_of(error: &ChangeError, skill: &str) -> String {
    let view = |path: &str| match path {
        "SKILL.md" => format!("skill_view {{\"name\": \"{skill}\"}}"),
        path => format!("skill_view {{\"name\": \"{skill}\", \"path\": \"{path}\"}}"),
    };
    match error {
        ChangeError::Unread { path, .. } | ChangeError::Changed { path, .. } => format!(
            "call {}, look whether your edit still fits, and write again with its `hash`: \"base\": {{\"{path}\": HASH}}",
            view(path)
        ),
        ChangeError::Patch { path, why: BadPatch::Absent { .. } } => {
            format!("call {} and copy the passage from its `text`", view(path))
        }
        ChangeError::NoText(path) => format!("put the whole of `{path}` instead"),
        ChangeError::Missing { .. } => {
            format!("call {} for the files that there are", view("SKILL.md"))
        }
        ChangeError::NameTaken { name, .. } => format!(
            "call skill_view {{\"name\": \"{name}\"}} and edit that skill, or choose another name"
        ),
        ChangeError::NoChange => "it is done already: go on".to_owned(),
        ChangeError::NotOwned(_) | ChangeError::OwnedElsewhere { .. } => {
            "nothing is written in that folder from here: go on without it, and tell the person"
                .to_owned()
        }
        ChangeError::Denied { .. }
        | ChangeError::Pinned(_)
        | ChangeError::PersonOnly { .. }
        | ChangeError::Unaccepted { .. } => {
            "go on without it, and tell the person what you wanted to change and why".to_owned()
        }
        ChangeError::Held { .. } | ChangeError::InTheWay { .. } => {
            "call again in a moment".to_owned()
        }
        ChangeError::Io { .. }
        | ChangeError::Ledger(_)
        | ChangeError::Damaged { .. }
        | ChangeError::Lost(..)
        | ChangeError::Unfinished { .. } => match error.hint() {
            Some(hint) => format!("tell the person: {error} ({hint})"),
            None => format!("tell the person: {error}"),
        },
        other => other.hint().map_or_else(
            || "correct the call, or go on without it".to_owned(),
            |hint| for_agents(&hint),
        ),
    }
}

/// A hint as an agent takes it: what is a command for people is one of its tools, or something to ask a person for.
#[must_use]
pub fn for_agents(hint: &str) -> String {
    const TOOLS: [(&str, &str); 6] = [
        ("--outline", "call skill_view with `outline`"),
        ("skillkeep show", "call skill_view"),
        ("skillkeep search", "call skills_list with a `query`"),
        ("skillkeep list", "call skills_list"),
        ("skillkeep write", "call skill_write"),
        ("skillkeep rate", "call skill_rate"),
    ];
    if !hint.contains("skillkeep ") {
        return hint.to_owned();
    }
    match TOOLS.iter().find(|(command, _)| hint.contains(command)) {
        Some((_, tool)) => (*tool).to_owned(),
        None if hint.starts_with("ask ") => hint.to_owned(),
        None => format!("a person can: {hint}"),
    }
}

#[cfg(test)]
mod tests {
    use super::for_agents;

    #[test]
    fn a_command_for_people_is_a_tool_or_something_to_ask_them_for() {
        for (hint, told) in [
            ("did you mean `deploy`?", "did you mean `deploy`?"),
            ("`skillkeep list` shows all", "call skills_list"),
            ("skillkeep show deploy --json; with its `hash`, write again", "call skill_view"),
            (
                "`skillkeep show deploy --outline` lists the headings",
                "call skill_view with `outline`",
            ),
            ("change that one: skillkeep write deploy", "call skill_write"),
            ("skillkeep scan", "a person can: skillkeep scan"),
            ("ask that person: skillkeep set x auto", "ask that person: skillkeep set x auto"),
        ] {
            assert_eq!(for_agents(hint), told);
        }
    }
}
