//! Any sequence of calls, swaps and time, beside a model that is a few lines long.

use std::{collections::BTreeSet, sync::Arc};

use proptest::prelude::*;

use super::*;
use crate::roster::{Held, Rejected, Stamp, Trust, Why};

/// What may happen.
#[derive(Clone, Debug)]
enum Step {
    /// A call by the current generation.
    Call(Kind),
    /// A call by the generation that was taken so many steps of this kind ago.
    Late(usize, Kind),
    /// A candidate that loads.
    Swap(usize),
    /// One that doesn't.
    Bad,
    /// Seconds.
    Time(i64),
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Good,
    Refusal,
    Fault,
    Stall,
}

impl Kind {
    fn came(self) -> Came {
        match self {
            Kind::Good => Came::Answered,
            Kind::Refusal => Came::Refused,
            Kind::Fault => fault(),
            Kind::Stall => stall(),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = || {
        prop_oneof![
            4 => Just(Kind::Good), 1 => Just(Kind::Refusal), 2 => Just(Kind::Fault), 1 => Just(Kind::Stall)
        ]
    };
    let step = prop_oneof![
        6 => kind().prop_map(Step::Call),
        1 => (0..4_usize, kind()).prop_map(|(back, kind)| Step::Late(back, kind)),
        3 => (0..VARIANTS).prop_map(Step::Swap),
        1 => Just(Step::Bad),
        1 => prop_oneof![Just(10), Just(31), Just(3_600)].prop_map(Step::Time),
    ];
    prop::collection::vec(step, 1..60)
}

const VARIANTS: usize = 4;

/// Four that can decide, two of them the same bytes.
fn variant(number: usize) -> Recruit {
    match number {
        0 => Recruit::builtin("budget-ladder"),
        1 => Recruit::builtin("budget-codex"),
        2 => Recruit::builtin("budget-hermes"),
        _ => copied("budget-codex", "other.wasm"),
    }
}

/// What ought to be so: who is proven, who is on probation, who may not come back.
struct Model {
    proven: usize,
    trying: Option<usize>,
    quarantined: BTreeSet<usize>,
}

/// The first variant of the same bytes.
fn bytes_of(number: usize) -> usize {
    if number == 3 { 1 } else { number }
}

impl Model {
    fn active(&self) -> usize {
        self.trying.unwrap_or(self.proven)
    }

    fn swap(&mut self, number: usize) {
        let number = bytes_of(number);
        if self.quarantined.contains(&number) || number == self.active() {
            return;
        }
        self.trying = (number != self.proven).then_some(number);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_somebody_decides_and_nobody_who_is_quarantined(steps in steps()) {
        let world = world(
            vec![(Slot::Budget, variant(0)), (Slot::Demotion, Recruit::builtin("demotion-toolset"))],
            Vec::new(),
        );
        let ids: Vec<String> = (0..VARIANTS)
            .map(|number| crate::policy::digest(&variant(number).component.unwrap().1))
            .collect();
        let mut model = Model { proven: 0, trying: None, quarantined: BTreeSet::new() };
        let mut taken: Vec<(Arc<Generation>, Stamp)> = Vec::new();
        for step in steps {
            let before = world.roster.current();
            taken.push((before.clone(), before.stamp()));
            match step {
                Step::Call(kind) => call(&world, &mut model, &before, kind)?,
                Step::Late(back, kind) => {
                    let (late, _) = &taken[taken.len().saturating_sub(1 + back)];
                    call(&world, &mut model, &late.clone(), kind)?;
                }
                Step::Swap(number) => {
                    let quarantined = model.quarantined.contains(&bytes_of(number));
                    let swapped = world
                        .roster
                        .prepare(Slot::Budget, vec![variant(number)])
                        .and_then(|candidate| candidate.activate());
                    match swapped {
                        Ok(_) => prop_assert!(!quarantined),
                        Err(Rejected { why, .. }) => {
                            prop_assert!(quarantined && matches!(*why, Why::Quarantined(_)));
                        }
                    }
                    model.swap(number);
                }
                Step::Bad => {
                    prop_assert!(world.roster.prepare(Slot::Budget, vec![text_for_component()]).is_err());
                    prop_assert!(Arc::ptr_eq(&before, &world.roster.current()));
                }
                Step::Time(seconds) => world.clock.advance(seconds),
            }
            let now = world.roster.current();
            // There is one who decides in each slot, the one who ought to, and loaded.
            let members: Vec<_> = now.of(Slot::Budget).collect();
            prop_assert_eq!(members.len(), 1);
            prop_assert_eq!(members[0].digest(), Some(ids[model.active()].as_str()));
            prop_assert!(members[0].policy().is_some() && now.of(Slot::Demotion).count() == 1);
            prop_assert_eq!(members[0].trust() == Trust::Proven, model.trying.is_none());
            let marks = world.roster.quarantine();
            prop_assert!(now.members().iter().all(|member| !marks.iter().any(|mark| mark.covers(member))));
            let marked: BTreeSet<&str> = marks.iter().map(|mark| mark.digest.as_str()).collect();
            let wanted: BTreeSet<&str> = model.quarantined.iter().map(|it| ids[*it].as_str()).collect();
            prop_assert_eq!(marked, wanted);
            // Numbers tell generations apart, and no generation changes.
            prop_assert_eq!(now.number() == before.number(), Arc::ptr_eq(&now, &before));
            prop_assert!(now.number() >= before.number());
            for (generation, stamp) in &taken {
                prop_assert_eq!(&generation.stamp(), stamp);
            }
        }
    }
}

/// A call by a generation, and what the model makes of it.
fn call(
    world: &World,
    model: &mut Model,
    generation: &Arc<Generation>,
    kind: Kind,
) -> Result<(), TestCaseError> {
    let member = generation.of(Slot::Budget).next().unwrap();
    let trust = member.trust();
    let ticket = match member.admit() {
        Ok(ticket) => ticket,
        // The slot's fallback answers.
        Err(held) => {
            prop_assert_eq!(
                matches!(held, Held::Quarantined(_)),
                matches!(trust, Trust::Condemned(_))
            );
            return Ok(());
        }
    };
    ticket.came(&kind.came());
    let number = (0..VARIANTS)
        .find(|it| {
            variant(*it).component.is_ok_and(|(_, bytes)| {
                Some(crate::policy::digest(&bytes).as_str()) == member.digest()
            })
        })
        .unwrap();
    let current = world.roster.current();
    let is_current = current.of(Slot::Budget).any(|it| Arc::ptr_eq(it, member));
    match (kind, trust.clone()) {
        (Kind::Fault, Trust::Probation { .. }) => {
            prop_assert!(!is_current);
            // Unless the same came back since and proved itself.
            if number != model.proven {
                model.quarantined.insert(number);
            }
            if model.trying == Some(number) {
                model.trying = None;
            }
        }
        (Kind::Good | Kind::Refusal, Trust::Probation { since, good }) => {
            let passed = good + 1 >= rules().probation_calls
                || world.clock.0.load(Ordering::SeqCst) - since.0 >= 3_600;
            prop_assert_eq!(member.trust() == Trust::Proven, passed);
            if passed && is_current {
                model.proven = number;
                model.trying = None;
            }
        }
        _ => prop_assert_eq!(member.trust(), trust),
    }
    Ok(())
}
