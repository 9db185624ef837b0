//! `skillkeep init`

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{
    Global,
    caller::{TOKEN, TOKENS},
    error::{CommandError, Kind},
    options::RootArgs,
    output::{Output, columns, counted},
    store::{ID, LEDGER, Store},
    world::World,
};
use crate::{
    change::{ChangeError, Keeper},
    ledger::{Access, Ledger},
    skill::Actor,
    system::{At, Disk, System},
};

/// Make a home, and take folders of skills into its care.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a folder it makes the home and says which roots there are. A root is only read until it is taken: then skills in it can be written, archived, pinned and restored, by this home alone.\n\nExample: skillkeep init ~/.hermes/skills"
)]
pub struct InitArgs {
    /// Roots to take into ownership; each is one of those that are found, or named in skillkeep.toml
    folders: Vec<PathBuf>,

    /// Make what a review, a job or a sync shows in SKILLKEEP_TOKEN, so that its writes count as its own; a person's alone
    #[arg(long, value_name = "ACTOR", value_parser = ["review", "job", "sync"])]
    token: Vec<String>,
}

/// What a new home's config says.
const CONFIG: &str = "\
# Skillkeep's settings. Everything has a default; `skillkeep` shows what holds.

# Folders that skills are read from, instead of those that are found; the first that has a name counts.
# roots = [\"~/skills\", { path = \"/srv/skills\", label = \"team\" }]

# [writes]
# approval = \"on\"    # agents' writes wait for you: skillkeep pending

# [index]
# limit = 2000
# unit = \"tokens\"
";

/// Makes the home where it isn't there, and takes the folders.
pub fn init(
    system: &dyn System,
    global: &Global,
    args: &InitArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let unread = World::without_library(system, global)?;
    let (Some(disk), Some(home)) = (system.disk(), unread.home.path.clone()) else {
        return Err(CommandError::new(Kind::Usage, "there is no place for a home")
            .hint("name a folder with `--home FOLDER` or `SKILLKEEP_HOME`"));
    };
    let made = make(disk, &home)?;
    // An empty folder can be taken too: the first skill is made there.
    let world = World::own(system, global, &RootArgs::default())?;
    let store = Store::open(system, &world, Access::Write, out)?;
    let tokens = tokens(&store, &args.token, made)?;
    let mut taken = Vec::new();
    for folder in &args.folders {
        taken.push(take(&world, &store, folder)?);
    }
    let noted = store.note(&world)?;
    let roots: Vec<Standing> = world
        .library
        .roots
        .iter()
        .map(|report| {
            let path = report.resolved.as_deref().unwrap_or(&report.root.path);
            Standing {
                label: report.root.label.as_str().to_owned(),
                path: world.shorten(path),
                skills: report.found,
                owned: store.owns(path),
            }
        })
        .collect();
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.init/1",
            "home": home.display().to_string(),
            "made": made,
            "tokens": tokens.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "taken": taken.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "skills": noted.ids.iter().flatten().count(),
            "roots": roots.iter().map(|it| json!({
                "label": it.label, "path": it.path, "skills": it.skills, "owned": it.owned,
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    explain(&world, &home, made, &roots, out)?;
    for path in &tokens {
        out.note(&format!(
            "`{}` is shown in SKILLKEEP_TOKEN by whom it names",
            world.shorten(path)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

struct Standing {
    label: String,
    path: String,
    skills: usize,
    owned: bool,
}

fn explain(
    world: &World<'_>,
    home: &Path,
    made: bool,
    roots: &[Standing],
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    let word = if made { "made, private to you" } else { "was there already" };
    out.text(&format!("home  {} ({word})\n", world.shorten(home)))?;
    out.text(&columns(&[
        vec!["  skillkeep.toml".to_owned(), "settings".to_owned()],
        vec!["  keep.db".to_owned(), "what is known of skills, and what was done".to_owned()],
        vec!["  objects/".to_owned(), "former texts, for `undo`".to_owned()],
        vec!["  token".to_owned(), "shown in SKILLKEEP_TOKEN, it stands for you".to_owned()],
    ]))?;
    if roots.is_empty() {
        out.text("\nno roots: no skills were found on this machine\n")?;
        out.hint("lay skills in a folder, name it in skillkeep.toml, and run this again");
        return Ok(());
    }
    out.text("\nroots; where two hold a skill of one name, the earlier one's counts:\n")?;
    let rows: Vec<Vec<String>> = (1..)
        .zip(roots)
        .map(|(number, it)| {
            let standing = if it.owned { "owned" } else { "read only" };
            let skills = counted(it.skills, "skill");
            vec![format!("  {number}"), it.label.clone(), it.path.clone(), skills, standing.into()]
        })
        .collect();
    out.text(&columns(&rows))?;
    if let Some(other) = roots.iter().find(|it| !it.owned) {
        out.hint(&format!("to let Skillkeep write in one: skillkeep init {}", other.path));
    }
    Ok(())
}

/// Makes what is missing of a home. Says whether it was not there.
fn make(disk: &dyn Disk, home: &Path) -> Result<bool, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("`{}` can't be made: {error}", home.display()))
    };
    let id = home.join(ID);
    let new = disk.stat(&id).is_err();
    // The id comes last: where it is, all else is.
    drop(Ledger::open(&home.join(LEDGER), Access::Write)?);
    let top = disk.resolve(home).map_err(failed)?;
    let random = || format!("{:016x}{:016x}\n", disk.random(), disk.random());
    lay(disk, &top, "skillkeep.toml", CONFIG).map_err(failed)?;
    lay(disk, &top, TOKEN, &random()).map_err(failed)?;
    lay(disk, &top, ID, &random()).map_err(failed)?;
    Ok(new)
}

/// Makes what actors of their own show. Only a person gives that out, or whoever makes the home.
fn tokens(store: &Store<'_>, asked: &[String], made: bool) -> Result<Vec<PathBuf>, CommandError> {
    if !asked.is_empty() && !made && store.actor != Actor::Person {
        let verb = "make what actors show";
        return Err(ChangeError::PersonOnly { verb, actor: store.actor }.into());
    }
    let (disk, top) = (store.disk, store.home.path.as_path());
    let failed = |error: std::io::Error| {
        let folder = top.join(TOKENS);
        CommandError::new(Kind::Fault, format!("`{}` can't be made: {error}", folder.display()))
    };
    let mut paths = Vec::new();
    for actor in asked {
        let folder = At { top, below: TOKENS };
        match disk.make_folder(folder, 0o700) {
            Err(there) if there.kind() != ErrorKind::AlreadyExists => return Err(failed(there)),
            _ => disk.sync_folder(At { top, below: "" }).map_err(failed)?,
        }
        let random = format!("{:016x}{:016x}\n", disk.random(), disk.random());
        lay(disk, &top.join(TOKENS), actor, &random).map_err(failed)?;
        paths.push(top.join(TOKENS).join(actor));
    }
    Ok(paths)
}

/// Lays a private file where none is: of several that do it at once, one does, and nobody sees a part of it.
fn lay(disk: &dyn Disk, top: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let at = At { top, below: name };
    if disk.held(at).is_ok() {
        return Ok(());
    }
    let fresh = format!("{name}.{:016x}", disk.random());
    let fresh = At { top, below: &fresh };
    disk.write_new(fresh, text.as_bytes(), 0o600)?;
    match disk.move_to(fresh, at) {
        Ok(()) => disk.sync_folder(At { top, below: "" }),
        Err(error) => {
            disk.remove_file(fresh)?;
            if error.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
        }
    }
}

/// Takes a root that is one.
fn take(world: &World<'_>, store: &Store<'_>, folder: &Path) -> Result<PathBuf, CommandError> {
    let asked = match store.disk.working_folder() {
        Ok(here) => here.join(folder),
        Err(_) => folder.to_owned(),
    };
    let path = store.disk.resolve(&asked).map_err(|error| {
        CommandError::new(Kind::Usage, format!("`{}` can't be taken: {error}", folder.display()))
            .hint("name a folder that holds skills")
    })?;
    let mut roots = world.library.roots.iter().filter_map(|report| report.resolved.as_ref());
    if !roots.any(|root| *root == path) {
        let message = format!("`{}` is no root that skills are read from", folder.display());
        let hint = "name it under `roots` in skillkeep.toml first; `skillkeep` lists the roots";
        return Err(CommandError::new(Kind::Usage, message).hint(hint));
    }
    Keeper::own(store.disk, &path, &store.home)?;
    Ok(path)
}
