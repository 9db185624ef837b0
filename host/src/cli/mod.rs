//! The command line: arguments in, text or JSON out. One file a command.
//!
//! *Invariant*: no rules live here. A command turns its arguments into values, calls the rooms that know, and prints
//! what they say. Results go to standard output, everything else to standard error.

mod check;
mod completions;
mod concerns;
mod consent;
mod curated;
mod curator;
mod edit;
mod editor;
mod eval;
mod export;
mod given;
mod home;
mod import;
mod index;
mod init;
mod keep;
mod known;
mod list;
mod log;
mod man;
mod new;
mod opening;
mod options;
mod output;
mod overview;
mod pending;
mod policy;
mod progressive;
mod purge;
mod rate;
mod records;
mod reference;
mod scan;
mod search;
mod serve;
mod set;
mod show;
mod slots;
mod staged;
mod tools;
mod why;
mod write;
mod written;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory as _, Parser, Subcommand};

pub use check::rules_reference;
pub use output::Output;
pub use reference::reference;

use crate::system::System;

/// Keeps an AI agent's skills: a small index that still finds the right one, decided by sandboxed rules that you can swap.
///
/// Without a command, prints an overview of the skills that are found on this machine.
#[derive(Debug, Parser)]
#[command(name = "skillkeep", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(
    after_help = "Exit status: 0 done, 1 a finding, a refusal or a fallback, 2 wrong usage, 3 a fault."
)]
struct Cli {
    #[command(flatten)]
    global: Global,

    #[command(flatten)]
    overview: overview::OverviewArgs,

    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, clap::Args)]
struct Global {
    /// Folder of skillkeep.toml and the caches [default: $SKILLKEEP_HOME, or skillkeep in the XDG data folder]
    #[arg(long, global = true, value_name = "FOLDER")]
    home: Option<PathBuf>,

    /// Print JSON instead of text
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the Level-0 block: which skills there are, within a limit
    Index(index::IndexArgs),
    /// Say why a skill is in the index or isn't, and what would change it
    Why(why::WhyArgs),
    /// Say whether the right skill gets found: rules compared by tasks, within limits
    Eval(eval::EvalArgs),
    /// List every skill that was found, the broken and the shadowed too
    List(list::ListArgs),
    /// Print a skill, one of its files, its outline, or one section
    Show(show::ShowArgs),
    /// Search the skills' names, descriptions and texts, the best hits first
    Search(search::SearchArgs),
    /// Check skills: what the standard forbids, and what keeps a skill from being found
    Check(check::CheckArgs),
    /// Make a home, and take folders of skills into its care
    Init(init::InitArgs),
    /// Take note of what is in the roots, and of what was changed there by others
    Scan(scan::ScanArgs),
    /// Make a skill, in a root that this home owns
    New(new::NewArgs),
    /// Edit a file of a skill in your editor
    Edit(edit::EditArgs),
    /// Write files of a skill, several as one change: for agents and scripts
    Write(write::WriteArgs),
    /// Put a skill into the archive, from where `restore` brings it back
    Archive(keep::SkillArgs),
    /// Bring a skill back from the archive, to its old place
    Restore(keep::RestoreArgs),
    /// Erase an archived skill for good
    Purge(purge::PurgeArgs),
    /// Pin a skill: no rule retires it
    Pin(keep::SkillArgs),
    /// Take a pin away
    Unpin(keep::SkillArgs),
    /// Say how a skill did: it helped, it didn't, or it had to be corrected
    Rate(rate::RateArgs),
    /// Choose for a skill how agents are shown it, or that they aren't
    Set(set::SetArgs),
    /// List changes, of all skills or of one: who changed what, when, and why
    Log(log::LogArgs),
    /// Show what a change did to files
    Diff(log::DiffArgs),
    /// Take a change back
    Undo(log::UndoArgs),
    /// Writes that wait for a person: list them, look at them, approve or reject them
    Pending(pending::PendingArgs),
    /// Take over what another program knows of skills: Hermes, or Progressive Skill
    Import(import::ImportArgs),
    /// Tell another program what is known of skills, for going back to it
    Export(export::ExportArgs),
    /// Serve agents by the Model Context Protocol, over standard input and output or HTTP
    Serve(serve::ServeArgs),
    /// Print the tools that agents call, with their schemas
    Tools(tools::ToolsArgs),
    /// Call one of the tools as an agent does
    Call(tools::CallArgs),
    /// The curator: what becomes of skills that nobody uses
    #[command(subcommand)]
    Curator(curator::CuratorCommand),
    /// Policies, the rules that decide: choose who is used, look at them, write, build and test one
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Answer as Progressive Skill's command line does, by the policies that stand for its rules
    #[command(subcommand)]
    Progressive(progressive::ProgressiveCommand),
    /// Print a shell's completion script
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(man::ManArgs),
}

/// The command line as clap knows it.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program: parses the arguments, does what they ask, and says how it went.
pub fn run(
    system: &dyn System,
    arguments: &[std::ffi::OsString],
    out: &mut Output<'_>,
) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are results; everything else is wrong usage.
            let text = error.render();
            return if error.use_stderr() {
                out.note_ansi(&text);
                ExitCode::from(2)
            } else {
                match out.text(&text.to_string()) {
                    Ok(()) => ExitCode::SUCCESS,
                    Err(error) => out.fail(&error),
                }
            };
        }
    };
    let result = match &cli.command {
        None => overview::overview(system, &cli.global, &cli.overview, out),
        Some(_) if cli.overview != overview::OverviewArgs::default() => {
            Err(overview::misplaced(arguments))
        }
        Some(Command::Index(args)) => index::index(system, &cli.global, args, out),
        Some(Command::Why(args)) => why::why(system, &cli.global, args, out),
        Some(Command::Eval(args)) => eval::eval(system, &cli.global, args, out),
        Some(Command::List(args)) => list::list(system, &cli.global, args, out),
        Some(Command::Show(args)) => show::show(system, &cli.global, args, out),
        Some(Command::Search(args)) => search::search(system, &cli.global, args, out),
        Some(Command::Check(args)) => check::check(system, &cli.global, args, out),
        Some(Command::Init(args)) => init::init(system, &cli.global, args, out),
        Some(Command::Scan(args)) => scan::scan(system, &cli.global, args, out),
        Some(Command::New(args)) => new::new(system, &cli.global, args, out),
        Some(Command::Edit(args)) => edit::edit(system, &cli.global, args, out),
        Some(Command::Write(args)) => write::write(system, &cli.global, args, out),
        Some(Command::Archive(args)) => keep::archive(system, &cli.global, args, out),
        Some(Command::Restore(args)) => keep::restore(system, &cli.global, args, out),
        Some(Command::Purge(args)) => purge::purge(system, &cli.global, args, out),
        Some(Command::Pin(args)) => keep::pin(system, &cli.global, args, out),
        Some(Command::Unpin(args)) => keep::unpin(system, &cli.global, args, out),
        Some(Command::Rate(args)) => rate::rate(system, &cli.global, args, out),
        Some(Command::Set(args)) => set::set(system, &cli.global, args, out),
        Some(Command::Log(args)) => log::log(system, &cli.global, args, out),
        Some(Command::Diff(args)) => log::diff(system, &cli.global, args, out),
        Some(Command::Undo(args)) => log::undo(system, &cli.global, args, out),
        Some(Command::Pending(args)) => pending::pending(system, &cli.global, args, out),
        Some(Command::Import(args)) => import::import(system, &cli.global, args, out),
        Some(Command::Export(args)) => export::export(system, &cli.global, args, out),
        Some(Command::Serve(args)) => serve::serve(system, &cli.global, args, out),
        Some(Command::Tools(args)) => tools::tools(&cli.global, args, out),
        Some(Command::Call(args)) => tools::call(system, &cli.global, args, out),
        Some(Command::Curator(command)) => curator::curator(system, &cli.global, command, out),
        Some(Command::Policy(command)) => policy::policy(system, &cli.global, command, out),
        Some(Command::Progressive(command)) => {
            progressive::progressive(system, &cli.global, command, out)
        }
        Some(Command::Completions(args)) => completions::completions(args, out),
        Some(Command::Man(args)) => man::man(system, args, out),
    };
    match result {
        Ok(code) => code,
        Err(error) => out.fail(&error),
    }
}
