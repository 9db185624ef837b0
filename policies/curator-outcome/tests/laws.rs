//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "../../curating.rs"]
mod curating;

use curating::{let_go, verdicts};
use curator_outcome::{Outcome, upper};
use proptest::prelude::*;
use skillkeep_policy::DAY;
use skillkeep_policy::curator::Verdict;
use skillkeep_policy::testkit::{Library, NOW, curator};

/// A skill that fails, or doesn't: counts, and whether it is stale and protected.
#[derive(Clone, Debug)]
struct Told {
    stale: bool,
    free: [bool; 3],
    uses: i64,
    outcomes: [i64; 3],
    ages: [Option<i64>; 4],
}

fn told() -> impl Strategy<Value = Told> {
    let free = [prop::bool::weighted(0.9), prop::bool::weighted(0.1), prop::bool::weighted(0.1)];
    let age = || prop::option::of(0..400 * DAY);
    (any::<bool>(), free, 0_i64..40, [0_i64..12, 0..20, 0..12], [age(), age(), age(), age()])
        .prop_map(|(stale, free, uses, outcomes, ages)| Told { stale, free, uses, outcomes, ages })
}

fn library(all: &[Told]) -> Library {
    (0..).zip(all).fold(Library::new(), |library, (number, told): (usize, &Told)| {
        let [candidate, pinned, referenced] = told.free;
        library.skill("general", &format!("s{number}"), |skill| {
            let skill = skill
                .fact("state", if told.stale { "stale" } else { "active" })
                .fact("candidate", candidate)
                .fact("pinned", pinned)
                .fact("referenced", referenced)
                .fact("uses", told.uses);
            let counts = ["successes", "failures", "corrected"].into_iter().zip(told.outcomes);
            let skill = counts.fold(skill, |skill, (key, count)| skill.fact(key, count));
            let keys = ["last-success", "last-failure", "last-written", "last-used"];
            let ages = keys.into_iter().zip(told.ages);
            let known = ages.filter_map(|(key, ago)| Some((key, NOW - ago?)));
            known.fold(skill, |skill, (key, then)| skill.fact(key, then))
        })
    })
}

proptest! {
    #[test]
    fn the_bound_holds_the_rate_and_closes_in_on_it(
        helped in 0.0_f64..200.0, failed in 0.5_f64..200.0, z in 0.0_f64..4.0,
    ) {
        let all = helped + failed;
        let most = upper(helped, all, z);
        prop_assert!(most >= helped / all - 1e-12 && most <= 1.0, "{most}");
        prop_assert!(upper(helped, all + 1.0, z) <= most + 1e-12, "one more failure");
        prop_assert!(upper(helped + 1.0, all + 1.0, z) >= most - 1e-12, "one more success");
        prop_assert!(upper(helped * 3.0, all * 3.0, z) <= most + 1e-12, "the same, three times");
        prop_assert!(upper(helped, all, z + 0.5) >= most - 1e-12, "surer");
    }

    #[test]
    fn nothing_is_let_go_of_without_failures_that_were_said(
        all in prop::collection::vec(told(), 1..20),
    ) {
        let verdicts = verdicts::<Outcome>(&library(&all), &[]);
        for (number, told) in all.iter().enumerate() {
            let verdict = verdicts.get(&format!("s{number}"));
            let [helped, failed, corrected] = told.outcomes;
            let enough = 2 * (helped + failed) + corrected >= 10 && failed > 0 && failed >= helped / 2;
            let [candidate, pinned, referenced] = told.free;
            let free = candidate && !pinned && !referenced && told.uses < 20;
            prop_assert!((enough && free) || let_go(verdict) < 2, "{told:?} {verdict:?}");
            prop_assert!(verdict != Some(&Verdict::Archive) || told.stale, "{told:?}");
            prop_assert!(verdict.is_none() || !pinned, "{told:?}");
        }
    }

    #[test]
    fn rest_changes_nothing(all in prop::collection::vec(told(), 1..20), by in 1..4000 * DAY) {
        let mut rested = all.clone();
        for told in &mut rested {
            told.ages[3] = told.ages[3].map(|ago| ago + by);
        }
        let before = curator::<Outcome>(&library(&all), &[]).unwrap();
        prop_assert_eq!(curator::<Outcome>(&library(&rested), &[]).unwrap(), before);
    }

    #[test]
    fn a_success_more_never_lets_go(all in prop::collection::vec(told(), 1..20)) {
        let mut better = all.clone();
        for told in &mut better {
            told.outcomes[0] += 1;
        }
        let before = verdicts::<Outcome>(&library(&all), &[]);
        let after = verdicts::<Outcome>(&library(&better), &[]);
        for (number, told) in all.iter().enumerate() {
            let name = format!("s{number}");
            // With one more the outcomes may be enough for the first time: of these nothing is said.
            let [helped, failed, corrected] = told.outcomes;
            if 2 * (helped + failed) + corrected >= 10 {
                let (before, after) = (before.get(&name), after.get(&name));
                prop_assert!(let_go(after) <= let_go(before), "{told:?} {before:?} {after:?}");
            }
        }
    }
}
