//! What happened to skills, in the order in which it did.

use crate::{curator::Subject, ledger::Kind, skill::Instant};

/// One skill, from the day on which it was first known.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// The skill before anything was done with it: active, nothing counted.
    pub subject: Subject,
    /// What its whole line costs in the index, in tokens.
    pub line: u32,
    /// What its name alone costs, in tokens.
    pub name: u32,
    /// Since when it can be looked at: when it was made, or when something was first done with it, if that was before.
    pub enters: Instant,
}

/// Something that was done with a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deed {
    /// When.
    pub at: Instant,
    /// With which: its place among the lives.
    pub skill: usize,
    /// What.
    pub kind: Kind,
    /// How many such it stands for.
    pub weight: u32,
    /// Whether whoever keeps the library did it.
    pub upkeep: bool,
}

/// What happened to skills over some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Where it is from, in a word.
    pub name: String,
    /// Every skill that there was.
    pub lives: Vec<Life>,
    /// What was done, by time.
    pub deeds: Vec<Deed>,
    /// When the first pass would have been; what happened before is known to it.
    pub from: Instant,
    /// Until when it is known what happened.
    pub until: Instant,
}

impl Deed {
    /// Whether somebody wanted the skill: it was opened or written to, and not by who keeps the library. How it did says
    /// nothing of that: it was told of a use that is counted already.
    #[must_use]
    pub fn is_want(&self) -> bool {
        let opens = match self.kind {
            Kind::View | Kind::Use | Kind::FileView | Kind::Write => true,
            Kind::Success | Kind::Failure | Kind::Corrected => false,
        };
        opens && !self.upkeep
    }

    /// Counts it to what is known of its skill: the way in which the ledger counts.
    pub fn count(&self, subject: &mut Subject) {
        let (weight, at) = (u64::from(self.weight.max(1)), Some(self.at));
        if self.upkeep && matches!(self.kind, Kind::View | Kind::Use | Kind::FileView) {
            return;
        }
        let outcomes = &mut subject.outcomes;
        let (sum, last) = match self.kind {
            Kind::View => (&mut subject.views, Some(&mut subject.last_viewed)),
            Kind::Use => (&mut subject.uses, Some(&mut subject.last_used)),
            Kind::Write => (&mut subject.writes, Some(&mut subject.last_written)),
            Kind::Success => (&mut outcomes.successes, Some(&mut outcomes.last_success)),
            Kind::Failure => (&mut outcomes.failures, Some(&mut outcomes.last_failure)),
            Kind::Corrected => (&mut outcomes.corrected, None),
            Kind::FileView => return,
        };
        *sum = sum.saturating_add(weight);
        if let Some(last) = last {
            *last = (*last).max(at);
        }
    }
}

impl History {
    /// A history of these lives and deeds that ends at `until`. Deeds are put in order, those of a time that is still to come
    /// count as of the end, and each skill enters with its first deed at the latest. `from` is the first day on which there
    /// is a skill, or what the caller says.
    #[must_use]
    pub fn new(
        name: &str,
        mut lives: Vec<Life>,
        mut deeds: Vec<Deed>,
        from: Option<Instant>,
        until: Instant,
    ) -> History {
        for deed in &mut deeds {
            deed.at = deed.at.min(until);
            if let Some(life) = lives.get_mut(deed.skill) {
                life.enters = life.enters.min(deed.at);
            }
        }
        deeds.retain(|deed| deed.skill < lives.len());
        // Equal ones stay in their order: it is that in which they were written down.
        deeds.sort_by_key(|deed| deed.at);
        let first = lives.iter().map(|life| life.enters).min().unwrap_or(until);
        History { name: name.to_owned(), lives, deeds, from: from.unwrap_or(first), until }
    }

    /// Whole days from the first pass to the end.
    #[must_use]
    pub fn days(&self) -> i64 {
        self.until.since(self.from).max(0) / super::replay::DAY
    }
}
