//! The demotion slot: how much detail may each category show?

use super::{Detail, reads_tables};
use crate::bindings::slots::demotion as raw;
use crate::context::Context;
use crate::facts::RawRefusal;
use crate::policy::{Policy, Refusal, check_needs, declared, settings};
use crate::reason::{Interned, Reasons};
use crate::rows::{Category, Tables};

/// A rule that says how much of each category the index may show.
pub trait DemotionPolicy: Policy {
    /// Decides. A category without a proposal stays full.
    fn decide(
        request: &Request<'_>,
        settings: &Self::Settings,
    ) -> Result<Answer<Self::Reason>, Refusal<Self::Reason>>;
}

/// What a demotion policy is asked.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    context: Context<'a>,
    tables: Tables<'a>,
}

reads_tables!(Request);

/// What it answers.
#[derive(Clone, Debug)]
pub struct Answer<R> {
    proposals: Vec<raw::Proposal>,
    reasons: Interned<R>,
}

impl<R> Default for Answer<R> {
    fn default() -> Self {
        Self { proposals: Vec::new(), reasons: Interned::default() }
    }
}

impl<R: Reasons> Answer<R> {
    /// Says the most that a category shows.
    pub fn detail(&mut self, category: Category<'_>, detail: Detail, why: R) {
        let why = self.reasons.place(why).position();
        self.proposals.push(raw::Proposal { category: category.row(), detail, why });
    }
}

/// Decides on a request as it crosses the contract.
#[doc(hidden)]
pub fn run<P: DemotionPolicy>(request: &raw::Request) -> Result<raw::Answer, RawRefusal> {
    let raw::Request { context, settings: entries, skills, categories } = request;
    let settings = settings::<P>(entries)?;
    check_needs::<P>(context, skills, categories, &[])?;
    let request = Request {
        context: Context::new(context),
        tables: Tables::new(skills, categories, declared::<P>()),
    };
    let answer = P::decide(&request, &settings).map_err(Refusal::into_raw)?;
    Ok(raw::Answer { proposals: answer.proposals, reasons: answer.reasons.into_raw() })
}
