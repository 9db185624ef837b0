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
    decision::{Allowance, Fate, Reasoned, Slot},
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
        allowance: Allowance::default(),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{DAY, Pruning, prune};
    use crate::{
        curator::{PRUNING, Plan, Subject},
        laws::{Law, Standing},
        skill::{Instant, SkillId, State},
    };

    const NOW: Instant = Instant(1_000 * DAY);

    /// A skill of the review's that nothing was done with for so many seconds.
    fn subject(name: &str, idle: i64) -> Subject {
        let id = SkillId::from_random(name.bytes().map(u64::from).sum());
        Subject {
            uses: 1,
            last_used: Some(Instant(NOW.0 - idle)),
            ..Subject::plain(id, "/root", name, Instant(0))
        }
    }

    fn of(subjects: &[Subject], days: u32, despite_jobs: bool) -> Plan {
        prune(subjects, Pruning { days, despite_jobs }, NOW)
    }

    fn told(plan: &Plan) -> Vec<(&str, Option<State>, Option<Law>)> {
        plan.rows.iter().map(|row| (row.name.as_str(), row.to, row.law)).collect()
    }

    #[test]
    fn days_are_whole_ones_and_the_longest_untouched_come_first() {
        let all = [
            subject("b", 90 * DAY),
            subject("almost", 90 * DAY - 1),
            subject("c", 300 * DAY),
            subject("a", 91 * DAY),
            // Of the future: it counts as now.
            subject("ahead", -5 * DAY),
        ];
        let archived = Some(State::Archived);
        let plan = of(&all, 90, false);
        assert_eq!(
            told(&plan),
            [("c", archived, None), ("a", archived, None), ("b", archived, None)]
        );
        assert_eq!(
            plan.rows.first().unwrap().reason.text.as_str(),
            "nothing was done with it for 300 days"
        );
        assert!(plan.id().starts_with(PRUNING));
        // What was never used goes by the day that it was made.
        let never = Subject { last_used: None, uses: 0, ..subject("never", 0) };
        assert_eq!(told(&of(&[never], 1_000, false)), [("never", archived, None)]);
    }

    #[test]
    fn only_what_is_in_care_and_free_goes_and_what_a_job_names_is_held_but_for_a_person_s_word() {
        let with = |name: &str, change: fn(&mut Standing)| {
            let mut it = subject(name, 300 * DAY);
            change(&mut it.standing);
            it
        };
        let all = [
            with("pinned", |it| it.pinned = true),
            with("read", |it| it.owned = false),
            with("somebody-s", |it| it.declared = false),
            with("protected", |it| it.built_in = true),
            with("job", |it| it.referenced = true),
            with("new", |it| it.fresh = true),
        ];
        let by_name = |plan: &Plan| {
            let mut rows = told(plan)
                .into_iter()
                .map(|(name, to, law)| (name.to_owned(), to, law))
                .collect::<Vec<_>>();
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            rows
        };
        let held = ("job".to_owned(), None, Some(Law::Referenced));
        let new = ("new".to_owned(), Some(State::Stale), Some(Law::Fresh));
        assert_eq!(by_name(&of(&all, 90, false)), [held, new.clone()]);
        let gone = ("job".to_owned(), Some(State::Archived), None);
        assert_eq!(by_name(&of(&all, 90, true)), [gone, new]);
    }
}
