//! `skillkeep tools` and `skillkeep call`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Global,
    given::Given,
    options::{RootArgs, agent_word},
    output::{Output, columns},
};
use crate::{
    skill::nearest,
    system::System,
    tools::{Tool, Toolbox, trouble::Retry},
    world::{
        Where,
        error::{CommandError, Kind},
    },
};

/// Print the tools that agents call.
#[derive(Debug, Args)]
#[command(
    after_help = "With `--json`, or for one tool, their schemas are printed: what an agent's own program needs to offer them.\n\nExample: skillkeep tools skill_write"
)]
pub struct ToolsArgs {
    /// One of them
    name: Option<String>,
}

/// Prints the tools, or the schemas of one.
pub fn tools(
    global: &Global,
    args: &ToolsArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    if let Some(name) = &args.name {
        out.json(&named(name)?.json())?;
    } else if global.json {
        let tools: Vec<Json> = Tool::ALL.iter().map(|tool| tool.json()).collect();
        out.json(&json!({ "schema": "skillkeep.tools/1", "tools": tools }))?;
    } else {
        let lines = Tool::ALL.map(|tool| vec![tool.word().to_owned(), tool.title().to_owned()]);
        out.text(&columns(&lines))?;
        out.hint("skillkeep tools --json");
    }
    Ok(ExitCode::SUCCESS)
}

/// Call one of the tools as an agent does.
#[derive(Debug, Args)]
#[command(
    after_help = "The answer is JSON on standard output. So is a refusal, which says what to do next; then the exit status is 1, and 2 where the call itself is wrong.\n\nExamples:\n  skillkeep call skills_list '{\"query\": \"postmortem\"}'\n  skillkeep call skill_write - --session 7 < write.json"
)]
pub struct CallArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The tool: skills_list, skill_view, skill_write or skill_rate
    tool: String,

    /// What it is given, as JSON; `-` is standard input [default: {}]
    #[arg(value_name = "JSON")]
    input: Option<String>,

    /// The agent that calls, such as codex: what a person chose for it holds
    #[arg(long, value_name = "AGENT", value_parser = agent_word)]
    agent: Option<String>,

    /// The session that it calls in
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Calls a tool.
pub fn call(
    system: &dyn System,
    global: &Global,
    args: &CallArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let tool = named(&args.tool)?;
    let text = match args.input.as_deref() {
        None => b"{}".to_vec(),
        Some("-") => Given::new(system).bytes("-")?,
        Some(text) => text.as_bytes().to_vec(),
    };
    let input: Json = serde_json::from_slice(&text).map_err(|error| {
        CommandError::new(Kind::Usage, format!("what `{}` is given is no JSON: {error}", args.tool))
            .hint(format!("skillkeep tools {}", tool.word()))
    })?;
    // Whoever tries a tool by hand gets what an agent gets.
    let place = Where { for_agents: true, ..global.at(&args.roots) };
    let (agent, session) = (args.agent.clone(), args.session.clone());
    let called =
        Toolbox { system, place, warm: None, agent, session, generation: None }.call(tool, &input);
    out.json(&called.json())?;
    Ok(match called.answer {
        Ok(_) => ExitCode::SUCCESS,
        Err(refusal) => ExitCode::from(match refusal.retry {
            Retry::Corrected if refusal.is_input => Kind::Usage.status(),
            _ => Kind::Finding.status(),
        }),
    })
}

fn named(word: &str) -> Result<Tool, CommandError> {
    Tool::from_word(word).ok_or_else(|| {
        let words = Tool::ALL.map(Tool::word);
        let error = CommandError::new(Kind::Usage, format!("there is no tool `{word}`"));
        match nearest(word, words) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("there are {}", words.join(", "))),
        }
    })
}
