//! `skillkeep scan`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::CommandError,
    options::RootArgs,
    output::{Output, counted},
    staged::put_out,
    store::{self, Noted, Store},
    world::World,
};
use crate::{
    change::{Done, LIMITS, Target},
    ledger::Step,
    system::System,
};

/// Take note of what is in the roots, and of what was changed there by others.
#[derive(Debug, Args)]
pub struct ScanArgs {
    #[command(flatten)]
    roots: RootArgs,
}

/// Notes what is there.
pub fn scan(
    system: &dyn System,
    global: &Global,
    args: &ScanArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, store, noted) = store::open(system, global, &args.roots, out)?;
    let outside = observe(&world, &store, &noted)?;
    let old = store.ledger.put_out(store.disk.now(), LIMITS)?;
    put_out(&old, out);
    let matched = &noted.settled.matched;
    let new = noted.settled.ids.len() - matched.same.len();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.scan/1",
            "skills": noted.settled.ids.len(),
            "new": new,
            "moved": matched.moved.len(),
            "gone": matched.gone.len(),
            "outside": outside.iter().map(|it| json!({
                "change": it.done.id.0, "skill": it.done.skill, "name": it.name, "waits": it.waits,
            })).collect::<Vec<_>>(),
            "put-out": old,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let skills = counted(noted.settled.ids.len(), "skill");
    let (moved, gone) = (matched.moved.len(), matched.gone.len());
    out.text(&format!("{skills}: {new} new, {moved} moved, {gone} gone\n"))?;
    for Found { name, done, waits } in &outside {
        let what = if done.steps.iter().any(differs) { "changed" } else { "made" };
        let waits = if *waits { ", and waits for you" } else { "" };
        out.text(&format!("change {}: `{name}` was {what} by somebody else{waits}\n", done.id.0))?;
    }
    if outside.iter().any(|it| it.waits) {
        out.hint("skillkeep pending");
    } else if let Some(first) = outside.first() {
        out.hint(&format!("skillkeep diff {}", first.done.id.0));
    }
    Ok(ExitCode::SUCCESS)
}

/// What somebody else did to a skill.
struct Found {
    name: String,
    done: Done,
    /// Until a person accepts it.
    waits: bool,
}

/// What others changed in the owned roots. The first look at a skill keeps it as it is and tells nobody; but where agents'
/// writes are to be approved, what comes to a root after the first scan is somebody's who did not ask.
fn observe(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &Noted,
) -> Result<Vec<Found>, CommandError> {
    let mut outside = Vec::new();
    let mut watched = BTreeMap::new();
    for (root, path) in noted.roots.iter().flatten().filter(|(_, path)| store.owns(path)) {
        let was = store.ledger.is_watched(*root)?;
        watched.insert(path, (*root, was, was && store.approval));
    }
    for (skill, id) in world.library.skills.iter().zip(&noted.ids) {
        let (Some(id), Some(Some((root, path)))) = (id, noted.roots.get(skill.place.root)) else {
            continue;
        };
        let Some((_, _, waits)) = watched.get(path).copied() else { continue };
        let keeper = store.keeper(*root, path)?.watching(waits);
        let formerly = noted.settled.matched.moved.get(id).map(|(_, folder)| folder.as_str());
        let target = Target { id: *id, folder: &skill.place.folder };
        if let Some(done) = keeper.observe(target, formerly)?
            && (waits || done.steps.iter().any(differs))
        {
            outside.push(Found { name: skill.name.as_str().to_owned(), done, waits });
        }
    }
    // Only now all that lies there was looked at.
    for (root, was, _) in watched.into_values().filter(|(_, was, _)| *was != store.approval) {
        store.ledger.watch(root, !was)?;
    }
    Ok(outside)
}

/// Whether a step is more than a first look at a file.
fn differs(step: &Step) -> bool {
    !matches!(step, Step::Put { before: Some(before), after, .. } if before == after)
}
