//! A world with all that it was made from, so that it can be told whether it still holds.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::{
    library::Trace,
    system::{System, Witnessed},
    world::World,
};

/// A world that is kept.
pub(super) struct Held {
    pub(super) world: Arc<World<'static>>,
    pub(super) trace: Trace,
    /// What the settings and the roots were found by.
    pub(super) settings: Witnessed,
    /// What the library was found by, beside the folders that are watched.
    pub(super) beside: Witnessed,
    /// Where the roots are: nothing tells that a folder above one went elsewhere.
    pub(super) tops: Vec<Top>,
    /// When all was last looked at.
    pub(super) looked: Instant,
}

/// A root's folder, by its device and inode.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Top {
    path: PathBuf,
    folder: Option<(u64, u64)>,
}

impl Top {
    pub(super) fn of(system: &dyn System, path: &Path) -> Top {
        let path = system.resolve(path).unwrap_or_else(|_| path.to_owned());
        let folder = system.stat(&path).ok().map(|stat| (stat.device, stat.inode));
        Top { path, folder }
    }

    fn is_there(&self, system: &dyn System) -> bool {
        let now = system.stat(&self.path).ok().map(|stat| (stat.device, stat.inode));
        now.is_some() && now == self.folder
    }
}

impl Held {
    /// Whether what no folder tells of is as it was.
    pub(super) fn holds(&self, system: &dyn System) -> bool {
        self.tops.iter().all(|top| top.is_there(system)) && self.beside.holds(system)
    }
}
