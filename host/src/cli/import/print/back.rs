//! How to take back what an import did: only what is true of each part that there was.

use super::Printed;
use crate::cli::output::columns;

/// The ways back of what was done; nothing where nothing was.
pub fn text(printed: &Printed<'_>) -> String {
    let Some(did) = printed.done else { return String::new() };
    let it = &printed.plan.takeover;
    let mut rows = Vec::new();
    let mut row = |word: &str, text: String| rows.push(vec![format!("  {word}"), text]);
    let undo: Vec<String> =
        did.changes.iter().map(|done| format!("skillkeep undo {}", done.id.0)).collect();
    if !undo.is_empty() {
        row("pins", format!("{}: they lie in the root", undo.join("; ")));
    }
    if !it.pins.is_empty() {
        let what =
            "skillkeep unpin NAME, once this home owns the root: they lie in the ledger alone";
        row("pins", what.to_owned());
    }
    let ids: Vec<String> = did.made.iter().map(ToString::to_string).collect();
    if !ids.is_empty() {
        let what = "none of them is taken a second time";
        row("writes", format!("skillkeep pending reject {}: {what}", ids.join(" ")));
    }
    if it.references.is_some() && printed.plan.is_news {
        let what = "as the other program has them: change them there, and import again";
        row("jobs", what.to_owned());
    }
    let facts = [
        ("counts", it.events.is_empty()),
        ("origins", it.origins.is_empty()),
        ("states", it.states.is_empty()),
        ("archived", it.put_away.is_empty()),
        ("age", it.since.is_empty()),
    ];
    let facts: Vec<&str> = facts.iter().filter(|(_, none)| !none).map(|(word, _)| *word).collect();
    if !facts.is_empty() {
        let what =
            "no command takes them back: they are what was told, and no change was made for them";
        row(&facts.join(", "), what.to_owned());
    }
    if rows.is_empty() { String::new() } else { format!("\nto take it back:\n{}", columns(&rows)) }
}
