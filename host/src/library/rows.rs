//! From what the walk found to rows in a fixed order, each with its standing. It must never open a file itself.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::Path,
    sync::{Arc, OnceLock, atomic::Ordering},
};

use foldhash::{HashMap, fast::RandomState};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::{
    CategoryNote, Library, Located, Root, RootReport, ScanStats,
    cache::Cache,
    category,
    trace::Trace,
    walk::{Entering, Found, Searched, Walk},
};
use crate::{
    skill::{Diagnostic, Facts, OneLine, Place, Problem, Skill, Standing},
    system::{Stat, System},
};

/// Searches the roots, in the order of their precedence. With a cache file, a file that has not changed is not opened.
pub fn scan(system: &dyn System, roots: &[Root], cache: Option<&Path>) -> Library {
    whole(system, roots, cache, None).0
}

/// As [`scan`], for who keeps the library: each folder is told before it is listed, and what comes with the library finds parts of
/// it again.
pub fn scan_kept(
    system: &dyn System,
    roots: &[Root],
    cache: Option<&Path>,
    entering: &Entering<'_>,
) -> (Library, Trace) {
    whole(system, roots, cache, Some(entering))
}

fn whole(
    system: &dyn System,
    roots: &[Root],
    cache: Option<&Path>,
    entering: Option<&Entering<'_>>,
) -> (Library, Trace) {
    let cache = Cache::open(system, cache);
    let walk = walk(system, roots, &cache, entering);
    let (searched, found) = walk.all();
    let stats = stats(&walk);
    let tops: Vec<_> = searched
        .iter()
        .filter(|root| root.problem.is_none())
        .filter_map(|root| root.resolved.clone())
        .collect();
    let (rows, trace) = sort_out(found);
    let (state, mut library) =
        rayon::join(|| cache.close(system, &tops), || assemble(roots, searched, rows, &trace.0));
    library.stats = ScanStats { cache: state, ..stats };
    (library, trace)
}

/// A walk before its first step.
pub(super) fn walk<'w>(
    system: &'w dyn System,
    roots: &'w [Root],
    cache: &'w Cache,
    entering: Option<&'w Entering<'w>>,
) -> Walk<'w> {
    Walk {
        system,
        roots,
        allowed: OnceLock::new(),
        cache,
        folders: 0.into(),
        files_read: 0.into(),
        hits: 0.into(),
        entering,
    }
}

pub(super) fn stats(walk: &Walk<'_>) -> ScanStats {
    ScanStats {
        folders: walk.folders.load(Ordering::Relaxed),
        files_read: walk.files_read.load(Ordering::Relaxed),
        cache_hits: walk.hits.load(Ordering::Relaxed),
        ..ScanStats::default()
    }
}

/// A row whose standing is still to be found out: the skill, the state of its file, and whose support folder it lies in.
pub(super) type Row = (Arc<Skill>, Option<Stat>, Option<String>);

/// Rows, and all else.
pub(super) fn sort_out(found: Vec<Found>) -> (Vec<Row>, Trace) {
    let mut rows = Vec::with_capacity(found.len());
    let mut rest = Vec::new();
    for item in found {
        match item {
            Found::Row { skill, looked, support_of } => rows.push((skill, looked, support_of)),
            other => rest.push(other),
        }
    }
    (rows, Trace(rest))
}

/// A row for a file that was read. Its standing is still to be found out.
pub(super) fn skill(roots: &[Root], place: Place, facts: Facts) -> Skill {
    let root = roots.get(place.root);
    let name = match &facts.name {
        Some(name) => name.clone(),
        None => category::name(&place.folder, &root_name(root)),
    };
    let of_root = root.and_then(|root| root.category.as_ref());
    let category = category::of(&place.folder, of_root, facts.category.as_ref());
    // A file that is only a path to another one says nothing itself.
    let broken = facts.diagnostics.iter().any(|d| d.problem == Problem::UnlinkedLink);
    let standing = if broken { Standing::Broken } else { Standing::Live };
    Skill { facts, name, place, category, standing }
}

/// A row for what can't be read.
pub(super) fn broken(roots: &[Root], place: Place, diagnostic: Diagnostic) -> Skill {
    let facts = Facts::silent(0, vec![diagnostic]);
    Skill { standing: Standing::Broken, ..skill(roots, place, facts) }
}

fn root_name(root: Option<&Root>) -> String {
    let name = root.and_then(|root| root.path.file_name());
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(super) fn assemble(
    roots: &[Root],
    searched: Vec<Searched>,
    mut rows: Vec<Row>,
    rest: &[Found],
) -> Library {
    let mut notes: BTreeMap<OneLine, (usize, Option<OneLine>)> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut flat = Vec::new();
    for item in rest {
        match item {
            Found::Note { root, folder, description } => {
                let of_root = roots.get(*root).and_then(|root| root.category.as_ref());
                let path = category::of_folder(folder, of_root);
                // The first root that says something counts, and in one root the first folder.
                match notes.get(&path) {
                    Some((_, Some(_))) => {}
                    Some((held, None)) if *held <= *root && description.is_none() => {}
                    _ => drop(notes.insert(path, (*root, description.clone()))),
                }
            }
            Found::Flat { root, folder, file } => flat.push((*root, folder.clone(), file.clone())),
            Found::Problem(located) => problems.push((**located).clone()),
            Found::Row { .. } | Found::Link(_) | Found::Entered(_) | Found::Followed { .. } => {}
        }
    }
    // The walk goes by name, so this is nearly sorted already.
    rows.sort_by(|(a, ..), (b, ..)| key(a).cmp(&key(b)));
    let support: Vec<Option<String>> = rows.iter_mut().map(|(.., of)| of.take()).collect();
    let looked = rows.iter().map(|(_, looked, _)| *looked).collect();
    let mut skills: Vec<Arc<Skill>> = rows.into_iter().map(|(skill, ..)| skill).collect();
    mark_support(&mut skills, &support);
    mark_names(&mut skills);
    problems.extend(flat.into_iter().filter_map(|flat| beside(flat, &skills)));
    problems.sort_by(|a: &Located, b: &Located| {
        let key = |located: &Located| (located.place.root, located.place.folder.clone());
        key(a).cmp(&key(b)).then_with(|| a.place.file.cmp(&b.place.file))
    });
    let mut counts = vec![0_usize; roots.len()];
    for skill in &skills {
        if let Some(count) = counts.get_mut(skill.place.root) {
            *count += 1;
        }
    }
    let reports = roots.iter().zip(searched).zip(counts).map(|((root, searched), found)| {
        let Searched { resolved, problem } = searched;
        RootReport { root: root.clone(), resolved, problem, found }
    });
    Library {
        roots: reports.collect(),
        skills,
        looked,
        categories: notes
            .into_iter()
            .map(|(path, (_, description))| CategoryNote { path, description })
            .collect(),
        problems,
        stats: ScanStats::default(),
    }
}

fn key(skill: &Skill) -> (usize, &str, &str) {
    (skill.place.root, &skill.place.folder, &skill.place.file)
}

/// The row of the file that makes a folder a skill.
fn row_of(skills: &[Arc<Skill>], root: usize, folder: &str) -> Option<usize> {
    let first = skills
        .partition_point(|skill| (skill.place.root, skill.place.folder.as_str()) < (root, folder));
    let skill = skills.get(first)?;
    (skill.place.root == root && skill.place.folder == folder).then_some(first)
}

fn mark_support(skills: &mut [Arc<Skill>], support: &[Option<String>]) {
    for (row, owner) in support.iter().enumerate() {
        let Some(owner) = owner else { continue };
        let root = skills.get(row).map_or(0, |skill| skill.place.root);
        let inside = row_of(skills, root, owner);
        if let (Some(skill), Some(inside)) = (skills.get_mut(row), inside) {
            Arc::make_mut(skill).standing = Standing::Support { inside };
        }
    }
}

/// Names with which two spellings of one text are the same.
pub(super) fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.nfc().collect())
    }
}

/// Says which of several rows with one name counts. Across roots the first root with the name does; in one category of
/// one root the first path does; in different categories of one root all do.
fn mark_names(skills: &mut [Arc<Skill>]) {
    let mut standings = Vec::new();
    {
        let mut first: HashMap<Cow<'_, str>, usize> =
            HashMap::with_capacity_and_hasher(skills.len(), RandomState::default());
        let mut in_category: HashMap<(usize, Cow<'_, str>, Cow<'_, str>), usize> =
            HashMap::default();
        for (row, skill) in skills.iter().enumerate() {
            if !skill.is_live() {
                continue;
            }
            let name = composed(skill.name.as_str());
            let winner = *first.entry(name.clone()).or_insert(row);
            let Some(held) = skills.get(winner).filter(|_| winner != row) else { continue };
            if held.place.root != skill.place.root {
                standings.push((row, Standing::Shadowed { by: winner }));
                continue;
            }
            // Only names that come twice get this far, so the second table stays small.
            let place = |s: &Skill, name| {
                (s.place.root, composed(s.category.as_str()).into_owned().into(), name)
            };
            in_category.entry(place(held, name.clone())).or_insert(winner);
            let of = *in_category.entry(place(skill, name)).or_insert(row);
            if of != row {
                standings.push((row, Standing::Duplicate { of }));
            }
        }
    }
    for (row, standing) in standings {
        if let Some(skill) = skills.get_mut(row) {
            Arc::make_mut(skill).standing = standing;
        }
    }
}

/// The problem of a file `x.md` beside a folder `x`, if that folder is a skill.
fn beside((root, folder, file): (usize, String, String), skills: &[Arc<Skill>]) -> Option<Located> {
    let stem = file.strip_suffix(".md")?;
    let twin = if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") };
    row_of(skills, root, &twin)?;
    let diagnostic = Diagnostic {
        problem: Problem::FlatBesideFolder,
        line: None,
        field: None,
        cause: OneLine::new(&format!("`{file}` lies beside the folder `{stem}`, which counts")),
        fix: OneLine::new("move what is still needed into the folder, and remove the file"),
    };
    Some(Located { place: Place { root, folder, file, linked_to: None }, diagnostic })
}
