//! What every disk must do: the same scripts are played on the machine's own files and on the simulated ones.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod crash;
mod faults;
mod lock;
mod reading;
mod same;
mod script;
mod steps;

use std::path::{Path, PathBuf};

use super::{Disk, OsSystem, SimulatedDisk};

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

/// The simulated ones.
struct Simulated(SimulatedDisk);

impl Simulated {
    fn new() -> Simulated {
        let disk = SimulatedDisk::new(1);
        disk.put_folder(Simulated::TOP, 0o700);
        Simulated(disk)
    }

    const TOP: &str = "/world/top";
}

impl World for Simulated {
    fn disk(&self) -> &dyn Disk {
        &self.0
    }

    fn top(&self) -> &Path {
        Path::new(Simulated::TOP)
    }

    fn link(&self, below: &str, target: &str) {
        self.0.put_link(self.top().join(below), target);
    }
}

/// One of each.
fn worlds() -> Vec<Box<dyn World>> {
    vec![Box::new(Real::new()), Box::new(Simulated::new())]
}
