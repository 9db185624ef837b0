//! What a policy answers.

use serde::{Deserialize, Serialize};

use super::Value;
use crate::skill::OneLine;

/// How much of a category's skills is shown at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// Their descriptions.
    Full,
    /// Their names.
    Names,
    /// How many there are.
    Count,
}

impl Detail {
    /// The detail that a word means: `full`, `names` or `count`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Detail> {
        [Detail::Full, Detail::Names, Detail::Count]
            .into_iter()
            .find(|detail| detail.word() == word)
    }

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Detail::Full => "full",
            Detail::Names => "names",
            Detail::Count => "count",
        }
    }

    /// The most telling form of a skill that this allows.
    #[must_use]
    pub fn cap(self) -> Form {
        match self {
            Detail::Full => Form::Full,
            Detail::Names => Form::Name,
            Detail::Count => Form::Counted,
        }
    }
}

/// The form of a skill's line, from the most telling to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Name and whole description.
    Full,
    /// Name and a part of the description.
    Short,
    /// The name alone.
    Name,
    /// One more in a count.
    Counted,
}

impl Form {
    /// All of them, in order.
    pub const ALL: [Form; 4] = [Form::Full, Form::Short, Form::Name, Form::Counted];

    /// The word for people and for JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Short => "short",
            Form::Name => "name",
            Form::Counted => "counted",
        }
    }

    /// The number that columns carry: 0 full to 3 counted.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Form::Full => 0,
            Form::Short => 1,
            Form::Name => 2,
            Form::Counted => 3,
        }
    }

    /// The form of that number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.number() == number)
    }
}

/// A choice for one row, with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal<T> {
    /// The row of the request's table.
    pub row: u32,
    /// What is proposed.
    pub choice: T,
    /// Position in the answer's reasons.
    pub why: u32,
}

/// Why, as data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// A code that the policy declares.
    pub code: OneLine,
    /// What fills the code's template.
    pub args: Vec<OneLine>,
}

impl Reason {
    /// The template with `{0}`, `{1}`, … filled; a number that has no argument stays as it is.
    #[must_use]
    pub fn fill(&self, template: &OneLine) -> OneLine {
        let mut text = template.as_str().to_owned();
        for (number, arg) in self.args.iter().enumerate() {
            text = text.replace(&format!("{{{number}}}"), arg.as_str());
        }
        OneLine::capped(&text, 400)
    }
}

/// A reason with its text, as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoned {
    /// The code.
    pub code: OneLine,
    /// The code's template, filled.
    pub text: OneLine,
}

/// A policy's answer as it came, before any law has looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<T> {
    /// What is proposed.
    pub proposals: Vec<Proposal<T>>,
    /// The reasons that proposals point to.
    pub reasons: Vec<Reason>,
}

/// A budget policy's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgeted {
    /// The form of each skill.
    pub forms: Answer<Form>,
    /// How many scalars of a description short lines say at most; the request's short form where it isn't said.
    pub cut: Option<u32>,
}

/// A policy's considered no.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// A setting it can't work with.
    BadSetting {
        /// Its key.
        key: OneLine,
        /// Its value.
        value: Value,
    },
    /// A fact that it can't do without.
    MissingFact(OneLine),
    /// Something else.
    Other(Reason),
}
