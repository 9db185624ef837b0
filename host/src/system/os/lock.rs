//! Locks between processes, which the kernel lets go of when their holder dies.
//!
//! It is `flock`: of two that open the file themselves, in one process or in two, one holds it. On network file systems
//! it may hold between processes of one machine only.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::{
    fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, ftruncate, openat, statat},
    io::Errno,
};

use super::disk::{held_of, regular};
use crate::system::Lock;

/// The time between two tries, first and longest: short changes are waited for shortly.
const FIRST: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_millis(20);

/// An open file that is locked. Closing it lets go; no child inherits it.
struct Flock {
    _file: File,
}

impl Lock for Flock {}

pub(super) fn take(
    folder: &OwnedFd,
    name: &str,
    holder: &str,
    wait: Duration,
) -> io::Result<Box<dyn Lock>> {
    let begun = Instant::now();
    let mut pause = FIRST;
    loop {
        let file = open(folder, name)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) if is_there(folder, name, &file)? => return hold(file, holder),
            // Somebody removed the file or put another one there after it was opened: this one locks nobody out.
            Ok(()) | Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) => {}
            Err(other) => return Err(other.into()),
        }
        let left = wait.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Err(Errno::WOULDBLOCK.into());
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST);
    }
}

fn open(folder: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags =
        OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?;
    regular(held_of(&fstat(&file)?).kind)?;
    Ok(file)
}

fn is_there(folder: &OwnedFd, name: &str, file: &OwnedFd) -> io::Result<bool> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(there) => {
            let held = fstat(file)?;
            Ok((there.st_dev, there.st_ino) == (held.st_dev, held.st_ino))
        }
        Err(Errno::NOENT) => Ok(false),
        Err(other) => Err(other.into()),
    }
}

/// Says who holds it. Who reads in between finds nothing, never the one before.
fn hold(file: OwnedFd, holder: &str) -> io::Result<Box<dyn Lock>> {
    ftruncate(&file, 0)?;
    let mut file = File::from(file);
    file.write_all(holder.as_bytes())?;
    Ok(Box::new(Flock { _file: file }))
}
