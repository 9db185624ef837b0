//! What holds for the whole request: the time, the seed, and facts that are about no row.

use crate::facts::{Entry, Instant, RawContext, Value, days_between};
use crate::key::{self, Key};

/// The context of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a>(&'a RawContext);

impl<'a> Context<'a> {
    pub(crate) const fn new(raw: &'a RawContext) -> Self {
        Self(raw)
    }

    /// The time of the decision.
    #[must_use]
    pub const fn now(self) -> Instant {
        self.0.now
    }

    /// The same for the same session and another for the next one.
    #[must_use]
    pub const fn seed(self) -> u64 {
        self.0.seed
    }

    /// How many days ago something was; never less than 0.
    #[must_use]
    pub fn days_since(self, then: Instant) -> f64 {
        days_between(then, self.0.now)
    }

    /// A fact, where it is known.
    #[must_use]
    pub fn fact(self, key: &Key) -> Option<&'a Value> {
        find(&self.0.facts, key)
    }

    /// The session's toolsets. Nothing where nobody said, which is not the same as none.
    #[must_use]
    pub fn toolsets(self) -> Option<&'a [String]> {
        texts(self.fact(&key::TOOLSETS))
    }

    /// The session's tools. Nothing where nobody said.
    #[must_use]
    pub fn tools(self) -> Option<&'a [String]> {
        texts(self.fact(&key::TOOLS))
    }

    /// The platform that the skills are shown on.
    #[must_use]
    pub fn platform(self) -> Option<&'a str> {
        text(self.fact(&key::PLATFORM))
    }

    /// The unit of the limit and of every cost: `tokens` or `chars`.
    #[must_use]
    pub fn unit(self) -> Option<&'a str> {
        text(self.fact(&key::UNIT))
    }

    /// What one line costs that counts the skills of all categories whose count lines did not fit.
    #[must_use]
    pub fn cost_rest(self) -> Option<u64> {
        match self.fact(&key::COST_REST) {
            Some(Value::Integer(cost)) => Some(u64::try_from(*cost).unwrap_or(0)),
            _ => None,
        }
    }
}

pub(crate) fn find<'a>(facts: &'a [Entry], key: &Key) -> Option<&'a Value> {
    facts.iter().find(|fact| fact.key == key.name).map(|fact| &fact.value)
}

fn texts(value: Option<&Value>) -> Option<&[String]> {
    if let Some(Value::Texts(texts)) = value { Some(texts) } else { None }
}

fn text(value: Option<&Value>) -> Option<&str> {
    if let Some(Value::Text(text)) = value { Some(text) } else { None }
}
