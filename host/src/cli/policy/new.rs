//! `skillkeep policy new`

use crate::world::{
    World,
    error::{CommandError, Kind},
};
use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{
    super::{Global, output::Output},
    build::of_slot,
    test::cant,
};
use crate::scaffold::{Sdk, check_name, files};

/// Arguments of `policy new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// What the policy and its crate are called, such as `archive-unused`
    name: String,

    /// What it decides: demotion, budget, curator or provenance
    #[arg(long, value_name = "SLOT")]
    slot: String,

    /// The crate's folder [default: its name, below the working folder]
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,

    /// Depend on the SDK in this folder, instead of a copy in the crate
    #[arg(long, value_name = "FOLDER")]
    sdk: Option<PathBuf>,
}

/// Runs the command.
pub fn new(
    world: &World<'_>,
    global: &Global,
    args: &NewArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    check_name(&args.name).map_err(|bad| {
        let hint = bad.near.as_ref().map(|near| format!("did you mean `{near}`?"));
        CommandError::new(Kind::Usage, bad.to_string()).maybe_hint(hint)
    })?;
    let slot = of_slot(&args.slot)?;
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    if world.system.stat(&folder).is_ok() {
        let empty = world.system.list(&folder).is_ok_and(|entries| entries.is_empty());
        if !empty {
            return Err(is_there(&folder));
        }
    }
    let sdk = args.sdk.as_deref().map(|folder| sdk(world, folder)).transpose()?;
    let sdk = sdk.as_deref().map_or(Sdk::Copied, Sdk::Folder);
    let files = files(&args.name, slot, sdk);
    for (number, (path, text)) in files.iter().enumerate() {
        let path = folder.join(path);
        world.system.create(&path, text.as_bytes()).map_err(|error| match number {
            // Somebody else was at it since the look at the folder.
            0 if error.kind() == io::ErrorKind::AlreadyExists => is_there(&folder),
            0 => cant("write", &path, &error),
            _ => cant("write", &path, &error).hint(format!(
                "the crate is not whole: remove `{}` before you try again",
                folder.display()
            )),
        })?;
    }
    let shown = folder.display().to_string();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.policy-new/1",
            "name": args.name,
            "slot": slot,
            "folder": shown,
            "files": files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
        }))?;
    } else {
        out.text(&format!("{shown}\n"))?;
        out.note(&format!("a {slot} policy that works: the rule is src/lib.rs, what it answers is told in cases/rule.md"));
        out.hint(&format!("skillkeep policy test {shown}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn is_there(folder: &Path) -> CommandError {
    let message =
        format!("`{}` is there already, expected a new or an empty folder", folder.display());
    CommandError::new(Kind::Usage, message).hint("`--path FOLDER` names another")
}

/// The SDK's folder, which has to be one.
fn sdk(world: &World<'_>, folder: &Path) -> Result<PathBuf, CommandError> {
    let manifest = world.system.read(&folder.join("Cargo.toml"), 1 << 20).unwrap_or_default();
    if !String::from_utf8_lossy(&manifest).contains("name = \"skillkeep-policy\"") {
        let message = format!(
            "found no SDK in `{}`, expected the folder of `skillkeep-policy`",
            folder.display()
        );
        return Err(CommandError::new(Kind::Usage, message).hint(
            "in a checkout that is `guest-sdk`; without `--sdk` the SDK is copied into the crate",
        ));
    }
    world.system.resolve(folder).map_err(|error| cant("find", folder, &error))
}
