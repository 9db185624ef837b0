//! Whether the programs that a skill calls are on this machine.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use crate::system::{Kind, Stat, System};

/// Looks programs up in `PATH`, each once.
pub struct Programs<'a> {
    system: &'a dyn System,
    folders: Vec<PathBuf>,
    known: Mutex<HashMap<String, bool>>,
}

impl<'a> Programs<'a> {
    /// The programs of this machine.
    #[must_use]
    pub fn new(system: &'a dyn System) -> Programs<'a> {
        let folders = system
            .variable("PATH")
            .map(|path| {
                path.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
            })
            .unwrap_or_default();
        Programs { system, folders, known: Mutex::new(HashMap::new()) }
    }

    /// The states of the folders of programs: where they are the same, so are the programs, though one may have become executable.
    #[must_use]
    pub fn seen(&self) -> Vec<Option<Stat>> {
        self.folders.iter().map(|folder| self.system.stat(folder).ok()).collect()
    }

    /// Which of these are not there. Without a `PATH` nothing is known, and nothing is missing.
    #[must_use]
    pub fn missing(&self, commands: &[String]) -> Vec<String> {
        if self.folders.is_empty() {
            return Vec::new();
        }
        commands.iter().filter(|command| !self.is_there(command)).cloned().collect()
    }

    fn is_there(&self, command: &str) -> bool {
        if command.is_empty() || command.contains('/') {
            return true;
        }
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(command)
        {
            return *known;
        }
        let there = self.folders.iter().any(|folder| {
            self.system
                .stat(&folder.join(command))
                .is_ok_and(|stat| stat.kind == Kind::File && stat.mode & 0o111 != 0)
        });
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(command.to_owned(), there);
        there
    }
}
