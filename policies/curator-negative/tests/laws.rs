//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use curator_negative::Claims;
use proptest::prelude::*;
use skillkeep_policy::DAY;
use skillkeep_policy::testkit::{Library, NOW, curator};
use std::collections::BTreeSet;

/// What is known of a skill; times as seconds ago.
#[derive(Clone, Debug)]
struct Told {
    origin: usize,
    claims: Option<i64>,
    evidence: Option<i64>,
    ages: [Option<i64>; 5],
}

fn told() -> impl Strategy<Value = Told> {
    let age = || prop::option::of(-40 * DAY..400 * DAY);
    let ages = [age(), age(), age(), age(), age()];
    (0_usize..7, prop::option::weighted(0.8, 0_i64..5), prop::option::of(0_i64..5), ages)
        .prop_map(|(origin, claims, evidence, ages)| Told { origin, claims, evidence, ages })
}

const ORIGINS: [&str; 7] =
    ["unknown", "person", "foreground", "review", "bundled", "installed", "adopted"];

fn library(all: &[Told], later: i64) -> Library {
    let library = Library::new().now(NOW + later);
    (0..).zip(all).fold(library, |library, (number, told): (usize, &Told)| {
        library.skill("general", &format!("s{number}"), |skill| {
            let skill = skill.fact("origin", ORIGINS[told.origin]).fact("created", NOW - 500 * DAY);
            let counts = [("negative-claims", told.claims), ("negative-evidence", told.evidence)];
            let counts = counts.into_iter().filter_map(|(key, count)| Some((key, count?)));
            let skill = counts.fold(skill, |skill, (key, count)| skill.fact(key, count));
            let keys = [
                "negative-checked",
                "negative-expiry",
                "last-written",
                "last-success",
                "last-used",
            ];
            let ages = keys.into_iter().zip(told.ages);
            // The host tells no time to come but an expiry.
            let known = ages.filter_map(|(key, ago)| {
                let ago = if key == "negative-expiry" { ago? } else { ago?.max(0) };
                Some((key, NOW - ago))
            });
            known.fold(skill, |skill, (key, then)| skill.fact(key, then))
        })
    })
}

fn told_of(all: &[Told], later: i64) -> BTreeSet<String> {
    let curated = curator::<Claims>(&library(all, later), &[]).unwrap();
    assert!(curated.proposals.is_empty());
    let names: BTreeSet<String> = curated.notices.iter().map(|it| it.0.clone()).collect();
    assert_eq!(names.len(), curated.notices.len(), "one notice a skill");
    names
}

proptest! {
    #[test]
    fn only_what_claims_something_is_told_of_and_nothing_is_proposed(
        all in prop::collection::vec(told(), 1..20),
    ) {
        for name in told_of(&all, 0) {
            let told = &all[name[1..].parse::<usize>().unwrap()];
            prop_assert!(told.claims.is_some_and(|claims| claims > 0), "{told:?}");
        }
    }

    #[test]
    fn what_is_due_stays_due(all in prop::collection::vec(told(), 1..20), by in 1..400 * DAY) {
        let (now, later) = (told_of(&all, 0), told_of(&all, by));
        prop_assert!(now.is_subset(&later), "{now:?} {later:?}");
    }

    #[test]
    fn evidence_never_makes_a_claim_due(all in prop::collection::vec(told(), 1..20)) {
        let mut shown = all.clone();
        for told in &mut shown {
            told.evidence = Some(told.evidence.unwrap_or(0) + 1);
        }
        let (before, after) = (told_of(&all, 0), told_of(&shown, 0));
        prop_assert!(after.is_subset(&before), "{before:?} {after:?}");
    }

    #[test]
    fn a_later_success_never_puts_off(
        all in prop::collection::vec(told(), 1..20), by in 0..100 * DAY,
    ) {
        let mut helped = all.clone();
        for told in &mut helped {
            told.ages[3] = Some(told.ages[3].map_or(0, |ago| ago - by));
        }
        let (before, after) = (told_of(&all, 0), told_of(&helped, 0));
        prop_assert!(before.is_subset(&after), "{before:?} {after:?}");
    }
}
