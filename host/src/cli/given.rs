//! Files and edits as they are given on the command line, and as a change takes them.

use std::{collections::BTreeMap, path::Path};

use crate::{
    change::{
        Base, Edit,
        request::{BadRequest, Request, based},
    },
    system::System,
    world::error::{CommandError, Kind},
};
use clap::Args;

/// Bytes of one file that are taken in at most; what a skill may hold is less.
const MOST_BYTES: u64 = 64 << 20;

/// What stands for standard input.
const INPUT: &str = "-";

/// Files that go into a skill.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Put a file's bytes at a path of the skill; FILE can be `-` for standard input. May be given several times
    #[arg(long = "put", value_name = "PATH=FILE")]
    put: Vec<String>,

    /// Take edits from JSON: {"base": {PATH: HASH}, "edits": [{"put": {"path", "text", "executable"}}, {"patch": {"path",
    /// "old", "new", "all", "tolerant"}}, {"remove": {"path"}}]}
    #[arg(long, value_name = "FILE", conflicts_with = "put")]
    edits: Option<String>,
}

/// Files as they are read, standard input once.
pub struct Given<'a> {
    system: &'a dyn System,
    input_taken: bool,
}

impl<'a> Given<'a> {
    /// None was read yet.
    pub fn new(system: &'a dyn System) -> Given<'a> {
        Given { system, input_taken: false }
    }

    /// A file's bytes.
    ///
    /// # Errors
    /// Where it can't be read or is too large, or standard input was read already.
    pub fn bytes(&mut self, file: &str) -> Result<Vec<u8>, CommandError> {
        let cant =
            |why: String| CommandError::new(Kind::Usage, format!("`{file}` can't be read: {why}"));
        let read = if file == INPUT {
            if std::mem::replace(&mut self.input_taken, true) {
                return Err(cant("standard input was read already".to_owned())
                    .hint("give `-` once, and the other texts as files"));
            }
            self.system.input(MOST_BYTES + 1)
        } else {
            self.system.read(Path::new(file), MOST_BYTES + 1)
        };
        let bytes = read.map_err(|error| cant(error.to_string()))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(cant(format!("it has more than {MOST_BYTES} bytes")));
        }
        Ok(bytes)
    }

    /// The edit that puts a file where a path is. What can be run stays so.
    ///
    /// # Errors
    /// As [`Given::bytes`].
    pub fn put(&mut self, path: &str, file: &str) -> Result<Edit, CommandError> {
        let bytes = self.bytes(file)?;
        let stat = self.system.stat(Path::new(file)).ok().filter(|_| file != INPUT);
        let mode = stat.filter(|stat| stat.mode & 0o100 != 0).map(|_| 0o755);
        Ok(Edit::Put { path: path.to_owned(), bytes, mode, base: Base::Any })
    }

    /// All edits that were given: those of `first`, then those of the options, each with what was read of its file.
    /// `skill` is the name of the skill's folder.
    ///
    /// # Errors
    /// Where one can't be read or taken.
    pub fn edits(
        &mut self,
        first: Vec<Edit>,
        files: &FileArgs,
        bases: &[String],
        skill: &str,
    ) -> Result<Vec<Edit>, CommandError> {
        let mut edits = first;
        for put in &files.put {
            let (path, file) = pair(put, "--put", "PATH=FILE")?;
            edits.push(self.put(path, file)?);
        }
        if let Some(file) = &files.edits {
            edits.extend(Request::read(&self.bytes(file)?)?.into_edits(skill)?);
        }
        let mut read = BTreeMap::new();
        for base in bases {
            let (path, hash) = base.rsplit_once('=').unwrap_or(("SKILL.md", base));
            read.insert(path.to_owned(), hash.to_owned());
        }
        if read.is_empty() { Ok(edits) } else { Ok(based(edits, &read, skill)?) }
    }
}

fn pair<'t>(text: &'t str, option: &str, form: &str) -> Result<(&'t str, &'t str), CommandError> {
    text.split_once('=').filter(|(path, file)| !path.is_empty() && !file.is_empty()).ok_or_else(
        || CommandError::new(Kind::Usage, format!("found `{option} {text}`, expected {form}")),
    )
}

impl From<BadRequest> for CommandError {
    fn from(bad: BadRequest) -> CommandError {
        match bad {
            BadRequest::Change(error) => error.into(),
            bad => CommandError::new(Kind::Usage, bad.to_string()).maybe_hint(bad.hint()),
        }
    }
}
