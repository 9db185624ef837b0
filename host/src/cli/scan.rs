//! `skillkeep scan`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::CommandError,
    noting::Scanned,
    options::RootArgs,
    output::{Output, counted},
    store,
};
use crate::{ledger::Step, skill::OneLine, system::System};

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
    let (mut world, store) = store::begin(system, global, &args.roots, out)?;
    let Scanned { noted, changes, problems } = store.scan(&mut world)?;
    let matched = &noted.settled.matched;
    let new = noted.settled.ids.len() - matched.same.len();
    // The first look at a skill keeps it as it is and is news to nobody.
    let outside: Vec<_> =
        changes.iter().filter(|(_, done)| done.steps.iter().any(differs)).collect();
    for (name, why) in &problems {
        out.warn(&format!("`{name}` is not kept as it is: {why}"));
    }
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
            "problems": problems.iter().map(|(name, why)| json!({
                "name": name, "cause": why.to_string(),
            })).collect::<Vec<_>>(),
        }))?;
    } else {
        let skills = counted(noted.settled.ids.len(), "skill");
        let (moved, gone) = (matched.moved.len(), matched.gone.len());
        out.text(&format!("{skills}: {new} new, {moved} moved, {gone} gone\n"))?;
        for (name, done) in &outside {
            let name = OneLine::new(name);
            out.text(&format!("change {}: `{name}` was changed by somebody else\n", done.id.0))?;
        }
        if let Some((_, first)) = outside.first() {
            out.hint(&format!("skillkeep diff {}", first.id.0));
        }
    }
    Ok(ExitCode::from(u8::from(!problems.is_empty())))
}

/// Whether a step is more than a first look at a file.
fn differs(step: &Step) -> bool {
    !matches!(step, Step::Put { before: Some(before), after, .. } if before == after)
}
