//! The laws over what becomes of skills. One kind throws an answer away: it makes no sense. The other stands between what
//! the policies want together and the plan, and says of each row which law held it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Approved, Bite, Breach, Law,
    plan::{Reasons, by_row},
};
use crate::{
    decision::{Curated, Fate, Proposal, Reasoned},
    skill::{OneLine, State},
};

/// What one policy had to say, each reason declared and its template filled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opinion {
    /// One a row: nothing where the policy abstains, else what it proposes and the position of its reason.
    pub fates: Vec<Option<(Fate, u32)>>,
    /// Row, kind, and the position of its reason.
    pub notices: Vec<(u32, OneLine, u32)>,
    /// Reasons.
    pub reasons: Vec<Option<Reasoned>>,
}

impl Opinion {
    /// The reason at a position.
    #[must_use]
    pub fn reason(&self, at: u32) -> Option<&Reasoned> {
        self.reasons.get(at as usize)?.as_ref()
    }
}

/// Reads a curator policy's answer: rows in range and at most once, each proposal and each notice with a declared reason.
///
/// # Errors
/// The first breach; the answer is then of no use, and nothing is changed.
pub fn approve_fates(
    answer: &Curated,
    declared: &BTreeMap<OneLine, OneLine>,
    len: usize,
) -> Result<(Approved<Opinion>, Vec<Bite>), Breach> {
    let rows = by_row(&answer.fates.proposals, len)?;
    let reasons = Reasons::new(&answer.fates.reasons, declared);
    let mut fates = Vec::with_capacity(len);
    for row in rows {
        fates.push(match row {
            Some(proposal) => Some((proposal.choice, reasons.check(proposal)?)),
            None => None,
        });
    }
    let mut notices = Vec::with_capacity(answer.notices.len());
    for notice in &answer.notices {
        if notice.row as usize >= len {
            return Err(Breach::RowOutOfRange { row: notice.row, len });
        }
        let asked = Proposal { row: notice.row, choice: (), why: notice.why };
        notices.push((notice.row, notice.kind.clone(), reasons.check(asked)?));
    }
    Ok((Approved(Opinion { fates, notices, reasons: reasons.filled }), Vec::new()))
}

/// How a skill stands, as far as a law looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Standing {
    /// Active or stale.
    pub state: State,
    /// Whether its folder is in this host's care.
    pub owned: bool,
    /// Whether it was declared as a review's, adopted, or bundled where the operator lets these be retired.
    pub declared: bool,
    /// Whether it is one of the few that the operator protects.
    pub built_in: bool,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Whether a job names it.
    pub referenced: bool,
    /// Whether it was made, adopted or brought back since the last pass.
    pub fresh: bool,
}

impl Standing {
    /// The same where a person said that what jobs name may be retired, or did not say so.
    #[must_use]
    pub fn despite_jobs(self, despite: bool) -> Standing {
        Standing { referenced: self.referenced && !despite, ..self }
    }
}

/// What the policies want of a skill together, before any law held it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The row.
    pub row: u32,
    /// What it shall be: active, stale or archived.
    pub to: State,
}

/// What comes of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The wish.
    pub wish: Wish,
    /// What the skill will be; nothing where it stays as it is.
    pub to: Option<State>,
    /// The law that made something else of it.
    pub law: Option<Law>,
}

/// What holds for a pass as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// How many skills it retires at most; nothing where a person sees each of them first.
    pub most: Option<usize>,
    /// Whether a person said yes to retiring at all, or is asked before anything is done.
    pub consent: bool,
}

impl Bounds {
    /// Those of a pass that a person is asked about.
    pub const ASKED: Bounds = Bounds { most: None, consent: true };
}

/// Holds wishes under the laws, in their order: of those that would be archived no more than so many are, the first ones.
/// A wish for what is so already comes to nothing and is no ruling.
///
/// What was made, adopted or brought back since the last pass is not retired in this one, and nothing is before a person
/// said yes; it goes stale, so that whoever watches sees it coming. Every other law leaves a skill as it is.
#[must_use]
pub fn hold_fates(
    wishes: &[Wish],
    standings: &[Standing],
    bounds: Bounds,
) -> Approved<Vec<Ruling>> {
    let mut rulings = Vec::with_capacity(wishes.len());
    let mut retired = 0;
    for wish in wishes {
        let Some(standing) = standings.get(wish.row as usize) else { continue };
        if wish.to == standing.state
            || !matches!(wish.to, State::Active | State::Stale | State::Archived)
        {
            continue;
        }
        let mut law = held_by(standing, wish.to);
        if wish.to == State::Archived && law.is_none() {
            if !bounds.consent {
                law = Some(Law::Consent);
            } else if bounds.most.is_some_and(|most| retired >= most) {
                law = Some(Law::BlastRadius);
            } else {
                retired += 1;
            }
        }
        let to = match law {
            None => Some(wish.to),
            Some(Law::Fresh | Law::Consent) => {
                Some(State::Stale).filter(|stale| *stale != standing.state)
            }
            Some(_) => None,
        };
        rulings.push(Ruling { wish: *wish, to, law });
    }
    Approved(rulings)
}

/// The first law that forbids it.
fn held_by(standing: &Standing, to: State) -> Option<Law> {
    let retires = to == State::Archived;
    // To be active again harms nobody, and no law has a word against it but that of the pin: no automatic transition.
    let lowers = to != State::Active;
    [
        (!standing.owned, Law::Owned),
        (standing.pinned, Law::Pinned),
        (lowers && standing.referenced, Law::Referenced),
        (lowers && standing.built_in, Law::BuiltIn),
        (lowers && !standing.declared, Law::Declared),
        (retires && standing.fresh, Law::Fresh),
    ]
    .into_iter()
    .find_map(|(holds, law)| holds.then_some(law))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Bounds, Ruling, Standing, Wish, hold_fates};
    use crate::{laws::Law, skill::State};

    const FREE: Standing = Standing {
        state: State::Active,
        owned: true,
        declared: true,
        built_in: false,
        pinned: false,
        referenced: false,
        fresh: false,
    };

    fn ruled(standing: Standing, to: State) -> (Option<State>, Option<Law>) {
        let rulings = hold_fates(&[Wish { row: 0, to }], &[standing], Bounds::ASKED).into_inner();
        rulings.first().map_or((None, None), |it| (it.to, it.law))
    }

    #[test]
    fn each_law_holds_what_it_says() {
        use State::{Active, Archived, Stale};
        let stale = Standing { state: Stale, ..FREE };
        for (standing, to, expected) in [
            (FREE, Archived, (Some(Archived), None)),
            (FREE, Stale, (Some(Stale), None)),
            (FREE, Active, (None, None)),
            (stale, Active, (Some(Active), None)),
            (stale, Stale, (None, None)),
            (Standing { owned: false, ..FREE }, Stale, (None, Some(Law::Owned))),
            (Standing { pinned: true, ..FREE }, Stale, (None, Some(Law::Pinned))),
            (Standing { pinned: true, ..FREE }, Archived, (None, Some(Law::Pinned))),
            (Standing { pinned: true, ..stale }, Active, (None, Some(Law::Pinned))),
            (Standing { referenced: true, ..FREE }, Stale, (None, Some(Law::Referenced))),
            (Standing { referenced: true, ..FREE }, Archived, (None, Some(Law::Referenced))),
            (Standing { referenced: true, ..stale }, Active, (Some(Active), None)),
            (Standing { built_in: true, ..FREE }, Archived, (None, Some(Law::BuiltIn))),
            (Standing { declared: false, ..FREE }, Archived, (None, Some(Law::Declared))),
            (Standing { declared: false, ..FREE }, Stale, (None, Some(Law::Declared))),
            (Standing { declared: false, ..stale }, Active, (Some(Active), None)),
            (Standing { fresh: true, ..FREE }, Stale, (Some(Stale), None)),
            (Standing { fresh: true, ..FREE }, Archived, (Some(Stale), Some(Law::Fresh))),
            (Standing { fresh: true, ..stale }, Archived, (None, Some(Law::Fresh))),
            // Nothing but these three can be wished for.
            (FREE, State::Gone, (None, None)),
            (FREE, State::Purged, (None, None)),
        ] {
            assert_eq!(ruled(standing, to), expected, "{standing:?} to {to:?}");
        }
    }

    #[test]
    fn no_more_are_retired_than_the_blast_radius_and_the_first_ones_are() {
        let wishes: Vec<Wish> = (0..5).rev().map(|row| Wish { row, to: State::Archived }).collect();
        let mut standings = vec![FREE; 5];
        if let Some(pinned) = standings.get_mut(4) {
            pinned.pinned = true;
        }
        let rulings =
            hold_fates(&wishes, &standings, Bounds { most: Some(2), consent: true }).into_inner();
        let told: Vec<_> = rulings.iter().map(|it| (it.wish.row, it.law)).collect();
        let radius = Some(Law::BlastRadius);
        let expected = [(4, Some(Law::Pinned)), (3, None), (2, None), (1, radius), (0, radius)];
        assert_eq!(told, expected);
    }

    fn standing() -> impl Strategy<Value = Standing> {
        let state = prop_oneof![Just(State::Active), Just(State::Stale)];
        (state, any::<[bool; 6]>()).prop_map(
            |(state, [owned, declared, built_in, pinned, referenced, fresh])| Standing {
                state,
                owned,
                declared,
                built_in,
                pinned,
                referenced,
                fresh,
            },
        )
    }

    proptest! {
        #[test]
        fn whatever_is_wished_nothing_is_retired_that_a_law_protects(
            standings in prop::collection::vec(standing(), 1..20),
            wishes in prop::collection::vec((0u32..25, 0usize..State::ALL.len()), 0..40),
            most in prop::option::of(0usize..4),
            consent in any::<bool>(),
        ) {
            let wishes: Vec<Wish> = wishes
                .into_iter()
                .filter_map(|(row, state)| Some(Wish { row, to: *State::ALL.get(state)? }))
                .collect();
            let rulings = hold_fates(&wishes, &standings, Bounds { most, consent }).into_inner();
            let retired: Vec<&Ruling> =
                rulings.iter().filter(|it| it.to == Some(State::Archived)).collect();
            prop_assert!(most.is_none_or(|most| retired.len() <= most));
            prop_assert!(consent || retired.is_empty());
            for ruling in &rulings {
                let standing = standings.get(ruling.wish.row as usize).copied();
                let Some(standing) = standing else { prop_assert!(false); continue };
                prop_assert!(ruling.to != Some(standing.state));
                prop_assert!(ruling.to != Some(State::Gone) && ruling.to != Some(State::Purged));
                prop_assert!(ruling.to.is_some() || ruling.law.is_some());
                if ruling.to.is_some() {
                    prop_assert!(standing.owned && !standing.pinned);
                }
                if ruling.to == Some(State::Archived) {
                    prop_assert!(standing.declared && !standing.built_in);
                    prop_assert!(!standing.referenced && !standing.fresh);
                }
            }
        }
    }
}
