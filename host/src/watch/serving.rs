//! What running hosts tell of themselves, a file each in the home: written whole, private, gone with its process.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize as _;
use serde_json::Value;

use super::Report;
use crate::system::{At, Disk, Lock};

/// The folder of the home that they lie in.
pub const SERVING: &str = "serving";
/// The largest that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Processes of one number that share a home: containers count for themselves.
const MOST_NAMESAKES: u32 = 100;

/// The file of this process. It is removed when this is dropped.
pub struct Serving<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
    name: String,
    written: Option<Value>,
    /// Tells others that this process lives, for the kernel lets go of it otherwise.
    held: Option<Box<dyn Lock>>,
}

impl<'a> Serving<'a> {
    /// Begins: sweeps what dead processes left, and writes the first report.
    ///
    /// # Errors
    /// Where the home can't be written.
    pub fn begin(disk: &'a dyn Disk, home: &Path, report: &Report) -> io::Result<Serving<'a>> {
        let home = disk.resolve(home)?;
        match disk.make_folder(At { top: &home, below: SERVING }, 0o700) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = home.join(SERVING);
        sweep(disk, &folder);
        let (name, held) = hold(disk, &folder)?;
        let mut serving = Serving { disk, folder, name, written: None, held: Some(held) };
        serving.write(report)?;
        Ok(serving)
    }

    /// Where it lies.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// Writes a report, where it says anything else than the last.
    ///
    /// # Errors
    /// Where it can't be written; what was written before stays.
    pub fn write(&mut self, report: &Report) -> io::Result<()> {
        let value = report.serialize(serde_json::value::Serializer)?;
        if self.written.as_ref() == Some(&value) {
            return Ok(());
        }
        let text = serde_json::to_vec_pretty(&value)?;
        // What a loss of power takes, the process is lost with.
        self.disk.replace_cache(&self.file(), &text)?;
        self.written = Some(value);
        Ok(())
    }
}

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        remove(self.disk, &self.folder, &self.name);
        self.held = None;
    }
}

/// Finds a name for this process that no other one holds.
fn hold(disk: &dyn Disk, folder: &Path) -> io::Result<(String, Box<dyn Lock>)> {
    let pid = std::process::id();
    for number in 1..=MOST_NAMESAKES {
        let name = if number == 1 { pid.to_string() } else { format!("{pid}-{number}") };
        let below = format!("{name}.lock");
        match disk.lock(
            At { top: folder, below: &below },
            &format!("process {pid}"),
            Duration::ZERO,
        ) {
            Ok(held) => return Ok((name, held)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

/// What each process tells that runs now, by its file's name. A file that is no report is passed over. Where it can't be told
/// whether a process still runs, since its lock can't be tried, `unsure` says why.
#[must_use]
pub fn running(disk: &dyn Disk, home: &Path) -> Vec<Value> {
    let Ok(folder) = disk.resolve(&home.join(SERVING)) else { return Vec::new() };
    let mut names = names(disk, &folder);
    names.sort_unstable();
    let read = |name: String| {
        let unsure = match life(disk, &folder, &name) {
            Life::Runs => None,
            Life::Over(_) => return None,
            Life::Unsure(why) => Some(why.to_string()),
        };
        let bytes = disk.read(&folder.join(format!("{name}.json")), MOST_BYTES).ok()?;
        let mut report = serde_json::from_slice::<Value>(&bytes).ok().filter(Value::is_object)?;
        if let (Some(why), Some(report)) = (unsure, report.as_object_mut()) {
            report.insert("unsure".to_owned(), why.into());
        }
        Some(report)
    };
    names.into_iter().filter_map(read).collect()
}

fn names(disk: &dyn Disk, folder: &Path) -> Vec<String> {
    let entries = disk.entries(At { top: folder, below: "" }).unwrap_or_default();
    let named = entries.into_iter().filter(|entry| !entry.odd_name);
    named.filter_map(|entry| entry.name.strip_suffix(".json").map(str::to_owned)).collect()
}

/// Whether a process that left a file still runs.
enum Life {
    Runs,
    /// It does not. Its lock is taken, where there is one.
    Over(Option<Box<dyn Lock>>),
    /// Its lock can't be tried.
    Unsure(io::Error),
}

fn life(disk: &dyn Disk, folder: &Path, name: &str) -> Life {
    let below = format!("{name}.lock");
    let at = At { top: folder, below: &below };
    match disk.held(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Life::Over(None),
        _ => {}
    }
    match disk.lock(at, "", Duration::ZERO) {
        Ok(held) => Life::Over(Some(held)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Life::Runs,
        Err(error) => Life::Unsure(error),
    }
}

/// Removes what dead processes left.
fn sweep(disk: &dyn Disk, folder: &Path) {
    for name in names(disk, folder) {
        if let Life::Over(held) = life(disk, folder, &name) {
            remove(disk, folder, &name);
            drop(held);
        }
    }
}

/// Removes a process's file and then its lock; what can't be removed is swept by the next one.
fn remove(disk: &dyn Disk, folder: &Path, name: &str) {
    for ending in ["json", "lock"] {
        drop(disk.remove_file(At { top: folder, below: &format!("{name}.{ending}") }));
    }
}
