//! `skillkeep curator prune`

use std::process::ExitCode;

use clap::Args;

use super::{
    print,
    run::{may, plan_json, report_json},
};
use crate::{
    change::ChangeError,
    cli::{Global, keep::opened, options::RootArgs, output::Output},
    config::parse_now,
    curator::{self, Plan, Pruning},
    skill::{Actor, State},
    system::System,
    world::{
        World,
        error::CommandError,
        pass::{Ground, Wanting, carry_out},
        store::Store,
    },
};

/// Archive what nobody touched for long.
#[derive(Debug, Args)]
#[command(
    after_help = "Only what is in the curator's care is archived, and nothing that is pinned, protected, or came into its care since the last pass. What a job names stays unless a person says `--force`. It is carried out like a pass: with a report, and an undo for each skill.\n\nExample: skillkeep curator prune --days 180 --dry-run"
)]
pub struct PruneArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Whole days for which nothing was done with a skill, at least
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,

    /// Archive what jobs name as well
    #[arg(long)]
    force: bool,

    /// Don't ask; counts once you said yes to a pass at a terminal
    #[arg(long)]
    yes: bool,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Decide as at this time: RFC 3339 or seconds since 1970; what is written down has the real one
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// Prunes: shows its plan, asks, and carries it out.
pub fn prune(
    system: &dyn System,
    global: &Global,
    args: &PruneArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let now = args.now.as_deref().map(parse_now).transpose()?.unwrap_or_else(|| system.now());
    let (world, store, _) = opened(system, global, &args.roots, args.dry_run, out)?;
    if store.actor != Actor::Person && !args.dry_run {
        return Err(ChangeError::PersonOnly { verb: "prune", actor: store.actor }.into());
    }
    let ground = Ground::of(&world, &store, Wanting::default(), now)?;
    for note in &ground.notes {
        out.warn(note);
    }
    let how = Pruning { days: args.days, despite_jobs: args.force };
    let plan = curator::prune(&ground.subjects, how, now);
    if args.dry_run {
        if global.json {
            out.json(&plan_json(&plan, ground.unmet))?;
        } else {
            out.text(&print::plan(&plan, ground.unmet))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if plan.rows.is_empty() {
        if global.json {
            out.json(&plan_json(&plan, ground.unmet))?;
        } else {
            let days = crate::world::counted(args.days as usize, "day");
            out.text(&format!("nothing to prune: all in its care was touched within {days}\n"))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    out.note(print::plan(&plan, ground.unmet).trim_end());
    carried_out((&world, &store), &plan, args.yes, global, out)
}

fn carried_out(
    (world, store): (&World<'_>, &Store<'_>),
    plan: &Plan,
    yes: bool,
    global: &Global,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    if plan.to(State::Archived).count() == 0 {
        out.note("nothing was changed");
        return Ok(ExitCode::from(1));
    }
    if !may(store, plan, yes, world.system, out)? {
        out.note("nothing was changed");
        return Ok(ExitCode::from(1));
    }
    store.seat_judges(world, out)?;
    let carried = carry_out(world, store, (plan, None), out)?;
    let folder = carried.folder.as_deref().map(|folder| store.home.path.join(folder));
    let folder = folder.map(|folder| world.shorten(&folder));
    if global.json {
        out.json(&report_json(&carried.report, folder.as_deref()))?;
    } else {
        out.text(&print::report(&carried.report, folder.as_deref()))?;
    }
    let counts = carried.report.counts;
    let whole = carried.report.stopped.is_none() && counts.left == 0 && counts.held == 0;
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
