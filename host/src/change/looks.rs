//! What files were when a scan last read them, so that the next one opens only those that changed and goes through no
//! history of a skill that is as it was. One file in the cache; it can be lost at any time, and nothing but time is lost
//! with it.
//!
//! *Invariant*: a file is believed to be as it was by its path, device, inode, size and times together, and never where it
//! could have changed again in the moment in which it was read.

use std::{
    collections::BTreeMap,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    ledger::{ChangeId, Digest, Sketch},
    skill::{Instant, SkillId},
    system::{Stat, System},
};

/// What the file begins with: a word, and the number of its form.
const MAGIC: &[u8; 8] = b"sklooks1";
/// Bytes of it that are read: some half a million skills.
const LARGEST: u64 = 512 << 20;
/// Nanoseconds in which a file may change again without a new time: file systems count in steps of up to two seconds.
const RACY: i128 = 2_000_000_000;

/// What a file was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileLook {
    device: u64,
    inode: u64,
    size: u64,
    mtime: i128,
    ctime: i128,
    /// The hash of its bytes.
    pub(super) digest: [u8; 32],
    /// What its text is like, of a file that makes a skill.
    pub(super) sketch: Option<[u32; 16]>,
}

impl FileLook {
    /// Of a file that was read in this moment; nothing where it could have changed since.
    pub(super) fn new(
        stat: &Stat,
        moment: i128,
        digest: Digest,
        sketch: Option<Sketch>,
    ) -> Option<FileLook> {
        let settled = stat.ctime < moment - RACY && (stat.mtime - moment).abs() > RACY;
        settled.then(|| FileLook {
            device: stat.device,
            inode: stat.inode,
            size: stat.size,
            mtime: stat.mtime,
            ctime: stat.ctime,
            digest: digest.0,
            sketch: sketch.map(|sketch| sketch.0),
        })
    }

    /// Whether a file is still what it was.
    pub(super) fn is(&self, stat: &Stat) -> bool {
        (self.device, self.inode, self.size) == (stat.device, stat.inode, stat.size)
            && (self.mtime, self.ctime) == (stat.mtime, stat.ctime)
    }
}

/// What a skill was: which one it was, its newest change then, and the hash of all that lay in its folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SkillLook {
    skill: i64,
    change: Option<(i64, i64)>,
    tree: [u8; 32],
}

impl SkillLook {
    pub(super) fn new(id: SkillId, newest: Option<(ChangeId, Instant)>, tree: Digest) -> SkillLook {
        let change = newest.map(|(change, at)| (change.0, at.0));
        SkillLook { skill: id.to_number(), change, tree: tree.0 }
    }
}

/// What was seen in a skill's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    /// The skill, of a root that is owned.
    pub(super) skill: Option<SkillLook>,
    /// Its files by their paths below the folder.
    pub(super) files: BTreeMap<String, FileLook>,
}

type Folders = BTreeMap<String, Look>;

/// What scans saw, by root and folder.
#[derive(Debug, Default)]
pub struct Looks {
    file: Option<PathBuf>,
    roots: BTreeMap<Vec<u8>, Folders>,
    changed: bool,
}

impl Looks {
    /// Reads what was kept. A file that is missing, cut or another program's is the same as none.
    #[must_use]
    pub fn open(system: &dyn System, file: Option<PathBuf>) -> Looks {
        let bytes = file.as_deref().and_then(|file| system.read(file, LARGEST).ok());
        let roots = bytes.as_deref().and_then(parsed).unwrap_or_default();
        Looks { file, roots, changed: false }
    }

    /// Keeps them, where something changed. A file that can't be written costs the next scan its time.
    pub fn close(self, system: &dyn System) {
        let Some(file) = self.file.filter(|_| self.changed) else { return };
        let Ok(body) = postcard::to_stdvec(&self.roots) else { return };
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        drop(system.replace_cache(&file, &bytes));
    }

    /// The hash of a file's bytes and what its text is like, where it is what it was.
    #[must_use]
    pub fn text(
        &self,
        root: &Path,
        folder: &str,
        file: &str,
        stat: &Stat,
    ) -> Option<(Digest, Sketch)> {
        let known = self.look(root, folder)?.files.get(file).filter(|known| known.is(stat))?;
        Some((Digest(known.digest), Sketch(known.sketch?)))
    }

    pub(super) fn look(&self, root: &Path, folder: &str) -> Option<&Look> {
        self.roots.get(root.as_os_str().as_bytes())?.get(folder)
    }

    /// Takes what was seen in a root, in the place of what was known of it.
    pub(super) fn take(&mut self, root: &Path, folders: Folders) {
        let key = root.as_os_str().as_bytes();
        if self.roots.get(key) != Some(&folders) {
            self.changed = true;
            self.roots.insert(key.to_vec(), folders);
        }
    }
}

fn parsed(bytes: &[u8]) -> Option<BTreeMap<Vec<u8>, Folders>> {
    let (sum, body) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    let whole = xxhash_rust::xxh3::xxh3_64(body).to_le_bytes() == *sum;
    whole.then(|| postcard::from_bytes(body).ok()).flatten()
}
