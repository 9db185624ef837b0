//! Records are whole or not there, say what was decided, and are forgotten in time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::{collections::BTreeMap, path::Path};

use super::{
    Facts, KEEP_DAYS, Record, RecordError, Records, Rows, Shelf, ShelfCategory, ShelfSkill, Used,
};
use crate::{
    decision::{Detail, Form, Unit},
    index::{Frame, Inputs, Kept},
    ledger::{Ledger, NewRoot, NewSkill, Origin},
    skill::{Choice, Instant, OneLine, SkillId, State, UsageRecord},
    system::{Disk, Failure, Fault, SimulatedDisk, System},
};

const HOME: &str = "/home";

fn id(number: u64) -> SkillId {
    SkillId::from_random(number)
}

fn ledger() -> Ledger {
    let ledger = Ledger::in_memory().unwrap();
    let root = NewRoot {
        path: "/root".into(),
        label: OneLine::new("mine"),
        owned: true,
        trusted: true,
        precedence: 0,
        at: Instant(0),
    };
    let root = ledger.add_root(&root).unwrap();
    for number in 1..=2 {
        let skill = NewSkill {
            id: id(number),
            root,
            folder: number.to_string(),
            name: number.to_string(),
            category: "general".to_owned(),
            state: State::Active,
            origin: Origin::Unknown,
            created: Instant(0),
        };
        ledger.add_skill(&skill).unwrap();
    }
    ledger
}

fn shelf(text: &str) -> Shelf {
    let skill = |number| ShelfSkill {
        id: Some(id(number)),
        name: number.to_string(),
        path: format!("/root/{number}/SKILL.md"),
        category: 0,
        full: text.into(),
        short: "Use".into(),
        missing: Vec::new(),
    };
    let category =
        ShelfCategory { path: "general".to_owned(), description: "Odds and ends.".to_owned() };
    Shelf { skills: vec![skill(1), skill(2)], categories: vec![category], hidden: Vec::new() }
}

fn record(session: &str, agent: &str, shelf: &Shelf, forms: [Form; 2]) -> Record {
    Record {
        schema: "skillkeep.decision/1".to_owned(),
        shelf: Records::name_of(shelf).unwrap(),
        session: session.to_owned(),
        agent: agent.to_owned(),
        now: Instant(1_000),
        seed: "0000000000000001".to_owned(),
        unit: Unit::Tokens,
        limit: 2_000,
        short: 120,
        layout: "tree".to_owned(),
        facts: Facts::default(),
        compact: BTreeMap::new(),
        slots: Vec::new(),
        usage: vec![Used { row: 0, uses: 7, last: Some(Instant(900)), pinned: true }],
        choices: BTreeMap::from([(1, Choice::Full)]),
        stale: BTreeMap::from([(0, Form::Name)]),
        previous: BTreeMap::from([(0, Form::Short)]),
        costs: vec![[9, 5, 2]; 2],
        caps: vec![Form::Full; 2],
        details: Rows {
            chosen: vec![Detail::Full],
            proposed: BTreeMap::new(),
            why: vec![None],
            reasons: Vec::new(),
        },
        forms: Rows {
            chosen: forms.to_vec(),
            proposed: BTreeMap::from([(1, Form::Name)]),
            why: vec![None, None],
            reasons: Vec::new(),
        },
        cut: None,
        frame: Frame::Prose,
        cost: 40,
        laws: Vec::new(),
    }
}

fn disk() -> SimulatedDisk {
    let disk = SimulatedDisk::new(3);
    disk.put_folder(HOME, 0o700);
    disk
}

fn files(disk: &SimulatedDisk) -> usize {
    disk.tree(HOME).keys().filter(|path| path.starts_with("decisions/")).count()
}

#[test]
fn a_decision_is_read_back_as_it_was_and_kept_once() {
    let (disk, ledger) = (disk(), ledger());
    let records = Records::new(&disk, Path::new(HOME));
    let shelf = shelf("Use when it rains.");
    let first = record("a", "", &shelf, [Form::Full, Form::Name]);
    assert!(records.keep(&ledger, &first, &shelf, Instant(1_001)).unwrap().anew);
    assert!(!records.keep(&ledger, &first, &shelf, Instant(1_002)).unwrap().anew);
    let decided = ledger.decision_of("", "a").unwrap().unwrap();
    assert_eq!(decided.at, Instant(1_001));
    assert_eq!(records.read(&decided).unwrap(), (first, shelf.clone()));
    // Another session over the same library keeps its texts no second time, and lists the same once more.
    let second = record("b", "", &shelf, [Form::Full, Form::Name]);
    assert!(records.keep(&ledger, &second, &shelf, Instant(2_000)).unwrap().anew);
    assert_eq!(files(&disk), 3);
    assert_eq!(ledger.exposures().unwrap(), BTreeMap::from([(id(1), 2), (id(2), 2)]));
    assert_eq!(
        ledger.previous_forms("").unwrap(),
        BTreeMap::from([(id(1), Form::Full), (id(2), Form::Name)])
    );
    let at = |at| ledger.decision_at("", Instant(at)).unwrap().map(|it| it.session.unwrap());
    assert_eq!([at(1_000), at(1_999), at(2_000)], [None, Some("a".into()), Some("b".into())]);
    assert_eq!(ledger.decision_at("codex", Instant(9_000)).unwrap(), None);
}

#[test]
fn a_session_goes_on_as_it_began_but_for_pins_and_choices() {
    let shelf = shelf("Use when it rains.");
    let record = record("a", "", &shelf, [Form::Full, Form::Name]);
    let kept = |number, uses, pinned| {
        let usage = UsageRecord { uses, last_used: Some(Instant(5_000)), pinned };
        Some(Kept {
            id: id(number),
            usage,
            held: false,
            put_back: false,
            choice: Choice::Name,
            stale: None,
            previous: Some(Form::Full),
        })
    };
    let mut inputs = Inputs {
        now: Instant(9_000),
        kept: vec![None, kept(1, 50, false), kept(3, 4, true)],
        ..Inputs::default()
    };
    record.begun(&shelf).again(&mut inputs);
    let usage = UsageRecord { uses: 7, last_used: Some(Instant(900)), pinned: false };
    let was = Some(Kept {
        id: id(1),
        usage,
        held: false,
        put_back: false,
        choice: Choice::Name,
        // It went stale, or came back, since: the session goes on as it began.
        stale: Some(Form::Name),
        previous: Some(Form::Short),
    });
    // Nothing was known of the third when the session began.
    let new = kept(3, 4, true).map(|new| Kept { previous: None, ..new });
    assert_eq!((inputs.now, inputs.kept), (Instant(1_000), vec![None, was, new]));
}

#[test]
fn a_session_goes_on_as_it_began_in_whatever_order_skills_come() {
    let mut shelf = shelf("Use when it rains.");
    let third = ShelfSkill { id: Some(id(3)), ..shelf.skills[0].clone() };
    let unknown = ShelfSkill { id: None, ..shelf.skills[0].clone() };
    shelf.skills = vec![shelf.skills[0].clone(), unknown, shelf.skills[1].clone(), third];
    let used = |row, uses| Used { row, uses, last: None, pinned: false };
    let record = Record {
        usage: vec![used(0, 10), used(1, 99), used(2, 20), used(3, 30)],
        previous: BTreeMap::from([(0, Form::Full), (2, Form::Short), (3, Form::Name)]),
        stale: BTreeMap::new(),
        ..record("a", "", &shelf, [Form::Full, Form::Name])
    };
    let begun = record.begun(&shelf);
    assert_eq!(begun.len(), 3);
    let kept = |number| Kept {
        id: id(number),
        usage: UsageRecord { uses: 1, last_used: None, pinned: false },
        held: false,
        put_back: false,
        choice: Choice::Auto,
        stale: None,
        previous: Some(Form::Counted),
    };
    for order in [[1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 3, 1], [3, 1, 4, 2], [1, 4, 2, 3]] {
        let kept = order.into_iter().flat_map(|number| [Some(kept(number)), None]).collect();
        let mut inputs = Inputs { kept, ..Inputs::default() };
        begun.again(&mut inputs);
        for kept in inputs.kept.into_iter().flatten() {
            let (uses, form) = match (1..=4).find(|number| id(*number) == kept.id).unwrap() {
                1 => (10, Some(Form::Full)),
                2 => (20, Some(Form::Short)),
                3 => (30, Some(Form::Name)),
                _ => (1, None),
            };
            assert_eq!((kept.usage.uses, kept.previous), (uses, form), "{order:?}");
        }
    }
}

#[test]
fn what_is_over_is_swept_and_each_agents_newest_stays() {
    let (disk, ledger) = (disk(), ledger());
    let records = Records::new(&disk, Path::new(HOME));
    let now = disk.now();
    let old = Instant(now.0 - (KEEP_DAYS + 2) * 86_400);
    let (gone, stays) = (shelf("Gone."), shelf("Stays."));
    let two = [Form::Full, Form::Name];
    records.keep(&ledger, &record("a", "", &gone, two), &gone, old).unwrap();
    records.keep(&ledger, &record("b", "codex", &stays, two), &stays, old).unwrap();
    records.keep(&ledger, &record("c", "", &stays, two), &stays, now).unwrap();
    disk.put_file("/home/decisions/new-0123456789abcdef", "cut off", 0o600);
    assert_eq!(files(&disk), 6);
    // What is new on the disk may belong to a decision that is being written.
    assert_eq!(records.sweep(&ledger, now).unwrap(), 0);
    disk.advance(4_000);
    assert_eq!(ledger.decisions(None, 9).unwrap().len(), 2);
    // The one that is left of the old is codex's newest, so that a sweep stays due, and finds what nobody names.
    assert_eq!(records.sweep(&ledger, now).unwrap(), 3);
    let kept = ledger.decision_of("codex", "b").unwrap().unwrap();
    assert_eq!(records.read(&kept).unwrap().1, stays);
    assert_eq!((files(&disk), ledger.decision_of("", "a").unwrap()), (3, None));
}

#[test]
fn a_record_that_is_gone_or_damaged_says_so() {
    let (disk, ledger) = (disk(), ledger());
    let records = Records::new(&disk, Path::new(HOME));
    let shelf = shelf("Use when it rains.");
    let record = record("a", "", &shelf, [Form::Full, Form::Name]);
    records.keep(&ledger, &record, &shelf, Instant(1)).unwrap();
    let decided = ledger.decision_of("", "a").unwrap().unwrap();
    let path = format!("/home/decisions/{}.json.zst", decided.record.unwrap());
    let whole = disk.read(Path::new(&path), 1 << 20).unwrap();
    for bytes in
        [&whole[..whole.len() / 2], b"", b"no zstd", &zstd::bulk::compress(b"{}", 1).unwrap()]
    {
        disk.put_file(&path, bytes, 0o600);
        let error = records.read(&decided).unwrap_err();
        assert!(matches!(error, RecordError::Damaged { .. }), "{error}");
    }
    let at =
        crate::system::At { top: Path::new(HOME), below: path.strip_prefix("/home/").unwrap() };
    disk.remove_file(at).unwrap();
    assert!(matches!(records.read(&decided).unwrap_err(), RecordError::Gone(_)));
}

#[test]
fn no_decision_names_a_record_that_a_loss_of_power_takes() {
    let shelf = shelf("Use when it rains.");
    let record = record("a", "", &shelf, [Form::Full, Form::Name]);
    let count = {
        let (disk, ledger) = (disk(), ledger());
        disk.forget_operations();
        Records::new(&disk, Path::new(HOME)).keep(&ledger, &record, &shelf, Instant(1)).unwrap();
        disk.operations().len()
    };
    let failures = Failure::ALL.into_iter().map(Fault::Fail);
    let faults: Vec<Fault> =
        [Fault::CrashBefore, Fault::CrashAfter].into_iter().chain(failures).collect();
    let mut kept = 0;
    for operation in 1..=count {
        for fault in &faults {
            for seed in 0..4 {
                let (disk, ledger) = (disk(), ledger());
                disk.forget_operations();
                disk.fault(operation, *fault);
                let records = Records::new(&disk, Path::new(HOME));
                let told = records.keep(&ledger, &record, &shelf, Instant(1));
                let disk = disk.after_crash(seed);
                let records = Records::new(&disk, Path::new(HOME));
                let decided = ledger.decision_of("", "a").unwrap();
                assert_eq!(told.is_ok(), decided.is_some(), "{operation} {fault:?}");
                // It can be kept again, and whatever is named is whole.
                kept +=
                    usize::from(records.keep(&ledger, &record, &shelf, Instant(2)).unwrap().anew);
                let disk = disk.after_crash(seed);
                let decided = ledger.decision_of("", "a").unwrap().unwrap();
                let read = Records::new(&disk, Path::new(HOME)).read(&decided).unwrap();
                assert_eq!(read.0, record, "{operation} {fault:?} {seed}");
            }
        }
    }
    assert!(kept > 100, "{kept}");
}
