//! What becomes of files that are damaged, cut, foreign or newer; backups and the way back.

use std::path::{Path, PathBuf};

use super::{Access, Kind, Ledger, NewSkill, Origin, State, event, fill, id, names, open, root};
use crate::{
    ledger::{
        After, Damage, Digest, Leave, LedgerError, Lost, NewChange, Opened, Remembered, Verb,
        backups, file::beside,
    },
    skill::{Actor, Instant, SkillId},
};

/// A ledger that was closed: one file, no log.
fn closed(home: &Path) -> (PathBuf, Vec<u8>) {
    let path = home.join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 300);
    let events: Vec<_> = (1..=300).map(|number| event(number, Kind::Use, 5)).collect();
    ledger.record(&events).unwrap();
    drop(ledger);
    assert!(!beside(&path, "-wal").exists());
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_foreign_and_a_newer_file_are_refused_and_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let (path, whole) = closed(home.path());
    let mut newer = whole.clone();
    newer[63] = 9;
    let mut others = whole;
    others[68..72].fill(0);
    let known = super::super::schema::newest();
    let newest = format!("has version 9, and this program knows versions up to {known}");
    for (bytes, words) in [
        (newer, newest.as_str()),
        (others, "is no ledger of this program: it is a SQLite file of another program"),
        (b"notes of mine".to_vec(), "is no ledger of this program: it is no SQLite file"),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        for access in [Access::Read, Access::Write] {
            let error = Ledger::open(&path, access).unwrap_err();
            assert!(error.to_string().ends_with(words), "{error}");
            assert!(error.hint().is_some());
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert!(names(home.path()).iter().all(|name| !name.contains("damaged")));
    }
}

#[test]
fn a_cut_ledger_is_set_aside_with_its_log_and_the_new_one_says_so() {
    for length in [20, 100, 4_096, 20_000] {
        let home = tempfile::tempdir().unwrap();
        let (path, whole) = closed(home.path());
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = Ledger::open(&path, Access::Read).unwrap_err();
        assert!(matches!(error, LedgerError::Damaged { .. }), "{length}: {error:?}");
        assert_eq!(std::fs::read(&path).unwrap().len(), length);

        let Opened { ledger, lost, .. } = Ledger::open(&path, Access::Write).unwrap();
        let aside = lost.unwrap().aside.unwrap();
        assert!(aside.to_string_lossy().contains("keep.db.damaged-2"), "{aside:?}");
        assert_eq!(std::fs::read(&aside).unwrap(), whole[..length]);
        assert!(ledger.damaged_since().unwrap().is_some());
        assert_eq!(ledger.skills().unwrap(), []);
        drop(ledger);
        let again = Ledger::open(&path, Access::Write).unwrap();
        assert_eq!(again.lost, None);
        assert!(again.ledger.damaged_since().unwrap().is_some());
        again.ledger.resolve_damage().unwrap();
        assert_eq!(again.ledger.damaged_since().unwrap(), None);
    }
}

#[test]
fn an_empty_file_is_begun_unless_something_tells_that_it_was_a_ledger() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    std::fs::write(&path, b"").unwrap();
    let opened = Ledger::open(&path, Access::Write).unwrap();
    assert_eq!((opened.lost, opened.ledger.damaged_since().unwrap()), (None, None));
    assert!(opened.ledger.back_up(Instant(1_000_000), 3).unwrap().is_some());
    drop(opened.ledger);
    std::fs::write(&path, b"").unwrap();
    let opened = Ledger::open(&path, Access::Write).unwrap();
    assert!(opened.lost.is_some());
    assert!(opened.ledger.damaged_since().unwrap().is_some());
}

#[test]
fn flipped_bytes_are_typed_errors_or_set_aside_and_never_a_panic() {
    let home = tempfile::tempdir().unwrap();
    let (path, whole) = closed(home.path());
    let (mut opened_whole, mut refused, mut replaced) = (0, 0, 0);
    let places = (0..100).step_by(3).chain((100..whole.len()).step_by(whole.len() / 160));
    for at in places {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(path.file_name().unwrap());
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        let opened = match Ledger::open(&path, Access::Write) {
            Ok(opened) => opened,
            Err(
                LedgerError::Damaged { .. }
                | LedgerError::Foreign { .. }
                | LedgerError::Newer { .. }
                | LedgerError::Io { .. },
            ) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("byte {at}: {error:?}"),
        };
        replaced += u64::from(opened.lost.is_some());
        let used = [
            opened.ledger.usage().map(drop),
            opened.ledger.skills().map(drop),
            opened.ledger.record(&[event(7, Kind::Use, 9)]),
            opened.ledger.check().map(drop),
        ];
        let expected = |error: &LedgerError| {
            matches!(
                error,
                LedgerError::Damaged { .. }
                    | LedgerError::UnknownSkill(_)
                    | LedgerError::Contradiction { .. }
                    | LedgerError::Io { .. }
            )
        };
        let errors: Vec<LedgerError> = used.into_iter().filter_map(Result::err).collect();
        assert!(errors.iter().all(expected), "byte {at}: {errors:?}");
        drop(opened);
        if errors.iter().any(|error| matches!(error, LedgerError::Damaged { .. })) {
            let opened = Ledger::replace_damaged(&path, Damage::Anything, Instant(0)).unwrap();
            if opened.lost.is_some() {
                replaced += 1;
                assert_eq!(opened.ledger.check().unwrap(), []);
                assert!(opened.ledger.damaged_since().unwrap().is_some());
            }
        } else {
            opened_whole += 1;
        }
    }
    assert!(
        refused > 0 && replaced > 30,
        "{opened_whole} opened, {refused} refused, {replaced} replaced"
    );
}

#[test]
fn a_backup_is_taken_once_a_day_and_a_few_are_kept() {
    const DAY: i64 = 86_400;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 2);
    let mut taken = Vec::new();
    for hours in [0, 1, 23, 24, 30, 48, 72, 96] {
        let at = Instant(1_786_622_400 + hours * DAY / 24);
        if let Some(path) = ledger.back_up(at, 3).unwrap() {
            taken.push((hours, path));
        }
    }
    assert_eq!(taken.iter().map(|it| it.0).collect::<Vec<_>>(), [0, 24, 48, 72, 96]);
    let kept: Vec<PathBuf> = taken.into_iter().skip(2).map(|it| it.1).collect();
    assert_eq!(backups(&path), kept);
    assert_eq!(names(&home.path().join("backups")).len(), 3);
}

/// A ledger with two backups: the older of one use, the newer of two, and a third use since.
fn with_backups(home: &Path) -> (PathBuf, [PathBuf; 2]) {
    let path = home.join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 2);
    let backups = [1, 2].map(|day| {
        ledger.record(&[event(1, Kind::Use, day)]).unwrap();
        ledger.back_up(Instant(day * 86_400), 3).unwrap().unwrap()
    });
    ledger.record(&[event(1, Kind::Use, 3)]).unwrap();
    (path, backups)
}

fn cut(path: &Path) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() - 5_000]).unwrap();
}

#[test]
fn the_newest_backup_that_is_whole_takes_the_place_of_what_was_lost() {
    type Harm = fn(&Path, &[PathBuf; 2]);
    let cases: [(&str, Harm, u64, usize); 5] = [
        ("cut", |path, _| cut(path), 2, 0),
        ("gone", |path, _| std::fs::remove_file(path).unwrap(), 2, 0),
        ("emptied", |path, _| std::fs::write(path, b"").unwrap(), 2, 0),
        (
            "cut, and the newer backup too",
            |path, backups| {
                cut(path);
                cut(&backups[1]);
            },
            1,
            1,
        ),
        (
            "all of them",
            |path, backups| {
                cut(path);
                backups.iter().for_each(|it| cut(it));
            },
            0,
            2,
        ),
    ];
    for (name, harm, uses, broken) in cases {
        let home = tempfile::tempdir().unwrap();
        let (path, backups) = with_backups(home.path());
        harm(&path, &backups);
        let Opened { ledger, lost, .. } = Ledger::open(&path, Access::Write).unwrap();
        let lost = lost.unwrap();
        assert_eq!(lost.broken.len(), broken, "{name}");
        assert_eq!(lost.backup.is_some(), uses > 0, "{name}");
        assert_eq!(lost.aside.is_some(), !matches!(name, "gone" | "emptied"), "{name}");
        assert_eq!(ledger.sums(id(1)).unwrap().uses, uses, "{name}");
        assert!(ledger.damaged_since().unwrap().is_some(), "{name}");
        assert_eq!(ledger.check().unwrap(), [], "{name}");
        assert!(ledger.roots().unwrap().iter().all(|it| !it.root.owned), "{name}");
        drop(ledger);
        assert_eq!(Ledger::open(&path, Access::Again).unwrap().lost, None, "{name}");
        let left = names(home.path()).into_iter().filter(|name| name.ends_with(".part"));
        assert_eq!(left.count(), 0, "{name}");
    }
}

#[test]
fn a_ledger_that_is_missing_was_lost_where_there_was_one() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let opened = Ledger::open(&path, Access::Again).unwrap();
    assert_eq!(
        opened.lost.unwrap(),
        Lost { found: "it is missing".to_owned(), aside: None, backup: None, broken: vec![] }
    );
    assert!(opened.ledger.damaged_since().unwrap().is_some());
}

#[test]
fn a_backup_that_takes_over_goes_on_with_nothing_and_gives_no_number_twice() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let ledger = open(&path);
    let root = fill(&ledger, 1);
    let change = NewChange {
        root,
        skill: id(1),
        verb: Verb::Write,
        actor: Actor::Person,
        session: None,
        reason: String::new(),
        undoes: None,
        at: Instant(1),
        steps: vec![],
        leave: Leave::default(),
    };
    let first = ledger.begin(&change).unwrap();
    ledger.finish(first, &After::default()).unwrap();
    // A backup that was taken in the midst of a change, which went on long ago.
    ledger.begin(&change).unwrap();
    ledger.watch(root, true).unwrap();
    ledger.back_up(Instant(0), 3).unwrap().unwrap();
    let newest = ledger.begin(&change).unwrap();
    let outside = |ledger: &Ledger| {
        let leave = Leave { waits: true, ..Leave::default() };
        ledger.note(&[NewChange { verb: Verb::Outside, leave, ..change.clone() }]).unwrap();
        ledger.waiting(None).unwrap().last().unwrap().id
    };
    let waits = outside(&ledger);
    drop(ledger);
    cut(&path);
    let ledger = open(&path);
    assert_eq!(ledger.unfinished(root).unwrap(), []);
    assert_eq!(ledger.changes(None, 9).unwrap().len(), 1);
    assert!(ledger.begin(&change).unwrap() > newest);
    assert!(outside(&ledger) > waits);
    // Nobody has looked at what lies in the root by now.
    assert!(!ledger.is_watched(root).unwrap());
}

#[test]
fn a_damage_that_is_found_late_is_dealt_with_in_the_same_way() {
    let home = tempfile::tempdir().unwrap();
    let (path, _) = with_backups(home.path());
    assert_eq!(Ledger::replace_damaged(&path, Damage::File, Instant(9)).unwrap().lost, None);
    let mut bytes = std::fs::read(&path).unwrap();
    let from = bytes.len() - 9_000;
    bytes[from..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    let opened = Ledger::replace_damaged(&path, Damage::File, Instant(9)).unwrap();
    assert!(opened.lost.unwrap().backup.is_some());
    assert_eq!(opened.ledger.sums(id(1)).unwrap().uses, 2);
}

#[test]
fn a_word_that_means_nothing_is_no_reason_to_go_back_a_day_unless_that_is_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let (path, _) = with_backups(home.path());
    let ledger = open(&path);
    ledger.connection().execute("UPDATE skills SET origin = 'agent/v2'", []).unwrap();
    assert!(matches!(ledger.skills(), Err(LedgerError::Damaged { .. })));
    drop(ledger);
    assert_eq!(Ledger::replace_damaged(&path, Damage::File, Instant(9)).unwrap().lost, None);
    let opened = Ledger::replace_damaged(&path, Damage::Anything, Instant(9)).unwrap();
    assert_eq!(opened.lost.unwrap().found, "`skills.origin` holds `agent/v2`, which means nothing");
    assert_eq!(opened.ledger.skill(id(1)).unwrap().unwrap().origin, Origin::Unknown);
}

#[test]
fn what_a_root_remembers_is_taken_back_once() {
    let ledger = Ledger::in_memory().unwrap();
    let root = ledger.add_root(&root("/skills")).unwrap();
    let skill = |number: u64, folder: &str, state| NewSkill {
        id: id(number),
        root,
        folder: folder.to_owned(),
        name: folder.to_owned(),
        category: "general".to_owned(),
        state,
        origin: Origin::Review,
        created: Instant(7),
    };
    // Skill 1 was archived since the backup, 2 came back from the archive, 3 gave its place to 4, which is pinned.
    for (number, folder, state) in
        [(1, "a", State::Active), (2, "b", State::Archived), (3, "c", State::Active)]
    {
        ledger.add_skill(&skill(number, folder, state)).unwrap();
    }
    let kept = Remembered {
        archived: vec![
            (skill(1, "a", State::Archived), Some(Digest::of(b"x"))),
            (skill(5, "e", State::Archived), None),
            (skill(5, "older", State::Archived), None),
        ],
        pinned: vec![skill(4, "c", State::Active)],
    };
    assert_eq!(ledger.take_back(root, &kept).unwrap(), 3);
    let known: Vec<(SkillId, String, State, Option<Instant>)> = ledger
        .skills()
        .unwrap()
        .into_iter()
        .map(|it| (it.id, it.folder, it.state, it.archived_at))
        .collect();
    let then = Some(Instant(7));
    let expected = [
        (1, "a", State::Archived, then),
        (2, "b", State::Gone, None),
        (3, "c", State::Gone, None),
        (4, "c", State::Active, None),
        (5, "e", State::Archived, then),
    ];
    let expected =
        expected.map(|(number, folder, state, at)| (id(number), folder.to_owned(), state, at));
    assert_eq!(known, expected);
    assert_eq!(ledger.take_back(root, &kept).unwrap(), 0);
    assert_eq!(ledger.check().unwrap(), []);
}
