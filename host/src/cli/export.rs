//! `skillkeep export`

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{
    Global,
    import::{Home, View, planned},
    options::RootArgs,
    output::Output,
};
use crate::{
    adapters::{
        Said, UsageLine, read_hermes_home, suppressed_file,
        takeover::{Given, Plan, lines, marks},
        usage_file,
    },
    change::{Held, is_put_away_elsewhere},
    config::HermesHome,
    ledger::{Origin, Takeover},
    skill::{SkillId, State},
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
        noting::Noted,
        store::{self, Store},
    },
};

/// Tell another program what is known of skills.
#[derive(Debug, Args)]
#[command(
    after_help = "It writes what Hermes keeps beside its skills: `.usage.json` with counts, times, pins and states, and the list of bundled skills that are not brought back. What is there stays: other records, other fields, all skills. No skill is copied; where skills lie elsewhere, Hermes reads them by `skills.external_dirs`.\n\nNot exported: choices, ratings, the log, former texts, decisions, and skills in this home's own archive (restore them first). What Hermes knows and was not taken over yet is imported first.\n\nExample: skillkeep export hermes ~/.hermes --dry-run"
)]
pub struct ExportArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// For whom: hermes
    #[arg(value_parser = ["hermes"], hide_possible_values = true)]
    program: String,

    /// Its home; it is made where it isn't there
    folder: PathBuf,

    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

const SKILLS: &str = "skills";
const USAGE: &str = "skills/.usage.json";
const SUPPRESSED: &str = "skills/.curator_suppressed";
/// Hermes's own lock of its usage file, in the folder of its skills.
const LOCK: &str = ".usage.json.lock";

/// Skills that no record tells of, with the reason.
type Silent = Vec<(String, &'static str)>;

/// What is to be written, and what isn't told.
struct Export {
    /// Files below the home with their new bytes, where they differ.
    files: Vec<(&'static str, Vec<u8>)>,
    /// The records that tell of skills.
    lines: Vec<UsageLine>,
    /// Skills that no record tells of, with the reason.
    silent: Silent,
    /// What the home says then, so that it is not taken for news.
    said: Said,
}

/// Writes it.
pub fn export(
    system: &dyn System,
    global: &Global,
    args: &ExportArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let open = if args.dry_run { store::look } else { store::open };
    let (world, store, noted) = open(system, &global.at(&args.roots), out)?;
    let mut home = home(&world, &args.folder)?;
    let is_root = Home::read(&world, home.clone()).root(&world, &noted).is_some();
    Held::may_be_held(store.disk, &home.path.join(SKILLS), &store.home, is_root)?;
    if args.dry_run {
        let read = Home::read(&world, home);
        let view = view(&world, &store, &noted, &read)?;
        let export = prepared(&store, &read, &view)?;
        tell(global, &world, &read, &export, true, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    if make(system, &home.path)? {
        // By its path without links, now that it is there.
        home = self::home(&world, &args.folder)?;
    }
    // Held from before its files are read: what Hermes counts meanwhile waits, and is not lost.
    let held = Held::hold(store.disk, &home.path, SKILLS, LOCK)?;
    let read = Home::read(&world, home.clone());
    let view = view(&world, &store, &noted, &read)?;
    let export = prepared(&store, &read, &view)?;
    if !export.files.is_empty() {
        // The marks first: cut off between the two, nothing is counted twice, and the next export writes the file.
        mark(&store, &export, &view)?;
        for (path, bytes) in &export.files {
            held.put(path, bytes)?;
        }
    }
    drop(held);
    tell(global, &world, &read, &export, false, out)?;
    if !is_root {
        let roots: Vec<String> =
            noted.roots.iter().flatten().map(|(_, path)| world.shorten(path)).collect();
        out.hint(&format!(
            "skills stay where they are; Hermes reads them by `skills.external_dirs` in its config.yaml: {}",
            roots.join(", ")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The home at a folder, which need not be there.
fn home(world: &World<'_>, folder: &Path) -> Result<HermesHome, CommandError> {
    if let Some(home) = HermesHome::find(world.system, Some(folder)) {
        return Ok(home);
    }
    let here = world.system.working_folder().map_err(|error| {
        CommandError::new(Kind::Usage, format!("`{}` can't be made: {error}", folder.display()))
    })?;
    let path = here.join(folder);
    Ok(HermesHome { path: path.clone(), named: path, others: Vec::new() })
}

/// Makes the home where it isn't there. Whether it wasn't.
fn make(system: &dyn System, home: &Path) -> Result<bool, CommandError> {
    if system.stat(home).is_ok() {
        return Ok(false);
    }
    let lock = home.join(SKILLS).join(LOCK);
    system.create(&lock, b"").map(|()| true).map_err(|error| {
        CommandError::new(Kind::Usage, format!("`{}` can't be made: {error}", home.display()))
    })
}

/// The skills that the home sees; all of the library's where its own folder is no root.
fn view(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &Noted,
    home: &Home,
) -> Result<View, CommandError> {
    match home.root(world, noted) {
        Some(_) => View::of_home(world, store, noted, home),
        None => View::of_all(world, store, noted),
    }
}

fn prepared(store: &Store<'_>, home: &Home, view: &View) -> Result<Export, CommandError> {
    let plan: Plan = planned(store, &home.said, view, &home.spellings)?;
    if plan.is_news && home.files.usage.is_some() {
        let place = home.home.path.display();
        let message = format!("`{place}` knows what was not taken over yet, and would lose it");
        return Err(CommandError::new(Kind::Finding, message)
            .hint(format!("skillkeep import hermes:{place}")));
    }
    let names = view.names();
    let one = |name: &str| match view.named(&names, name).as_slice() {
        [one] => Some(one.id),
        _ => None,
    };
    let (skills, mut silent) = given(store, view, &one)?;
    silent.extend(in_our_archive(store, view)?);
    let told = lines(&skills, &home.said, &store.ledger.taken()?, &one);
    let kept = skills.iter().filter(|it| told.kept.contains(&it.id));
    silent.extend(kept.map(|it| (it.name.clone(), "its record tells counts without a time")));
    let lines = told.written;
    let cant = |error: crate::adapters::WriteRefused| {
        CommandError::new(Kind::Finding, error.to_string())
            .hint(format!("see what is in it: {}", home.home.path.join(USAGE).display()))
    };
    let mut files = home.files.clone();
    let mut changed = Vec::new();
    let usage = usage_file(files.usage.as_deref(), &lines).map_err(cant)?;
    if files.usage.as_ref() != Some(&usage) {
        changed.push((USAGE, usage.clone()));
        files.usage = Some(usage);
    }
    let bundled = skills
        .iter()
        .filter(|it| it.state == State::Archived && it.origin == Origin::Bundled)
        .map(|it| it.name.as_str());
    if let Some(bytes) = suppressed_file(files.suppressed.as_deref(), bundled) {
        changed.push((SUPPRESSED, bytes.clone()));
        files.suppressed = Some(bytes);
    }
    let said = read_hermes_home(&files, &home.said.place, Vec::new());
    Ok(Export { files: changed, lines, silent, said })
}

/// The skills that are told of, and those that are not.
fn given(
    store: &Store<'_>,
    view: &View,
    one: &dyn Fn(&str) -> Option<SkillId>,
) -> Result<(Vec<Given>, Silent), CommandError> {
    let records: BTreeMap<SkillId, _> =
        store.ledger.skills()?.into_iter().map(|it| (it.id, it)).collect();
    let (mut skills, mut silent) = (Vec::new(), Silent::new());
    for (name, standing) in view.skills() {
        if one(name) != Some(standing.id) {
            silent.push((standing.folder.clone(), "another one has its name"));
            continue;
        }
        let Some(record) = records.get(&standing.id) else { continue };
        skills.push(Given {
            id: standing.id,
            name: name.to_owned(),
            origin: record.origin,
            state: record.state,
            pinned: record.pinned,
            since: record.created,
            archived: record.archived_at,
            sums: store.ledger.sums(standing.id)?,
        });
    }
    Ok((skills, silent))
}

/// Skills that lie in this home's own archive, which Hermes doesn't know.
fn in_our_archive(store: &Store<'_>, view: &View) -> Result<Silent, CommandError> {
    let roots = view.roots();
    let skills = store.ledger.skills()?.into_iter();
    let ours = skills.filter(|it| {
        it.state == State::Archived
            && roots.contains(&it.root)
            && !is_put_away_elsewhere(&it.folder)
    });
    Ok(ours.map(|it| (it.folder, "it lies in this home's archive")).collect())
}

/// Notes what the files say once they are written.
fn mark(store: &Store<'_>, export: &Export, view: &View) -> Result<(), CommandError> {
    let names = view.names();
    let one = |name: &str| match view.named(&names, name).as_slice() {
        [one] => Some(one.id),
        _ => None,
    };
    let plan: Plan = planned(store, &export.said, view, &[])?;
    let takeover = Takeover {
        put_away: Vec::new(),
        events: Vec::new(),
        origins: Vec::new(),
        pins: Vec::new(),
        states: Vec::new(),
        since: Vec::new(),
        references: None,
        marks: marks(&export.lines, &export.said, &one),
        ..plan.takeover
    };
    Ok(store.ledger.take_over(&takeover)?)
}

fn tell(
    global: &Global,
    world: &World<'_>,
    home: &Home,
    export: &Export,
    dry: bool,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    let path = |file: &str| world.shorten(&home.home.path.join(file));
    if global.json {
        return out.json(&json!({
            "schema": "skillkeep.export/1",
            "dry-run": dry,
            "program": "hermes",
            "place": home.home.path,
            "files": export.files.iter().map(|(file, bytes)| json!({
                "path": file, "bytes": bytes.len(),
            })).collect::<Vec<_>>(),
            "records": export.lines.len(),
            "silent": export.silent.iter().map(|(folder, why)| json!({
                "folder": folder, "why": why,
            })).collect::<Vec<_>>(),
        }));
    }
    let word = if dry { "would write" } else { "wrote" };
    let records = counted(export.lines.len(), "record");
    let mut text = String::new();
    for (file, _) in &export.files {
        let of = if *file == USAGE { format!(", {records}") } else { String::new() };
        text.push_str(&format!("{word} {}{of}\n", path(file)));
    }
    if export.files.is_empty() {
        text = format!("nothing is new for {} ({records})\n", path(""));
    }
    for (folder, why) in &export.silent {
        let folder = crate::skill::OneLine::capped(folder, 80);
        text.push_str(&format!("not told of `{folder}`: {why}\n"));
    }
    out.text(&text)
}
