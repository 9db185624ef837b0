//! What is wanted of a slot, and when it was tried.

use std::collections::BTreeMap;

use super::recruits::Named;
use crate::{
    decision::{Allowance, Slot},
    policy::Assignment,
    roster::{Rejected, Roster, Why},
};

/// How long what the clock or the machine may have had a part in is not tried again, in nanoseconds: at first, and at most. It
/// doubles with each try.
const FIRST_WAIT: i128 = 5_000_000_000;
const LONGEST_WAIT: i128 = 600_000_000_000;

/// What a slot was to be when it was tried last.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) wish: Wish,
    /// When the same may be tried again though nothing changed, and how long was waited for that.
    pub(super) again: Option<(i128, i128)>,
}

/// What is wanted of a slot: names, bytes by their digests, settings and limits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    policies: Vec<(String, Option<String>)>,
    settings: Vec<Assignment>,
    allowance: Allowance,
}

impl Tried {
    /// Whether the same is to be tried again.
    pub(super) fn is_due(&self, now: i128) -> bool {
        self.again.is_some_and(|(at, _)| at <= now)
    }

    /// Whether these bytes were tried.
    pub(super) fn knows(&self, digest: &str) -> bool {
        self.wish.policies.iter().any(|(_, it)| it.as_deref() == Some(digest))
    }

    /// Notes how it ended: whether another try may come to something else.
    pub(super) fn ended(&mut self, is_passing: bool, now: i128) {
        let wait = self.again.map_or(FIRST_WAIT, |(_, wait)| (wait * 2).min(LONGEST_WAIT));
        self.again = is_passing.then(|| (now.saturating_add(wait), wait));
    }
}

impl Wish {
    pub(super) fn of(named: &[&Named]) -> Wish {
        let policy = |it: &&Named| {
            let error = it.recruit.component.as_ref().err();
            let word = error.map(|error| error.to_string());
            (it.recruit.name.clone(), word.or_else(|| it.digest()))
        };
        Wish {
            policies: named.iter().map(policy).collect(),
            settings: named.first().map(|it| it.recruit.settings.clone()).unwrap_or_default(),
            allowance: named.first().map(|it| it.recruit.allowance).unwrap_or_default(),
        }
    }
}

/// What was wanted when a roster began. What did not load because of the machine is tried again.
pub(super) fn tried_at_first(roster: &Roster, named: &[Named], now: i128) -> BTreeMap<Slot, Tried> {
    let current = roster.current();
    let tried = |slot: Slot| {
        let of_slot: Vec<&Named> = named.iter().filter(|it| it.slot == slot).collect();
        let passing = current.of(slot).any(|member| {
            member.load_error().is_some_and(|error| {
                let why = Box::new(Why::Load(error.clone()));
                let (name, digest) = (String::new(), None);
                let at = current.since();
                member.digest().is_some() && !Rejected { slot, name, digest, at, why }.is_lasting()
            })
        });
        let again = passing.then_some((now.saturating_add(FIRST_WAIT), FIRST_WAIT));
        (slot, Tried { wish: Wish::of(&of_slot), again })
    };
    Slot::ALL.into_iter().map(tried).collect()
}
