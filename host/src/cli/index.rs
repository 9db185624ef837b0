//! `skillkeep index`

mod beside;

pub use beside::Beside;

use std::{mem::ManuallyDrop, process::ExitCode};

use clap::{Args, ValueEnum};

use super::{
    Global,
    opening::{Opening, open},
    options::{AgentArgs, DecisionArgs, Plan, RootArgs},
    output::Output,
    records::IndexRecord,
};
use crate::{
    decision::Detail,
    index::{Made, Programs, SKILL_TOOLS, Style, XML},
    skill::Standing,
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
        session::{Decided, keep},
    },
};

/// Print the Level-0 block: which skills there are, within a limit.
#[derive(Debug, Args)]
#[command(
    after_help = "The block goes to standard output; what was shortened, folded or hidden, and what that saves, to standard error.\n\nExample: skillkeep index --tools skill_view,terminal --limit 1500 --usage ~/.hermes/skills/.usage.json\n         skillkeep index --as codex --window 400000"
)]
pub struct IndexArgs {
    #[command(flatten)]
    roots: RootArgs,

    #[command(flatten)]
    decision: DecisionArgs,

    #[command(flatten)]
    agent: AgentArgs,

    /// How to print it [default: hermes, or as the agent has it]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// How an index is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The block, by category, in the layout of Hermes.
    Hermes,
    /// The Agent Skills standard's XML: name, description and location of each skill.
    Xml,
    /// Entries, forms, costs, reasons, diagnostics, and the block.
    Json,
}

/// Prints the index.
pub fn index(
    system: &dyn System,
    global: &Global,
    args: &IndexArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    // The process ends with this command: taking a library of thousands apart piece by piece would only delay that.
    let opening = open(system, &global.at(&args.roots), &args.decision, &args.agent)?;
    let mut opening = ManuallyDrop::new(opening);
    let Opening { world, plan, slots, .. } = &mut *opening;
    let world = &*world;
    let agent = plan.inputs.agent;
    match (args.format, agent) {
        (Some(format @ (Format::Xml | Format::Hermes)), Some(agent)) => {
            let word = if format == Format::Xml { "xml" } else { "hermes" };
            let message =
                format!("`--format {word}` and `--as {}`: an agent has its own layout", agent.word);
            let hint = "leave one of the two out; `--format json` goes with either";
            return Err(CommandError::new(Kind::Usage, message).hint(hint));
        }
        (Some(Format::Xml), None) => plan.inputs.layout = Style(&XML),
        _ => {}
    }
    world.announce(out);
    plan.announce(out);
    for name in plan.inputs.compact.keys().filter(|name| !is_category(world, name)) {
        out.warn(&format!(
            "no skill is in the category `{name}`, so showing less of it changes nothing"
        ));
    }
    let json = global.json || args.format == Some(Format::Json);
    // Others than Hermes open skills by tools with other names.
    if agent.is_none_or(|agent| agent.gates.contains(&"requires-tools"))
        && let Some(tools) = &plan.inputs.session.tools
        && !SKILL_TOOLS.iter().any(|tool| tools.contains(*tool))
    {
        return suppressed(world, json, out);
    }
    slots.tell_despite(out);
    for (slot, warning, hint) in slots.warnings() {
        out.warn(&format!("slot `{slot}`: {warning}"));
        out.hint(&hint);
    }
    let meter = world.meter(plan.unit);
    let programs = Programs::new(system);
    let made = plan.inputs.make(&world.library, meter.get(), &slots.policies(), &programs)?;
    let made = ManuallyDrop::new(made);
    let beside = match agent {
        // Where the agent's rule failed, nothing is known of what the agent shows.
        Some(_) if !made.decided.fell_back() => {
            Some(Beside::of(world, plan, &args.decision, &made, &programs)?)
        }
        _ => None,
    };
    if json {
        out.json(&IndexRecord::new(world, plan, &made, beside))?;
    } else {
        out.text(&made.decided.block.text)?;
        for line in report(world, plan, &made) {
            out.note(&line);
        }
        if let (Some(agent), Some(beside)) = (agent, beside) {
            out.note(&beside.line(agent, made.decided.cut.is_some()));
        }
    }
    fallbacks(&made, out);
    meter.save(system);
    let Opening { world, plan, kept, .. } = &*opening;
    let decided = Decided {
        wishes: &plan.wishes,
        inputs: &plan.inputs,
        unit: plan.unit,
        settings: &plan.settings,
        made: &made,
    };
    keep(world, kept, &decided, out);
    Ok(opening.plan.exit_code(made.decided.fell_back()))
}

/// Whether any skill is in a category, or in one below its first segment.
fn is_category(world: &World<'_>, name: &str) -> bool {
    let is_it = |path: &str| path == name || path.split('/').next() == Some(name);
    world.library.skills.iter().any(|skill| is_it(skill.category.as_str()))
}

/// Without a tool that opens skills, a list of them is of no use to the agent, and it is said rather than left out in silence.
fn suppressed(
    world: &World<'_>,
    json: bool,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let skills = world.library.skills.iter().filter(|skill| skill.is_live()).count();
    let message = format!(
        "no block: none of the session's tools can open a skill ({}); not offered: {}",
        SKILL_TOOLS.join(", "),
        counted(skills, "skill")
    );
    if json {
        out.json(&serde_json::json!({
            "schema": "skillkeep.index/1",
            "suppressed": message,
            "coverage": { "skills": skills },
            "entries": [],
            "text": "",
        }))?;
    }
    out.warn(&message);
    out.hint("leave `--tools` out where nothing is known of them, or add `skill_view`");
    Ok(ExitCode::SUCCESS)
}

/// What was shown, shortened, folded, hidden, and what that saves; a few lines.
fn report(world: &World<'_>, plan: &Plan, made: &Made) -> Vec<String> {
    let coverage = made.coverage();
    let (cost, in_full, unit) = (made.decided.block.cost, made.cost_in_full(), plan.unit.word());
    let limit = plan.limit().map_or(String::new(), |limit| format!(" of {limit}"));
    let cut = made.decided.cut.map_or(String::new(), |cut| format!(" (cut at {})", cut.scalars));
    let mut lines = vec![format!(
        "{} in {cost}{limit} {unit}: {} full, {} short{cut}, {} by name, {} counted, in {}",
        counted(coverage.skills, "skill"),
        coverage.full,
        coverage.short,
        coverage.name,
        coverage.counted,
        counted(coverage.categories, "category")
    )];
    if in_full > cost {
        lines.push(format!(
            "saved {} {unit}: everything in full costs {in_full} ({} % less)",
            in_full - cost,
            (in_full - cost) * 100 / in_full
        ));
    }
    if coverage.folded_categories > 0 && plan.inputs.layout.by_category() {
        lines.push(format!(
            "counted together in the last line: {}",
            counted(coverage.folded_categories, "category")
        ));
    }
    let demoted: Vec<String> = made
        .candidates
        .categories
        .iter()
        .zip(&made.decided.details.rows)
        .filter(|(_, choice)| choice.choice != Detail::Full)
        .map(|(category, choice)| match choice.choice {
            Detail::Count => format!("{} (count)", category.path),
            _ => category.path.clone(),
        })
        .collect();
    if !demoted.is_empty() {
        lines.push(format!("shown by name only: {}", demoted.join(", ")));
    }
    let mut hidden: Vec<String> =
        coverage.gated.iter().map(|(code, count)| format!("{count} by {code}")).collect();
    for (word, count) in [
        ("shadowed", count(world, |standing| matches!(standing, Standing::Shadowed { .. }))),
        ("duplicate", count(world, |standing| matches!(standing, Standing::Duplicate { .. }))),
        ("broken", count(world, |standing| matches!(standing, Standing::Broken))),
    ] {
        if count > 0 {
            hidden.push(format!("{count} {word}"));
        }
    }
    if !hidden.is_empty() {
        lines.push(format!("not offered: {}", hidden.join(", ")));
    }
    let errors = world
        .library
        .skills
        .iter()
        .filter(|skill| skill.facts.diagnostics.iter().any(|d| d.problem.is_error()))
        .count();
    if errors > 0 {
        lines.push(format!(
            "errors in the files of {}: `skillkeep list --problems`",
            counted(errors, "skill")
        ));
    }
    for bite in &made.decided.bites {
        lines.push(format!("law `{}` ({}): {}", bite.law.word(), bite.about, bite.what));
    }
    let usage = &plan.inputs.usage;
    if !made.candidates.orphans.is_empty() {
        lines.push(format!(
            "usage: {} of {} records belong to no skill, or to several: {}",
            made.candidates.orphans.len(),
            usage.records.len(),
            first(&made.candidates.orphans)
        ));
    }
    if !usage.skipped.is_empty() {
        lines.push(format!(
            "usage: {} entries could not be read: {}",
            usage.skipped.len(),
            first(&usage.skipped)
        ));
    }
    lines
}

fn count(world: &World<'_>, of: impl Fn(&Standing) -> bool) -> usize {
    world.library.skills.iter().filter(|skill| of(&skill.standing)).count()
}

fn first(items: &[String]) -> String {
    const SHOWN: usize = 3;
    let more = if items.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", items.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "))
}

/// Policies that failed, with what decided instead.
pub fn fallbacks(made: &Made, out: &mut Output<'_>) {
    for note in &made.decided.notes {
        let Some(fallback) = &note.fallback else { continue };
        let instead = match note.slot {
            crate::decision::Slot::Demotion => "everything is shown",
            _ => "the host's baseline decided",
        };
        out.warn(&format!("slot `{}`: policy `{}`: {fallback}; {instead}", note.slot, note.policy));
        if let Some(hint) = fallback.hint(note.slot) {
            out.hint(&hint);
        }
    }
}
