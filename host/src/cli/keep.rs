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
    change::{Archived, By, ChangeError, Done, Keeper, Sidecar, Target, is_put_away_elsewhere},
    ledger::{Meant as Called, SkillRecord},
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

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

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

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

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
    let opened = opened(system, global, &args.roots, args.dry_run, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let refused = |trouble: Trouble| {
        let call = Call::new("archive", &args.name, "", &trouble);
        again(system, &place, &args.why, &call, trouble.into())
    };
    let it = writer.meant_to_go(&args.name, out).map_err(refused)?;
    if args.dry_run {
        let waits = writer.would_archive(&it)?;
        would(global, it.id, &format!("archive `{}`", it.name), waits.as_deref(), out)?;
        return Ok(ExitCode::SUCCESS);
    }
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
    let verb = Pinning {
        would: |it, by| it.keeper.would_pin(it.target(), by),
        act: |it, by| it.keeper.pin(it.target(), by),
        words: ("pin", "pinned"),
    };
    verb.go(system, global, args, out)
}

/// Takes a pin away.
pub fn unpin(
    system: &dyn System,
    global: &Global,
    args: &SkillArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let verb = Pinning {
        would: |it, by| it.keeper.would_unpin(it.target(), by),
        act: |it, by| it.keeper.unpin(it.target(), by),
        words: ("unpin", "unpinned"),
    };
    verb.go(system, global, args, out)
}

/// Pinning a skill or taking its pin away, foreseen and done.
struct Pinning {
    would: fn(&Meant<'_>, &By) -> Result<(), ChangeError>,
    act: fn(&Meant<'_>, &By) -> Result<Done, ChangeError>,
    words: (&'static str, &'static str),
}

impl Pinning {
    fn go(
        &self,
        system: &dyn System,
        global: &Global,
        args: &SkillArgs,
        out: &mut Output<'_>,
    ) -> Result<ExitCode, CommandError> {
        let (world, store, noted) = opened(system, global, &args.roots, args.dry_run, out)?;
        let it = meant(&store, &world, &noted, &args.name, out)?;
        let (by, (verb, done)) = (store.by(&args.why)?, self.words);
        if args.dry_run {
            (self.would)(&it, &by)?;
            would(global, it.id, &format!("{verb} `{}`", it.name), None, out)?;
        } else {
            told(global, &(self.act)(&it, &by)?, &format!("{done} `{}`", it.name), out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The world and its store, to be changed or only looked at.
///
/// # Errors
/// As [`store::open`] and [`store::look`].
pub fn opened<'a>(
    system: &'a dyn System,
    global: &Global,
    roots: &RootArgs,
    dry_run: bool,
    out: &mut Output<'_>,
) -> Result<Opened<'a>, CommandError> {
    let open = if dry_run { store::look } else { store::open };
    open(system, &global.at(roots), out)
}

/// Restores a skill.
pub fn restore(
    system: &dyn System,
    global: &Global,
    args: &RestoreArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = opened(system, global, &args.roots, args.dry_run, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let (_, store, noted) = &opened;
    let by = store.by(&args.why)?;
    let found = ours(store, noted, &args.name, out)?;
    let (keeper, archived) = match found {
        Found::Ours(copy) => *copy,
        Found::Elsewhere(id, folder) if args.dry_run => {
            let what = format!("take `{folder}` over from the other program, and restore it");
            would(global, id, &what, None, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        Found::Elsewhere(id, _) => from_elsewhere(store, noted, id, &by)?,
    };
    if args.dry_run {
        let waits = writer.would_restore(&keeper, &archived)?;
        let Sidecar { id, name, folder, .. } = &archived.sidecar;
        would(global, *id, &format!("restore `{name}` to `{folder}`"), waits.as_deref(), out)?;
        return Ok(ExitCode::SUCCESS);
    }
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

/// Where an archived skill lies.
enum Found<'s> {
    /// In an archive of ours.
    Ours(Box<(Keeper<'s>, Archived)>),
    /// In another program's: its id, and the folder there.
    Elsewhere(SkillId, String),
}

/// The newest archived copy of a skill, by what it is called.
fn ours<'s>(
    store: &'s Store<'_>,
    noted: &'s Noted,
    name: &str,
    out: &mut Output<'_>,
) -> Result<Found<'s>, CommandError> {
    let (found, names) = archived(store, noted, name)?;
    if let Some(copy) = found.into_iter().next() {
        return Ok(Found::Ours(Box::new(copy)));
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
        return Ok(Found::Ours(Box::new(copy)));
    }
    for id in called {
        let record = store.ledger.skill(id)?.filter(|it| it.state == State::Archived);
        let known = |it: &SkillRecord| noted.roots.iter().flatten().any(|(id, _)| *id == it.root);
        if let Some(it) = record.filter(|it| is_put_away_elsewhere(&it.folder) && known(it)) {
            return Ok(Found::Elsewhere(id, it.folder));
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
) -> Result<(Keeper<'s>, Archived), CommandError> {
    let record = store.ledger.skill(id)?.ok_or(ChangeError::NotArchived(id))?;
    let root = noted.roots.iter().flatten().find(|(root, _)| *root == record.root);
    let (root, path) = root.ok_or(ChangeError::NotArchived(id))?;
    let keeper = store.keeper(*root, path)?;
    let archived = keeper.take_from_elsewhere(Target { id, folder: &record.folder }, by)?;
    Ok((keeper, archived))
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

/// Says what would be done, and why it would wait, if it would.
///
/// # Errors
/// Where standard output can't be written.
pub fn would(
    global: &Global,
    skill: SkillId,
    what: &str,
    waits: Option<&str>,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    if global.json {
        return out.json(&json!({
            "schema": "skillkeep.change/1",
            "change": null,
            "dry-run": true,
            "skill": skill,
            "what": what,
            "waits": waits,
        }));
    }
    out.note("dry run: nothing is written");
    let waits = waits.map_or(String::new(), |why| format!("; it would wait for a person: {why}"));
    out.text(&format!("would {what}{waits}\n"))
}
