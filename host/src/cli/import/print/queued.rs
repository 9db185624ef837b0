//! The writes that wait in another program, in words and as JSON: those that wait here since, and those that do already.

use serde_json::{Value, json};

use super::{MOST_LEFT, Printed};
use crate::{
    adapters::takeover::{Place, TakeWrite, WaitingThere, WritePlan},
    cli::output::columns,
    ledger::PendingId,
    skill::OneLine,
    world::counted,
};

/// Those that are taken, a line each. What was done has its number.
pub fn text(printed: &Printed<'_>) -> String {
    let taken = &printed.writes.taken;
    if taken.is_empty() {
        return String::new();
    }
    let title = match printed.done {
        None => "would wait for a person here too, base taken at import",
        Some(_) => "waits for a person here too, base taken at import",
    };
    let rows: Vec<Vec<String>> = taken
        .iter()
        .enumerate()
        .take(MOST_LEFT)
        .map(|(at, take)| {
            let write = &take.there.write;
            let id = number(printed, at).map_or(String::new(), |id| format!("{id} "));
            let notes: Vec<&str> = take.notes.iter().map(OneLine::as_str).collect();
            vec![
                format!("  {id}{} `{}`", write.action, OneLine::capped(&write.skill, 80)),
                write.actor.word().to_owned(),
                take.at.to_string(),
                take.there.file.clone(),
                notes.join("; "),
            ]
        })
        .collect();
    let more = match taken.len().saturating_sub(MOST_LEFT) {
        0 => String::new(),
        more => format!("  and {more} more; `--json` lists all\n"),
    };
    format!("\n{title}:\n{}{more}", columns(&rows))
}

/// What stays in Hermes's own queue though it is in ours.
pub fn stays(writes: &WritePlan) -> Option<String> {
    let count = writes.taken.len() + writes.known.len();
    (count > 0).then(|| {
        let count = counted(count, "write");
        format!("{count} in pending/skills that wait here too, or did: reject there what is decided here")
    })
}

/// All that could be read, each with what becomes of it.
pub fn json(printed: &Printed<'_>) -> Vec<Value> {
    let WritePlan { taken, known, left } = printed.writes;
    let mut all = Vec::new();
    for (at, take) in taken.iter().enumerate() {
        all.push(record(&take.there, Some(take), "taken", number(printed, at)));
    }
    for (there, id) in known {
        all.push(record(there, None, "known", Some(*id)));
    }
    let there = printed.home.map(|home| home.pending.as_slice()).unwrap_or_default();
    for there in there.iter().filter(|it| left.iter().any(|left| left.file == it.file)) {
        all.push(record(there, None, "left", None));
    }
    all
}

fn number(printed: &Printed<'_>, at: usize) -> Option<PendingId> {
    printed.done.and_then(|did| did.ids.get(at).copied())
}

fn record(
    there: &WaitingThere,
    take: Option<&TakeWrite>,
    state: &str,
    id: Option<PendingId>,
) -> Value {
    let write = &there.write;
    let notes = take.map_or(&write.notes, |take| &take.notes);
    json!({
        "file": there.file,
        "action": write.action,
        "skill": OneLine::new(&write.skill),
        "origin": write.origin,
        "actor": write.actor,
        "reason": write.reason,
        "at": write.at.map(|at| at.to_string()),
        "at-raw": write.at_raw,
        "notes": notes,
        "state": state,
        "id": id,
        "folder": take.map(|take| take.place.folder()),
        "base": take.filter(|take| matches!(take.place, Place::There(_))).map(|_| "import"),
    })
}
