//! What is watched, and which hints mean what.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    hints::Hint,
    ways::{self, Ways},
};
use crate::system::{Kind, System};

/// Folders of skills that are watched, in all roots together: each costs the user one of some thousand watches.
const MOST_FOLDERS: usize = 4_096;

/// What somebody wants to hear of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Interest {
    policies: Ways,
    /// To the roots themselves.
    to_roots: Ways,
    /// Folders in which every entry may be a skill, or a part of one.
    skills: BTreeSet<PathBuf>,
    /// Whether there are more of them.
    pub(super) more: bool,
}

/// What a hint is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) policies: bool,
    pub(super) skills: bool,
}

impl Interest {
    /// In the ways to these files.
    pub(super) fn of_files(&mut self, system: &dyn System, files: &[PathBuf]) {
        self.policies.clear();
        files.iter().for_each(|file| ways::add(system, file, &mut self.policies));
    }

    /// In what lies below these roots, down to the folders of skills: what a skill keeps in folders of its own is in no index.
    pub(super) fn of_roots(&mut self, system: &dyn System, roots: &[PathBuf]) {
        self.to_roots.clear();
        self.skills.clear();
        self.more = false;
        roots.iter().for_each(|root| ways::add(system, root, &mut self.to_roots));
        let mut left: VecDeque<PathBuf> = roots.iter().cloned().collect();
        while let Some(folder) = left.pop_front() {
            let Ok(folder) = system.resolve(&folder) else { continue };
            if self.skills.contains(&folder) {
                continue;
            }
            let Ok(entries) = system.list(&folder) else { continue };
            if self.skills.len() >= MOST_FOLDERS {
                self.more = true;
                return;
            }
            let is_skill = entries.iter().any(|entry| entry.name == "SKILL.md");
            let below = entries.iter().filter(|it| !it.odd_name && !it.name.starts_with('.'));
            for entry in below.filter(|_| !is_skill) {
                let path = folder.join(&entry.name);
                let is_folder = match entry.kind {
                    Kind::Folder => true,
                    Kind::Link => system.stat(&path).is_ok_and(|it| it.kind == Kind::Folder),
                    Kind::File | Kind::Other => false,
                };
                if is_folder {
                    left.push_back(path);
                }
            }
            self.skills.insert(folder);
        }
    }

    /// Folders to watch, those first that matter most.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut known = BTreeSet::new();
        let all = self.policies.keys().chain(self.to_roots.keys()).chain(&self.skills);
        all.filter(|folder| known.insert(folder.as_path())).cloned().collect()
    }

    /// What a hint is about; nothing at all for most that happens in a home.
    pub(super) fn about(&self, hint: &Hint) -> About {
        let Hint::Changed(paths) = hint else { return About { policies: true, skills: true } };
        let mut about = About::default();
        for path in paths {
            about.policies |= leads(&self.policies, path);
            about.skills |= leads(&self.to_roots, path) || self.is_of_skill(path);
        }
        about
    }

    fn is_of_skill(&self, path: &Path) -> bool {
        let is_below = path.parent().is_some_and(|folder| self.skills.contains(folder));
        // Hidden files are other programs' states and half-written texts. Mounted config maps swap a link `..data`.
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let is_hidden = name.starts_with(b".") && !name.starts_with(b"..");
        self.skills.contains(path) || (is_below && !is_hidden)
    }
}

/// Whether something about a path says that a way leads elsewhere now.
fn leads(ways: &BTreeMap<PathBuf, BTreeSet<std::ffi::OsString>>, path: &Path) -> bool {
    let name: &OsStr = path.file_name().unwrap_or_default();
    let is_named = path.parent().and_then(|folder| ways.get(folder));
    ways.contains_key(path) || is_named.is_some_and(|names| names.contains(name))
}

#[cfg(test)]
mod tests {
    use super::{About, Hint, Interest};
    use crate::system::MemorySystem;
    use std::path::PathBuf;

    #[test]
    fn a_hint_is_about_what_its_path_leads_to() {
        let files = ["/home/skillkeep.toml", "/home/a.wasm", "/roots/mine/ops/backup/SKILL.md"]
            .map(|path| (path.to_owned(), Vec::new()));
        let system = MemorySystem::from_files(files.into_iter());
        let mut interest = Interest::default();
        interest.of_files(&system, &["/home/skillkeep.toml".into(), "/home/a.wasm".into()]);
        interest.of_roots(&system, &["/roots/mine".into(), "/roots/none".into()]);
        for (path, policies, skills) in [
            ("/home/a.wasm", true, false),
            ("/home/skillkeep.toml", true, false),
            ("/home", true, false),
            ("/home/ledger.db-wal", false, false),
            ("/home/a.wasm.tmp", false, false),
            ("/roots/mine", false, true),
            ("/roots/none", false, true),
            ("/roots/other", false, false),
            ("/roots/mine/ops", false, true),
            ("/roots/mine/new", false, true),
            ("/roots/mine/ops/backup/SKILL.md", false, true),
            ("/roots/mine/ops/backup/.SKILL.md.swp", false, false),
            ("/roots/mine/..data", false, true),
            ("/elsewhere", false, false),
        ] {
            let hint = Hint::Changed(vec![PathBuf::from(path)]);
            assert_eq!(interest.about(&hint), About { policies, skills }, "{path}");
        }
        assert_eq!(interest.about(&Hint::Lost), About { policies: true, skills: true });
        let folders: Vec<_> =
            interest.folders().iter().map(|it| it.display().to_string()).collect();
        assert_eq!(
            folders,
            ["/home", "/roots", "/roots/mine", "/roots/mine/ops", "/roots/mine/ops/backup"]
        );
    }

    #[test]
    fn so_many_folders_are_watched_and_no_more() {
        let files = (0..5_000).map(|it| (format!("/root/{it}/SKILL.md"), Vec::new()));
        let system = MemorySystem::from_files(files);
        let mut interest = Interest::default();
        interest.of_roots(&system, &["/root".into()]);
        assert_eq!((interest.skills.len(), interest.more), (super::MOST_FOLDERS, true));
        interest.of_roots(&system, &[]);
        assert!(!interest.more);
    }
}
