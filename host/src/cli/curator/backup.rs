//! `skillkeep curator backup` and `rollback`: the whole library as it was at a time.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::{Value, json};

use super::super::consent::ask;
use crate::{
    change::{Fate, RollbackPlan, SkillPlan, Snapshot, Snapshots},
    cli::{
        Global,
        options::{ReasonArgs, RootArgs},
        output::{Output, columns},
    },
    ledger::Access,
    skill::OneLine,
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
        pass::{keepers, looks, owned_roots, snapshot},
        store::{self, Store},
    },
};

/// Make a snapshot of all roots in the home's care.
#[derive(Debug, Args)]
#[command(
    after_help = "A snapshot costs what changed since the last one. What lies in the archive is safe already and not in it; nor are folders such as `.git`, `.venv` and `node_modules`, which are named.\n\nExample: skillkeep curator backup --reason \"before the big clean-up\""
)]
pub struct BackupArgs {
    #[command(flatten)]
    roots: RootArgs,

    #[command(flatten)]
    why: ReasonArgs,

    /// Write it to this file as well, as a `tar.gz` that has the same bytes each time
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,

    /// Make none, and write this one
    #[arg(long, value_name = "ID", requires = "export")]
    of: Option<String>,

    /// Say what it would hold, and make none
    #[arg(long, conflicts_with = "export")]
    dry_run: bool,
}

/// Go back to a snapshot, or list them.
#[derive(Debug, Args)]
#[command(
    after_help = "A snapshot of what is comes first, so that going back can be taken back with `--undo`. What came since goes to the archive, and nothing is deleted. Use, pins, origins and settings stay as they are.\n\nExample: skillkeep curator rollback --list"
)]
pub struct RollbackArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The snapshot [default: the newest]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// List the snapshots
    #[arg(long, conflicts_with_all = ["id", "undo", "dry_run", "verify"])]
    list: bool,

    /// Look at every byte of a snapshot, and change nothing
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    verify: bool,

    /// Take back the rollback that this snapshot was made before
    #[arg(long)]
    undo: bool,

    /// Show what would be changed, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Don't ask
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Makes one.
pub fn backup(
    system: &dyn System,
    global: &Global,
    args: &BackupArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, store, _) = store::open(system, &global.at(&args.roots), out)?;
    let by = store.by(&args.why)?;
    if owned_roots(&store)?.is_empty() {
        let message = "the home has no root in its care, so there is nothing to keep";
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep init FOLDER"));
    }
    if args.dry_run {
        let roots = owned_roots(&store)?;
        let paths: Vec<String> = roots.iter().map(|(_, path)| world.shorten(path)).collect();
        if global.json {
            out.json(&json!({ "schema": "skillkeep.backup/1", "dry-run": true, "roots": paths }))?;
        } else {
            out.text(&format!("would keep {}\n", paths.join(", ")))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let snapshots = Snapshots::of(store.disk, &store.home);
    let made = match &args.of {
        Some(id) => snapshots.resolve(Some(id))?,
        None => snapshot(&world, &store, &by)?,
    };
    let exported = match &args.export {
        None => None,
        Some(file) => Some(snapshots.export(&made, &absolute(system, file)?)?),
    };
    if global.json {
        let mut told = told(&made);
        if let (Value::Object(told), Some(_), Some(file)) = (&mut told, &exported, &args.export) {
            told.insert("exported".to_owned(), json!(file));
        }
        out.json(&told)?;
    } else {
        out.text(&format!("snapshot {}: {}\n", made.id, held(&made)))?;
        left_out(&made, out);
        if let Some(file) = args.export.as_ref().filter(|_| exported.is_some()) {
            out.text(&format!("exported to {}\n", world.shorten(file)))?;
        }
        out.hint(&format!("to go back to it: skillkeep curator rollback {}", made.id));
    }
    Ok(ExitCode::SUCCESS)
}

/// Goes back to one.
pub fn rollback(
    system: &dyn System,
    global: &Global,
    args: &RollbackArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let place = global.at(&args.roots);
    if args.list || args.verify {
        let world = World::own(system, &place)?;
        let store = Store::open(system, &world, Access::Read, out)?;
        return match args.list {
            true => list(global, &store, out),
            false => verify(global, &store, args.id.as_deref(), out),
        };
    }
    let (world, store, _) = store::open(system, &place, out)?;
    let by = store.by(&args.why)?;
    let snapshots = Snapshots::of(store.disk, &store.home);
    let to = snapshots.resolve(args.id.as_deref())?;
    let roots = owned_roots(&store)?;
    let keepers = keepers(&store, &roots)?;
    if args.undo {
        let done = snapshots.undo_rollback(&keepers, &to, &by)?;
        let changes: Vec<i64> = done.iter().map(|it| it.id.0).collect();
        if global.json {
            out.json(
                &json!({ "schema": "skillkeep.rollback/1", "undone": to.id, "changes": changes }),
            )?;
        } else {
            out.text(&format!(
                "took the rollback after {} back: {}\n",
                to.id,
                counted(changes.len(), "change")
            ))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut looks = looks(&world, &store);
    let allowed = world.allowed_folders();
    let plan = snapshots.plan(&keepers, &to, &allowed, (&by, &looks))?;
    if args.dry_run || !global.json {
        let text = shown(&to, &plan);
        match (args.dry_run, global.json) {
            (true, true) => out.json(&plan_json(&to, &plan))?,
            (true, false) => out.text(&text)?,
            (false, _) => out.note(text.trim_end()),
        }
    }
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !plan.changes_anything() {
        if global.json {
            out.json(&plan_json(&to, &plan))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes {
        match ask(system, &format!("go back to {}?", to.id), out) {
            Some(true) => {}
            Some(false) => {
                out.note("nothing was changed");
                return Ok(ExitCode::from(1));
            }
            None => {
                let message = "going back changes skills, and here is nobody to ask";
                return Err(CommandError::new(Kind::Finding, message).hint("`--yes` answers"));
            }
        }
    }
    let keep = world.config.curator.snapshots as usize;
    let rolled = snapshots.roll_back(&keepers, &to, &allowed, &by, (keep, &mut looks))?;
    looks.close(store.disk);
    let changes: Vec<i64> = rolled.done.iter().map(|it| it.id.0).collect();
    for failed in &rolled.failed_links {
        out.warn(failed);
    }
    if global.json {
        let mut json = plan_json(&to, &rolled.plan);
        if let Value::Object(json) = &mut json {
            json.insert("safety".to_owned(), json!(rolled.safety.id));
            json.insert("changes".to_owned(), json!(changes));
        }
        out.json(&json)?;
    } else {
        out.text(&format!("went back to {} by {}\n", to.id, counted(changes.len(), "change")))?;
        out.hint(&format!(
            "to take that back: skillkeep curator rollback {} --undo",
            rolled.safety.id
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn absolute(system: &dyn System, file: &std::path::Path) -> Result<PathBuf, CommandError> {
    let here = system.working_folder().map_err(|error| {
        CommandError::new(Kind::Fault, format!("the working folder can't be told: {error}"))
    })?;
    Ok(here.join(file))
}

fn list(
    global: &Global,
    store: &Store<'_>,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let all = Snapshots::of(store.disk, &store.home).list()?;
    if global.json {
        let all: Vec<Value> = all.iter().map(told).collect();
        out.json(&json!({ "schema": "skillkeep.snapshots/1", "snapshots": all }))?;
    } else if all.is_empty() {
        out.text("there is no snapshot\n")?;
        out.hint("skillkeep curator backup");
    } else {
        let row = |it: &Snapshot| {
            vec![it.id.clone(), held(it), OneLine::capped(&it.reason, 60).into_string()]
        };
        out.text(&columns(&all.iter().map(row).collect::<Vec<_>>()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(
    global: &Global,
    store: &Store<'_>,
    id: Option<&str>,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let snapshots = Snapshots::of(store.disk, &store.home);
    let of = snapshots.resolve(id)?;
    let lacks = snapshots.verify(&of, true)?;
    if global.json {
        let lacks: Vec<Value> = lacks
            .iter()
            .map(|it| json!({ "path": it.path, "object": it.digest, "is": it.how }))
            .collect();
        out.json(
            &json!({ "schema": "skillkeep.snapshot-check/1", "snapshot": of.id, "lacks": lacks }),
        )?;
    } else if lacks.is_empty() {
        out.text(&format!("{} is whole: {}\n", of.id, held(&of)))?;
    } else {
        for lack in lacks.iter().take(20) {
            out.text(&format!("`{}` is {}\n", OneLine::capped(&lack.path, 200), lack.how))?;
        }
        out.warn(&format!("{} of {} can't be brought back", counted(lacks.len(), "file"), of.id));
    }
    Ok(if lacks.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn held(it: &Snapshot) -> String {
    format!("{}, {}, {} bytes", counted(it.skills, "skill"), counted(it.files, "file"), it.bytes)
}

fn left_out(it: &Snapshot, out: &mut Output<'_>) {
    if it.left_out.is_empty() {
        return;
    }
    let names: Vec<String> = it
        .left_out
        .iter()
        .map(|(name, count)| format!("{count} × {}", OneLine::capped(name, 60)))
        .collect();
    out.note(&format!("left out: {}", names.join(", ")));
}

fn told(it: &Snapshot) -> Value {
    let left_out: Vec<Value> =
        it.left_out.iter().map(|(what, count)| json!({ "what": what, "count": count })).collect();
    json!({
        "schema": "skillkeep.snapshot/1",
        "id": it.id,
        "at": it.at,
        "actor": it.actor,
        "reason": it.reason,
        "manifest": it.manifest,
        "roots": it.roots,
        "skills": it.skills,
        "files": it.files,
        "bytes": it.bytes,
        "left-out": left_out,
        "before-going-back-to": it.rollback.as_ref().map(|rolled| &rolled.to),
    })
}

/// What becomes of a skill, in words.
fn fate(it: &SkillPlan) -> Option<(&'static str, String)> {
    match &it.fate {
        Fate::Unchanged => None,
        Fate::Back(_) => Some(("back", "comes back from the archive".to_owned())),
        Fate::Anew => Some(("anew", "is made anew".to_owned())),
        Fate::Rewritten(paths) => {
            let paths: Vec<String> =
                paths.iter().take(5).map(|it| OneLine::capped(it, 80).into_string()).collect();
            Some(("rewritten", format!("gets back {}", paths.join(", "))))
        }
        Fate::PutAway => Some(("put-away", "came since, and goes to the archive".to_owned())),
        Fate::Stays(why) => Some(("stays", format!("stays: {}", OneLine::capped(why, 200)))),
    }
}

fn shown(to: &Snapshot, plan: &RollbackPlan) -> String {
    let rows: Vec<Vec<String>> = plan
        .skills
        .iter()
        .filter_map(|it| {
            let folder = OneLine::capped(&it.folder, 80).into_string();
            Some(vec![format!("  {folder}"), fate(it)?.1])
        })
        .collect();
    let mut text = format!("back to {} ({}): ", to.id, held(to));
    if rows.is_empty() && plan.links.is_empty() {
        text.push_str("all is as it was then\n");
    } else {
        text.push_str(&format!("{}\n{}", counted(rows.len(), "skill"), columns(&rows)));
    }
    for line in plan.skipped.iter().chain(plan.skills.iter().flat_map(|it| &it.notes)) {
        text.push_str(&format!("  {}\n", OneLine::capped(line, 300)));
    }
    text
}

fn plan_json(to: &Snapshot, plan: &RollbackPlan) -> Value {
    let skills: Vec<Value> = plan
        .skills
        .iter()
        .filter_map(|it| {
            let (word, text) = fate(it)?;
            Some(json!({ "root": it.root, "folder": it.folder, "id": it.id, "fate": word, "text": text, "notes": it.notes }))
        })
        .collect();
    json!({
        "schema": "skillkeep.rollback/1",
        "to": to.id,
        "changes-anything": plan.changes_anything(),
        "skills": skills,
        "links": plan.links.len(),
        "skipped": plan.skipped,
    })
}
