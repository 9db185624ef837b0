//! A Hermes home's files, read: what is there is taken as bytes, and what can't be read is told. Nothing is written.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    adapters::{
        HermesFiles, Left, Said, read_hermes_home, read_hermes_settings, read_pending_write,
        takeover::WaitingThere,
    },
    config::HermesHome,
    ledger::{Digest, RootId},
    skill::OneLine,
    system::{Kind as There, System},
    world::{
        World,
        error::{CommandError, Kind},
        noting::Noted,
    },
};

/// Bytes of one of its files; what is larger is something else.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes of a write that waits: many times what the largest may have.
const MOST_OF_A_WRITE: u64 = 8 << 20;
/// Where its writes wait.
const PENDING: &str = "pending/skills";

/// A Hermes home as it was read.
pub struct Home {
    /// Where it is.
    pub home: HermesHome,
    /// All folders that it reads skills from.
    pub roots: Vec<PathBuf>,
    /// These in every form that a job may write them in.
    pub spellings: Vec<String>,
    /// The bytes of its files.
    pub files: HermesFiles,
    /// What it says.
    pub said: Said,
    /// Writes that wait there.
    pub pending: Vec<WaitingThere>,
}

/// The home at a folder, or the default one.
///
/// # Errors
/// Where there is none.
pub fn find(world: &World<'_>, folder: Option<&Path>) -> Result<HermesHome, CommandError> {
    HermesHome::find(world.system, folder).ok_or_else(|| {
        let named = folder.map_or_else(|| "~/.hermes".to_owned(), |it| it.display().to_string());
        CommandError::new(Kind::Finding, format!("there is no Hermes home at `{named}`"))
            .hint("name its folder: skillkeep import hermes:FOLDER")
    })
}

impl Home {
    /// Reads what is there of a home.
    #[must_use]
    pub fn read(world: &World<'_>, home: HermesHome) -> Home {
        let system = world.system;
        let (files, mut lost) = bytes(system, &home.path);
        let pending = pending(system, &home.path, &mut lost);
        let said = read_hermes_home(&files, &home.path.to_string_lossy(), lost);
        let settings = files.config.as_deref().and_then(|bytes| read_hermes_settings(bytes).ok());
        let roots = home.roots(system, &settings.map(|it| it.external).unwrap_or_default());
        let spellings = home.spellings(system, &roots);
        Home { home, roots, spellings, files, said, pending }
    }

    /// Its own folder of skills as the ledger numbers it; none where it is no root.
    #[must_use]
    pub fn root<'n>(&self, world: &World<'_>, noted: &'n Noted) -> Option<&'n (RootId, PathBuf)> {
        let own = self.home.path.join("skills");
        let own = world.system.resolve(&own).unwrap_or(own);
        noted.roots.iter().flatten().find(|(_, path)| *path == own)
    }

    /// The same, where there must be one.
    ///
    /// # Errors
    /// Where it is no root that skills are read from.
    pub fn must_be_root(&self, world: &World<'_>, noted: &Noted) -> Result<(), CommandError> {
        if self.root(world, noted).is_some() {
            return Ok(());
        }
        let own = world.shorten(&self.home.path.join("skills"));
        let message = format!("`{own}` is no root that skills are read from");
        let hint = "name it under `roots` in skillkeep.toml; `skillkeep` lists the roots";
        Err(CommandError::new(Kind::Finding, message).hint(hint))
    }
}

/// The files' bytes, and those that are there and can't be read.
fn bytes(system: &dyn System, home: &Path) -> (HermesFiles, Vec<Left>) {
    let (mut files, mut lost) = (HermesFiles::default(), Vec::new());
    for (path, place) in files.each() {
        match system.read(&home.join(path), MOST_BYTES + 1) {
            Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
                lost.push(Left::new(path, "", format!("it has more than {MOST_BYTES} bytes")));
            }
            Ok(bytes) => *place = Some(bytes),
            Err(error) if is_absent(&error) => {}
            Err(error) => lost.push(Left::new(path, "", format!("it can't be read: {error}"))),
        }
    }
    (files, lost)
}

/// What waits there. What is no file of its own, or can't be read as a write, is told.
fn pending(system: &dyn System, home: &Path, lost: &mut Vec<Left>) -> Vec<WaitingThere> {
    let mut entries = match system.list(&home.join(PENDING)) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => Vec::new(),
        Err(error) => {
            lost.push(Left::new(PENDING, "", format!("it can't be listed: {error}")));
            Vec::new()
        }
    };
    entries.retain(|it| it.name.ends_with(".json"));
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let mut pending = Vec::new();
    for entry in entries {
        let file = format!("{PENDING}/{}", OneLine::capped(&entry.name, 300));
        let read = match entry.kind {
            There::File if entry.odd_name => Err("its name is no UTF-8".to_owned()),
            There::File => bytes_of(system, &home.join(PENDING).join(&entry.name)),
            There::Link => Err("it is a link, and a file was expected".to_owned()),
            _ => Err("it is no file".to_owned()),
        };
        let read = read.map_err(|why| Left::new(&file, "", why)).and_then(|bytes| {
            let write = read_pending_write(&file, &bytes)?;
            Ok(WaitingThere { file: file.clone(), digest: Digest::of(&bytes), write })
        });
        match read {
            Ok(write) => pending.push(write),
            Err(why) => lost.push(why),
        }
    }
    pending
}

fn bytes_of(system: &dyn System, path: &Path) -> Result<Vec<u8>, String> {
    match system.read(path, MOST_OF_A_WRITE + 1) {
        Ok(bytes) if bytes.len() as u64 > MOST_OF_A_WRITE => {
            Err(format!("it has more than {MOST_OF_A_WRITE} bytes"))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(format!("it can't be read: {error}")),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
