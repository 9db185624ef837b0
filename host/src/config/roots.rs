//! Which folders skills are read from, in order of precedence: where two hold a skill of one name, the earlier wins.
//!
//! 1. Roots named with `--root`: then only these.
//! 2. Roots named in `skillkeep.toml`: then only these.
//! 3. Else what is found: the project's own folders, from the working folder up to the top of its repository;
//!    `<home>/skills`; Hermes's home with its external folders, then its other profiles; Claude Code's folder, then its
//!    plugins; `~/.agents/skills`; Codex's folder.
//!
//! Roots under `more-roots` of `skillkeep.toml` come after those of 2 and 3.
//!
//! What other agents hide counts only in the third case: who names roots says everything in `skillkeep.toml`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{Config, NamedRoot, RootError, agents};
use crate::{
    decision::Detail,
    skill::{OneLine, Root},
    system::{Kind, System},
};

/// Other agents' settings are kilobytes; a file larger than this is something else.
const MOST_FOREIGN_BYTES: u64 = 8 << 20;

/// What the places of a project are called among those that were looked at.
pub(super) const PROJECT: &str = "project";

/// The roots, and what was seen on the way to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundRoots {
    /// In order of precedence, each folder once.
    pub roots: Vec<Root>,
    /// Every place that was looked at: where, whose it would be, and whether a folder is there.
    pub looked: Vec<(PathBuf, &'static str, bool)>,
    /// Skills that are turned off: by name, folder, or `category/name`.
    pub disabled: BTreeSet<String>,
    /// For each of them, who turns it off: `skillkeep.toml`, `hermes`, `claude`.
    pub disabled_by: BTreeMap<String, Vec<&'static str>>,
    /// What the user asked to show of a category.
    pub compact: BTreeMap<String, Detail>,
    /// Roots that lie in the project at hand: whoever gave away the project wrote what is in them. Paths as in `roots`.
    pub projects: BTreeSet<PathBuf>,
    /// What a person should know: broken settings of another agent, roots that are gone. One line each.
    pub notes: Vec<String>,
}

/// Finds the roots. Nothing is read but other agents' settings, and a broken one of these is only a note.
///
/// # Errors
/// Where a folder of `explicit` is not there, or is no folder.
pub fn find_roots(
    system: &dyn System,
    config: &Config,
    explicit: &[PathBuf],
) -> Result<FoundRoots, RootError> {
    let mut search = Search { system, seen: BTreeSet::new(), found: FoundRoots::default() };
    if !explicit.is_empty() {
        for path in explicit {
            search.explicit(path)?;
        }
    } else {
        match &config.roots {
            Some(roots) => roots.iter().for_each(|root| search.named(root)),
            None => agents::search_all(&mut search, &config.home),
        }
        config.more_roots.iter().for_each(|root| search.named(root));
    }
    search.disable("skillkeep.toml", config.index.disabled.iter().cloned());
    search.found.compact.clone_from(&config.index.compact);
    Ok(search.found)
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) system: &'a dyn System,
    /// Folders that are roots already, links resolved.
    seen: BTreeSet<PathBuf>,
    found: FoundRoots,
}

impl Search<'_> {
    fn named(&mut self, root: &NamedRoot) {
        if !self.offer(&root.path, "config", root.label.clone(), None) {
            let path = root.path.display();
            self.note(format!("the root `{path}` of `skillkeep.toml` is not there"));
        }
    }

    fn explicit(&mut self, given: &Path) -> Result<(), RootError> {
        let path = match self.system.working_folder() {
            Ok(folder) => folder.join(given),
            Err(_) => given.to_path_buf(),
        };
        match self.system.stat(&path) {
            Ok(stat) if stat.kind == Kind::Folder => {
                let label = OneLine::new(&given.to_string_lossy());
                self.offer(&path, "--root", label, None);
                Ok(())
            }
            Ok(_) => Err(RootError::NoFolder { path }),
            Err(source) => Err(RootError::Missing { path, source }),
        }
    }

    /// Makes a folder a root, if it is there and not one already. Says whether it is there.
    pub(super) fn offer(
        &mut self,
        path: &Path,
        what: &'static str,
        label: OneLine,
        category: Option<OneLine>,
    ) -> bool {
        let there = match self.system.stat(path) {
            Ok(stat) => stat.kind == Kind::Folder,
            Err(error) => {
                if !is_absent(&error) {
                    self.note(format!("`{}` can't be looked at: {error}", path.display()));
                }
                false
            }
        };
        self.found.looked.push((path.to_path_buf(), what, there));
        if there {
            let resolved = self.system.resolve(path).unwrap_or_else(|_| path.to_path_buf());
            if self.seen.insert(resolved) {
                if what == PROJECT {
                    self.found.projects.insert(path.to_path_buf());
                }
                let root = Root { path: path.to_path_buf(), label, category };
                self.found.roots.push(root);
            }
        }
        there
    }

    /// Reads another agent's file with one of the adapters' readers. A missing file is nothing, a broken one a note.
    pub(super) fn foreign<T, E: std::fmt::Display>(
        &mut self,
        file: &Path,
        read: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Option<T> {
        let bytes = match self.system.read(file, MOST_FOREIGN_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                if !is_absent(&error) {
                    self.note(format!("`{}` can't be read: {error}", file.display()));
                }
                return None;
            }
        };
        match read(&bytes) {
            Ok(value) => Some(value),
            Err(error) => {
                self.note(format!("`{}` is left aside: {error}", file.display()));
                None
            }
        }
    }

    pub(super) fn disable(&mut self, who: &'static str, names: impl IntoIterator<Item = String>) {
        for name in names {
            let by = self.found.disabled_by.entry(name.clone()).or_default();
            if !by.contains(&who) {
                by.push(who);
            }
            self.found.disabled.insert(name);
        }
    }

    pub(super) fn note(&mut self, note: impl AsRef<str>) {
        self.found.notes.push(OneLine::new(note.as_ref()).to_string());
    }
}

/// Whether an error only says that nothing is there.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests;
