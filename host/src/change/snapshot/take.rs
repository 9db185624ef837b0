//! A snapshot made: the roots under their locks, the bytes as objects, and at last the snapshot's own two files.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    look::Eye,
    manifest::Manifest,
    store::{Snapshot, Snapshots},
};
use crate::{
    change::{By, ChangeError, Keeper, Looks, looks::Look, objects::Laid},
    ledger::Digest,
    skill::{SkillId, State},
    system::Lock,
};

impl<'a> Snapshots<'a> {
    /// Makes a snapshot of these roots. All bytes are there, and the snapshot was read again, on return. `looks` says which
    /// files are what they were at the last one, and need not be opened; it is a file of its own, beside that of scans. The
    /// newest `keep` are kept, this one among them.
    ///
    /// # Errors
    /// Where somebody else holds a root, a file can't be read or changes all the while, or something can't be written. There is no
    /// new snapshot then, and nothing in the roots was changed.
    pub fn take(
        &self,
        keepers: &[Keeper<'a>],
        by: &By,
        keep: usize,
        looks: &mut Looks,
    ) -> Result<Snapshot, ChangeError> {
        let locks = lock_all(keepers, "snapshot")?;
        let taken = self.take_held(keepers, by, (keep, None), looks);
        drop(locks);
        Ok(taken?.0)
    }

    /// The same under the locks; with what it holds. One snapshot is spared, however old it is.
    pub(super) fn take_held(
        &self,
        keepers: &[Keeper<'a>],
        by: &By,
        (keep, spared): (usize, Option<&str>),
        looks: &mut Looks,
    ) -> Result<(Snapshot, Manifest), ChangeError> {
        let laid = Laid::default();
        let (manifest, seen) = look_at(keepers, looks, Some(&laid))?;
        let held = self
            .objects
            .hold("snapshot", keepers.first().map_or_else(Default::default, |it| it.wait))?;
        self.objects.settle(laid)?;
        self.fill(keepers, &manifest, looks)?;
        let bytes = manifest.to_bytes();
        let at = self.spot.disk.now();
        let files = || manifest.skills().flat_map(|(_, skill)| &skill.tree.files);
        let snapshot = Snapshot {
            id: self.new_id(at)?,
            at,
            actor: by.actor,
            reason: by.reason.clone(),
            manifest: Digest::of(&bytes),
            roots: manifest.roots.iter().map(|root| root.path.clone()).collect(),
            skills: manifest.skills().count(),
            files: files().count(),
            bytes: files().map(|(_, blob)| blob.size).sum(),
            left_out: manifest.left_out(),
            rollback: None,
        };
        self.write(&snapshot, &bytes)?;
        self.keep_newest(keep, spared)?;
        drop(held);
        for (keeper, seen) in in_order(keepers).into_iter().zip(seen) {
            looks.take(keeper.spot.top, seen);
        }
        Ok((snapshot, manifest))
    }

    /// Keeps the bytes of files that were not opened and have no object: it was let go since, or the home is another one. All
    /// that the list names is there then.
    fn fill(
        &self,
        keepers: &[Keeper<'a>],
        manifest: &Manifest,
        looks: &Looks,
    ) -> Result<(), ChangeError> {
        let needed = manifest.objects();
        let there = self.objects.sizes(needed.iter().map(|(digest, it)| (digest, it.0)))?;
        if there.len() == needed.len() {
            return Ok(());
        }
        let laid = Laid::default();
        for (keeper, root) in in_order(keepers).into_iter().zip(&manifest.roots) {
            let eye = Eye::of(keeper, looks, Some(&laid));
            root.skills.par_iter().try_for_each(|skill| eye.keep_missing(skill, &there))?;
        }
        self.objects.settle(laid)?;
        match self.lacks(manifest, false)?.first() {
            Some(lack) => Err(ChangeError::Lost(lack.digest, lack.how)),
            None => Ok(()),
        }
    }
}

/// What is in these roots, and the states of the files in each, both in the order of the roots' paths.
pub(in crate::change) fn look_at(
    keepers: &[Keeper<'_>],
    looks: &Looks,
    laid: Option<&Laid>,
) -> Result<(Manifest, Vec<BTreeMap<String, Look>>), ChangeError> {
    let (mut manifest, mut all) = (Manifest::default(), Vec::new());
    let Some(first) = keepers.first() else { return Ok((manifest, all)) };
    let known = first.ledger.skills()?;
    for keeper in in_order(keepers) {
        let here = known.iter().filter(|it| {
            it.root == keeper.root && matches!(it.state, State::Active | State::Stale)
        });
        let ids: BTreeMap<String, SkillId> = here.map(|it| (it.folder.clone(), it.id)).collect();
        let (root, seen) = Eye::of(keeper, looks, laid).root(&ids)?;
        manifest.roots.push(root);
        all.push(seen);
    }
    Ok((manifest, all))
}

/// The roots by their paths: whoever locks several locks them in one order.
pub(super) fn in_order<'k, 'a>(keepers: &'k [Keeper<'a>]) -> Vec<&'k Keeper<'a>> {
    let mut all: Vec<&Keeper<'a>> = keepers.iter().collect();
    all.sort_by_key(|keeper| keeper.spot.top);
    all
}

/// The locks of several roots, with nothing left unfinished in any.
pub(super) fn lock_all(
    keepers: &[Keeper<'_>],
    verb: &str,
) -> Result<Vec<Box<dyn Lock>>, ChangeError> {
    in_order(keepers).into_iter().map(|keeper| keeper.lock(verb)).collect()
}
