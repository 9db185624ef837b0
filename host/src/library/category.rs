//! Which category and which name a place gives to a skill. It must never look at a file.

use crate::skill::OneLine;

/// Where a skill without folders above it belongs, unless it says otherwise.
const GENERAL: &str = "general";

/// What a skill is called whose folder's name has nothing printable in it.
const NAMELESS: &str = "unnamed";

/// The folders above a skill, joined by `/`; without any, what the root says, then what the header says.
pub(super) fn of(folder: &str, root: Option<&OneLine>, header: Option<&OneLine>) -> OneLine {
    let above = folder.rsplit_once('/').map(|(above, _)| OneLine::new(above));
    above
        .filter(|above| !above.is_empty())
        .or_else(|| root.cloned())
        .or_else(|| header.cloned())
        .unwrap_or_else(|| OneLine::new(GENERAL))
}

/// The category that a folder's DESCRIPTION.md is about: the folder itself.
pub(super) fn of_folder(folder: &str, root: Option<&OneLine>) -> OneLine {
    OneLine::some(folder).or_else(|| root.cloned()).unwrap_or_else(|| OneLine::new(GENERAL))
}

/// The name that a folder gives: its last part; for the root itself, what the root is called.
pub(super) fn name(folder: &str, root: &str) -> OneLine {
    let last = folder.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(root);
    OneLine::some(last).unwrap_or_else(|| OneLine::new(NAMELESS))
}
