//! How long former bytes are kept. Changes are kept for ever, and so is what is needed to go back from where a skill is now;
//! of older changes the bytes are let go, once a day, by whoever comes to write.
//!
//! *Invariant*: nothing is removed that an unfinished change, a change within its time, a write that waits, an archived skill,
//! a snapshot, or the last known state of a skill needs; and nothing that neither a change, a write that waited, nor a snapshot
//! ever named.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{
    ChangeError,
    keeper::Home,
    objects::Objects,
    outside::files_after,
    snapshot::{self, Snapshots},
    spot::LARGEST,
    wanted::Wanted,
};
use crate::{
    ledger::{Blob, ChangeRecord, Digest, Ledger, Pending, PendingId, SkillRecord, Step},
    skill::{Instant, SkillId, State},
    system::Disk,
};

const DAY: i64 = 24 * 60 * 60;

/// How long a sweep may take, in nanoseconds; the next one goes on.
const LONGEST: i128 = 1_000_000_000;

/// How long former bytes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days after the change that put others in their place.
    pub days: u32,
    /// Of so many newest changes of each skill they are kept however old these are.
    pub newest: usize,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention { days: 180, newest: 10 }
    }
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Former bytes that were let go.
    pub objects: usize,
    /// Whether all that was due is done.
    pub done: bool,
}

impl Retention {
    /// Whether a change of this time is past its time, the newest of each skill aside.
    #[must_use]
    pub fn is_past(&self, at: Instant, now: Instant) -> bool {
        at.0 < now.0.saturating_sub(i64::from(self.days).saturating_mul(DAY))
    }

    /// An error about bytes that aren't there, told by why they aren't.
    #[must_use]
    pub fn told(&self, why: ChangeError, of: &ChangeRecord, now: Instant) -> ChangeError {
        match why {
            ChangeError::Lost(_, "missing") if self.is_past(of.change.at, now) => {
                ChangeError::PastRetention { id: of.id, at: of.change.at, days: self.days }
            }
            other => other,
        }
    }

    /// Former bytes that are needed, each with the change and the path that need it. `history` is all that was done or is
    /// open, oldest first.
    pub(super) fn needed<'h>(
        &self,
        history: &'h [ChangeRecord],
        skills: &[SkillRecord],
        now: Instant,
    ) -> Vec<(&'h ChangeRecord, Digest, &'h str)> {
        let states: BTreeMap<SkillId, State> = skills.iter().map(|it| (it.id, it.state)).collect();
        let mut of_skill: BTreeMap<SkillId, Vec<&ChangeRecord>> = BTreeMap::new();
        for record in history {
            of_skill.entry(record.change.skill).or_default().push(record);
        }
        let mut needed = Vec::new();
        for (skill, records) in of_skill {
            let state = states.get(&skill);
            if state == Some(&State::Purged) {
                continue;
            }
            let newest = records.len().saturating_sub(self.newest);
            for (number, record) in records.iter().enumerate() {
                let kept = record.open
                    || number >= newest
                    || state == Some(&State::Archived)
                    || !self.is_past(record.change.at, now);
                if kept {
                    let steps = record.change.steps.iter().flat_map(named);
                    needed.extend(steps.map(|(digest, path)| (*record, digest, path)));
                }
            }
            // Whatever somebody changes next in a file that nobody touched for years has a way back.
            let last: BTreeSet<Digest> = files_after(records.iter().map(|it| &it.change.steps))
                .into_values()
                .filter(is_kept)
                .map(|blob| blob.digest)
                .collect();
            for record in records {
                let steps = record.change.steps.iter().flat_map(named);
                let steps = steps.filter(|(digest, _)| last.contains(digest));
                needed.extend(steps.map(|(digest, path)| (record, digest, path)));
            }
        }
        needed
    }

    /// Bytes that writes need which wait, or were decided on within the time, each with the write.
    pub(super) fn needed_to_decide(
        &self,
        queue: &[Pending],
        now: Instant,
    ) -> Vec<(PendingId, Digest)> {
        let kept = |it: &&Pending| {
            it.state.is_open() || it.ended.is_some_and(|ended| !self.is_past(ended, now))
        };
        let of = |it: &Pending| named_by(it).map(|digest| (it.id, digest)).collect::<Vec<_>>();
        queue.iter().filter(kept).flat_map(of).collect()
    }
}

/// The bytes that a write which waits names: its texts, and both sides of what it came to.
pub(super) fn named_by(pending: &Pending) -> impl Iterator<Item = Digest> {
    let texts = Wanted::read(&pending.asked.wanted).map(|it| it.objects()).unwrap_or_default();
    texts.into_iter().chain(pending.asked.steps.iter().flat_map(named).map(|(digest, _)| digest))
}

/// The former bytes that a step names, and its path.
fn named(step: &Step) -> impl Iterator<Item = (Digest, &str)> {
    let (path, before, after) = match step {
        Step::Put { path, before, after } => (path.as_str(), *before, Some(*after)),
        Step::Remove { path, before } => (path.as_str(), Some(*before), None),
        _ => ("", None, None),
    };
    [before, after].into_iter().flatten().filter(is_kept).map(move |blob| (blob.digest, path))
}

/// Whether there is an object for it.
fn is_kept(blob: &Blob) -> bool {
    blob.size <= LARGEST
}

/// Lets former bytes go whose time is over. The objects are held meanwhile, so that nobody begins a change that counts on
/// what goes; where somebody else holds them, nothing is done now.
///
/// # Errors
/// Where the ledger can't be read, or an object can't be removed.
pub fn sweep(
    disk: &dyn Disk,
    ledger: &Ledger,
    home: &Home,
    retention: Retention,
) -> Result<Swept, ChangeError> {
    let objects = Objects::new(disk, &home.path);
    let _held = match objects.hold("sweep", Duration::ZERO) {
        Err(ChangeError::Held { .. }) => return Ok(Swept::default()),
        held => held?,
    };
    objects.clear()?;
    let begun = disk.now_nanos();
    let history = ledger.history()?;
    let mut keep: BTreeSet<Digest> = ledger.objects_of_decisions()?;
    let needed = retention.needed(&history, &ledger.skills()?, disk.now());
    keep.extend(needed.into_iter().map(|(_, digest, _)| digest));
    let queue = ledger.ever_pending()?;
    keep.extend(retention.needed_to_decide(&queue, disk.now()).into_iter().map(|it| it.1));
    let snapshots = snapshot::named(disk, &home.path)?;
    keep.extend(snapshots.needed.into_keys());
    let former: BTreeSet<Digest> = ledger.former_objects()?.into_iter().map(|it| it.0).collect();
    let mut all: BTreeSet<Digest> = history
        .iter()
        .flat_map(|record| record.change.steps.iter().flat_map(named))
        .map(|(digest, _)| digest)
        .chain(queue.iter().flat_map(named_by))
        .chain(snapshots.dropped)
        .collect();
    // What is named still is found without them.
    let mut gone: Vec<Digest> = former.iter().filter(|it| all.contains(it)).copied().collect();
    gone.extend(former.iter().filter(|it| !keep.contains(it)));
    all.extend(former);
    let mut swept = Swept { objects: 0, done: true };
    for digest in all.difference(&keep) {
        if disk.now_nanos() - begun > LONGEST {
            swept.done = false;
            break;
        }
        swept.objects += usize::from(objects.let_go(digest)?);
    }
    if swept.done {
        Snapshots::of(disk, home).forget(&snapshots.lists)?;
    }
    if swept.done && !gone.is_empty() {
        ledger.forget_objects(&gone)?;
    }
    Ok(swept)
}
