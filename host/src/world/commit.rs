//! A change of the policies in use, written: settings and lock together.
//!
//! Two files can't change at once, so the order is such that whoever is cut off between them leaves what can be told and
//! mended. First come the bytes that may have to come back. Then the lock, with the new pins beside the old ones and the
//! command that is under way: whatever the settings name then is pinned, and all goes on as it was. Then the settings, and at
//! last the lock without what is not needed any more. The same command, given again, comes to the same end from each of
//! these.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    error::{CommandError, Kind},
    gate::{beside, read_lock},
    swap::{Kept, Swap, read_text},
};
use crate::{
    lock::{FILE, KEPT, Lock},
    policy::{MAX_COMPONENT_BYTES, digest},
    skill::OneLine,
    system::{At, Disk, Lock as Held},
};

/// Held by whoever changes the policies.
const BUSY: &str = "policies.busy";
/// How long another one is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// Writes it. On return all of it is durable, and was seen.
///
/// # Errors
/// Where another one changes them, they were changed since this was planned, or it can't be written.
pub fn commit(disk: &dyn Disk, swap: &Swap) -> Result<(), CommandError> {
    let home = resolved(disk, &swap.now.home);
    let held = hold(disk, &home, &swap.order.command)?;
    unchanged(disk, swap)?;
    for (sha256, kept) in &swap.fresh {
        keep(disk, &home, sha256, kept)?;
    }
    write_lock(disk, &home, &swap.begun)?;
    if swap.text != swap.now.text {
        disk.publish(&swap.now.file, swap.text.as_bytes())
            .and_then(|()| match swap.now.file.parent() {
                Some(folder) => disk.sync_folder(At { top: folder, below: "" }),
                None => Ok(()),
            })
            .map_err(|error| failed("skillkeep.toml can't be changed", &error))?;
    }
    write_lock(disk, &home, &swap.lock)?;
    let text = read_text(disk, &swap.now.file)?;
    let seen = read_lock(disk, &home).ok().and_then(|lock| lock.text().ok());
    if text != swap.text || seen != swap.lock.text().ok() {
        let message = "the change was written, and something else is there now";
        return Err(CommandError::new(Kind::Fault, message).hint("skillkeep policy list"));
    }
    sweep(disk, &home, &swap.lock);
    drop(held);
    Ok(())
}

/// What somebody else did meanwhile is not written over.
fn unchanged(disk: &dyn Disk, swap: &Swap) -> Result<(), CommandError> {
    let text = read_text(disk, &swap.now.file)?;
    let lock = whole_lock(disk, &swap.now.home)?;
    if text == swap.now.text && lock == swap.now.lock {
        return Ok(());
    }
    let message = "the policies or the settings were changed since this was planned";
    Err(CommandError::new(Kind::Finding, message).hint(swap.order.command.clone()))
}

fn failed(what: &str, error: &std::io::Error) -> CommandError {
    CommandError::new(Kind::Fault, format!("{what}: {error}"))
}

/// Where the bytes of a component are kept.
#[must_use]
pub fn kept_at(home: &Path, sha256: &str) -> PathBuf {
    home.join(KEPT).join(format!("{sha256}.wasm"))
}

/// Keeps bytes, unless they are kept already and whole.
fn keep(disk: &dyn Disk, home: &Path, sha256: &str, kept: &Kept) -> Result<(), CommandError> {
    let file = kept_at(home, sha256);
    let wrong = |error| failed(&format!("`{}` can't be written", file.display()), &error);
    let whole = |bytes: Vec<u8>| digest(&bytes) == sha256;
    if !disk.read(&file, MAX_COMPONENT_BYTES + 1).is_ok_and(whole) {
        disk.replace(&file, &kept.bytes).map_err(wrong)?;
    }
    if let Some(signature) = &kept.signature {
        disk.replace(&beside(&file), signature).map_err(wrong)?;
    }
    // Its folder may be new, and so may the folder above.
    for folder in file.ancestors().skip(1).take(3) {
        let folder = disk.resolve(folder).unwrap_or_else(|_| folder.to_owned());
        disk.sync_folder(At { top: &folder, below: "" }).map_err(wrong)?;
    }
    Ok(())
}

fn write_lock(disk: &dyn Disk, home: &Path, lock: &Lock) -> Result<(), CommandError> {
    let file = home.join(FILE);
    let shown = format!("`{}` can't be written", file.display());
    let text =
        lock.text().map_err(|why| CommandError::new(Kind::Fault, format!("{shown}: {why}")))?;
    disk.replace(&file, text.as_bytes())
        .and_then(|()| disk.sync_folder(At { top: home, below: "" }))
        .map_err(|error| failed(&shown, &error))
}

fn whole_lock(disk: &dyn Disk, home: &Path) -> Result<Lock, CommandError> {
    read_lock(disk, home)
        .map_err(|why| CommandError::new(Kind::Finding, why.to_string()).hint(why.hint()))
}

fn resolved(disk: &dyn Disk, home: &Path) -> PathBuf {
    disk.resolve(home).unwrap_or_else(|_| home.to_owned())
}

/// Waits for whoever changes the policies of this home, and keeps all others away.
fn hold(disk: &dyn Disk, home: &Path, what: &str) -> Result<Box<dyn Held>, CommandError> {
    let at = At { top: home, below: BUSY };
    let holder = format!("process {}, `{what}`", std::process::id());
    disk.lock(at, &holder, WAIT).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => {
            let text = disk.bytes(at, 1_000).unwrap_or_default();
            let holder = OneLine::capped(&String::from_utf8_lossy(&text), 200);
            let message = format!("another one changes the policies of this home: {holder}");
            CommandError::new(Kind::Finding, message).hint("try again when it is done")
        }
        _ => failed("the policies of this home can't be changed", &error),
    })
}

/// Puts a component into quarantine, by its hash: no command loads it until a person lifts that. On return it is durable.
///
/// # Errors
/// Where the lock can't be read or written, or another one holds it for too long.
pub fn quarantine(
    disk: &dyn Disk,
    home: &Path,
    sha256: &str,
    reason: &str,
) -> Result<(), CommandError> {
    let home = resolved(disk, home);
    let held = hold(disk, &home, "quarantine")?;
    let mut lock = whole_lock(disk, &home)?;
    lock.quarantine(sha256, reason, &disk.now().to_string());
    write_lock(disk, &home, &lock)?;
    drop(held);
    Ok(())
}

/// Lets go of kept bytes that no pin and no set names. What can't be let go of costs room and nothing else.
fn sweep(disk: &dyn Disk, home: &Path, lock: &Lock) {
    let wanted = lock.wanted();
    let Ok(folder) = disk.resolve(&home.join(KEPT)) else { return };
    let top = At { top: &folder, below: "" };
    for entry in disk.entries(top).unwrap_or_default() {
        let name = entry.name.strip_suffix(".minisig").unwrap_or(&entry.name);
        let Some(sha256) = name.strip_suffix(".wasm") else { continue };
        // Only what was laid here by its hash.
        let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash && !entry.odd_name && !wanted.contains(sha256) {
            drop(disk.remove_file(At { top: &folder, below: &entry.name }));
        }
    }
}

#[cfg(test)]
mod tests;
