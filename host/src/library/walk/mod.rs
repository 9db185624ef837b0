//! The walk through the folders of the roots: plain folders first, all at once, then what links lead to, in a fixed
//! order. It must never decide which of two skills counts; it only says what is where.
//!
//! No folder is visited twice. In a tree of plain folders that cannot happen, so nothing is asked about them; only where
//! roots lie inside each other, or a link was followed, real paths are compared.

mod file;
pub(super) mod folder;
mod links;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::AtomicUsize},
};

use self::folder::Folder;
use super::{Located, cache::Cache};
use crate::{
    skill::{Diagnostic, OneLine, Place, Problem, Root, Skill},
    system::{Stat, System},
};

/// Folders below a root that are searched: no library is that deep.
const DEEPEST: usize = 32;

/// Something that the walk came upon.
pub(super) enum Found {
    /// A row, the state that its file was in, and for a file in a support folder the folder of the skill that it belongs to.
    Row { skill: Arc<Skill>, looked: Option<Stat>, support_of: Option<String> },
    /// A DESCRIPTION.md.
    Note { root: usize, folder: String, description: Option<OneLine> },
    /// A file `x.md` beside a folder `x`.
    Flat { root: usize, folder: String, file: String },
    /// A problem without a row.
    Problem(Box<Located>),
    /// A link, to be followed when all plain folders are known.
    Link(Box<Link>),
    /// A folder that was listed; told only to who watches.
    Entered(Box<Folder>),
    /// A link that was looked into, with its path below the root; told only to who watches.
    Followed { root: usize, folder: String },
}

/// A link that is still to be followed.
pub(super) struct Link {
    root: usize,
    /// Its path below the root.
    folder: String,
    /// Where it really lies.
    path: PathBuf,
    /// Whether it lies inside a skill's folder.
    inside: bool,
    depth: usize,
}

/// One walk, and what it counts.
pub(super) struct Walk<'w> {
    pub(super) system: &'w dyn System,
    pub(super) roots: &'w [Root],
    /// Where the roots really are: a link to a file may lead there and nowhere else.
    pub(super) allowed: OnceLock<Vec<PathBuf>>,
    pub(super) cache: &'w Cache,
    pub(super) folders: AtomicUsize,
    pub(super) files_read: AtomicUsize,
    pub(super) hits: AtomicUsize,
    /// Called with each folder before it is listed, by who keeps what is found.
    pub(super) entering: Option<&'w Entering<'w>>,
}

/// Is told of a folder that is about to be listed.
pub type Entering<'e> = dyn Fn(&Path) + Sync + 'e;

/// A root, as it was found.
pub(super) struct Searched {
    pub(super) resolved: Option<PathBuf>,
    pub(super) problem: Option<Diagnostic>,
}

/// Real paths of the folders at which a search began.
#[derive(Default)]
pub(super) struct Tops(BTreeSet<PathBuf>);

impl Walk<'_> {
    /// Searches all roots.
    pub(super) fn all(&self) -> (Vec<Searched>, Vec<Found>) {
        let mut tops = Tops::default();
        let mut found = Vec::new();
        let mut searched = Vec::new();
        for (number, root) in self.roots.iter().enumerate() {
            searched.push(self.root(number, root, &mut tops, &mut found));
        }
        self.follow_links(&mut tops, &mut found);
        (searched, found)
    }

    fn root(
        &self,
        number: usize,
        root: &Root,
        tops: &mut Tops,
        found: &mut Vec<Found>,
    ) -> Searched {
        let shown = root.path.display();
        let problem = |cause: String, fix: &str| {
            let problem = Problem::Unreadable;
            Some(Diagnostic {
                problem,
                line: None,
                field: None,
                cause: cause.as_str().into(),
                fix: fix.into(),
            })
        };
        let resolved = match self.system.resolve(&root.path) {
            Ok(resolved) => resolved,
            Err(error) => {
                let cause = format!("`{shown}` can't be found: {error}");
                let problem = problem(cause, "make the folder, or take the root out");
                return Searched { resolved: None, problem };
            }
        };
        if let Some(top) = self.covering(&resolved, tops) {
            let cause =
                format!("`{shown}` is part of `{}`, which is searched already", top.display());
            let twice = Diagnostic {
                problem: Problem::FoundTwice,
                line: None,
                field: None,
                cause: cause.as_str().into(),
                fix: "name it once".into(),
            };
            return Searched { resolved: Some(resolved), problem: Some(twice) };
        }
        let start = Folder::top(number, resolved.clone());
        let mut rows = self.tree(start, tops);
        // A root that can't be listed yields this one problem of its own folder, and nothing else.
        if let [Found::Problem(only)] = rows.as_slice()
            && only.place.folder.is_empty()
            && only.place.file.is_empty()
        {
            let cause = format!("`{shown}` can't be listed: {}", only.diagnostic.cause);
            let problem = problem(cause, "check that it is a folder and may be read");
            return Searched { resolved: Some(resolved), problem };
        }
        found.append(&mut rows);
        tops.0.insert(resolved.clone());
        Searched { resolved: Some(resolved), problem: None }
    }

    /// The top below which a folder was searched already: a folder that a search passes over is not.
    fn covering<'t>(&self, folder: &Path, tops: &'t Tops) -> Option<&'t Path> {
        let covers = |top: &&PathBuf| {
            let Ok(below) = folder.strip_prefix(top) else { return false };
            let mut at = top.to_path_buf();
            below.components().enumerate().all(|(depth, part)| {
                let name = part.as_os_str().to_string_lossy();
                let own_file = super::listed::is_support(&name)
                    && self.system.stat(&at.join(super::listed::SKILL_FILE)).is_ok();
                at.push(part);
                depth < DEEPEST && !super::listed::is_heavy(&name) && !own_file
            })
        };
        tops.0.iter().find(covers).map(PathBuf::as_path)
    }
}

impl Found {
    /// The root and the folder that it is about.
    pub(super) fn at(&self) -> (usize, &str) {
        match self {
            Found::Row { skill, .. } => (skill.place.root, &skill.place.folder),
            Found::Problem(located) => (located.place.root, &located.place.folder),
            Found::Link(link) => (link.root, &link.folder),
            Found::Entered(folder) => (folder.root, &folder.folder),
            Found::Note { root, folder, .. }
            | Found::Flat { root, folder, .. }
            | Found::Followed { root, folder } => (*root, folder),
        }
    }
}

impl Tops {
    /// The tops that a search of this folder would come upon.
    fn below(&self, folder: &Path) -> BTreeSet<PathBuf> {
        self.0.iter().filter(|top| top.starts_with(folder)).cloned().collect()
    }
}

/// A problem at a place, in words.
fn problem(problem: Problem, cause: &str, fix: &str) -> Diagnostic {
    Diagnostic { problem, line: None, field: None, cause: cause.into(), fix: fix.into() }
}

/// A place without a file of a skill.
fn place(root: usize, folder: String) -> Place {
    Place { root, folder, file: String::new(), linked_to: None }
}
