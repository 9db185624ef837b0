//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "../../curating.rs"]
mod curating;

use curating::{let_go, verdicts};
use curator_decay::{Memory, Practice, as_one_use, strength};
use proptest::prelude::*;
use skillkeep_policy::DAY;
use skillkeep_policy::curator::Verdict;
use skillkeep_policy::testkit::{Library, NOW};

/// What is known of a skill; times as seconds ago.
#[derive(Clone, Debug)]
struct Told {
    stale: bool,
    candidate: bool,
    created: i64,
    counts: [i64; 3],
    ages: [Option<i64>; 4],
}

fn told() -> impl Strategy<Value = Told> {
    let age = || prop::option::of(-DAY..2000 * DAY);
    (
        any::<bool>(),
        prop::bool::weighted(0.9),
        0..2000 * DAY,
        [0_i64..6, 0..12, 0..6],
        [age(), age(), age(), age()],
    )
        .prop_map(|(stale, candidate, created, counts, ages)| Told {
            stale,
            candidate,
            created,
            counts,
            ages,
        })
}

fn library(all: &[Told]) -> Library {
    (0..).zip(all).fold(Library::new(), |library, (number, told): (usize, &Told)| {
        library.skill("general", &format!("s{number}"), |skill| {
            let skill = skill
                .fact("state", if told.stale { "stale" } else { "active" })
                .fact("candidate", told.candidate)
                .fact("created", NOW - told.created);
            let counts = ["uses", "views", "writes"].into_iter().zip(told.counts);
            let skill = counts.fold(skill, |skill, (key, count)| skill.fact(key, count));
            let keys = ["last-used", "last-viewed", "last-written", "restored"];
            let ages = keys.into_iter().zip(told.ages);
            let known = ages.filter_map(|(key, ago)| Some((key, NOW - ago?)));
            known.fold(skill, |skill, (key, then)| skill.fact(key, then))
        })
    })
}

fn practice() -> impl Strategy<Value = Practice> {
    (1.0_f64..1e6, 0.0_f64..1e9, 0.0_f64..1e9).prop_map(|(uses, since_last, life)| Practice {
        uses,
        since_last,
        life,
    })
}

/// No skill is let go of that was not before.
fn keeps(before: &[Told], after: &[Told]) -> Result<(), TestCaseError> {
    let (old, new) =
        (verdicts::<Memory>(&library(before), &[]), verdicts::<Memory>(&library(after), &[]));
    for (number, told) in before.iter().enumerate() {
        let (old, new) = (old.get(&format!("s{number}")), new.get(&format!("s{number}")));
        prop_assert!(let_go(new) <= let_go(old), "{told:?}: {old:?}, then {new:?}");
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_use_more_is_stronger_and_time_is_weaker(it in practice(), by in 1.0_f64..1e8) {
        let more = Practice { uses: it.uses + 1.0, ..it };
        prop_assert!(strength(more) > strength(it));
        let life = it.life.max(it.since_last);
        let later = Practice { since_last: it.since_last + by, life: life + by, ..it };
        // In the first second nothing fades.
        prop_assert!(strength(later) < strength(it) || later.since_last <= 1.0);
        let newer = Practice { since_last: it.since_last / 2.0, ..it };
        prop_assert!(strength(newer) >= strength(it));
    }

    #[test]
    fn used_often_outlives_used_once_at_the_same_last_use(it in practice(), often in 2.0_f64..1e4) {
        let (once, often) = (Practice { uses: 1.0, ..it }, Practice { uses: often, ..it });
        prop_assert!(strength(often) > strength(once));
        // By the square of the uses at most: where all of them were as late as the last one.
        let (aged, fresh) = (as_one_use(strength(once)), as_one_use(strength(often)));
        prop_assert!(fresh * often.uses * often.uses >= aged * (1.0 - 1e-9));
    }

    #[test]
    fn using_a_skill_never_lets_go_of_it(all in prop::collection::vec(told(), 1..20)) {
        let mut used = all.clone();
        for told in &mut used {
            told.counts[0] += 1;
            told.counts[1] += 1;
        }
        keeps(&all, &used)?;
    }

    #[test]
    fn resting_longer_never_keeps_a_skill(
        all in prop::collection::vec(told(), 1..20), by in 1..400 * DAY,
    ) {
        let mut older = all.clone();
        for told in &mut older {
            told.created += by;
            told.ages = told.ages.map(|age| age.map(|age| age + by));
        }
        keeps(&older, &all)?;
    }

    #[test]
    fn nothing_that_is_nobodys_goes_and_nothing_is_archived_that_was_not_stale(
        all in prop::collection::vec(told(), 1..20),
    ) {
        let verdicts = verdicts::<Memory>(&library(&all), &[]);
        for (number, told) in all.iter().enumerate() {
            let verdict = verdicts.get(&format!("s{number}"));
            prop_assert!(told.candidate || let_go(verdict) < 2, "{told:?}");
            prop_assert!(verdict != Some(&Verdict::Archive) || told.stale, "{told:?}");
        }
    }
}
