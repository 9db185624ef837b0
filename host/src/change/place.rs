//! Where things lie in an owned root, and paths below one as text.

use std::path::Path;

use crate::{skill::SkillId, system::System};

/// The folder in a root that is ours.
pub(super) const OURS: &str = ".skillkeep";
/// Whose the root is.
pub(super) const OWNER: &str = ".skillkeep/owner";
/// Held by whoever changes something in the root.
pub(super) const LOCK: &str = ".skillkeep/lock";
/// New bytes on their way to their place.
pub(super) const STAGING: &str = ".skillkeep/staging";
/// Skills that were put away.
pub(super) const ARCHIVE: &str = ".skillkeep/archive";
/// Folders that people pinned.
pub(super) const PINS: &str = ".skillkeep/pins";

/// Whether some home keeps a root: this one or another.
#[must_use]
pub fn is_kept(system: &dyn System, root: &Path) -> bool {
    system.stat(&root.join(OWNER)).is_ok()
}

/// A path below a folder.
pub(super) fn join(folder: &str, below: &str) -> String {
    match (folder, below) {
        ("", below) => below.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, below) => format!("{folder}/{below}"),
    }
}

/// The folder that holds a path; empty for the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The last part of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path is a folder or lies below it.
pub(super) fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folders above a path, from the root down, without the root.
pub(super) fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

/// Where a skill is put away: by its id and the time, `2026-08-13T12:00:00Z` as `20260813T120000Z`.
pub(super) fn packet(skill: SkillId, at: crate::skill::Instant) -> String {
    let stamp: String = at.to_string().chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{ARCHIVE}/{skill}-{stamp}")
}
