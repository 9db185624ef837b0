//! `skillkeep` without a command: one screen.

use std::process::ExitCode;

use serde_json::json;

use super::{
    Global,
    error::CommandError,
    index::fallbacks,
    opening::open,
    options::{AgentArgs, DecisionArgs, RootArgs},
    output::{Output, columns, counted},
    records,
};
use crate::{decision::Slot, index::Programs, system::System};

/// Prints the overview.
pub fn overview(
    system: &dyn System,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, plan, slots) = open(
        system,
        global,
        &RootArgs::default(),
        &DecisionArgs::default(),
        &AgentArgs::default(),
    )?;
    world.announce(out);
    plan.announce(out);
    let meter = world.meter(plan.unit);
    let made =
        plan.inputs.make(&world.library, meter.get(), &slots.policies(), &Programs::new(system))?;
    let coverage = made.coverage();
    let with_errors = (0..world.library.skills.len())
        .filter(|row| world.library.diagnostics_of(*row).iter().any(|d| d.problem.is_error()))
        .count();
    let with_advice = (0..world.library.skills.len())
        .filter(|row| !world.library.diagnostics_of(*row).is_empty())
        .count()
        - with_errors;
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.overview/1",
            "version": env!("CARGO_PKG_VERSION"),
            "sample": world.is_sample(),
            "home": world.home.path.as_ref().map(|path| path.display().to_string()),
            "roots": records::roots(&world),
            "found": world.library.skills.len(),
            "coverage": coverage,
            "problems": records::problem_counts(&world),
            "index": {
                "unit": plan.unit,
                "limit": plan.inputs.limit,
                "cost": made.decided.block.cost,
                "cost-in-full": made.cost_in_full(),
            },
            "policies": made.decided.notes.iter().map(records::slot_note).collect::<Vec<_>>(),
        }))?;
    } else {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (number, report) in world.library.roots.iter().enumerate() {
            let problem = report
                .problem
                .as_ref()
                .map_or(String::new(), |problem| format!(" ({})", problem.cause));
            rows.push(vec![
                if number == 0 { "roots" } else { "" }.to_owned(),
                format!(
                    "{} ({}): {}{problem}",
                    report.root.label,
                    world.shorten(&report.root.path),
                    counted(report.found, "skill")
                ),
            ]);
        }
        let gated: usize = coverage.gated.values().sum();
        rows.push(vec![
            "skills".to_owned(),
            format!(
                "{} found: {} offered in {}, {gated} gated, {} shadowed or broken",
                world.library.skills.len(),
                coverage.skills,
                counted(coverage.categories, "category"),
                world.library.skills.iter().filter(|skill| !skill.is_live()).count()
            ),
        ]);
        rows.push(vec![
            "problems".to_owned(),
            format!(
                "{} with errors in their files, {with_advice} with advice: `skillkeep list --problems`",
                counted(with_errors, "skill")
            ),
        ]);
        rows.push(vec![
            "index".to_owned(),
            format!(
                "{} of {} {}: {} full, {} short, {} by name, {} counted; in full {}",
                made.decided.block.cost,
                plan.inputs.limit,
                plan.unit.word(),
                coverage.full,
                coverage.short,
                coverage.name,
                coverage.counted,
                made.cost_in_full()
            ),
        ]);
        for (number, slot) in Slot::ALL.into_iter().enumerate() {
            let decides = match made.decided.notes.iter().find(|note| note.slot == slot) {
                Some(note) if note.fallback.is_some() => {
                    format!("{} FAILED, the host decided", note.policy)
                }
                Some(note) => format!("{} ({})", note.policy, note.source),
                None => "nobody yet".to_owned(),
            };
            rows.push(vec![
                if number == 0 { "policies" } else { "" }.to_owned(),
                format!("{slot}: {decides}"),
            ]);
        }
        rows.push(vec![
            "next".to_owned(),
            "`skillkeep index` · `skillkeep why NAME` · `skillkeep policy list`".to_owned(),
        ]);
        out.text(&format!("skillkeep {}\n\n{}", env!("CARGO_PKG_VERSION"), columns(&rows)))?;
    }
    fallbacks(&made, out);
    meter.save(system);
    Ok(plan.exit_code(made.decided.fell_back()))
}
