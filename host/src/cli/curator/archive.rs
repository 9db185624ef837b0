//! `skillkeep curator archive`

use std::process::ExitCode;

use clap::Args;

use super::several::{Made, Refused, Several};
use crate::{
    change::ChangeError,
    cli::{
        Global,
        keep::opened,
        options::{ReasonArgs, RootArgs},
        output::Output,
    },
    curator::in_a_row,
    skill::Actor,
    system::System,
    tools::write::{Went, Writer},
    world::{error::CommandError, pass::jobs, store::Meant},
};

/// Put skills into the archive.
#[derive(Debug, Args)]
#[command(
    after_help = "What is pinned stays, always. What a job names stays as well, unless a person says `--force`.\n\nExample: skillkeep curator archive old-notes draft-mails"
)]
pub struct ArchiveArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skills: names, folders, category/name, or ids
    #[arg(required = true, num_args = 1.., value_name = "NAME")]
    names: Vec<String>,

    /// Archive what jobs name as well: a person's word
    #[arg(long)]
    force: bool,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Archives them, a change each.
pub fn archive(
    system: &dyn System,
    global: &Global,
    args: &ArchiveArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = opened(system, global, &args.roots, args.dry_run, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let (world, store, _) = &opened;
    let actor = store.by(&args.why)?.actor;
    if args.force && actor != Actor::Person {
        return Err(ChangeError::PersonOnly { verb: "archive what jobs name", actor }.into());
    }
    let jobs = jobs(world, &store.ledger)?;
    // All of them, before anything is moved: a slip in the last name changes nothing.
    let mut meant: Vec<Meant<'_>> = Vec::new();
    for name in &args.names {
        let it = writer.meant(name, out)?;
        if !meant.iter().any(|other| other.id == it.id) {
            meant.push(Meant { keeper: it.keeper.despite_jobs(args.force), ..it });
        }
    }
    let (mut done, mut refused) = (Vec::new(), Vec::new());
    for it in meant {
        let named = jobs.of(it.id, &it.name, &it.folder);
        if !named.is_empty() && !args.force {
            refused.push(named_by_jobs(&it.name, &named));
            continue;
        }
        match act(&writer, &it, args.dry_run) {
            Ok(made) => done.push(made),
            Err(error) => refused.push(Refused::of(&it.name, error)),
        }
    }
    Several { schema: "skillkeep.curator-archive/1", dry_run: args.dry_run, done, refused }
        .tell(global, out)
}

fn act(writer: &Writer<'_, '_>, it: &Meant<'_>, dry_run: bool) -> Result<Made, CommandError> {
    let made =
        |change, what, pending| Made { change, skill: it.id, name: it.name.clone(), what, pending };
    if dry_run {
        let waits = writer.would_archive(it)?;
        let waits =
            waits.map_or(String::new(), |why| format!("; it would wait for a person: {why}"));
        return Ok(made(None, format!("would archive `{}`{waits}", it.name), None));
    }
    Ok(match writer.archive(it)? {
        Went::Made(done) => made(Some(done.id.0), format!("archived `{}`", it.name), None),
        Went::Waits(staged) => {
            let id = staged.id.to_string();
            let what = format!(
                "`{}` is staged as {id}, waits for a person: skillkeep pending diff {id}",
                it.name
            );
            made(None, what, Some(id))
        }
    })
}

/// That jobs name a skill, and which.
fn named_by_jobs(name: &str, jobs: &[String]) -> Refused {
    Refused {
        name: name.to_owned(),
        why: format!("not archived: jobs name it: {}", in_a_row(jobs)),
        hint: Some("change the jobs first, or say `--force`".to_owned()),
    }
}
