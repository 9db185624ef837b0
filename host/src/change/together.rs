//! The steps of several changes, done side by side: what one change does between two of its syncs all of them do, and then
//! all folders are synced at once. A thousand skills cost as many syncs as one. New bytes are laid beside their places while
//! folders are made, so that one sync is for both.
//!
//! Each change keeps its own order, and what its steps hang on is durable before they are done, as if it were made alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    ChangeError,
    apply::Apply,
    place::{above, parent},
    spot::{LINK, Spot},
};
use crate::ledger::Step;

/// A change on its way.
pub(super) struct Run<'r> {
    pub(super) apply: Apply<'r>,
    pub(super) steps: &'r [Step],
    /// Why it stopped. What was done of it until then is not taken back.
    pub(super) failed: Option<ChangeError>,
}

/// What is to be synced in a root.
struct Of<'r> {
    spot: Spot<'r>,
    files: Vec<String>,
    folders: BTreeSet<String>,
}

/// What is to be synced, by the root that it lies in, and the changes that need it.
#[derive(Default)]
struct Touched<'r> {
    roots: BTreeMap<&'r Path, Of<'r>>,
    acted: BTreeSet<usize>,
}

impl<'r> Touched<'r> {
    fn of(&mut self, spot: Spot<'r>) -> &mut Of<'r> {
        let none = || Of { spot, files: Vec::new(), folders: BTreeSet::new() };
        self.roots.entry(spot.top).or_insert_with(none)
    }

    /// Syncs it. Where a root's can't be, all of its changes that need it stop.
    fn sync(self, runs: &mut [Run<'_>]) {
        for (top, Of { spot, files, folders }) in self.roots {
            let Err(why) = spot.sync_all(&files, &folders) else { continue };
            stop(runs, why, |at, run| run.apply.spot.top == top && self.acted.contains(&at));
        }
    }
}

/// Stops all of these that go on still: the first of them says why in full.
fn stop(runs: &mut [Run<'_>], why: ChangeError, which: impl Fn(usize, &Run<'_>) -> bool) {
    let told = why.to_string();
    let mut first = Some(why);
    for (at, run) in runs.iter_mut().enumerate() {
        if run.failed.is_none() && which(at, run) {
            run.failed = Some(first.take().unwrap_or(ChangeError::WithOthers(told.clone())));
        }
    }
}

/// Does what isn't done of the steps of each. All steps of those that did not stop are durable on return.
pub(super) fn forward_all(runs: &mut [Run<'_>]) {
    let mut touched = Touched::default();
    let staged = stage_all(runs, &mut touched);
    let with_staged = runs.iter().zip(&staged);
    let levels: Vec<Vec<usize>> = with_staged.map(|(run, it)| levels(run.steps, it)).collect();
    let deepest = levels.iter().flatten().max().copied().unwrap_or_default();
    for level in 0..=deepest {
        for (at, run) in runs.iter_mut().enumerate() {
            let (Some(levels), Some(staged)) = (levels.get(at), staged.get(at)) else { continue };
            for ((step, staged), is_at) in run.steps.iter().zip(staged).zip(levels) {
                if *is_at != level || run.failed.is_some() {
                    continue;
                }
                touched.acted.insert(at);
                let of = touched.of(run.apply.spot);
                match run.apply.one(step, staged.as_deref()) {
                    Ok(()) => touches(step, &mut of.folders),
                    Err(why) => run.failed = Some(why),
                }
                if staged.is_some() {
                    of.folders.insert(run.apply.staging());
                }
            }
        }
        std::mem::take(&mut touched).sync(runs);
    }
}

/// Stages the bytes of all of them, which are to be synced then.
fn stage_all<'r>(runs: &mut [Run<'r>], touched: &mut Touched<'r>) -> Vec<Vec<Option<String>>> {
    let mut staged = Vec::with_capacity(runs.len());
    // Those that stage under one change count on.
    let mut counts: BTreeMap<(&Path, String), usize> = BTreeMap::new();
    for (at, run) in runs.iter_mut().enumerate().filter(|(_, run)| run.failed.is_none()) {
        let spot = run.apply.spot;
        let count = counts.entry((spot.top, run.apply.staging())).or_default();
        run.apply.staged = *count;
        match run.apply.stage(run.steps, true) {
            Ok(fresh) => {
                let is_link = |step: &Step| matches!(step, Step::Put { after, .. } if after.mode & LINK == LINK);
                let files = run.steps.iter().zip(&fresh).filter(|(step, _)| !is_link(step));
                let files: Vec<String> = files.filter_map(|(_, name)| name.clone()).collect();
                if !files.is_empty() {
                    touched.of(spot).files.extend(files);
                    touched.acted.insert(at);
                }
                staged.push(fresh);
            }
            Err(why) => {
                run.failed = Some(why);
                staged.push(vec![None; run.steps.len()]);
            }
        }
        *count = run.apply.staged;
    }
    staged
}

/// For each step how many syncs come before it: what is in a folder hangs on the folder's own place, what comes after
/// a move on the move, and a new file on its bytes.
fn levels(steps: &[Step], staged: &[Option<String>]) -> Vec<usize> {
    let mut level = 0;
    let mut hangs = false;
    let mut levels = Vec::with_capacity(steps.len());
    for (step, staged) in steps.iter().zip(staged) {
        level += usize::from(hangs || (level == 0 && staged.is_some()));
        levels.push(level);
        hangs =
            matches!(step, Step::MakeFolder { .. } | Step::RemoveFolder { .. } | Step::Move { .. });
    }
    levels
}

/// The folders that a step's place, or places, hang on.
fn touches(step: &Step, folders: &mut BTreeSet<String>) {
    let mut up = |path: &str| {
        folders.insert(String::new());
        folders.extend(above(path).map(str::to_owned));
    };
    match step {
        Step::MakeFolder { path, .. } | Step::RemoveFolder { path, .. } => up(path),
        Step::Move { from, to } => {
            up(to);
            folders.insert(parent(from).to_owned());
        }
        Step::Put { path, .. }
        | Step::Remove { path, .. }
        | Step::PutText { path, .. }
        | Step::RemoveText { path, .. } => {
            folders.insert(parent(path).to_owned());
        }
        // Durable on return.
        Step::SetMode { .. } | Step::Choose { .. } => {}
    }
}
