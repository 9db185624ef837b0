//! Paths as people write them: `~`, variables, relative to some folder.

use std::path::{Path, PathBuf};

use crate::system::System;

/// The user's own folder.
pub(super) fn user_home(system: &dyn System) -> Option<PathBuf> {
    ["HOME", "USERPROFILE"]
        .into_iter()
        .find_map(|name| system.variable(name).filter(|value| !value.is_empty()))
        .map(PathBuf::from)
}

/// The path with a leading `~` replaced, where a home is known.
pub(super) fn tilde(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with(['/', '\\']) => {
            home.join(rest.trim_start_matches(['/', '\\']))
        }
        _ => PathBuf::from(path),
    }
}

/// The path with `$NAME`, `${NAME}` and a leading `~` replaced; relative ones are below `base`. A variable that isn't
/// set stays as it is written, as shells' `expandvars` kin do: the path is then reported as missing, under that name.
pub(super) fn expand(system: &dyn System, path: &str, base: &Path) -> PathBuf {
    let path = variables(system, path);
    base.join(tilde(&path, user_home(system).as_deref()))
}

/// A policy as the file names it: what is no plain word is a component's file, `~` and variables replaced, and looked for
/// beside the settings. The folder that somebody works in has no say in it.
#[must_use]
pub fn from_home(system: &dyn System, home: &Path, name: &str) -> String {
    if !name.ends_with(".wasm") && !name.contains('/') {
        return name.to_owned();
    }
    // One spelling for one path, as far as can be told without asking the disk: `./a.wasm` is `a.wasm`.
    let path: PathBuf = expand(system, name, home).components().collect();
    path.to_string_lossy().into_owned()
}

fn variables(system: &dyn System, text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        expanded.push_str(before);
        let (reference, name) = reference(from);
        match name.and_then(|name| system.variable(name)) {
            Some(value) => expanded.push_str(&value),
            None => expanded.push_str(reference),
        }
        rest = from.strip_prefix(reference).unwrap_or("");
    }
    expanded.push_str(rest);
    expanded
}

/// The reference that a text begins with (`$NAME`, `${NAME}`, or a lone `$`), and the name in it.
fn reference(text: &str) -> (&str, Option<&str>) {
    let after = text.strip_prefix('$').unwrap_or(text);
    if let Some((name, _)) = after.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
        return (text.get(..name.len() + 3).unwrap_or(text), Some(name));
    }
    let len = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
    (text.get(..=len).unwrap_or(text), after.get(..len).filter(|name| !name.is_empty()))
}
