//! `skillkeep progressive`: Progressive Skill's command line, its flags and its output, decided by policies in the sandbox.

mod asking;
mod inputs;

use std::{
    collections::BTreeSet,
    io::Read as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Global, options::list, output::Output};
use crate::{
    adapters::progressive::{Kept, Listing, caps, kept, prices},
    index::SlotNote,
    skill::OneLine,
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
    },
};
use asking::{ask_what_to_demote, ask_what_to_keep};
use inputs::{Inputs, MOST_BYTES};

/// Answer as Progressive Skill's command line does, by the policies that stand for its rules.
#[derive(Debug, Subcommand)]
pub enum ProgressiveCommand {
    /// Say which categories to show by name only, as JSON
    Demote(DemoteArgs),
    /// Keep the skill lines of a printed index that fit a budget, used skills first
    Budget(BudgetArgs),
}

/// What both commands start from.
#[derive(Debug, Args)]
struct SourceArgs {
    /// The snapshot that Hermes keeps of its skills prompt: categories and skills
    #[arg(long, value_name = "FILE")]
    snapshot: Option<PathBuf>,

    /// Folder of skills, read where there is no snapshot
    #[arg(long, value_name = "FOLDER")]
    skills_dir: Option<PathBuf>,

    /// How skills were used: Progressive Skill's usage file [default: usage.json, where there is one]
    #[arg(long, value_name = "FILE")]
    usage: Option<PathBuf>,

    /// Settings: the `config` section of a YAML file
    #[arg(long, value_name = "FILE")]
    yaml: Option<PathBuf>,

    /// The session's toolsets
    #[arg(long, value_name = "A,B")]
    toolsets: Option<String>,

    /// The session's tools
    #[arg(long, value_name = "A,B")]
    tools: Option<String>,

    /// Decide as at this time: RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// Say which categories to show by name only, as JSON.
#[derive(Debug, Args)]
#[command(
    after_help = "Prints `demote`, `relevant` (what the session's tools are for, and what always is) and `all_categories`.\n\nExample: skillkeep progressive demote --skills-dir ~/.hermes/skills --toolsets terminal,file"
)]
pub struct DemoteArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// Categories that are shown by name only already; those always relevant and those in use are taken off
    #[arg(long, value_name = "A,B")]
    existing_compact: Option<String>,
}

/// Keep the skill lines of a printed index that fit a budget, used skills first.
#[derive(Debug, Args)]
#[command(
    after_help = "Names lines become counts. The budget is `list_budget_chars` of the settings, 4600 by default; only skill lines count against it. Which were left out is said on standard error.\n\nExample: skillkeep index | skillkeep progressive budget --relevant devops --usage usage.json"
)]
pub struct BudgetArgs {
    #[command(flatten)]
    source: SourceArgs,

    /// The printed index [default: standard input]
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// What the session is about; without any, all categories that are not demoted. Where that is none, the text stays
    /// as it is; which ones they are changes nothing
    #[arg(long, value_name = "A,B")]
    relevant: Option<String>,
}

/// Runs a subcommand.
pub fn progressive(
    system: &dyn System,
    global: &Global,
    command: &ProgressiveCommand,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::without_library(system, global.home.as_deref())?;
    match command {
        ProgressiveCommand::Demote(args) => demote(&world, args, out),
        ProgressiveCommand::Budget(args) => budget(&world, global, args, out),
    }
}

fn demote(
    world: &World<'_>,
    args: &DemoteArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let inputs = Inputs::read(world.system, &args.source)?;
    let compact = list(args.existing_compact.as_deref().unwrap_or("")).into_iter().collect();
    let (demoted, notes) = ask_what_to_demote(world, &inputs, compact)?;
    inputs.announce(out);
    out.json(&demoted)?;
    Ok(exit_code(&inputs, &notes, out))
}

fn budget(
    world: &World<'_>,
    global: &Global,
    args: &BudgetArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let inputs = Inputs::read(world.system, &args.source)?;
    let text = input(world.system, args.input.as_deref())?;
    let listing = Listing::read(&text);
    let mut notes = Vec::new();
    let mut relevant: BTreeSet<String> =
        list(args.relevant.as_deref().unwrap_or("")).into_iter().collect();
    if relevant.is_empty() {
        let (demoted, of_demotion) = ask_what_to_demote(world, &inputs, BTreeSet::new())?;
        notes.extend(of_demotion);
        relevant = demoted.all_categories.difference(&demoted.demote).cloned().collect();
    }
    let prices = prices(&listing, inputs.config.list_budget_chars);
    let (kept, cost) = if relevant.is_empty() {
        // Nothing is known that a line could be kept for: every line and every name stays.
        (Kept::unchanged(&listing, &text), prices.sum(caps(&listing)).shown)
    } else {
        let (forms, note) = ask_what_to_keep(world, &inputs, &listing, &prices)?;
        notes.push(note);
        (kept(&listing, &forms), prices.sum(forms).shown)
    };
    let names = |rows: &[usize]| -> Vec<OneLine> {
        rows.iter()
            .filter_map(|row| Some(OneLine::capped(&listing.rows.get(*row)?.name, 80)))
            .collect()
    };
    let dropped = names(&kept.dropped);
    inputs.announce(out);
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.progressive-budget/1",
            "text": kept.text,
            "kept": names(&kept.kept),
            "dropped": dropped,
            "cost": cost,
            "limit": inputs.config.list_budget_chars,
        }))?;
    } else {
        out.text(&kept.text)?;
    }
    if !dropped.is_empty() {
        const SHOWN: usize = 20;
        let all = kept.kept.len() + dropped.len();
        let first: Vec<&str> = dropped.iter().take(SHOWN).map(OneLine::as_str).collect();
        out.note(&format!(
            "left out {} of {}, for those kept take {cost} of {} characters: {}{}",
            dropped.len(),
            counted(all, "skill line"),
            inputs.config.list_budget_chars,
            first.join(", "),
            if dropped.len() > SHOWN { ", … (all by `--json`)" } else { "" }
        ));
    }
    Ok(exit_code(&inputs, &notes, out))
}

/// The text of a file or of standard input.
fn input(system: &dyn System, file: Option<&Path>) -> Result<String, CommandError> {
    let (bytes, name) = match file {
        Some(file) => {
            (system.read(file, MOST_BYTES + 1), format!("the input `{}`", file.display()))
        }
        None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes);
            (read.map(|_| bytes), "standard input".to_owned())
        }
    };
    let hint = "name the text of an index, or leave `--input` out and give it on standard input";
    let bytes = bytes.map_err(|error| {
        CommandError::new(Kind::Usage, format!("can't read {name}: {error}")).hint(hint)
    })?;
    if bytes.len() as u64 > MOST_BYTES {
        // Half a text would look like a whole one.
        let message = format!("{name} is longer than the {MOST_BYTES} bytes that are read");
        return Err(CommandError::new(Kind::Usage, message).hint(hint));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{name} is no UTF-8 text from byte {at} on, and text was expected");
        CommandError::new(Kind::Usage, message).hint(hint)
    })
}

/// 1 where a file was done without or a policy failed; says which.
fn exit_code(inputs: &Inputs, notes: &[SlotNote], out: &mut Output<'_>) -> ExitCode {
    let mut fell_back = false;
    for note in notes {
        let Some(fallback) = &note.fallback else { continue };
        fell_back = true;
        out.warn(&format!("slot `{}`: policy `{}`: {fallback}", note.slot, note.policy));
    }
    ExitCode::from(u8::from(fell_back || !inputs.findings.is_empty()))
}
