//! One file, by way of the cache: its facts without opening it, if it is what it was. It must never look at a folder.

use std::{io, path::Path, sync::atomic::Ordering};

use super::{Walk, problem};
use crate::{
    library::{cache::Payload, parse, reading::LARGEST_FILE},
    skill::{Diagnostic, Facts, OneLine, Problem},
    system::{Kind, Stat},
};

/// Bytes of a file that may be nothing but a path.
const LONGEST_PATH: u64 = 1024;

impl Walk<'_> {
    /// What a SKILL.md says, and the state that it was in.
    pub(super) fn facts(
        &self,
        path: &Path,
        known: Option<Stat>,
    ) -> Result<(Facts, Stat), Diagnostic> {
        let read = |bytes: &[u8]| Payload::Skill(parse(bytes));
        match self.payload(path, known, LARGEST_FILE, read)? {
            (Payload::Skill(facts), stat) => Ok((facts, stat)),
            // The name says what kind of file it is, so its path can't have been cached as another.
            (Payload::Note(_) | Payload::Path(_), _) => Err(problem(
                Problem::Unreadable,
                "the cache holds another kind of file",
                "remove the cache",
            )),
        }
    }

    /// What a DESCRIPTION.md says; one that can't be read says nothing.
    pub(super) fn note(
        &self,
        path: &Path,
        known: Option<Stat>,
    ) -> Result<Option<OneLine>, Diagnostic> {
        let read = |bytes: &[u8]| Payload::Note(parse(bytes).description);
        match self.payload(path, known, LARGEST_FILE, read)? {
            (Payload::Note(description), _) => Ok(description),
            (Payload::Skill(_) | Payload::Path(_), _) => Ok(None),
        }
    }

    /// The path that a small file holds, if it holds nothing else.
    pub(super) fn only_a_path(&self, path: &Path) -> Option<OneLine> {
        let read = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes).ok().filter(|text| parse::looks_like_path(text));
            Payload::Path(text.and_then(OneLine::some))
        };
        match self.payload(path, None, LONGEST_PATH, read) {
            Ok((Payload::Path(target), _)) => target,
            _ => None,
        }
    }

    fn payload(
        &self,
        path: &Path,
        known: Option<Stat>,
        largest: u64,
        read: impl Fn(&[u8]) -> Payload,
    ) -> Result<(Payload, Stat), Diagnostic> {
        let stat = match known {
            Some(stat) => stat,
            None => self.system.stat(path).map_err(|error| unreadable(&error))?,
        };
        check(&stat, largest)?;
        if let Some(payload) = self.cache.get(path, &stat) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok((payload, stat));
        }
        // Taken before the file is read: a change that comes later has this time or a later one.
        let moment = self.system.now_nanos();
        let bytes = self.system.read(path, largest).map_err(|error| unreadable(&error))?;
        self.files_read.fetch_add(1, Ordering::Relaxed);
        let payload = read(&bytes);
        self.cache.learn(path, &stat, moment, &payload);
        Ok((payload, stat))
    }
}

fn check(stat: &Stat, largest: u64) -> Result<(), Diagnostic> {
    if stat.kind != Kind::File {
        return Err(problem(
            Problem::Unreadable,
            "it is no regular file",
            "put a regular file in its place",
        ));
    }
    if stat.size > largest {
        let cause = format!("{} bytes; at most {largest} are read", stat.size);
        let fix = "move what is not instructions to files beside it";
        return Err(problem(Problem::TooLarge, &cause, fix));
    }
    Ok(())
}

/// Why a file or folder could not be read, for its author.
pub(super) fn unreadable(error: &io::Error) -> Diagnostic {
    let cause = error.to_string();
    match error.kind() {
        io::ErrorKind::NotFound => {
            problem(Problem::DanglingLink, "the link leads nowhere", "mend the link, or remove it")
        }
        io::ErrorKind::PermissionDenied => {
            problem(Problem::Unreadable, &cause, "give yourself the right to read it")
        }
        _ if is_loop(error) => problem(
            Problem::LinkLoop,
            "the link leads back to itself",
            "mend the link, or remove it",
        ),
        _ => problem(Problem::Unreadable, &cause, "check the file and its disk"),
    }
}

fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}
