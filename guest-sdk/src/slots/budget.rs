//! The budget slot: which form does each skill's line take, so that the whole block stays within a limit?

mod block;

pub use block::Block;

use super::{Form, reads_tables};
use crate::bindings::slots::budget as raw;
use crate::context::Context;
use crate::facts::RawRefusal;
use crate::policy::{Policy, Refusal, check_needs, declared, settings};
use crate::reason::{Interned, Reasons, Why};
use crate::rows::{Skill, Tables};
use std::ops::RangeInclusive;

/// A rule that chooses a form for each skill.
pub trait BudgetPolicy: Policy {
    /// Decides. Every skill must be given exactly one form.
    fn decide(
        request: &Request<'_>,
        settings: &Self::Settings,
    ) -> Result<Answer<Self::Reason>, Refusal<Self::Reason>>;
}

/// What a budget policy is asked.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    context: Context<'a>,
    limit: u64,
    fixed: u64,
    tables: Tables<'a>,
}

reads_tables!(Request);

impl Request<'_> {
    /// What the whole block may cost.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit
    }

    /// What it costs before the first skill.
    #[must_use]
    pub const fn fixed(&self) -> u64 {
        self.fixed
    }

    /// What a line costs that says so many scalars of the description. Where the unit is tokens this is an estimate, by how
    /// dense the whole description is; else it is never too little. The host counts again, and shortens a cut that costs
    /// too much.
    #[must_use]
    pub fn cost_cut(&self, skill: Skill<'_>, cut: u64) -> u64 {
        let (full, length) = (skill.cost(Form::Full), skill.description_length());
        let lost = length.saturating_sub(cut);
        if lost == 0 {
            return full;
        }
        let bare = skill.cost_bare();
        let saved = if self.context.unit() == Some("tokens") {
            lost.saturating_mul(full.saturating_sub(bare)) / length
        } else {
            lost
        };
        full.saturating_sub(saved).max(bare)
    }
}

/// What it answers.
#[derive(Clone, Debug)]
pub struct Answer<R> {
    proposals: Vec<raw::Proposal>,
    reasons: Interned<R>,
    cut: Option<u32>,
}

impl<R> Default for Answer<R> {
    fn default() -> Self {
        Self { proposals: Vec::new(), reasons: Interned::default(), cut: None }
    }
}

impl<R: Reasons> Answer<R> {
    /// An answer with room for so many skills.
    #[must_use]
    pub fn with_capacity(skills: usize) -> Self {
        Self { proposals: Vec::with_capacity(skills), ..Self::default() }
    }

    /// Cuts short lines after so many Unicode scalars of the description, rather than where the request has them cut.
    pub fn cut(&mut self, scalars: u64) {
        self.cut = Some(u32::try_from(scalars).unwrap_or(u32::MAX));
    }

    /// Gives a skill its form.
    pub fn form(&mut self, skill: Skill<'_>, form: Form, why: R) {
        let why = self.why(why);
        self.form_of_row(skill.row(), form, why);
    }

    /// Keeps a reason that many skills share, for [`form_of_row`](Self::form_of_row).
    pub fn why(&mut self, why: R) -> Why {
        self.reasons.place(why)
    }

    /// Gives the skill of a row its form, for a reason kept before. Quicker than [`form`](Self::form) for many rows.
    pub fn form_of_row(&mut self, row: u32, form: Form, why: Why) {
        self.proposals.push(raw::Proposal { skill: row, form, why: why.position() });
    }
}

/// The longest cut in a range that fits, where a shorter one fits if a longer one does; nothing if none does.
pub fn longest_cut(range: RangeInclusive<u64>, mut fits: impl FnMut(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = range.into_inner();
    if low > high || !fits(low) {
        return None;
    }
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

/// Decides on a request as it crosses the contract.
#[doc(hidden)]
pub fn run<P: BudgetPolicy>(request: &raw::Request) -> Result<raw::Answer, RawRefusal> {
    let raw::Request { context, settings: entries, limit, fixed, skills, categories } = request;
    let settings = settings::<P>(entries)?;
    check_needs::<P>(context, skills, categories, &[])?;
    let request = Request {
        context: Context::new(context),
        limit: u64::from(*limit),
        fixed: u64::from(*fixed),
        tables: Tables::new(skills, categories, declared::<P>()),
    };
    let answer = P::decide(&request, &settings).map_err(Refusal::into_raw)?;
    Ok(raw::Answer {
        proposals: answer.proposals,
        reasons: answer.reasons.into_raw(),
        cut: answer.cut,
    })
}
