//! What was asked, written down so that it can wait: the edits as they were given, with their texts as objects of the home
//! and, for each file, what was there when they were.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Base, ChangeError, Clash, Edit, Fresh,
    names::check_known_path,
    objects::Objects,
    patch::{How, Patch},
    place::last,
};
use crate::ledger::Digest;

/// A write that waits, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Wanted {
    /// A skill is to be made; its folder stands beside this.
    Create {
        /// Even where another one has the name.
        shadow: bool,
        /// Its files.
        edits: Vec<Kept>,
    },
    /// Files are to be written.
    Write {
        /// Which, and how.
        edits: Vec<Kept>,
    },
    /// The skill is to be put away, as it was.
    Archive {
        /// All that was in its folder.
        tree: Digest,
    },
    /// It is to be brought back.
    Restore {
        /// From there.
        packet: String,
        /// To there.
        to: String,
        /// All that was in its folder.
        tree: Digest,
    },
}

/// An edit that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kept {
    Put { path: String, bytes: Digest, mode: Option<u32>, base: Option<Digest> },
    Patch { path: String, old: Digest, new: Digest, how: How, base: Option<Digest> },
    Remove { path: String, base: Option<Digest> },
}

/// What was there of each file that edits are about, by path below the skill's folder.
pub(super) type Bases = BTreeMap<String, Option<Digest>>;

impl Wanted {
    /// A skill that is to be made.
    pub(super) fn create(folder: &str, clash: Clash, edits: &[Edit], texts: &mut Fresh) -> Wanted {
        // Nothing was there, whatever was said.
        let edits = kept(folder, edits, &Bases::new(), texts);
        Wanted::Create { shadow: clash == Clash::Shadow, edits }
    }

    /// Files that are to be written, on these bases.
    pub(super) fn write(folder: &str, edits: &[Edit], bases: &Bases, texts: &mut Fresh) -> Wanted {
        Wanted::Write { edits: kept(folder, edits, bases, texts) }
    }

    /// From what the ledger kept.
    pub(super) fn read(text: &str) -> Result<Wanted, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The objects that it needs.
    pub(super) fn objects(&self) -> Vec<Digest> {
        let (Wanted::Create { edits, .. } | Wanted::Write { edits }) = self else {
            return Vec::new();
        };
        let texts = |edit: &Kept| match edit {
            Kept::Put { bytes, .. } => vec![*bytes],
            Kept::Patch { old, new, .. } => vec![*old, *new],
            Kept::Remove { .. } => Vec::new(),
        };
        edits.iter().flat_map(texts).collect()
    }
}

/// Edits as they wait. All texts go to `texts`.
fn kept(folder: &str, edits: &[Edit], bases: &Bases, texts: &mut Fresh) -> Vec<Kept> {
    let mut text = |bytes: &[u8]| {
        let digest = Digest::of(bytes);
        texts.entry(digest).or_insert_with(|| bytes.to_owned());
        digest
    };
    let keep = |edit: &Edit| {
        let path = check_known_path(last(folder), edit.path()).unwrap_or(edit.path()).to_owned();
        let base = bases.get(&path).copied().flatten();
        match edit {
            Edit::Put { bytes, mode, .. } => {
                Kept::Put { path, bytes: text(bytes), mode: *mode, base }
            }
            Edit::Patch { patch, .. } => Kept::Patch {
                path,
                old: text(patch.old.as_bytes()),
                new: text(patch.new.as_bytes()),
                how: patch.how,
                base,
            },
            Edit::Remove { .. } => Kept::Remove { path, base },
        }
    };
    edits.iter().map(keep).collect()
}

/// The edits that waited, with their texts.
pub(super) fn edits(kept: &[Kept], objects: Objects<'_>) -> Result<Vec<Edit>, ChangeError> {
    let based = |base: &Option<Digest>| base.map_or(Base::Absent, Base::Read);
    let text = |digest: &Digest| {
        let bytes = objects.bytes(digest)?;
        String::from_utf8(bytes).map_err(|_| ChangeError::Lost(*digest, "no text"))
    };
    let edit = |kept: &Kept| {
        Ok(match kept {
            Kept::Put { path, bytes, mode, base } => Edit::Put {
                path: path.clone(),
                bytes: objects.bytes(bytes)?,
                mode: *mode,
                base: based(base),
            },
            Kept::Patch { path, old, new, how, base } => Edit::Patch {
                path: path.clone(),
                patch: Patch { old: text(old)?, new: text(new)?, how: *how },
                base: based(base),
            },
            Kept::Remove { path, base } => Edit::Remove { path: path.clone(), base: based(base) },
        })
    };
    kept.iter().map(edit).collect()
}

/// The same edits for what is there now: patches, and those exact alone. Nothing where a file is another one that is put
/// or taken away whole, for then nobody has seen what would be lost.
pub(super) fn rebased(edits: &[Edit], now: &Bases) -> Option<Vec<Edit>> {
    let onto = |edit: &Edit| {
        let base = now.get(edit.path()).copied().flatten().map_or(Base::Absent, Base::Read);
        match edit {
            Edit::Patch { path, patch, base: was } => {
                let mut patch = patch.clone();
                if *was != base && patch.how == How::Tolerant {
                    patch.how = How::Once;
                }
                Some(Edit::Patch { path: path.clone(), patch, base })
            }
            Edit::Put { base: was, .. } | Edit::Remove { base: was, .. } => {
                (*was == base).then(|| edit.clone())
            }
        }
    };
    edits.iter().map(onto).collect()
}
