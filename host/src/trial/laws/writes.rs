//! The laws of rules that judge writes: each is a function from one write to what is wrong.

use skillkeep_policy::{
    bindings::slots::provenance::Verdict,
    facts::{Entry, Value},
    testkit::cases::{Question, Reply},
};

use super::Trial;
use crate::skill::Origin;

/// What it answers, and how strict that is; nothing where it does not answer.
fn verdict(trial: &Trial<'_>, question: &Question) -> Option<Verdict> {
    match trial.policy.ask(question) {
        Reply::Provenance(Ok(answer)) => Some(answer.verdict),
        _ => None,
    }
}

fn strictness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow(_) => 0,
        Verdict::Stage(_) => 1,
        Verdict::Deny => 2,
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow(_) => "done",
        Verdict::Stage(_) => "staged",
        Verdict::Deny => "refused",
    }
}

fn fact<'a>(question: &'a Question, key: &str) -> Option<&'a Value> {
    let Question::Provenance(request) = question else { return None };
    request.write.iter().find(|fact| fact.key == key).map(|fact| &fact.value)
}

/// The same write with another value of a fact that is told; nothing where it is not.
fn with(question: &Question, key: &str, value: &Value) -> Option<Question> {
    fact(question, key).filter(|told| *told != value)?;
    let mut other = question.clone();
    if let Question::Provenance(request) = &mut other {
        for Entry { key: told, value: old } in &mut request.write {
            if told == key {
                *old = value.clone();
            }
        }
    }
    Some(other)
}

/// The result has an origin that there is, and no edit makes a skill what a pass may retire.
pub(super) fn origins(trial: &Trial<'_>, question: &Question) -> Result<(), String> {
    let Some(Verdict::Allow(word) | Verdict::Stage(word)) = verdict(trial, question) else {
        return Ok(());
    };
    let before = match fact(question, "origin") {
        Some(Value::Text(before)) => Some(before.as_str()),
        _ => None,
    };
    if before == Some(word.as_str()) {
        return Ok(());
    }
    match (Origin::from_word(&word), before) {
        (None, _) => Err(format!("it gives the result the origin `{word}`, which there is not")),
        (Some(Origin::Review | Origin::Bundled | Origin::Adopted), Some(before)) => Err(format!(
            "it gives what is of origin `{before}` the origin `{word}`, which a pass may retire"
        )),
        (Some(Origin::Adopted), None) => {
            Err("it gives the origin `adopted`, which only a person declares".to_owned())
        }
        _ => Ok(()),
    }
}

/// Nobody is let do more than a person.
pub(super) fn person_first(trial: &Trial<'_>, question: &Question) -> Result<(), String> {
    let Some(by_person) = with(question, "actor", &"person".into()) else { return Ok(()) };
    match (verdict(trial, question), verdict(trial, &by_person)) {
        (Some(one), Some(person)) if strictness(&person) > strictness(&one) => {
            Err(format!("the write is {}, and by a person it is {}", word(&one), word(&person)))
        }
        _ => Ok(()),
    }
}

/// What protects a skill never lets a write through.
pub(super) fn protections(trial: &Trial<'_>, question: &Question) -> Result<(), String> {
    let Some(before) = verdict(trial, question) else { return Ok(()) };
    for (key, value) in [
        ("pinned", Value::Boolean(true)),
        ("referenced", Value::Boolean(true)),
        ("approval", Value::Boolean(true)),
        ("read", Value::Boolean(false)),
        ("root", "read-only".into()),
    ] {
        let Some(protected) = with(question, key, &value) else { continue };
        let Some(after) = verdict(trial, &protected) else { continue };
        if strictness(&after) < strictness(&before) {
            let told = match value {
                Value::Boolean(false) => format!("without `{key}`"),
                _ => format!("with `{key}`"),
            };
            let (before, after) = (word(&before), word(&after));
            return Err(format!("the write is {before}, and {told} it is {after}"));
        }
    }
    Ok(())
}
