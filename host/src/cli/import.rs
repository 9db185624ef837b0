//! `skillkeep import`

mod hermes;
mod print;
mod view;
mod writes;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{
    Global,
    given::Given,
    options::{ReasonArgs, RootArgs},
    output::Output,
};
use crate::{
    adapters::{
        Said,
        progressive::{RecordsError, read_progressive_records},
        takeover::{Inputs, Plan, WritePlan, plan},
    },
    change::{ChangeError, Done, Target},
    skill::Actor,
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        noting::Noted,
        store::{self, Store},
    },
};

use hermes::find as find_home;
use print::{Did, Printed};
use writes::Queue;

pub use hermes::Home;
pub use view::View;

/// Take over what another program knows of skills.
#[derive(Debug, Args)]
#[command(
    after_help = "hermes[:FOLDER]   a Hermes home [default: $HERMES_HOME, or ~/.hermes]; a profile is a home of its own\nprogressive FILE  Progressive Skill's usage file\n\nCounts with their times, pins, stale and archived states, who made a skill, and which skills jobs name. No file of a skill is moved or written: what Hermes archived stays where it lies, and `restore` brings it back from there once the root is owned. Only pins in roots that this home owns are written there.\n\nWrites that wait in a Hermes home for its user's word (`pending/skills`) wait here too once the root is owned: `pending` lists them, and none is done before a person approves it. Hermes records no base, so the base is what lies there at the import. What can't be taken is told by its file and why, and a later import looks at it again. Hermes's own records stay.\n\nA second run takes only what is new, and undoes nothing that was decided here since. What means no skill, and what isn't understood, is listed and counted nowhere. It is a person's alone, after the plan and a question.\n\nExamples:\n  skillkeep import hermes --dry-run\n  skillkeep import hermes:~/.hermes/profiles/work"
)]
pub struct ImportArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Where from: hermes, hermes:FOLDER, or progressive
    source: String,

    /// The usage file, for progressive
    file: Option<String>,

    /// Don't ask
    #[arg(long)]
    yes: bool,

    /// Show the plan, and take nothing over
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Where something is taken over from.
enum Asked<'a> {
    Hermes(Option<PathBuf>),
    Progressive(&'a str),
}

/// Plans, asks, takes over.
pub fn import(
    system: &dyn System,
    global: &Global,
    args: &ImportArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let asked = asked(args)?;
    let open = if args.dry_run { store::look } else { store::open };
    let (world, store, noted) = open(system, &global.at(&args.roots), out)?;
    if store.actor != Actor::Person && !args.dry_run {
        return Err(ChangeError::PersonOnly { verb: "import", actor: store.actor }.into());
    }
    let planned = prepare(&world, &store, &noted, asked)?;
    let Planned { plan, home } = &planned;
    let queue = home.as_ref().map(|(home, view)| Queue {
        world: &world,
        store: &store,
        noted: &noted,
        home,
        view,
        plan,
    });
    let mut writes = WritePlan::default();
    if let Some(queue) = queue.as_ref().filter(|queue| !queue.home.pending.is_empty()) {
        store.seat_judges(&world, out)?;
        writes = queue.plan()?;
    }
    let printed = |writes, done| Printed {
        world: &world,
        plan,
        home: home.as_ref().map(|(home, _)| home),
        writes,
        done,
    };
    let is_news = plan.is_news || !writes.taken.is_empty();
    if args.dry_run || !is_news {
        let done = (!args.dry_run).then(Did::default);
        printed(&writes, done.as_ref()).result(global, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        out.note(printed(&writes, None).text().trim_end());
        consent(system, &args.source, out)?;
    }
    let changes = take_over(&store, &noted, plan, &args.why)?;
    let mut did = Did { changes, ..Did::default() };
    let taken = match &queue {
        Some(queue) => queue.take(&writes, &mut did)?,
        None => WritePlan::default(),
    };
    printed(&taken, Some(&did)).result(global, out)?;
    Ok(ExitCode::SUCCESS)
}

/// What would be taken over of what a program says; of a Hermes home, with the home and what it sees.
struct Planned {
    plan: Plan,
    home: Option<(Home, View)>,
}

fn prepare(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &Noted,
    asked: Asked<'_>,
) -> Result<Planned, CommandError> {
    Ok(match asked {
        Asked::Hermes(folder) => {
            let home = Home::read(world, find_home(world, folder.as_deref())?);
            home.must_be_root(world, noted)?;
            let view = View::of_home(world, store, noted, &home)?;
            let plan = planned(store, &home.said, &view, &home.spellings)?;
            Planned { plan, home: Some((home, view)) }
        }
        Asked::Progressive(file) => {
            let said = progressive(world.system, file)?;
            let view = View::of_all(world, store, noted)?;
            Planned { plan: planned(store, &said, &view, &[])?, home: None }
        }
    })
}

fn asked(args: &ImportArgs) -> Result<Asked<'_>, CommandError> {
    let wrong = |message: String| {
        CommandError::new(Kind::Usage, message)
            .hint("skillkeep import hermes[:FOLDER], or skillkeep import progressive FILE")
    };
    match (args.source.split_once(':'), args.source.as_str(), args.file.as_deref()) {
        (None, "hermes", None) => Ok(Asked::Hermes(None)),
        (Some(("hermes", folder)), _, None) if !folder.is_empty() => {
            Ok(Asked::Hermes(Some(PathBuf::from(folder))))
        }
        (None, "hermes", Some(folder)) => {
            Err(wrong(format!("found `hermes {folder}`, expected `hermes:{folder}`")))
        }
        (None, "progressive", Some(file)) => Ok(Asked::Progressive(file)),
        (None, "progressive", None) => {
            Err(wrong("the usage file of Progressive Skill is missing".to_owned()))
        }
        (_, source, _) => {
            let source = crate::skill::OneLine::capped(source, 60);
            Err(wrong(format!("found `{source}`, expected `hermes` or `progressive`")))
        }
    }
}

fn progressive(system: &dyn System, file: &str) -> Result<Said, CommandError> {
    let bytes = Given::new(system).bytes(file)?;
    let path = PathBuf::from(file);
    let place = system.resolve(&path).unwrap_or(path);
    read_progressive_records(&bytes, &place.to_string_lossy()).map_err(|error| {
        let hint = match error {
            RecordsError::OfHermes => "skillkeep import hermes",
            RecordsError::Foreign(_) => {
                "give Progressive Skill's `usage.json`, {\"NAME\": {\"count\": 3, \"last_used\": 1786622400}}"
            }
        };
        CommandError::new(Kind::Usage, format!("`{file}` is not taken over: {error}")).hint(hint)
    })
}

/// The plan for what a program says.
///
/// # Errors
/// Where the ledger can't be read.
pub fn planned(
    store: &Store<'_>,
    said: &Said,
    view: &View,
    tops: &[String],
) -> Result<Plan, CommandError> {
    let taken = store.ledger.taken()?;
    let names = view.names();
    Ok(plan(&Inputs {
        said,
        taken: &taken,
        archive: &view.archive,
        named: &|name| view.named(&names, name),
        tops,
        now: store.disk.now(),
    }))
}

/// Does what the plan says: pins that lie in roots first, since they are changes of their own and can be made again; then
/// all else at once.
fn take_over(
    store: &Store<'_>,
    noted: &Noted,
    plan: &Plan,
    why: &ReasonArgs,
) -> Result<Vec<Done>, CommandError> {
    let mut by = store.by(why)?;
    if by.reason.is_empty() {
        by.reason = format!("pinned in {}", plan.takeover.source.place);
    }
    let mut changes = Vec::new();
    for id in &plan.pins_in_roots {
        let Some(skill) = store.ledger.skill(*id)? else { continue };
        let root = noted.roots.iter().flatten().find(|(root, _)| *root == skill.root);
        let Some((root, path)) = root else { continue };
        let target = Target { id: *id, folder: &skill.folder };
        match store.keeper(*root, path)?.pin(target, &by) {
            Ok(done) => changes.push(done),
            Err(ChangeError::NoChange) => {}
            Err(error) => return Err(error.into()),
        }
    }
    store.ledger.take_over(&plan.takeover)?;
    Ok(changes)
}

fn consent(system: &dyn System, source: &str, out: &mut Output<'_>) -> Result<(), CommandError> {
    if !system.is_attended() {
        let message = "there is no terminal to ask at whether this is meant";
        return Err(CommandError::new(Kind::Usage, message)
            .hint(format!("skillkeep import {source} --dry-run, and then --yes")));
    }
    out.ask("take this over? [y/N]");
    let answer = system.line().unwrap_or_default().unwrap_or_default();
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(CommandError::new(Kind::Finding, "nothing was taken over"))
}
