//! A skill's other files, for people and agents who want to read them. What a path may lead to is checked here, twice:
//! by how it is written, and by where it really leads.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;

use super::listed::{Listed, SKILL_FILE, is_heavy, is_support};
use crate::system::{Kind, System};

/// Bytes of a file that are read at most.
pub const LARGEST_FILE: u64 = 4 * 1024 * 1024;

/// Files of one skill that are listed at most, and how deep they are looked for.
const MOST_FILES: usize = 1_000;
const DEEPEST: usize = 8;

/// Why a file of a skill is not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path is empty, or has a part that no file's name can be.
    #[error("`{0}` is no path of a file")]
    NoPath(String),
    /// The path begins at the top of the file system, or at a drive.
    #[error("`{0}` is an absolute path; expected one below the skill's folder")]
    Absolute(String),
    /// The path has a part `..`.
    #[error("`{0}` has a part `..`; expected a path below the skill's folder")]
    Upwards(String),
    /// The path leads through a link out of what is allowed.
    #[error("`{path}` leads out of the skill's folder")]
    Escapes {
        /// The path, as it was asked for.
        path: String,
    },
    /// Nothing is there.
    #[error("no file `{0}`")]
    NotFound(String),
    /// A folder, or something else that has no text.
    #[error("`{0}` is no regular file")]
    NotFile(String),
    /// It is larger than what is read.
    #[error("`{path}` has {size} bytes; at most {LARGEST_FILE} are read")]
    TooLarge {
        /// The path, as it was asked for.
        path: String,
        /// Its size in bytes.
        size: u64,
    },
    /// The operating system says no.
    #[error("`{path}` can't be read: {source}")]
    Unreadable {
        /// The path, as it was asked for.
        path: String,
        /// Its reason.
        source: io::Error,
    },
}

/// The files of a skill beside its SKILL.md, with their sizes, sorted by path. Folders of further skills are left out,
/// and so are links to folders; the list is bounded.
///
/// # Errors
/// Where the skill's own folder can't be listed.
pub fn files_of(system: &dyn System, folder: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut files = Vec::new();
    let mut left = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((path, below, depth)) = left.pop() {
        let entries = match system.list(&path) {
            Ok(entries) => entries,
            Err(error) if below.is_empty() => return Err(error),
            Err(_) => continue,
        };
        let top = below.split('/').next().unwrap_or_default();
        if !below.is_empty() && !is_support(top) && Listed::of(entries.clone()).skill.is_some() {
            continue;
        }
        for entry in entries.into_iter().filter(|entry| !entry.odd_name) {
            let inside = if below.is_empty() {
                entry.name.clone()
            } else {
                format!("{below}/{}", entry.name)
            };
            let path = path.join(&entry.name);
            if entry.kind == Kind::Folder {
                if !is_heavy(&entry.name) && depth < DEEPEST {
                    left.push((path, inside, depth + 1));
                }
            } else if !(below.is_empty() && entry.name.eq_ignore_ascii_case(SKILL_FILE))
                && let Ok(stat) = system.stat(&path)
                && stat.kind == Kind::File
            {
                files.push((inside, stat.size));
            }
            if files.len() >= MOST_FILES {
                left.clear();
                break;
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Opens a file of a skill by its path below the skill's folder. Where it really is must be below that folder, or below
/// one of the allowed ones.
///
/// # Errors
/// Where the path is no path below a folder, leads out of it, or can't be read. No error quotes any content.
pub fn open_inside(
    system: &dyn System,
    folder: &Path,
    relative: &str,
    allowed: &[PathBuf],
) -> Result<(PathBuf, Vec<u8>), OpenError> {
    check_written(relative)?;
    let shown = || relative.to_owned();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::NotFound(shown()),
        _ => OpenError::Unreadable { path: shown(), source },
    };
    let real = system.resolve(&folder.join(relative)).map_err(failed)?;
    let home = system.resolve(folder).map_err(failed)?;
    let inside = |top: &Path| real.starts_with(top);
    let allows = |top: &PathBuf| inside(top) || system.resolve(top).is_ok_and(|top| inside(&top));
    if !inside(&home) && !allowed.iter().any(allows) {
        return Err(OpenError::Escapes { path: shown() });
    }
    let stat = system.stat(&real).map_err(failed)?;
    if stat.kind != Kind::File {
        return Err(OpenError::NotFile(shown()));
    }
    if stat.size > LARGEST_FILE {
        return Err(OpenError::TooLarge { path: shown(), size: stat.size });
    }
    let bytes = system.read(&real, LARGEST_FILE).map_err(failed)?;
    // Somebody may have put a link in its place between the check and the reading.
    let again = system.resolve(&real).map_err(failed)?;
    if again == real { Ok((real, bytes)) } else { Err(OpenError::Escapes { path: shown() }) }
}

fn check_written(relative: &str) -> Result<(), OpenError> {
    let drive = relative.as_bytes().get(1) == Some(&b':')
        && relative.starts_with(|c: char| c.is_ascii_alphabetic());
    if relative.starts_with(['/', '\\']) || drive {
        return Err(OpenError::Absolute(relative.to_owned()));
    }
    if relative.split(['/', '\\']).any(|part| part == "..") {
        return Err(OpenError::Upwards(relative.to_owned()));
    }
    let named = Path::new(relative).components().any(|part| matches!(part, Component::Normal(_)));
    if !named || relative.contains('\0') {
        return Err(OpenError::NoPath(relative.to_owned()));
    }
    Ok(())
}
