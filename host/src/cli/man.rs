//! `skillkeep man`

use crate::world::error::{CommandError, Kind};
use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::output::Output;
use crate::system::System;

/// Print the manual page, or write one for each command.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages.
pub fn man(
    system: &dyn System,
    args: &ManArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let mut root = super::command();
    root.build();
    let Some(folder) = &args.out else {
        out.bytes(&page(&root)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let mut written = Vec::new();
    let mut pages = vec![("skillkeep".to_owned(), root)];
    while let Some((name, command)) = pages.pop() {
        for sub in command.get_subcommands() {
            pages.push((format!("{name}-{}", sub.get_name()), sub.clone()));
        }
        let path = folder.join(format!("{name}.1"));
        system.replace(&path, &page(&command)?).map_err(|error| {
            CommandError::new(Kind::Fault, format!("can't write `{}`: {error}", path.display()))
        })?;
        written.push(path.display().to_string());
    }
    written.sort();
    out.text(&(written.join("\n") + "\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn page(command: &clap::Command) -> Result<Vec<u8>, CommandError> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|error| {
        CommandError::new(Kind::Fault, format!("can't make the manual page: {error}"))
    })?;
    Ok(page)
}
