//! What a snapshot says: of each root its skills, with all that lies in each. It knows no time and no reason, so that two
//! snapshots of what did not change are one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    change::Tree,
    ledger::{Blob, Digest},
    skill::SkillId,
};

/// What lay in the owned roots of a home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The roots, by their paths.
    pub roots: Vec<RootState>,
}

/// What lay in a root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootState {
    /// The root's path, absolute.
    pub path: String,
    /// The file of pins, if there was one. It is kept to be looked at; who goes back keeps the pins of today.
    pub pins: Option<Blob>,
    /// Its skills, by their folders.
    pub skills: Vec<SkillState>,
    /// Links that lay beside skills: where, and what they hold.
    pub links: BTreeMap<String, String>,
    /// What lay in the archive, by the packets' names. It is safe there, so no bytes of it are in the snapshot.
    pub archived: Vec<String>,
}

/// What a skill was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillState {
    /// Its folder below the root.
    pub folder: String,
    /// Which one it was, as far as the ledger knew.
    pub id: Option<SkillId>,
    /// What lay in it, but for what is left out.
    pub tree: Tree,
    /// What its links hold, by their paths.
    pub links: BTreeMap<String, String>,
    /// What lay in it and is in no snapshot.
    pub left_out: Vec<LeftOut>,
}

/// Something that is in no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its path below the skill's folder.
    pub path: String,
    /// Why.
    pub why: String,
    /// Its size, of a file.
    pub bytes: Option<u64>,
}

impl Manifest {
    /// As it is written: the same state gives the same bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The skills with their roots.
    pub fn skills(&self) -> impl Iterator<Item = (&RootState, &SkillState)> {
        self.roots.iter().flat_map(|root| root.skills.iter().map(move |skill| (root, skill)))
    }

    /// All objects that it needs, each with its size and the path of a file that has it.
    #[must_use]
    pub fn objects(&self) -> BTreeMap<Digest, (u64, String)> {
        let mut all = BTreeMap::new();
        for (root, skill) in self.skills() {
            for (path, blob) in &skill.tree.files {
                all.entry(blob.digest).or_insert_with(|| {
                    (blob.size, format!("{}/{}/{path}", root.path, skill.folder))
                });
            }
        }
        for root in &self.roots {
            if let Some(pins) = root.pins {
                let path = format!("{}/{}", root.path, crate::change::place::PINS);
                all.entry(pins.digest).or_insert((pins.size, path));
            }
        }
        all
    }

    /// What is left out, by why, and how often.
    #[must_use]
    pub fn left_out(&self) -> BTreeMap<String, usize> {
        let mut all = BTreeMap::new();
        for it in self.skills().flat_map(|(_, skill)| &skill.left_out) {
            *all.entry(it.why.clone()).or_insert(0) += 1;
        }
        all
    }
}
