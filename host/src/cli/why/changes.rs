//! One fact changed: how it is written, what it does to a plan, and which ones are worth trying.

use crate::{
    cli::options::{Plan, assignment_of, in_charge, list},
    config::parse_now,
    decision::{Detail, Form, Slot},
    index::{Inputs, Kept, Made},
    library::Resolution,
    skill::nearest,
    skill::{Choice, Instant, Skill, UsageRecord},
    world::{
        World,
        error::{CommandError, Kind},
    },
};

/// Keys of facts that can be changed, beside `SLOT.KEY`.
const KEYS: [&str; 13] = [
    "platform",
    "tools",
    "toolsets",
    "limit",
    "now",
    "session",
    "short",
    "compact",
    "disabled",
    "pinned",
    "choice",
    "uses",
    "last-used",
];

/// A fact with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    key: String,
    value: String,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

impl Change {
    /// Reads `KEY=VALUE`.
    pub fn parse(text: &str) -> Result<Change, CommandError> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Change { key: key.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err(CommandError::new(Kind::Usage, format!("found `{text}`, expected KEY=VALUE"))
                .hint(format!("keys: {}, SLOT.KEY", KEYS.join(", ")))),
        }
    }

    /// As it is typed.
    pub fn flag(&self) -> String {
        if self.value.contains(' ') { format!("--if '{self}'") } else { format!("--if {self}") }
    }

    fn new(key: &str, value: impl Into<String>) -> Change {
        Change { key: key.to_owned(), value: value.into() }
    }
}

/// Changes the plan by one fact about the session or about the skill.
pub fn apply(
    change: &Change,
    plan: &mut Plan,
    world: &World<'_>,
    row: usize,
    skill: &Skill,
) -> Result<(), CommandError> {
    let Change { key, value } = change;
    let wrong = |expected: &str| {
        CommandError::new(Kind::Usage, format!("`{key}`: found `{value}`, expected {expected}"))
    };
    let inputs = &mut plan.inputs;
    match key.as_str() {
        "platform" => inputs.session.platform = value.clone(),
        "tools" => inputs.session.tools = words(value),
        "toolsets" => inputs.session.toolsets = words(value),
        "limit" => inputs.limit = value.parse().map_err(|_| wrong("a whole number"))?,
        "short" => inputs.short = value.parse().map_err(|_| wrong("a whole number"))?,
        "now" => inputs.now = parse_now(value)?,
        "session" => inputs.seed = xxhash_rust::xxh3::xxh3_64(value.as_bytes()),
        "compact" => {
            let detail =
                Detail::from_word(value).ok_or_else(|| wrong("`full`, `names` or `count`"))?;
            inputs.compact.insert(skill.category.as_str().to_owned(), detail);
        }
        "disabled" => {
            let folder = skill.place.folder.rsplit('/').next().unwrap_or("").to_owned();
            match truth(value).ok_or_else(|| wrong("`true` or `false`"))? {
                true => {
                    inputs.session.disabled.insert(skill.name.as_str().to_owned());
                }
                false => {
                    for name in [skill.name.as_str().to_owned(), folder, skill.qualified()] {
                        inputs.session.disabled.remove(&name);
                    }
                }
            }
        }
        "pinned" => {
            record(plan, world, row, skill).pinned =
                truth(value).ok_or_else(|| wrong("`true` or `false`"))?
        }
        "choice" => {
            let choice = Choice::from_word(value)
                .ok_or_else(|| wrong("`auto`, `full`, `name`, `manual` or `off`"))?;
            let kept = kept(plan, row).ok_or_else(|| {
                CommandError::new(
                    Kind::Finding,
                    "no home knows this skill, so nothing can be chosen",
                )
                .hint("skillkeep init")
            })?;
            kept.choice = choice;
        }
        "uses" => {
            let uses = value.parse().map_err(|_| wrong("a whole number"))?;
            let now = plan.inputs.now;
            let record = record(plan, world, row, skill);
            record.uses = uses;
            // A use has a time; where none is known, it was now.
            if uses > 0 && record.last_used.is_none() {
                record.last_used = Some(now);
            }
        }
        "last-used" => {
            let time = parse_now(value)?;
            record(plan, world, row, skill).last_used = Some(time);
        }
        _ => return setting(change, plan),
    }
    Ok(())
}

fn setting(change: &Change, plan: &mut Plan) -> Result<(), CommandError> {
    let parts =
        change.key.split_once('.').and_then(|(slot, key)| Some((Slot::from_word(slot)?, key)));
    let Some((slot, key)) = parts else {
        let hint = match nearest(&change.key, KEYS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("keys: {}, SLOT.KEY", KEYS.join(", ")),
        };
        return Err(CommandError::new(
            Kind::Usage,
            format!("found `{}`, expected a fact that can be changed", change.key),
        )
        .hint(hint));
    };
    let assignment = assignment_of(
        &format!("{key}={}", change.value),
        "--if",
        &in_charge(slot, &plan.policies),
    )?;
    plan.settings.entry(slot).or_default().push(assignment);
    Ok(())
}

fn words(value: &str) -> Option<std::collections::BTreeSet<String>> {
    (value != "unknown").then(|| list(value).into_iter().collect())
}

fn truth(value: &str) -> Option<bool> {
    match value {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// What the home knows of the skill.
fn kept(plan: &mut Plan, row: usize) -> Option<&mut Kept> {
    plan.inputs.kept.get_mut(row)?.as_mut()
}

/// The skill's usage record in the plan: the home's, or the one that resolves to it, or a new one under its unmistakable name.
fn record<'p>(
    plan: &'p mut Plan,
    world: &World<'_>,
    row: usize,
    skill: &Skill,
) -> &'p mut UsageRecord {
    let Inputs { kept, usage, .. } = &mut plan.inputs;
    let records = &mut usage.records;
    if let Some(kept) = kept.get_mut(row).and_then(Option::as_mut)
        && !records.keys().any(|key| world.library.resolve(key) == Resolution::One(row))
    {
        return &mut kept.usage;
    }
    let key = records
        .keys()
        .find(|key| world.library.resolve(key) == Resolution::One(row))
        .cloned()
        .unwrap_or_else(|| skill.qualified());
    records.entry(key).or_default()
}

/// Single changes that are worth trying for a skill, in the order in which they are told.
pub fn candidates(plan: &Plan, made: &Made, row: usize, skill: &Skill) -> Vec<Change> {
    let gates = &skill.facts.gates;
    let mut changes = Vec::new();
    let shut: Vec<&str> = made
        .candidates
        .hidden
        .iter()
        .find(|hidden| hidden.skill == row)
        .map(|hidden| hidden.shut.iter().map(|gate| gate.code).collect())
        .unwrap_or_default();
    for code in shut {
        let there =
            |have: &Option<std::collections::BTreeSet<String>>| have.clone().unwrap_or_default();
        let with = |have: &Option<std::collections::BTreeSet<String>>, more: &[String]| {
            let mut words = there(have);
            words.extend(more.iter().cloned());
            words.into_iter().collect::<Vec<_>>().join(",")
        };
        let without = |have: &Option<std::collections::BTreeSet<String>>, less: &[String]| {
            there(have)
                .into_iter()
                .filter(|word| !less.contains(word))
                .collect::<Vec<_>>()
                .join(",")
        };
        let session = &plan.inputs.session;
        match code {
            "disabled" => changes.push(Change::new("disabled", "false")),
            "off" => changes.push(Change::new("choice", "auto")),
            "manual" if plan.choice(row) == Choice::Manual => {
                changes.push(Change::new("choice", "auto"))
            }
            "platform" => changes
                .extend(gates.platforms.first().map(|platform| Change::new("platform", platform))),
            "requires-toolsets" => changes
                .push(Change::new("toolsets", with(&session.toolsets, &gates.requires_toolsets))),
            "requires-tools" => {
                changes.push(Change::new("tools", with(&session.tools, &gates.requires_tools)))
            }
            "fallback-for-toolsets" => {
                changes.push(Change::new(
                    "toolsets",
                    without(&session.toolsets, &gates.fallback_for_toolsets),
                ));
            }
            "fallback-for-tools" => changes
                .push(Change::new("tools", without(&session.tools, &gates.fallback_for_tools))),
            _ => {}
        }
    }
    if made.form_of(row).is_some() {
        let pinned = made
            .row_of(row)
            .and_then(|at| made.candidates.entries.get(at))
            .and_then(|entry| entry.usage);
        changes.push(Change::new(
            "pinned",
            if pinned.is_some_and(|usage| usage.pinned) { "false" } else { "true" },
        ));
        changes.push(Change::new("uses", "10"));
        changes.push(Change::new(
            "compact",
            if made.form_of(row) <= Some(Form::Short) { "names" } else { "full" },
        ));
        if let Some(limit) = plan.limit() {
            changes.push(Change::new("limit", (limit / 2).max(1).to_string()));
            changes.push(Change::new("limit", limit.saturating_mul(2).to_string()));
        }
        if plan.inputs.session.toolsets.is_some() || plan.inputs.session.tools.is_some() {
            changes.push(Change::new("toolsets", "unknown"));
        }
        let later = Instant(plan.inputs.now.0.saturating_add(90 * 86_400));
        changes.push(Change::new("now", later.to_string()));
    }
    changes
}
