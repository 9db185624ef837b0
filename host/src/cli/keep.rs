//! `skillkeep archive`, `restore`, `pin`, `unpin`: where a skill is, and whether it stays.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    options::{ReasonArgs, RootArgs},
    output::Output,
    staged,
    written::again,
};
use crate::{
    change::{Archived, By, ChangeError, Done, Keeper, Target, is_put_away_elsewhere},
    ledger::Meant as Called,
    skill::{SkillId, State},
    system::System,
    tools::{
        Call,
        trouble::Trouble,
        write::{Went, Writer},
    },
    world::{
        error::{CommandError, Kind},
        noting::Noted,
        store::{self, Meant, Opened, Store, meant},
    },
};

/// Bring a skill back from the archive.
#[derive(Debug, Args)]
#[command(after_help = "Of several archived copies the newest comes back.")]
pub struct RestoreArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its former folder, or its id; or one archived copy of it, by its own
    name: String,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Put a skill into the archive, pin it, or take its pin away.
#[derive(Debug, Args)]
pub struct SkillArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Archives a skill.
pub fn archive(
    system: &dyn System,
    global: &Global,
    args: &SkillArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let place = global.at(&args.roots);
    let opened = store::open(system, &place, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let refused = |trouble: Trouble| {
        let call = Call::new("archive", &args.name, "", &trouble);
        again(system, &place, &args.why, &call, trouble.into())
    };
    let it = writer.meant(&args.name, out).map_err(refused)?;
    let done = match writer.archive(&it).map_err(refused)? {
        Went::Made(done) => done,
        Went::Waits(staged) => return staged::tell(global, &staged, &it.name, out),
    };
    told(global, &done, &format!("archived `{}`", it.name), out)?;
    out.hint(&format!("to bring it back: skillkeep restore {}", it.name));
    Ok(ExitCode::SUCCESS)
}

/// Pins a skill.
pub fn pin(
    system: &dyn System,
    global: &Global,
    args: &SkillArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = store::open(system, &global.at(&args.roots), out)?;
    let act = |it: &Meant<'_>, by: &By| it.keeper.pin(it.target(), by);
    change(global, &opened, (&args.name, &args.why), "pinned", act, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Takes a pin away.
pub fn unpin(
    system: &dyn System,
    global: &Global,
    args: &SkillArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = store::open(system, &global.at(&args.roots), out)?;
    let act = |it: &Meant<'_>, by: &By| it.keeper.unpin(it.target(), by);
    change(global, &opened, (&args.name, &args.why), "unpinned", act, out)?;
    Ok(ExitCode::SUCCESS)
}

/// Does something with a skill of the library, and says so.
fn change(
    global: &Global,
    (world, store, noted): &Opened<'_>,
    (name, why): (&str, &ReasonArgs),
    done: &str,
    act: impl FnOnce(&Meant<'_>, &By) -> Result<Done, ChangeError>,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    let it = meant(store, world, noted, name, out)?;
    told(global, &act(&it, &store.by(why)?)?, &format!("{done} `{}`", it.name), out)
}

/// Restores a skill.
pub fn restore(
    system: &dyn System,
    global: &Global,
    args: &RestoreArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = store::open(system, &global.at(&args.roots), out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let (_, store, noted) = &opened;
    let by = store.by(&args.why)?;
    let (keeper, archived) = newest(store, noted, &args.name, &by, out)?;
    let done = match writer.restore(&keeper, &archived)? {
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

/// The newest archived copy of a skill, by what it is called; taken from another program's archive where it lies there.
fn newest<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
    by: &By,
    out: &mut Output<'_>,
) -> Result<(Keeper<'s>, Archived), CommandError> {
    let (found, names) = archived(store, noted, name)?;
    if let Some(copy) = found.into_iter().next() {
        return Ok(copy);
    }
    // What it was called before, or by its header, counts where nothing has the name now.
    let called = match store.ledger.meant(name)? {
        Called::One(id) => vec![id],
        Called::Many(ids) => ids,
        Called::None => Vec::new(),
    };
    if let Some(copy) =
        copies(store, noted, |it| called.contains(&it.sidecar.id))?.0.into_iter().next()
    {
        out.note(&format!("`{name}` was archived as `{}`", copy.1.sidecar.name));
        return Ok(copy);
    }
    for id in called {
        if let Some(copy) = from_elsewhere(store, noted, id, by)? {
            return Ok(copy);
        }
    }
    Err(not_archived(name, &names))
}

/// A skill that lies in another program's archive, taken into ours.
fn from_elsewhere<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    id: SkillId,
    by: &By,
) -> Result<Option<(Keeper<'s>, Archived)>, CommandError> {
    let record = store.ledger.skill(id)?;
    let Some(record) =
        record.filter(|it| it.state == State::Archived && is_put_away_elsewhere(&it.folder))
    else {
        return Ok(None);
    };
    let root = noted.roots.iter().flatten().find(|(root, _)| *root == record.root);
    let Some((root, path)) = root else { return Ok(None) };
    let keeper = store.keeper(*root, path)?;
    let archived = keeper.take_from_elsewhere(Target { id, folder: &record.folder }, by)?;
    Ok(Some((keeper, archived)))
}

/// Archived copies that a name means, each with its root's writer, and the names of all others.
type Copies<'s> = (Vec<(Keeper<'s>, Archived)>, Vec<String>);

/// The archived copies that a word means ([`Archived::is_called`]): root by root, the newest first.
///
/// # Errors
/// Where an archive can't be listed.
pub fn archived<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
) -> Result<Copies<'s>, CommandError> {
    copies(store, noted, |it| it.is_called(name))
}

fn copies<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    is_meant: impl Fn(&Archived) -> bool,
) -> Result<Copies<'s>, CommandError> {
    let (mut found, mut names) = (Vec::new(), Vec::new());
    for (id, path) in noted.roots.iter().flatten() {
        let Ok(keeper) = store.keeper(*id, path) else { continue };
        for archived in keeper.archived()? {
            if is_meant(&archived) {
                found.push((store.keeper(*id, path)?, archived));
            } else {
                names.push(archived.sidecar.name);
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
