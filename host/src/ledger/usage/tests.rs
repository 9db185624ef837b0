//! Events, sums, usage for the index, decisions and exposures.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use super::{Event, Happening, Kind, Shown, Sums};
use crate::{
    decision::Form,
    ledger::{
        Decided, Digest, Fault, Ledger, LedgerError,
        tests::{event, fill, id},
    },
    skill::{Actor, Instant, UsageRecord},
};

#[test]
fn events_add_up_by_kind_and_maintenance_is_no_use() {
    let ledger = Ledger::in_memory().unwrap();
    fill(&ledger, 2);
    let of = |kind, at, actor, weight| Event { actor, weight, ..event(1, kind, at) };
    ledger
        .record(&[
            of(Kind::Use, 30, Actor::Foreground, 1),
            of(Kind::Use, 10, Actor::Person, 40),
            of(Kind::View, -5, Actor::Job, 1),
            of(Kind::Use, 99, Actor::Curator, 1),
            of(Kind::FileView, 99, Actor::Review, 1),
            of(Kind::Write, 50, Actor::Review, 1),
            of(Kind::Failure, 1, Actor::Review, 2),
        ])
        .unwrap();
    ledger.record(&[of(Kind::Use, 20, Actor::Foreground, 1)]).unwrap();
    let sums = Sums {
        views: 1,
        uses: 42,
        writes: 1,
        failures: 2,
        maintenance: 2,
        last_view: Some(Instant(-5)),
        last_use: Some(Instant(30)),
        last_write: Some(Instant(50)),
        ..Sums::default()
    };
    assert_eq!(ledger.sums(id(1)).unwrap(), sums);
    assert_eq!(ledger.sums(id(2)).unwrap(), Sums::default());
    assert_eq!(ledger.check().unwrap(), []);
    let used = UsageRecord { uses: 42, last_used: Some(Instant(30)), pinned: false };
    let usage = BTreeMap::from([(id(1), used), (id(2), UsageRecord::default())]);
    assert_eq!(ledger.usage().unwrap(), usage);
}

#[test]
fn what_happened_comes_in_its_order_and_equal_times_as_they_were_written_down() {
    let ledger = Ledger::in_memory().unwrap();
    fill(&ledger, 2);
    let review = Event { actor: Actor::Review, weight: 3, ..event(2, Kind::Write, 20) };
    ledger.record(&[event(1, Kind::Use, 20), review, event(2, Kind::View, 10)]).unwrap();
    ledger.connection().execute_batch("UPDATE events SET kind = 'newer' WHERE at = 10").unwrap();
    ledger.record(&[event(1, Kind::Success, 5)]).unwrap();
    let told: Vec<_> = ledger
        .happenings()
        .unwrap()
        .into_iter()
        .map(|Happening { skill, at, kind, actor, weight }| (skill, at.0, kind, actor, weight))
        .collect();
    let expected = [
        (id(1), 5, Kind::Success, Actor::Foreground, 1),
        (id(1), 20, Kind::Use, Actor::Foreground, 1),
        (id(2), 20, Kind::Write, Actor::Review, 3),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_text_is_used_by_who_works_for_somebody_and_seen_by_everybody_else() {
    for (shown, actor, kinds) in [
        (Shown::Text, Actor::Foreground, &[Kind::View, Kind::Use][..]),
        (Shown::Text, Actor::Job, &[Kind::View, Kind::Use]),
        (Shown::Text, Actor::Person, &[Kind::View]),
        (Shown::Text, Actor::Review, &[Kind::View]),
        (Shown::Outline, Actor::Foreground, &[Kind::View]),
        (Shown::File, Actor::Foreground, &[Kind::FileView]),
        (Shown::File, Actor::Person, &[Kind::FileView]),
    ] {
        assert_eq!(shown.kinds(actor), kinds, "{shown:?} {actor:?}");
    }
}

#[test]
fn events_of_a_skill_that_is_not_known_are_refused_with_all_that_came_along() {
    let ledger = Ledger::in_memory().unwrap();
    fill(&ledger, 1);
    let error = ledger.record(&[event(1, Kind::Use, 1), event(9, Kind::Use, 1)]).unwrap_err();
    assert!(matches!(error, LedgerError::UnknownSkill(skill) if skill == id(9)), "{error:?}");
    assert_eq!(ledger.sums(id(1)).unwrap(), Sums::default());
    assert_eq!(ledger.check().unwrap(), []);
}

#[test]
fn a_check_tells_wrong_sums_unknown_words_and_dangling_rows() {
    let ledger = Ledger::in_memory().unwrap();
    fill(&ledger, 2);
    ledger.record(&[event(1, Kind::Use, 1)]).unwrap();
    let sql = "PRAGMA foreign_keys = OFF;
        UPDATE sums SET uses = 7;
        UPDATE skills SET state = 'asleep' WHERE id = 2;
        INSERT INTO choices VALUES (77, '', 'off');";
    ledger.connection().execute_batch(sql).unwrap();
    assert_eq!(
        ledger.check().unwrap(),
        [
            Fault::Dangling("choices".to_owned()),
            Fault::Word { column: "skills.state", found: "asleep".to_owned() },
            Fault::Sums(id(1)),
        ]
    );
    let error = ledger.skills().unwrap_err();
    assert!(matches!(error, LedgerError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains("`asleep` is no state"), "{error}");
}

#[test]
fn a_decision_gives_the_previous_forms_and_counts_who_was_listed() {
    let ledger = Ledger::in_memory().unwrap();
    fill(&ledger, 3);
    let decided = |at, agent: &str, record: &[u8]| Decided {
        at: Instant(at),
        session: Some("s".to_owned()),
        agent: agent.to_owned(),
        record: Some(Digest::of(record)),
        shelf: None,
        counts: BTreeMap::from([("full".to_owned(), 1)]),
    };
    let first = BTreeMap::from([(id(1), Form::Full), (id(2), Form::Name), (id(3), Form::Counted)]);
    let second = BTreeMap::from([(id(2), Form::Short)]);
    ledger.decided(&decided(1, "", b"a"), &first).unwrap();
    ledger.decided(&decided(2, "", b"a"), &first).unwrap();
    ledger.decided(&decided(3, "codex", b"b"), &second).unwrap();
    assert_eq!(ledger.previous_forms("").unwrap(), first);
    assert_eq!(ledger.previous_forms("codex").unwrap(), second);
    assert_eq!(ledger.previous_forms("hermes").unwrap(), BTreeMap::new());
    let exposures = BTreeMap::from([(id(1), 2), (id(2), 3)]);
    assert_eq!(ledger.exposures().unwrap(), exposures);
    assert_eq!(ledger.decisions(None, 1).unwrap(), [decided(3, "codex", b"b")]);
    // The newest of each agent stays, for the next index of it.
    assert_eq!(ledger.forget_decisions(Instant(4)).unwrap(), 1);
    let left = [decided(3, "codex", b"b"), decided(2, "", b"a")];
    assert_eq!(ledger.decisions(None, 9).unwrap(), left);
    assert_eq!(ledger.exposures().unwrap(), exposures);
}
