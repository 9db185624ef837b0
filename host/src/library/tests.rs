//! What the library promises, on worlds in memory and on real folders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod caching;
mod discovery;
mod names;
mod odd_headers;
mod reading;
mod real_files;

use std::path::Path;

use super::{Library, scan};
use crate::{
    skill::{OneLine, Root, Skill, Standing},
    system::{MemorySystem, System},
};

fn root(path: &str) -> Root {
    Root { path: path.into(), label: OneLine::new("test"), category: None }
}

fn skill_text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\nbody of {name}\n")
}

/// A world with a skill in each of these folders, named as its folder, an hour ago.
fn world(folders: &[&str]) -> MemorySystem {
    let file = |folder: &&str| {
        let name = folder.rsplit('/').next().unwrap();
        (format!("{folder}/SKILL.md"), skill_text(name).into_bytes())
    };
    MemorySystem::from_files(folders.iter().map(file))
}

fn scanned(system: &dyn System, roots: &[&str]) -> Library {
    let roots: Vec<Root> = roots.iter().map(|path| root(path)).collect();
    scan(system, &roots, None)
}

fn cached(system: &dyn System, roots: &[&str]) -> Library {
    let roots: Vec<Root> = roots.iter().map(|path| root(path)).collect();
    scan(system, &roots, Some(Path::new("/cache/facts")))
}

/// Rows as `root folder/file category/name standing`, with a mark for links.
fn rows(library: &Library) -> Vec<String> {
    library.skills.iter().map(|skill| row(skill)).collect()
}

fn row(skill: &Skill) -> String {
    let place = &skill.place;
    let standing = match skill.standing {
        Standing::Live => "live".to_owned(),
        Standing::Shadowed { by } => format!("shadowed by {by}"),
        Standing::Duplicate { of } => format!("duplicate of {of}"),
        Standing::Support { inside } => format!("support of {inside}"),
        Standing::Broken => "broken".to_owned(),
    };
    let link = place.linked_to.as_ref().map_or(String::new(), |to| format!(" -> {to}"));
    format!("{} {}:{} {} {standing}{link}", place.root, place.folder, place.file, skill.qualified())
}

/// Words of a row's problems.
fn problems(library: &Library, row: usize) -> Vec<&'static str> {
    library.diagnostics_of(row).iter().map(|diagnostic| diagnostic.problem.word()).collect()
}

/// Problems without a row, as `folder:file word`.
fn loose(library: &Library) -> Vec<String> {
    let loose = library.problems.iter();
    loose
        .map(|l| format!("{}:{} {}", l.place.folder, l.place.file, l.diagnostic.problem.word()))
        .collect()
}
