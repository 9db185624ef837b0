//! From what lies in a skill's folder to what is to lie there, as steps; pure.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use super::manifest::{LeftOut, SkillState};
use crate::{
    change::{
        Tree,
        effect::makes_skill,
        place::{is_in, join},
        spot::LINK,
    },
    ledger::{Blob, Step},
};

/// What a skill had that is in no snapshot.
pub(super) fn notes_of(was: &SkillState) -> Vec<String> {
    let line = |it: &LeftOut| format!("`{}` is in no snapshot: {}", it.path, it.why);
    was.left_out.iter().map(line).collect()
}

/// The first path that is a file on one side and a folder on the other, or lies where something is that no snapshot has.
pub(super) fn in_the_way(expected: &Tree, is: &SkillState) -> Option<String> {
    let folders =
        |tree: &Tree| -> BTreeSet<String> { tree.folders.iter().map(|it| it.0.clone()).collect() };
    let (wanted, there) = (folders(expected), folders(&is.tree));
    let files: BTreeSet<&String> = is.tree.files.iter().map(|it| &it.0).collect();
    let unseen = |path: &str| is.left_out.iter().any(|it| is_in(path, &it.path));
    let mut all =
        expected.files.iter().map(|it| &it.0).filter(|it| there.contains(*it) || unseen(it));
    let file = all.next().cloned();
    file.or_else(|| wanted.iter().find(|it| files.contains(it) || unseen(it)).cloned())
}

/// Files in the order in which they are put: what makes a skill comes first.
pub(super) fn in_writing_order(tree: &Tree) -> impl Iterator<Item = &(String, Blob)> {
    let makes = |it: &&(String, Blob)| !it.0.contains('/') && makes_skill(&it.0);
    tree.files.iter().filter(makes).chain(tree.files.iter().filter(move |it| !makes(it)))
}

/// The steps from what is in a folder to what is to be.
pub(super) fn steps_between(folder: &str, is: &Tree, expected: &Tree) -> Vec<Step> {
    let at = |path: &str| join(folder, path);
    let mut steps = Vec::new();
    let before: BTreeMap<&String, &Blob> = is.files.iter().map(|(path, it)| (path, it)).collect();
    let after: BTreeSet<&String> = expected.files.iter().map(|(path, _)| path).collect();
    for (path, blob) in before.iter().filter(|(path, _)| !after.contains(*path)) {
        steps.push(Step::Remove { path: at(path), before: **blob });
    }
    let modes: BTreeMap<&String, u32> =
        expected.folders.iter().map(|(it, mode)| (it, *mode)).collect();
    for (path, mode) in is.folders.iter().rev().filter(|(path, _)| !modes.contains_key(path)) {
        steps.push(Step::RemoveFolder { path: at(path), mode: *mode });
    }
    let tops = [(String::new(), is.mode)];
    for (path, before) in tops.iter().chain(&is.folders) {
        let wanted = if path.is_empty() { Some(expected.mode) } else { modes.get(path).copied() };
        if let Some(after) = wanted.filter(|after| after != before) {
            steps.push(Step::SetMode { path: at(path), before: *before, after });
        }
    }
    let there: BTreeSet<&String> = is.folders.iter().map(|it| &it.0).collect();
    for (path, mode) in expected.folders.iter().filter(|it| !there.contains(&it.0)) {
        steps.push(Step::MakeFolder { path: at(path), mode: *mode });
    }
    for (path, blob) in in_writing_order(expected) {
        let before = before.get(path).map(|it| **it);
        if before != Some(*blob) {
            steps.push(Step::Put { path: at(path), before, after: *blob });
        }
    }
    steps
}

/// A path with `.` and `..` worked out as they are written.
pub(super) fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// Whether a blob is a link.
pub(super) fn is_link(blob: &Blob) -> bool {
    blob.mode & LINK == LINK
}
