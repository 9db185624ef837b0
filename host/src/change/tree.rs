//! All that lies in a skill's folder: files, folders and links with their permissions. Links are told and never followed.

use serde::{Deserialize, Serialize};

use super::{ChangeError, place::join, spot::Spot};
use crate::{
    ledger::{Blob, Digest},
    system::Kind,
};

/// What lies in a folder, by path below it, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Permissions of the folder itself.
    pub mode: u32,
    /// Folders in it, and their permissions.
    pub folders: Vec<(String, u32)>,
    /// Files and links in it.
    pub files: Vec<(String, Blob)>,
}

impl Tree {
    /// The hash of all paths, permissions and contents.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = format!("folder {:o} \0", self.mode);
        for (path, mode) in &self.folders {
            text.push_str(&format!("folder {mode:o} {path}\0"));
        }
        for (path, blob) in &self.files {
            text.push_str(&format!("file {:o} {} {path}\0", blob.mode, blob.digest));
        }
        Digest::of(text.as_bytes())
    }

    /// The paths of the files.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }
}

/// Reads what lies in a folder.
pub(super) fn read(spot: Spot<'_>, folder: &str) -> Result<Tree, ChangeError> {
    let missing = || ChangeError::Missing { path: folder.to_owned(), there: Vec::new() };
    let held = spot.held(folder)?.ok_or_else(missing)?;
    let mut tree = Tree { mode: held.mode, ..Tree::default() };
    let mut left = vec![String::new()];
    while let Some(below) = left.pop() {
        for entry in spot.entries(&join(folder, &below))? {
            let inside = join(&below, &entry.name);
            let path = join(folder, &inside);
            if entry.odd_name {
                let found = "its name is no UTF-8".to_owned();
                return Err(ChangeError::InTheWay { path, found });
            }
            let Some(held) = spot.held(&path)? else { continue };
            match held.kind {
                Kind::Folder => {
                    tree.folders.push((inside.clone(), held.mode));
                    left.push(inside);
                }
                Kind::File | Kind::Link => tree.files.push((inside, spot.blob(&path, &held)?)),
                Kind::Other => {
                    let found = "it is a pipe, a socket or a device".to_owned();
                    return Err(ChangeError::InTheWay { path, found });
                }
            }
        }
    }
    tree.folders.sort();
    tree.files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(tree)
}
