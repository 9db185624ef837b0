//! The provenance slot: may this actor write this, and whose is the result?

use crate::bindings::slots::provenance as raw;
use crate::context::{Context, find};
use crate::facts::{Entry, RawRefusal, RawTable, Value};
use crate::key::{Key, write as key};
use crate::policy::{Policy, Refusal, check_needs, settings};
use crate::reason::{Reasons, to_raw};

/// A rule that judges one write.
pub trait ProvenancePolicy: Policy {
    /// Decides.
    fn decide(
        request: &Request<'_>,
        settings: &Self::Settings,
    ) -> Result<Answer<Self::Reason>, Refusal<Self::Reason>>;
}

/// What a provenance policy is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    context: Context<'a>,
    write: &'a [Entry],
    content: &'a str,
}

impl<'a> Request<'a> {
    /// The time, the seed, and the facts that are not about the write.
    #[must_use]
    pub const fn context(self) -> Context<'a> {
        self.context
    }

    /// A fact about the write, where it is known.
    #[must_use]
    pub fn fact(self, key: &Key) -> Option<&'a Value> {
        find(self.write, key)
    }

    /// A fact about the write that is a text.
    #[must_use]
    pub fn text(self, key: &Key) -> Option<&'a str> {
        if let Some(Value::Text(text)) = self.fact(key) { Some(text) } else { None }
    }

    /// Whether a fact about the write is known to be true.
    #[must_use]
    pub fn is(self, key: &Key) -> bool {
        self.fact(key) == Some(&Value::Boolean(true))
    }

    /// Who writes: `person`, `foreground`, `review`, `curator`, `job` or `sync`.
    #[must_use]
    pub fn actor(self) -> &'a str {
        self.text(&key::ACTOR).unwrap_or_default()
    }

    /// What is done: `create`, `edit`, `retire` or `restore`.
    #[must_use]
    pub fn action(self) -> &'a str {
        self.text(&key::ACTION).unwrap_or_default()
    }

    /// Who made what is there, as it was declared: `unknown` where nobody said. Nothing where nothing is there.
    #[must_use]
    pub fn origin(self) -> Option<&'a str> {
        self.text(&key::ORIGIN)
    }

    /// Whether a person pinned the skill.
    #[must_use]
    pub fn pinned(self) -> bool {
        self.is(&key::PINNED)
    }

    /// Whether a scheduled job names the skill.
    #[must_use]
    pub fn referenced(self) -> bool {
        self.is(&key::REFERENCED)
    }

    /// Whether who writes has read what is there.
    #[must_use]
    pub fn read(self) -> bool {
        self.is(&key::READ)
    }

    /// Whether the skill lies in a folder that is only read.
    #[must_use]
    pub fn read_only(self) -> bool {
        self.text(&key::ROOT) == Some("read-only")
    }

    /// The file that is written, below the skill's folder; nothing where it is the whole skill.
    #[must_use]
    pub fn path(self) -> Option<&'a str> {
        self.text(&key::PATH)
    }

    /// Of a skill that is retired, whether another one takes its place: `none`, `missing` or `present`.
    #[must_use]
    pub fn successor(self) -> Option<&'a str> {
        self.text(&key::SUCCESSOR)
    }

    /// Whether the operator wants to see what agents write before it is done.
    #[must_use]
    pub fn approval(self) -> bool {
        self.is(&key::APPROVAL)
    }

    /// Whether the operator lets bundled skills be retired.
    #[must_use]
    pub fn retire_bundled(self) -> bool {
        self.is(&key::RETIRE_BUNDLED)
    }

    /// Whose the result is where a rule wants nothing else: what is there keeps its origin, and what is new is its maker's.
    /// Ask for `actor` and `origin` to use it.
    #[must_use]
    pub fn own_origin(self) -> &'a str {
        self.origin().unwrap_or_else(|| match self.actor() {
            "person" => "person",
            "foreground" | "job" => "foreground",
            "review" | "curator" => "review",
            "sync" => "installed",
            _ => "unknown",
        })
    }

    /// The text to be written; empty unless the policy needs `content`.
    #[must_use]
    pub const fn content(self) -> &'a str {
        self.content
    }
}

/// What it answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<R> {
    /// The write is done, and the result has this origin.
    Allow {
        /// Whose the result is.
        origin: String,
        /// Why.
        why: R,
    },
    /// The write waits for a person, and the result will have this origin.
    Stage {
        /// Whose the result will be.
        origin: String,
        /// Why.
        why: R,
    },
    /// The write is not done.
    Deny {
        /// Why.
        why: R,
    },
}

impl<R> Answer<R> {
    /// Lets the write happen.
    #[must_use]
    pub fn allow(origin: impl Into<String>, why: R) -> Self {
        Self::Allow { origin: origin.into(), why }
    }

    /// Leaves the write to a person.
    #[must_use]
    pub fn stage(origin: impl Into<String>, why: R) -> Self {
        Self::Stage { origin: origin.into(), why }
    }

    /// Refuses the write.
    #[must_use]
    pub const fn deny(why: R) -> Self {
        Self::Deny { why }
    }
}

/// Decides on a request as it crosses the contract.
#[doc(hidden)]
pub fn run<P: ProvenancePolicy>(request: &raw::Request) -> Result<raw::Answer, RawRefusal> {
    let raw::Request { context, settings: entries, write, content } = request;
    let settings = settings::<P>(entries)?;
    let no_rows = RawTable { len: 0, columns: Vec::new() };
    check_needs::<P>(context, &no_rows, &no_rows, write)?;
    let request = Request { context: Context::new(context), write, content };
    Ok(answer_to_raw(P::decide(&request, &settings).map_err(Refusal::into_raw)?))
}

fn answer_to_raw<R: Reasons>(answer: Answer<R>) -> raw::Answer {
    match answer {
        Answer::Allow { origin, why } => {
            raw::Answer { verdict: raw::Verdict::Allow(origin), why: to_raw(&why) }
        }
        Answer::Stage { origin, why } => {
            raw::Answer { verdict: raw::Verdict::Stage(origin), why: to_raw(&why) }
        }
        Answer::Deny { why } => raw::Answer { verdict: raw::Verdict::Deny, why: to_raw(&why) },
    }
}
