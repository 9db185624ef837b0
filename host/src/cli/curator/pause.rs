//! `skillkeep curator pause`, `resume`: whether passes begin by themselves.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    change::ChangeError,
    cli::{Global, options::RootArgs, output::Output},
    ledger::{Access, PassPhase},
    skill::Actor,
    system::System,
    world::{World, error::CommandError, pass::is_under_way, store::Store},
};

/// Pause passes, or let them begin again.
#[derive(Debug, Args)]
#[command(
    after_help = "A pause stops passes that begin by themselves. `skillkeep curator run` works all the same. Whoever calls may pause; only a person resumes.\n\nExample: skillkeep curator pause"
)]
pub struct PauseArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Pauses them. It only makes less happen, so whoever calls may do it.
pub fn pause(
    system: &dyn System,
    global: &Global,
    args: &PauseArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let store = opened(system, global, args, out)?;
    let before = store.ledger.standing()?.paused;
    if before.is_none() && !args.dry_run {
        store.ledger.pause(Some(store.disk.now()))?;
    }
    let since = store.ledger.standing()?.paused;
    let under_way = is_under_way(&store);
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.pause/1", "dry-run": args.dry_run, "paused": since,
            "was-paused": before.is_some(), "pass-under-way": under_way,
        }))?;
    } else {
        out.text(&match (before, args.dry_run) {
            (Some(since), _) => format!("paused already, since {since}\n"),
            (None, true) => "would pause: no pass would begin by itself\n".to_owned(),
            (None, false) => {
                "paused: no pass begins by itself until skillkeep curator resume\n".to_owned()
            }
        })?;
    }
    if under_way {
        out.note(match by_itself(&store)? {
            true => "a pass is being made, and ends with its next step",
            false => "a person's pass is being made, and a pause doesn't end it",
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Lets them begin again.
pub fn resume(
    system: &dyn System,
    global: &Global,
    args: &PauseArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let store = opened(system, global, args, out)?;
    if store.actor != Actor::Person {
        return Err(ChangeError::PersonOnly { verb: "resume passes", actor: store.actor }.into());
    }
    let before = store.ledger.standing()?.paused;
    if before.is_some() && !args.dry_run {
        store.ledger.pause(None)?;
    }
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.pause/1", "dry-run": args.dry_run,
            "paused": store.ledger.standing()?.paused,
            "was-paused": before.is_some(), "pass-under-way": is_under_way(&store),
        }))?;
    } else {
        out.text(&match (before, args.dry_run) {
            (None, _) => "it is not paused\n".to_owned(),
            (Some(since), true) => format!("would resume: it is paused since {since}\n"),
            (Some(since), false) => format!("resumed: it was paused since {since}\n"),
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn opened<'a>(
    system: &'a dyn System,
    global: &Global,
    args: &PauseArgs,
    out: &mut Output<'_>,
) -> Result<Store<'a>, CommandError> {
    // Nothing of the library is needed for it.
    let world = World::unread(system, &global.at(&args.roots))?;
    Store::open(system, &world, if args.dry_run { Access::Read } else { Access::Add }, out)
}

/// Whether the pass that is being made began by itself.
fn by_itself(store: &Store<'_>) -> Result<bool, CommandError> {
    let newest = store.ledger.passes(1)?.into_iter().next();
    Ok(newest.is_none_or(|it| it.phase != PassPhase::Open || it.actor == Actor::Curator))
}
