//! JSON as the command line prints it: schemas with a name and a version, fields that keep their names.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::index::Beside;
use crate::{
    decision::{Reasoned, Unit},
    index::{Coverage, Made, SlotNote},
    laws::{Bite, Cut},
    skill::{Diagnostic, Skill},
    world::World,
};

/// What `index --format json` prints.
#[derive(Serialize)]
pub struct IndexRecord {
    schema: &'static str,
    sample: bool,
    now: String,
    seed: String,
    /// Whose index it is, where it is not our own.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    agent: Option<&'static str>,
    unit: Unit,
    limit: Option<u32>,
    cut: Option<Cut>,
    cost: u64,
    #[serde(rename = "cost-in-full")]
    cost_in_full: u64,
    frame: crate::index::Frame,
    layout: &'static str,
    /// The agent's index and ours in the same tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Beside>,
    roots: Vec<Json>,
    coverage: Coverage,
    entries: Vec<Json>,
    categories: Vec<Json>,
    hidden: Vec<Json>,
    decisions: Vec<Json>,
    laws: Vec<Bite>,
    diagnostics: Vec<Json>,
    usage: Json,
    text: String,
}

impl IndexRecord {
    /// The record of an index.
    pub fn new(
        world: &World<'_>,
        plan: &super::options::Plan,
        made: &Made,
        beside: Option<Beside>,
    ) -> IndexRecord {
        let decided = &made.decided;
        IndexRecord {
            schema: "skillkeep.index/1",
            sample: world.is_sample(),
            now: plan.inputs.now.to_string(),
            seed: format!("{:016x}", plan.inputs.seed),
            agent: plan.inputs.agent.map(|agent| agent.word),
            unit: plan.unit,
            limit: plan.limit(),
            cut: decided.cut,
            cost: decided.block.cost,
            cost_in_full: made.cost_in_full(),
            frame: decided.fit.frame,
            layout: plan.inputs.layout.word(),
            beside,
            roots: roots(world),
            coverage: made.coverage(),
            entries: entries(world, made),
            categories: categories(made),
            hidden: hidden(world, made),
            decisions: decided.notes.iter().map(slot_note).collect(),
            laws: decided.bites.clone(),
            diagnostics: all_diagnostics(world),
            usage: json!({
                "source": plan.inputs.usage.source,
                "records": plan.inputs.usage.records.len(),
                "skipped": plan.inputs.usage.skipped,
                "orphans": made.candidates.orphans,
                "in-the-future": made.candidates.from_the_future,
            }),
            text: decided.block.text.clone(),
        }
    }
}

/// The roots of a scan.
pub fn roots(world: &World<'_>) -> Vec<Json> {
    world
        .library
        .roots
        .iter()
        .map(|report| {
            json!({
                "label": report.root.label,
                "path": report.root.path.display().to_string(),
                "skills": report.found,
                "problem": report.problem,
            })
        })
        .collect()
}

fn entries(world: &World<'_>, made: &Made) -> Vec<Json> {
    let decided = &made.decided;
    made.candidates
        .entries
        .iter()
        .enumerate()
        .filter_map(|(row, entry)| {
            let skill = world.library.skills.get(entry.skill)?;
            let choice = decided.forms.row(row)?;
            let price = decided.prices.skills.get(row)?;
            Some(json!({
                "name": skill.name,
                "category": skill.category,
                "qualified": skill.qualified(),
                "form": choice.choice,
                "proposed": choice.proposed,
                "cap": decided.caps.get(row),
                "reason": decided.forms.reason(row),
                "cost": price.of(choice.choice),
                "costs": { "full": price.full, "short": price.short, "name": price.name },
                "pinned": entry.usage.is_some_and(|usage| usage.pinned),
                "uses": entry.usage.map(|usage| usage.uses),
                "last-used": entry.usage.and_then(|usage| usage.last_used).map(|time| time.to_string()),
                "missing-programs": entry.missing,
                "path": world.library.path_of(entry.skill).map(|path| path.display().to_string()),
            }))
        })
        .collect()
}

fn categories(made: &Made) -> Vec<Json> {
    made.candidates
        .categories
        .iter()
        .enumerate()
        .map(|(row, category)| {
            let choice = made.decided.details.row(row);
            json!({
                "path": category.path,
                "description": category.description,
                "skills": category.skills,
                "detail": choice.map(|choice| choice.choice),
                "proposed": choice.and_then(|choice| choice.proposed),
                "reason": made.decided.details.reason(row),
                "asked": category.user,
            })
        })
        .collect()
}

fn hidden(world: &World<'_>, made: &Made) -> Vec<Json> {
    made.candidates
        .hidden
        .iter()
        .filter_map(|hidden| {
            let skill = world.library.skills.get(hidden.skill)?;
            let gates: Vec<Json> = hidden
                .shut
                .iter()
                .map(|gate| json!({ "code": gate.code, "because": gate.because }))
                .collect();
            Some(json!({
                "name": skill.name,
                "category": skill.category,
                "standing": skill.standing.word(),
                "gates": gates,
            }))
        })
        .collect()
}

/// How a slot decided.
pub fn slot_note(note: &SlotNote) -> Json {
    json!({
        "slot": note.slot,
        "policy": note.policy,
        "source": note.source,
        "digest": note.digest,
        "fallback": note.fallback.as_ref().map(ToString::to_string),
        "fuel": note.fuel,
        "fuel-limit": note.fuel_limit,
        "rows": note.rows,
    })
}

/// One row of the library.
pub fn skill(world: &World<'_>, row: usize, skill: &Skill) -> Json {
    let root = world.library.roots.get(skill.place.root);
    json!({
        "name": skill.name,
        "category": skill.category,
        "description": skill.facts.description,
        "standing": skill.standing.word(),
        "tier": skill.facts.tier.word(),
        "root": root.map(|report| report.root.label.clone()),
        "path": world.library.path_of(row).map(|path| path.display().to_string()),
        "linked-to": skill.place.linked_to,
        "version": skill.facts.version,
        "tags": skill.facts.tags,
        "allowed-tools": skill.facts.allowed_tools,
        "unknown-keys": skill.facts.unknown_keys,
        "gates": skill.facts.gates,
        "bytes": skill.facts.bytes,
        "diagnostics": world.library.diagnostics_of(row),
    })
}

/// Every diagnostic of the library, with whose it is.
pub fn all_diagnostics(world: &World<'_>) -> Vec<Json> {
    let of_skills = world.library.skills.iter().enumerate().flat_map(|(row, skill)| {
        let path = world.library.path_of(row).map(|path| path.display().to_string());
        let name = skill.name.clone();
        world
            .library
            .diagnostics_of(row)
            .into_iter()
            .map(move |diagnostic| diagnostic_json(&name, path.as_deref(), &diagnostic))
    });
    let of_places = world.library.problems.iter().map(|located| {
        diagnostic_json(
            &crate::skill::OneLine::new(&located.place.folder),
            None,
            &located.diagnostic,
        )
    });
    of_skills.chain(of_places).collect()
}

fn diagnostic_json(
    skill: &crate::skill::OneLine,
    path: Option<&str>,
    diagnostic: &Diagnostic,
) -> Json {
    json!({
        "skill": skill,
        "path": path,
        "problem": diagnostic.problem.word(),
        "error": diagnostic.problem.is_error(),
        "line": diagnostic.line,
        "field": diagnostic.field,
        "cause": diagnostic.cause,
        "fix": diagnostic.fix,
    })
}

/// How many skills have each problem.
pub fn problem_counts(world: &World<'_>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in 0..world.library.skills.len() {
        for diagnostic in world.library.diagnostics_of(row) {
            *counts.entry(diagnostic.problem.word()).or_default() += 1;
        }
    }
    counts
}

/// A reason in one line.
pub fn reason_text(reason: Option<&Reasoned>) -> String {
    reason
        .map_or_else(|| "the host, by itself".to_owned(), |reason| reason.text.as_str().to_owned())
}
