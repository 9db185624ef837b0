//! `skillkeep policy compare`

mod cases;
mod passes;
mod print;
mod records;
mod verify;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{
    super::{Global, output::Output},
    backtest::{no_kind, of_home},
    build::of_slot,
    rules::{FORM, Rule, combine, slots_of},
};
use crate::{
    config::{StaleForm, parse_now},
    decision::Slot,
    past::{Differences, Generated, History, Kind as HistoryKind, Terms},
    policy::Engine,
    skill::Instant,
    world::{
        World,
        error::{CommandError, Kind},
        policies::engine,
    },
};

/// Arguments of `policy compare`.
#[derive(Debug, Args)]
#[command(after_help = format!("{FORM}\n\n\
Curators are asked on each day of the home's history, as it goes by the first of them, and on each pass that is recorded, with \
what was known of skills then and under the laws as they held. Policies of the slots demotion and budget decide the recorded \
decisions of sessions again, each beside the policy that had the other slot then. With files of cases, both are asked what the \
cases ask. Exit status 1 where any decision differs.\n\n\
Example: skillkeep policy compare curator-inactivity curator-inactivity,archive-after-days=60 --generated mixed"))]
pub struct CompareArgs {
    /// The first rule
    #[arg(value_name = "RULE", required_unless_present = "verify")]
    one: Option<String>,

    /// The other rule
    #[arg(value_name = "OTHER", required_unless_present = "verify")]
    other: Option<String>,

    /// Files of cases, as `policy test` reads them, whose questions are put to both
    #[arg(value_name = "CASES")]
    cases: Vec<PathBuf>,

    /// The slot to compare in, where the first rule decides several
    #[arg(long, value_name = "SLOT")]
    slot: Option<String>,

    /// Only snapshots from this day on, such as 2026-08-01, or from this time on
    #[arg(long, value_name = "DATE")]
    since: Option<String>,

    /// Curators on a made-up history instead of the home's: zipf, drift, seasons, bursts or mixed
    #[arg(long, value_name = "KIND", conflicts_with = "cases")]
    generated: Option<String>,

    /// With --generated, how many skills there are
    #[arg(long, value_name = "COUNT", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "generated")]
    skills: u32,

    /// With --generated, for how many days there are passes
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3_650), requires = "generated")]
    days: u32,

    /// With --generated, what the history is drawn from
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "generated")]
    seed: u64,

    /// Take all skills of the home as if they were in the curator's care
    #[arg(long, conflicts_with = "generated")]
    all: bool,

    /// Decide each recorded decision and each recorded pass again by the policies that made it, and compare bit for bit
    #[arg(long, conflicts_with_all = ["one", "other", "cases", "slot", "generated", "all"])]
    verify: bool,
}

/// Runs the command.
pub fn compare(
    world: &World<'_>,
    global: &Global,
    args: &CompareArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let since = args.since.as_deref().map(day).transpose()?;
    let (Some(one), Some(other)) = (&args.one, &args.other) else {
        return verify::verify(world, global, since, out);
    };
    let engine = engine(world)?;
    let slot = slot(world, &engine, one, args.slot.as_deref())?;
    let mut load = |name: &str| Rule::load(world, &engine, slot, name, out);
    let rules = [load(one)?, load(other)?];
    let names = [one.as_str(), other.as_str()];
    let mut on_passes = None;
    let found = if !args.cases.is_empty() {
        cases::compare(world.system, &engine, slot, &rules, &args.cases, out)?
    } else {
        match slot {
            Slot::Curator => {
                if args.generated.is_none() {
                    on_passes = passes::compare(world, &engine, &rules, since, out)?;
                }
                let terms = terms(world);
                match history(world, global, args, &terms, out) {
                    // Passes tell enough where there is no history yet.
                    Err(error) if on_passes.is_some() && error.kind == Kind::Finding => {
                        out.warn(&error.message);
                        Differences::default()
                    }
                    history => curators(&engine, &history?, terms, &rules, since)?,
                }
            }
            Slot::Demotion | Slot::Budget => {
                if args.generated.is_some() {
                    let message =
                        format!("`--generated` makes histories for curators, not for `{slot}`");
                    return Err(CommandError::new(Kind::Usage, message));
                }
                records::compare(world, &engine, slot, &rules, since, out)?
            }
            Slot::Provenance => {
                let message = "no writes are recorded with all that they were judged by, so judges are compared on cases";
                return Err(CommandError::new(Kind::Usage, message)
                    .hint("name files of cases behind the two")
                    .hint(format!("every write that a rule can tell apart: skillkeep policy show {other} --table")));
            }
        }
    };
    if global.json {
        let mut json = print::json(&found, names, slot);
        if let (Some(passes), Some(json)) = (&on_passes, json.as_object_mut()) {
            json.insert("passes".to_owned(), passes.json());
        }
        out.json(&json)?;
    } else {
        // Where there is no history yet, passes are all that there is to tell.
        let both = [
            (on_passes.is_none() || found.snapshots > 0).then(|| print::text(&found, names)),
            on_passes.as_ref().map(|passes| passes.text(names)),
        ];
        out.text(&both.into_iter().flatten().collect::<Vec<_>>().join("\n"))?;
    }
    let differ = found.count() + on_passes.map_or(0, |passes| passes.found.count());
    Ok(if differ == 0 { ExitCode::SUCCESS } else { ExitCode::from(Kind::Finding.status()) })
}

/// A day, at whose beginning it is meant in UTC, or a time.
fn day(text: &str) -> Result<Instant, CommandError> {
    if let Ok(at) = parse_now(&format!("{}T00:00:00Z", text.trim())) {
        return Ok(at);
    }
    parse_now(text).map_err(|_| {
        let found = crate::skill::OneLine::capped(text, 60);
        let message = format!("found `{found}`, expected a day or a time");
        CommandError::new(Kind::Usage, message).hint("--since 2026-08-01")
    })
}

/// The slot that was named, or the only one that the first rule decides.
fn slot(
    world: &World<'_>,
    engine: &Engine,
    rule: &str,
    named: Option<&str>,
) -> Result<Slot, CommandError> {
    if let Some(word) = named {
        return of_slot(word);
    }
    let slots = slots_of(world, engine, rule)?;
    match slots.as_slice() {
        [only] => Ok(*only),
        several => {
            let words: Vec<String> = several.iter().map(|slot| format!("`{slot}`")).collect();
            let message = format!("`{rule}` decides {}", words.join(", "));
            Err(CommandError::new(Kind::Usage, message)
                .hint("`--slot SLOT` says in which of them they are compared"))
        }
    }
}

fn terms(world: &World<'_>) -> Terms {
    Terms {
        // Nothing is judged here, so every day up to now is compared.
        window: 1,
        every: 1,
        combine: combine(world),
        stale_is_named: world.config.curator.stale != StaleForm::Count,
    }
}

fn history(
    world: &World<'_>,
    global: &Global,
    args: &CompareArgs,
    terms: &Terms,
    out: &mut Output<'_>,
) -> Result<History, CommandError> {
    match &args.generated {
        None => of_home(world, global, args.all, terms, out),
        Some(word) => {
            let kind = HistoryKind::from_word(word).ok_or_else(|| no_kind(word))?;
            let (skills, days, seed) = (args.skills, args.days, args.seed);
            Ok(Generated { kind, skills, days, after: terms.window, seed }.history())
        }
    }
}

fn curators(
    engine: &Engine,
    history: &History,
    terms: Terms,
    rules: &[Rule; 2],
    since: Option<Instant>,
) -> Result<Differences, CommandError> {
    let [one, other] = rules.each_ref().map(|rule| rule.contender(engine));
    Differences::on_history(history, terms, [&one, &other], since).map_err(|(who, why)| {
        let message = format!("`{who}` gave no answer that counts: {why}");
        CommandError::new(Kind::Finding, message)
    })
}
