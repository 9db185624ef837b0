//! The steps of several changes, done side by side: what one change does between two of its syncs all of them do, and then
//! all folders are synced at once. A thousand skills cost as many syncs as one.
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

/// Folders to be synced, by the root that they lie in.
#[derive(Default)]
struct Touched<'r>(BTreeMap<&'r Path, (Option<Spot<'r>>, BTreeSet<String>)>);

impl<'r> Touched<'r> {
    fn of(&mut self, spot: Spot<'r>) -> &mut BTreeSet<String> {
        let (held, folders) = self.0.entry(spot.top).or_default();
        *held = Some(spot);
        folders
    }

    /// Syncs them. Where a root's can't be, all of its changes that are told by `acted` stop.
    fn sync(self, runs: &mut [Run<'_>], acted: &BTreeSet<usize>) {
        for (top, (spot, folders)) in self.0 {
            let Some(Err(why)) = spot.map(|spot| spot.sync_all(&folders)) else { continue };
            stop(runs, why, |at, run| run.apply.spot.top == top && acted.contains(&at));
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
    let staged = stage_all(runs);
    let levels: Vec<Vec<usize>> = runs.iter().map(|run| levels(run.steps)).collect();
    let deepest = levels.iter().flatten().max().copied().unwrap_or_default();
    for level in 0..=deepest {
        let (mut touched, mut acted) = (Touched::default(), BTreeSet::new());
        for (at, run) in runs.iter_mut().enumerate() {
            let (Some(levels), Some(staged)) = (levels.get(at), staged.get(at)) else { continue };
            for ((step, staged), is_at) in run.steps.iter().zip(staged).zip(levels) {
                if *is_at != level || run.failed.is_some() {
                    continue;
                }
                acted.insert(at);
                match run.apply.one(step, staged.as_deref()) {
                    Ok(()) => touches(step, touched.of(run.apply.spot)),
                    Err(why) => run.failed = Some(why),
                }
                if staged.is_some() {
                    touched.of(run.apply.spot).insert(run.apply.staging());
                }
            }
        }
        touched.sync(runs, &acted);
    }
}

/// Stages the bytes of all of them, and syncs these at once.
fn stage_all(runs: &mut [Run<'_>]) -> Vec<Vec<Option<String>>> {
    let mut staged = Vec::with_capacity(runs.len());
    // Those that stage under one change count on.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut names: BTreeMap<&Path, (Spot<'_>, Vec<String>)> = BTreeMap::new();
    for run in runs.iter_mut().filter(|run| run.failed.is_none()) {
        let count = counts.entry(run.apply.staging()).or_default();
        run.apply.staged = *count;
        match run.apply.stage(run.steps, true) {
            Ok(fresh) => {
                let spot = run.apply.spot;
                let all = names.entry(spot.top).or_insert((spot, Vec::new()));
                let is_link = |step: &Step| matches!(step, Step::Put { after, .. } if after.mode & LINK == LINK);
                let files = run.steps.iter().zip(&fresh).filter(|(step, _)| !is_link(step));
                all.1.extend(files.filter_map(|(_, name)| name.clone()));
                staged.push(fresh);
            }
            Err(why) => {
                run.failed = Some(why);
                staged.push(vec![None; run.steps.len()]);
            }
        }
        *count = run.apply.staged;
    }
    for (top, (spot, names)) in names {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let synced = spot.disk.sync_files(top, &all);
        if let Err(why) = spot.told("writing", super::place::STAGING, synced) {
            let any = |at: usize| staged.get(at).is_some_and(|it| it.iter().any(Option::is_some));
            stop(runs, why, |at, run| run.apply.spot.top == top && any(at));
        }
    }
    staged
}

/// For each step how many syncs come before it: what is in a folder hangs on the folder's own place, and what comes after
/// a move on the move.
fn levels(steps: &[Step]) -> Vec<usize> {
    let mut level = 0;
    let mut hangs = false;
    let mut levels = Vec::with_capacity(steps.len());
    for step in steps {
        level += usize::from(hangs);
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
        Step::Put { path, .. } | Step::Remove { path, .. } => {
            folders.insert(parent(path).to_owned());
        }
        // Durable on return.
        Step::SetMode { .. } | Step::Choose { .. } => {}
    }
}
