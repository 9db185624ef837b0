//! `skillkeep archive`, `restore`, `pin`, `unpin`: where a skill is, and whether it stays.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::{CommandError, Kind},
    options::RootArgs,
    output::Output,
    staged::{self, Went, went},
    store::{self, Meant, Noted, Store, Why, meant},
};
use crate::{
    change::{Archived, By, ChangeError, Done, Keeper},
    ledger,
    system::System,
};

/// Put a skill into the archive.
#[derive(Debug, Args)]
pub struct ArchiveArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    #[command(flatten)]
    why: Why,
}

/// Bring a skill back from the archive.
#[derive(Debug, Args)]
#[command(after_help = "Of several archived copies the newest comes back.")]
pub struct RestoreArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its former folder, or its id
    name: String,

    #[command(flatten)]
    why: Why,
}

/// Pin a skill, or take a pin away.
#[derive(Debug, Args)]
pub struct PinArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    #[command(flatten)]
    why: Why,
}

/// Archives a skill.
pub fn archive(
    system: &dyn System,
    global: &Global,
    args: &ArchiveArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let asked = (&args.roots, args.name.as_str(), &args.why);
    let act = |it: &Meant<'_>, by: &By| it.keeper.archive(it.target(), by);
    if let Some(name) = change(system, global, asked, "archived", act, out)? {
        out.hint(&format!("to bring it back: skillkeep restore {name}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Pins a skill.
pub fn pin(
    system: &dyn System,
    global: &Global,
    args: &PinArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let asked = (&args.roots, args.name.as_str(), &args.why);
    let act = |it: &Meant<'_>, by: &By| it.keeper.pin(it.target(), by);
    change(system, global, asked, "pinned", act, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes a pin away.
pub fn unpin(
    system: &dyn System,
    global: &Global,
    args: &PinArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let asked = (&args.roots, args.name.as_str(), &args.why);
    let act = |it: &Meant<'_>, by: &By| it.keeper.unpin(it.target(), by);
    change(system, global, asked, "unpinned", act, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Does something with a skill of the library, and says so. Gives back the skill's name, unless it waits.
fn change(
    system: &dyn System,
    global: &Global,
    (roots, name, why): (&RootArgs, &str, &Why),
    done: &str,
    act: impl FnOnce(&Meant<'_>, &By) -> Result<Done, ChangeError>,
    out: &mut Output<'_>,
) -> Result<Option<String>, CommandError> {
    let (world, store, noted) = store::open(system, global, roots, out)?;
    let it = meant(&store, &world, &noted, name, out)?;
    match went(act(&it, &store.by(why)?))? {
        Went::Made(change) => told(global, &change, &format!("{done} `{}`", it.name), out)?,
        Went::Waits(staged) => {
            staged::tell(global, &staged, &it.name, out)?;
            return Ok(None);
        }
    }
    Ok(Some(it.name))
}

/// Restores a skill.
pub fn restore(
    system: &dyn System,
    global: &Global,
    args: &RestoreArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (_world, store, noted) = store::open(system, global, &args.roots, out)?;
    let (keeper, archived) = newest(&store, &noted, &args.name, out)?;
    let done = match went(keeper.restore(&archived, None, &store.by(&args.why)?))? {
        Went::Made(done) => done,
        Went::Waits(staged) => return staged::tell(global, &staged, &archived.sidecar.name, out),
    };
    for note in &done.notes {
        out.warn(note);
    }
    let what = format!("restored `{}` to `{}`", archived.sidecar.name, archived.sidecar.folder);
    told(global, &done, &what, out)?;
    Ok(ExitCode::SUCCESS)
}

/// The newest archived copy of a skill, by what it is called.
fn newest<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
    out: &mut Output<'_>,
) -> Result<(Keeper<'s>, Archived), CommandError> {
    let (found, names) = archived(store, noted, name)?;
    if let Some(copy) = found.into_iter().next() {
        return Ok(copy);
    }
    // What it was called before counts where nothing has the name now.
    if let ledger::Meant::One(id) = store.ledger.meant(name)?
        && let Some(copy) = archived(store, noted, &id.to_string())?.0.into_iter().next()
    {
        out.note(&format!("`{name}` was archived as `{}`", copy.1.sidecar.name));
        return Ok(copy);
    }
    Err(not_archived(name, &names))
}

/// Archived copies that a name means, each with its root's writer, and the names of all others.
type Copies<'s> = (Vec<(Keeper<'s>, Archived)>, Vec<String>);

/// The archived copies that a name, a former folder or an id means: root by root, the newest first.
///
/// # Errors
/// Where an archive can't be listed.
pub fn archived<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
) -> Result<Copies<'s>, CommandError> {
    let (mut found, mut names) = (Vec::new(), Vec::new());
    for (id, path) in noted.roots.iter().flatten() {
        let Ok(keeper) = store.keeper(*id, path) else { continue };
        for archived in keeper.archived()? {
            let it = &archived.sidecar;
            if it.name == name || it.folder == name || it.id.to_string() == name {
                found.push((store.keeper(*id, path)?, archived));
            } else {
                names.push(it.name.clone());
            }
        }
    }
    Ok((found, names))
}

/// What is said where nothing archived is called so.
pub fn not_archived(name: &str, names: &[String]) -> CommandError {
    let message = format!("no archived skill is called `{name}`");
    let near = crate::skill::nearest(name, names.iter().map(String::as_str));
    CommandError::new(Kind::Finding, message)
        .maybe_hint(near.map(|near| format!("did you mean `{near}`?")))
}

/// Says what was done, and how to take it back.
pub fn told(
    global: &Global,
    done: &Done,
    what: &str,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    if global.json {
        return out.json(&json!({
            "schema": "skillkeep.change/1",
            "change": done.id.0,
            "skill": done.skill,
            "what": what,
            "notes": done.notes,
        }));
    }
    out.text(&format!("change {}: {what}\n", done.id.0))
}
