//! Folders that a change makes, empties, or must find free; and what makes a folder a skill's own.

use super::{
    ChangeError,
    keeper::Keeper,
    names::SKILL_FILE,
    place::{OURS, above, is_in, join, parent},
    spot::Spot,
};
use crate::{ledger::Step, system::Kind};

/// Permissions of new folders.
const FOLDER: u32 = 0o755;

impl Keeper<'_> {
    /// Steps that make a folder and those above it, as far as they are missing.
    pub(super) fn missing_folders(
        &self,
        folder: &str,
        steps: &mut Vec<Step>,
    ) -> Result<(), ChangeError> {
        for path in above(folder).chain((!folder.is_empty()).then_some(folder)) {
            let made = steps
                .iter()
                .any(|step| matches!(step, Step::MakeFolder { path: it, .. } if it == path));
            if made {
                continue;
            }
            match self.spot.held(path)? {
                None => steps.push(Step::MakeFolder { path: path.to_owned(), mode: FOLDER }),
                Some(held) if held.kind == Kind::Folder => {}
                Some(_) => return Err(ChangeError::Link(self.spot.path(path))),
            }
        }
        Ok(())
    }

    /// Steps that take away the folders inside a skill that nothing is left in.
    pub(super) fn emptied(&self, skill: &str, files: &[Step]) -> Result<Vec<Step>, ChangeError> {
        let gone = |path: &str| {
            matches!(
                files.iter().find(|step| super::apply::path_of(step) == path),
                Some(Step::Remove { .. })
            )
        };
        let put = |folder: &str| {
            files.iter().any(|step| matches!(step, Step::Put { path, .. } if is_in(path, folder)))
        };
        let mut steps: Vec<Step> = Vec::new();
        for step in files {
            let Step::Remove { path, .. } = step else { continue };
            let mut folder = parent(path);
            while folder != skill && is_in(folder, skill) && !put(folder) {
                let known = |path: &str| steps.iter().any(|it| super::apply::path_of(it) == path);
                if known(folder) {
                    break;
                }
                let left = self.spot.entries(folder)?.into_iter().any(|entry| {
                    let path = join(folder, &entry.name);
                    !gone(&path) && !known(&path)
                });
                let Some(held) = self.spot.held(folder)?.filter(|_| !left) else { break };
                steps.push(Step::RemoveFolder { path: folder.to_owned(), mode: held.mode });
                folder = parent(folder);
            }
        }
        Ok(steps)
    }

    /// Nothing may be where a skill is made: neither that folder, nor one whose name differs by capitals alone, nor a
    /// skill around it.
    pub(super) fn is_free(&self, folder: &str) -> Result<(), ChangeError> {
        let mut around = vec![""];
        around.extend(above(folder));
        for around in around {
            let Some(held) = self.spot.held(around)? else { return Ok(()) };
            if held.kind != Kind::Folder {
                return Err(ChangeError::Link(self.spot.path(around)));
            }
            let next = folder.get(around.len()..).unwrap_or_default().trim_start_matches('/');
            let next = next.split('/').next().unwrap_or_default();
            for entry in self.spot.entries(around)? {
                if entry.name.eq_ignore_ascii_case(SKILL_FILE) && !around.is_empty() {
                    let why = "it would lie inside another skill".to_owned();
                    let folder = folder.to_owned();
                    return Err(ChangeError::NoSkillFolder { folder, done: "made", why });
                }
                let same = entry.name.to_lowercase() == next.to_lowercase();
                let path = join(around, &entry.name);
                if same && (path != join(around, next) || path == folder) {
                    return Err(ChangeError::Exists(path));
                }
            }
        }
        Ok(())
    }

    /// Whether a folder is one skill's own ([`is_skill`]).
    pub(super) fn is_skill(&self, folder: &str, done: &'static str) -> Result<(), ChangeError> {
        is_skill(self.spot, folder, done)
    }

    /// A SKILL.md gets no second one beside it that is spelled otherwise.
    pub(super) fn is_called_so(&self, folder: &str, path: &str) -> Result<(), ChangeError> {
        if path != SKILL_FILE || self.spot.held(folder)?.is_none() {
            return Ok(());
        }
        let other = |name: &str| name != SKILL_FILE && name.eq_ignore_ascii_case(SKILL_FILE);
        match self.spot.entries(folder)?.into_iter().find(|entry| other(&entry.name)) {
            Some(entry) => Err(ChangeError::Exists(join(folder, &entry.name))),
            None => Ok(()),
        }
    }

    pub(super) fn files_of(&self, folder: &str) -> Vec<String> {
        super::tree::read(self.spot, folder).map(|tree| tree.paths()).unwrap_or_default()
    }
}

/// Whether a folder is one skill's own: no root, no link, nothing of ours, a SKILL.md in it, none further down.
pub(super) fn is_skill(
    spot: Spot<'_>,
    folder: &str,
    done: &'static str,
) -> Result<(), ChangeError> {
    let refused =
        |why: String| Err(ChangeError::NoSkillFolder { folder: folder.to_owned(), done, why });
    let odd = |part: &str| matches!(part, "" | "." | "..");
    if folder.is_empty() {
        return refused("it is the root itself".to_owned());
    }
    if folder.split('/').any(odd) || is_in(folder, OURS) {
        return refused("it is no folder of a skill".to_owned());
    }
    match spot.held(folder)? {
        None => Err(ChangeError::Missing { path: folder.to_owned(), there: Vec::new() }),
        Some(held) if held.kind == Kind::Link => Err(ChangeError::Link(spot.path(folder))),
        Some(held) if held.kind != Kind::Folder => refused("it is no folder".to_owned()),
        Some(_) => {
            let entries = spot.entries(folder)?;
            let is_file = |name: &str| name.eq_ignore_ascii_case(SKILL_FILE);
            if entries.iter().any(|entry| is_file(&entry.name) && entry.kind != Kind::Folder) {
                Ok(())
            } else {
                refused("there is no SKILL.md in it".to_owned())
            }
        }
    }
}
