//! The way back: what Hermes is told of skills, and the marks that keep it from being taken over again.

use std::collections::BTreeMap;

use crate::{
    adapters::{hermes::UsageLine, said::Said},
    ledger::{Mark, Origin, Sums},
    skill::{Instant, SkillId, State},
};

/// A skill that Hermes is told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its id.
    pub id: SkillId,
    /// Its name, which is what Hermes calls it by.
    pub name: String,
    /// Who made it.
    pub origin: Origin,
    /// Active, stale or archived.
    pub state: State,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Since when it is known.
    pub since: Instant,
    /// Since when it is archived.
    pub archived: Option<Instant>,
    /// What its events come to.
    pub sums: Sums,
}

/// The records that are written, in the order of the skills. `said` is what the home says now, and `named` whom its names mean.
///
/// A skill may have several records there, under several spellings: they add up, so the one under its name gets what the
/// others don't tell.
#[must_use]
pub fn lines(
    skills: &[Given],
    said: &Said,
    named: &dyn Fn(&str) -> Option<SkillId>,
) -> Vec<UsageLine> {
    let mut others: BTreeMap<SkillId, [u64; 3]> = BTreeMap::new();
    let names: BTreeMap<SkillId, &str> =
        skills.iter().map(|skill| (skill.id, skill.name.as_str())).collect();
    for record in &said.records {
        let Some(id) = named(&record.key) else { continue };
        if names.get(&id).is_some_and(|name| *name != record.key) {
            let told = others.entry(id).or_default();
            for (sum, count) in told.iter_mut().zip([record.views, record.uses, record.writes]) {
                *sum += u64::from(count.count);
            }
        }
    }
    let line = |skill: &Given| {
        let sums = &skill.sums;
        let told = others.get(&skill.id).copied().unwrap_or_default();
        let all = [
            (sums.views, sums.last_view),
            (sums.uses, sums.last_use),
            (sums.writes, sums.last_write),
        ];
        let mut counts = all;
        for ((count, _), told) in counts.iter_mut().zip(told) {
            *count = count.saturating_sub(told);
        }
        UsageLine {
            key: skill.name.clone(),
            origin: skill.origin,
            counts,
            since: skill.since,
            state: skill.state,
            pinned: skill.pinned,
            archived: skill.archived.filter(|_| skill.state == State::Archived),
        }
    };
    skills.iter().map(line).collect()
}

/// What the records say once they are written: nothing in them is news. `said` is the file as it was written.
#[must_use]
pub fn marks(said: &Said, named: &dyn Fn(&str) -> Option<SkillId>) -> Vec<Mark> {
    let mark = |record: &crate::adapters::said::Record| {
        Some(Mark {
            key: record.key.clone(),
            made: record.made.clone(),
            skill: named(&record.key)?,
            views: record.views.count,
            uses: record.uses.count,
            writes: record.writes.count,
            pinned: record.pinned,
            state: record.state.unwrap_or(State::Active),
        })
    };
    said.records.iter().filter_map(mark).collect()
}
