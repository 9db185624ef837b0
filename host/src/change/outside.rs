//! What others did to a skill's files without asking, written down as a change, so that it has a diff and a way back.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ChangeError, Fresh,
    keeper::{By, Done, Keeper, Target},
    place::{above, is_in, join},
    spot::{LARGEST, LINK},
    tree,
};
use crate::{
    ledger::{Blob, Leave, NewChange, Step, Verb},
    skill::{Actor, SkillId},
};

impl Keeper<'_> {
    /// Looks at a skill's files, and writes down what others changed since they were last written or looked at. The first
    /// look at a skill writes down all of them, so that there is a way back to it. `formerly` is the folder where it was
    /// known to lie, if that is another one.
    ///
    /// # Errors
    /// Where the files can't be read, or their bytes not be kept.
    pub fn observe(
        &self,
        skill: Target<'_>,
        formerly: Option<&str>,
    ) -> Result<Option<Done>, ChangeError> {
        let lock = self.lock("scan")?;
        let formerly = formerly.unwrap_or(skill.folder);
        let known = self.known_files(skill.id, formerly)?;
        let tree = tree::read(self.spot, skill.folder)?;
        let folders = tree.folders.clone();
        let whole = |blob: &Blob| blob.mode & LINK != LINK && blob.size <= LARGEST;
        let found: BTreeMap<String, Blob> =
            tree.files.into_iter().filter(|(_, blob)| whole(blob)).collect();
        let mut steps = Vec::new();
        if formerly != skill.folder {
            steps.push(Step::Move { from: formerly.to_owned(), to: skill.folder.to_owned() });
        }
        for (path, before) in known.iter().filter(|(path, _)| !found.contains_key(*path)) {
            steps.push(Step::Remove { path: join(skill.folder, path), before: *before });
        }
        // Folders are known by the files in them: one that is gone had the usual permissions for all that is known.
        let held = |folder: &str| known.keys().any(|path| is_in(path, folder));
        let gone: BTreeSet<&str> = known
            .keys()
            .flat_map(|path| above(path))
            .filter(|folder| !folders.iter().any(|(there, _)| there == folder))
            .collect();
        for folder in gone.into_iter().rev() {
            steps.push(Step::RemoveFolder { path: join(skill.folder, folder), mode: 0o755 });
        }
        for (folder, mode) in &folders {
            if !known.is_empty() && !held(folder) && found.keys().any(|path| is_in(path, folder)) {
                steps.push(Step::MakeFolder { path: join(skill.folder, folder), mode: *mode });
            }
        }
        for (path, after) in &found {
            let before = if known.is_empty() { Some(*after) } else { known.get(path).copied() };
            if known.is_empty() || before != Some(*after) {
                steps.push(Step::Put { path: join(skill.folder, path), before, after: *after });
            }
        }
        let done = if steps.is_empty() {
            Ok(None)
        } else {
            let by = By { actor: Actor::Outside, session: None, reason: String::new() };
            let leave = Leave { waits: self.watching, ..Leave::default() };
            let change = NewChange { leave, ..self.change(skill.id, Verb::Outside, &by, steps) };
            self.make(change, Fresh::new(), |_| Ok(())).map(Some)
        };
        drop(lock);
        done
    }

    /// The files of a skill as its changes left them, by path below its folder.
    fn known_files(
        &self,
        skill: SkillId,
        folder: &str,
    ) -> Result<BTreeMap<String, Blob>, ChangeError> {
        let mut files: BTreeMap<String, Blob> = BTreeMap::new();
        for record in self.ledger.changes(Some(skill), usize::MAX)?.into_iter().rev() {
            for step in record.change.steps {
                match step {
                    Step::Put { path, after, .. } => {
                        files.insert(path, after);
                    }
                    Step::Remove { path, .. } => {
                        files.remove(&path);
                    }
                    Step::Move { from, to } => {
                        files = files
                            .into_iter()
                            .map(|(path, blob)| match path.strip_prefix(&from) {
                                Some(below) if is_in(&path, &from) => {
                                    (format!("{to}{below}"), blob)
                                }
                                _ => (path, blob),
                            })
                            .collect();
                    }
                    _ => {}
                }
            }
        }
        let below = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned);
        Ok(files.into_iter().filter_map(|(path, blob)| Some((below(&path)?, blob))).collect())
    }
}
