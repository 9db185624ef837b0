//! `skillkeep rate`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Global, options::RootArgs, output::Output};
use crate::{
    system::System,
    tools::rate::{self, Outcome, RateRequest},
    world::error::CommandError,
};

/// Say how a skill did.
#[derive(Debug, Args)]
#[command(
    after_help = "It is evidence for rules that weigh skills by how they did, and changes no file.\n\nExample: skillkeep rate incident-first-hour corrected --note \"the pager number is another one\""
)]
pub struct RateArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, category/name, or its id
    name: String,

    /// How it did: success (it helped), failure (it didn't) or corrected (it had to be)
    #[arg(hide_possible_values = true)]
    outcome: Outcome,

    /// What there is to say about it, in one line
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// The session that it was used in
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Writes it down.
pub fn rate(
    system: &dyn System,
    global: &Global,
    args: &RateArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let RateArgs { name, outcome, note, .. } = args;
    let asked = RateRequest { name: name.clone(), outcome: *outcome, note: note.clone() };
    let place = global.at(&args.roots);
    let (event, name) = rate::rate(system, &place, &asked, args.session.as_deref(), out)?;
    let word = event.kind.word();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.rate/1",
            "skill": event.skill,
            "name": name,
            "outcome": word,
            "actor": event.actor,
            "session": event.session,
            "note": event.note,
        }))?;
    } else {
        out.text(&format!("rated `{name}`: {word}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
