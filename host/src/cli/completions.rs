//! `skillkeep completions`

use crate::world::error::CommandError;
use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use super::output::Output;

/// Print a shell's completion script.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: skillkeep completions bash > ~/.local/share/bash-completion/completions/skillkeep"
)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub fn completions(args: &CompletionsArgs, out: &mut Output<'_>) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "skillkeep", &mut script);
    out.bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}
