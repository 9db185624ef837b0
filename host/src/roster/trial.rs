//! A candidate on questions that are asked anyway, beside who is active: what it decides otherwise, as data.

use serde::Serialize;

use crate::{
    decision::{Reasoned, Slot},
    skill::{Instant, OneLine},
};

/// Decisions that are kept of a trial. All are counted.
const MOST_FLIPS: usize = 1_000;

/// What one generation decided in one slot. `index` and `judge` make it of what they decide.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Answers {
    /// Decisions, in an order that does not depend on who decides.
    pub rows: Vec<Answer>,
    /// Slots that fell back, each with why.
    pub fallbacks: Vec<(Slot, OneLine)>,
}

/// One decision of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The slot.
    pub slot: Slot,
    /// What it is about, in words: a category, a skill, a write.
    pub about: OneLine,
    /// What was decided, in the slot's words.
    pub choice: String,
    /// Why, where there is a reason.
    pub reason: Option<Reasoned>,
}

/// What a candidate decided otherwise than who was active.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trial {
    /// When it was tried.
    pub at: Instant,
    /// The number of the generation that it was compared with.
    pub against: u64,
    /// Decisions that were compared.
    pub asked: usize,
    /// How many of them differ.
    pub changed: usize,
    /// The first of those, a thousand at most.
    pub flips: Vec<Flip>,
    /// Slots that fell back under the candidate, each with why: it refused.
    pub fallbacks: Vec<(Slot, OneLine)>,
}

/// A decision that comes out otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Flip {
    /// The slot.
    pub slot: Slot,
    /// The row, counted in its slot from nothing.
    pub row: usize,
    /// What it is about.
    pub about: OneLine,
    /// What was decided; nothing where only the candidate was asked about it.
    pub from: Option<String>,
    /// What the candidate decides.
    pub to: Option<String>,
    /// The reason that was given.
    pub before: Option<Reasoned>,
    /// The candidate's.
    pub after: Option<Reasoned>,
}

impl Trial {
    /// Compares what was decided, row by row. Another reason for the same choice is no other decision.
    #[must_use]
    pub fn compare(at: Instant, against: u64, before: &Answers, after: &Answers) -> Trial {
        let (mut asked, mut changed, mut flips) = (0, 0, Vec::new());
        for slot in Slot::ALL {
            let of = |answers: &Answers| {
                answers.rows.iter().filter(|row| row.slot == slot).cloned().collect::<Vec<_>>()
            };
            let (before, after) = (of(before), of(after));
            asked += before.len().max(after.len());
            for row in 0..before.len().max(after.len()) {
                let (one, two) = (before.get(row), after.get(row));
                if one.map(|it| &it.choice) == two.map(|it| &it.choice) {
                    continue;
                }
                changed += 1;
                if flips.len() < MOST_FLIPS {
                    flips.push(Flip {
                        slot,
                        row,
                        about: two.or(one).map_or_else(|| OneLine::new(""), |it| it.about.clone()),
                        from: one.map(|it| it.choice.clone()),
                        to: two.map(|it| it.choice.clone()),
                        before: one.and_then(|it| it.reason.clone()),
                        after: two.and_then(|it| it.reason.clone()),
                    });
                }
            }
        }
        Trial { at, against, asked, changed, flips, fallbacks: after.fallbacks.clone() }
    }
}
