//! What a person clears out by hand: all that is in the curator's care and was not touched for so many days. It is a rule of
//! the host, held under the laws like any policy's.

use std::collections::BTreeMap;

use super::{
    ask::Heard,
    facts::Subject,
    plan::{Asked, Plan, make},
};
use crate::{
    config::Combine,
    decision::{Fate, Reasoned, Slot},
    index::SlotNote,
    laws::{Bounds, Opinion, not_after},
    skill::{Instant, OneLine},
};

/// Where the rule is from, as a plan says it.
pub const SOURCE: &str = "host";

const DAY: i64 = 86_400;

/// What a person asks to be cleared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Whole days, at least, for which nothing was done with a skill.
    pub days: u32,
    /// Whether what jobs name goes as well: a person's word against the law `referenced`.
    pub despite_jobs: bool,
}

/// The plan of it, the longest untouched first. What is pinned is no candidate; what a job names is one that is held.
#[must_use]
pub fn prune(subjects: &[Subject], how: Pruning, now: Instant) -> Plan {
    let idle = |it: &Subject| {
        let (active, _) = not_after(now, it.active());
        now.since(active).div_euclid(DAY)
    };
    let mut opinion = Opinion::default();
    for it in subjects {
        let days = idle(it);
        let wanted = it.in_care() && !it.standing.pinned && days >= i64::from(how.days);
        opinion.fates.push(wanted.then(|| {
            let why = u32::try_from(opinion.reasons.len()).unwrap_or(u32::MAX);
            let text = format!("nothing was done with it for {days} days");
            let reason = Reasoned { code: OneLine::new("untouched"), text: OneLine::new(&text) };
            opinion.reasons.push(Some(reason));
            (Fate::Archive, why)
        }));
    }
    let note = SlotNote {
        slot: Slot::Curator,
        policy: "prune".to_owned(),
        source: SOURCE.to_owned(),
        digest: None,
        generation: None,
        fallback: None,
        fuel: 0,
        fuel_limit: 0,
        rows: subjects.len(),
        micros: 0,
    };
    let heard = Heard { opinions: vec![Some(opinion)], notes: vec![note], bites: Vec::new() };
    let free = |it: &Subject| Subject {
        standing: it.standing.despite_jobs(how.despite_jobs),
        ..it.clone()
    };
    let held: Vec<Subject> = subjects.iter().map(free).collect();
    let mut plan = make(&held, &heard, Combine::Any, (Asked::Person, Bounds::ASKED), now);
    plan.despite_jobs = how.despite_jobs;
    let order: BTreeMap<_, _> = subjects.iter().map(|it| (it.id, (it.active(), it.id))).collect();
    plan.rows.sort_by_key(|row| order.get(&row.id).copied());
    plan
}
