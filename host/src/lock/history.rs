//! Sets of policies, one after the other, and the way back.
//!
//! Each set names the one that it came after, so that going back twice goes back two steps, and a set that was made after
//! going back comes after the one that was gone back to. Going back to a whole set makes no new one: the number in force is
//! another, and going forward is going to a number. Going back in one slot makes a new set, in which that slot is as it was
//! before the set that brought what it is now; how far back that was, it keeps, so that a second time goes further.

use super::data::{Generation, Lock, SlotSet};
use crate::decision::Slot;

/// As many sets are kept.
const MOST: usize = 50;

/// Why there is nothing to go back to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWayBack {
    /// No set was made yet, or this is the first.
    #[error("no set of policies is known from before this one")]
    First,
    /// The slot was never otherwise.
    #[error("nothing is known of the slot `{0}` from before")]
    SlotFirst(Slot),
    /// No set has that number.
    #[error("there is no set {0}")]
    NoSuch(u64),
}

/// A set that isn't in the history yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Made<'a> {
    /// When, in RFC 3339.
    pub at: &'a str,
    /// Who.
    pub by: &'a str,
    /// What was done.
    pub did: &'a str,
}

impl Lock {
    /// Puts a set in force. What it says of slots as the one before says is as old as there. Where it says nothing else than
    /// that one at all, nothing is made. Its number.
    pub fn make(&mut self, mut slots: Vec<SlotSet>, made: &Made<'_>) -> u64 {
        let number = self.sets.last().map_or(0, |set| set.number) + 1;
        let before = self.current();
        // That nothing is said of a slot any more, and since when, is passed on.
        for old in before.iter().flat_map(|set| &set.slots).filter(|old| old.is_empty()) {
            if !slots.iter().any(|set| set.slot == old.slot) {
                slots.push(old.clone());
            }
        }
        slots.sort_by_key(|set| set.slot);
        let said = |slots: &[SlotSet]| -> Vec<SlotSet> {
            slots.iter().filter(|set| !set.is_empty()).cloned().collect()
        };
        let same = before.is_some_and(|set| {
            let (old, new) = (said(&set.slots), said(&slots));
            old.len() == new.len() && old.iter().zip(&new).all(|(one, other)| one.says_as(other))
        });
        if same {
            return self.generation;
        }
        for slot in &mut slots {
            let old = before.and_then(|set| set.slot(slot.slot)).filter(|old| old.says_as(slot));
            // A slot that was gone back in brings along how old it is.
            slot.since = match old {
                Some(old) => old.since,
                None if slot.since > 0 => slot.since,
                None => number,
            };
        }
        let after = before.map(|set| set.number);
        let Made { at, by, did } = made;
        self.sets.push(Generation {
            number,
            after,
            at: (*at).to_owned(),
            by: (*by).to_owned(),
            did: (*did).to_owned(),
            slots,
        });
        self.generation = number;
        self.forget();
        number
    }

    /// The set before the one in force, or that of a number.
    ///
    /// # Errors
    /// Where there is none.
    pub fn way_back(&self, to: Option<u64>) -> Result<&Generation, NoWayBack> {
        if let Some(number) = to {
            return self.set(number).ok_or(NoWayBack::NoSuch(number));
        }
        let before = self.current().and_then(|set| set.after);
        before.and_then(|number| self.set(number)).ok_or(NoWayBack::First)
    }

    /// What the settings said of a slot before they said what they say now; with nothing in it where they said nothing.
    ///
    /// # Errors
    /// Where they never said anything else, as far as it is known.
    pub fn way_back_in(&self, slot: Slot) -> Result<SlotSet, NoWayBack> {
        let first = || NoWayBack::SlotFirst(slot);
        let current = self.current().ok_or_else(first)?;
        let since = match current.slot(slot) {
            Some(now) => now.since,
            None => self.first_without(slot, current),
        };
        let brought = self.set(since).ok_or_else(first)?;
        let before = brought.after.and_then(|number| self.set(number)).ok_or_else(first)?;
        Ok(match before.slot(slot) {
            Some(set) => set.clone(),
            None => SlotSet::empty(slot, self.first_without(slot, before)),
        })
    }

    /// The first of the sets up to this one that all say nothing of a slot.
    fn first_without(&self, slot: Slot, set: &Generation) -> u64 {
        let before = |set: &Generation| set.after.and_then(|number| self.set(number));
        let mut first = set;
        while let Some(earlier) = before(first).filter(|earlier| earlier.slot(slot).is_none()) {
            first = earlier;
        }
        first.number
    }

    /// Lets the oldest sets go where there are too many, but never the one in force, nor the one before it.
    fn forget(&mut self) {
        let needed = [Some(self.generation), self.current().and_then(|set| set.after)];
        while self.sets.len() > MOST {
            let oldest = self.sets.iter().position(|set| !needed.contains(&Some(set.number)));
            let Some(oldest) = oldest else { return };
            self.sets.remove(oldest);
        }
    }
}

impl SlotSet {
    /// A slot of which nothing is said.
    #[must_use]
    pub fn empty(slot: Slot, since: u64) -> SlotSet {
        SlotSet { slot, since, combine: None, settings: Default::default(), used: Vec::new() }
    }

    /// Whether nothing is said of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.says_as(&SlotSet::empty(self.slot, 0))
    }
}
