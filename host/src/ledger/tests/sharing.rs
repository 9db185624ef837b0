//! Several at once: whoever writes, waits, is refused or is killed, nothing is lost and nothing is there by half.

use std::{
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
    time::Duration,
};

use rusqlite::Connection;

use super::{Access, Kind, Ledger, event, fill, id, names, open};
use crate::ledger::{LedgerError, file};

const CHILD: &str = "SKILLKEEP_TEST_LEDGER";

/// No test of its own: what the processes of the next one run.
#[test]
fn a_process_that_records() {
    use std::io::Write;

    let Some(path) = std::env::var_os(CHILD) else { return };
    let ledger = open(path.as_ref());
    let mut acknowledged = std::io::stderr();
    for at in 0..200 {
        ledger.record(&[event(1, Kind::Use, at)]).unwrap();
        acknowledged.write_all(b"1").unwrap();
        ledger.record(&[event(2, Kind::View, at)]).unwrap();
        acknowledged.write_all(b"2").unwrap();
    }
}

fn spawn(path: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "ledger::tests::sharing::a_process_that_records"])
        .env(CHILD, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn eight_processes_of_which_one_is_killed_count_what_was_acknowledged() {
    use std::io::Read;

    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    fill(&open(&path), 2);
    let mut children: Vec<Child> = (0..8).map(|_| spawn(&path)).collect();
    let mut said = vec![0; 100];
    children[0].stderr.as_mut().unwrap().read_exact(&mut said).unwrap();
    children[0].kill().unwrap();
    let mut counts = Vec::new();
    for (number, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.success(), number != 0);
        let told = |digit| output.stderr.iter().filter(|it| **it == digit).count() as u64;
        counts.push((told(b'1'), told(b'2')));
    }
    counts[0] = (counts[0].0 + 50, counts[0].1 + 50);
    assert_eq!(counts[1..], [(200, 200); 7]);
    assert!(counts[0].0 < 200);
    let ledger = open(&path);
    let sums = (ledger.sums(id(1)).unwrap().uses, ledger.sums(id(2)).unwrap().views);
    let [ones, twos] = [counts[0].0, counts[0].1].map(|killed| killed + 1_400);
    // The one that was killed may have committed what it could not acknowledge any more.
    assert!((ones..=ones + 1).contains(&sums.0), "{} of {ones}", sums.0);
    assert!((twos..=twos + 1).contains(&sums.1), "{} of {twos}", sums.1);
    assert_eq!(ledger.check().unwrap(), []);
}

#[test]
fn home_and_files_are_private() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a/b/keep.db");
    let ledger = open(&path);
    fill(&ledger, 1);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for name in names(path.parent().unwrap()) {
        assert_eq!(mode(&path.with_file_name(&name)), 0o600, "{name}");
    }
    let [wal, full]: [String; 2] = ["journal_mode", "synchronous"].map(|name| {
        let value = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
        format!("{:?}", ledger.connection().pragma_query_value(None, name, value).unwrap())
    });
    assert_eq!((wal.as_str(), full.as_str()), ("Text(\"wal\")", "Integer(2)"));
}

#[test]
fn whoever_waits_in_vain_is_told_that_another_process_writes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 1);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    ledger.connection().busy_timeout(Duration::from_millis(30)).unwrap();
    let error = ledger.record(&[event(1, Kind::Use, 1)]).unwrap_err();
    assert!(matches!(error, LedgerError::Busy { .. }), "{error:?}");
    assert!(error.hint().is_some());
    // Who reads doesn't wait.
    assert_eq!(ledger.skills().unwrap().len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    ledger.record(&[event(1, Kind::Use, 1)]).unwrap();
    assert_eq!(ledger.sums(id(1)).unwrap().uses, 1);
}

#[test]
fn a_full_disk_is_told_and_leaves_no_half() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keep.db");
    let ledger = open(&path);
    fill(&ledger, 1);
    let pages: i64 =
        ledger.connection().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |pages: i64| {
        let value =
            ledger
                .connection()
                .pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0));
        assert!(value.is_ok());
    };
    limit(pages + 1);
    let many: Vec<_> = (0..5_000).map(|at| event(1, Kind::Use, at)).collect();
    let error = ledger.record(&many).unwrap_err();
    assert!(matches!(error, LedgerError::Full { .. }), "{error:?}");
    assert_eq!(ledger.sums(id(1)).unwrap().uses, 0);
    assert_eq!(ledger.check().unwrap(), []);
    limit(100_000);
    ledger.record(&many).unwrap();
    assert_eq!(ledger.sums(id(1)).unwrap().uses, 5_000);
}

#[test]
fn who_opens_to_read_makes_nothing_and_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x/keep.db");
    let missing = Ledger::open(&path, Access::Read).unwrap_err();
    assert!(matches!(missing, LedgerError::Missing { .. }), "{missing:?}");
    assert!(!path.parent().unwrap().exists());
    fill(&open(&path), 3);
    // Where permissions hold (not for an administrator) it is read as a file that nobody can write.
    let lock = |file, folder| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(file)).unwrap();
        let folder = std::fs::Permissions::from_mode(folder);
        std::fs::set_permissions(path.parent().unwrap(), folder).unwrap();
    };
    lock(0o400, 0o500);
    let bytes = std::fs::read(&path).unwrap();
    let opened = Ledger::open(&path, Access::Read).unwrap();
    assert_eq!(opened.ledger.skills().unwrap().len(), 3);
    let error = opened.ledger.record(&[event(1, Kind::Use, 1)]).unwrap_err();
    assert!(matches!(error, LedgerError::ReadOnly { .. }), "{error:?}");
    drop(opened);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    lock(0o600, 0o700);
    assert_eq!(file::length(&file::beside(&path, "-wal")), 0);
}

#[test]
fn who_only_adds_makes_nothing_and_sets_nothing_aside() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x/keep.db");
    let add = || Ledger::open_within(&path, Access::Add, Duration::from_millis(30));
    let missing = add().unwrap_err();
    assert!(matches!(missing, LedgerError::Missing { .. }), "{missing:?}");
    assert!(!path.parent().unwrap().exists());
    fill(&open(&path), 1);
    add().unwrap().ledger.record(&[event(1, Kind::Use, 1)]).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = add().unwrap().ledger.record(&[event(1, Kind::Use, 2)]).unwrap_err();
    assert!(busy.to_string().ends_with("did not let go within 30ms"), "{busy}");
    drop(other);
    assert_eq!(open(&path).sums(id(1)).unwrap().uses, 1);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let before = names(path.parent().unwrap());
    let damaged = add().unwrap_err();
    assert!(matches!(damaged, LedgerError::Damaged { .. }), "{damaged:?}");
    assert_eq!(names(path.parent().unwrap()), before);
}
