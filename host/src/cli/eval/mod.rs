//! `skillkeep eval`

mod boards;
mod contenders;
mod record;
mod tasks;
mod with_model;

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::{
    Global,
    options::{DecisionArgs, Plan, RootArgs, list},
    output::{Output, columns},
};
use crate::{
    decision::Unit,
    eval::{B, K1, Miss, Outcome, Row, Scores, Task, by_words, missed, svg, table},
    index::Programs,
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
    },
};

/// Say whether the right skill gets found: rules compared by tasks, within limits.
///
/// A task is a query and the skill that it should lead to. Without a file of them, they are drawn from the bodies of the
/// skills, apart from what any index says. What a rule leaves visible is ranked by BM25: a lexical ranker stands in for a
/// model. With --model, a model behind an OpenAI-compatible endpoint answers instead.
#[derive(Debug, Args)]
#[command(
    after_help = "Tasks are lines `query -> skill`, or JSON lines {\"query\": …, \"skill\": …}, or TOML with [[task]] tables.\n\
                  A component that is given by --policy budget=FILE is compared with the others, and so is what --set budget.KEY=VALUE makes of it.\n\n\
                  Example: skillkeep eval --limits 1150,2000,5000 --svg found.svg"
)]
pub struct EvalArgs {
    /// A file of tasks [default: drawn from the library]
    #[arg(value_name = "TASKS")]
    tasks: Option<PathBuf>,

    #[command(flatten)]
    roots: RootArgs,

    #[command(flatten)]
    decision: DecisionArgs,

    /// Limits to compare at [default: --limit, or 1150,2000,5000 tokens, or 3128,5440,13600 chars]
    #[arg(long, value_name = "N,…")]
    limits: Option<String>,

    /// Compare only these rules
    #[arg(long, value_name = "RULE,…")]
    rules: Option<String>,

    /// Draws other tasks
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Tasks that are drawn from each skill at most
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    tasks_per_skill: u16,

    /// Put no more tasks than this; by a model, 20 where nobody says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tasks: Option<u32>,

    /// Print the tasks, as a file of them has them, and compare nothing
    #[arg(long)]
    show_tasks: bool,

    /// List what was missed, and why
    #[arg(long)]
    missed: bool,

    /// Draw a picture into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    model: with_model::ModelArgs,
}

/// Ranked by words: a task is missed where its skill isn't surely among so many.
const FIRST: usize = 5;

/// Compares rules.
pub fn eval(
    system: &dyn System,
    global: &Global,
    args: &EvalArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let world = World::open(system, &global.at(&args.roots))?;
    let plan = Plan::new(&world, &args.decision)?;
    let endpoint = args.model.endpoint(system)?;
    let limits = limits(args, plan.unit)?;
    let rules = contenders::choose(args.rules.as_deref(), &args.decision, &plan)?;
    world.announce(out);
    plan.announce(out);
    let programs = Programs::new(system);
    let candidates = plan.inputs.gather(&world.library, &programs, None);
    let tasks = tasks::tasks(&world, &candidates, args)?;
    if args.show_tasks {
        out.text(&tasks.written(&world))?;
        return Ok(ExitCode::SUCCESS);
    }
    if tasks.tasks.is_empty() {
        return Err(CommandError::new(
            Kind::Finding,
            format!("no task could be drawn: {}", tasks.from),
        )
        .hint("write some, a line each: `query -> skill`, and run `skillkeep eval FILE`"));
    }
    out.note(&format!("{}: {}", counted(tasks.tasks.len(), "task"), tasks.from));
    let meter = world.meter(plan.unit);
    let boards = boards::boards(&world, &plan, &candidates, &rules, &limits, meter.get())?;
    meter.save(system);
    for board in &boards {
        if let Some(fallback) = &board.fallback {
            out.warn(&format!("rule `{}`: {fallback}; the host's baseline decided", board.label));
        }
    }
    let ranked = endpoint.is_none();
    let outcomes: Vec<Vec<Outcome>> = match &endpoint {
        None => boards.iter().map(|board| by_words(board, &tasks.tasks)).collect(),
        Some(endpoint) => with_model::outcomes(endpoint, &boards, &tasks.tasks, out)?,
    };
    let compared: Vec<Compared<'_>> = boards
        .iter()
        .zip(&outcomes)
        .map(|(board, outcomes)| Compared {
            row: Row::new(board, Scores::of(outcomes, ranked)),
            missed: missed(board, &tasks.tasks, outcomes, if ranked { FIRST } else { 1 }),
        })
        .collect();
    let how = args.model.how();
    if let Some(file) = &args.svg {
        picture(system, file, &compared, &how, &tasks.tasks, plan.unit)?;
        out.note(&format!("drawn into {}", world.shorten(file)));
    }
    if global.json {
        out.json(&record::record(&world, &plan, args, &tasks, &compared))?;
    } else {
        out.text(&text(&world, args, &compared, &how, plan.unit))?;
    }
    let fell_back = compared.iter().any(|one| one.row.fell_back || one.row.scores.not_asked > 0);
    Ok(plan.exit_code(fell_back))
}

/// One rule at one limit, with how it fared.
struct Compared<'a> {
    row: Row,
    missed: Vec<Miss<'a>>,
}

fn limits(args: &EvalArgs, unit: Unit) -> Result<Vec<u32>, CommandError> {
    let Some(text) = &args.limits else {
        let three = match unit {
            Unit::Tokens => vec![1_150, 2_000, 5_000],
            Unit::Chars | Unit::Bytes => vec![3_128, 5_440, 13_600],
        };
        return Ok(args.decision.limit.map_or(three, |limit| vec![limit]));
    };
    let mut limits = Vec::new();
    for part in list(text) {
        let limit = part.parse().ok().filter(|limit| *limit > 0).ok_or_else(|| {
            CommandError::new(
                Kind::Usage,
                format!("found `{part}`, expected a limit of 1 to {}", u32::MAX),
            )
            .hint("for example `--limits 1150,2000,5000`")
        })?;
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    if limits.is_empty() {
        return Err(CommandError::new(Kind::Usage, "found no limit, expected at least one")
            .hint("for example `--limits 1150,2000,5000`"));
    }
    limits.sort_unstable();
    Ok(limits)
}

fn text(
    world: &World<'_>,
    args: &EvalArgs,
    compared: &[Compared<'_>],
    how: &str,
    unit: Unit,
) -> String {
    let rows: Vec<Row> = compared.iter().map(|one| one.row.clone()).collect();
    let mut text = columns(&table(&rows));
    text.push_str(&format!(
        "\nTOP-1 and TOP-5 in percent of the tasks, LIMIT and COST in {}. {how}\n",
        unit.word()
    ));
    if args.missed {
        for one in compared {
            text.push('\n');
            text.push_str(&misses(world, one, unit));
        }
    }
    text
}

fn misses(world: &World<'_>, one: &Compared<'_>, unit: Unit) -> String {
    let limit = match one.row.limit {
        Some(limit) => format!("at {limit} {}", unit.word()),
        None => "without a limit".to_owned(),
    };
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for miss in &one.missed {
        match kinds.iter_mut().find(|(kind, _)| *kind == miss.why.word()) {
            Some((_, count)) => *count += 1,
            None => kinds.push((miss.why.word(), 1)),
        }
    }
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), *kind));
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let summary = if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") };
    let rows: Vec<Vec<String>> = one
        .missed
        .iter()
        .map(|miss| {
            let query = crate::skill::OneLine::capped(miss.task.query.as_str(), MOST_QUERY);
            vec![format!("  {query}"), name_of(world, miss.task), miss.why.to_string()]
        })
        .collect();
    format!("{} {limit} missed {summary}\n{}", one.row.label, columns(&rows))
}

/// Unicode scalars of a query that are listed.
const MOST_QUERY: usize = 70;

fn name_of(world: &World<'_>, task: &Task) -> String {
    world.library.skills.get(task.skill).map_or(String::new(), |skill| skill.qualified())
}

fn picture(
    system: &dyn System,
    file: &std::path::Path,
    compared: &[Compared<'_>],
    how: &str,
    tasks: &[Task],
    unit: Unit,
) -> Result<(), CommandError> {
    let rows: Vec<Row> = compared.iter().map(|one| one.row.clone()).collect();
    let title = format!("The right skill gets found: {}", counted(tasks.len(), "task"));
    let drawn = svg(&rows, &title, how, unit.word());
    // A file without a folder lies in the working folder, as for every other program.
    let file = match system.working_folder() {
        Ok(folder) => folder.join(file),
        Err(_) => file.to_owned(),
    };
    system.replace(&file, drawn.as_bytes()).map_err(|error| {
        CommandError::new(Kind::Fault, format!("can't write `{}`: {error}", file.display()))
    })
}

/// How words rank, in one sentence for people.
fn ranked_by_words() -> String {
    format!(
        "Ranked by BM25 (k1 {K1}, b {B}) over what each rule leaves visible: a lexical ranker stands in for a model, and knows no synonyms."
    )
}
