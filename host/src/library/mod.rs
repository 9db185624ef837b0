//! Skill folders to skills: find them, parse them, say which of them count, resolve names to them, and read their files
//! for people.
//!
//! *Invariant*: one walk, one parser and one resolver serve every surface. Nothing here writes anything but the cache,
//! and nothing here decides what an agent is shown.

mod cache;
mod category;
mod listed;
mod names;
mod outline;
mod own;
mod parse;
mod reading;
mod resolve;
mod rows;
mod trace;
mod walk;

#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use crate::{
    skill::{Diagnostic, OneLine, Place, Root, Skill},
    system::Stat,
};

pub use cache::{CacheState, Identity, is_settled};
pub use listed::{is_heavy, is_support};
pub use names::Names;
pub use outline::{Fences, Heading, SectionError, heading, outline, section};
pub use own::Own;
pub use parse::{Field, Header, Shape, body, frontmatter, parse};
pub use reading::{LARGEST_FILE, OpenError, files_of, open_inside};
pub use resolve::Resolution;
pub use rows::{scan, scan_kept};
pub use trace::{Trace, concerns};
pub use walk::Entering;

/// What became of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootReport {
    /// The root, as it was asked for.
    pub root: Root,
    /// Where it really is, if it is there.
    pub resolved: Option<PathBuf>,
    /// Why it was not searched.
    pub problem: Option<Diagnostic>,
    /// How many rows of the library come from it.
    pub found: usize,
}

/// What a DESCRIPTION.md says of a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryNote {
    /// The category's path, such as `books/comfy`.
    pub path: OneLine,
    /// The header's `description`.
    pub description: Option<OneLine>,
}

/// A problem that belongs to no skill's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub diagnostic: Diagnostic,
}

/// What a scan did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScanStats {
    /// Folders that were listed.
    pub folders: usize,
    /// Files that were opened and parsed.
    pub files_read: usize,
    /// Files whose facts came from the cache.
    pub cache_hits: usize,
    /// What was found of the cache, or why it could not be written.
    pub cache: CacheState,
}

/// All that the roots hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// The roots, in the order of their precedence.
    pub roots: Vec<RootReport>,
    /// The skills, by root, then by folder, then by file: the same files give the same order. What did not change is the same one
    /// in the library that follows on this one.
    pub skills: Vec<Arc<Skill>>,
    /// By row, what told its file's facts from those of any other state of it; none where there is no file that was looked at.
    pub looked: Vec<Option<Stat>>,
    /// What is said of categories, by path; the first root that says something counts.
    pub categories: Vec<CategoryNote>,
    /// Problems that belong to no skill.
    pub problems: Vec<Located>,
    /// What the scan did.
    pub stats: ScanStats,
}
