#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::{Answered, FORM, PassRecord, Told};
use crate::{
    config::Combine,
    curator::{Asked, Heard, Subject},
    decision::{Allowance, Fate, Reasoned, Slot},
    index::SlotNote,
    laws::{Bounds, Opinion, Standing},
    ledger::Digest,
    record::RecordError,
    skill::{Instant, OneLine, SkillId, State},
};

const NOW: Instant = Instant(1_000_000);

fn note(name: &str) -> SlotNote {
    SlotNote {
        slot: Slot::Curator,
        policy: name.to_owned(),
        source: name.to_owned(),
        digest: Some("0f".repeat(32)),
        generation: None,
        allowance: Allowance::default(),
        fallback: None,
        fuel: 7,
        fuel_limit: 9,
        rows: 0,
        micros: 0,
    }
}

fn opinion(fates: &[Option<Fate>]) -> Opinion {
    let why = Reasoned { code: OneLine::new("idle"), text: OneLine::new("nobody used it") };
    Opinion {
        fates: fates.iter().map(|fate| fate.map(|fate| (fate, 0))).collect(),
        notices: vec![(0, OneLine::new("look"), 0)],
        reasons: vec![Some(why)],
    }
}

fn subject(number: u64, bits: u8) -> Subject {
    let bit = |at: u8| bits & (1 << at) != 0;
    let standing = Standing {
        state: if bit(0) { State::Stale } else { State::Active },
        owned: !bit(1),
        declared: !bit(2),
        built_in: bit(3),
        pinned: bit(4),
        referenced: bit(5),
        fresh: bit(6),
    };
    let jobs = if bit(5) { vec!["nightly".to_owned()] } else { Vec::new() };
    Subject {
        standing,
        jobs,
        last_used: bit(7).then_some(Instant(NOW.0 - i64::from(bits))),
        ..Subject::plain(SkillId::from_random(number), "/skills", &format!("s{number}"), Instant(0))
    }
}

fn recorded(subjects: Vec<Subject>, opinions: Vec<Opinion>, bounds: Bounds) -> PassRecord {
    let heard = Heard {
        notes: (0..opinions.len()).map(|at| note(&format!("rule{at}"))).collect(),
        opinions: opinions.into_iter().map(Some).collect(),
        bites: Vec::new(),
    };
    let settings = ["archive-after-days=60".to_owned()];
    let (plan, record) = PassRecord::of(
        (subjects, Told::default()),
        (heard, &settings),
        Combine::Any,
        (Asked::Schedule, bounds),
        (NOW, u64::MAX),
    );
    assert_eq!((plan.id(), &plan), (record.plan.clone(), &record.plan()));
    record
}

fn back(record: &PassRecord) -> PassRecord {
    let (name, packed) = record.packed().unwrap();
    PassRecord::unpacked(Path::new("it"), &packed, name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_record_says_the_plan_again_whoever_reads_it(
        skills in prop::collection::vec((any::<u8>(), 0..5_usize, 0..5_usize), 1..20),
        most in 0..4_usize,
        consent: bool,
    ) {
        let fate = |at: usize| {
            [None, Some(Fate::Keep), Some(Fate::Activate), Some(Fate::MarkStale), Some(Fate::Archive)][at]
        };
        let subjects = (0..).zip(&skills).map(|(at, it)| subject(at, it.0)).collect();
        let opinions = vec![
            opinion(&skills.iter().map(|it| fate(it.1)).collect::<Vec<_>>()),
            opinion(&skills.iter().map(|it| fate(it.2)).collect::<Vec<_>>()),
        ];
        let record = recorded(subjects, opinions.clone(), Bounds { most: Some(most), consent });
        let read = back(&record);
        prop_assert_eq!(&read, &record);
        prop_assert_eq!(read.plan(), record.plan());
        let same: Vec<Answered> = opinions
            .into_iter()
            .map(|it| Answered { opinion: Some(it), failed: None })
            .collect();
        prop_assert_eq!(read.differs(&same), (Vec::new(), Vec::new()));
    }
}

#[test]
fn what_differs_is_told_by_who_answered_and_by_skill() {
    let archive = opinion(&[Some(Fate::Archive), None]);
    let record = recorded(
        vec![subject(1, 0), subject(2, 0)],
        vec![archive.clone(), opinion(&[None, None])],
        Bounds::ASKED,
    );
    let answered = |opinion: Opinion| Answered { opinion: Some(opinion), failed: None };
    let other = [answered(archive.clone()), answered(opinion(&[None, Some(Fate::MarkStale)]))];
    let (what, skills) = record.differs(&other);
    assert_eq!(what, ["the answer of `rule1`", "the plan"]);
    assert_eq!(skills, ["s2"]);
    // Who gives no answer that counts leaves every skill as it is.
    let failed = Answered { opinion: None, failed: Some("it ran out of fuel".to_owned()) };
    let (what, skills) = record.differs(&[answered(archive), failed]);
    assert_eq!(what, ["the answer of `rule1`", "the plan"]);
    assert_eq!(skills, ["s1"]);
}

#[test]
fn what_is_written_is_this_form_and_another_one_is_told_and_not_read() {
    let record = recorded(
        vec![subject(1, 0b1010_0000)],
        vec![opinion(&[Some(Fate::Archive)])],
        Bounds::ASKED,
    );
    let written = json!({
        "schema": FORM,
        "plan": record.plan,
        "asked": "schedule",
        "bounds": { "most": null, "consent": true },
        "combine": "any",
        "now": 1_000_000,
        "seed": u64::MAX,
        "told": { "claims": false, "outcomes": false },
        "seats": [{
            "slot": {
                "slot": "curator", "policy": "rule0", "source": "rule0", "digest": "0f".repeat(32),
                "settings": ["archive-after-days=60"], "fallback": null, "fuel": 7, "fuel-limit": 9,
            },
            "answer": {
                "fates": [["archive", 0]],
                "notices": [[0, "look", 0]],
                "reasons": [{ "code": "idle", "text": "nobody used it" }],
            },
        }],
        "subjects": [{
            "id": SkillId::from_random(1), "root": "/skills", "folder": "s1", "name": "s1",
            "origin": "review",
            "standing": {
                "state": "active", "owned": true, "declared": true, "built-in": false,
                "pinned": false, "referenced": true, "fresh": false,
            },
            "jobs": ["nightly"], "created": 0, "views": 0, "uses": 0, "writes": 0,
            "last-used": 999_840, "file": "",
        }],
        "rows": [{ "id": SkillId::from_random(1), "wanted": "archived", "law": "referenced" }],
    });
    assert_eq!(serde_json::to_value(&record).unwrap(), written);
    assert_eq!(serde_json::from_value::<PassRecord>(written).unwrap(), record);
    let older = PassRecord { schema: "skillkeep.pass-record/0".to_owned(), ..record };
    let (name, packed) = older.packed().unwrap();
    let read = PassRecord::unpacked(Path::new("it"), &packed, name);
    assert!(matches!(read, Err(RecordError::Form { expected: FORM, .. })), "{read:?}");
    let other = PassRecord::unpacked(Path::new("it"), &packed, Digest::of(b"other"));
    assert!(matches!(other, Err(RecordError::Damaged { .. })), "{other:?}");
    let cut = PassRecord::unpacked(Path::new("it"), &packed[..packed.len() / 2], name);
    assert!(matches!(cut, Err(RecordError::Damaged { .. })), "{cut:?}");
}
