//! `skillkeep policy`

mod backtest;
mod build;
mod change;
mod compare;
mod effects;
mod list;
mod new;
mod off;
mod passes;
mod rollback;
mod rules;
mod servers;
mod table;
mod test;
mod use_policy;

use std::{path::Path, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;
use skillkeep_build::About;

pub use self::list::fallback;
use self::use_policy::Way;
use super::{
    Global,
    output::{Output, columns},
};
use crate::{
    config::from_home,
    decision::{Allowance, Slot},
    lock::{Lock, Pin},
    policy::{Info, Inspection, Limits, LoadError, Loaded, Source, digest, inspect},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        gate::Gate,
        policies::{allowance, component, engine, in_use},
    },
};

/// Policies: the rules that decide.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// List who decides in each slot, whether it is what you said yes to, and who could decide
    List(list::ListArgs),
    /// Use a policy in a slot from now on, after a look at what it decides otherwise
    Use(use_policy::UseArgs),
    /// Use one more policy in a slot that takes several
    Add(use_policy::UseArgs),
    /// Use the policy that comes with the host again, or one less of several
    Off(off::OffArgs),
    /// Go back to the policies that were used before
    Rollback(rollback::RollbackArgs),
    /// Say what a component is, what it asks for, and whether this host would load it
    Show(ShowArgs),
    /// Make the crate of a new policy, with cases that pass
    New(new::NewArgs),
    /// Build a policy's crate into a component
    Build(build::BuildArgs),
    /// Try a policy by itself: on its cases, on the laws of good rules, and for its costs
    Test(test::TestArgs),
    /// Try curators' rules on the past: what they would have retired, and what was wanted after that
    Backtest(backtest::BacktestArgs),
    /// Compare two rules on the snapshots of the past: every decision that differs, by its reasons
    Compare(compare::CompareArgs),
}

/// Arguments of `policy show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A component's file, or the name of a policy that comes with the host; with `--table` also `provenance`, for
    /// whoever judges writes
    policy: String,

    /// Print what becomes of every write, by who writes, what is done, whose it is, and what protects it
    #[arg(long)]
    table: bool,
}

/// Runs a subcommand.
pub fn policy(
    system: &dyn System,
    global: &Global,
    command: &PolicyCommand,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::without_library(system, global.home.as_deref())?;
    match command {
        PolicyCommand::List(_) => list::list(&world, global, out),
        PolicyCommand::Use(args) => use_policy::use_policy(&world, global, args, Way::Instead, out),
        PolicyCommand::Add(args) => use_policy::use_policy(&world, global, args, Way::Beside, out),
        PolicyCommand::Off(args) => off::off(&world, global, args, out),
        PolicyCommand::Rollback(args) => rollback::rollback(&world, global, args, out),
        PolicyCommand::Show(args) if args.table => table::table(&world, global, &args.policy, out),
        PolicyCommand::Show(args) => show(&world, global, args, out),
        PolicyCommand::New(args) => new::new(&world, global, args, out),
        PolicyCommand::Build(args) => build::build(&world, global, args, out),
        PolicyCommand::Test(args) => test::test(&world, global, args, out),
        PolicyCommand::Backtest(args) => backtest::backtest(&world, global, args, out),
        PolicyCommand::Compare(args) => compare::compare(&world, global, args, out),
    }
}

fn show(
    world: &World<'_>,
    global: &Global,
    args: &ShowArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (source, bytes) = component(world.system, &args.policy)?;
    let inspected = inspect(&bytes);
    let slot = inspected.as_ref().ok().and_then(|it| it.slots.first().copied());
    let quarantined = slot
        .and_then(|slot| Gate::open(world, false).quarantined(slot, &args.policy, &digest(&bytes)));
    let loaded = match quarantined {
        // What its bytes say is known without running any of it.
        Some(why) => Err(why.into()),
        None => Loaded::load(&engine(world)?, source.clone(), &bytes, None, &[]),
    };
    let about = skillkeep_build::about(&bytes);
    let report = Report {
        source: &source,
        bytes: bytes.len(),
        inspected: inspected.as_ref().ok(),
        loaded: &loaded,
        about: about.as_ref(),
        cases: skillkeep_build::cases(&bytes).into_iter().map(|(name, _)| name).collect(),
        standings: standings(world, &source, &digest(&bytes)),
    };
    if global.json {
        out.json(&report.json())?;
    } else {
        out.text(&report.text())?;
    }
    match &loaded {
        Ok(_) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            let hint = error.hint();
            Err(CommandError::new(Kind::Finding, format!("this host would not load it: {error}"))
                .maybe_hint(hint))
        }
    }
}

/// What is known of a component, however far it got.
struct Report<'a> {
    source: &'a Source,
    bytes: usize,
    inspected: Option<&'a Inspection>,
    loaded: &'a Result<Loaded, LoadError>,
    about: Option<&'a About>,
    cases: Vec<String>,
    standings: Vec<Standing>,
}

/// What somebody said of a component in a slot.
struct Standing {
    slot: Slot,
    /// Whether the settings name it.
    used: bool,
    pin: Option<Pin>,
    /// How much of the usual limits whoever decides there may use.
    within: Allowance,
    /// Why it would not be loaded there, if it wouldn't.
    withheld: Option<LoadError>,
}

/// The slots in which the settings name a component, or in which somebody said yes to it.
fn standings(world: &World<'_>, source: &Source, sha256: &str) -> Vec<Standing> {
    let Source::File(path) = source else { return Vec::new() };
    let gate = Gate::open(world, false);
    let (home, nothing) = (&world.config.home, Lock::default());
    let lock = gate.lock().unwrap_or(&nothing);
    let resolved = |path: &Path| world.system.resolve(path).ok();
    let same = |name: &str| {
        let named = from_home(world.system, home, name);
        resolved(Path::new(&named)).is_some_and(|named| Some(named) == resolved(path))
    };
    let mut standings = Vec::new();
    for slot in Slot::ALL {
        let name = in_use(&world.config, slot).into_iter().find(|name| same(name));
        let pin = lock
            .pin(slot, same)
            .or_else(|| lock.pinned.iter().find(|pin| pin.slot == slot && pin.sha256 == sha256));
        if name.is_some() || pin.is_some() {
            let withheld = name.as_ref().and_then(|name| gate.admit(slot, name).err());
            let within = allowance(&world.config, slot);
            let (used, pin) = (name.is_some(), pin.cloned());
            standings.push(Standing { slot, used, pin, within, withheld });
        }
    }
    standings
}

impl Standing {
    fn text(&self) -> String {
        let used = if self.used { "used" } else { "not used" };
        let pinned = match &self.pin {
            Some(pin) => format!("pinned {} by {} as {}", pin.at, pin.by, pin.sha256),
            None => "not pinned".to_owned(),
        };
        let loaded = match &self.withheld {
            Some(why) => format!("; NOT LOADED: {why}"),
            None => String::new(),
        };
        let limits = match self.within.is_usual() {
            true => String::new(),
            false => format!("; limits there: {}", self.within),
        };
        format!("{} ({used}): {pinned}{limits}{loaded}", self.slot)
    }
}

impl Report<'_> {
    fn json(&self) -> serde_json::Value {
        let info = self.loaded.as_ref().ok().map(|policy| &policy.info);
        let error = self.loaded.as_ref().err();
        json!({
            "schema": "skillkeep.policy/1",
            "source": self.source.to_string(),
            "bytes": self.bytes,
            "digest": self.inspected.map(|i| i.digest.clone()),
            "worlds": self.inspected.map(|i| i.slots.iter().map(|s| format!("{s}-policy")).collect::<Vec<_>>()),
            "imports": self.inspected.map(|i| i.imports.iter().map(|import| import.name.clone()).collect::<Vec<_>>()),
            "exports": self.inspected.map(|i| i.exports.clone()),
            "source-hash": self.about.map(|about| about.source.clone()),
            "cases": self.cases,
            "name": info.map(|i| i.name.clone()),
            "version": info.map(|i| i.version.clone()),
            "summary": info.map(|i| i.summary.clone()),
            "needs": info.map(|i| i.needs.clone()),
            "wants": info.map(|i| i.wants.clone()),
            "parameters": info.map(|i| i.parameters.iter().map(|p| json!({
                "key": p.key, "type": p.default.value_type().word(), "default": p.default, "doc": p.doc,
            })).collect::<Vec<_>>()),
            "reasons": info.map(|i| i.reasons.clone()),
            "in": self.standings.iter().map(|it| json!({
                "slot": it.slot,
                "used": it.used,
                "pin": it.pin,
                "limits": (!it.within.is_usual()).then_some(it.within),
                "withheld": it.withheld.as_ref().map(|why| json!({ "code": why.code(), "message": why.to_string() })),
            })).collect::<Vec<_>>(),
            "loads": self.loaded.is_ok(),
            "error": error.map(|e| json!({ "code": e.code(), "message": e.to_string(), "hint": e.hint() })),
        })
    }

    fn text(&self) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
        if let Ok(policy) = self.loaded {
            row("policy", policy.title());
            row("summary", policy.info.summary.to_string());
        }
        row("from", self.source.to_string());
        row("size", format!("{} bytes", self.bytes));
        if let Some(inspected) = self.inspected {
            row("sha256", inspected.digest.clone());
            row("worlds", or_none(inspected.slots.iter().map(|slot| format!("{slot}-policy"))));
            row("imports", or_none(inspected.imports.iter().map(|import| import.name.clone())));
            row("exports", or_none(inspected.exports.iter().cloned()));
        }
        for standing in &self.standings {
            row("in", standing.text());
        }
        if let Some(about) = self.about {
            row("built from", format!("{} {}, source {}", about.name, about.version, about.source));
        }
        if !self.cases.is_empty() {
            row("cases", self.cases.join(", "));
        }
        if let Ok(policy) = self.loaded {
            row("needs", or_none(policy.info.needs.iter().map(ToString::to_string)));
            row("wants", or_none(policy.info.wants.iter().map(ToString::to_string)));
            for slot in &policy.inspection.slots {
                let limits = Limits::of_decision(*slot, 1_000);
                row(
                    "limits",
                    format!(
                        "{slot}, at 1,000 rows: {} fuel, {} MiB of memory, {} KiB returned, {} s",
                        limits.fuel,
                        limits.memory >> 20,
                        limits.copied >> 10,
                        limits.ticks / 100
                    ),
                );
            }
        }
        let mut text = columns(&rows);
        if let Ok(policy) = self.loaded {
            text.push_str(&parameters(&policy.info));
            text.push_str(&reasons(&policy.info));
        }
        text.push_str(&format!("\nloads: {}\n", if self.loaded.is_ok() { "yes" } else { "no" }));
        text
    }
}

fn parameters(info: &Info) -> String {
    if info.parameters.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = info
        .parameters
        .iter()
        .map(|p| {
            let default = p.default.to_string();
            vec![
                format!("  {}", p.key),
                p.default.value_type().word().to_owned(),
                if default.is_empty() { "(empty)".to_owned() } else { default },
                p.doc.to_string(),
            ]
        })
        .collect();
    format!("\nparameters\n{}", columns(&rows))
}

fn reasons(info: &Info) -> String {
    if info.reasons.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = info
        .reasons
        .iter()
        .map(|(code, template)| vec![format!("  {code}"), template.to_string()])
        .collect();
    format!("\nreasons\n{}", columns(&rows))
}

fn or_none(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
