//! What a library was found by, beside its rows: so that a part of it can be looked at again, and the rest stays as it is.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::{
    Library,
    cache::Cache,
    listed::{is_noticed, is_read},
    rows::{self, Row},
    walk::{Entering, Found, Searched, Tops, folder::Folder},
};
use crate::{
    skill::{Root, Skill, Standing},
    system::{System, What},
};

/// Folders that are looked at again by themselves; where more changed, all are.
const MOST_PARTS: usize = 64;

/// What a library was found by, beside its rows, in the order in which it was found.
#[derive(Default)]
pub struct Trace(pub(super) Vec<Found>);

impl Trace {
    /// The folders that were listed, by their real paths.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter_map(|item| match item {
            Found::Entered(folder) => Some(folder.path.as_path()),
            _ => None,
        })
    }

    /// Looks at these folders again, each with all below it, and at nothing else; gives back the library as a whole scan would find
    /// it now, if nothing else changed. Nothing where only a whole scan can tell: where a root itself changed, too much did, or
    /// links are in the way.
    pub fn again(
        &mut self,
        system: &dyn System,
        library: &Library,
        touched: &BTreeSet<PathBuf>,
        entering: &Entering<'_>,
    ) -> Option<Library> {
        let parts = self.parts(library, touched)?;
        let roots: Vec<Root> = library.roots.iter().map(|report| report.root.clone()).collect();
        let cache = Cache::open(system, None);
        let walk = rows::walk(system, &roots, &cache, Some(entering));
        let mut found = Vec::new();
        for part in &parts {
            let part = walk.tree(part.clone(), &Tops::default());
            // Links are followed when all plain folders are known.
            if part.iter().any(|item| matches!(item, Found::Link(_))) {
                return None;
            }
            found.push(part);
        }
        let mut rows = left(library, &parts);
        for (part, found) in parts.iter().zip(found) {
            let (new, rest) = rows::sort_out(found);
            rows.extend(new);
            self.splice(part, rest.0)?;
        }
        let searched = library.roots.iter().map(|report| Searched {
            resolved: report.resolved.clone(),
            problem: report.problem.clone(),
        });
        let mut again = rows::assemble(&roots, searched.collect(), rows, &self.0);
        again.stats = rows::stats(&walk);
        Some(again)
    }

    /// The folders to look at, none below another one.
    fn parts(&self, library: &Library, touched: &BTreeSet<PathBuf>) -> Option<Vec<Folder>> {
        let tops = || library.roots.iter().filter_map(|report| report.resolved.as_ref());
        let nested = |a: &PathBuf| tops().filter(|b| a.starts_with(b)).count() > 1;
        if touched.len() > MOST_PARTS || tops().any(nested) {
            return None;
        }
        let mut parts: Vec<Folder> = Vec::new();
        // A folder comes before those below it.
        for path in touched {
            if parts.iter().any(|part| path.starts_with(&part.path)) {
                continue;
            }
            let entered = self.0.iter().find_map(|item| match item {
                Found::Entered(folder) if folder.path == *path => Some(folder),
                _ => None,
            })?;
            // What a link led to is found by way of the link, and may lie in a folder that was found without it.
            let in_the_way = |item: &Found| match item {
                Found::Followed { .. } => is_in(entered, item.at()),
                Found::Entered(at) => at.linked && at.path.starts_with(&entered.path),
                _ => false,
            };
            if entered.folder.is_empty() || entered.linked || self.0.iter().any(in_the_way) {
                return None;
            }
            parts.push((**entered).clone());
        }
        Some(parts)
    }

    /// Puts what was found in a folder now in the place of what was found there before.
    fn splice(&mut self, part: &Folder, found: Vec<Found>) -> Option<()> {
        let is_begin = |item: &Found| matches!(item, Found::Entered(at) if at.path == part.path);
        let begin = self.0.iter().position(is_begin)?;
        let of_part = self.0.iter().skip(begin).take_while(|item| is_in(part, item.at())).count();
        drop(self.0.splice(begin..begin + of_part, found));
        Some(())
    }
}

/// The folder to look at again for what happened to an entry of it; nothing where it is nothing to a library. `is_link` says whether
/// the entry is a link now.
#[must_use]
pub fn concerns(name: &str, what: What, is_link: impl FnOnce() -> bool) -> bool {
    match what {
        What::Folder => !super::is_heavy(name),
        What::Content => is_read(name),
        What::Presence => is_noticed(name) || is_link(),
    }
}

/// Whether something is about a folder or about what is below it.
fn is_in(part: &Folder, (root, folder): (usize, &str)) -> bool {
    let below =
        || folder.strip_prefix(part.folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
    root == part.root && (folder == part.folder || below())
}

/// The rows that are not looked at again, as they were before any of them got a standing.
fn left(library: &Library, parts: &[Folder]) -> Vec<Row> {
    let stays = |skill: &Skill| {
        let place = &skill.place;
        !parts.iter().any(|part| is_in(part, (place.root, &place.folder)))
    };
    let rows = library.skills.as_slice().into_par_iter().zip(library.looked.as_slice());
    rows.filter(|(skill, _)| stays(skill))
        .map(|(skill, looked)| {
            let support_of = match skill.standing {
                Standing::Support { inside } => library.skills.get(inside),
                _ => None,
            };
            let support_of = support_of.map(|owner| owner.place.folder.clone());
            let before = match skill.standing {
                Standing::Live | Standing::Broken => Arc::clone(skill),
                _ => Arc::new(Skill { standing: Standing::Live, ..Skill::clone(skill) }),
            };
            (before, *looked, support_of)
        })
        .collect()
}
