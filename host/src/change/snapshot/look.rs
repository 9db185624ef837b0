//! A root looked at for a snapshot: every skill's folder, but for what is heavy and can be made again. A file that is known
//! to be what it was is not opened.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::manifest::{LeftOut, RootState, SkillState};
use crate::{
    change::{
        ChangeError, Looks,
        effect::makes_skill,
        keeper::Keeper,
        looks::{FileLook, Look},
        objects::{Laid, Objects},
        place::{ARCHIVE, PINS, join, last},
        spot::{LARGEST, Spot},
        through::{Met, listed, through_listed},
    },
    ledger::{Blob, Digest},
    skill::SkillId,
    system::{Kind, Looked, Stat},
};

/// Folders that are in no snapshot, wherever they lie in a skill: histories, what tools install and make again, and other
/// programs' own snapshots.
pub const LEFT_OUT: [&str; 18] = [
    ".cache",
    ".curator_backups",
    ".direnv",
    ".git",
    ".hg",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".skillkeep",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
    "wheelhouse",
];

/// Bytes of a file up to which it is in a snapshot. What is larger is named in it.
pub const LARGEST_KEPT: u64 = LARGEST;

/// How often a file is read that changes while it is.
const TRIES: usize = 3;

/// Whoever looks at one root: with what is known of its files, and where bytes are laid down, if they are kept.
pub(super) struct Eye<'e, 'a> {
    pub(super) spot: Spot<'a>,
    pub(super) looks: &'e Looks,
    pub(super) keep: Option<(Objects<'a>, &'e Laid)>,
}

/// A skill as it was seen, and the states of its files.
pub(super) type SeenSkill = (SkillState, Look);

impl<'e, 'a> Eye<'e, 'a> {
    pub(super) fn of(keeper: &Keeper<'a>, looks: &'e Looks, laid: Option<&'e Laid>) -> Eye<'e, 'a> {
        Eye { spot: keeper.spot, looks, keep: laid.map(|laid| (keeper.objects, laid)) }
    }

    /// All that a snapshot says of a root. `ids` are the skills that the ledger knows in it.
    pub(super) fn root(
        &self,
        ids: &BTreeMap<String, SkillId>,
    ) -> Result<(RootState, BTreeMap<String, Look>), ChangeError> {
        let path = self.spot.top.to_str().ok_or_else(|| ChangeError::InTheWay {
            path: self.spot.top.display().to_string(),
            found: "its path is no UTF-8".to_owned(),
        })?;
        let found = self.find("")?;
        let mut state =
            RootState { path: path.to_owned(), links: found.links, ..RootState::default() };
        let mut looks = BTreeMap::new();
        for (mut skill, look) in found.skills {
            skill.id = ids.get(&skill.folder).copied();
            looks.insert(skill.folder.clone(), look);
            state.skills.push(skill);
        }
        state.skills.sort_by(|a, b| a.folder.cmp(&b.folder));
        state.pins = match self.spot.file(PINS)? {
            Some((bytes, mode)) => {
                let size = bytes.len() as u64;
                Some(Blob { digest: self.lay(&bytes)?, size, mode })
            }
            None => None,
        };
        if self.spot.held(ARCHIVE)?.is_some() {
            let names = self.spot.entries(ARCHIVE)?.into_iter();
            let packets = names.filter_map(|it| it.name.strip_suffix(".json").map(str::to_owned));
            state.archived = packets.collect();
        }
        Ok((state, looks))
    }

    /// The skills at a folder and below it. What lies in a skill is a part of it.
    fn find(&self, folder: &str) -> Result<Found, ChangeError> {
        let lying = match listed(self.spot, folder) {
            // It went away while the others were listed.
            Err(ChangeError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(Found::default());
            }
            lying => lying?,
        };
        let is_skill = lying.0.iter().any(|it| it.kind != Kind::Folder && makes_skill(&it.name));
        let mut found = Found::default();
        if is_skill && !folder.is_empty() {
            if let Some(state) = self.spot.state(folder)? {
                found.skills.push(self.lying(folder, state.mode, lying)?);
            }
            return Ok(found);
        }
        let mut below = Vec::new();
        for entry in lying.0.into_iter().filter(|it| !it.odd_name) {
            let path = join(folder, &entry.name);
            match entry.kind {
                Kind::Folder if self.is_entered(&path)? => below.push(path),
                Kind::Link => {
                    if let Ok(target) = String::from_utf8(self.spot.target(&path)?) {
                        found.links.insert(path, target);
                    }
                }
                _ => {}
            }
        }
        let parts: Result<Vec<Found>, ChangeError> =
            below.into_par_iter().map(|path| self.find(&path)).collect();
        for part in parts? {
            found.skills.extend(part.skills);
            found.links.extend(part.links);
        }
        Ok(found)
    }

    /// Skills are looked for in no hidden folder, and in a heavy one only if it is a skill itself: one may be called `target`.
    fn is_entered(&self, path: &str) -> Result<bool, ChangeError> {
        let name = last(path);
        if name.starts_with('.') || !LEFT_OUT.contains(&name) {
            return Ok(!name.starts_with('.'));
        }
        let is_skill = |it: &crate::system::Entry| it.kind != Kind::Folder && makes_skill(&it.name);
        Ok(self.spot.entries(path)?.iter().any(is_skill))
    }

    /// What lies in a skill's folder, or in any other one.
    pub(super) fn skill(&self, folder: &str) -> Result<SeenSkill, ChangeError> {
        let held = self.spot.held(folder)?.filter(|held| held.kind == Kind::Folder);
        let missing = || ChangeError::Missing { path: folder.to_owned(), there: Vec::new() };
        self.lying(folder, held.ok_or_else(missing)?.mode, listed(self.spot, folder)?)
    }

    /// The same, of a folder that was listed.
    fn lying(&self, folder: &str, mode: u32, top: Looked) -> Result<SeenSkill, ChangeError> {
        let known = self.looks.look(self.spot.top, folder);
        let mut state = SkillState { folder: folder.to_owned(), ..SkillState::default() };
        let mut look = Look::default();
        through_listed(self.spot, folder, top, &mut |at, met| {
            let inside = at.inside.to_owned();
            let left_out = |path: String, why: &str, bytes: Option<u64>| LeftOut {
                path,
                why: why.to_owned(),
                bytes,
            };
            match met {
                Met::Folder(_) if LEFT_OUT.contains(&last(at.inside)) => {
                    let why = format!("`{}`", last(at.inside));
                    state.left_out.push(left_out(inside, &why, None));
                    return Ok(false);
                }
                Met::Folder(mode) => state.tree.folders.push((inside, mode)),
                Met::Link(blob) => match String::from_utf8(self.spot.target(at.path)?) {
                    Ok(target) => {
                        self.lay(target.as_bytes())?;
                        state.links.insert(inside.clone(), target);
                        state.tree.files.push((inside, blob));
                    }
                    Err(_) => {
                        let why = "a link whose target is no UTF-8";
                        state.left_out.push(left_out(inside, why, None));
                    }
                },
                Met::File(file) if file.size > LARGEST_KEPT => {
                    let why = "a file larger than 64 MiB";
                    state.left_out.push(left_out(inside, why, Some(file.size)));
                }
                Met::File(file) => {
                    let known = known.and_then(|known| known.files.get(at.inside));
                    if let Some((blob, seen)) = self.file(at.path, file, known)? {
                        if let Some(seen) = seen {
                            look.files.insert(inside.clone(), seen);
                        }
                        state.tree.files.push((inside, blob));
                    }
                }
                Met::Odd(why) => state.left_out.push(left_out(inside, why, None)),
            }
            Ok(true)
        })?;
        state.tree.mode = mode;
        state.tree.folders.sort();
        state.tree.files.sort_by(|a, b| a.0.cmp(&b.0));
        state.left_out.sort();
        Ok((state, look))
    }

    /// A file's bytes, by their hash; nothing where it went away meanwhile.
    fn file(
        &self,
        path: &str,
        mut state: Stat,
        known: Option<&FileLook>,
    ) -> Result<Option<(Blob, Option<FileLook>)>, ChangeError> {
        let blob = |digest, state: &Stat| Blob { digest, size: state.size, mode: state.mode };
        if let Some(known) = known.filter(|known| known.is(&state)) {
            return Ok(Some((blob(Digest(known.digest), &state), Some(known.clone()))));
        }
        for _ in 0..TRIES {
            // Taken before the file is read: a change that comes later has this time or a later one.
            let moment = self.spot.disk.now_nanos();
            let bytes = match self.spot.disk.bytes(self.spot.at(path), LARGEST_KEPT) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(None),
                bytes => self.spot.told("reading", path, bytes)?,
            };
            let Some(after) = self.spot.state(path)? else { return Ok(None) };
            if after == state && bytes.len() as u64 == state.size {
                let digest = self.lay(&bytes)?;
                let look = FileLook::new(&state, moment, digest, None);
                return Ok(Some((blob(digest, &state), look)));
            }
            state = after;
        }
        let found = "it is changing while we look".to_owned();
        Err(ChangeError::InTheWay { path: path.to_owned(), found })
    }

    /// Keeps the bytes of files that were known to be what they were, and have no object; `there` are the objects that have.
    pub(super) fn keep_missing(
        &self,
        skill: &SkillState,
        there: &BTreeSet<Digest>,
    ) -> Result<(), ChangeError> {
        for (path, blob) in skill.tree.files.iter().filter(|(_, it)| !there.contains(&it.digest)) {
            if skill.links.contains_key(path) {
                continue;
            }
            let path = join(&skill.folder, path);
            let bytes = self.spot.disk.bytes(self.spot.at(&path), LARGEST_KEPT);
            if self.lay(&self.spot.told("reading", &path, bytes)?)? != blob.digest {
                let found = "it is changing while we look".to_owned();
                return Err(ChangeError::InTheWay { path, found });
            }
        }
        Ok(())
    }

    fn lay(&self, bytes: &[u8]) -> Result<Digest, ChangeError> {
        match self.keep {
            Some((objects, laid)) => objects.lay(bytes, laid),
            None => Ok(Digest::of(bytes)),
        }
    }
}

/// What was found in a root.
#[derive(Default)]
struct Found {
    skills: Vec<SeenSkill>,
    links: BTreeMap<String, String>,
}
