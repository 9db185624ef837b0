//! The way back: what Hermes is told of skills, and the marks that keep it from being taken over again.

use std::collections::{BTreeMap, BTreeSet};

use super::totals::Before;
use crate::{
    adapters::{
        hermes::UsageLine,
        said::{Record, Said},
    },
    ledger::{Mark, Origin, Sums, Taken},
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

/// What Hermes is told, and of whom it isn't.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Records, in the order of the skills.
    pub written: Vec<UsageLine>,
    /// Skills whose record tells what was not taken over, such as counts without a time: it stays as it is.
    pub kept: Vec<SkillId>,
}

/// The records that are written. `said` is what the home says now, `taken` what was taken over, and `named` whom its names
/// mean.
///
/// A skill may have several records there, under several spellings: they add up, so the one under its name gets what the
/// others don't tell.
#[must_use]
pub fn lines(
    skills: &[Given],
    said: &Said,
    taken: &Taken,
    named: &dyn Fn(&str) -> Option<SkillId>,
) -> Lines {
    let before = Before::new(said, taken);
    let names: BTreeMap<SkillId, &str> =
        skills.iter().map(|skill| (skill.id, skill.name.as_str())).collect();
    let mut others: BTreeMap<SkillId, [u64; 3]> = BTreeMap::new();
    let mut lines = Lines::default();
    for record in &said.records {
        let Some(id) = named(&record.key) else { continue };
        let told = [record.views, record.uses, record.writes].map(|it| it.count);
        let known = before.mark(record, id).map_or([0; 3], |it| [it.views, it.uses, it.writes]);
        if names.get(&id).is_some_and(|name| *name == record.key) {
            if told.iter().zip(known).any(|(told, known)| *told > known) {
                lines.kept.push(id);
            }
            continue;
        }
        let sums = others.entry(id).or_default();
        for ((sum, told), known) in sums.iter_mut().zip(told).zip(known) {
            *sum += u64::from(told.min(known));
        }
    }
    for skill in skills.iter().filter(|skill| !lines.kept.contains(&skill.id)) {
        let sums = &skill.sums;
        let mut counts = [
            (sums.views, sums.last_view),
            (sums.uses, sums.last_use),
            (sums.writes, sums.last_write),
        ];
        let others = others.get(&skill.id).copied().unwrap_or_default();
        for ((count, _), told) in counts.iter_mut().zip(others) {
            *count = count.saturating_sub(told);
        }
        lines.written.push(UsageLine {
            key: skill.name.clone(),
            origin: skill.origin,
            counts,
            since: skill.since,
            state: skill.state,
            pinned: skill.pinned,
            archived: skill.archived.filter(|_| skill.state == State::Archived),
        });
    }
    lines
}

/// The marks of these records once they are written: nothing in them is news. `said` is the file as it is then.
#[must_use]
pub fn marks(
    written: &[UsageLine],
    said: &Said,
    named: &dyn Fn(&str) -> Option<SkillId>,
) -> Vec<Mark> {
    let keys: BTreeSet<&str> = written.iter().map(|line| line.key.as_str()).collect();
    let mark = |record: &Record| {
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
    let ours = said.records.iter().filter(|record| keys.contains(record.key.as_str()));
    ours.filter_map(mark).collect()
}
