//! Runs a policy on a library and gives its answer by names.

use super::columns::{Asked, categories, context, skills};
use super::contract::{reason, reasons, refusal, rows, why};
use super::cost::block_cost_cut;
use super::library::Library;
use crate::bindings::slots::{budget as raw_budget, curator as raw_curator};
use crate::bindings::slots::{demotion as raw_demotion, provenance as raw_provenance};
use crate::facts::Entry;
use crate::slots::budget::BudgetPolicy;
use crate::slots::curator::{CuratorPolicy, Verdict};
use crate::slots::demotion::DemotionPolicy;
use crate::slots::provenance::ProvenancePolicy;
use crate::slots::{Detail, Form};

/// A considered no, as a test compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The setting's key.
    BadSetting(String),
    /// The fact's key.
    MissingFact(String),
    /// The reason's text.
    Other(String),
}

/// One category's detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demoted {
    /// The category's path.
    pub category: String,
    /// The most that is shown.
    pub detail: Detail,
    /// The reason's text.
    pub why: String,
}

/// Runs a demotion policy; its proposals in the order of the categories.
pub fn demotion<P: DemotionPolicy>(
    library: &Library,
    settings: &[Entry],
) -> Result<Vec<Demoted>, Refused> {
    let request = raw_demotion::Request {
        context: context(library, &Asked::by::<P>()),
        settings: settings.to_vec(),
        skills: skills(library, &Asked::by::<P>()),
        categories: categories(library, &Asked::by::<P>()),
    };
    let mut answer = crate::slots::demotion::run::<P>(&request).map_err(refusal::<P>)?;
    let texts = reasons::<P>(&answer.reasons);
    rows(answer.proposals.iter().map(|proposal| proposal.category), library.categories.len());
    answer.proposals.sort_by_key(|proposal| proposal.category);
    let demoted = answer.proposals.iter().filter_map(|proposal| {
        let category = library.categories.get(proposal.category as usize)?.name.clone();
        Some(Demoted { category, detail: proposal.detail, why: why(&texts, proposal.why) })
    });
    Ok(demoted.collect())
}

/// One skill's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The skill's name.
    pub skill: String,
    /// Its form.
    pub form: Form,
    /// The reason's text.
    pub why: String,
}

/// What a budget policy made of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgeted {
    /// In the order of the skills.
    pub lines: Vec<Line>,
    /// After how many scalars short lines are cut, where the policy says so.
    pub cut: Option<u32>,
    /// What the block costs, counted by the test kit.
    pub cost: i64,
}

impl Budgeted {
    /// The forms, in the order of the skills.
    #[must_use]
    pub fn forms(&self) -> Vec<Form> {
        self.lines.iter().map(|line| line.form).collect()
    }
}

fn budget_request<P: BudgetPolicy>(library: &Library, settings: &[Entry]) -> raw_budget::Request {
    raw_budget::Request {
        context: context(library, &Asked::by::<P>()),
        settings: settings.to_vec(),
        limit: library.limit,
        fixed: library.fixed,
        skills: skills(library, &Asked::by::<P>()),
        categories: categories(library, &Asked::by::<P>()),
    }
}

/// Runs a budget policy. It does not judge whether the block stays within the limit: compare [`Budgeted::cost`].
pub fn budget<P: BudgetPolicy>(library: &Library, settings: &[Entry]) -> Result<Budgeted, Refused> {
    let request = budget_request::<P>(library, settings);
    let mut answer = crate::slots::budget::run::<P>(&request).map_err(refusal::<P>)?;
    let texts = reasons::<P>(&answer.reasons);
    let proposals =
        rows(answer.proposals.iter().map(|proposal| proposal.skill), library.skills.len());
    assert_eq!(proposals, library.skills.len(), "some skills have no form");
    answer.proposals.sort_by_key(|proposal| proposal.skill);
    let lines: Vec<Line> = library
        .skills
        .iter()
        .zip(&answer.proposals)
        .map(|(skill, proposal)| Line {
            skill: skill.name.clone(),
            form: proposal.form,
            why: why(&texts, proposal.why),
        })
        .collect();
    let forms: Vec<Form> = lines.iter().map(|line| line.form).collect();
    Ok(Budgeted { cost: block_cost_cut(library, &forms, answer.cut), cut: answer.cut, lines })
}

/// One skill's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposed {
    /// The skill's name.
    pub skill: String,
    /// What should become of it.
    pub verdict: Verdict,
    /// The reason's text.
    pub why: String,
}

/// What a curator policy made of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curated {
    /// In the order of the skills.
    pub proposals: Vec<Proposed>,
    /// Skill, kind and the reason's text.
    pub notices: Vec<(String, String, String)>,
}

/// Runs a curator policy.
pub fn curator<P: CuratorPolicy>(
    library: &Library,
    settings: &[Entry],
) -> Result<Curated, Refused> {
    let request = raw_curator::Request {
        context: context(library, &Asked::by::<P>()),
        settings: settings.to_vec(),
        skills: skills(library, &Asked::by::<P>()),
    };
    let mut answer = crate::slots::curator::run::<P>(&request).map_err(refusal::<P>)?;
    let texts = reasons::<P>(&answer.reasons);
    rows(answer.proposals.iter().map(|proposal| proposal.skill), library.skills.len());
    answer.proposals.sort_by_key(|proposal| proposal.skill);
    let name = |row: u32| match library.skills.get(row as usize) {
        Some(skill) => skill.name.clone(),
        None => panic!("row {row} is beyond the table of {}", library.skills.len()),
    };
    Ok(Curated {
        proposals: answer
            .proposals
            .iter()
            .map(|proposal| Proposed {
                skill: name(proposal.skill),
                verdict: proposal.verdict,
                why: why(&texts, proposal.why),
            })
            .collect(),
        notices: answer
            .notices
            .iter()
            .map(|notice| (name(notice.skill), notice.kind.clone(), why(&texts, notice.why)))
            .collect(),
    })
}

/// How a write was judged, with the reason's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Done; the result has this origin.
    Allowed(String, String),
    /// Waits for a person; the result will have this origin.
    Staged(String, String),
    /// Not done.
    Denied(String),
}

/// Runs a provenance policy on a write.
pub fn provenance<P: ProvenancePolicy>(
    library: &Library,
    settings: &[Entry],
    write: &[Entry],
    content: &str,
) -> Result<Judged, Refused> {
    let request = raw_provenance::Request {
        context: context(library, &Asked::by::<P>()),
        settings: settings.to_vec(),
        write: write.to_vec(),
        content: content.to_owned(),
    };
    let answer = crate::slots::provenance::run::<P>(&request).map_err(refusal::<P>)?;
    let why = reason::<P>(&answer.why);
    Ok(match answer.verdict {
        raw_provenance::Verdict::Allow(origin) => Judged::Allowed(origin, why),
        raw_provenance::Verdict::Stage(origin) => Judged::Staged(origin, why),
        raw_provenance::Verdict::Deny => Judged::Denied(why),
    })
}
