//! `skillkeep list`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{
    Global,
    error::{CommandError, Kind},
    known,
    options::{DecisionArgs, RootArgs, session},
    output::{Output, columns, counted},
    records,
    world::World,
};
use crate::{
    index::gates_of,
    skill::{Choice, OneLine, Session, Skill, Standing, nearest},
    system::System,
};

/// List every skill that was found, the broken and the shadowed too.
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Only skills of this category and the categories below it
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,

    /// Only skills with problems, each with its file, line, cause and fix; exit status 1 if any is an error
    #[arg(long)]
    problems: bool,
}

/// Prints the list.
pub fn list(
    system: &dyn System,
    global: &Global,
    args: &ListArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let (world, kept) = known::open(system, global, &args.roots)?;
    world.announce(out);
    kept.announce(out);
    if let Some(category) = &args.category {
        has_category(&world, category)?;
    }
    let mut rows: Vec<(usize, &Skill)> = world
        .library
        .skills
        .iter()
        .enumerate()
        .filter(|(_, skill)| {
            args.category.as_deref().is_none_or(|wanted| is_in(skill.category.as_str(), wanted))
        })
        .filter(|(row, _)| !args.problems || !world.library.diagnostics_of(*row).is_empty())
        .collect();
    rows.sort_by(|(a_row, a), (b_row, b)| {
        (&a.category, &a.name, a_row).cmp(&(&b.category, &b.name, b_row))
    });
    let code = ExitCode::from(u8::from(args.problems && has_errors(&world, &rows)));
    if global.json {
        let facts = kept.rows(&world.library);
        let skills: Vec<_> = rows
            .iter()
            .map(|(row, skill)| {
                let mut record = records::skill(&world, *row, skill);
                if kept.ledger.is_some() {
                    known::describe(facts.get(*row).copied().flatten(), &mut record);
                }
                record
            })
            .collect();
        let places: Vec<_> = world
            .library
            .problems
            .iter()
            .map(|located| json!({ "folder": located.place.folder, "diagnostic": located.diagnostic }))
            .collect();
        out.json(&json!({
            "schema": "skillkeep.list/1",
            "sample": world.is_sample(),
            "roots": records::roots(&world),
            "skills": skills,
            "problems": places,
        }))?;
        return Ok(code);
    }
    if args.problems {
        out.text(&problems(&world, &rows))?;
    } else {
        out.text(&table(&world, &rows))?;
        let live = rows.iter().filter(|(_, skill)| skill.is_live()).count();
        out.note(&format!("{}, {live} of them live", counted(rows.len(), "skill")));
    }
    Ok(code)
}

/// Whether anything that an author wrote is lost. Advice alone is no finding.
fn has_errors(world: &World<'_>, rows: &[(usize, &Skill)]) -> bool {
    let of_skills = rows.iter().flat_map(|(row, _)| world.library.diagnostics_of(*row));
    let of_places = world.library.problems.iter().map(|located| located.diagnostic.clone());
    of_skills.chain(of_places).any(|diagnostic| diagnostic.problem.is_error())
}

/// An empty list would say that there are no skills; what is wrong is the name.
fn has_category(world: &World<'_>, wanted: &str) -> Result<(), CommandError> {
    let all = || world.library.skills.iter().map(|skill| skill.category.as_str());
    if all().any(|category| is_in(category, wanted)) {
        return Ok(());
    }
    let message = format!("no skill is in the category `{}`", OneLine::capped(wanted, 80));
    let error = CommandError::new(Kind::Finding, message);
    Err(match nearest(wanted, all()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`skillkeep list` shows all, with their categories"),
    })
}

fn is_in(category: &str, wanted: &str) -> bool {
    category.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn table(world: &World<'_>, rows: &[(usize, &Skill)]) -> String {
    let mut lines = vec![
        ["NAME", "CATEGORY", "ROOT", "STATE", "HEADER", "PROBLEMS"].map(str::to_owned).to_vec(),
    ];
    let session = session(world, &DecisionArgs::default());
    for (row, skill) in rows {
        let problems: Vec<&str> = world
            .library
            .diagnostics_of(*row)
            .iter()
            .map(|diagnostic| diagnostic.problem.word())
            .collect();
        let root = world
            .library
            .roots
            .get(skill.place.root)
            .map_or("", |report| report.root.label.as_str());
        lines.push(vec![
            cell(&skill.name),
            cell(&skill.category),
            root.to_owned(),
            match gated(skill, &session) {
                Some(codes) => format!("gated: {codes}"),
                None => state(world, skill),
            },
            skill.facts.tier.word().to_owned(),
            problems.join(", "),
        ]);
    }
    columns(&lines)
}

/// The gates that keep a live skill out of an index made here and now, if any do.
fn gated(skill: &Skill, session: &Session) -> Option<String> {
    let shut: Vec<&str> = gates_of(skill, session, None, Choice::Auto)
        .iter()
        .filter(|gate| !gate.open)
        .map(|gate| gate.code)
        .collect();
    (skill.is_live() && !shut.is_empty()).then(|| shut.join(", "))
}

/// A name as a cell of the table: one that is longer than any should be doesn't push all the others aside.
fn cell(name: &OneLine) -> String {
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

fn problems(world: &World<'_>, rows: &[(usize, &Skill)]) -> String {
    let mut text = String::new();
    for (row, skill) in rows {
        let path = place(world, *row, skill);
        for diagnostic in world.library.diagnostics_of(*row) {
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
