//! `skillkeep list`

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use clap::Args;
use serde_json::{Value as Json, json};

use super::{
    Global, curated, known,
    options::RootArgs,
    output::{Output, columns},
    records,
};
use crate::{
    change::{ChangeError, Keeper},
    index::gates_of,
    ledger::{AtHand, RootId},
    skill::{Instant, OneLine, Session, Skill, Standing, State},
    system::System,
    world::{
        World, counted,
        error::CommandError,
        kept::{self, Kept},
        naming::{has_category, is_in},
        store::{identity, no_ledger},
    },
};

pub mod away;
mod order;

use order::{Filters, Sort};

/// List every skill that was found, the broken and the shadowed too.
#[derive(Debug, Args)]
#[command(
    after_help = "Filters combine. What was counted and chosen is known in a home: skillkeep init\n\nExample: skillkeep list --unused --sort age"
)]
pub struct ListArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Only skills of this category and the categories below it
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,

    /// Only skills with problems, each with its file, line, cause and fix; exit status 1 if any is an error
    #[arg(long, conflicts_with_all = ["archived", "gone"])]
    problems: bool,

    #[command(flatten)]
    filters: Filters,

    /// The order: name, uses, last (used), age (for how long it is known), size or category; of numbers the largest first [default: category]
    #[arg(long, value_name = "KEY", hide_possible_values = true)]
    sort: Option<Sort>,

    /// The other way round
    #[arg(long)]
    reverse: bool,
}

/// Prints the list.
pub fn list(
    system: &dyn System,
    global: &Global,
    args: &ListArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, kept) = kept::open(system, &global.at(&args.roots))?;
    world.announce(out);
    let needed = args.filters.need_home() || args.sort.unwrap_or_default().needs_home();
    if kept.ledger.is_none() && needed {
        return Err(kept.problem.unwrap_or_else(|| no_ledger(&world)));
    }
    kept.announce(out);
    if args.filters.archived || args.filters.gone {
        away::list(&world, &kept, global, args, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(category) = &args.category {
        has_category(&world, category)?;
    }
    let rows = rows(&world, &kept, args)?;
    let code = ExitCode::from(u8::from(args.problems && has_errors(&world, &rows)));
    if global.json {
        out.json(&as_json(&world, &kept, &rows)?)?;
    } else if args.problems {
        out.text(&problems(&world, &rows))?;
    } else {
        out.text(&table(&world, &kept, &rows))?;
        let live = rows.iter().filter(|it| it.skill.is_live()).count();
        out.note(&format!("{}, {live} of them live", counted(rows.len(), "skill")));
        put_back(&kept, &rows, out)?;
    }
    Ok(code)
}

/// Says which skills lie here again that were archived, and what to do about it.
fn put_back(kept: &Kept, rows: &[Row<'_>], out: &mut Output<'_>) -> Result<(), CommandError> {
    let Some(ledger) = &kept.ledger else { return Ok(()) };
    for it in rows {
        if let Some(archived) = it.known.and_then(|known| known.put_back) {
            let (name, what) = (&it.skill.name, curated::put_back(ledger, archived)?);
            out.note(&format!("`{name}` was {what}; it is kept out of indexes"));
            out.hint(&format!(
                "skillkeep restore {name} brings the archived one back; skillkeep set {name} full shows this one"
            ));
        }
    }
    Ok(())
}

/// The rows that are asked for, in order.
fn rows<'a>(
    world: &'a World<'_>,
    kept: &'a Kept,
    args: &ListArgs,
) -> Result<Vec<Row<'a>>, CommandError> {
    let sort = args.sort.unwrap_or_default();
    let facts = kept.rows(&world.library);
    let unmanaged = args.filters.unmanaged.then(|| unmanaged(world, kept));
    let mut rows: Vec<Row<'_>> = world
        .library
        .skills
        .iter()
        .zip(facts)
        .enumerate()
        .map(|(row, (skill, known))| Row { row, skill, known })
        .filter(|it| {
            let wanted = args.category.as_deref();
            wanted.is_none_or(|wanted| is_in(it.skill.category.as_str(), wanted))
        })
        .filter(|it| !args.problems || !world.library.diagnostics_of(it.row).is_empty())
        .filter(|it| args.filters.take(it.known))
        .filter(|it| {
            let free =
                unmanaged.as_ref().map(|roots| roots.get(it.skill.place.root) == Some(&true));
            free.is_none_or(|free| free || it.known.is_none())
        })
        .collect();
    let created = sort.created(kept)?;
    rows.sort_by_cached_key(|it| {
        let (name, category) = (it.skill.name.clone(), it.skill.category.clone());
        let size = it.skill.facts.bytes;
        (sort.key(&name, &category, size, it.known, &created), category, name, it.row)
    });
    if args.reverse {
        rows.reverse();
    }
    Ok(rows)
}

/// A row of the library, with what is known of it.
struct Row<'a> {
    row: usize,
    skill: &'a Skill,
    known: Option<&'a AtHand>,
}

/// By root: whether nobody owns it.
fn unmanaged(world: &World<'_>, kept: &Kept) -> Vec<bool> {
    let home = world.system.disk().and_then(|disk| Some((disk, identity(disk, &world.home)?)));
    let (Some((disk, home)), Some(ledger)) = (home, &kept.ledger) else {
        return vec![true; world.library.roots.len()];
    };
    let free = |path: &Path| {
        let opened = Keeper::open(disk, ledger, &home, RootId(0), path);
        matches!(opened, Err(ChangeError::NotOwned(_)))
    };
    let roots = world.library.roots.iter();
    roots.map(|report| report.resolved.as_deref().is_none_or(free)).collect()
}

fn as_json(world: &World<'_>, kept: &Kept, rows: &[Row<'_>]) -> Result<Json, CommandError> {
    let listed = match &kept.ledger {
        Some(ledger) => ledger.exposures()?,
        None => BTreeMap::new(),
    };
    let skills: Vec<Json> = rows
        .iter()
        .map(|it| {
            let mut record = records::skill(world, it.row, it.skill);
            if kept.ledger.is_some() {
                known::describe(it.known, &mut record);
                known::listed(it.known.map(|known| known.id), &listed, &mut record);
            }
            record
        })
        .collect();
    let places: Vec<Json> = world
        .library
        .problems
        .iter()
        .map(|located| json!({ "folder": located.place.folder, "diagnostic": located.diagnostic }))
        .collect();
    Ok(json!({
        "schema": "skillkeep.list/1",
        "sample": world.is_sample(),
        "roots": records::roots(world),
        "skills": skills,
        "problems": places,
    }))
}

/// Whether anything that an author wrote is lost. Advice alone is no finding.
fn has_errors(world: &World<'_>, rows: &[Row<'_>]) -> bool {
    let of_skills = rows.iter().flat_map(|it| world.library.diagnostics_of(it.row));
    let of_places = world.library.problems.iter().map(|located| located.diagnostic.clone());
    of_skills.chain(of_places).any(|diagnostic| diagnostic.problem.is_error())
}

fn table(world: &World<'_>, kept: &Kept, rows: &[Row<'_>]) -> String {
    let home = kept.ledger.is_some();
    let with_use = |left: &[&str], right: &[&str]| -> Vec<String> {
        let middle: &[&str] = if home { &USE } else { &[] };
        [left, middle, right].concat().iter().map(|word| (*word).to_owned()).collect()
    };
    let mut lines = vec![with_use(&["NAME", "CATEGORY", "ROOT", "STATE"], &["HEADER", "PROBLEMS"])];
    let session = world.session();
    let now = world.system.now();
    for it in rows {
        let skill = it.skill;
        let problems: Vec<&str> = world
            .library
            .diagnostics_of(it.row)
            .iter()
            .map(|diagnostic| diagnostic.problem.word())
            .collect();
        let root = world
            .library
            .roots
            .get(skill.place.root)
            .map_or("", |report| report.root.label.as_str());
        let mut state = match gated(skill, &session) {
            Some(codes) => format!("gated: {codes}"),
            None => state(world, skill),
        };
        if it.known.is_some_and(|known| known.state == State::Stale) {
            state.push_str(", stale");
        }
        if it.known.is_some_and(|known| known.put_back.is_some()) {
            state.push_str(", put back");
        }
        if it.known.is_some_and(|known| known.held) && world.config.writes.holds() {
            state.push_str(", held");
        }
        let mut line = vec![cell(&skill.name), cell(&skill.category), root.to_owned(), state];
        if home {
            line.extend(use_of(it.known, now));
        }
        line.push(skill.facts.tier.word().to_owned());
        line.push(problems.join(", "));
        lines.push(line);
    }
    columns(&lines)
}

/// The columns of use and choice.
const USE: [&str; 4] = ["USES", "LAST", "PINNED", "CHOICE"];

/// Their cells; of a skill that no scan has seen nothing is known.
fn use_of(known: Option<&AtHand>, now: Instant) -> [String; 4] {
    let or = |text: String| if text.is_empty() { "-".to_owned() } else { text };
    let Some(known) = known else { return ["?", "?", "?", "?"].map(str::to_owned) };
    [
        known.sums.uses.to_string(),
        or(known.sums.last_use.map_or(String::new(), |at| known::age(now, at))),
        if known.pinned { "pinned" } else { "-" }.to_owned(),
        or(known::choices(known)),
    ]
}

/// The gates that keep a live skill out of an index made here and now, if any do.
fn gated(skill: &Skill, session: &Session) -> Option<String> {
    let shut: Vec<&str> = gates_of(skill, session, None, None)
        .iter()
        .filter(|gate| !gate.open)
        .map(|gate| gate.code)
        .collect();
    (skill.is_live() && !shut.is_empty()).then(|| shut.join(", "))
}

/// A name as a cell of the table: one that is longer than any should be doesn't push all the others aside.
pub fn cell(name: &OneLine) -> String {
    const WIDEST: usize = 64;
    let short = OneLine::capped(name.as_str(), WIDEST);
    if short == *name { short.to_string() } else { format!("{short}…") }
}

/// How a skill stands, with the one that stands in its way.
pub fn state(world: &World<'_>, skill: &Skill) -> String {
    let name_of = |row: usize| {
        world.library.skills.get(row).map_or(String::new(), |other| {
            let root = world
                .library
                .roots
                .get(other.place.root)
                .map_or("", |report| report.root.label.as_str());
            format!("{} of {root}", other.qualified())
        })
    };
    let standing = match skill.standing {
        Standing::Live => "live".to_owned(),
        Standing::Shadowed { by } => format!("shadowed by {}", name_of(by)),
        Standing::Duplicate { of } => format!("duplicate of {}", name_of(of)),
        Standing::Support { inside } => format!("support file of {}", name_of(inside)),
        Standing::Broken => "broken".to_owned(),
    };
    if skill.place.linked_to.is_some() { format!("{standing}, linked") } else { standing }
}

fn problems(world: &World<'_>, rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for it in rows {
        let path = place(world, it.row, it.skill);
        for diagnostic in world.library.diagnostics_of(it.row) {
            text.push_str(&line(&path, &diagnostic));
        }
    }
    for located in &world.library.problems {
        let root = world.library.roots.get(located.place.root);
        let path = root.map_or_else(
            || located.place.folder.clone(),
            |report| {
                world.shorten(
                    &report.root.path.join(&located.place.folder).join(&located.place.file),
                )
            },
        );
        text.push_str(&line(&path, &located.diagnostic));
    }
    if text.is_empty() { "no problems\n".to_owned() } else { text }
}

/// Where a skill is, as people write it; for a broken one, what stands in its place.
pub fn place(world: &World<'_>, row: usize, skill: &Skill) -> String {
    if let Some(path) = world.library.path_of(row) {
        return world.shorten(&path);
    }
    world.library.roots.get(skill.place.root).map_or_else(
        || skill.place.folder.clone(),
        |report| world.shorten(&report.root.path.join(&skill.place.folder)),
    )
}

fn line(path: &str, diagnostic: &crate::skill::Diagnostic) -> String {
    let place = diagnostic.line.map_or(String::new(), |line| format!(":{line}"));
    let kind = if diagnostic.problem.is_error() { "error" } else { "advice" };
    let field = diagnostic.field.as_ref().map_or(String::new(), |field| format!(" `{field}`"));
    format!(
        "{path}{place}: {kind} {}{field}: {}\n    fix: {}\n",
        diagnostic.problem.word(),
        diagnostic.cause,
        diagnostic.fix
    )
}
