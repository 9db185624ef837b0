//! What every disk must do: the same scripts are played on the machine's own files and on the simulated ones.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod lock;
mod script;
mod steps;

use std::path::{Path, PathBuf};

use super::{Disk, OsSystem};

/// A disk, a folder of it that is the test's own, and a way to put links there, which no step does.
trait World {
    fn disk(&self) -> &dyn Disk;
    fn top(&self) -> &Path;
    fn link(&self, below: &str, target: &str);
}

/// The machine's own files.
struct Real {
    top: PathBuf,
    _folder: tempfile::TempDir,
}

impl Real {
    fn new() -> Real {
        let folder = tempfile::tempdir().unwrap();
        Real { top: std::fs::canonicalize(folder.path()).unwrap(), _folder: folder }
    }
}

impl World for Real {
    fn disk(&self) -> &dyn Disk {
        &OsSystem
    }

    fn top(&self) -> &Path {
        &self.top
    }

    fn link(&self, below: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.top.join(below)).unwrap();
    }
}

/// One of each.
fn worlds() -> Vec<Box<dyn World>> {
    vec![Box::new(Real::new())]
}
