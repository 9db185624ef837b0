//! The curator slot: which skills are kept, go stale, are archived, or become active again?

use super::reads_tables;
use crate::bindings::slots::curator as raw;
use crate::context::Context;
use crate::facts::{RawRefusal, RawTable};
use crate::policy::{Policy, Refusal, check_needs, declared, settings};
use crate::reason::{Interned, Reasons};
use crate::rows::{Skill, Tables};

pub use raw::Verdict;

/// How a skill stands with the passes so far. One that was archived is not in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// In use, as far as anybody knows.
    Active,
    /// Lower in the index, and moved nowhere.
    Stale,
}

/// A rule that says what becomes of skills.
pub trait CuratorPolicy: Policy {
    /// Decides. A skill without a proposal is one that the policy has no opinion about.
    fn decide(
        request: &Request<'_>,
        settings: &Self::Settings,
    ) -> Result<Answer<Self::Reason>, Refusal<Self::Reason>>;
}

/// What a curator policy is asked. It has no categories.
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
    notices: Vec<raw::Notice>,
    reasons: Interned<R>,
}

impl<R> Default for Answer<R> {
    fn default() -> Self {
        Self { proposals: Vec::new(), notices: Vec::new(), reasons: Interned::default() }
    }
}

impl<R: Reasons> Answer<R> {
    /// Votes against every retirement of a skill.
    pub fn keep(&mut self, skill: Skill<'_>, why: R) {
        self.propose(skill, Verdict::Keep, why);
    }

    /// Proposes that a stale skill becomes active.
    pub fn activate(&mut self, skill: Skill<'_>, why: R) {
        self.propose(skill, Verdict::Activate, why);
    }

    /// Proposes that a skill goes stale: lower in the index, moved nowhere.
    pub fn mark_stale(&mut self, skill: Skill<'_>, why: R) {
        self.propose(skill, Verdict::MarkStale, why);
    }

    /// Proposes that a skill is archived, from where it can be restored.
    pub fn archive(&mut self, skill: Skill<'_>, why: R) {
        self.propose(skill, Verdict::Archive, why);
    }

    /// Points something out to a person; it changes nothing.
    pub fn notice(&mut self, skill: Skill<'_>, kind: &str, why: R) {
        let why = self.reasons.place(why).position();
        self.notices.push(raw::Notice { skill: skill.row(), kind: kind.to_owned(), why });
    }

    fn propose(&mut self, skill: Skill<'_>, verdict: Verdict, why: R) {
        let why = self.reasons.place(why).position();
        self.proposals.push(raw::Proposal { skill: skill.row(), verdict, why });
    }
}

/// Decides on a request as it crosses the contract.
#[doc(hidden)]
pub fn run<P: CuratorPolicy>(request: &raw::Request) -> Result<raw::Answer, RawRefusal> {
    let raw::Request { context, settings: entries, skills } = request;
    let settings = settings::<P>(entries)?;
    let categories = RawTable { len: 0, columns: Vec::new() };
    check_needs::<P>(context, skills, &categories, &[])?;
    let request = Request {
        context: Context::new(context),
        tables: Tables::new(skills, &categories, declared::<P>()),
    };
    let answer = P::decide(&request, &settings).map_err(Refusal::into_raw)?;
    Ok(raw::Answer {
        proposals: answer.proposals,
        notices: answer.notices,
        reasons: answer.reasons.into_raw(),
    })
}
