//! Which skills are listed, by what is known of them, and in what order.

use std::{cmp::Reverse, collections::BTreeMap};

use clap::{Args, ValueEnum};

use crate::{
    ledger::AtHand,
    skill::{Choice, Instant, OneLine, SkillId, State},
    world::{error::CommandError, kept::Kept},
};

/// What is asked of a skill to be listed.
#[derive(Clone, Debug, Default, Args)]
pub struct Filters {
    /// Only skills that were never opened for a task
    #[arg(long)]
    unused: bool,

    /// Only skills that were not used for long
    #[arg(long)]
    stale: bool,

    /// Only skills that are off, for all agents or for one
    #[arg(long)]
    off: bool,

    /// Only pinned skills
    #[arg(long)]
    pinned: bool,

    /// Only skills that nobody keeps: no home owns their root, or no scan has seen them
    #[arg(long, conflicts_with_all = ["archived", "gone"])]
    pub unmanaged: bool,

    /// The skills in the archive instead
    #[arg(long, conflicts_with = "gone")]
    pub archived: bool,

    /// The skills that are gone instead: known once, and in no root any more
    #[arg(long)]
    pub gone: bool,
}

impl Filters {
    /// Whether they ask for what only a home knows.
    pub fn need_home(&self) -> bool {
        self.unused
            || self.stale
            || self.off
            || self.pinned
            || self.unmanaged
            || self.archived
            || self.gone
    }

    /// Whether a skill has what is asked for. Of one that nothing is known of, nobody knows that it has.
    pub fn take(&self, known: Option<&AtHand>) -> bool {
        let has = |asked: bool, fits: &dyn Fn(&AtHand) -> bool| !asked || known.is_some_and(fits);
        has(self.unused, &|it| it.sums.uses == 0)
            && has(self.stale, &|it| it.state == State::Stale)
            && has(self.off, &|it| it.choices.values().any(|choice| *choice == Choice::Off))
            && has(self.pinned, &|it| it.pinned)
    }
}

/// What skills are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// By name
    Name,
    /// By how often they were opened for a task
    Uses,
    /// By when they were last
    Last,
    /// By how long they are known
    Age,
    /// By the size of their text
    Size,
    /// By category, then by name
    #[default]
    Category,
}

/// What two skills are compared by first: a text, or a number of which the larger comes first.
pub type Key = (OneLine, Reverse<Option<i64>>);

impl Sort {
    /// Whether only a home knows it.
    pub fn needs_home(self) -> bool {
        matches!(self, Sort::Uses | Sort::Last | Sort::Age)
    }

    /// Since when each skill is known, where that is asked.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn created(self, kept: &Kept) -> Result<BTreeMap<SkillId, Instant>, CommandError> {
        match (&kept.ledger, self) {
            (Some(ledger), Sort::Age) => {
                Ok(ledger.skills()?.into_iter().map(|it| (it.id, it.created)).collect())
            }
            _ => Ok(BTreeMap::new()),
        }
    }

    /// What a skill is compared by. Who lacks it comes last.
    pub fn key(
        self,
        name: &OneLine,
        category: &OneLine,
        size: u64,
        known: Option<&AtHand>,
        created: &BTreeMap<SkillId, Instant>,
    ) -> Key {
        let none = || OneLine::new("");
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let largest = |number: Option<i64>| (none(), Reverse(number));
        match self {
            Sort::Name => (name.clone(), Reverse(None)),
            Sort::Category => (category.clone(), Reverse(None)),
            Sort::Uses => largest(known.map(|it| count(it.sums.uses))),
            Sort::Last => largest(known.and_then(|it| it.sums.last_use).map(|at| at.0)),
            Sort::Age => {
                let since = known.and_then(|it| created.get(&it.id));
                largest(since.map(|at| at.0.saturating_neg()))
            }
            Sort::Size => largest(Some(count(size))),
        }
    }
}
