//! `skillkeep show`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::{CommandError, Kind},
    list::state,
    options::RootArgs,
    output::{Output, columns, counted},
    records,
    world::World,
};
use crate::{
    decision::Unit,
    ledger::Digest,
    library::{self, Resolution},
    skill::Skill,
    system::System,
};

/// Print a skill, one of its files, its outline, or one section.
#[derive(Debug, Args)]
#[command(
    after_help = "The size comes first, on standard error; the text alone goes to standard output.\n\nExample: skillkeep show incident-first-hour --section Mitigate"
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
}

/// Prints it.
pub fn show(
    system: &dyn System,
    global: &Global,
    args: &ShowArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::open(system, global, &args.roots)?;
    world.announce(out);
    let row = one(&world, &args.name)?;
    let skill = world.library.skills.get(row).ok_or_else(|| not_found(&world, &args.name, &[]))?;
    let folder = world.library.folder_of(row).ok_or_else(|| {
        CommandError::new(Kind::Finding, format!("`{}` has no folder", skill.name))
    })?;
    let file = args.path.clone().unwrap_or_else(|| skill.place.file.clone());
    if file.is_empty() {
        return Err(unreadable(&world, row, skill));
    }
    let allowed = world.allowed_folders();
    let (path, bytes) =
        library::open_inside(world.files(), &folder, &file, &allowed).map_err(|error| {
            let files = library::files_of(world.files(), &folder).unwrap_or_default();
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).take(12).collect();
            CommandError::new(Kind::Finding, error.to_string())
                .maybe_hint((!names.is_empty()).then(|| format!("its files: {}", names.join(", "))))
        })?;
    let text = String::from_utf8_lossy(&bytes);
    let sizes = sizes(&world, &text, bytes.len());
    if args.outline {
        return outline(global, skill, &text, &sizes, out);
    }
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
    if global.json {
        let files = library::files_of(world.files(), &folder).unwrap_or_default();
        // What can't be read has none.
        let hash = |name: &str| {
            let read = library::open_inside(world.files(), &folder, name, &allowed).ok();
            read.map(|(_, bytes)| Digest::of(&bytes))
        };
        out.json(&json!({
            "schema": "skillkeep.show/1",
            "skill": records::skill(&world, row, skill),
            "path": path.display().to_string(),
            "section": args.section,
            "hash": Digest::of(&bytes),
            "bytes": bytes.len(),
            "tokens": sizes.tokens,
            "shown-bytes": shown.len(),
            "files": files.iter().map(|(name, bytes)| json!({
                "path": name, "bytes": bytes, "hash": hash(name),
            })).collect::<Vec<_>>(),
            "text": shown,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    out.note(&format!(
        "{title}{} ({}): {}",
        world.shorten(&path),
        state(&world, skill),
        sizes.words()
    ));
    out.note(&format!("hash {}", Digest::of(&bytes)));
    if args.section.is_some() {
        out.note(&format!("{} shown", counted(shown.len(), "byte")));
    } else if args.path.is_none() {
        let files = library::files_of(world.files(), &folder).unwrap_or_default();
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
    Ok(ExitCode::SUCCESS)
}

/// The row that a name means.
///
/// # Errors
/// Where it means none or several; with the near names, or the forms that tell them apart.
pub fn one(world: &World<'_>, name: &str) -> Result<usize, CommandError> {
    match world.library.resolve(name) {
        Resolution::One(row) => Ok(row),
        Resolution::Several(rows) => {
            let mut error = CommandError::new(
                Kind::Finding,
                format!("`{name}` is {} skills; the category tells them apart", rows.len()),
            );
            for row in rows {
                if let Some(skill) = world.library.skills.get(row) {
                    let path = world
                        .library
                        .path_of(row)
                        .map_or(String::new(), |path| world.shorten(&path));
                    error = error.hint(format!("{} is {path}", skill.qualified()));
                }
            }
            Err(error)
        }
        Resolution::None { near } => Err(not_found(world, name, &near)),
    }
}

fn not_found(world: &World<'_>, name: &str, near: &[String]) -> CommandError {
    let error = CommandError::new(
        Kind::Finding,
        format!(
            "no skill is called `{name}` among {} in {}",
            counted(world.library.skills.len(), "skill"),
            counted(world.library.roots.len(), "root")
        ),
    );
    if near.is_empty() {
        error.hint("`skillkeep list` shows all")
    } else {
        error.hint(format!(
            "did you mean {}?",
            near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
        ))
    }
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
) -> Result<ExitCode, CommandError> {
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
        return Ok(ExitCode::SUCCESS);
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
    out.text(&if rows.is_empty() { "no headings\n".to_owned() } else { columns(&rows) })?;
    Ok(ExitCode::SUCCESS)
}
