//! What every policy says about itself, whichever slot it fills.

use crate::column;
use crate::facts::{Entry, RawContext, RawRefusal, RawTable, kebab};
use crate::key::{self, Key, Place};
use crate::reason::{Reasons, to_raw};
use crate::settings::{Parameter, Problem, Settings};

/// What a policy says about itself.
pub trait Policy {
    /// Its settings; [`NoSettings`](crate::settings::NoSettings) if it has none.
    type Settings: Settings;
    /// Its reasons.
    type Reason: Reasons;
    /// As people refer to it.
    const NAME: &'static str;
    /// By semantic versioning; usually `env!("CARGO_PKG_VERSION")`.
    const VERSION: &'static str;
    /// One line.
    const SUMMARY: &'static str;
    /// Without these it can't decide: the SDK refuses for it where one is missing.
    const NEEDS: &'static [Key];
    /// These it uses where they are known. A key in neither list is not sent.
    const WANTS: &'static [Key] = &[];
}

/// A considered no.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal<R> {
    /// A setting that makes no sense with these facts.
    BadSetting(Entry),
    /// A fact without which this request can't be decided.
    MissingFact(Key),
    /// Anything else.
    Other(R),
}

impl<R: Reasons> Refusal<R> {
    pub(crate) fn into_raw(self) -> RawRefusal {
        match self {
            Self::BadSetting(entry) => RawRefusal::BadSetting(entry),
            Self::MissingFact(key) => RawRefusal::MissingFact(key.name.to_owned()),
            Self::Other(reason) => RawRefusal::Other(to_raw(&reason)),
        }
    }
}

/// What `describe` answers, before it is put into the types of the contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// As people refer to the policy.
    pub name: String,
    /// By semantic versioning.
    pub version: String,
    /// One line.
    pub summary: String,
    /// Its settings.
    pub parameters: Vec<Parameter>,
    /// What it can't do without.
    pub needs: Vec<String>,
    /// What it uses where known.
    pub wants: Vec<String>,
    /// Codes with templates.
    pub reasons: Vec<(String, String)>,
}

/// What a policy says about itself, as data.
#[must_use]
pub fn describe<P: Policy>() -> Info {
    let names = |keys: &[Key]| keys.iter().map(|key| key.name.to_owned()).collect();
    let reasons = P::Reason::DECLARED;
    Info {
        name: P::NAME.to_owned(),
        version: P::VERSION.to_owned(),
        summary: P::SUMMARY.to_owned(),
        parameters: P::Settings::parameters(),
        needs: names(P::NEEDS),
        wants: names(P::WANTS),
        reasons: reasons.iter().map(|(code, text, _)| (kebab(code), (*text).to_owned())).collect(),
    }
}

/// What is wrong with these settings, if anything.
#[must_use]
pub fn check_settings<P: Policy>(entries: &[Entry]) -> Vec<Problem> {
    P::Settings::read(entries).1
}

pub(crate) const fn declared<P: Policy>() -> [&'static [Key]; 2] {
    [P::NEEDS, P::WANTS]
}

/// The settings of a request. The host has checked them; a policy is safe where a host has not.
pub(crate) fn settings<P: Policy>(entries: &[Entry]) -> Result<P::Settings, RawRefusal> {
    let (settings, problems) = P::Settings::read(entries);
    let Some(problem) = problems.first() else { return Ok(settings) };
    let given = entries.iter().find(|entry| entry.key == problem.key);
    let entry = given.cloned().unwrap_or_else(|| Entry {
        key: problem.key.clone(),
        value: problem.message.as_str().into(),
    });
    Err(RawRefusal::BadSetting(entry))
}

/// Refuses where a needed key is missing.
pub(crate) fn check_needs<P: Policy>(
    context: &RawContext,
    skills: &RawTable,
    categories: &RawTable,
    write: &[Entry],
) -> Result<(), RawRefusal> {
    let has = |key: &Key, facts: &[Entry]| {
        facts.iter().any(|fact| fact.key == key.name && key.kind.fits(&fact.value))
    };
    let missing = P::NEEDS.iter().find(|key| match key.place {
        Place::Skills => !column::has(skills, key),
        Place::Categories => !column::has(categories, key),
        Place::Context => !has(key, &context.facts),
        // The text to be written comes beside the facts, empty where it is not asked for.
        Place::Write => key.name != key::write::CONTENT.name && !has(key, write),
    });
    missing.map_or(Ok(()), |key| Err(RawRefusal::MissingFact(key.name.to_owned())))
}
