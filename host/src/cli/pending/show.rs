//! `skillkeep pending diff`: what a write would change, whole, beside what is there now.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::Waits;
use crate::{
    change::{Proposal, diff::FileDiff, waiting},
    cli::{
        Global,
        options::RootArgs,
        output::{Output, printable},
    },
    ledger::{PendingId, Verb},
    skill::OneLine,
    system::System,
    world::{
        error::{CommandError, Kind},
        store,
    },
};

/// Show what a write that waits would change.
#[derive(Debug, Args)]
#[command(
    after_help = "Where a file was changed since the write was staged, both are shown: what was proposed, and what was changed there. The hash stands for all that would be done; `approve` takes it."
)]
pub struct DiffArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Numbers of writes that wait, such as p12
    #[arg(required = true, num_args = 1.., value_name = "ID")]
    ids: Vec<String>,
}

/// The number of a write that waits.
///
/// # Errors
/// Where it is none.
pub fn number(text: &str) -> Result<PendingId, CommandError> {
    text.parse().map_err(|error: crate::ledger::NoPendingId| {
        CommandError::new(Kind::Usage, error.to_string()).hint("skillkeep pending")
    })
}

/// Shows them.
pub fn diff(
    system: &dyn System,
    global: &Global,
    args: &DiffArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let ids: Vec<PendingId> = args.ids.iter().map(|id| number(id)).collect::<Result<_, _>>()?;
    let (world, store, noted) = store::look(system, &global.at(&args.roots), out)?;
    let mut all = Vec::new();
    for id in ids {
        let pending = waiting(&store.ledger, id)?;
        all.push(Waits::of(pending, &world, &store, &noted)?);
    }
    if global.json {
        let shown: Vec<Value> = all.iter().map(as_json).collect();
        out.json(&json!({ "schema": "skillkeep.pending-diff/1", "pending": shown }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (number, one) in all.iter().enumerate() {
        if number > 0 {
            out.text("\n")?;
        }
        out.text(&text(one))?;
    }
    let approvable = all.iter().filter_map(hashed).collect::<Vec<_>>();
    if !approvable.is_empty() {
        out.hint(&format!("skillkeep pending approve {}", approvable.join(" ")));
    }
    Ok(ExitCode::SUCCESS)
}

/// As `approve` takes it: the number with the hash of what was shown.
fn hashed(one: &Waits) -> Option<String> {
    let shown = one.proposal.as_ref().ok()?.shown?;
    Some(format!("{}={shown}", one.pending.id))
}

/// All that a person should see before deciding.
pub(super) fn text(one: &Waits) -> String {
    let asked = &one.pending.asked;
    let line = |text: &str| OneLine::capped(text, 200).into_string();
    let mut text = format!("{}: {} of `{}`", one.pending.id, asked.verb.word(), one.name);
    text.push_str(&match asked.verb {
        Verb::Outside => ", by somebody who did not ask".to_owned(),
        _ => format!(", asked by {} at {}", asked.actor.word(), asked.at),
    });
    if let Some(session) = &asked.session {
        text.push_str(&format!(", session {}", line(session)));
    }
    text.push('\n');
    if !asked.reason.is_empty() {
        text.push_str(&format!("reason  {}\n", line(&asked.reason)));
    }
    text.push_str(&format!("waits   {} ({})\n", line(&asked.why), line(&asked.judge)));
    if let Some(taken) = &one.taken {
        let record = &taken.record;
        let at = record.at.as_ref().map_or(String::new(), |at| format!(", {}", line(at)));
        text.push_str(&format!("from    {} in {}{at}\n", line(&record.file), line(&record.place)));
    }
    if one.has_base_of_import() {
        text.push_str("base    taken at import: nobody said which text its writer had read\n");
    }
    if let Some(stale) = one.stale() {
        text.push_str(&format!("STALE   {}\n", line(stale)));
    } else if one.is_rebased() {
        text.push_str("rebased its file was changed since, and all of its passages are there\n");
    }
    let Ok(proposal) = &one.proposal else { return text };
    for (path, by) in &proposal.tolerated {
        text.push_str(&format!("inexact a passage of `{path}` was found by `{}`\n", by.word()));
    }
    let moved = matches!(asked.verb, Verb::Archive | Verb::Restore);
    if moved {
        text.push_str(&format!("moves   {}\n", one.gist()));
    }
    text.push_str(&sides(proposal, one.stale().is_some()));
    if let Some(shown) = proposal.shown {
        text.push_str(&format!("hash    {shown}\n"));
    }
    text
}

fn sides(proposal: &Proposal, stale: bool) -> String {
    let unified = |diffs: &[FileDiff]| {
        diffs.iter().map(|diff| printable(&diff.unified())).collect::<String>()
    };
    let mut text = String::new();
    if stale && !proposal.diffs.is_empty() {
        text.push_str("\nas it was staged\n");
    }
    text.push_str(&unified(&proposal.diffs));
    if !proposal.since.is_empty() {
        text.push_str("\nwhat was changed there since\n");
        text.push_str(&unified(&proposal.since));
    }
    text
}

fn as_json(one: &Waits) -> Value {
    let mut record = one.json();
    let unified = |diffs: &[FileDiff]| diffs.iter().map(FileDiff::unified).collect::<Vec<_>>();
    if let (Value::Object(record), Ok(proposal)) = (&mut record, &one.proposal) {
        record.insert("diffs".to_owned(), json!(unified(&proposal.diffs)));
        record.insert("since".to_owned(), json!(unified(&proposal.since)));
        let tolerated = proposal.tolerated.iter();
        let tolerated = tolerated.map(|(path, by)| json!({ "path": path, "by": by.word() }));
        record.insert("tolerated".to_owned(), json!(tolerated.collect::<Vec<_>>()));
    }
    record
}
