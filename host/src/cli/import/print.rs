//! A plan in words and as JSON: the same facts before and after it is done.

mod back;
mod queued;

use std::{borrow::Borrow, collections::BTreeMap};

use serde_json::{Value, json};

use super::Home;
use crate::{
    adapters::{
        Left,
        takeover::{Plan, WritePlan},
    },
    change::Done,
    cli::{
        Global,
        output::{Output, columns},
    },
    ledger::{Kind, PendingId},
    skill::{OneLine, SkillId},
    world::{World, counted, error::CommandError},
};

/// Names that are listed in a line, and lines of what was left.
const MOST_NAMES: usize = 5;
const MOST_LEFT: usize = 12;

/// What was done of a plan.
#[derive(Default)]
pub struct Did {
    /// Changes in roots.
    pub changes: Vec<Done>,
    /// What writes wait as, in the plan's order.
    pub ids: Vec<PendingId>,
    /// Those of them that didn't wait before.
    pub made: Vec<PendingId>,
}

/// A plan that is printed.
pub struct Printed<'a> {
    /// The world.
    pub world: &'a World<'a>,
    /// The plan.
    pub plan: &'a Plan,
    /// The Hermes home that it is about.
    pub home: Option<&'a Home>,
    /// What becomes of the writes that wait there.
    pub writes: &'a WritePlan,
    /// What was done of it, if it was.
    pub done: Option<&'a Did>,
}

impl Printed<'_> {
    /// Prints it.
    ///
    /// # Errors
    /// Where standard output can't be written.
    pub fn result(&self, global: &Global, out: &mut Output<'_>) -> Result<(), CommandError> {
        if global.json { out.json(&self.json()) } else { out.text(&self.text()) }
    }

    /// Whether there is, or was, anything to take over.
    fn is_news(&self) -> bool {
        self.plan.is_news || !self.writes.taken.is_empty()
    }

    fn name(&self, id: SkillId) -> String {
        self.plan.names.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// The plan for people.
    pub fn text(&self) -> String {
        let place = self.world.shorten(self.plan.takeover.source.place.as_ref());
        let mut text = match (self.done, self.is_news()) {
            (_, false) => format!("nothing is new in {place}\n"),
            (None, true) => format!("would take over from {place}:\n"),
            (Some(_), true) => format!("took over from {place}:\n"),
        };
        text.push_str(&columns(&self.taken()));
        text.push_str(&queued::text(self));
        let told = self.told();
        if !told.is_empty() {
            text.push_str("\nstays there:\n");
            text.push_str(&columns(&told));
        }
        text.push_str(&listed("counted nowhere, for they mean no one skill", &self.plan.orphans));
        let left: Vec<&Left> = self.left().collect();
        text.push_str(&listed("not taken over", &left));
        text.push_str(&back::text(self));
        text
    }

    /// All that is left where it is.
    fn left(&self) -> impl Iterator<Item = &Left> {
        self.plan.left.iter().chain(&self.writes.left)
    }

    /// What is taken over, a line a kind.
    fn taken(&self) -> Vec<Vec<String>> {
        let it = &self.plan.takeover;
        let mut rows = Vec::new();
        let mut row = |word: &str, text: String| rows.push(vec![format!("  {word}"), text]);
        if !it.events.is_empty() {
            let sum = |kind: Kind| -> u64 {
                let of_kind = it.events.iter().filter(|event| event.kind == kind);
                of_kind.map(|event| u64::from(event.weight)).sum()
            };
            let mut skills: Vec<SkillId> = it.events.iter().map(|event| event.skill).collect();
            skills.sort_unstable();
            skills.dedup();
            row(
                "counts",
                format!(
                    "{}: {} views, {} uses, {} writes",
                    counted(skills.len(), "skill"),
                    sum(Kind::View),
                    sum(Kind::Use),
                    sum(Kind::Write),
                ),
            );
        }
        for (origin, ids) in grouped(it.origins.iter().map(|(id, origin)| (*origin, *id))) {
            row("origins", format!("{} {}: {}", ids.len(), origin.word(), self.names(&ids)));
        }
        let pins: Vec<SkillId> = it.pins.iter().chain(&self.plan.pins_in_roots).copied().collect();
        if !pins.is_empty() {
            row("pins", format!("{}: {}", pins.len(), self.names(&pins)));
        }
        for (state, ids) in grouped(it.states.iter().map(|(id, state)| (*state, *id))) {
            row("states", format!("{} {}: {}", ids.len(), state.word(), self.names(&ids)));
        }
        if !it.put_away.is_empty() {
            let ids: Vec<SkillId> = it.put_away.iter().map(|it| it.id).collect();
            row("archived", format!("{}, as they lie: {}", ids.len(), self.names(&ids)));
        }
        if !it.since.is_empty() {
            row("age", format!("{} older than was known", counted(it.since.len(), "skill")));
        }
        if let Some(references) = &it.references {
            let mut jobs: Vec<&str> = references.iter().map(|it| it.job.as_str()).collect();
            jobs.sort_unstable();
            jobs.dedup();
            let unknown = references.iter().filter(|it| it.skill.is_none());
            let unknown: Vec<String> = unknown.map(|it| quoted(&it.spelling)).collect();
            let lost = match unknown.len() {
                0 => String::new(),
                _ => format!("; no skill is called {}", some(&unknown)),
            };
            let count = references.len() - unknown.len();
            row(
                "jobs",
                format!("{} name {}{lost}", counted(jobs.len(), "job"), counted(count, "skill")),
            );
        }
        rows
    }

    /// What is told and left where it is.
    fn told(&self) -> Vec<Vec<String>> {
        let Some(home) = self.home else { return Vec::new() };
        let mut rows = Vec::new();
        let mut row = |word: &str, text: String| rows.push(vec![format!("  {word}"), text]);
        let kept = &home.said.kept;
        let names = |key: &str| -> Vec<String> {
            let list = kept.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(quoted).collect()
        };
        let disabled = names("disabled");
        if !disabled.is_empty() {
            row(
                "turned off",
                format!(
                    "{} in config.yaml, which is read each time: {}",
                    disabled.len(),
                    some(&disabled)
                ),
            );
        }
        let suppressed = names("suppressed");
        if !suppressed.is_empty() {
            row("suppressed", format!("{}: {}", suppressed.len(), some(&suppressed)));
        }
        if let Some(text) = curator(kept) {
            row("curator", text);
        }
        if let Some(text) = queued::stays(self.writes) {
            row("waits", text);
        }
        for other in &home.home.others {
            row("beside it", format!("skillkeep import hermes:{}", self.world.shorten(other)));
        }
        rows
    }

    fn names(&self, ids: &[SkillId]) -> String {
        let mut names: Vec<String> = ids.iter().map(|id| quoted(&self.name(*id))).collect();
        names.sort();
        some(&names)
    }

    fn json(&self) -> Value {
        let it = &self.plan.takeover;
        let of = |id: SkillId| json!({ "skill": id, "folder": self.name(id) });
        let with = |id: SkillId, key: &str, value: Value| {
            let mut all = of(id);
            if let Value::Object(fields) = &mut all {
                fields.insert(key.to_owned(), value);
            }
            all
        };
        let pins = it.pins.iter().chain(&self.plan.pins_in_roots);
        json!({
            "schema": "skillkeep.import/1",
            "dry-run": self.done.is_none(),
            "program": it.source.program,
            "place": it.source.place,
            "news": self.is_news(),
            "counts": it.events.iter().map(|event| json!({
                "skill": event.skill, "folder": self.name(event.skill), "kind": event.kind.word(),
                "count": event.weight, "last": event.at.to_string(),
            })).collect::<Vec<_>>(),
            "origins": it.origins.iter().map(|(id, origin)| with(*id, "origin", json!(origin))).collect::<Vec<_>>(),
            "pins": pins.map(|id| of(*id)).collect::<Vec<_>>(),
            "states": it.states.iter().map(|(id, state)| with(*id, "state", json!(state))).collect::<Vec<_>>(),
            "archived": it.put_away.iter().map(|it| with(it.id, "since", json!(it.since.to_string()))).collect::<Vec<_>>(),
            "since": it.since.iter().map(|(id, since)| with(*id, "since", json!(since.to_string()))).collect::<Vec<_>>(),
            "references": it.references.as_ref().map(|all| all.iter().map(|it| json!({
                "job": it.job, "spelling": it.spelling, "skill": it.skill,
            })).collect::<Vec<_>>()),
            "kept": self.home.map(|home| &home.said.kept),
            "pending": self.home.map(|_| queued::json(self)),
            "beside": self.home.map(|home| &home.home.others),
            "orphans": self.plan.orphans.iter().map(left).collect::<Vec<_>>(),
            "left": self.left().map(left).collect::<Vec<_>>(),
            "changes": self.done.map_or(Vec::new(), |did| did.changes.iter().map(|it| it.id.0).collect()),
        })
    }
}

fn left(it: &Left) -> Value {
    json!({ "file": it.file, "at": it.at, "why": it.why })
}

fn grouped<K: Ord>(all: impl Iterator<Item = (K, SkillId)>) -> BTreeMap<K, Vec<SkillId>> {
    let mut groups: BTreeMap<K, Vec<SkillId>> = BTreeMap::new();
    for (key, id) in all {
        groups.entry(key).or_default().push(id);
    }
    groups
}

fn quoted(name: &str) -> String {
    format!("`{}`", OneLine::capped(name, 80))
}

/// The first of them, and how many more.
fn some(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn listed<L: Borrow<Left>>(title: &str, all: &[L]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .take(MOST_LEFT)
        .map(|it| {
            let it = it.borrow();
            let at = [it.file.as_str(), it.at.as_str()].join(" ");
            vec![format!("  {}", at.trim()), it.why.to_string()]
        })
        .collect();
    let mut text = format!("\n{title}:\n{}", columns(&rows));
    if all.len() > MOST_LEFT {
        text.push_str(&format!("  and {} more; `--json` lists all\n", all.len() - MOST_LEFT));
    }
    text
}

/// What its curator says of itself.
fn curator(kept: &serde_json::Map<String, Value>) -> Option<String> {
    let state = kept.get("curator");
    let settings = kept.get("settings");
    let of = |part: Option<&Value>, key: &str| part.and_then(|part| part.get(key)).cloned();
    let mut words = Vec::new();
    if of(state, "paused") == Some(Value::Bool(true)) {
        words.push("paused".to_owned());
    }
    if of(settings, "enabled") == Some(Value::Bool(false)) {
        words.push("turned off".to_owned());
    }
    if let Some(last) = of(state, "last_run_at").as_ref().and_then(Value::as_str) {
        words.push(format!("last run {}", OneLine::capped(last, 40)));
    }
    if let Some(hours) = of(settings, "interval_hours") {
        words.push(format!("every {hours} hours"));
    }
    for (key, what) in [("stale_after_days", "stale"), ("archive_after_days", "archived")] {
        if let Some(days) = of(settings, key) {
            words.push(format!("{what} after {days} days"));
        }
    }
    (!words.is_empty()).then(|| words.join(", "))
}
