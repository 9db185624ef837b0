//! What any program must do at least: list every folder and stat every SKILL.md, or read them too. On all cores, with
//! nothing kept and nothing parsed.

use std::{fs, io, path::Path, path::PathBuf};

use rayon::prelude::*;

/// What is done with a SKILL.md.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Its size and times are asked for.
    Stat,
    /// It is read.
    Read,
}

/// Goes through everything below a folder and says how many files named SKILL.md there are, and how many bytes.
pub fn walk(folder: &Path, visit: Visit) -> io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        } else if entry.file_name() == "SKILL.md" {
            files += 1;
            bytes += match visit {
                Visit::Stat => fs::metadata(entry.path())?.len(),
                Visit::Read => fs::read(entry.path())?.len() as u64,
            };
        }
    }
    let below = folders
        .par_iter()
        .map(|folder| walk(folder, visit))
        .try_reduce(|| (0, 0), |a, b| Ok((a.0 + b.0, a.1 + b.1)))?;
    Ok((files + below.0, bytes + below.1))
}
