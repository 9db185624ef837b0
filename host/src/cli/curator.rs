//! `skillkeep curator`: what becomes of skills that nobody uses, and what a person says about it.

use std::process::ExitCode;

use clap::Subcommand;

use super::{Global, output::Output};
use crate::{system::System, world::error::CommandError};

mod print;
mod run;
mod status;
mod tick;

/// The curator: passes that let skills go stale or archive them, and what you say about it.
#[derive(Debug, Subcommand)]
pub enum CuratorCommand {
    /// Say what is in its care and what isn't, when the next pass may run, and what it waits for
    Status(status::StatusArgs),
    /// Make a pass: show its plan, ask, and carry it out
    Run(run::RunArgs),
    /// Begin a pass if one is due, and return at once: for a timer, or the start of a session
    Tick(tick::TickArgs),
}

/// Does what was asked.
pub fn curator(
    system: &dyn System,
    global: &Global,
    command: &CuratorCommand,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    match command {
        CuratorCommand::Status(args) => status::status(system, global, args, out),
        CuratorCommand::Run(args) => run::run(system, global, args, out),
        CuratorCommand::Tick(args) => tick::tick(system, global, args, out),
    }
}

pub use status::line;
