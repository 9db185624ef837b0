//! One folder and what is below it. It must never follow a link to a folder; those are noted for later.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{DEEPEST, Found, Link, Tops, Walk, file::unreadable, place, problem};
use crate::{
    library::{
        Located,
        listed::{Listed, NOTE_FILE, is_asked_for, is_support},
        rows,
    },
    skill::{Diagnostic, Place, Problem},
    system::Stat,
};

/// Levels below a skill's support folder that are looked through for files that look like skills.
const SUPPORT_LEVELS: usize = 3;

/// What a folder is part of.
#[derive(Clone, Debug)]
enum Inside {
    /// Nothing but the root: skills and categories lie here.
    Library,
    /// A skill's folder: further skills may lie here, but no broken ones are guessed.
    Skill,
    /// A skill's support folder: nothing here is a candidate.
    Support { owner: Arc<str>, levels: usize },
}

/// A folder to be searched.
#[derive(Clone, Debug)]
pub(in crate::library) struct Folder {
    pub(in crate::library) root: usize,
    /// Where it really is.
    pub(in crate::library) path: PathBuf,
    /// Its path below the root.
    pub(in crate::library) folder: String,
    depth: usize,
    inside: Inside,
    /// Whether a link led here.
    pub(in crate::library) linked: bool,
}

impl Folder {
    /// A root.
    pub(super) fn top(root: usize, path: PathBuf) -> Folder {
        let folder = String::new();
        Folder { root, path, folder, depth: 0, inside: Inside::Library, linked: false }
    }

    /// What a link leads to.
    pub(super) fn behind(link: &Link, path: PathBuf) -> Folder {
        let inside = if link.inside { Inside::Skill } else { Inside::Library };
        let (root, folder, depth) = (link.root, link.folder.clone(), link.depth);
        Folder { root, path, folder, depth, inside, linked: true }
    }

    fn below(&self, name: &str) -> String {
        if self.folder.is_empty() {
            return name.to_owned();
        }
        let mut below = String::with_capacity(self.folder.len() + 1 + name.len());
        below.push_str(&self.folder);
        below.push('/');
        below.push_str(name);
        below
    }

    /// The path of a folder in it, with room for a file's name: thousands are made, and none should grow.
    fn path_of(&self, name: &str) -> PathBuf {
        let mut path = PathBuf::with_capacity(self.path.as_os_str().len() + name.len() + 16);
        path.push(&self.path);
        path.push(name);
        path
    }

    fn place(&self, name: &str) -> Place {
        place(self.root, self.below(name))
    }
}

impl Walk<'_> {
    /// Everything in a folder and below it, in the order of the folders' names.
    pub(in crate::library) fn tree(&self, start: Folder, tops: &Tops) -> Vec<Found> {
        let skip = tops.below(&start.path);
        let mut found = Vec::new();
        self.folder(start, &skip, &mut found);
        found
    }

    fn folder(&self, mut at: Folder, skip: &BTreeSet<PathBuf>, found: &mut Vec<Found>) {
        self.folders.fetch_add(1, Ordering::Relaxed);
        if let Some(entering) = self.entering {
            entering(&at.path);
        }
        let (mut listed, looked) = match self.system.list_and_look(&at.path, is_asked_for) {
            Ok((entries, looked)) => (Listed::of(entries), looked),
            Err(error) => return self.unlisted(&at, unreadable(&error), found),
        };
        if self.entering.is_some() {
            found.push(Found::Entered(Box::new(at.clone())));
        }
        let is_skill = listed.skill.is_some();
        if let Some((file, is_link)) = listed.skill.take() {
            let known = state(&looked, &file);
            self.skill(&mut at, file, is_link, known, found);
        }
        if let Inside::Support { owner, levels } = &at.inside {
            if *levels > 0 {
                let inside = Inside::Support { owner: Arc::clone(owner), levels: levels - 1 };
                self.folders(&at, listed.folders, |_| inside.clone(), skip, found);
            }
            return;
        }
        if listed.note {
            self.category(&at, state(&looked, NOTE_FILE), found);
        }
        let library = matches!(at.inside, Inside::Library) && (!is_skill || at.folder.is_empty());
        self.links(&at, &listed, library, found);
        if library {
            self.oddities(&at, &listed, found);
        }
        let below = if library { Inside::Library } else { Inside::Skill };
        let owner: Option<Arc<str>> = is_skill.then(|| Arc::from(at.folder.as_str()));
        let inside = |name: &str| match &owner {
            Some(owner) if is_support(name) => {
                Inside::Support { owner: Arc::clone(owner), levels: SUPPORT_LEVELS }
            }
            _ => below.clone(),
        };
        self.folders(&at, listed.folders, inside, skip, found);
    }

    /// The folders in a folder, on all cores.
    fn folders(
        &self,
        at: &Folder,
        names: Vec<String>,
        inside: impl Fn(&str) -> Inside,
        skip: &BTreeSet<PathBuf>,
        found: &mut Vec<Found>,
    ) {
        let depth = at.depth + 1;
        if depth > DEEPEST {
            for name in names {
                let cause = format!("it lies more than {DEEPEST} folders below the root");
                let diagnostic = problem(Problem::TooDeep, &cause, "move it up");
                found
                    .push(Found::Problem(Box::new(Located { place: at.place(&name), diagnostic })));
            }
            return;
        }
        let below = |name: String| {
            let (path, folder) = (at.path_of(&name), at.below(&name));
            let inside = inside(&name);
            Folder { root: at.root, path, folder, depth, inside, linked: at.linked }
        };
        let mut folders: Vec<Folder> = names.into_iter().map(below).collect();
        if !skip.is_empty() {
            folders.retain(|folder| !skip.contains(&folder.path));
        }
        if folders.len() < 2 {
            for folder in folders {
                self.folder(folder, skip, found);
            }
            return;
        }
        let search = |mut part: Vec<Found>, folder: Folder| {
            self.folder(folder, skip, &mut part);
            part
        };
        let join = |mut left: Vec<Found>, mut right: Vec<Found>| {
            left.append(&mut right);
            left
        };
        found.append(&mut folders.into_par_iter().fold(Vec::new, search).reduce(Vec::new, join));
    }

    fn skill(
        &self,
        at: &mut Folder,
        file: String,
        is_link: bool,
        known: Option<Stat>,
        found: &mut Vec<Found>,
    ) {
        let folder = at.path.clone();
        at.path.push(&file);
        let facts = match self.leads_out(&at.path, &folder, is_link) {
            Some(diagnostic) => Err(diagnostic),
            None => self.facts(&at.path, known),
        };
        let target = is_link.then(|| {
            self.system.resolve(&at.path).or_else(|_| self.system.read_link(&at.path)).ok()
        });
        at.path.pop();
        let linked_to = match target {
            Some(target) => target.map(|target| target.to_string_lossy().into_owned()),
            None => at.linked.then(|| at.path.to_string_lossy().into_owned()),
        };
        let place = Place { root: at.root, folder: at.folder.clone(), file, linked_to };
        let support_of = match &at.inside {
            Inside::Support { owner, .. } => Some(owner.to_string()),
            Inside::Library | Inside::Skill => None,
        };
        let (skill, looked) = match facts {
            Ok((facts, stat)) => (rows::skill(self.roots, place, facts), Some(stat)),
            Err(diagnostic) => (rows::broken(self.roots, place, diagnostic), None),
        };
        found.push(Found::Row { skill: Arc::new(skill), looked, support_of });
    }

    fn category(&self, at: &Folder, known: Option<Stat>, found: &mut Vec<Found>) {
        let (root, folder) = (at.root, at.folder.clone());
        let path = at.path.join(NOTE_FILE);
        let is_link = known.is_none() && self.system.read_link(&path).is_ok();
        let note = match self.leads_out(&path, &at.path, is_link) {
            Some(diagnostic) => Err(diagnostic),
            None => self.note(&path, known),
        };
        let diagnostic = match note {
            Ok(Some(description)) => {
                found.push(Found::Note { root, folder, description: Some(description) });
                return;
            }
            // Its text is not taken instead: Hermes, whose file this is, doesn't either.
            Ok(None) => problem(
                Problem::MuteCategory,
                "it has no `description` in a header, so its category has none",
                "write `description: …` between two lines `---` at its top",
            ),
            Err(diagnostic) => diagnostic,
        };
        let place = Place { file: NOTE_FILE.to_owned(), ..place(root, folder) };
        found.push(Found::Problem(Box::new(Located { place, diagnostic })));
    }

    /// Why a file is not read that a link puts into a folder: what a skill's file says reaches a prompt, so a link in
    /// somebody's repository must not bring a private file there. It may lead into a root, or into the folder itself.
    fn leads_out(&self, path: &Path, folder: &Path, is_link: bool) -> Option<Diagnostic> {
        let target = is_link.then(|| self.system.resolve(path).ok()).flatten()?;
        let roots = || self.roots.iter().filter_map(|root| self.system.resolve(&root.path).ok());
        let allowed = self.allowed.get_or_init(|| roots().collect());
        let allowed = allowed.iter().any(|root| target.starts_with(root));
        (!allowed && !target.starts_with(folder)).then(|| {
            let cause = format!("the link leads to `{}`, outside all roots", target.display());
            problem(Problem::LeadsOut, &cause, "put the file itself there, or link its folder")
        })
    }

    fn links(&self, at: &Folder, listed: &Listed, library: bool, found: &mut Vec<Found>) {
        for name in &listed.links {
            let link = Link {
                root: at.root,
                folder: at.below(name),
                path: at.path.join(name),
                inside: !library,
                depth: at.depth + 1,
            };
            found.push(Found::Link(Box::new(link)));
        }
    }

    /// What looks like a skill that went wrong.
    fn oddities(&self, at: &Folder, listed: &Listed, found: &mut Vec<Found>) {
        for name in &listed.odd_folders {
            let cause = "the folder's name is not UTF-8";
            let diagnostic = problem(Problem::OddFolderName, cause, "give it a name in UTF-8");
            found.push(broken(self, at.place(name), diagnostic));
        }
        for file in &listed.flat {
            let (root, folder) = (at.root, at.folder.clone());
            found.push(Found::Flat { root, folder, file: file.clone() });
        }
        for name in &listed.bare_files {
            if let Some(target) = self.only_a_path(&at.path.join(name)) {
                let cause = format!("the file holds only the path `{target}`");
                let fix =
                    "make it a link again: `git config core.symlinks true`, then check it out anew";
                let diagnostic = problem(Problem::UnlinkedLink, &cause, fix);
                let place = Place { linked_to: Some(target.as_str().to_owned()), ..at.place(name) };
                found.push(broken(self, place, diagnostic));
            }
        }
    }

    /// A folder that can't be listed may hold a skill, or many.
    fn unlisted(&self, at: &Folder, diagnostic: Diagnostic, found: &mut Vec<Found>) {
        let place = place(at.root, at.folder.clone());
        match at.inside {
            Inside::Library if !at.folder.is_empty() => {
                found.push(broken(self, place, diagnostic));
            }
            _ => found.push(Found::Problem(Box::new(Located { place, diagnostic }))),
        }
    }

    /// Whether a folder has a skill's file directly inside.
    pub(super) fn holds_skill(&self, path: &Path) -> bool {
        self.system.list(path).is_ok_and(|entries| Listed::of(entries).skill.is_some())
    }
}

/// The state of a file, if it came with the listing.
fn state(looked: &[(String, Stat)], name: &str) -> Option<Stat> {
    looked.iter().find(|(known, _)| known == name).map(|(_, stat)| *stat)
}

/// A row for what can't be read.
pub(super) fn broken(walk: &Walk<'_>, place: Place, diagnostic: Diagnostic) -> Found {
    let skill = Arc::new(rows::broken(walk.roots, place, diagnostic));
    Found::Row { skill, looked: None, support_of: None }
}
