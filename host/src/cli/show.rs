//! `skillkeep show`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global, curated, known,
    list::state,
    options::RootArgs,
    output::{Output, columns},
    records,
};
use crate::{
    ledger::{Digest, Shown},
    library,
    skill::Skill,
    system::System,
    tools::view::{self, Size},
    world::{
        World, counted,
        counting::Counting,
        error::CommandError,
        kept::ledger,
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
    counting.may_be_shown(&world, skill.name.as_str(), args.agent.as_deref())?;
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

fn print(
    world: &World<'_>,
    global: &Global,
    args: &ShowArgs,
    asked: &Asked<'_>,
    out: &mut Output<'_>,
) -> Result<Shown, CommandError> {
    let (row, skill) = (asked.row, asked.skill);
    let opened = view::open(world, row, skill, args.path.as_deref())?;
    let text = opened.text();
    let size = opened.size(world);
    if args.outline {
        outline(global, skill, &text, size, out)?;
        return Ok(Shown::Outline);
    }
    let (shown, title): (&str, String) = match &args.section {
        Some(asked) => (view::section(&text, asked, &args.name)?, format!("section `{asked}` of ")),
        None => (&text, String::new()),
    };
    if global.json {
        let mut record = records::skill(world, row, skill);
        if asked.counting.has_home() {
            known::describe(asked.counting.known(), &mut record);
            if let serde_json::Value::Object(record) = &mut record {
                record.insert("curator".to_owned(), json!(of_passes(world, asked)?));
            }
        }
        // What can't be read has none.
        let hash = |name: &str| {
            let read =
                library::open_inside(world.files(), &opened.folder, name, &world.allowed_folders())
                    .ok();
            read.map(|(_, bytes)| Digest::of(&bytes))
        };
        out.json(&json!({
            "schema": "skillkeep.show/1",
            "skill": record,
            "path": opened.path.display().to_string(),
            "section": args.section,
            "hash": opened.hash(),
            "bytes": size.bytes,
            "tokens": size.tokens,
            "shown-bytes": shown.len(),
            "files": opened.files(world).iter().map(|(name, bytes)| json!({
                "path": name, "bytes": bytes, "hash": hash(name),
            })).collect::<Vec<_>>(),
            "text": shown,
        }))?;
        return Ok(opened.shown());
    }
    out.note(&format!(
        "{title}{} ({}): {}",
        world.shorten(&opened.path),
        state(world, skill),
        words(size)
    ));
    out.note(&format!("hash {}", opened.hash()));
    for line in of_passes(world, asked)? {
        out.note(&line);
    }
    if args.section.is_some() {
        out.note(&format!("{} shown", counted(shown.len(), "byte")));
    } else if args.path.is_none() {
        let files = opened.files(world);
        let others: Vec<&str> = files
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| *name != opened.file)
            .collect();
        if !others.is_empty() {
            out.note(&format!("beside it: {}", others.join(", ")));
        }
    }
    if args.section.is_none() {
        out.held(&opened.bytes)?;
    } else {
        out.held(shown.as_bytes())?;
    }
    Ok(opened.shown())
}

/// Since when it is stale, and that it was put back, where a home knows so.
fn of_passes(world: &World<'_>, asked: &Asked<'_>) -> Result<Vec<String>, CommandError> {
    let Some(known) = asked.counting.known() else { return Ok(Vec::new()) };
    let Some(ledger) = ledger(world.system, &world.home)? else { return Ok(Vec::new()) };
    let mut lines: Vec<String> =
        curated::since(&ledger, known.id, known.state)?.into_iter().collect();
    if let Some(archived) = known.put_back {
        lines.push(curated::put_back(&ledger, archived)?);
    }
    Ok(lines)
}

fn words(size: Size) -> String {
    [
        (size.bytes, "byte"),
        (size.chars, "char"),
        (size.lines, "line"),
        (size.tokens as usize, "token"),
    ]
    .map(|(count, noun)| counted(count, noun))
    .join(", ")
}

fn outline(
    global: &Global,
    skill: &Skill,
    text: &str,
    size: Size,
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
            "bytes": size.bytes,
            "tokens": size.tokens,
            "headings": list,
        }))?;
        return Ok(());
    }
    out.note(&format!("{}: {}", skill.name, words(size)));
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
