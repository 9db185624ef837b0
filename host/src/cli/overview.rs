//! `skillkeep` without a command: one screen.

use std::process::ExitCode;

use serde_json::json;

use super::{
    Global,
    concerns::concerns,
    curator::line,
    index::fallbacks,
    opening::{Opening, open},
    options::{AgentArgs, DecisionArgs, RootArgs},
    output::{Output, columns},
    policy::fallback,
    records,
};
use crate::{
    decision::Slot,
    index::Programs,
    skill::OneLine,
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
        gate::Gate,
        policies::in_use,
    },
};

/// Options of the overview.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Options of the overview")]
pub struct OverviewArgs {
    #[command(flatten)]
    roots: RootArgs,

    #[command(flatten)]
    decision: DecisionArgs,
}

/// These options before the name of a command, which would not see them.
pub fn misplaced(arguments: &[std::ffi::OsString]) -> CommandError {
    let first = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    let option = first
        .filter(|argument| argument.starts_with("--") && argument != "--json")
        .find(|argument| !argument.starts_with("--home"))
        .unwrap_or_default();
    let option = OneLine::capped(option.split('=').next().unwrap_or_default(), 40);
    CommandError::new(
        Kind::Usage,
        format!("`{option}` stands before the command, where it is the overview's"),
    )
    .hint(format!("put it behind the command: `skillkeep index {option} …`"))
}

/// Prints the overview.
pub fn overview(
    system: &dyn System,
    global: &Global,
    args: &OverviewArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let Opening { world, plan, slots, kept } =
        open(system, &global.at(&args.roots), &args.decision, &AgentArgs::default())?;
    world.announce(out);
    plan.announce(out);
    slots.tell_despite(out);
    let (waiting, concerns) = match &kept.ledger {
        Some(ledger) => (ledger.count_waiting()?, concerns(ledger, system.now())?),
        None => (0, Vec::new()),
    };
    let meter = world.meter(plan.unit);
    let made =
        plan.inputs.make(&world.library, meter.get(), &slots.policies(), &Programs::new(system))?;
    let coverage = made.coverage();
    let untrusted = world.untrusted();
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
            "untrusted": untrusted.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "found": world.library.skills.len(),
            "coverage": coverage,
            "problems": records::problem_counts(&world),
            "index": {
                "unit": plan.unit,
                "limit": plan.inputs.limit,
                "cost": made.decided.block.cost,
                "cost-in-full": made.cost_in_full(),
            },
            "waiting": waiting,
            "concerns": concerns.iter().map(|(message, _)| message).collect::<Vec<_>>(),
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
                    "{} ({}): {}{}{problem}",
                    report.root.label,
                    world.shorten(&report.root.path),
                    counted(report.found, "skill"),
                    if untrusted.contains(&report.root.path) { ", untrusted" } else { "" }
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
            let notes = made.decided.notes.iter().filter(|note| note.slot == slot);
            let told: Vec<String> = notes
                .map(|note| match note.fallback {
                    Some(_) => format!("{} FAILED, the host decided", note.policy),
                    None => format!("{} ({})", note.policy, note.source),
                })
                .collect();
            let decides = match told.as_slice() {
                // An index asks nobody who may write, nor what becomes of a skill.
                [] if matches!(slot, Slot::Provenance | Slot::Curator) => {
                    in_use(&world.config, slot).join(", ")
                }
                [] => "nobody yet".to_owned(),
                told => told.join(", "),
            };
            rows.push(vec![
                if number == 0 { "policies" } else { "" }.to_owned(),
                format!("{slot}: {decides}"),
            ]);
        }
        if waiting > 0 {
            let wait = if waiting == 1 { "waits" } else { "wait" };
            let told = format!("{} {wait} for you: skillkeep pending", counted(waiting, "write"));
            rows.push(vec!["waiting".to_owned(), told]);
        }
        if let Some(line) = kept.ledger.as_ref().and_then(|ledger| line(&world, ledger)) {
            rows.push(vec!["curator".to_owned(), line]);
        }
        rows.push(vec![
            "next".to_owned(),
            "`skillkeep index` · `skillkeep why NAME` · `skillkeep policy list`".to_owned(),
        ]);
        out.text(&format!("skillkeep {}\n\n{}", env!("CARGO_PKG_VERSION"), columns(&rows)))?;
    }
    if let Some(root) = untrusted.first() {
        let root = world.shorten(root);
        out.note(&format!("`{root}` came with a project, and nobody trusts it yet"));
        out.hint(&format!("skillkeep init --trust {root}"));
    }
    for (message, hint) in concerns {
        out.warn(&message);
        out.hint(&hint);
    }
    fallbacks(&made, out);
    unasked(&world, out);
    meter.save(system);
    Ok(plan.exit_code(made.decided.fell_back()))
}

/// A policy of a slot that no index asks, and that would not be loaded; and a change of policies that was cut off.
fn unasked(world: &World<'_>, out: &mut Output<'_>) {
    let gate = Gate::open(world, false);
    for slot in [Slot::Curator, Slot::Provenance] {
        for name in in_use(&world.config, slot) {
            if let Err(error) = gate.admit(slot, &name) {
                let instead = fallback(slot);
                out.warn(&format!("slot `{slot}`: policy `{name}`: {error}; {instead}"));
                if let Some(hint) = error.hint() {
                    out.hint(&hint);
                }
            }
        }
    }
    if gate.lock().is_ok_and(|lock| lock.unfinished.is_some()) {
        out.warn("a change of policies was cut off");
        out.hint("skillkeep policy list");
    }
}
