//! `skillkeep policy`

mod build;
mod new;
mod table;
mod test;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use skillkeep_build::About;

use super::{
    Global,
    options::{DecisionArgs, Plan},
    output::{Output, columns},
};
use crate::{
    decision::Slot,
    policy::{BUILTINS, Builtin, Info, Inspection, Limits, LoadError, Loaded, Source, inspect},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        policies::{component, engine, in_use},
    },
};

/// Policies: the rules that decide.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// List the policies that come with the host, and which decide
    List(ListArgs),
    /// Say what a component is, what it asks for, and whether this host would load it
    Show(ShowArgs),
    /// Make the crate of a new policy, with cases that pass
    New(new::NewArgs),
    /// Build a policy's crate into a component
    Build(build::BuildArgs),
    /// Try a policy by itself: on its cases, on the laws of good rules, and for its costs
    Test(test::TestArgs),
}

/// Arguments of `policy list`.
#[derive(Debug, Args)]
pub struct ListArgs {}

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
        PolicyCommand::List(_) => list(&world, global, out),
        PolicyCommand::Show(args) if args.table => table::table(&world, global, &args.policy, out),
        PolicyCommand::Show(args) => show(&world, global, args, out),
        PolicyCommand::New(args) => new::new(&world, global, args, out),
        PolicyCommand::Build(args) => build::build(&world, global, args, out),
        PolicyCommand::Test(args) => test::test(&world, global, args, out),
    }
}

fn list(
    world: &World<'_>,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let plan = Plan::new(world, &DecisionArgs::default())?;
    let deciding_in = |slot: Slot| -> Vec<String> {
        if slot == Slot::Provenance {
            return in_use(&world.config, slot);
        }
        let own = || Builtin::of_slot(slot).map(|builtin| builtin.name.to_owned());
        plan.policies.get(&slot).cloned().or_else(own).into_iter().collect()
    };
    let engine = engine(world)?;
    let (mut rows, mut records) = (
        vec![["SLOT", "POLICY", "VERSION", "FROM", "WHAT"].map(str::to_owned).to_vec()],
        Vec::new(),
    );
    let mut failed = false;
    for slot in Slot::ALL {
        let mut names = deciding_in(slot);
        let deciding = names.len();
        for builtin in BUILTINS.iter().filter(|builtin| builtin.slot == slot) {
            if !names.iter().any(|name| name == builtin.name) {
                names.push(builtin.name.to_owned());
            }
        }
        if names.is_empty() {
            rows.push(vec![slot.to_string(), "none yet".to_owned()]);
        }
        for (number, name) in names.iter().enumerate() {
            let decides = number < deciding;
            let given = plan.settings.get(&slot).map_or(&[][..], Vec::as_slice);
            let loaded = component(world.system, name).and_then(|(source, bytes)| {
                Loaded::load(&engine, source, &bytes, Some(slot), given)
            });
            let mark = if decides { "" } else { " (not in use)" };
            match loaded {
                Ok(policy) => {
                    rows.push(vec![
                        slot.to_string(),
                        format!("{}{mark}", policy.info.name),
                        policy.info.version.to_string(),
                        policy.source.to_string(),
                        policy.info.summary.to_string(),
                    ]);
                    records.push(json!({
                        "slot": slot,
                        "decides": decides,
                        "name": policy.info.name,
                        "version": policy.info.version,
                        "source": policy.source.to_string(),
                        "digest": policy.inspection.digest,
                        "summary": policy.info.summary,
                        "error": null,
                    }));
                }
                Err(error) => {
                    failed |= decides;
                    rows.push(vec![
                        slot.to_string(),
                        format!("{name}{mark}"),
                        String::new(),
                        name.clone(),
                        format!("FAILED: {error}"),
                    ]);
                    records.push(json!({
                        "slot": slot,
                        "decides": decides,
                        "source": name,
                        "error": { "code": error.code(), "message": error.to_string(), "hint": error.hint() },
                    }));
                }
            }
        }
    }
    if global.json {
        out.json(&json!({ "schema": "skillkeep.policies/1", "policies": records }))?;
    } else {
        out.text(&columns(&rows))?;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn show(
    world: &World<'_>,
    global: &Global,
    args: &ShowArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (source, bytes) = component(world.system, &args.policy)?;
    let inspected = inspect(&bytes);
    let loaded = Loaded::load(&engine(world)?, source.clone(), &bytes, None, &[]);
    let about = skillkeep_build::about(&bytes);
    let report = Report {
        source: &source,
        bytes: bytes.len(),
        inspected: inspected.as_ref().ok(),
        loaded: &loaded,
        about: about.as_ref(),
        cases: skillkeep_build::cases(&bytes).into_iter().map(|(name, _)| name).collect(),
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
