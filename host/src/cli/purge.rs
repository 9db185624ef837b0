//! `skillkeep purge`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    keep::{archived, told},
    options::{ReasonArgs, RootArgs},
    output::Output,
};
use crate::{
    change::{Archived, ChangeError, Keeper, PurgePlan},
    library::Resolution,
    record::Records,
    skill::Actor,
    system::{At, System},
    world::{
        World, counted,
        error::{CommandError, Kind},
        noting::Noted,
        pass::{PassRecords, forget_plans},
        store::{self, Store},
    },
};

/// Erase an archived skill for good.
#[derive(Debug, Args)]
#[command(
    after_help = "This is the one thing that can't be undone, and a person's alone: for a secret that got into a skill. It erases the archived files and all former texts of the skill that no other skill has, and says where copies may remain. A skill in the library is archived first."
)]
pub struct PurgeArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The archived skill: its name, its former folder, or its id
    name: String,

    /// Don't ask
    #[arg(long)]
    yes: bool,

    /// Show what would be erased, and erase nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Erases an archived skill.
pub fn purge(
    system: &dyn System,
    global: &Global,
    args: &PurgeArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let open = if args.dry_run { store::look } else { store::open };
    let (world, store, noted) = open(system, &global.at(&args.roots), out)?;
    if store.actor != Actor::Person && !args.dry_run {
        return Err(ChangeError::PersonOnly { verb: "purge", actor: store.actor }.into());
    }
    let (keeper, archived) = one(&world, &store, &noted, &args.name)?;
    let plan = keeper.purge_plan(&archived)?;
    let records = Records::new(store.disk, &store.home.path);
    let holding = records.holding(&store.ledger, plan.skill)?;
    let of_passes = PassRecords::new(store.disk, &store.home.path);
    let passes = of_passes.holding(plan.skill)?;
    let name = archived.sidecar.name.as_str();
    let text = told_plan(&plan, &archived, holding.len() + passes.len());
    if args.dry_run {
        if global.json {
            out.json(&json!({
                "schema": "skillkeep.purge/1",
                "dry-run": true,
                "skill": plan.skill,
                "name": name,
                "archived": archived.sidecar.at.to_string(),
                "files": plan.files,
                "bytes": plan.bytes,
                "objects": plan.objects,
                "records": holding.iter().chain(passes.iter().map(|it| &it.name)).collect::<Vec<_>>(),
                "remain": plan.remain,
            }))?;
        } else {
            out.text(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    out.note(text.trim_end());
    if !args.yes {
        consent(system, name, out)?;
    }
    // First what is of no use any more, then the skill: whoever is cut off between the two can begin again.
    let by = store.by(&args.why)?;
    records.erase(&holding)?;
    of_passes.erase(&passes)?;
    forget_plans(&world, &store, plan.skill)?;
    forget_caches(&world, &store)?;
    let done = keeper.purge(plan, &by)?;
    told(global, &done, &format!("erased `{name}`"), out)?;
    Ok(ExitCode::SUCCESS)
}

fn consent(system: &dyn System, name: &str, out: &mut Output<'_>) -> Result<(), CommandError> {
    if !system.is_attended() {
        let message = "there is no terminal to ask at whether this is meant";
        return Err(CommandError::new(Kind::Usage, message)
            .hint(format!("skillkeep purge {name} --dry-run, and then --yes")));
    }
    out.ask(&format!("erase `{name}` for good? [y/N]"));
    let answer = system.line().unwrap_or_default().unwrap_or_default();
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(CommandError::new(Kind::Finding, "nothing was erased"))
}

fn told_plan(plan: &PurgePlan, archived: &Archived, records: usize) -> String {
    let it = &archived.sidecar;
    let mut text = format!(
        "`{}`, archived at {}, skill {}\n\nis erased for good:\n",
        it.name, it.at, plan.skill
    );
    let files = counted(plan.files.len(), "file");
    text.push_str(&format!("  {files}, {}\n", counted(plan.bytes as usize, "byte")));
    for path in &plan.files {
        text.push_str(&format!("    {}\n", crate::skill::OneLine::new(path)));
    }
    text.push_str(&format!(
        "  {} that no other skill has\n  {} of what indexes and passes were decided from\n\ncopies may remain in:\n",
        counted(plan.objects.len(), "former text"),
        counted(records, "record"),
    ));
    for place in &plan.remain {
        text.push_str(&format!("  {place}\n"));
    }
    text
}

/// Removes caches that hold texts of skills; they are made again.
fn forget_caches(world: &World<'_>, store: &Store<'_>) -> Result<(), CommandError> {
    let Some(cache) = &world.home.cache else { return Ok(()) };
    let Ok(top) = store.disk.resolve(cache) else { return Ok(()) };
    for file in World::TEXTS {
        match store.disk.remove_file(At { top: &top, below: file }) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = world.shorten(&top.join(file));
                let message = format!("the cache `{path}` can't be removed: {error}");
                return Err(CommandError::new(Kind::Fault, message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The one archived skill that a name means. Of several none is: what is erased can't be chosen by guessing.
fn one<'s>(
    world: &World<'_>,
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
) -> Result<(Keeper<'s>, Archived), CommandError> {
    let (mut found, names) = archived(store, noted, name)?;
    match (found.pop(), found.len()) {
        (Some(one), 0) => Ok(one),
        (Some(last), others) => {
            let message =
                format!("`{name}` is {} archived skills; the id tells them apart", others + 1);
            let all = found.iter().chain(std::iter::once(&last));
            Err(all.fold(CommandError::new(Kind::Finding, message), |error, (_, it)| {
                let (id, at) = (it.sidecar.id, it.sidecar.at);
                error.hint(format!("skillkeep purge {id} erases the one of {at}"))
            }))
        }
        (None, _) => {
            if let Resolution::One(_) = world.library.resolve(name) {
                let message =
                    format!("`{name}` is in the library; only what is archived is erased");
                return Err(CommandError::new(Kind::Finding, message)
                    .hint(format!("skillkeep archive {name}; then skillkeep purge {name}")));
            }
            Err(super::keep::not_archived(name, &names))
        }
    }
}
