//! `skillkeep show`

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{
    Global, known,
    list::state,
    options::RootArgs,
    output::{Output, columns},
    records,
};
use crate::{
    decision::Unit,
    ledger::{Digest, Shown},
    library,
    skill::Skill,
    system::System,
    world::{
        World, counted,
        counting::Counting,
        error::{CommandError, Kind},
        naming::{not_found, one},
    },
};

/// Print a skill, one of its files, its outline, or one section.
#[derive(Debug, Args)]
#[command(
    after_help = "The size comes first, on standard error; the text alone goes to standard output.\nIn a home it is counted: a text that an agent opens as a view and a use, one that a person looks at as a view, and so is an outline; another file as a view of a file.\n\nExample: skillkeep show incident-first-hour --section Mitigate"
)]
pub struct ShowArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    /// A file of the skill, such as references/guide.md
    path: Option<String>,

    /// Print the headings with their sizes instead of the text
    #[arg(long, conflicts_with = "section")]
    outline: bool,

    /// Print one section: its heading, the beginning of it, or its number in the outline
    #[arg(long, value_name = "HEADING")]
    section: Option<String>,

    /// The agent that asks, such as codex: what a person chose for it holds
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,

    /// The session that it is shown in, for the record
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Look only: nothing is counted
    #[arg(long)]
    no_count: bool,
}

/// Prints it, and counts it.
pub fn show(
    system: &dyn System,
    global: &Global,
    args: &ShowArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::open(system, &global.at(&args.roots))?;
    world.announce(out);
    let row = one(&world, &args.name, out)?;
    let skill = world.library.skills.get(row).ok_or_else(|| not_found(&world, &args.name, &[]))?;
    let counting = Counting::new(&world, row, args.session.as_deref());
    counting.may_be_shown(skill.name.as_str(), args.agent.as_deref())?;
    let shown = print(&world, global, args, &Asked { row, skill, counting: &counting }, out)?;
    if !args.no_count {
        counting.count(&world, shown, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// The skill that is asked for.
struct Asked<'a> {
    row: usize,
    skill: &'a Skill,
    counting: &'a Counting,
}

/// A file of a skill, as it was read.
struct Opened {
    folder: PathBuf,
    file: String,
    path: PathBuf,
    bytes: Vec<u8>,
}

fn open(
    world: &World<'_>,
    args: &ShowArgs,
    row: usize,
    skill: &Skill,
) -> Result<Opened, CommandError> {
    let folder = world.library.folder_of(row).ok_or_else(|| {
        CommandError::new(Kind::Finding, format!("`{}` has no folder", skill.name))
    })?;
    let file = args.path.clone().unwrap_or_else(|| skill.place.file.clone());
    if file.is_empty() {
        return Err(unreadable(world, row, skill));
    }
    let allowed = world.allowed_folders();
    let (path, bytes) =
        library::open_inside(world.files(), &folder, &file, &allowed).map_err(|error| {
            let files = library::files_of(world.files(), &folder).unwrap_or_default();
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).take(12).collect();
            CommandError::new(Kind::Finding, error.to_string())
                .maybe_hint((!names.is_empty()).then(|| format!("its files: {}", names.join(", "))))
        })?;
    Ok(Opened { folder, file, path, bytes })
}

fn print(
    world: &World<'_>,
    global: &Global,
    args: &ShowArgs,
    asked: &Asked<'_>,
    out: &mut Output<'_>,
) -> Result<Shown, CommandError> {
    let (row, skill) = (asked.row, asked.skill);
    let Opened { folder, file, path, bytes } = open(world, args, row, skill)?;
    let text = String::from_utf8_lossy(&bytes);
    let sizes = sizes(world, &text, bytes.len());
    if args.outline {
        outline(global, skill, &text, &sizes, out)?;
        return Ok(Shown::Outline);
    }
    let kind = if file == skill.place.file { Shown::Text } else { Shown::File };
    let (shown, title): (&str, String) = match &args.section {
        Some(query) => {
            let range = library::section(&text, query).map_err(|error| {
                CommandError::new(Kind::Finding, error.to_string())
                    .hint(format!("`skillkeep show {} --outline` lists the headings", args.name))
            })?;
            (range, format!("section `{query}` of "))
        }
        None => (&text, String::new()),
    };
    let files = || library::files_of(world.files(), &folder).unwrap_or_default();
    if global.json {
        let mut record = records::skill(world, row, skill);
        if asked.counting.has_home() {
            known::describe(asked.counting.known(), &mut record);
        }
        // What can't be read has none.
        let hash = |name: &str| {
            let read =
                library::open_inside(world.files(), &folder, name, &world.allowed_folders()).ok();
            read.map(|(_, bytes)| Digest::of(&bytes))
        };
        out.json(&json!({
            "schema": "skillkeep.show/1",
            "skill": record,
            "path": path.display().to_string(),
            "section": args.section,
            "hash": Digest::of(&bytes),
            "bytes": bytes.len(),
            "tokens": sizes.tokens,
            "shown-bytes": shown.len(),
            "files": files().iter().map(|(name, bytes)| json!({
                "path": name, "bytes": bytes, "hash": hash(name),
            })).collect::<Vec<_>>(),
            "text": shown,
        }))?;
        return Ok(kind);
    }
    out.note(&format!(
        "{title}{} ({}): {}",
        world.shorten(&path),
        state(world, skill),
        sizes.words()
    ));
    out.note(&format!("hash {}", Digest::of(&bytes)));
    if args.section.is_some() {
        out.note(&format!("{} shown", counted(shown.len(), "byte")));
    } else if args.path.is_none() {
        let files = files();
        let others: Vec<&str> =
            files.iter().map(|(name, _)| name.as_str()).filter(|name| *name != file).collect();
        if !others.is_empty() {
            out.note(&format!("beside it: {}", others.join(", ")));
        }
    }
    if args.section.is_none() {
        out.bytes(&bytes)?;
    } else {
        out.text(shown)?;
    }
    Ok(kind)
}

fn unreadable(world: &World<'_>, row: usize, skill: &Skill) -> CommandError {
    let mut error =
        CommandError::new(Kind::Finding, format!("`{}` has no file that can be read", skill.name));
    for diagnostic in world.library.diagnostics_of(row) {
        error = error.hint(format!(
            "{}: {}; {}",
            diagnostic.problem.word(),
            diagnostic.cause,
            diagnostic.fix
        ));
    }
    error
}

struct Sizes {
    bytes: usize,
    chars: usize,
    lines: usize,
    tokens: u32,
}

impl Sizes {
    fn words(&self) -> String {
        [
            (self.bytes, "byte"),
            (self.chars, "char"),
            (self.lines, "line"),
            (self.tokens as usize, "token"),
        ]
        .map(|(count, noun)| counted(count, noun))
        .join(", ")
    }
}

fn sizes(world: &World<'_>, text: &str, bytes: usize) -> Sizes {
    let meter = world.meter(Unit::Tokens);
    let tokens = meter.get().count(text);
    meter.save(world.system);
    Sizes { bytes, chars: text.chars().count(), lines: text.lines().count(), tokens }
}

fn outline(
    global: &Global,
    skill: &Skill,
    text: &str,
    sizes: &Sizes,
    out: &mut Output<'_>,
) -> Result<(), CommandError> {
    let headings = library::outline(text);
    if global.json {
        let list: Vec<_> = headings
            .iter()
            .enumerate()
            .map(|(number, heading)| {
                json!({
                    "number": number + 1,
                    "level": heading.level,
                    "title": heading.title,
                    "line": heading.line,
                    "bytes": heading.bytes,
                })
            })
            .collect();
        out.json(&json!({
            "schema": "skillkeep.outline/1",
            "name": skill.name,
            "bytes": sizes.bytes,
            "tokens": sizes.tokens,
            "headings": list,
        }))?;
        return Ok(());
    }
    out.note(&format!("{}: {}", skill.name, sizes.words()));
    let rows: Vec<Vec<String>> = headings
        .iter()
        .enumerate()
        .map(|(number, heading)| {
            let indent = "  ".repeat(usize::from(heading.level).saturating_sub(1));
            vec![
                format!("{}", number + 1),
                format!("line {}", heading.line),
                counted(heading.bytes, "byte"),
                format!("{indent}{}", heading.title),
            ]
        })
        .collect();
    out.text(&if rows.is_empty() { "no headings\n".to_owned() } else { columns(&rows) })
}
