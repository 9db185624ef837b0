//! What holds for every library, however odd; and Hermes's own steps, written down a second time, beside the rule.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "../../curating.rs"]
mod curating;

use curating::let_go;
use curator_inactivity::Inactivity;
use proptest::prelude::*;
use skillkeep_policy::DAY;
use skillkeep_policy::curator::Verdict;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Library, NOW, setting};

/// What is known of a skill; times as seconds ago.
#[derive(Clone, Debug)]
struct Told {
    stale: bool,
    candidate: bool,
    created: i64,
    adopted: Option<i64>,
    restored: Option<i64>,
    used: Option<i64>,
    viewed: Option<i64>,
    written: Option<i64>,
    uses: Option<i64>,
}

fn ago() -> impl Strategy<Value = i64> {
    // Whole days and a second beside them are where the rule turns.
    prop_oneof![
        -3 * DAY..500 * DAY,
        (0_i64..200, -1_i64..=1).prop_map(|(days, seconds)| days * DAY + seconds),
    ]
}

fn told() -> impl Strategy<Value = Told> {
    let flags = (any::<bool>(), prop::bool::weighted(0.8));
    let some = || prop::option::of(ago());
    (flags, ago(), some(), some(), (some(), some(), some()), prop::option::of(0_i64..50)).prop_map(
        |((stale, candidate), created, adopted, restored, last, uses)| Told {
            stale,
            candidate,
            created,
            adopted,
            restored,
            used: last.0,
            viewed: last.1,
            written: last.2,
            uses,
        },
    )
}

fn library(all: &[Told]) -> Library {
    (0..).zip(all).fold(Library::new(), |library, (number, told): (usize, &Told)| {
        library.skill("general", &format!("s{number}"), |skill| {
            let skill = skill
                .fact("state", if told.stale { "stale" } else { "active" })
                .fact("candidate", told.candidate)
                .fact("created", NOW - told.created);
            let times = [
                ("adopted", told.adopted),
                ("restored", told.restored),
                ("last-used", told.used),
                ("last-viewed", told.viewed),
                ("last-written", told.written),
            ];
            let known = times.into_iter().filter_map(|(key, ago)| Some((key, NOW - ago?)));
            let skill = known.fold(skill, |skill, (key, then)| skill.fact(key, then));
            told.uses.into_iter().fold(skill, |skill, uses| skill.fact("uses", uses))
        })
    })
}

fn settings(stale: i64, archive: i64) -> [Entry; 2] {
    [setting("stale-after-days", stale), setting("archive-after-days", archive)]
}

fn verdicts(all: &[Told], settings: &[Entry]) -> Vec<Option<Verdict>> {
    let mut named = curating::verdicts::<Inactivity>(&library(all), settings);
    (0..all.len()).map(|number| named.remove(&format!("s{number}"))).collect()
}

/// Hermes's transition, step by step, for a row that its report has.
fn hermes(told: &Told, stale: i64, archive: i64) -> Option<Verdict> {
    let (stale_cutoff, archive_cutoff) = (NOW - stale * DAY, NOW - archive * DAY);
    let last = [told.used, told.viewed, told.written].into_iter().flatten().map(|ago| NOW - ago);
    let anchor = last.max().unwrap_or(NOW - told.created);
    if told.uses.unwrap_or(0) == 0 && anchor > stale_cutoff {
        return told.stale.then_some(Verdict::Activate);
    }
    if anchor <= archive_cutoff {
        Some(Verdict::Archive)
    } else if anchor <= stale_cutoff && !told.stale {
        Some(Verdict::MarkStale)
    } else if anchor > stale_cutoff && told.stale {
        Some(Verdict::Activate)
    } else {
        None
    }
}

proptest! {
    #[test]
    fn what_nobody_adopted_goes_hermess_way(
        all in prop::collection::vec(told(), 1..20), stale in 1_i64..120, more in 0_i64..200,
    ) {
        let mut all = all;
        for told in &mut all {
            (told.candidate, told.adopted, told.restored) = (true, None, None);
        }
        let expected: Vec<_> = all.iter().map(|it| hermes(it, stale, stale + more)).collect();
        prop_assert_eq!(verdicts(&all, &settings(stale, stale + more)), expected);
    }

    #[test]
    fn what_is_nobodys_is_not_let_go_of(all in prop::collection::vec(told(), 1..20)) {
        for (told, verdict) in all.iter().zip(verdicts(&all, &[])) {
            prop_assert!(told.candidate || let_go(verdict.as_ref()) < 2, "{told:?} {verdict:?}");
        }
    }

    #[test]
    fn what_was_adopted_is_archived_only_from_stale(all in prop::collection::vec(told(), 1..20)) {
        for (told, verdict) in all.iter().zip(verdicts(&all, &[])) {
            let archived = verdict == Some(Verdict::Archive);
            prop_assert!(!archived || told.stale || told.adopted.is_none(), "{told:?}");
        }
    }

    #[test]
    fn resting_longer_never_keeps_a_skill(all in prop::collection::vec(told(), 1..20), by in 1..400 * DAY) {
        let mut older = all.clone();
        for told in &mut older {
            for ago in [&mut told.used, &mut told.viewed, &mut told.written, &mut told.restored] {
                *ago = ago.map(|ago| ago + by);
            }
            told.created += by;
        }
        for (young, old) in verdicts(&all, &[]).into_iter().zip(verdicts(&older, &[])) {
            prop_assert!(let_go(old.as_ref()) >= let_go(young.as_ref()), "{young:?}, and older {old:?}");
        }
    }

    #[test]
    fn passes_that_follow_each_other_come_to_an_end(all in prop::collection::vec(told(), 1..20)) {
        let mut all = all;
        for pass in 0..3 {
            let verdicts = verdicts(&all, &[]);
            prop_assert!(pass < 2 || verdicts.iter().all(Option::is_none), "{all:?} {verdicts:?}");
            let mut left = Vec::new();
            for (mut told, verdict) in all.into_iter().zip(verdicts) {
                match verdict {
                    Some(Verdict::Archive) => continue,
                    Some(Verdict::MarkStale) => told.stale = true,
                    Some(Verdict::Activate) => told.stale = false,
                    Some(Verdict::Keep) | None => {}
                }
                left.push(told);
            }
            all = left;
        }
    }
}
