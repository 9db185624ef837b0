//! Differences of two rules, for people and for programs.

use serde_json::{Value as Json, json};

use crate::{
    cli::output::columns,
    decision::Slot,
    past::{Differences, Side},
    world::counted,
};

/// For people.
pub fn text(found: &Differences, [one, other]: [&str; 2]) -> String {
    let mut text = format!(
        "{one} -> {other}: {} of {} in {}\n",
        match found.count() {
            0 => "none differs".to_owned(),
            1 => "1 differs".to_owned(),
            many => format!("{many} differ"),
        },
        counted(found.decisions, "decision"),
        counted(found.snapshots, "snapshot"),
    );
    text.push_str(&sorts(found));
    text
}

/// Sorts of differences, each with its examples.
pub fn sorts(found: &Differences) -> String {
    let mut text = String::new();
    for (slot, count, examples) in found.sorts() {
        let Some(first) = examples.first() else { continue };
        let (from, to) = (&first.one.choice, &first.other.choice);
        text.push_str(&format!("\n{slot}: {count} `{from}` -> `{to}`\n"));
        let rows: Vec<Vec<String>> = examples
            .iter()
            .map(|it| {
                let mut cells = vec![format!("  {}", it.about)];
                cells.extend(it.at.map(|at| at.to_string()));
                cells.push(format!("{} -> {}", why(&it.one), why(&it.other)));
                cells
            })
            .collect();
        text.push_str(&columns(&rows));
    }
    text
}

fn why(side: &Side) -> String {
    side.reason.as_ref().map_or_else(|| "nothing was proposed".to_owned(), |it| it.text.to_string())
}

/// For programs.
pub fn json(found: &Differences, [one, other]: [&str; 2], slot: Slot) -> Json {
    json!({
        "schema": "skillkeep.policy-compare/1",
        "one": one,
        "other": other,
        "slot": slot,
        "snapshots": found.snapshots,
        "decisions": found.decisions,
        "differ": found.count(),
        "by-reason": by_reason(found),
    })
}

/// Sorts of differences, each with its examples.
pub fn by_reason(found: &Differences) -> Vec<Json> {
    let sorts = found.sorts().into_iter().map(|(slot, count, examples)| {
        let of = |side: fn(&crate::past::Difference) -> &Side| {
            examples.first().map(|it| {
                let side = side(it);
                json!({
                    "choice": side.choice,
                    "reason": side.reason.as_ref().map(|it| it.code.to_string()),
                })
            })
        };
        json!({
            "slot": slot,
            "count": count,
            "one": of(|it| &it.one),
            "other": of(|it| &it.other),
            "examples": examples.iter().map(|it| json!({
                "about": it.about, "at": it.at.map(|at| at.to_string()), "one": it.one, "other": it.other,
            })).collect::<Vec<_>>(),
        })
    });
    sorts.collect()
}
