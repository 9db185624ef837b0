//! Where two rules decide otherwise on the same snapshots.

use std::collections::BTreeMap;

use super::{Contender, History, Terms, replay};
use crate::{
    curator::{Asked, Plan, Subject, make},
    decision::{Reasoned, Slot},
    laws::Bounds,
    skill::{Instant, OneLine, SkillId, State},
};

/// As many examples of a kind of difference are kept.
const EXAMPLES: usize = 5;

/// What one of the two decides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Side {
    /// What, in a word.
    pub choice: String,
    /// Why, if it said so.
    pub reason: Option<Reasoned>,
}

/// One decision that differs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// What it is about, by name.
    pub about: OneLine,
    /// The time of the snapshot, where it has one.
    pub at: Option<Instant>,
    /// What the first decides.
    pub one: Side,
    /// What the second does.
    pub other: Side,
}

/// What a difference is told by: choice and reason of the one, choice and reason of the other.
type Sort = (Slot, [(String, String); 2]);

/// All decisions that differ, by what and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Snapshots that were put to both.
    pub snapshots: usize,
    /// Decisions that were compared: so many rows in all snapshots.
    pub decisions: usize,
    /// How many differ of each sort, and the first of them; of one skill, one.
    sorts: BTreeMap<Sort, (usize, Vec<Difference>)>,
}

impl Differences {
    /// How many differ.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sorts.values().map(|(count, _)| count).sum()
    }

    /// Sorts of differences, the most frequent first: slot, how many, examples.
    #[must_use]
    pub fn sorts(&self) -> Vec<(Slot, usize, &[Difference])> {
        let mut sorts: Vec<_> = self.sorts.iter().collect();
        sorts.sort_by_key(|(sort, (count, _))| (std::cmp::Reverse(*count), *sort));
        sorts.into_iter().map(|(sort, (count, some))| (sort.0, *count, some.as_slice())).collect()
    }

    /// Compares what is decided of one thing.
    pub fn compare(&mut self, slot: Slot, difference: Difference) {
        self.decisions += 1;
        if difference.one.choice == difference.other.choice {
            return;
        }
        let of = |side: &Side| {
            let code = side.reason.as_ref().map_or_else(String::new, |it| it.code.to_string());
            (side.choice.clone(), code)
        };
        let sort = (slot, [of(&difference.one), of(&difference.other)]);
        let (count, examples) = self.sorts.entry(sort).or_default();
        *count += 1;
        let is_new = examples.iter().all(|it| it.about != difference.about);
        if is_new && examples.len() < EXAMPLES {
            examples.push(difference);
        }
    }

    /// Compares two plans for the same skills.
    pub fn plans(&mut self, subjects: &[Subject], [one, other]: [&Plan; 2], at: Instant) {
        self.snapshots += 1;
        let (mut ours, mut theirs) = (fates(one), fates(other));
        for subject in subjects {
            let side = |fates: &mut BTreeMap<SkillId, Side>| {
                fates.remove(&subject.id).unwrap_or_else(stays)
            };
            let (one, other) = (side(&mut ours), side(&mut theirs));
            let about = OneLine::new(&subject.name);
            self.compare(Slot::Curator, Difference { about, at: Some(at), one, other });
        }
    }

    /// Asks two curators on every pass of a history from `since` on. The history goes as the first has it.
    ///
    /// # Errors
    /// Who gave no answer that counts, and why: then there is nothing to compare.
    pub fn on_history(
        history: &History,
        terms: Terms,
        [one, other]: [&Contender<'_>; 2],
        since: Option<Instant>,
    ) -> Result<Differences, (String, String)> {
        let mut found = Differences::default();
        let mut failed = None;
        let score = replay(history, terms, one, &mut |look| {
            if since.is_some_and(|since| look.now < since) {
                return;
            }
            let heard = other.hear(look.subjects, &[], look.now);
            let bounds = (Asked::Person, Bounds::ASKED);
            let plan = make(look.subjects, &heard, terms.combine, bounds, look.now);
            if let Some((who, why)) = plan.failed() {
                failed.get_or_insert_with(|| (who.to_owned(), why.to_owned()));
            }
            found.plans(look.subjects, [look.plan, &plan], look.now);
        });
        match score.failure.or(failed) {
            Some(failed) => Err(failed),
            None => Ok(found),
        }
    }
}

/// What is said of a skill that is left as it is.
fn stays() -> Side {
    Side { choice: "as it is".to_owned(), reason: None }
}

/// What becomes of skills by a plan; those that stay for no reason aside.
fn fates(plan: &Plan) -> BTreeMap<SkillId, Side> {
    let row = |row: &crate::curator::Planned| {
        let choice = match row.to {
            Some(State::Archived) => "archived".to_owned(),
            Some(state) => state.word().to_owned(),
            None => stays().choice,
        };
        (row.id, Side { choice, reason: Some(row.reason.clone()) })
    };
    plan.rows.iter().map(row).collect()
}
