//! `skillkeep curator tick`: never in anybody's way.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::{
    cli::{Global, options::RootArgs, output::Output},
    system::System,
    world::{error::CommandError, pass::begin_if_due},
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
    let waits = begin_if_due(system, &global.at(&args.roots), out)?;
    let due = waits.is_empty();
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
