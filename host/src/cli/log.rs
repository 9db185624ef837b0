//! `skillkeep log`, `diff`, `undo`: what was done, what that changed, and the way back.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{
    Global, concerns, curated,
    keep::told,
    options::{ReasonArgs, RootArgs},
    output::{Output, columns, printable},
};
use crate::{
    change::{Objects, diff::FileDiff, unchoose},
    ledger::{Access, Blob, ChangeId, ChangeRecord, Meant, Moved, Step},
    skill::{Actor, Instant, OneLine},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        store::{self, Store},
    },
};

/// List changes.
#[derive(Debug, Args)]
#[command(
    after_help = "Changes stay on record for ever. The bytes that files held before are kept for 180 days (`keep-days` under `[store]` in skillkeep.toml), and longer for the ten newest changes of each skill, for what is archived, and for files as they are now."
)]
pub struct LogArgs {
    /// A skill: its name, its folder, category/name, or its id; a former name too
    name: Option<String>,

    /// So many of the newest
    #[arg(long, value_name = "N", default_value_t = 30)]
    last: usize,
}

/// Show what a change did to files.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The change's number
    change: i64,
}

/// Take a change back.
#[derive(Debug, Args)]
#[command(
    after_help = "That is a change as well, and can be taken back. Where newer work would be lost it is refused."
)]
pub struct UndoArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The change's number
    change: i64,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Lists changes.
pub fn log(
    system: &dyn System,
    global: &Global,
    args: &LogArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::without_library(system, global.home.as_deref())?;
    let store = Store::open(system, &world, Access::Read, out)?;
    let skill = match &args.name {
        None => None,
        Some(name) => Some(match store.ledger.meant(name)? {
            Meant::One(id) => id,
            Meant::Many(ids) => {
                let message = format!("`{name}` is {} skills; the id tells them apart", ids.len());
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                return Err(CommandError::new(Kind::Finding, message).hint(ids.join(", ")));
            }
            Meant::None => {
                let message = format!("nothing is known of a skill `{name}`");
                return Err(CommandError::new(Kind::Finding, message).hint("skillkeep scan"));
            }
        }),
    };
    let changes = store.ledger.changes(skill, args.last)?;
    let moved = match skill {
        Some(skill) => store.ledger.transitions(skill, args.last)?,
        None => Vec::new(),
    };
    let skills = store.ledger.skills()?;
    let name = |record: &ChangeRecord| {
        let known = skills.iter().find(|skill| skill.id == record.change.skill);
        known.map_or_else(|| record.change.skill.to_string(), |skill| skill.name.clone())
    };
    if global.json {
        let changes: Vec<Value> = changes.iter().map(|it| as_json(it, &name(it))).collect();
        let passes: Vec<Value> = moved.iter().map(curated::as_json).collect();
        out.json(&json!({ "schema": "skillkeep.log/1", "changes": changes, "passes": passes }))?;
        return Ok(ExitCode::SUCCESS);
    }
    concerns::tell(&store.ledger, system.now(), out)?;
    if changes.is_empty() && moved.is_empty() {
        out.note("no change is on record");
    }
    let mut rows: Vec<(Instant, Vec<String>)> =
        changes.iter().map(|it| (it.change.at, line(it, &name(it)))).collect();
    let of = |it: &Moved| skills.iter().find(|skill| skill.id == it.transition.skill);
    rows.extend(moved.iter().map(|it| {
        let name = of(it).map_or_else(String::new, |skill| skill.name.clone());
        (it.at, line_of_pass(it, &name))
    }));
    // Newest first, and of one moment in the order that they came in: what a pass moved stands in no change.
    rows.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    rows.truncate(args.last);
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    out.text(&columns(&rows))?;
    Ok(ExitCode::SUCCESS)
}

/// A change, as a row.
fn line(record: &ChangeRecord, name: &str) -> Vec<String> {
    let it = &record.change;
    let mut what = OneLine::capped(&it.reason, 80).into_string();
    for choice in it.steps.iter().filter_map(chosen) {
        what = format!("{choice}  {what}");
    }
    if let Some(other) = it.undoes {
        what = format!("takes back {}  {what}", other.0);
    }
    if let Some(by) = it.leave.approved {
        let id = it.leave.pending.map_or_else(String::new, |id| format!(" as {id}"));
        what = format!("approved by {}{id}  {what}", by.word());
    }
    if let Some(other) = record.undone_by {
        what = format!("taken back by {}  {what}", other.0);
    }
    let session = it.session.as_deref().map(|id| OneLine::capped(id, 24).into_string());
    vec![
        record.id.0.to_string(),
        it.at.to_string(),
        it.actor.word().to_owned(),
        it.verb.word().to_owned(),
        OneLine::new(name).into_string(),
        session.unwrap_or_else(|| "-".to_owned()),
        what,
    ]
}

/// What a pass let go stale or made active again, as a row. It has no number, for it has no undo: use takes it back.
fn line_of_pass(moved: &Moved, name: &str) -> Vec<String> {
    let it = &moved.transition;
    vec![
        "-".to_owned(),
        moved.at.to_string(),
        Actor::Curator.word().to_owned(),
        it.state.word().to_owned(),
        OneLine::new(name).into_string(),
        moved.pass.session(),
        format!("{}: {}", OneLine::capped(&it.by, 80), OneLine::capped(&it.why, 80)),
    ]
}

/// What was chosen, if a step is a choice.
fn chosen(step: &Step) -> Option<String> {
    let Step::Choose { agent, before, after } = step else { return None };
    let whom = agent.as_ref().map_or(String::new(), |agent| format!(" for {agent}"));
    Some(format!("chosen `{}`{whom}, was `{}`", after.word(), before.word()))
}

fn as_json(record: &ChangeRecord, name: &str) -> Value {
    let it = &record.change;
    json!({
        "change": record.id.0,
        "at": it.at.to_string(),
        "actor": it.actor,
        "verb": it.verb,
        "skill": it.skill,
        "name": name,
        "session": it.session,
        "reason": it.reason,
        "undoes": it.undoes,
        "undone-by": record.undone_by,
        "origin": it.leave.origin,
        "approved-by": it.leave.approved,
        "pending": it.leave.pending,
        "steps": it.steps,
    })
}

/// Where a root's own bookkeeping lies.
const OURS: &str = ".skillkeep/";

/// Shows what a change did.
pub fn diff(
    system: &dyn System,
    global: &Global,
    args: &DiffArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::without_library(system, global.home.as_deref())?;
    let store = Store::open(system, &world, Access::Read, out)?;
    let record = found(&store, args.change)?;
    let objects = Objects::new(store.disk, &store.home.path);
    let mut texts = Vec::new();
    for step in &record.change.steps {
        let (path, before, after) = match step {
            Step::Put { path, before, after } => (path, before.as_ref(), Some(after)),
            Step::Remove { path, before } => (path, Some(before), None),
            Step::Move { from, to } => {
                texts.push(format!("moved {from} to {to}\n"));
                continue;
            }
            Step::Choose { .. } => {
                texts.extend(chosen(step).map(|text| text + "\n"));
                continue;
            }
            Step::SetMode { path, before, after } => {
                texts.push(format!("permissions of {path} from {before:o} to {after:o}\n"));
                continue;
            }
            // What lies beside an archived skill is no text of anybody's.
            Step::PutText { .. }
            | Step::RemoveText { .. }
            | Step::MakeFolder { .. }
            | Step::RemoveFolder { .. } => continue,
        };
        // What is written beside a skill, such as a pin, is no text of anybody's.
        if path.starts_with(OURS) {
            continue;
        }
        let bytes = |blob: Option<&Blob>| -> Result<_, CommandError> {
            let Some(blob) = blob else { return Ok(None) };
            let told = |why| store.retention.told(why, &record, store.disk.now());
            Ok(Some((objects.bytes(&blob.digest).map_err(told)?, blob.mode)))
        };
        let (before, after) = (bytes(before)?, bytes(after)?);
        let before = before.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode));
        let after = after.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode));
        texts.push(FileDiff::new(path, before, after).unified());
    }
    if global.json {
        out.json(&json!({
            "schema": "skillkeep.diff/1", "change": args.change, "diffs": texts,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if texts.is_empty() {
        out.note("it changed no file of a skill");
    }
    for text in &texts {
        out.text(&printable(text))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn found(store: &Store<'_>, change: i64) -> Result<ChangeRecord, CommandError> {
    store.ledger.change(ChangeId(change))?.ok_or_else(|| {
        CommandError::new(Kind::Usage, format!("there is no change {change}")).hint("skillkeep log")
    })
}

/// Takes a change back.
pub fn undo(
    system: &dyn System,
    global: &Global,
    args: &UndoArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (_world, store, noted) = store::open(system, &global.at(&args.roots), out)?;
    let record = found(&store, args.change)?;
    let by = store.by(&args.why)?;
    let done = if record.change.is_choice() {
        unchoose(store.disk, &store.ledger, record.id, &by)?
    } else {
        let root = noted.roots.iter().flatten().find(|(id, _)| *id == record.change.root);
        let Some((id, path)) = root else {
            let message =
                format!("the root of change {} is none of those that are here", args.change);
            return Err(
                CommandError::new(Kind::Finding, message).hint("name it with `--root FOLDER`")
            );
        };
        store.keeper(*id, path)?.undo(record.id, &by)?
    };
    for note in &done.notes {
        out.warn(note);
    }
    told(global, &done, &format!("took back change {}", args.change), out)?;
    Ok(ExitCode::SUCCESS)
}
