//! What running servers really use, where that is not what the command line would.

use serde_json::Value;

use super::{change::short, list::Row};
use crate::{
    decision::{Allowance, Slot},
    skill::OneLine,
};

/// A few lines for each server that has something to tell: a slot in which another policy decides than the list has it, or something
/// that is wrong.
pub(super) fn told_by(servers: &[Value], rows: &[Row]) -> String {
    let mut text = String::new();
    for server in servers {
        let mut lines = Vec::new();
        for slot in Slot::ALL {
            let used = || rows.iter().filter(|row| row.slot == slot && row.used);
            let within = used().next().map(|row| row.within).unwrap_or_default();
            let used = used().filter_map(|row| row.loaded.as_ref().ok());
            let listed: Vec<&str> = used.map(|it| it.inspection.digest.as_str()).collect();
            lines.extend(of_slot(server, slot, (&listed, within)));
        }
        lines.extend(trouble(&server["trouble"]));
        let watching = &server["watching"];
        lines.extend(word(&watching["warning"]).map(|why| with_hint(&why, &watching["hint"])));
        if !lines.is_empty() {
            let (pid, generation) = (&server["pid"], &server["generation"]);
            let unsure = word(&server["unsure"]).map_or_else(String::new, |why| {
                format!(", as it told last (whether it still runs can't be told: {why})")
            });
            text.push_str(&format!("\nserver {pid}, in its generation {generation}{unsure}:\n"));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
    }
    text
}

/// What a server does otherwise in a slot, and why.
fn of_slot(server: &Value, slot: Slot, (listed, within): (&[&str], Allowance)) -> Vec<String> {
    let report = items(&server["slots"]).find(|it| it["slot"] == slot.word());
    let Some(report) = report else { return Vec::new() };
    let decides = |it: &&Value| it["error"].is_null() && it["trust"] != "quarantined";
    let active: Vec<&Value> = items(&report["active"]).filter(decides).collect();
    let mut lines = Vec::new();
    let digests: Vec<&str> = active.iter().filter_map(|it| it["digest"].as_str()).collect();
    if digests != listed {
        let titles = active.iter().map(|it| {
            let title = word(&it["policy"]).unwrap_or_default();
            format!("{title} ({})", short(it["digest"].as_str().unwrap_or_default()))
        });
        let titles = titles.collect::<Vec<_>>().join(", ");
        let who = if titles.is_empty() { "the slot's fallback".to_owned() } else { titles };
        lines.push(format!(
            "{slot}: {who} decides there, since its generation {}",
            report["generation"]
        ));
    }
    // Usual ones are not written down.
    let there = active
        .first()
        .map(|it| serde_json::from_value::<Allowance>(it["limits"].clone()).unwrap_or_default());
    if let Some(there) = there.filter(|there| *there != within) {
        let told = |limits: Allowance| match limits.is_usual() {
            true => "as usual".to_owned(),
            false => limits.to_string(),
        };
        lines.push(format!(
            "{slot}: its limits there are {}, and the settings say {}",
            told(there),
            told(within)
        ));
    }
    let is_odd = |it: &&Value| it["state"] != "used";
    for named in items(&report["named"]).filter(is_odd) {
        let name = word(&named["name"]).unwrap_or_default();
        let state = word(&named["state"]).unwrap_or_default().replace('-', " ");
        let why = word(&named["message"]).map_or_else(String::new, |why| format!(": {why}"));
        lines.push(with_hint(&format!("{slot}: `{name}` {state}{why}"), &named["hint"]));
    }
    let is_open = |it: &&&Value| it["breaker"] != "closed" && it["breaker"].is_string();
    for member in active.iter().filter(is_open) {
        let title = word(&member["policy"]).unwrap_or_default();
        let breaker = word(&member["breaker"]).unwrap_or_default();
        // A server of an earlier version opened it after faults alone.
        let after = word(&member["breaker-after"]).unwrap_or_else(|| "faults".to_owned());
        lines.push(format!("{slot}: the breaker of {title} is {breaker}, after too many {after}"));
    }
    lines
}

fn trouble(trouble: &Value) -> Option<String> {
    Some(with_hint(&word(&trouble["message"])?, &trouble["hint"]))
}

fn with_hint(line: &str, hint: &Value) -> String {
    word(hint).map_or_else(|| line.to_owned(), |hint| format!("{line}\n    hint: {hint}"))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text of another process, for a terminal.
fn word(value: &Value) -> Option<String> {
    value.as_str().map(|text| OneLine::capped(text, 500).into_string())
}
