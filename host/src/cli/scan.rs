//! `skillkeep scan`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::CommandError,
    options::RootArgs,
    output::{Output, counted},
    store::{self, Noted, Store},
    world::World,
};
use crate::{
    change::{Done, Target},
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
    let matched = &noted.settled.matched;
    let new = noted.settled.ids.len() - matched.same.len();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.scan/1",
            "skills": noted.settled.ids.len(),
            "new": new,
            "moved": matched.moved.len(),
            "gone": matched.gone.len(),
            "outside": outside.iter().map(|(name, done)| json!({
                "change": done.id.0, "skill": done.skill, "name": name,
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let skills = counted(noted.settled.ids.len(), "skill");
    let (moved, gone) = (matched.moved.len(), matched.gone.len());
    out.text(&format!("{skills}: {new} new, {moved} moved, {gone} gone\n"))?;
    for (name, done) in &outside {
        out.text(&format!("change {}: `{name}` was changed by somebody else\n", done.id.0))?;
    }
    if let Some((_, first)) = outside.first() {
        out.hint(&format!("skillkeep diff {}", first.id.0));
    }
    Ok(ExitCode::SUCCESS)
}

/// What others changed in the owned roots. The first look at a skill keeps it as it is and tells nobody.
fn observe(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &Noted,
) -> Result<Vec<(String, Done)>, CommandError> {
    let mut outside = Vec::new();
    for (skill, id) in world.library.skills.iter().zip(&noted.ids) {
        let (Some(id), Some(Some((root, path)))) = (id, noted.roots.get(skill.place.root)) else {
            continue;
        };
        let Ok(keeper) = store.keeper(*root, path) else { continue };
        let formerly = noted.settled.matched.moved.get(id).map(|(_, folder)| folder.as_str());
        let target = Target { id: *id, folder: &skill.place.folder };
        if let Some(done) = keeper.observe(target, formerly)?
            && done.steps.iter().any(differs)
        {
            outside.push((skill.name.as_str().to_owned(), done));
        }
    }
    Ok(outside)
}

/// Whether a step is more than a first look at a file.
fn differs(step: &Step) -> bool {
    !matches!(step, Step::Put { before: Some(before), after, .. } if before == after)
}
