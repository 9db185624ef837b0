//! `skillkeep new`

use std::process::ExitCode;

use clap::Args;

use super::{
    Global,
    editor::{self, Edited},
    given::{FileArgs, Given},
    options::{ReasonArgs, RootArgs},
    output::Output,
    staged,
    written::{Written, again},
};
use crate::{
    change::{
        Base, ChangeError, Clash, Done, Draft, Edit, NewSkill,
        content::starter,
        names::{NameOf, SKILL_FILE, check_name},
    },
    library::Resolution,
    system::System,
    tools::{
        Call,
        write::{Went, Writer, root_for},
    },
    world::{
        error::{CommandError, Kind},
        store::{self, Store},
    },
};

/// Make a skill.
#[derive(Debug, Args)]
#[command(
    after_help = "It is made in the first root that this home owns, unless another is named. Without `--from` it gets a small SKILL.md with the description; without a description either, an editor opens at a terminal. What `--put` and `--edits` give comes in the same change.\n\nExample: skillkeep new deploy --description 'Use when a service goes out.'"
)]
pub struct NewArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill's name, which its folder gets: small letters, digits and hyphens
    name: String,

    /// The category, a folder around it
    #[arg(long)]
    category: Option<String>,

    /// What it is for, and when: one line that an agent chooses by
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// Take the whole SKILL.md from this file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "description")]
    from: Option<String>,

    #[command(flatten)]
    files: FileArgs,

    /// Make it even where a skill of that name is there
    #[arg(long)]
    shadow: bool,

    /// The root to make it in, by its label or its path
    #[arg(long = "in", value_name = "ROOT")]
    root: Option<String>,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Makes a skill.
pub fn new(
    system: &dyn System,
    global: &Global,
    args: &NewArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    // What can be refused without looking at anything is.
    check_name(NameOf::Skill, &args.name).map_err(ChangeError::from)?;
    if let Some(category) = &args.category {
        check_name(NameOf::Category, category).map_err(ChangeError::from)?;
    }
    let mut files = given(system, args)?;
    let place = global.at(&args.roots);
    let opened = store::open(system, &place, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let (world, store, noted) = &opened;
    let (id, root) = root_for(world, store, noted, args.root.as_deref())?;
    let clash = if args.shadow { Clash::Shadow } else { Clash::Refuse };
    let new = NewSkill { name: &args.name, category: args.category.as_deref(), files: &[], clash };
    // No editor opens for what can't be made.
    let folder = new.folder(&world.library)?;
    let draft = if files.iter().any(|edit| edit.path().ends_with(SKILL_FILE)) {
        None
    } else {
        let (bytes, draft) = described(system, store, &args.name)?;
        files.push(skill_file(bytes));
        Some(draft)
    };
    let new = NewSkill { files: &files, ..new };
    let went = writer.create(&new, (id, root)).map_err(|trouble| match &draft {
        Some(draft) => editor::kept(trouble.into(), draft, &with_text(&args.name)),
        None => {
            let call = Call::new("new", &args.name, &format!("{files:?}"), &trouble);
            again(system, &place, &args.why, &call, trouble.into())
        }
    })?;
    if let Some(draft) = draft {
        draft.discard()?;
    }
    let done = match went {
        Went::Made(done) => done,
        Went::Waits(staged) => return staged::tell(global, &staged, &args.name, out),
    };
    // All of its text is new: a diff would only say it once more.
    let done = Done { diffs: Vec::new(), ..done };
    let what = format!("created `{}`", args.name);
    Written::from(&done).tell(global, (&args.name, &folder, &what), out)?;
    if let Resolution::One(row) = world.library.resolve(&args.name)
        && let Some(path) = world.library.path_of(row)
    {
        out.warn(&format!("another `{}` is at `{}`", args.name, world.shorten(&path)));
        out.hint("`skillkeep list` shows which of them counts");
    }
    let path = root.join(&folder).join(SKILL_FILE);
    out.hint(&format!("it lies at `{}`", world.shorten(&path)));
    Ok(ExitCode::SUCCESS)
}

/// The files that were given.
fn given(system: &dyn System, args: &NewArgs) -> Result<Vec<Edit>, CommandError> {
    let mut given = Given::new(system);
    let mut first = Vec::new();
    if let Some(file) = &args.from {
        first.push(given.put(SKILL_FILE, file)?);
    } else if let Some(description) = &args.description {
        first.push(skill_file(starter(&args.name, description.trim()).into_bytes()));
    }
    given.edits(first, &args.files, &[], &args.name)
}

/// The command that takes a kept text's path.
fn with_text(name: &str) -> String {
    format!("skillkeep new {name} --from ")
}

fn skill_file(bytes: Vec<u8>) -> Edit {
    Edit::Put { path: SKILL_FILE.to_owned(), bytes, mode: None, base: Base::Absent }
}

/// What a person writes in an editor who gave no description.
fn described<'a>(
    system: &dyn System,
    store: &'a Store<'_>,
    name: &str,
) -> Result<(Vec<u8>, Draft<'a>), CommandError> {
    if !system.is_attended() {
        return Err(CommandError::new(
            Kind::Usage,
            "a skill needs a description, and none was given",
        )
        .hint(format!("skillkeep new {name} --description 'Use when …'"))
        .hint("or take a whole SKILL.md from a file: --from FILE"));
    }
    let template = starter(name, "");
    match editor::edit(system, store, (name, SKILL_FILE), template.as_bytes(), &with_text(name))? {
        Edited::Text(bytes, draft) => Ok((bytes, draft)),
        Edited::Same => Err(CommandError::new(
            Kind::Finding,
            "the template was left as it was, so no skill is made",
        )),
    }
}
