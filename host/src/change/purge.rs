//! Archived skills erased for good: the one thing that can't be undone, and a person's alone.

use std::{collections::BTreeSet, path::Path};

use super::{
    ChangeError, Fresh,
    archive::{Archived, sidecar_of},
    draft,
    keeper::{By, Done, Keeper},
    place::join,
    snapshot, tree,
    wanted::Wanted,
};
use crate::{
    ledger::{Blob, Digest, Step, Verb},
    skill::SkillId,
};

/// What a purge would erase, and where copies may remain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgePlan {
    /// The skill.
    pub skill: SkillId,
    /// Files, below the archived folder.
    pub files: Vec<String>,
    /// Their bytes together.
    pub bytes: u64,
    /// Former bytes that no other skill has.
    pub objects: Vec<Digest>,
    /// Where copies may remain, each in a line.
    pub remain: Vec<String>,
    steps: Vec<Step>,
}

/// Places that this program doesn't reach, or keeps for another reason.
const REMAIN: [&str; 6] = [
    "the ledger keeps names, reasons, times and hashes of its changes, and its backups do",
    "other archived copies of the skill, and other skills with the same text",
    "snapshots keep the names, sizes and hashes of its files; files that were exported of one keep all",
    "other homes' objects, exports and syncs of this root",
    "swap and backup files of editors, backups and snapshots of the disk",
    "caches and histories of agents that read it, and what they were sent",
];

impl Keeper<'_> {
    /// What erasing an archived skill would erase.
    ///
    /// # Errors
    /// Where it is not archived, or can't be read.
    pub fn purge_plan(&self, archived: &Archived) -> Result<PurgePlan, ChangeError> {
        let (packet, skill) = (&archived.packet, archived.sidecar.id);
        let folder = archived.folder();
        if self.spot.held(&folder)?.is_none() {
            return Err(ChangeError::NotArchived(skill));
        }
        let tree = tree::read(self.spot, &folder)?;
        let mut steps = Vec::new();
        for (path, blob) in &tree.files {
            steps.push(Step::Remove { path: join(&folder, path), before: *blob });
        }
        for (path, mode) in tree.folders.iter().rev() {
            steps.push(Step::RemoveFolder { path: join(&folder, path), mode: *mode });
        }
        steps.push(Step::RemoveFolder { path: folder, mode: tree.mode });
        let mode = self.spot.held(packet)?.map_or(0o700, |held| held.mode);
        steps.push(Step::RemoveFolder { path: packet.clone(), mode });
        let beside = sidecar_of(packet);
        if let Some((bytes, mode)) = self.spot.file(&beside)? {
            let before = Blob { digest: Digest::of(&bytes), size: bytes.len() as u64, mode };
            steps.push(Step::Remove { path: beside, before });
        }
        Ok(PurgePlan {
            skill,
            files: tree.paths(),
            bytes: tree.files.iter().map(|(_, blob)| blob.size).sum(),
            objects: self.own_objects(skill, &steps)?.into_iter().collect(),
            remain: self.remaining(&archived.sidecar.name)?,
            steps,
        })
    }

    /// Where copies may remain: what is known of this root first, and then what may be anywhere.
    fn remaining(&self, skill: &str) -> Result<Vec<String>, ChangeError> {
        let mut remain = Vec::new();
        for copy in draft::kept(self.objects.home(), skill)? {
            remain.push(format!("`{}`, where a text from `edit` was kept", copy.display()));
        }
        let checkout = |folder: &&Path| self.spot.disk.stat(&folder.join(".git")).is_ok();
        if let Some(top) = self.spot.top.ancestors().find(checkout) {
            remain.push(format!("the git history of `{}`, if it was committed", top.display()));
        }
        remain.extend(REMAIN.map(str::to_owned));
        Ok(remain)
    }

    /// Erases what a plan says, and all former bytes of the skill that no other skill has.
    ///
    /// # Errors
    /// Where something is no longer as planned, somebody else than a person asks, or it can't be erased. A purge that was
    /// begun is finished by the next change.
    pub fn purge(&self, plan: PurgePlan, by: &By) -> Result<Done, ChangeError> {
        by.person("purge")?;
        let lock = self.lock("purge")?;
        let change = self.change(plan.skill, Verb::Purge, by, plan.steps);
        let done = self.make(change, Fresh::new(), |_| Ok(()));
        drop(lock);
        done
    }

    pub(super) fn erase_objects(&self, skill: SkillId, steps: &[Step]) -> Result<(), ChangeError> {
        let _held = self.objects.hold("purge", self.wait)?;
        self.own_objects(skill, steps)?.iter().try_for_each(|digest| self.objects.erase(digest))
    }

    /// Objects that only this skill's changes and writes name: those that weren't made had brought bytes too, and those of
    /// others that are not made yet still need theirs.
    fn own_objects(&self, skill: SkillId, steps: &[Step]) -> Result<BTreeSet<Digest>, ChangeError> {
        let mut own: BTreeSet<Digest> = steps.iter().flat_map(digests).collect();
        let mut others = BTreeSet::new();
        for record in self.ledger.begun()? {
            let into = if record.change.skill == skill { &mut own } else { &mut others };
            into.extend(record.change.steps.iter().flat_map(digests));
        }
        for pending in self.ledger.ever_pending()? {
            // What is decided on needs its texts no more.
            let is_own = pending.asked.skill == skill;
            if is_own || pending.state.is_open() {
                let into = if is_own { &mut own } else { &mut others };
                into.extend(pending.asked.steps.iter().flat_map(digests));
                into.extend(Wanted::read(&pending.asked.wanted).iter().flat_map(Wanted::objects));
            }
        }
        // What others hold on to by a snapshot is theirs too. This skill's own is erased, and its snapshots say so.
        let home = self.objects.home();
        for (digest, of) in snapshot::named(home.disk, home.top)?.needed {
            let is_others = |it: &Option<SkillId>| *it != Some(skill);
            let into = if of.iter().any(is_others) { &mut others } else { &mut own };
            into.insert(digest);
        }
        let former = self.ledger.former_objects()?.into_iter().filter(|it| it.1 == skill);
        own.extend(former.map(|(digest, _)| digest));
        Ok(own.difference(&others).copied().collect())
    }
}

fn digests(step: &Step) -> impl Iterator<Item = Digest> + use<> {
    let (before, after) = match step {
        Step::Put { before, after, .. } => (*before, Some(*after)),
        Step::Remove { before, .. } => (Some(*before), None),
        _ => (None, None),
    };
    [before, after].into_iter().flatten().map(|blob| blob.digest)
}
