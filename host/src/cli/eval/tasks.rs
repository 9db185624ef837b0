//! Where tasks come from: the user's file, or the bodies of the skills.

use rayon::prelude::*;

use super::{super::options::read, EvalArgs, name_of};
use crate::{
    decision::Form,
    eval::{Kind as Place, Origin, Source, Task, draw, read_tasks},
    index::Candidates,
    library::{self, Names, Resolution},
    world::counted,
    world::{
        World,
        error::{CommandError, Kind},
    },
};

/// Tasks, and where they come from.
pub struct Tasks {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Where they come from, for people.
    pub from: String,
    /// Visible skills that gave none; none where they come from a file.
    pub without: Option<usize>,
}

impl Tasks {
    /// A file of them.
    pub fn written(&self, world: &World<'_>) -> String {
        self.tasks
            .iter()
            .map(|task| format!("{} -> {}\n", task.query, name_of(world, task)))
            .collect()
    }
}

/// Tasks that a model is put where nobody says how many: each is a request for every block.
const BY_MODEL: usize = 20;

/// The tasks.
///
/// # Errors
/// Where the file can't be read, a line is no task, or its skill can't be told.
pub fn tasks(
    world: &World<'_>,
    candidates: &Candidates,
    args: &EvalArgs,
) -> Result<Tasks, CommandError> {
    let most = match args.max_tasks {
        Some(most) => most as usize,
        None if args.model.is_asked() => BY_MODEL,
        None => usize::MAX,
    };
    let Some(file) = &args.tasks else { return Ok(drawn(world, candidates, args, most)) };
    let shown = world.shorten(file);
    let wrong = |what: String| CommandError::new(Kind::Usage, format!("tasks `{shown}`: {what}"));
    let bytes = read(world.system, file, "tasks")?;
    let written = read_tasks(&bytes).map_err(|error| {
        wrong(error.to_string())
            .hint("a line each: `query -> skill`; `skillkeep eval --show-tasks` prints some")
    })?;
    let lost = |what: String| CommandError::new(Kind::Usage, what);
    let names = Names::new(&world.library);
    let mut tasks = Vec::with_capacity(written.len());
    let mut absent: Vec<CommandError> = Vec::new();
    for one in written {
        let Some(skill) = names.one(one.skill.as_str()) else {
            let (line, name) = (one.line, &one.skill);
            absent.push(match world.library.resolve(name.as_str()) {
                Resolution::Several(rows) => {
                    let forms: Vec<String> = rows
                        .iter()
                        .filter_map(|row| world.library.skills.get(*row))
                        .map(|skill| skill.qualified())
                        .collect();
                    lost(format!("line {line}: `{name}` is {} skills", rows.len()))
                        .hint(format!("write one of {}", forms.join(", ")))
                }
                Resolution::None { near } if !near.is_empty() => {
                    lost(format!("line {line}: no skill is called `{name}`"))
                        .hint(format!("did you mean `{}`?", near.join("`, `")))
                }
                _ => lost(format!("line {line}: no skill is called `{name}`"))
                    .hint("`skillkeep list` shows all"),
            });
            continue;
        };
        tasks.push(Task { query: one.query, skill, origin: Origin::File(one.line) });
    }
    if !absent.is_empty() {
        return Err(all_absent(absent, wrong));
    }
    tasks.truncate(most);
    Ok(Tasks { from: format!("from {shown}"), tasks, without: None })
}

/// Lines whose skill can't be told, as one error: who has to mend a file would rather know of all of them.
fn all_absent(absent: Vec<CommandError>, wrong: impl Fn(String) -> CommandError) -> CommandError {
    const SHOWN: usize = 10;
    let more = absent.len().saturating_sub(SHOWN);
    let mut lines = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    for error in absent.into_iter().take(SHOWN) {
        lines.push(error.message);
        for hint in error.hints {
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
    }
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let error = wrong(format!("{}{more}", lines.join("; ")));
    hints.into_iter().fold(error, CommandError::hint)
}

fn drawn(world: &World<'_>, candidates: &Candidates, args: &EvalArgs, most: usize) -> Tasks {
    let allowed = world.allowed_folders();
    let sources: Vec<Source> = candidates
        .entries
        .par_iter()
        .filter_map(|entry| {
            let skill = world.library.skills.get(entry.skill)?;
            let folder = world.library.folder_of(entry.skill)?;
            let opened =
                library::open_inside(world.files(), &folder, &skill.place.file, &allowed).ok();
            let body = opened.map_or(String::new(), |(_, bytes)| {
                String::from_utf8_lossy(library::body(&bytes)).into_owned()
            });
            Some(Source {
                skill: entry.skill,
                name: skill.name.as_str().to_owned(),
                qualified: skill.qualified(),
                line: entry.visible(Form::Full)?,
                body,
            })
        })
        .collect();
    let mut drawn = draw(&sources, usize::from(args.tasks_per_skill), args.seed);
    thin(&mut drawn.tasks, most, args.seed);
    let kinds: Vec<String> = Place::ALL
        .into_iter()
        .map(|kind| {
            let of_kind = drawn.tasks.iter().filter(|task| task.origin == Origin::Body(kind));
            format!("{} {}", of_kind.count(), kind.word())
        })
        .collect();
    let from = format!(
        "drawn by seed {} from the bodies of {} ({} gave none): {}",
        args.seed,
        counted(sources.len(), "skill"),
        drawn.without,
        kinds.join(", ")
    );
    Tasks { tasks: drawn.tasks, from, without: Some(drawn.without) }
}

/// Leaves so many, chosen by the seed, in their order: the first ones would all be of a few categories.
fn thin(tasks: &mut Vec<Task>, most: usize, seed: u64) {
    if tasks.len() <= most {
        return;
    }
    let key = |task: &Task| {
        let text = format!("{}\n{}", task.skill, task.query);
        xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), seed)
    };
    let mut keys: Vec<u64> = tasks.iter().map(key).collect();
    keys.sort_unstable();
    let Some(last) = most.checked_sub(1).and_then(|at| keys.get(at).copied()) else { return };
    tasks.retain(|task| key(task) <= last);
    tasks.truncate(most);
}
