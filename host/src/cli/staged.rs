//! What is said of a write that waits for a person. It is neither done nor refused.

use std::process::ExitCode;

use serde_json::json;

use super::{Global, output::Output};
use crate::{change::Staged, ledger::PendingId, world::error::CommandError};

/// Says that a write to the skill of this name waits.
///
/// # Errors
/// Where standard output can't be written.
pub fn tell(
    global: &Global,
    staged: &Staged,
    name: &str,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let id = staged.id;
    put_out(&staged.evicted, out);
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.staged/1",
            "staged": id,
            "already": staged.already,
            "skill": staged.skill,
            "name": name,
            "folder": staged.folder,
            "reason": staged.reason,
            "by": staged.by,
            "put-out": staged.evicted,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let word = if staged.already { "was staged already" } else { "staged" };
    out.text(&format!("{word} as {id}, waits for a person: skillkeep pending diff {id}\n"))?;
    out.note(&format!("{}: {}", staged.by, staged.reason));
    Ok(ExitCode::SUCCESS)
}

/// Says which writes don't wait any more though nobody decided on them.
pub fn put_out(evicted: &[PendingId], out: &mut Output<'_>) {
    if evicted.is_empty() {
        return;
    }
    let ids: Vec<String> = evicted.iter().map(ToString::to_string).collect();
    out.warn(&format!("put out of the queue, undecided: {}", ids.join(", ")));
    out.hint("skillkeep pending --all");
}
