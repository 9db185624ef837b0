//! `skillkeep curator list-unmanaged`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::usage::{day, seen};
use crate::{
    cli::{
        Global,
        options::RootArgs,
        output::{Output, columns},
    },
    curator::{Outside, Subject},
    skill::OneLine,
    system::System,
    world::{counted, error::CommandError},
};

/// List what is not in the curator's care.
#[derive(Debug, Args)]
#[command(after_help = "Example: skillkeep curator list-unmanaged")]
pub struct UnmanagedArgs {
    #[command(flatten)]
    roots: RootArgs,
}

/// Lists the skills that no pass touches, each with the reason.
pub fn list(
    system: &dyn System,
    global: &Global,
    args: &UnmanagedArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let seen = seen(system, global, &args.roots, out)?;
    let outside: Vec<(&Subject, Outside)> =
        seen.subjects.iter().filter_map(|it| Some((it, it.outside()?))).collect();
    if global.json {
        let skills: Vec<Value> = outside
            .iter()
            .map(|(it, why)| {
                json!({
                    "id": it.id, "name": it.name, "folder": it.folder, "root": it.root,
                    "origin": it.origin.word(), "pinned": it.standing.pinned, "why": why.why(),
                    "may-be-adopted": it.may_be_adopted().is_ok(), "last-active": it.active(),
                })
            })
            .collect();
        out.json(&json!({
            "schema": "skillkeep.curator-unmanaged/1", "skills": skills, "unmet": seen.unmet,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = ["NAME", "FOLDER", "ORIGIN", "PINNED", "LAST ACTIVE", "WHY"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (it, why) in &outside {
        rows.push(vec![
            OneLine::capped(&it.name, 60).into_string(),
            OneLine::capped(&it.folder, 80).into_string(),
            it.origin.word().to_owned(),
            if it.standing.pinned { "pinned" } else { "-" }.to_owned(),
            day(it.active()),
            why.why().to_owned(),
        ]);
    }
    for name in &seen.unmet {
        let name = OneLine::capped(name, 60).into_string();
        let dash = || "-".to_owned();
        rows.push(vec![
            name,
            dash(),
            "?".to_owned(),
            dash(),
            dash(),
            super::usage::UNMET.to_owned(),
        ]);
    }
    out.text(&columns(&rows))?;
    let free = outside.iter().filter(|(it, _)| it.may_be_adopted().is_ok()).count();
    out.note(&format!(
        "{} not in the curator's care, {free} of them may be adopted",
        counted(outside.len() + seen.unmet.len(), "skill")
    ));
    if free > 0 {
        out.hint("to give them all into its care: skillkeep curator adopt --all-unmanaged");
    }
    Ok(ExitCode::SUCCESS)
}
