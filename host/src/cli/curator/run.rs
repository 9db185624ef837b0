//! `skillkeep curator run`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{super::consent::ask, print};
use crate::{
    cli::{Global, options::RootArgs, output::Output},
    config::parse_now,
    curator::{Asked, Plan, Report},
    skill::{Actor, Instant, State},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        pass::{Curators, carry_out, gate, keep_plan, kept_plan, recorded_plan},
        store::{self, Store},
    },
};

/// Make a pass.
#[derive(Debug, Args)]
#[command(
    after_help = "A pass that a person asks for doesn't wait for the interval, and isn't bound by the blast radius: you see each skill first. Before the first one that archives anything you are asked at a terminal, whatever else is said.\n\nExample: skillkeep curator run --dry-run"
)]
pub struct RunArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Show the plan, change nothing, and keep it for `--plan`
    #[arg(long, conflicts_with = "plan")]
    dry_run: bool,

    /// Carry out a plan that was shown before; what is not as it was then is left
    #[arg(long, value_name = "ID")]
    plan: Option<String>,

    /// Don't ask; counts once you said yes to a pass at a terminal
    #[arg(long)]
    yes: bool,

    /// As one that begins by itself: only if one is due, and under its bounds
    #[arg(long, conflicts_with_all = ["plan", "dry_run"])]
    due: bool,

    /// Decide as at this time: RFC 3339 or seconds since 1970; what is written down has the real one
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// Makes a pass, or shows what it would do.
pub fn run(
    system: &dyn System,
    global: &Global,
    args: &RunArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let place = global.at(&args.roots);
    let now = args.now.as_deref().map(parse_now).transpose()?.unwrap_or_else(|| system.now());
    if args.dry_run {
        let world = World::own(system, &place)?;
        world.announce(out);
        let store = Store::open(system, &world, crate::ledger::Access::Read, out)?;
        return shown(global, (&world, &store), (asked_by(&store), now), out);
    }
    let (world, store, _) = store::open(system, &place, out)?;
    if !world.config.curator.enabled {
        let message = "there are no passes: `curator.enabled = false`";
        return Err(
            CommandError::new(Kind::Finding, message).hint("skillkeep curator run --dry-run")
        );
    }
    store.ledger.defer(store.disk.now())?;
    let asked = if args.due { Asked::Schedule } else { asked_by(&store) };
    if args.due {
        let waits = gate(&world, &store.ledger, now)?.waits();
        if !waits.is_empty() {
            let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
            out.note(&format!("no pass is due: {}", waits.join("; ")));
            return Ok(ExitCode::SUCCESS);
        }
    }
    let (plan, record, unmet) = match &args.plan {
        Some(id) => {
            let (plan, record) = kept_plan(&world, id, asked)?;
            (plan, record, 0)
        }
        None => {
            let curators = Curators::load(&world, out)?;
            recorded_plan(&world, &store, &curators, (asked, now), out)?
        }
    };
    if !global.json || asked == Asked::Person {
        out.note(print::plan(&plan, unmet).trim_end());
    }
    if asked == Asked::Person && !may(&store, &plan, args.yes, system, out)? {
        out.note("nothing was changed");
        return Ok(ExitCode::from(1));
    }
    store.seat_judges(&world, out)?;
    let carried = carry_out(&world, &store, (&plan, Some(&record)), out)?;
    let folder = carried.folder.as_deref().map(|folder| store.home.path.join(folder));
    let folder = folder.map(|folder| world.shorten(&folder));
    if global.json {
        out.json(&report_json(&carried.report, folder.as_deref()))?;
    } else {
        out.text(&print::report(&carried.report, folder.as_deref()))?;
    }
    let whole = carried.report.stopped.is_none() && plan.failed().is_none();
    let left = carried.report.counts.left > 0;
    Ok(if whole && !left { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// A person's pass is asked for by a person; whoever else asks gets one under the bounds of those that begin by themselves.
fn asked_by(store: &Store<'_>) -> Asked {
    if store.actor == Actor::Person { Asked::Person } else { Asked::Schedule }
}

/// Whether the plan may be carried out. Law `consent`: before the first one that retires anything a person at a terminal has
/// seen it and said yes.
pub(super) fn may(
    store: &Store<'_>,
    plan: &Plan,
    yes: bool,
    system: &dyn System,
    out: &mut Output<'_>,
) -> Result<bool, CommandError> {
    let retires = plan.to(State::Archived).count();
    if retires == 0 {
        return Ok(true);
    }
    if yes && store.ledger.standing()?.consent.is_some() {
        return Ok(true);
    }
    let question = format!("archive {}?", crate::world::counted(retires, "skill"));
    match ask(system, &question, out) {
        Some(true) => {
            store.ledger.consent(store.disk.now())?;
            Ok(true)
        }
        Some(false) => Ok(false),
        None => {
            let message = "nobody said yes yet at a terminal to a pass that archives, and here is nobody to ask";
            Err(CommandError::new(Kind::Finding, message)
                .hint("at a terminal: skillkeep curator run"))
        }
    }
}

fn shown(
    global: &Global,
    (world, store): (&World<'_>, &Store<'_>),
    (asked, now): (Asked, Instant),
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let curators = Curators::load(world, out)?;
    let (plan, record, unmet) = recorded_plan(world, store, &curators, (asked, now), out)?;
    let kept = keep_plan(world, &record);
    if global.json {
        out.json(&plan_json(&plan, unmet))?;
    } else {
        out.text(&print::plan(&plan, unmet))?;
        if let Some(id) = kept.filter(|_| !plan.is_empty()) {
            out.hint(&format!("to carry out this very plan: skillkeep curator run --plan {id}"));
        }
    }
    Ok(if plan.failed().is_some() { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

pub(super) fn plan_json(plan: &Plan, unmet: usize) -> Value {
    let mut json = json!({ "schema": "skillkeep.plan/1", "id": plan.id(), "unmet": unmet });
    merge(&mut json, serde_json::to_value(plan).unwrap_or_default());
    json
}

pub(super) fn report_json(report: &Report, folder: Option<&str>) -> Value {
    let mut json = json!({ "folder": folder });
    merge(&mut json, serde_json::to_value(report).unwrap_or_default());
    json
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
