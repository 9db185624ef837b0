//! Which states of which files were read, so that what did not change is not read again.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::system::{Stat, System};

/// A file that changed within this time of being read, in nanoseconds, is read again: a later change could have left the same
/// times, since file systems count them in steps.
const UNSETTLED: i128 = 2_000_000_000;

/// What files were when they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    files: BTreeMap<PathBuf, Option<Stat>>,
    /// Whether one of them might have changed since without looking otherwise.
    unsettled: bool,
}

impl Seen {
    /// Notes the state of a file. It has to be noted before the file is read.
    pub(super) fn note(&mut self, system: &dyn System, file: &Path) {
        let stat = system.stat(file).ok();
        let now = system.now_nanos();
        let fresh = |at: i128| now.saturating_sub(at) < UNSETTLED;
        self.unsettled |= stat.is_some_and(|it| fresh(it.mtime) || fresh(it.ctime));
        self.files.insert(file.to_owned(), stat);
    }

    /// Whether each of them is as it was, so that reading them again would bring the same.
    pub(super) fn is_the_same(&self, system: &dyn System) -> bool {
        !self.unsettled && self.files.iter().all(|(file, was)| system.stat(file).ok() == *was)
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use crate::system::MemorySystem;
    use std::path::Path;

    #[test]
    fn nothing_noted_is_the_same_and_a_missing_file_that_comes_is_not() {
        let system = MemorySystem::new();
        let mut seen = Seen::default();
        assert!(seen.is_the_same(&system));
        seen.note(&system, Path::new("/a"));
        assert!(seen.is_the_same(&system));
        let other = MemorySystem::from_files([("/a".to_owned(), b"1".to_vec())].into_iter());
        assert!(!seen.is_the_same(&other));
    }
}
