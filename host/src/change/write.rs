//! Skills made and written: several files as one change, each checked before anything is touched.

use std::collections::BTreeMap;

use super::{
    ChangeError, Fresh,
    content::{check_skill, check_support},
    diff::FileDiff,
    keeper::{By, Done, Keeper, Target},
    names::{NameOf, PathRule, SKILL_FILE, check_known_path, check_name, check_path},
    patch::{Patch, Tolerance},
    place::{join, last, parent},
    stage::Ready,
    wanted::{Bases, Wanted},
};
use crate::{
    decision::Judgement,
    ledger::{Blob, Digest, Step, Verb},
    library::Library,
    skill::{Actor, SkillId},
};

/// What a writer knows of the file that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// It takes what is there. Only a person may, where something is there.
    Any,
    /// Nothing is there.
    Absent,
    /// It read bytes of this hash.
    Read(Digest),
}

/// What is done to one file of a skill. Paths are below the skill's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Its bytes are these then.
    Put {
        /// Which.
        path: String,
        /// The bytes.
        bytes: Vec<u8>,
        /// Its permissions; nothing for those that it has.
        mode: Option<u32>,
        /// What was read of it.
        base: Base,
    },
    /// A passage is replaced.
    Patch {
        /// Which.
        path: String,
        /// The passage.
        patch: Patch,
        /// What was read of it.
        base: Base,
    },
    /// It is taken away.
    Remove {
        /// Which.
        path: String,
        /// What was read of it.
        base: Base,
    },
}

impl Edit {
    /// Which file it is about, as it was given.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Edit::Put { path, .. } | Edit::Patch { path, .. } | Edit::Remove { path, .. } => path,
        }
    }

    fn base(&self) -> Base {
        match self {
            Edit::Put { base, .. } | Edit::Patch { base, .. } | Edit::Remove { base, .. } => *base,
        }
    }

    pub(super) fn rebase(&mut self, read: Base) {
        match self {
            Edit::Put { base, .. } | Edit::Patch { base, .. } | Edit::Remove { base, .. } => {
                *base = read;
            }
        }
    }
}

/// A skill that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewSkill<'a> {
    /// Its name, which is its folder's too.
    pub name: &'a str,
    /// Its category, if it has one.
    pub category: Option<&'a str>,
    /// Its files; SKILL.md is among them.
    pub files: &'a [Edit],
    /// Whether another skill may have the name.
    pub clash: Clash,
}

impl NewSkill<'_> {
    /// The folder below the root that it is made in, if its names may be and none of another skill is in the way.
    ///
    /// # Errors
    /// Where a name may not be, or is taken.
    pub fn folder(&self, library: &Library) -> Result<String, ChangeError> {
        check_name(NameOf::Skill, self.name)?;
        if let Some(category) = self.category {
            check_name(NameOf::Category, category)?;
        }
        if self.clash == Clash::Refuse
            && let Some(at) = taken(library, self.name)
        {
            return Err(ChangeError::NameTaken { name: self.name.to_owned(), at });
        }
        Ok(join(self.category.unwrap_or_default(), self.name))
    }
}

/// What a name that is taken means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// The skill is not made.
    Refuse,
    /// It is made and stands in front of the other one, or behind it.
    Shadow,
}

/// What a write would do: nothing of it was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Its steps.
    pub steps: Vec<Step>,
    /// What would differ in files.
    pub diffs: Vec<FileDiff>,
    /// Patches that wouldn't be exact: path and tolerance.
    pub tolerated: Vec<(String, Tolerance)>,
    /// What would be said of it: whether it would be made, would wait, or would be refused.
    pub judgement: Judgement,
}

/// Permissions of new files.
const FILE: u32 = 0o644;

/// A file while edits are gone through: what was there, and what comes.
#[derive(Clone, Debug, Default)]
struct Draft {
    before: Option<(Vec<u8>, u32)>,
    now: Option<(Vec<u8>, u32)>,
}

/// What edits come to.
struct Drafted {
    steps: Vec<Step>,
    fresh: Fresh,
    tolerated: Vec<(String, Tolerance)>,
    bases: Bases,
    read: bool,
}

impl Keeper<'_> {
    /// Makes a skill. `library` is all that the roots hold: a name that is taken anywhere is refused, behind links too.
    ///
    /// # Errors
    /// Where a name, a path or a file may not be, the name is taken, it is refused or has to wait, or it can't be written.
    pub fn create(
        &self,
        new: &NewSkill<'_>,
        library: &Library,
        by: &By,
    ) -> Result<Done, ChangeError> {
        let folder = new.folder(library)?;
        let lock = self.lock("new")?;
        let me = Target { id: self.id_for(&folder)?, folder: &folder };
        let (ready, _) = self.ready_to_put(me, Verb::Create, new.files, by)?;
        let wanted = |texts: &mut Fresh| Wanted::create(&folder, new.clash, new.files, texts);
        let done = self.go(ready, by, wanted);
        drop(lock);
        done
    }

    /// Writes files of a skill, all or none.
    ///
    /// # Errors
    /// Where a path or a file may not be, it is not what the writer read, nothing would change, it is refused or has to
    /// wait, or it can't be written.
    pub fn write(&self, skill: Target<'_>, edits: &[Edit], by: &By) -> Result<Done, ChangeError> {
        let lock = self.lock("write")?;
        let (ready, bases) = self.ready_to_put(skill, Verb::Write, edits, by)?;
        let wanted = |texts: &mut Fresh| Wanted::write(skill.folder, edits, &bases, texts);
        let done = self.go(ready, by, wanted);
        drop(lock);
        done
    }

    /// What [`Keeper::write`] would do to the skill in a folder. Nothing is written, and no lock is waited for; a change
    /// that was cut off is not gone on with, so that its files are as they were left.
    ///
    /// # Errors
    /// Where the write would be refused.
    pub fn would_write(
        &self,
        folder: &str,
        edits: &[Edit],
        by: &By,
    ) -> Result<Preview, ChangeError> {
        let known = self.ledger.skill_at(self.root, folder)?.map(|skill| skill.id);
        let id = known.unwrap_or_else(|| SkillId::from_random(0));
        let (mut ready, _) = self.ready_to_put(Target { id, folder }, Verb::Write, edits, by)?;
        let judgement = self.judgement(&ready, by)?;
        let diffs = self.diffs(&ready.steps, &mut ready.fresh)?;
        Ok(Preview { steps: ready.steps, diffs, tolerated: ready.tolerated, judgement })
    }

    /// The bytes of a skill's file, as one reads them who writes it then; nothing where there is none.
    ///
    /// # Errors
    /// Where no file of a skill may lie there, a link is in the way, or it can't be read.
    pub fn file(&self, folder: &str, path: &str) -> Result<Option<Vec<u8>>, ChangeError> {
        self.is_skill(folder, "written")?;
        let path = self.own_path(folder, path)?;
        Ok(self.spot.file(&join(folder, path))?.map(|(bytes, _)| bytes))
    }

    /// The path of a file that may be written: one of the places for new files, or any that is there.
    fn own_path<'p>(&self, folder: &str, path: &'p str) -> Result<&'p str, ChangeError> {
        match check_path(last(folder), path) {
            Err(misplaced) if misplaced.rule == PathRule::Place => {
                let path = check_known_path(last(folder), path)?;
                match self.spot.file(&join(folder, path)) {
                    Ok(Some(_)) => Ok(path),
                    _ => Err(misplaced.into()),
                }
            }
            checked => Ok(checked?),
        }
    }

    /// A skill's files as they would be made or written, and what is there of each.
    pub(super) fn ready_to_put(
        &self,
        skill: Target<'_>,
        verb: Verb,
        edits: &[Edit],
        by: &By,
    ) -> Result<(Ready, Bases), ChangeError> {
        match verb {
            Verb::Create => self.is_free(skill.folder)?,
            _ => self.is_skill(skill.folder, "written")?,
        }
        let Drafted { steps, fresh, tolerated, bases, read } =
            self.drafted(skill.folder, verb, edits, by)?;
        let ready = Ready {
            skill: skill.id,
            verb,
            folder: skill.folder.to_owned(),
            steps,
            fresh,
            read,
            whole: None,
            tolerated,
            notes: Vec::new(),
        };
        Ok((ready, bases))
    }

    /// What is there of each file that edits are about.
    pub(super) fn bases(&self, folder: &str, edits: &[Edit]) -> Result<Bases, ChangeError> {
        let mut bases = Bases::new();
        for edit in edits {
            let there = self.spot.file(&join(folder, edit.path()))?;
            let found = there.map(|(bytes, _)| Digest::of(&bytes));
            bases.insert(edit.path().to_owned(), found);
        }
        Ok(bases)
    }

    fn drafted(
        &self,
        folder: &str,
        verb: Verb,
        edits: &[Edit],
        by: &By,
    ) -> Result<Drafted, ChangeError> {
        let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
        let (mut tolerated, mut read) = (Vec::new(), true);
        for edit in edits {
            let path = self.own_path(folder, edit.path())?;
            match (drafts.get(path), edit) {
                (None, _) => {
                    self.is_called_so(folder, path)?;
                    let before = self.spot.file(&join(folder, path))?;
                    is_read(path, before.as_ref(), edit.base(), by.actor)?;
                    read &= before.is_none() || edit.base() != Base::Any;
                    drafts.insert(path.to_owned(), Draft { now: before.clone(), before });
                }
                (Some(_), Edit::Patch { .. }) => {}
                // What was given first would be lost in silence.
                (Some(_), _) => return Err(ChangeError::Twice(path.to_owned())),
            }
            let Some(draft) = drafts.get_mut(path) else { continue };
            if let Some(by) = edited(path, draft, edit, || self.files_of(folder))? {
                tolerated.push((path.to_owned(), by));
            }
        }
        let (steps, fresh) = self.steps_of(folder, verb, &drafts)?;
        let base = |draft: &Draft| draft.before.as_ref().map(|(bytes, _)| Digest::of(bytes));
        let bases = drafts.iter().map(|(path, draft)| (path.clone(), base(draft))).collect();
        Ok(Drafted { steps, fresh, tolerated, bases, read })
    }

    fn steps_of(
        &self,
        folder: &str,
        verb: Verb,
        drafts: &BTreeMap<String, Draft>,
    ) -> Result<(Vec<Step>, Fresh), ChangeError> {
        let (mut folders, mut files, mut fresh) = (Vec::new(), Vec::new(), Fresh::new());
        if verb == Verb::Create {
            let made = drafts.get(SKILL_FILE).is_some_and(|draft| draft.now.is_some());
            if !made {
                let why = super::content::BadContent::Empty;
                return Err(ChangeError::Content { path: SKILL_FILE.to_owned(), why });
            }
            self.missing_folders(folder, &mut folders)?;
        }
        for (path, draft) in drafts.iter().filter(|(_, draft)| draft.before != draft.now) {
            let full = join(folder, path);
            let before = draft.before.as_ref().map(blob);
            let former = draft.before.as_ref().map(|(bytes, _)| bytes.as_slice());
            if let (Some(before), None) = (before, &draft.now) {
                if path == SKILL_FILE {
                    let why = "its SKILL.md makes it a skill; archive it instead".to_owned();
                    let folder = folder.to_owned();
                    return Err(ChangeError::NoSkillFolder { folder, done: "written", why });
                }
                files.push(Step::Remove { path: full.clone(), before });
            }
            if let Some((bytes, mode)) = &draft.now {
                let checked = if path == SKILL_FILE {
                    check_skill(last(folder), bytes, former).map(|_| ())
                } else {
                    check_support(bytes, former)
                };
                checked.map_err(|why| ChangeError::Content { path: path.clone(), why })?;
                self.missing_folders(parent(&full), &mut folders)?;
                let after = blob(&(bytes.clone(), *mode));
                fresh.insert(after.digest, bytes.clone());
                files.push(Step::Put { path: full, before, after });
            }
        }
        if files.is_empty() {
            return Err(ChangeError::NoChange);
        }
        let emptied = self.emptied(folder, &files)?;
        folders.extend(files);
        folders.extend(emptied);
        Ok((folders, fresh))
    }
}

/// Where a skill of that name is, whatever its spelling, and whether it lies behind a link or not.
fn taken(library: &Library, name: &str) -> Option<String> {
    let folded = name.to_lowercase();
    let found = library.skills.iter().find(|skill| {
        skill.name.as_str().to_lowercase() == folded
            || last(&skill.place.folder).to_lowercase() == folded
    })?;
    let root = library.roots.get(found.place.root).map(|report| report.root.path.display());
    Some(join(&root.map(|root| root.to_string()).unwrap_or_default(), &found.place.folder))
}

fn is_read(
    path: &str,
    there: Option<&(Vec<u8>, u32)>,
    base: Base,
    actor: Actor,
) -> Result<(), ChangeError> {
    let found = there.map(|(bytes, _)| Digest::of(bytes));
    let path = || path.to_owned();
    match (base, found) {
        (Base::Any, Some(now)) if actor != Actor::Person => {
            Err(ChangeError::Unread { path: path(), now })
        }
        (Base::Any, _) | (Base::Absent, None) => Ok(()),
        (Base::Read(read), Some(now)) if read == now => Ok(()),
        (Base::Read(read), found) => {
            Err(ChangeError::Changed { path: path(), found, expected: Some(read) })
        }
        (Base::Absent, found) => Err(ChangeError::Changed { path: path(), found, expected: None }),
    }
}

fn edited(
    path: &str,
    draft: &mut Draft,
    edit: &Edit,
    files: impl Fn() -> Vec<String>,
) -> Result<Option<Tolerance>, ChangeError> {
    let missing = || ChangeError::Missing { path: path.to_owned(), there: files() };
    match edit {
        Edit::Put { bytes, mode, .. } => {
            let mode = mode.or(draft.now.as_ref().map(|(_, mode)| *mode)).unwrap_or(FILE);
            draft.now = Some((bytes.clone(), mode & 0o777));
            Ok(None)
        }
        Edit::Remove { .. } => draft.now.take().map(|_| None).ok_or_else(missing),
        Edit::Patch { patch, .. } => {
            let (bytes, mode) = draft.now.as_ref().ok_or_else(missing)?;
            let text =
                std::str::from_utf8(bytes).map_err(|_| ChangeError::NoText(path.to_owned()))?;
            let patched = patch
                .apply(text)
                .map_err(|why| ChangeError::Patch { path: path.to_owned(), why })?;
            draft.now = Some((patched.text.into_bytes(), *mode));
            Ok((patched.by != Tolerance::Exact).then_some(patched.by))
        }
    }
}

fn blob((bytes, mode): &(Vec<u8>, u32)) -> Blob {
    Blob { digest: Digest::of(bytes), size: bytes.len() as u64, mode: *mode }
}
