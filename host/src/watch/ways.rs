//! The way to a file: which entries of which folders decide what is found at a path.
//!
//! An editor puts another file in the place of the old one, and a mounted config map swaps a link two folders up: the file that is
//! named never hears of it. So folders are watched, and not files, and in each of them the names that lead on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};

use crate::system::System;

/// Links that are followed on one way.
const MOST_LINKS: usize = 40;

/// Names in folders. Folders are given with their links resolved, since a system knows a folder once, whatever path led there.
pub(super) type Ways = BTreeMap<PathBuf, BTreeSet<OsString>>;

/// Adds the way to a path: the entry itself in its folder, each link that leads there in its own, and where a part of the way is
/// missing, that part in the folder in which it would appear.
pub(super) fn add(system: &dyn System, path: &Path, ways: &mut Ways) {
    let mut left: VecDeque<OsString> = parts(path);
    let mut here = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == OsStr::new("..") {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        match system.read_link(&next) {
            Ok(target) => {
                note(ways, &here, part);
                links += 1;
                if links > MOST_LINKS {
                    return;
                }
                if target.is_absolute() {
                    here = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    left.push_front(part);
                }
            }
            Err(_) if left.is_empty() || system.stat(&next).is_err() => {
                note(ways, &here, part);
                return;
            }
            Err(_) => here = next,
        }
    }
}

fn note(ways: &mut Ways, folder: &Path, name: OsString) {
    ways.entry(folder.to_owned()).or_default().insert(name);
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    parts.collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests with real links")]
mod tests {
    use super::{Ways, add};
    use crate::system::OsSystem;
    use std::{fs, os::unix::fs::symlink, path::Path};

    /// The ways to a path below a folder, as `folder: names`, without that folder and what is above it.
    fn ways(top: &Path, path: &str) -> Vec<String> {
        let top = fs::canonicalize(top).unwrap();
        let mut ways = Ways::new();
        add(&OsSystem, &top.join(path), &mut ways);
        let below = ways.iter().filter_map(|(folder, names)| {
            let folder = folder.strip_prefix(&top).ok()?.to_str().unwrap().to_owned();
            let names: Vec<_> = names.iter().map(|name| name.to_str().unwrap()).collect();
            Some(format!("{folder}: {}", names.join(" ")))
        });
        below.collect()
    }

    #[test]
    fn a_way_is_every_entry_that_decides_what_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("map/..v1")).unwrap();
        fs::write(at("map/..v1/p.wasm"), "1").unwrap();
        symlink("..v1", at("map/..data")).unwrap();
        symlink("..data/p.wasm", at("map/p.wasm")).unwrap();
        symlink("map", at("current")).unwrap();
        symlink("round", at("round")).unwrap();
        for (path, wanted) in [
            ("map/..v1/p.wasm", vec!["map/..v1: p.wasm"]),
            ("map/p.wasm", vec!["map: ..data p.wasm", "map/..v1: p.wasm"]),
            ("current/p.wasm", vec![": current", "map: ..data p.wasm", "map/..v1: p.wasm"]),
            ("map/none.wasm", vec!["map: none.wasm"]),
            ("none/at/all.wasm", vec![": none"]),
            ("map/../map/x", vec!["map: x"]),
            ("round", vec![": round"]),
        ] {
            assert_eq!(ways(folder.path(), path), wanted, "{path}");
        }
    }
}
