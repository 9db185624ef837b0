//! `skillkeep edit`

use std::process::ExitCode;

use clap::Args;

use super::{
    Global,
    editor::{self, Edited},
    options::{ReasonArgs, RootArgs},
    output::Output,
    staged,
    written::Written,
};
use crate::{
    change::{Base, Edit, names::SKILL_FILE},
    ledger::Digest,
    system::System,
    tools::write::{Went, Writer},
    world::{
        error::{CommandError, Kind},
        store,
    },
};

/// Edit a file of a skill in your editor.
#[derive(Debug, Args)]
#[command(
    after_help = "The editor is that of VISUAL, of EDITOR, or vi. It opens a private copy; what you leave there is written as one change when it ends, unless the file was changed meanwhile."
)]
pub struct EditArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skill: its name, its folder, or category/name
    name: String,

    /// A file of the skill, such as references/guide.md; one that isn't there is made
    #[arg(default_value = SKILL_FILE)]
    path: String,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Edits a file of a skill.
pub fn edit(
    system: &dyn System,
    global: &Global,
    args: &EditArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    if !system.is_attended() {
        let message = "there is no terminal to open an editor at";
        return Err(CommandError::new(Kind::Usage, message)
            .hint(format!("skillkeep write {} --put {}=FILE", args.name, args.path)));
    }
    let opened = store::open(system, &global.at(&args.roots), out)?;
    let writer = Writer::new(&opened, &args.why, out)?;
    let it = writer.meant(&args.name, out)?;
    let there = it.keeper.file(&it.folder, &args.path)?;
    let base = there.as_deref().map_or(Base::Absent, |bytes| Base::Read(Digest::of(bytes)));
    let before = there.unwrap_or_default();
    let again = format!("skillkeep write {} --put {}=", it.name, args.path);
    let edited = editor::edit(system, &opened.1, (it.folder_name(), &args.path), &before, &again)?;
    let (bytes, draft) = match edited {
        Edited::Text(bytes, draft) => (bytes, draft),
        Edited::Same => {
            out.note("nothing was changed");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let edits = [Edit::Put { path: args.path.clone(), bytes, mode: None, base }];
    let went =
        writer.edit(&it, &edits).map_err(|error| editor::kept(error.into(), &draft, &again))?;
    draft.discard()?;
    let done = match went {
        Went::Made(done) => done,
        Went::Waits(staged) => return staged::tell(global, &staged, &it.name, out),
    };
    let written = Written::from(&done);
    let what = format!("changed {} of `{}`", written.files(&it.folder), it.name);
    written.tell(global, (&it.name, &it.folder, &what), out)?;
    Ok(ExitCode::SUCCESS)
}
