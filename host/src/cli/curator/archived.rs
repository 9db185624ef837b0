//! `skillkeep curator list-archived`

use std::{cmp::Reverse, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use super::usage::day;
use crate::{
    cli::{
        Global,
        list::away::{Away, archived},
        options::RootArgs,
        output::{Output, columns},
    },
    ledger::PassId,
    skill::OneLine,
    system::System,
    world::{counted, error::CommandError, kept, store::no_ledger},
};

/// List the archive.
#[derive(Debug, Args)]
#[command(
    after_help = "Each id that is printed brings its own copy back, of several copies of one skill as well: skillkeep curator restore ID\n\nExample: skillkeep curator list-archived"
)]
pub struct ArchivedArgs {
    #[command(flatten)]
    roots: RootArgs,
}

/// Lists what lies in the archive, the newest first.
pub fn list(
    system: &dyn System,
    global: &Global,
    args: &ArchivedArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, kept) = kept::open(system, &global.at(&args.roots))?;
    world.announce(out);
    let Some(ledger) = &kept.ledger else {
        return Err(kept.problem.unwrap_or_else(|| no_ledger(&world)));
    };
    let mut all: Vec<(Away, Option<PassId>)> = Vec::new();
    for it in archived(&world, ledger)? {
        let pass = ledger.put_away_by(it.id, it.copy.as_deref())?;
        all.push((it, pass));
    }
    let id = |it: &Away| it.copy.clone().unwrap_or_else(|| it.id.to_string());
    // Times are seconds, and changes are numbered.
    let newest = ledger.newest()?;
    all.sort_by_key(|(it, _)| Reverse((it.since, newest.get(&it.id).copied(), it.id)));
    if global.json {
        let skills: Vec<Value> = all
            .iter()
            .map(|(it, pass)| {
                json!({
                    "id": it.id, "copy": it.copy, "name": it.name, "folder": it.folder, "root": it.root,
                    "since": it.since.to_string(), "pass": pass, "why": it.reason,
                })
            })
            .collect();
        out.json(&json!({ "schema": "skillkeep.curator-archived/1", "skills": skills }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = ["NAME", "ID", "FOLDER", "SINCE", "PASS", "WHY"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (it, pass) in &all {
        rows.push(vec![
            OneLine::capped(it.name.as_str(), 60).into_string(),
            id(it),
            OneLine::capped(&it.folder, 80).into_string(),
            day(it.since),
            pass.map_or_else(|| "-".to_owned(), |pass| pass.0.to_string()),
            if it.reason.is_empty() { "-".to_owned() } else { it.reason.to_string() },
        ]);
    }
    out.text(&columns(&rows))?;
    out.note(&format!("{} in the archive", counted(all.len(), "skill")));
    if let Some((first, _)) = all.first() {
        out.hint(&format!("to bring one back: skillkeep curator restore {}", id(first)));
    }
    Ok(ExitCode::SUCCESS)
}
