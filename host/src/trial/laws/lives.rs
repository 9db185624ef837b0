//! The laws of rules about what becomes of skills.

use std::collections::{BTreeMap, BTreeSet};

use skillkeep_policy::{curator::Verdict as Curated, facts::Value, testkit::cases::Reply};

use super::Trial;
use crate::trial::sample::{GUARDS, NOW, Sample};

/// The fact that says whether a pass could retire a skill at all.
const CANDIDATE: &str = "candidate";

/// What the law `protected` is about: guards, and that fact.
pub(super) const PROTECTIONS: &[&str] =
    &["pinned", "protected", "referenced", "cron-referenced", CANDIDATE];

/// How far a verdict lets go of a skill, by row.
fn verdicts(trial: &Trial<'_>, sample: &Sample) -> Option<BTreeMap<u32, Curated>> {
    let Reply::Curator(Ok(answer)) = trial.reply(sample) else { return None };
    Some(answer.proposals.iter().map(|it| (it.skill, it.verdict)).collect())
}

fn let_go(verdict: Option<&Curated>) -> u8 {
    match verdict {
        Some(Curated::Keep | Curated::Activate) => 0,
        None => 1,
        Some(Curated::MarkStale) => 2,
        Some(Curated::Archive) => 3,
    }
}

pub(super) fn older(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let Some(before) = verdicts(trial, sample) else { return Ok(()) };
    for (row, (_, name, facts)) in (0_u32..).zip(&sample.skills).take(8) {
        let Some(Value::Integer(last_used)) = facts.get("last-used") else { continue };
        for days in [1, 45, 400] {
            let mut aged = sample.clone();
            if let Some((.., facts)) = aged.skills.get_mut(row as usize) {
                let then = last_used.min(&NOW) - days * 86_400;
                facts.insert("last-used".to_owned(), Value::Integer(then));
            }
            let after = verdicts(trial, &aged).unwrap_or_default();
            let (young, old) = (let_go(before.get(&row)), let_go(after.get(&row)));
            if old < young {
                return Err(format!("`{name}` is let go of, and {days} days older it is not"));
            }
        }
    }
    Ok(())
}

pub(super) fn settled(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let Some(proposed) = verdicts(trial, sample) else { return Ok(()) };
    // Where the policy is not told which skills are stale, it can't know that it was done.
    let knows = trial.policy.subject.asks.iter().any(|asked| asked == "state");
    let mut done = sample.clone();
    let mut went_stale = BTreeSet::new();
    for (row, verdict) in proposed.iter().rev() {
        let place = *row as usize;
        match verdict {
            Curated::Archive if place < done.skills.len() => drop(done.skills.remove(place)),
            Curated::MarkStale | Curated::Activate if knows => {
                let word = if *verdict == Curated::Activate { "active" } else { "stale" };
                if let Some((_, name, facts)) = done.skills.get_mut(place) {
                    facts.insert("state".to_owned(), Value::Text(word.to_owned()));
                    if *verdict == Curated::MarkStale {
                        went_stale.insert(name.clone());
                    }
                }
            }
            _ => {}
        }
    }
    done.drop_empty();
    let again = verdicts(trial, &done).unwrap_or_default();
    let name = |row: &u32| done.skills.get(*row as usize).map(|(_, name, _)| name);
    let more = again.iter().find(|(row, verdict)| match verdict {
        // The next step of the same way; all others lead in a circle.
        Curated::Archive => !name(row).is_some_and(|name| went_stale.contains(name)),
        Curated::MarkStale | Curated::Activate => knows,
        Curated::Keep => false,
    });
    match more.and_then(|(row, _)| name(row)) {
        Some(name) => Err(format!("then it proposes something for `{name}`")),
        None => Ok(()),
    }
}

pub(super) fn protected(trial: &Trial<'_>, sample: &Sample) -> Result<(), String> {
    let asks = &trial.policy.subject.asks;
    let verdicts = verdicts(trial, sample).unwrap_or_default();
    for guard in GUARDS.iter().filter(|guard| asks.iter().any(|key| key == *guard)) {
        for (row, (_, name, facts)) in (0_u32..).zip(&sample.skills) {
            let is_guarded = facts.get(*guard) == Some(&Value::Boolean(true));
            if is_guarded && let_go(verdicts.get(&row)) > 1 {
                return Err(format!("`{name}` is {guard}, and it lets go of it"));
            }
        }
    }
    if asks.iter().any(|key| key == CANDIDATE) {
        for (row, (_, name, facts)) in (0_u32..).zip(&sample.skills) {
            let is_free = facts.get(CANDIDATE) != Some(&Value::Boolean(false));
            if !is_free && let_go(verdicts.get(&row)) > 1 {
                return Err(format!("`{name}` is no candidate, and it lets go of it"));
            }
        }
    }
    Ok(())
}
