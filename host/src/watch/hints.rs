//! Where hints come from that something changed. They may be too many, too few or late: whoever gets one looks for itself.

use std::path::{Path, PathBuf};

use notify::{ErrorKind, EventKind, RecursiveMode, Watcher, event::AccessKind};

/// Something may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// These entries, or what is in them.
    Changed(Vec<PathBuf>),
    /// Nobody knows what: hints were lost.
    Lost,
}

/// Takes hints; it is called on a thread of whoever gives them.
pub type Sink = Box<dyn FnMut(Hint) + Send>;

/// Why a folder is not watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWatched {
    /// It is not there.
    #[error("it is not there")]
    Gone,
    /// No more can be watched.
    #[error("the system has no watches left for this user")]
    Exhausted,
    /// Something else.
    #[error("{0}")]
    Other(String),
}

/// Watches folders, each by itself and not what is below it.
pub trait Hints: Send {
    /// Begins to watch a folder.
    ///
    /// # Errors
    /// Where it can't be watched.
    fn watch(&mut self, folder: &Path) -> Result<(), NotWatched>;
    /// Ends it. A folder that is gone is watched no more anyway.
    fn unwatch(&mut self, folder: &Path);
}

/// What makes hints of a sink.
pub type Source = Box<dyn FnOnce(Sink) -> Result<Box<dyn Hints>, NotWatched> + Send>;

/// The system's own way of telling.
#[must_use]
pub fn of_system() -> Source {
    Box::new(|mut sink| {
        let told = move |event: notify::Result<notify::Event>| {
            if let Some(hint) = hint(event) {
                sink(hint);
            }
        };
        let watcher = notify::recommended_watcher(told).map_err(|error| why(&error))?;
        Ok(Box::new(Notified(watcher)))
    })
}

struct Notified(notify::RecommendedWatcher);

impl Hints for Notified {
    fn watch(&mut self, folder: &Path) -> Result<(), NotWatched> {
        self.0.watch(folder, RecursiveMode::NonRecursive).map_err(|error| why(&error))
    }

    fn unwatch(&mut self, folder: &Path) {
        drop(self.0.unwatch(folder));
    }
}

/// That somebody opens or reads a file changes nothing, and we do so ourselves with each look.
fn hint(event: notify::Result<notify::Event>) -> Option<Hint> {
    let Ok(event) = event else { return Some(Hint::Lost) };
    let is_reading = matches!(event.kind, EventKind::Access(access)
        if !matches!(access, AccessKind::Close(notify::event::AccessMode::Write)));
    match event {
        _ if event.need_rescan() => Some(Hint::Lost),
        _ if is_reading => None,
        event if event.paths.is_empty() => Some(Hint::Lost),
        event => Some(Hint::Changed(event.paths)),
    }
}

fn why(error: &notify::Error) -> NotWatched {
    match &error.kind {
        ErrorKind::MaxFilesWatch => NotWatched::Exhausted,
        ErrorKind::PathNotFound => NotWatched::Gone,
        // A user has so many instances, too.
        ErrorKind::Io(error) if error.raw_os_error() == Some(TOO_MANY_OPEN) => {
            NotWatched::Exhausted
        }
        _ => NotWatched::Other(error.to_string()),
    }
}

/// EMFILE, on every system that is watched with descriptors.
const TOO_MANY_OPEN: i32 = 24;

#[cfg(test)]
mod tests {
    use super::{Hint, NotWatched, hint, why};
    use notify::{
        ErrorKind, Event, EventKind,
        event::{AccessKind, AccessMode, CreateKind, Flag},
    };
    use std::{io, path::PathBuf};

    #[test]
    fn events_are_hints_but_for_those_of_reading() {
        let path = PathBuf::from("/a");
        let of = |kind| Event::new(kind).add_path(path.clone());
        let changed = Some(Hint::Changed(vec![path.clone()]));
        for (event, wanted) in [
            (of(EventKind::Create(CreateKind::File)), changed.clone()),
            (of(EventKind::Access(AccessKind::Open(AccessMode::Any))), None),
            (of(EventKind::Access(AccessKind::Close(AccessMode::Read))), None),
            (of(EventKind::Access(AccessKind::Close(AccessMode::Write))), changed),
            (Event::new(EventKind::Other).set_flag(Flag::Rescan), Some(Hint::Lost)),
            (Event::new(EventKind::Any), Some(Hint::Lost)),
        ] {
            assert_eq!(hint(Ok(event.clone())), wanted, "{event:?}");
        }
        assert_eq!(hint(Err(notify::Error::generic("lost"))), Some(Hint::Lost));
    }

    #[test]
    fn it_is_told_apart_why_a_folder_is_not_watched() {
        for (kind, wanted) in [
            (ErrorKind::MaxFilesWatch, NotWatched::Exhausted),
            (ErrorKind::Io(io::Error::from_raw_os_error(24)), NotWatched::Exhausted),
            (ErrorKind::PathNotFound, NotWatched::Gone),
            (ErrorKind::Generic("odd".to_owned()), NotWatched::Other("odd".to_owned())),
        ] {
            assert_eq!(why(&notify::Error::new(kind)), wanted);
        }
    }
}
