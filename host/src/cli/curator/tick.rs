//! `skillkeep curator tick`: never in anybody's way. Whether a pass is due is told in milliseconds; the pass itself is made by
//! a process of its own.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    cli::{Global, options::RootArgs, output::Output},
    ledger::Access,
    skill::Instant,
    system::System,
    world::{World, error::CommandError, pass::gate, store::Store},
};

/// Begin a pass if one is due.
#[derive(Debug, Args)]
#[command(
    after_help = "It returns at once, whatever is due: a pass is made beside it, and what came of it stands in `skillkeep curator status`.\n\nExample: skillkeep curator tick"
)]
pub struct TickArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Say nothing where no pass is due
    #[arg(long)]
    quiet: bool,
}

/// Looks whether a pass is due, and has it made.
pub fn tick(
    system: &dyn System,
    global: &Global,
    args: &TickArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let place = global.at(&args.roots);
    // Nothing of the library is read: whether it is time hangs on none of it.
    let world = World::unread(system, &place)?;
    let store = Store::open(system, &world, Access::Add, out)?;
    let now: Instant = store.disk.now();
    store.ledger.defer(now)?;
    let waits = gate(&world, &store.ledger, now)?.waits();
    let due = waits.is_empty();
    if due {
        begin(system, &world, args)?;
    }
    if global.json {
        out.json(&json!({ "schema": "skillkeep.tick/1", "due": due, "waits": waits }))?;
    } else if due {
        out.text("a pass begins; skillkeep curator status says what comes of it\n")?;
    } else if !args.quiet {
        let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
        out.text(&format!("no pass is due: {}\n", waits.join("; ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn begin(system: &dyn System, world: &World<'_>, args: &TickArgs) -> Result<(), CommandError> {
    let mut arguments = vec!["curator".to_owned(), "run".to_owned(), "--due".to_owned()];
    if let Some(home) = &world.home.path {
        arguments.extend(["--home".to_owned(), home.display().to_string()]);
    }
    for root in &args.roots.roots {
        arguments.extend(["--root".to_owned(), root.display().to_string()]);
    }
    let Some(program) = &world.program else { return Ok(()) };
    system.begin(program, &arguments).map_err(|error| {
        CommandError::new(
            crate::world::error::Kind::Fault,
            format!("a pass is due and could not be begun: {error}"),
        )
        .hint("skillkeep curator run --due")
    })
}
