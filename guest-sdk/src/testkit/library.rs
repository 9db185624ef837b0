//! A library as a test tells it: skills, categories, and what is known about them. Nothing is decided here.

use crate::facts::{Instant, Value};
use crate::key;
use crate::slots::{Detail, Form};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The time of every request where a test sets none: 2026-05-28T20:26:40Z.
pub const NOW: Instant = 1_780_000_000;

pub(crate) type Facts = BTreeMap<Cow<'static, str>, Value>;

/// A library and the session that it is shown to.
#[derive(Clone, Debug)]
pub struct Library {
    pub(crate) now: Instant,
    pub(crate) seed: u64,
    pub(crate) limit: u32,
    pub(crate) fixed: u32,
    pub(crate) context: Facts,
    pub(crate) categories: Vec<CategoryFacts>,
    pub(crate) skills: Vec<SkillFacts>,
}

/// What is known about a category.
#[derive(Clone, Debug)]
pub struct CategoryFacts {
    pub(crate) name: String,
    pub(crate) facts: Facts,
}

/// What is known about a skill.
#[derive(Clone, Debug)]
pub struct SkillFacts {
    pub(crate) name: String,
    pub(crate) category: usize,
    pub(crate) facts: Facts,
}

impl Default for Library {
    fn default() -> Self {
        Self::new()
    }
}

impl Library {
    /// Nothing yet, and nothing known about the session.
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: NOW,
            seed: 0,
            limit: u32::MAX,
            fixed: 0,
            context: Facts::from([(key::COST_REST.name.into(), Value::Integer(24))]),
            categories: Vec::new(),
            skills: Vec::new(),
        }
    }

    /// The time of the decision.
    #[must_use]
    pub const fn now(mut self, now: Instant) -> Self {
        self.now = now;
        self
    }

    /// The session's seed.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What the block may cost.
    #[must_use]
    pub const fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    /// What the block costs before its first skill.
    #[must_use]
    pub const fn fixed(mut self, fixed: u32) -> Self {
        self.fixed = fixed;
        self
    }

    /// The session's toolsets. Without this nobody said which.
    #[must_use]
    pub fn toolsets<const N: usize>(self, toolsets: [&str; N]) -> Self {
        self.fact(key::TOOLSETS.name, toolsets)
    }

    /// The session's tools. Without this nobody said which.
    #[must_use]
    pub fn tools<const N: usize>(self, tools: [&str; N]) -> Self {
        self.fact(key::TOOLS.name, tools)
    }

    /// A fact about the session.
    #[must_use]
    pub fn fact(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.context.insert(key.into(), value.into());
        self
    }

    /// A category, with what is known about it.
    #[must_use]
    pub fn category(
        mut self,
        name: &str,
        tell: impl FnOnce(CategoryFacts) -> CategoryFacts,
    ) -> Self {
        let row = self.row_of(name);
        if let Some(category) = self.categories.get_mut(row) {
            *category = tell(category.clone());
        }
        self
    }

    /// A skill of a category, with what is known about it. The category is made where it is new.
    #[must_use]
    pub fn skill(
        mut self,
        category: &str,
        name: &str,
        tell: impl FnOnce(SkillFacts) -> SkillFacts,
    ) -> Self {
        let category = self.row_of(category);
        let skill = SkillFacts { name: name.to_owned(), category, facts: Facts::new() };
        self.skills.push(tell(skill));
        self
    }

    /// The same skills in another order: the skill of row `order[i]` becomes that of row `i`.
    #[must_use]
    pub fn reordered(mut self, order: &[usize]) -> Self {
        self.skills = order.iter().filter_map(|row| self.skills.get(*row).cloned()).collect();
        self
    }

    /// How many skills there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.skills.len()
    }

    /// Whether there is no skill.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    fn row_of(&mut self, name: &str) -> usize {
        // From the end: who tells a large library tells one category after the other.
        let found = self.categories.iter().rposition(|category| category.name == name);
        found.unwrap_or_else(|| {
            self.categories.push(CategoryFacts { name: name.to_owned(), facts: Facts::new() });
            self.categories.len() - 1
        })
    }
}

impl CategoryFacts {
    /// What the user asked for the category.
    #[must_use]
    pub fn user_detail(self, detail: Detail) -> Self {
        self.fact(key::USER_DETAIL.name, detail as i64)
    }

    /// The most that the previous index showed of it.
    #[must_use]
    pub fn previous_detail(self, detail: Detail) -> Self {
        self.fact(key::PREVIOUS_DETAIL.name, detail as i64)
    }

    /// What its header, its names line and its count line cost. Without this they cost what they are long.
    #[must_use]
    pub fn costs(self, header: i64, names: i64, count: i64) -> Self {
        self.fact(key::COST_HEADER.name, header)
            .fact(key::COST_NAMES.name, names)
            .fact(key::COST_COUNT.name, count)
    }

    /// Any fact.
    #[must_use]
    pub fn fact(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.facts.insert(key.into(), value.into());
        self
    }
}

impl SkillFacts {
    /// How often it was used, and how long ago the last time.
    #[must_use]
    pub fn used(self, uses: i64, seconds_ago: i64) -> Self {
        self.fact(key::USES.name, uses).fact(key::LAST_USED.name, NOW - seconds_ago)
    }

    /// A person pinned it.
    #[must_use]
    pub fn pinned(self) -> Self {
        self.fact(key::PINNED.name, true)
    }

    /// Its description.
    #[must_use]
    pub fn description(self, description: &str) -> Self {
        self.fact(key::DESCRIPTION.name, description)
    }

    /// The form that it had in the previous index.
    #[must_use]
    pub fn previous_form(self, form: Form) -> Self {
        self.fact(key::PREVIOUS_FORM.name, form as i64)
    }

    /// The most telling form allowed.
    #[must_use]
    pub fn form_cap(self, form: Form) -> Self {
        self.fact(key::FORM_CAP.name, form as i64)
    }

    /// What its full line, its short line and its name cost. Without this they cost what they are long.
    #[must_use]
    pub fn costs(self, full: i64, short: i64, name: i64) -> Self {
        self.fact(key::COST_FULL.name, full)
            .fact(key::COST_SHORT.name, short)
            .fact(key::COST_NAME.name, name)
    }

    /// Any fact.
    #[must_use]
    pub fn fact(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.facts.insert(key.into(), value.into());
        self
    }
}
