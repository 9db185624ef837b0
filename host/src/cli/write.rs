//! `skillkeep write`

use std::process::ExitCode;

use clap::Args;

use super::{
    Global,
    given::{FileArgs, Given},
    options::{ReasonArgs, RootArgs},
    output::Output,
    staged,
    written::{Written, again, refused},
};
use crate::{
    change::{
        Base, ChangeError, Edit,
        names::SKILL_FILE,
        patch::{How, Patch},
    },
    decision::{Judgement, Verdict},
    system::System,
    tools::{
        Call,
        trouble::Trouble,
        write::{Went, Writer},
    },
    world::{
        error::{CommandError, Kind},
        store::{self, Meant},
    },
};

/// Write files of a skill.
#[derive(Debug, Args)]
#[command(
    after_help = "All that is given is one change: all of it is done, or nothing. An agent names the hash of what it read of each file that is there; `show --json` prints it. What was done is printed as a diff.\n\nExamples:\n  skillkeep write deploy --patch SKILL.md --old 'by hand' --new 'by the script' --base HASH\n  skillkeep write deploy --put scripts/go.sh=go.sh --remove references/old.md --dry-run\n  skillkeep write deploy --edits edits.json"
)]
pub struct WriteArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    #[command(flatten)]
    files: FileArgs,

    /// Put a file's bytes in the place of the SKILL.md; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edits")]
    replace: Option<String>,

    /// Take a file of the skill away; may be given several times
    #[arg(long, value_name = "PATH", conflicts_with = "edits")]
    remove: Vec<String>,

    /// Replace a passage in a file of the skill: `--old` by `--new`
    #[arg(long, value_name = "PATH", conflicts_with = "edits")]
    patch: Option<String>,

    /// The passage, as it stands in the file
    #[arg(long, value_name = "TEXT", requires = "patch", allow_hyphen_values = true)]
    old: Option<String>,

    /// What comes in its place; an empty text deletes it
    #[arg(long, value_name = "TEXT", requires = "patch", allow_hyphen_values = true)]
    new: Option<String>,

    /// Replace the passage wherever it is
    #[arg(long, requires = "patch", conflicts_with = "tolerant")]
    all: bool,

    /// Where the passage isn't there exactly, take the one place that differs in line ends, indentation or quotes alone
    #[arg(long, requires = "patch")]
    tolerant: bool,

    /// What was read: the SHA-256 of the SKILL.md, or of another file. May be given several times
    #[arg(long, value_name = "[PATH=]HASH")]
    base: Vec<String>,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Writes files of a skill.
pub fn write(
    system: &dyn System,
    global: &Global,
    args: &WriteArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let open = if args.dry_run { store::look } else { store::open };
    let place = global.at(&args.roots);
    let opened = open(system, &place, out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let told = |trouble: Trouble, name: &str, asked: &str| {
        if args.dry_run {
            return refused(trouble, name);
        }
        let call = Call::new("write", name, asked, &trouble);
        again(system, &place, &args.why, &call, refused(trouble, name))
    };
    let it = writer.meant(&args.name, out).map_err(|trouble| told(trouble, &args.name, ""))?;
    let edits = edits(system, args, &it)?;
    let refused = |trouble| told(trouble, &it.name, &format!("{edits:?}"));
    if args.dry_run {
        let preview = writer.would_edit(&it, &edits).map_err(refused)?;
        let Judgement { verdict, reason, by } = &preview.judgement;
        let would = match verdict {
            Verdict::Stage(_) => {
                out.note(&format!("{by}: {}", reason.text));
                "would stage a change of"
            }
            _ => "would change",
        };
        let written = Written::from(&preview);
        let what = format!("{would} {} of `{}`", written.files(&it.folder), it.name);
        written.tell(global, (&it.name, &it.folder, &what), out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let done = match writer.edit(&it, &edits).map_err(refused)? {
        Went::Made(done) => done,
        Went::Waits(staged) => return staged::tell(global, &staged, &it.name, out),
    };
    let written = Written::from(&done);
    let what = format!("changed {} of `{}`", written.files(&it.folder), it.name);
    written.tell(global, (&it.name, &it.folder, &what), out)?;
    Ok(ExitCode::SUCCESS)
}

fn edits(system: &dyn System, args: &WriteArgs, it: &Meant<'_>) -> Result<Vec<Edit>, CommandError> {
    let mut given = Given::new(system);
    let mut first = Vec::new();
    if let Some(file) = &args.replace {
        first.push(given.put(SKILL_FILE, file)?);
    }
    if let Some(path) = &args.patch {
        let how = match (args.all, args.tolerant) {
            (true, _) => How::All,
            (false, true) => How::Tolerant,
            (false, false) => How::Once,
        };
        let patch = Patch::new(args.old.as_deref(), args.new.as_deref(), how)
            .map_err(|why| ChangeError::Patch { path: path.clone(), why })?;
        first.push(Edit::Patch { path: path.clone(), patch, base: Base::Any });
    }
    first.extend(
        args.remove.iter().map(|path| Edit::Remove { path: path.clone(), base: Base::Any }),
    );
    let edits = given.edits(first, &args.files, &args.base, it.folder_name())?;
    if edits.is_empty() {
        return Err(CommandError::new(Kind::Usage, "nothing to write was given").hint(format!(
            "skillkeep write {} --put PATH=FILE, or --patch, --replace, --remove, --edits",
            args.name
        )));
    }
    Ok(edits)
}
