//! Reports of passes, a folder each in the home: `run.json` and `REPORT.md`, and the pass's record. So many are kept.

use std::path::Path;

use super::PassRecords;
use crate::{
    curator::{Report, summary},
    ledger::{PassEnd, PassId, PassPhase},
    system::{At, Disk},
    world::{
        Tell, World,
        error::{CommandError, Kind},
        store::Store,
    },
};

/// The folder of reports below the home.
pub const FOLDER: &str = "reports";
const JSON: &str = "run.json";
/// How the name of a folder begins whose report is being written.
const ASIDE: &str = ".new-";
/// What people read of one.
pub(super) const MARKDOWN: &str = "REPORT.md";

/// Ends a pass with its report, whose folder is returned. A report that can't be written is told, and stops nothing.
///
/// # Errors
/// Where the ledger can't be written.
pub(super) fn end(
    (world, store): (&World<'_>, &Store<'_>),
    report: &Report,
    out: &mut dyn Tell,
) -> Result<Option<String>, CommandError> {
    let folder = match write(store, report) {
        Ok(folder) => Some(folder),
        Err(error) => {
            out.warn(&format!("the report of pass {} is not written: {error}", report.pass));
            None
        }
    };
    end_as(store, report, folder.as_deref(), out)?;
    let_go(store, world.config.curator.reports as usize);
    Ok(folder)
}

/// Ends a pass as its report has it, with its record beside that. A record that can't be moved there is told.
///
/// # Errors
/// Where the ledger can't be written.
pub(super) fn end_as(
    store: &Store<'_>,
    report: &Report,
    folder: Option<&str>,
    out: &mut dyn Tell,
) -> Result<(), CommandError> {
    if let Some(folder) = folder
        && let Err(error) = records(store).end(PassId(report.pass), folder)
    {
        out.warn(&format!("the record of pass {} is not kept: {error}", report.pass));
    }
    let end = PassEnd {
        phase: if report.stopped.is_none() { PassPhase::Done } else { PassPhase::Stopped },
        at: report.ended,
        report: folder.map(str::to_owned),
        counts: serde_json::to_string(&report.counts).unwrap_or_default(),
        summary: match &report.stopped {
            None => summary(&report.counts),
            Some(why) => format!("{}; ended early: {why}", summary(&report.counts)),
        },
    };
    Ok(store.ledger.end_pass(PassId(report.pass), &end)?)
}

/// The records of passes of this home.
pub(super) fn records<'a>(store: &'a Store<'_>) -> PassRecords<'a> {
    PassRecords::new(store.disk, &store.home.path)
}

/// The report of a pass and its folder, where it was written.
pub(super) fn of(store: &Store<'_>, pass: PassId) -> Option<(String, Report)> {
    let ending = format!("-{}", pass.0);
    let names = names(store.disk, &store.home.path).into_iter();
    names.filter(|name| name.ends_with(&ending)).find_map(|name| {
        let folder = format!("{FOLDER}/{name}");
        let report = newest_report(store, &folder).filter(|it| it.pass == pass.0)?;
        Some((folder, report))
    })
}

/// Writes a report down. Both files are there, whole, or neither: they are written aside, and their folder gets its name at
/// last. Its folder below the home is returned.
fn write(store: &Store<'_>, report: &Report) -> Result<String, CommandError> {
    let (disk, home) = (store.disk, store.home.path.as_path());
    let told = |doing: &str, path: &str, error: std::io::Error| {
        let message = format!("{doing} `{}`: {error}", home.join(path).display());
        CommandError::new(Kind::Fault, message)
    };
    if disk.held(At { top: home, below: FOLDER }).is_err() {
        disk.make_folder(At { top: home, below: FOLDER }, 0o700)
            .map_err(|error| told("making", FOLDER, error))?;
    }
    let stamp = report.began.to_string().replace(':', "-");
    // Two in one second have different numbers.
    let name = format!("{FOLDER}/{stamp}-{}", report.pass);
    let aside = format!("{FOLDER}/{ASIDE}{:016x}", disk.random());
    disk.make_folder(At { top: home, below: &aside }, 0o700)
        .map_err(|error| told("making", &aside, error))?;
    let json = serde_json::to_vec_pretty(report).unwrap_or_default();
    for (file, bytes) in [(JSON, json), (MARKDOWN, report.markdown().into_bytes())] {
        let path = format!("{aside}/{file}");
        disk.write_new(At { top: home, below: &path }, &bytes, 0o600)
            .map_err(|error| told("writing", &path, error))?;
    }
    disk.sync_folder(At { top: home, below: &aside })
        .map_err(|error| told("writing", &aside, error))?;
    disk.move_to(At { top: home, below: &aside }, At { top: home, below: &name })
        .map_err(|error| told("writing", &name, error))?;
    disk.sync_folder(At { top: home, below: FOLDER })
        .map_err(|error| told("writing", FOLDER, error))?;
    Ok(name)
}

/// Lets go of all reports but the newest ones, each with its record, and of what a pass left that was cut off while it wrote
/// them: for who has the claim. What can't be let go is there the next time.
fn let_go(store: &Store<'_>, keep: usize) {
    let (disk, home) = (store.disk, store.home.path.as_path());
    let mut names = names(disk, home);
    names.sort();
    let over = names.len().saturating_sub(keep);
    names.truncate(over);
    let entries = disk.entries(At { top: home, below: FOLDER }).unwrap_or_default();
    names.extend(entries.into_iter().map(|it| it.name).filter(|name| name.starts_with(ASIDE)));
    let begun = records(store).in_folder(FOLDER).unwrap_or_default();
    let mut files: Vec<String> = begun.into_iter().map(|it| it.below).collect();
    for name in &names {
        let folder = format!("{FOLDER}/{name}");
        files.extend([JSON, MARKDOWN].map(|file| format!("{folder}/{file}")));
        let kept = records(store).in_folder(&folder).unwrap_or_default();
        files.extend(kept.into_iter().map(|it| it.below));
    }
    for below in &files {
        disk.remove_file(At { top: home, below }).unwrap_or_default();
    }
    for name in names {
        let below = format!("{FOLDER}/{name}");
        disk.remove_folder(At { top: home, below: &below }).unwrap_or_default();
    }
}

/// The newest report, as it was written; nothing where it is gone.
#[must_use]
pub fn newest_report(store: &Store<'_>, folder: &str) -> Option<Report> {
    let path = format!("{folder}/{JSON}");
    let bytes = store.disk.bytes(At { top: &store.home.path, below: &path }, 256 << 20).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn names(disk: &dyn Disk, home: &Path) -> Vec<String> {
    let entries = disk.entries(At { top: home, below: FOLDER }).unwrap_or_default();
    entries.into_iter().map(|it| it.name).filter(|name| !name.starts_with('.')).collect()
}
