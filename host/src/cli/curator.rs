//! `skillkeep curator`: what becomes of skills that nobody uses, and what a person says about it.

use std::process::ExitCode;

use clap::Subcommand;

use super::{Global, keep, output::Output};
use crate::{system::System, world::error::CommandError};

mod adopt;
mod archive;
mod archived;
mod backup;
mod pause;
mod print;
mod prune;
mod run;
mod several;
mod status;
mod tick;
mod unmanaged;
mod usage;

/// The curator: passes that let skills go stale or archive them, and what you say about it.
#[derive(Debug, Subcommand)]
pub enum CuratorCommand {
    /// Say what is in its care and what isn't, when the next pass may run, and what it waits for
    Status(status::StatusArgs),
    /// Say of every skill how it was used, whose it is, and whether it is in the curator's care
    Usage(usage::UsageArgs),
    /// Make a pass: show its plan, ask, and carry it out
    Run(run::RunArgs),
    /// Begin a pass if one is due, and return at once: for a timer, or the start of a session
    Tick(tick::TickArgs),
    /// Let no pass begin by itself; one that is being made ends with its next step
    Pause(pause::PauseArgs),
    /// Let passes begin by themselves again
    #[command(
        after_help = "Whoever calls may pause; only a person resumes.\n\nExample: skillkeep curator resume"
    )]
    Resume(pause::PauseArgs),
    /// Pin a skill: no rule retires it
    #[command(after_help = "Example: skillkeep curator pin incident")]
    Pin(keep::SkillArgs),
    /// Take a pin away
    #[command(after_help = "Example: skillkeep curator unpin incident")]
    Unpin(keep::SkillArgs),
    /// List the skills that are not in its care, and why
    ListUnmanaged(unmanaged::UnmanagedArgs),
    /// Give skills into its care
    Adopt(adopt::AdoptArgs),
    /// Put skills into the archive, but for what a job names
    Archive(archive::ArchiveArgs),
    /// Archive all in its care that nothing was done with for so many days
    Prune(prune::PruneArgs),
    /// Bring a skill back from the archive, to its old place
    #[command(
        after_help = "Of several archived copies the newest comes back. What somebody else put back in its place meanwhile gives way to it.\n\nExample: skillkeep curator restore old-forms"
    )]
    Restore(keep::RestoreArgs),
    /// List the archive: since when each skill is there, by which pass, and why
    ListArchived(archived::ArchivedArgs),
    /// Make a snapshot of all skills in the home's care
    Backup(backup::BackupArgs),
    /// Go back to a snapshot, or list them
    Rollback(backup::RollbackArgs),
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
        CuratorCommand::Usage(args) => usage::usage(system, global, args, out),
        CuratorCommand::Run(args) => run::run(system, global, args, out),
        CuratorCommand::Tick(args) => tick::tick(system, global, args, out),
        CuratorCommand::Pause(args) => pause::pause(system, global, args, out),
        CuratorCommand::Resume(args) => pause::resume(system, global, args, out),
        CuratorCommand::Pin(args) => keep::pin(system, global, args, out),
        CuratorCommand::Unpin(args) => keep::unpin(system, global, args, out),
        CuratorCommand::ListUnmanaged(args) => unmanaged::list(system, global, args, out),
        CuratorCommand::Adopt(args) => adopt::adopt(system, global, args, out),
        CuratorCommand::Archive(args) => archive::archive(system, global, args, out),
        CuratorCommand::Prune(args) => prune::prune(system, global, args, out),
        CuratorCommand::Restore(args) => keep::restore(system, global, args, out),
        CuratorCommand::ListArchived(args) => archived::list(system, global, args, out),
        CuratorCommand::Backup(args) => backup::backup(system, global, args, out),
        CuratorCommand::Rollback(args) => backup::rollback(system, global, args, out),
    }
}

pub use status::line;
