//! How answers become one, what a policy is told, and what holds where there is no answer.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::{borrow::Cow, collections::BTreeMap};

use super::*;
use crate::{
    decision::{
        Action, Allowance, By, FACTS, Judgement, Known, Reasoned, Slot, Successor, Value, Verdict,
        WriteRequest,
    },
    policy::{Builtin, Engine, LoadError, Source},
    skill::{Actor, OneLine, Origin},
};

fn says(policy: &str, verdict: Verdict<Origin>) -> Judgement {
    let reason = Reasoned { code: OneLine::new("so"), text: OneLine::new(policy) };
    Judgement { verdict, reason, by: By::Policy(OneLine::new(policy)) }
}

fn edit() -> WriteRequest {
    WriteRequest::plain(Actor::Review, Action::Edit, Some(Origin::Person))
}

/// What holds, and by whom it was said.
fn combined(answers: &[Verdict<Origin>]) -> (Verdict<Origin>, String) {
    let answers: Vec<_> =
        ["a", "b", "c"].iter().zip(answers).map(|(name, it)| says(name, *it)).collect();
    let it = combine(&edit(), &answers);
    (it.verdict, it.by.to_string())
}

#[test]
fn deny_is_over_stage_is_over_allow_and_owners_that_differ_stage() {
    use Origin::{Foreground, Person};
    use Verdict::{Allow, Deny, Stage};
    for (answers, verdict, by) in [
        (&[Allow(Person)][..], Allow(Person), "a"),
        (&[Allow(Person), Allow(Person)], Allow(Person), "a"),
        (&[Allow(Person), Stage(Person)], Stage(Person), "b"),
        (&[Stage(Person), Stage(Person)], Stage(Person), "a"),
        (&[Allow(Person), Deny, Stage(Person)], Deny, "b"),
        (&[Deny, Deny], Deny, "a"),
        (&[Allow(Person), Allow(Foreground)], Stage(Person), "the host"),
        (&[Stage(Foreground), Allow(Person)], Stage(Person), "the host"),
        (&[Allow(Foreground), Allow(Person), Deny], Deny, "c"),
        (&[], Deny, "the host"),
    ] {
        assert_eq!(combined(answers), (verdict, by.to_owned()), "{answers:?}");
    }
    let answers = [says("a", Allow(Person)), says("b", Allow(Foreground))];
    assert_eq!(
        combine(&edit(), &answers).reason.text.as_str(),
        "a would give it the origin `person`, and b `foreground`, so it waits for a person"
    );
}

#[test]
fn a_policy_is_told_what_the_dictionary_says_and_no_more() {
    let mut write = WriteRequest::plain(Actor::Review, Action::Retire, Some(Origin::Review));
    write.path = Some("SKILL.md".to_owned());
    write.successor = Some(Successor::Present);
    write.content = "text".to_owned();
    let types = |write: &WriteRequest| -> BTreeMap<&str, &str> {
        let told = question(write, &|_| true);
        told.write.iter().map(|(key, value)| (*key, value.value_type().word())).collect()
    };
    let promised = |known: &[Known]| -> BTreeMap<&str, &str> {
        // The content stands beside the facts.
        let facts = FACTS
            .iter()
            .filter(|fact| fact.slots.contains(&Slot::Provenance) && known.contains(&fact.known));
        facts.filter(|it| it.key != "content").map(|it| (it.key, it.value_type.word())).collect()
    };
    assert_eq!(types(&write), promised(&[Known::All, Known::Some]));
    let least = WriteRequest::plain(Actor::Person, Action::Create, None);
    assert_eq!(types(&least), promised(&[Known::All]));

    let some = question(&write, &|key| key == "actor");
    assert_eq!(some.write, [("actor", Value::Text("review".to_owned()))]);
    assert_eq!(some.content, "");
    assert_eq!(question(&write, &|key| key == "content").content, "text");
}

fn judge(names: &[&str]) -> Judge {
    let chosen = names.iter().map(|name| Chosen {
        name: (*name).to_owned(),
        component: Builtin::named(name)
            .map(|it| (Source::Builtin(it.name), Cow::Borrowed(it.bytes)))
            .ok_or_else(|| LoadError::Unknown { name: (*name).to_owned(), near: None }),
    });
    Judge::load(Engine::new(None, None).unwrap(), chosen.collect(), &[], Allowance::default())
}

#[test]
fn without_an_answer_a_persons_write_waits_and_anybody_elses_is_refused() {
    let judge = judge(&["provenance-open", "not-there"]);
    for (actor, action, origin, verdict) in [
        (Actor::Person, Action::Create, None, Verdict::Stage(Origin::Person)),
        (Actor::Person, Action::Edit, Some(Origin::Review), Verdict::Stage(Origin::Review)),
        (Actor::Foreground, Action::Create, None, Verdict::Deny),
        (Actor::Curator, Action::Retire, Some(Origin::Review), Verdict::Deny),
    ] {
        let hearing = judge.hear(&WriteRequest::plain(actor, action, origin));
        assert_eq!((hearing.judgement.verdict, hearing.judgement.by), (verdict, By::Host));
        assert_eq!(hearing.opinions.iter().filter(|it| it.fallback.is_some()).count(), 1);
    }
    let said = judge.judge(&WriteRequest::plain(Actor::Job, Action::Create, None)).reason.text;
    assert_eq!(
        said.as_str(),
        "`not-there` does not load: no policy is called `not-there`, and no file of that name is there; until that is mended, nobody but a person writes"
    );
}

#[test]
fn the_laws_stand_above_the_most_open_rule() {
    let judge = judge(&["provenance-open"]);
    let mut write = WriteRequest::plain(Actor::Curator, Action::Retire, Some(Origin::Review));
    assert_eq!(judge.judge(&write).verdict, Verdict::Allow(Origin::Review));
    write.pinned = true;
    let hearing = judge.hear(&write);
    assert_eq!(hearing.judgement.verdict, Verdict::Deny);
    assert_eq!(hearing.judgement.by, By::Law(OneLine::new("pinned")));
    assert_eq!(hearing.proposed.verdict, Verdict::Allow(Origin::Review));
    let [bite] = hearing.bites.as_slice() else { unreachable!("{:?}", hearing.bites) };
    assert_eq!(bite.about.as_str(), "provenance-open 0.1.0");
}

#[test]
fn a_strict_rule_beside_another_makes_its_permissions_proposals() {
    let judge = judge(&["provenance-declared", "provenance-strict"]);
    let verdict =
        |actor, action, origin| judge.judge(&WriteRequest::plain(actor, action, origin)).verdict;
    let of = Some(Origin::Foreground);
    assert_eq!(verdict(Actor::Person, Action::Edit, of), Verdict::Allow(Origin::Foreground));
    assert_eq!(verdict(Actor::Foreground, Action::Edit, of), Verdict::Stage(Origin::Foreground));
    assert_eq!(verdict(Actor::Curator, Action::Retire, of), Verdict::Deny);
}
