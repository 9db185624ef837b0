//! `skillkeep progressive`: Progressive Skill's command line, its flags and its output, decided by policies in the sandbox.

mod inputs;

use std::{
    collections::BTreeSet,
    io::Read as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;

use super::{
    Global,
    error::{CommandError, Kind},
    options::list,
    output::{Output, counted},
    slots::{component, engine},
    world::World,
};
use crate::{
    adapters::progressive::{
        Demotion, Kept, Listing, Tools, budget_question, budget_settings, caps, demotion_settings,
        details_question, kept, prices, relevance_question,
    },
    decision::{Detail, Slot, Value},
    index::{InCharge, Settled, SlotNote, ask_details, ask_forms},
    laws::Caps,
    policy::{Assignment, Engine, LoadError, Loaded},
    skill::OneLine,
    system::System,
};
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
    let world = World::without_library(system, global)?;
    match command {
        ProgressiveCommand::Demote(args) => demote(&world, args, out),
        ProgressiveCommand::Budget(args) => budget(&world, global, args, out),
    }
}

/// What `demote` prints.
#[derive(Serialize)]
struct Demoted {
    demote: BTreeSet<String>,
    relevant: BTreeSet<String>,
    all_categories: BTreeSet<String>,
}

fn demote(
    world: &World<'_>,
    args: &DemoteArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let inputs = Inputs::read(world.system, &args.source)?;
    let compact = list(args.existing_compact.as_deref().unwrap_or("")).into_iter().collect();
    let (demoted, notes) = decide(world, &inputs, compact)?;
    inputs.announce(out);
    out.json(&demoted)?;
    Ok(exit_code(&inputs, &notes, out))
}

/// Asks twice: what the session is about, and what of the library it has no use for. What is shown by name only already is
/// asked about as if no tool were for it, since Progressive Skill takes such a category back only for its use.
fn decide(
    world: &World<'_>,
    inputs: &Inputs,
    compact: BTreeSet<String>,
) -> Result<(Demoted, Vec<SlotNote>), CommandError> {
    let engine = engine(world)?;
    let policy = Charge::load(
        world,
        &engine,
        Slot::Demotion,
        "demotion-toolset",
        &demotion_settings(&inputs.config),
        inputs,
    )?;
    let mut notes = Vec::new();
    let asked = |key: &str| policy.asks_for(key);
    let mut ask = |demotion: &Demotion| {
        let caps = Caps { user: vec![None; demotion.categories.len()], names_do_not_fit: false };
        let (details, note, _): Settled<Detail> =
            ask_details(&engine, &policy.in_charge(), &caps, |_| demotion.request.clone());
        notes.push(note);
        demotion.demoted(details.rows.iter().map(|row| row.choice))
    };

    let catalog = &inputs.catalog;
    let named = policy.links().chain(inputs.config.always_relevant.iter().cloned()).collect();
    let (about, nobodys) = relevance_question(inputs.now, catalog, &named, &inputs.tools, &asked);
    let for_nothing = ask(&about);
    let (demote, relevant) = if for_nothing.contains(&nobodys) {
        let details = |categories: &BTreeSet<String>, tools: Option<&Tools>| {
            details_question(inputs.now, categories, catalog, &inputs.usage, tools, &asked)
        };
        let mut demote = ask(&details(&catalog.categories, Some(&inputs.tools)));
        demote.extend(ask(&details(&compact, None)));
        (demote, about.categories.into_iter().filter(|it| !for_nothing.contains(it)).collect())
    } else {
        (compact, BTreeSet::new())
    };
    Ok((Demoted { demote, relevant, all_categories: catalog.categories.clone() }, notes))
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
        let (demoted, of_demotion) = decide(world, &inputs, BTreeSet::new())?;
        notes.extend(of_demotion);
        relevant = demoted.all_categories.difference(&demoted.demote).cloned().collect();
    }
    let prices = prices(&listing, inputs.config.list_budget_chars);
    let forms = if relevant.is_empty() {
        // Nothing is known that a line could be kept for: every line and every name stays.
        caps(&listing)
    } else {
        let engine = engine(world)?;
        let policy = Charge::load(
            world,
            &engine,
            Slot::Budget,
            "budget-progressive",
            &budget_settings(&inputs.config),
            &inputs,
        )?;
        let caps = caps(&listing);
        let first = || (0..caps.len()).collect();
        let (forms, note, _) =
            ask_forms(&engine, &policy.in_charge(), &prices, &caps, first, |asked| {
                budget_question(inputs.now, &listing, &prices, &inputs.usage, asked)
            });
        notes.push(note);
        forms.rows.iter().map(|row| row.choice).collect()
    };
    let kept =
        if relevant.is_empty() { Kept::unchanged(&listing, &text) } else { kept(&listing, &forms) };
    let cost = prices.sum(forms.iter().copied()).shown;
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
        let all = kept.kept.len() + dropped.len();
        let dropped: Vec<&str> = dropped.iter().map(OneLine::as_str).collect();
        out.note(&format!(
            "left out {} of {}, for those kept take {cost} of {} characters: {}",
            dropped.len(),
            counted(all, "skill line"),
            inputs.config.list_budget_chars,
            dropped.join(", ")
        ));
    }
    Ok(exit_code(&inputs, &notes, out))
}

/// The text of a file or of standard input.
fn input(system: &dyn System, file: Option<&Path>) -> Result<String, CommandError> {
    let (bytes, name) = match file {
        Some(file) => (system.read(file, MOST_BYTES), format!("the input `{}`", file.display())),
        None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
            (read.map(|_| bytes), "standard input".to_owned())
        }
    };
    let hint = "name the text of an index, or leave `--input` out and give it on standard input";
    let bytes = bytes.map_err(|error| {
        CommandError::new(Kind::Usage, format!("can't read {name}: {error}")).hint(hint)
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{name} is no UTF-8 text from byte {at} on, and text was expected");
        CommandError::new(Kind::Usage, message).hint(hint)
    })
}

/// A policy that stands for one of Progressive Skill's rules, or why it can't be asked.
struct Charge {
    name: &'static str,
    loaded: Result<Loaded, LoadError>,
}

impl Charge {
    /// # Errors
    /// Where the policy refuses the user's settings: those are wrong, not the policy.
    fn load(
        world: &World<'_>,
        engine: &Engine,
        slot: Slot,
        name: &'static str,
        settings: &[(&'static str, Value)],
        inputs: &Inputs,
    ) -> Result<Charge, CommandError> {
        let given: Vec<Assignment> = settings
            .iter()
            .map(|(key, value)| Assignment {
                key: (*key).to_owned(),
                value: value.clone(),
                untyped: false,
                from: inputs.settings_from.clone(),
            })
            .collect();
        let loaded = component(world.system, name)
            .and_then(|(source, bytes)| Loaded::load(engine, source, &bytes, Some(slot), &given));
        match loaded {
            Err(error @ LoadError::Settings { .. }) => Err(error.into()),
            loaded => Ok(Charge { name, loaded }),
        }
    }

    fn in_charge(&self) -> InCharge<'_> {
        match &self.loaded {
            Ok(policy) => InCharge::Policy(policy),
            Err(error) => InCharge::Failed { name: self.name.to_owned(), error },
        }
    }

    fn asks_for(&self, key: &str) -> bool {
        self.loaded.as_ref().is_ok_and(|policy| policy.info.asks_for(key))
    }

    /// Every category that a toolset is linked to, as the policy declares it.
    fn links(&self) -> impl Iterator<Item = String> {
        let parameters = self.loaded.as_ref().map_or(&[][..], |policy| &policy.info.parameters);
        parameters.iter().filter(|it| it.key.as_str().starts_with("links.")).flat_map(
            |it| match &it.default {
                Value::Texts(categories) => categories.clone(),
                _ => Vec::new(),
            },
        )
    }
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
