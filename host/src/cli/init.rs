//! `skillkeep init`

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{
    Global,
    consent::ask,
    home,
    output::{Output, columns},
};
use crate::{
    change::{ChangeError, Keeper, Target},
    config::{self, Added},
    ledger::Access,
    skill::{self, Actor, State},
    system::{Disk, System},
    world::{
        World, counted,
        error::{CommandError, Kind},
        store::{Store, Why},
    },
};

/// Make a home, and take folders of skills into its care.
#[derive(Debug, Args)]
#[command(
    after_help = "Without a folder it makes the home and says which roots there are. A root is only read until it is taken: then skills in it can be written, archived, pinned and restored, by this home alone. A project's root asks once for trust; who takes it trusts it.\n\nWhat files held before a change is kept for 180 days, and longer for the ten newest changes of each skill; the ledger is backed up once a day, seven backups are kept.\n\nExamples:\n  skillkeep init ~/.hermes/skills\n  skillkeep init --read-only /srv/team/skills"
)]
pub struct InitArgs {
    /// Roots to take into ownership; one that is no root yet is added to skillkeep.toml, where you say yes
    folders: Vec<PathBuf>,

    /// Add a root to skillkeep.toml that is only read; may be given several times
    #[arg(long, value_name = "FOLDER")]
    read_only: Vec<PathBuf>,

    /// Trust a project's root, from now on and whatever comes into it; a person's alone; may be given several times
    #[arg(long, value_name = "FOLDER")]
    trust: Vec<PathBuf>,

    /// Answer yes where it would ask whether to add a root
    #[arg(long)]
    yes: bool,

    /// Make what a review, a job or a sync shows in SKILLKEEP_TOKEN, so that its writes count as its own; a person's alone
    #[arg(long, value_name = "ACTOR", value_parser = ["review", "job", "sync"])]
    token: Vec<String>,
}

/// Makes the home where it isn't there, adds roots, and takes or trusts those that were named.
pub fn init(
    system: &dyn System,
    global: &Global,
    args: &InitArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let unread = World::without_library(system, global.home.as_deref())?;
    let (Some(disk), Some(home)) = (system.disk(), unread.home.path.clone()) else {
        return Err(CommandError::new(Kind::Usage, "there is no place for a home")
            .hint("name a folder with `--home FOLDER` or `SKILLKEEP_HOME`"));
    };
    let made = home::make(disk, &home)?;
    let added = add(system, global, disk, args, out)?;
    let world = World::open_all(system, global.home.as_deref())?;
    world.announce(out);
    let store = Store::open(system, &world, Access::Again, out)?;
    let tokens = tokens(&store, &args.token, made)?;
    let mut taken = Vec::new();
    for folder in &args.folders {
        let path = take(&world, &store, folder)?;
        carry_pins(&store, &path, out)?;
        taken.push(path);
    }
    let noted = store.note(&world)?;
    trust(&world, &store, args, out)?;
    let roots = standings(&world, &store)?;
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.init/1",
            "home": home.display().to_string(),
            "made": made,
            "added": added.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>(),
            "tokens": tokens.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "taken": taken.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "skills": noted.ids.iter().flatten().count(),
            "roots": roots.iter().map(|it| json!({
                "label": it.label, "path": it.path, "skills": it.skills, "shadowed": it.shadowed,
                "owned": it.owned, "trusted": it.trusted,
            })).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    explain(&world, &home, made, &added, out)?;
    explain_roots(&roots, out)?;
    for path in &tokens {
        let path = world.shorten(path);
        out.note(&format!("`{path}` is shown in SKILLKEEP_TOKEN by whom it names"));
    }
    Ok(ExitCode::SUCCESS)
}

struct Standing {
    label: String,
    path: String,
    skills: usize,
    shadowed: usize,
    owned: bool,
    trusted: bool,
}

fn standings(world: &World<'_>, store: &Store<'_>) -> Result<Vec<Standing>, CommandError> {
    let mut standings = Vec::new();
    for (number, report) in world.library.roots.iter().enumerate() {
        let path = report.resolved.as_deref().unwrap_or(&report.root.path);
        let is_behind = |skill: &skill::Skill| {
            skill.place.root == number && matches!(skill.standing, skill::Standing::Shadowed { .. })
        };
        let known = store.ledger.root_at(path)?;
        standings.push(Standing {
            label: report.root.label.as_str().to_owned(),
            path: world.shorten(path),
            skills: report.found,
            shadowed: world.library.skills.iter().filter(|skill| is_behind(skill)).count(),
            owned: store.owns(path),
            trusted: known.is_some_and(|known| known.root.trusted),
        });
    }
    Ok(standings)
}

fn explain(
    world: &World<'_>,
    home: &Path,
    made: bool,
    added: &[(PathBuf, Added)],
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
    for (path, added) in added {
        let path = world.shorten(path);
        let how = match added {
            Added::Roots => "`roots`, which it names already",
            Added::MoreRoots => "`more-roots`: roots that are found stay, and come before it",
        };
        out.text(&format!("added {path} to {how}\n"))?;
    }
    Ok(())
}

fn explain_roots(roots: &[Standing], out: &mut Output<'_>) -> Result<(), CommandError> {
    if roots.is_empty() {
        out.text("\nno roots: no skills were found on this machine\n")?;
        out.hint("lay skills in a folder, and name it: skillkeep init FOLDER");
        return Ok(());
    }
    out.text("\nroots; where two hold a skill of one name, the earlier one's counts:\n")?;
    let rows: Vec<Vec<String>> = (1..)
        .zip(roots)
        .map(|(number, it)| {
            let standing = match (it.owned, it.trusted) {
                (true, _) => "owned",
                (false, true) => "read only",
                (false, false) => "read only, untrusted",
            };
            let mut skills = counted(it.skills, "skill");
            if it.shadowed > 0 {
                skills.push_str(&format!(", {} shadowed", it.shadowed));
            }
            vec![format!("  {number}"), it.label.clone(), it.path.clone(), skills, standing.into()]
        })
        .collect();
    out.text(&columns(&rows))?;
    if let Some(other) = roots.iter().find(|it| !it.trusted) {
        out.hint(&format!(
            "a person may trust a project's root: skillkeep init --trust {}",
            other.path
        ));
    }
    if let Some(other) = roots.iter().find(|it| !it.owned && it.trusted) {
        out.hint(&format!("to let Skillkeep write in one: skillkeep init {}", other.path));
    }
    Ok(())
}

/// What was pinned while the root was only read is pinned in the root from now on, where a pin holds for every home.
fn carry_pins(store: &Store<'_>, path: &Path, out: &mut Output<'_>) -> Result<(), CommandError> {
    let Some(root) = store.ledger.root_at(path)? else { return Ok(()) };
    let reason = Some("pinned before the root was owned".to_owned());
    let by = store.by(Why { reason, ..Why::default() })?;
    for skill in store.ledger.skills()? {
        let here = skill.root == root.id && matches!(skill.state, State::Active | State::Stale);
        if !here || !skill.pinned {
            continue;
        }
        let target = Target { id: skill.id, folder: &skill.folder };
        match store.keeper(root.id, path)?.carry_pin(target, &by) {
            Ok(_) | Err(ChangeError::NoChange) => {}
            Err(error @ (ChangeError::Missing { .. } | ChangeError::NoSkillFolder { .. })) => {
                out.warn(&format!("the pin of `{}` is lost: {error}", skill.name));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Makes what actors of their own show. Only a person gives that out, or whoever makes the home.
fn tokens(store: &Store<'_>, asked: &[String], made: bool) -> Result<Vec<PathBuf>, CommandError> {
    if !asked.is_empty() && !made && store.actor != Actor::Person {
        let (verb, actor) = ("make what actors show", store.actor);
        return Err(ChangeError::PersonOnly { verb, actor }.into());
    }
    asked.iter().map(|actor| home::token(store.disk, &store.home.path, actor)).collect()
}

/// The folder that a person means, links resolved.
fn meant(disk: &dyn Disk, folder: &Path, done: &str) -> Result<PathBuf, CommandError> {
    let asked = match disk.working_folder() {
        Ok(here) => here.join(folder),
        Err(_) => folder.to_owned(),
    };
    disk.resolve(&asked).map_err(|error| {
        CommandError::new(Kind::Usage, format!("`{}` can't be {done}: {error}", folder.display()))
            .hint("name a folder that holds skills")
    })
}

fn is_root(world: &World<'_>, path: &Path) -> bool {
    world.library.roots.iter().any(|report| report.resolved.as_deref() == Some(path))
}

/// Adds to the settings what was named and is no root yet. What is to be written in is only added where that was answered.
fn add(
    system: &dyn System,
    global: &Global,
    disk: &dyn Disk,
    args: &InitArgs,
    out: &mut Output<'_>,
) -> Result<Vec<(PathBuf, Added)>, CommandError> {
    let world = World::open_all(system, global.home.as_deref())?;
    let mut wanted = Vec::new();
    for folder in &args.read_only {
        let path = meant(disk, folder, "added")?;
        if is_root(&world, &path) {
            out.note(&format!("`{}` is a root already", world.shorten(&path)));
        } else {
            wanted.push(path);
        }
    }
    for folder in &args.folders {
        let path = meant(disk, folder, "taken")?;
        if is_root(&world, &path) {
            continue;
        }
        let shown = world.shorten(&path);
        let question = format!(
            "`{shown}` is no root yet. Add it to skillkeep.toml and let Skillkeep write there?"
        );
        if args.yes || ask(disk, &question, out) == Some(true) {
            wanted.push(path);
            continue;
        }
        let message = format!("`{}` is no root that skills are read from", folder.display());
        return Err(CommandError::new(Kind::Usage, message).hint(format!(
            "to add it to skillkeep.toml and take it: skillkeep init --yes {shown}"
        )));
    }
    let mut added = Vec::new();
    for path in wanted {
        if !added.iter().any(|(other, _)| *other == path) {
            let at = add_one(&world, disk, &path)?;
            added.push((path, at));
        }
    }
    Ok(added)
}

fn add_one(world: &World<'_>, disk: &dyn Disk, path: &Path) -> Result<Added, CommandError> {
    let fault = |what: String| CommandError::new(Kind::Fault, what);
    let Some(root) = path.to_str() else {
        let shown = path.display();
        return Err(CommandError::new(
            Kind::Usage,
            format!("`{shown}` can't be written down: it is no UTF-8"),
        ));
    };
    let file = world.config.home.join(config::FILE);
    // Behind a link the file that it leads to is changed, and the link stays.
    let file = disk.resolve(&file).unwrap_or(file);
    let failed = |error| fault(format!("`{}` can't be changed: {error}", file.display()));
    let bytes = disk.read(&file, 1 << 20).map_err(failed)?;
    let (text, added) = config::with_root(&file, &String::from_utf8_lossy(&bytes), root)?;
    disk.publish(&file, text.as_bytes()).map_err(failed)?;
    Ok(added)
}

/// Takes a root that is one. Who takes a project's root trusts it, which is a person's alone.
fn take(world: &World<'_>, store: &Store<'_>, folder: &Path) -> Result<PathBuf, CommandError> {
    let path = meant(store.disk, folder, "taken")?;
    let is_it = |root: &PathBuf| store.disk.resolve(root).is_ok_and(|root| root == path);
    if store.actor != Actor::Person && world.untrusted().iter().any(is_it) {
        let (verb, actor) = ("trust a project's root", store.actor);
        return Err(ChangeError::PersonOnly { verb, actor }.into());
    }
    Keeper::own(store.disk, &path, &store.home)?;
    Ok(path)
}

/// Trusts the roots that were named, and asks once about the others.
fn trust(
    world: &World<'_>,
    store: &Store<'_>,
    args: &InitArgs,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    for folder in &args.trust {
        let path = meant(store.disk, folder, "trusted")?;
        if !is_root(world, &path) {
            let message = format!("`{}` is no root that skills are read from", folder.display());
            return Err(CommandError::new(Kind::Usage, message).hint("skillkeep init"));
        }
        store.trust(&path)?;
    }
    for root in world.untrusted() {
        let shown = world.shorten(&root);
        let question =
            format!("`{shown}` came with a project. Trust the skills in it, from now on?");
        if ask(store.disk, &question, out) == Some(true) {
            let path = store.disk.resolve(&root).unwrap_or(root);
            store.trust(&path)?;
        }
    }
    Ok(())
}
