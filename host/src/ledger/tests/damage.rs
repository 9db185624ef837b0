//! What becomes of files that are damaged, cut, foreign or newer; backups and the way back.

use std::path::{Path, PathBuf};

use super::{Access, Kind, Ledger, NewSkill, Origin, State, event, fill, id, names, open, root};
use crate::{
    ledger::{LedgerError, Opened, backups, file::beside},
    skill::Instant,
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
    for (bytes, words) in [
        (newer, "has version 9, and this program knows versions up to 3"),
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

        let Opened { ledger, set_aside, .. } = Ledger::open(&path, Access::Write).unwrap();
        let aside = set_aside.unwrap();
        assert!(aside.path.to_string_lossy().contains("keep.db.damaged-2"), "{aside:?}");
        assert_eq!(std::fs::read(&aside.path).unwrap(), whole[..length]);
        assert!(ledger.damaged_since().unwrap().is_some());
        assert_eq!(ledger.skills().unwrap(), []);
        drop(ledger);
        let again = Ledger::open(&path, Access::Write).unwrap();
        assert_eq!(again.set_aside, None);
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
    assert_eq!((opened.set_aside, opened.ledger.damaged_since().unwrap()), (None, None));
    assert!(opened.ledger.back_up(Instant(1_000_000), 3).unwrap().is_some());
    drop(opened.ledger);
    std::fs::write(&path, b"").unwrap();
    let opened = Ledger::open(&path, Access::Write).unwrap();
    assert!(opened.set_aside.is_some());
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
            let opened = Ledger::replace_damaged(&path, Instant(0)).unwrap();
            if opened.set_aside.is_some() {
                replaced += 1;
                assert_eq!(opened.ledger.check().unwrap(), []);
                assert!(opened.ledger.damaged_since().unwrap().is_some());
            }
        } else {
            opened_whole += 1;
        }
    }
    assert!(
        refused > 3 && replaced > 3,
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

#[test]
fn a_backup_brings_back_what_was_known_and_a_broken_one_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 2);
    ledger.record(&[event(1, Kind::Use, 3)]).unwrap();
    let backup = ledger.back_up(Instant(0), 3).unwrap().unwrap();
    ledger.record(&[event(1, Kind::Use, 4)]).unwrap();
    drop(ledger);
    let bytes = std::fs::read(&backup).unwrap();
    std::fs::write(&backup, &bytes[..bytes.len() - 5_000]).unwrap();
    let error = Ledger::restore_backup(&path, &backup, Instant(9)).unwrap_err();
    assert!(matches!(error, LedgerError::Damaged { .. }), "{error:?}");
    assert_eq!(open(&path).sums(id(1)).unwrap().uses, 2);
    std::fs::write(&backup, &bytes).unwrap();
    let opened = Ledger::restore_backup(&path, &backup, Instant(9)).unwrap();
    assert_eq!(opened.ledger.sums(id(1)).unwrap().uses, 1);
    assert_eq!(opened.ledger.check().unwrap(), []);
}

#[test]
fn a_rebuild_gives_ids_back_once() {
    let ledger = Ledger::in_memory().unwrap();
    let root = ledger.add_root(&root("/skills")).unwrap();
    let skill = NewSkill {
        id: id(5),
        root,
        folder: "a".to_owned(),
        name: "a".to_owned(),
        category: "general".to_owned(),
        state: State::Archived,
        origin: Origin::Review,
        created: Instant(1),
    };
    assert_eq!(ledger.rebuild(&[(skill.clone(), None)]).unwrap(), 1);
    assert_eq!(ledger.rebuild(&[(skill, None)]).unwrap(), 0);
    let found = ledger.skill(id(5)).unwrap().unwrap();
    assert_eq!((found.state, found.origin), (State::Archived, Origin::Review));
}
