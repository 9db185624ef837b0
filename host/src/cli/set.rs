//! `skillkeep set`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    options::{ReasonArgs, RootArgs},
    output::Output,
};
use crate::{
    change::{ChangeError, Done, choose},
    index::AGENTS,
    skill::{Choice, OneLine, nearest},
    system::System,
    world::{
        error::{CommandError, Kind},
        store::{self, Named, named},
    },
};

/// Choose how agents are shown a skill.
#[derive(Debug, Args)]
#[command(
    after_help = "auto    the policies decide\nfull    its whole description, always\nname    its name and no more\nmanual  not offered; who asks for it by name gets it\noff     no agent sees it\n\nWhat is chosen for one agent counts for that one before what is chosen for all. It moves no file, so the skill's root need not be owned.\n\nExample: skillkeep set deploy rollback manual --agent codex"
)]
pub struct SetArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skills: names, folders, category/name, or ids
    #[arg(required = true, num_args = 1.., value_name = "NAME")]
    names: Vec<String>,

    /// What to choose: auto, full, name, manual or off
    #[arg(value_parser = Choice::ALL.iter().map(|choice| choice.word()).collect::<Vec<_>>(), hide_possible_values = true)]
    choice: String,

    /// For this agent alone: claude-code, codex, openclaw, hermes, progressive, or another one's name
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Characters of an agent's name.
const LONGEST_AGENT: usize = 40;

/// Writes the choice down, a change a skill.
pub fn set(
    system: &dyn System,
    global: &Global,
    args: &SetArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let choice = Choice::from_word(&args.choice).unwrap_or_default();
    let agent = args.agent.as_deref();
    if let Some(agent) = agent {
        is_agent(agent, out)?;
    }
    let (world, store, noted) = store::open(system, &global.at(&args.roots), out)?;
    // All of them, before anything is written: a slip in the last name changes nothing.
    let mut skills: Vec<Named<'_>> = Vec::new();
    for name in &args.names {
        let skill = named(&world, &noted, name, out)?;
        if !skills.iter().any(|it| it.id == skill.id) {
            skills.push(skill);
        }
    }
    let (by, alone) = (store.by(&args.why)?, skills.len() == 1);
    let mut made: Vec<(&str, Done)> = Vec::new();
    let mut refused = None;
    for skill in &skills {
        match choose(store.disk, &store.ledger, skill.root.0, skill.id, agent, choice, &by) {
            Ok(done) => made.push((&skill.name, done)),
            Err(ChangeError::NoChange) if !alone => {
                out.note(&format!("`{}` is `{}` already", skill.name, choice.word()));
            }
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    if made.is_empty() {
        return Err(refused.unwrap_or(ChangeError::NoChange).into());
    }
    // What was done is told, whatever stopped the rest.
    told(global, (choice, agent), &made, out)?;
    refused.map_or(Ok(ExitCode::SUCCESS), |error| Err(error.into()))
}

fn told(
    global: &Global,
    (choice, agent): (Choice, Option<&str>),
    made: &[(&str, Done)],
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    if global.json {
        return out.json(&json!({
            "schema": "skillkeep.set/1",
            "choice": choice,
            "agent": agent,
            "changes": made.iter().map(|(name, done)| json!({
                "change": done.id.0, "skill": done.skill, "name": name,
            })).collect::<Vec<_>>(),
        }));
    }
    let whom = agent.map_or(String::new(), |agent| format!(" for {agent}"));
    for (name, done) in made {
        out.text(&format!("change {}: set `{name}` to `{}`{whom}\n", done.id.0, choice.word()))?;
    }
    Ok(())
}

/// An agent's name is a word. One that isn't known here may be meant all the same; what is like a known one is told.
fn is_agent(word: &str, out: &mut Output<'_>) -> Result<(), CommandError> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let known = || AGENTS.iter().map(|agent| agent.word);
    if word.is_empty() || word.len() > LONGEST_AGENT || !word.bytes().all(fits) {
        let found = OneLine::capped(word, 60);
        let message = format!(
            "found `{found}`, expected an agent's name: at most {LONGEST_AGENT} of a-z, 0-9 and -"
        );
        let hint = known().collect::<Vec<_>>().join(", ");
        return Err(CommandError::new(Kind::Usage, message).hint(format!("known here are {hint}")));
    }
    if let Some(near) = nearest(word, known()).filter(|near| *near != word) {
        out.warn(&format!("no agent is known here as `{word}`"));
        out.hint(&format!("did you mean `{near}`?"));
    }
    Ok(())
}
