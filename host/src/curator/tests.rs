//! Plans from opinions: what a person sees before a pass, and what a pass does.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use super::{Asked, Heard, Plan, Subject, make, question};
use crate::{
    config::Combine,
    decision::{Fate, Reasoned, Slot, Values},
    index::{Fallback, SlotNote},
    laws::{Bounds, Law, Opinion},
    skill::{Instant, OneLine, SkillId, State},
};

const NOW: Instant = Instant(1_000_000);

fn subject(number: u64, active: i64) -> Subject {
    Subject {
        folder: format!("cat/s{number}"),
        views: 1,
        uses: 1,
        last_used: Some(Instant(active)),
        file: "f".to_owned(),
        ..Subject::plain(SkillId::from_random(number), "/skills", &format!("s{number}"), Instant(0))
    }
}

fn note(name: &str, fallback: Option<Fallback>) -> SlotNote {
    SlotNote {
        slot: Slot::Curator,
        policy: name.to_owned(),
        source: name.to_owned(),
        digest: None,
        generation: None,
        allowance: Default::default(),
        fallback,
        fuel: 0,
        fuel_limit: 0,
        rows: 0,
        micros: 0,
    }
}

fn opinion(fates: &[Option<Fate>], why: &str) -> Opinion {
    Opinion {
        fates: fates.iter().map(|fate| fate.map(|fate| (fate, 0))).collect(),
        notices: vec![(0, OneLine::new("look"), 0)],
        reasons: vec![Some(Reasoned { code: OneLine::new(why), text: OneLine::new(why) })],
    }
}

fn heard(opinions: Vec<Opinion>) -> Heard {
    Heard {
        notes: (0..opinions.len()).map(|at| note(&format!("rule{at}"), None)).collect(),
        opinions: opinions.into_iter().map(Some).collect(),
        bites: Vec::new(),
    }
}

fn plan(subjects: &[Subject], heard: &Heard, bounds: Bounds) -> Plan {
    make(subjects, heard, Combine::Any, (Asked::Schedule, bounds), NOW)
}

#[test]
fn those_that_nobody_used_for_longest_are_retired_first() {
    let subjects = [subject(1, 500), subject(2, 100), subject(3, 300)];
    let heard = heard(vec![opinion(&[Some(Fate::Archive); 3], "idle")]);
    let plan = plan(&subjects, &heard, Bounds { most: Some(2), consent: true });
    let retired: Vec<&str> = plan.to(State::Archived).map(|it| it.name.as_str()).collect();
    assert_eq!(retired, ["s2", "s3"]);
    let held: Vec<_> = plan.held().map(|it| (it.name.as_str(), it.law)).collect();
    assert_eq!(held, [("s1", Some(Law::BlastRadius))]);
    assert_eq!(plan.notices.len(), 1);
}

#[test]
fn before_anybody_said_yes_what_would_be_retired_goes_stale_and_says_why() {
    let heard = heard(vec![opinion(&[Some(Fate::Archive)], "idle")]);
    let plan = plan(&[subject(1, 0)], &heard, Bounds { most: None, consent: false });
    let row = &plan.rows[0];
    assert_eq!(
        (row.to, row.wanted, row.law),
        (Some(State::Stale), State::Archived, Some(Law::Consent))
    );
    assert!(super::why_held(row).contains("curator run"));
}

#[test]
fn one_policy_without_an_answer_and_nothing_is_changed() {
    let mut heard = heard(vec![opinion(&[Some(Fate::Archive)], "idle")]);
    let reason = Reasoned { code: OneLine::new("no"), text: OneLine::new("it can't") };
    heard.notes.push(note("broken", Some(Fallback::Refused(reason))));
    heard.opinions.push(None);
    let plan = plan(&[subject(1, 0)], &heard, Bounds::ASKED);
    assert!(plan.is_empty() && plan.rows.is_empty());
    assert_eq!(plan.failed().unwrap().0, "broken");
}

#[test]
fn a_vote_to_keep_is_told_with_its_reason() {
    let subjects = [subject(1, 0)];
    let opinions =
        vec![opinion(&[Some(Fate::Archive)], "idle"), opinion(&[Some(Fate::Keep)], "dear")];
    let plan = plan(&subjects, &heard(opinions), Bounds::ASKED);
    let row = &plan.rows[0];
    assert_eq!((row.to, row.law), (None, None));
    assert_eq!(super::why_held(row), "rule1 votes to keep it: dear");
}

#[test]
fn the_same_plan_has_the_same_name_and_reads_back_as_it_was() {
    let subjects = [subject(1, 0), subject(2, 0)];
    let opinions = || vec![opinion(&[Some(Fate::Archive), Some(Fate::MarkStale)], "idle")];
    let [one, two] = [(); 2].map(|()| plan(&subjects, &heard(opinions()), Bounds::ASKED));
    assert_eq!(one.id(), two.id());
    let text = serde_json::to_string(&one).unwrap();
    let back: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!((back.id(), &back), (one.id(), &one));
}

#[test]
fn a_time_in_the_future_counts_as_now_and_what_nobody_did_is_not_known() {
    let mut later = subject(1, NOW.0 + 900);
    later.created = Instant(NOW.0 + 5);
    let mut never = subject(2, 0);
    (never.views, never.uses, never.last_used) = (0, 0, None);
    let request = question(&[later, never], NOW, 7, &|_| true);
    let integers = |key: &str| {
        let column = request.skills.columns.iter().find(|it| it.key == key).unwrap();
        let Values::Integers(values) = &column.values else { unreachable!("{key}") };
        (column.rows.clone(), values.clone())
    };
    assert_eq!(integers("last-used"), (Some(vec![0]), vec![NOW.0]));
    assert_eq!(integers("uses"), (Some(vec![0]), vec![1]));
    assert_eq!(integers("created"), (None, vec![NOW.0, 0]));
    assert_eq!(integers("negative-claims"), (Some(vec![]), vec![]));
}

#[test]
fn a_pass_sends_what_the_dictionary_says_of_curators_and_nothing_else() {
    use std::collections::BTreeSet;

    use crate::decision::{FACTS, Known};
    let request = question(&[subject(1, 0), subject(2, 5)], NOW, 0, &|_| true);
    let sent: BTreeSet<&str> = request.skills.columns.iter().map(|it| it.key).collect();
    let told: BTreeSet<&str> = FACTS
        .iter()
        .filter(|fact| fact.slots.contains(&Slot::Curator))
        .map(|fact| fact.key)
        .collect();
    assert_eq!(sent, told);
    for column in &request.skills.columns {
        let fact = FACTS
            .iter()
            .find(|fact| fact.key == column.key && fact.slots.contains(&Slot::Curator))
            .unwrap();
        assert_eq!(column.values.value_type(), fact.value_type, "{}", fact.key);
        assert!(fact.known != Known::All || column.rows.is_none(), "{}", fact.key);
    }
}
