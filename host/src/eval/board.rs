//! One rule at one limit: what it shows, how it fares with tasks, and why what it missed was missed.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{bm25::Bm25, rank::Rank, tasks::Task};
use crate::decision::Form;

/// What one skill's place in a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its row in the library.
    pub skill: usize,
    /// Its name, as it is printed.
    pub name: String,
    /// Its category's path, as it is printed.
    pub category: String,
    /// Its form.
    pub form: Form,
    /// What can be read of it; nothing of one that is counted.
    pub text: Option<String>,
}

/// What a rule made of a library within a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// What the rule is called.
    pub label: String,
    /// The limit; none for a rule that keeps to none.
    pub limit: Option<u32>,
    /// What the block costs.
    pub cost: u64,
    /// The block.
    pub block: String,
    /// The visible skills.
    pub skills: Vec<Shown>,
    /// Why the host's fallback decided, where it did.
    pub fallback: Option<String>,
}

/// What came of one task.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Ranked; what came first, where that is another one.
    Ranked {
        /// The rank.
        rank: Rank,
        /// Row of the board that came before it or beside it.
        rival: Option<usize>,
    },
    /// The model named another skill, or none, or nothing that can be read.
    Said(String),
    /// The model couldn't be asked.
    NotAsked(String),
    /// Nothing that is printed of it has a word of the query.
    NoWord(Form),
    /// It is counted.
    Counted,
    /// It is not among the visible skills.
    NotOffered,
}

impl Outcome {
    /// How likely it is among the first so many.
    #[must_use]
    pub fn within(&self, first: usize) -> f64 {
        match self {
            Outcome::Ranked { rank, .. } => rank.within(first),
            _ => 0.0,
        }
    }
}

/// How a rule fared: shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// The right skill came first.
    pub top_1: f64,
    /// It was among the first five; none where only one was asked for.
    pub top_5: Option<f64>,
    /// Tasks that could not be asked; they count as missed.
    pub not_asked: usize,
}

impl Scores {
    /// Adds up what came of the tasks.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts of tasks are far below 2^53")]
    pub fn of(outcomes: &[Outcome], ranked: bool) -> Scores {
        let share = |first| {
            let found: f64 = outcomes.iter().map(|outcome| outcome.within(first)).sum();
            found / outcomes.len().max(1) as f64
        };
        let not_asked =
            outcomes.iter().filter(|outcome| matches!(outcome, Outcome::NotAsked(_))).count();
        Scores { top_1: share(1), top_5: ranked.then(|| share(5)), not_asked }
    }
}

impl Board {
    /// How many skills are described, are there by name alone, and are counted. A line of a skill without any description
    /// is a name.
    #[must_use]
    pub fn forms(&self) -> [usize; 3] {
        let (mut described, mut named, mut hidden) = (0, 0, 0);
        for shown in &self.skills {
            match &shown.text {
                None => hidden += 1,
                Some(text) if *text == shown.name => named += 1,
                Some(_) => described += 1,
            }
        }
        [described, named, hidden]
    }

    /// The board's row of a skill of the library.
    #[must_use]
    pub fn row_of(&self, skill: usize) -> Option<usize> {
        self.skills.iter().position(|shown| shown.skill == skill)
    }
}

/// Ranks every task's skill by the words of what is visible.
#[must_use]
pub fn by_words(board: &Board, tasks: &[Task]) -> Vec<Outcome> {
    let texts: Vec<Option<&str>> = board.skills.iter().map(|shown| shown.text.as_deref()).collect();
    let found = Bm25::new(&texts);
    let rows: HashMap<usize, usize> =
        board.skills.iter().enumerate().map(|(row, shown)| (shown.skill, row)).collect();
    tasks
        .par_iter()
        .map(|task| {
            let Some(row) = rows.get(&task.skill).copied() else { return Outcome::NotOffered };
            let form = board.skills.get(row).map_or(Form::Counted, |shown| shown.form);
            if form == Form::Counted {
                return Outcome::Counted;
            }
            let scores = found.scores(task.query.as_str());
            match Rank::of(&scores, row) {
                None => Outcome::NoWord(form),
                Some(rank) => Outcome::Ranked { rank, rival: rival(&scores, row) },
            }
        })
        .collect()
}

/// The best of the others, if it is no worse.
fn rival(scores: &[f64], row: usize) -> Option<usize> {
    let own = *scores.get(row)?;
    let others = scores.iter().copied().enumerate().filter(|(other, _)| *other != row);
    let (best, score) = others.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (score >= own).then_some(best)
}

/// A task that was missed.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss<'a> {
    /// The task.
    pub task: &'a Task,
    /// Why.
    pub why: Why<'a>,
}

/// Why a task was missed.
#[derive(Clone, Debug, PartialEq)]
pub enum Why<'a> {
    /// Not among the visible skills: a gate is shut, or another skill shadows it.
    NotOffered,
    /// Counted, so that nobody can find it.
    Counted,
    /// By name only, and no word of the query is in the name.
    NameOnly,
    /// No word of the query is in its line.
    NoWord,
    /// Others fit better.
    Outranked {
        /// The first of them.
        by: &'a str,
        /// Its rank, as it is to be expected.
        rank: f64,
        /// Its form.
        form: Form,
    },
    /// What the model said.
    Said(&'a str),
    /// The model couldn't be asked.
    NotAsked(&'a str),
}

impl Why<'_> {
    /// The kind, for JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Why::NotOffered => "not-offered",
            Why::Counted => "counted",
            Why::NameOnly => "name-only",
            Why::NoWord => "no-word",
            Why::Outranked { .. } => "outranked",
            Why::Said(_) => "said",
            Why::NotAsked(_) => "not-asked",
        }
    }
}

impl std::fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::NotOffered => write!(f, "not offered: a gate is shut, or it doesn't count"),
            Why::Counted => write!(f, "counted: not even its name is printed"),
            Why::NameOnly => write!(f, "by name only, which has no word of the query"),
            Why::NoWord => write!(f, "its line has no word of the query"),
            Why::Outranked { by, rank, form } => {
                let form = if *form == Form::Name { ", by name only" } else { "" };
                write!(f, "outranked by `{by}` (rank {rank:.1}{form})")
            }
            Why::Said(said) => write!(f, "the model said `{said}`"),
            Why::NotAsked(why) => write!(f, "not asked: {why}"),
        }
    }
}

/// What was missed: not surely among the first so many.
#[must_use]
pub fn missed<'a>(
    board: &'a Board,
    tasks: &'a [Task],
    outcomes: &'a [Outcome],
    first: usize,
) -> Vec<Miss<'a>> {
    let why = |task: &Task, outcome: &'a Outcome| match outcome {
        Outcome::NotOffered => Why::NotOffered,
        Outcome::Counted => Why::Counted,
        Outcome::NoWord(Form::Name) => Why::NameOnly,
        Outcome::NoWord(_) => Why::NoWord,
        Outcome::Said(said) => Why::Said(said),
        Outcome::NotAsked(why) => Why::NotAsked(why),
        Outcome::Ranked { rank, rival } => Why::Outranked {
            by: rival.and_then(|row| board.skills.get(row)).map_or("", |shown| &shown.name),
            rank: rank.expected(),
            form: board
                .row_of(task.skill)
                .and_then(|row| board.skills.get(row))
                .map_or(Form::Counted, |shown| shown.form),
        },
    };
    tasks
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.within(first) < 1.0)
        .map(|(task, outcome)| Miss { task, why: why(task, outcome) })
        .collect()
}
