//! `skillkeep policy build`

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;
use skillkeep_build::{BuildError, Built, Package, Toolchain};

use super::{
    super::{Global, output::Output},
    test::cant,
};
use crate::{
    decision::Slot,
    policy::{Loaded, Source},
    skill::nearest,
    world::{
        World,
        error::{CommandError, Kind},
        policies::engine,
    },
};

/// Arguments of `policy build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The folder of the policy's crate
    #[arg(name = "CRATE", default_value = ".")]
    folder: PathBuf,

    /// Where the component is written [default: NAME.wasm in the crate's folder]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn build(
    world: &World<'_>,
    global: &Global,
    args: &BuildArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let built = build_crate(&args.folder, out)?;
    let about = &built.about;
    let file = match &args.output {
        Some(file) => file.clone(),
        None => args.folder.join(format!("{}.wasm", about.name)),
    };
    // What this host would not load is no result.
    let policy =
        Loaded::load(&engine(world)?, Source::File(file.clone()), &built.bytes, None, &[])?;
    world.system.publish(&file, &built.bytes).map_err(|error| cant("write", &file, &error))?;
    if policy.info.name.as_str() != about.name {
        out.warn(&format!(
            "the policy calls itself `{}`, and its crate is `{}`",
            policy.info.name, about.name
        ));
    }
    let file = file.strip_prefix(".").unwrap_or(&file).display().to_string();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.policy-build/1",
            "file": file,
            "bytes": built.bytes.len(),
            "digest": policy.inspection.digest,
            "name": about.name,
            "version": about.version,
            "slot": built.slot,
            "source": about.source,
            "cases": built.cases,
        }))?;
    } else {
        out.text(&format!("{file}\n"))?;
        let cases = match built.cases.len() {
            0 => "no cases".to_owned(),
            1 => "its cases".to_owned(),
            count => format!("{count} files of cases"),
        };
        out.note(&format!(
            "{} {} for {}: {} bytes, with {cases} in it",
            about.name,
            about.version,
            built.slot,
            built.bytes.len()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds a crate, saying what is done while it takes its time.
pub fn build_crate(folder: &Path, out: &mut Output<'_>) -> Result<Built, CommandError> {
    let package = Package::read(folder)?;
    let toolchain = Toolchain::find()?;
    out.note(&format!("building {} with {}", package.name, toolchain.version));
    Ok(skillkeep_build::build(&toolchain, &package)?)
}

/// The slot of a word that a person typed.
pub fn of_slot(word: &str) -> Result<Slot, CommandError> {
    Slot::from_word(word).ok_or_else(|| {
        let words = Slot::ALL.map(Slot::word).join("`, `");
        let error = CommandError::new(
            Kind::Usage,
            format!("found the slot `{word}`, expected one of `{words}`"),
        );
        let near = nearest(word, Slot::ALL.map(Slot::word));
        error.maybe_hint(near.map(|near| format!("did you mean `{near}`?")))
    })
}

impl From<BuildError> for CommandError {
    fn from(error: BuildError) -> CommandError {
        let kind = match &error {
            BuildError::NoCrate(_) => Kind::Usage,
            error if error.is_the_crates() => Kind::Finding,
            _ => Kind::Fault,
        };
        error
            .hints()
            .into_iter()
            .fold(CommandError::new(kind, error.to_string()), CommandError::hint)
    }
}
