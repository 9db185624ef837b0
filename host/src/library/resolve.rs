//! From what a person or an agent types to a row: the one resolver of every surface. It must never look at a disk.

use std::{borrow::Cow, path::PathBuf};

use foldhash::HashMap;

use super::{Library, rows::composed};
use crate::skill::{Diagnostic, OneLine, Place, Problem, Skill, Standing};

/// What a query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One row.
    One(usize),
    /// Several rows, none of them before the others.
    Several(Vec<usize>),
    /// None; these are like it, the nearest first.
    None {
        /// Names of skills that count.
        near: Vec<String>,
    },
}

/// Names that are offered in place of one that nothing has.
const MOST_NEAR: usize = 5;

/// How alike two names must be to be offered, from 0 to 1.
const NEAR: f64 = 0.7;

impl Library {
    /// The row that a query names: by name, folder, `category/name`, path below the root, or `label:name`. Rows that
    /// count come before others, and an exact match before one that differs in case.
    #[must_use]
    pub fn resolve(&self, query: &str) -> Resolution {
        let all: Vec<usize> = (0..self.skills.len()).collect();
        self.resolve_among(query, &all).unwrap_or_else(|| {
            let near = self.near(&folded(asked(query)));
            Resolution::None { near }
        })
    }

    /// Of each of these rows, whether its name alone names it: what [`Library::resolve`] says, by one pass for all of them.
    #[must_use]
    pub fn are_named_alone(&self, rows: &[usize]) -> Vec<bool> {
        let name = |row: &usize| {
            let name = self.skills.get(*row).filter(|skill| skill.is_live())?.name.as_str();
            (asked(name) == name).then(|| composed(name))
        };
        let names: Vec<Option<Cow<'_, str>>> = rows.iter().map(name).collect();
        let mut sharers: HashMap<&str, usize> =
            names.iter().flatten().map(|name| (&**name, 0)).collect();
        for skill in self.skills.iter().filter(|skill| skill.is_live()) {
            if let Some(sharers) = sharers.get_mut(&*composed(skill.name.as_str())) {
                *sharers += 1;
            }
        }
        let resolves = |row: usize| {
            let name = self.skills.get(row).map(|skill| skill.name.as_str());
            name.is_some_and(|name| self.resolve(name) == Resolution::One(row))
        };
        let of = |(row, name): (&usize, &Option<Cow<'_, str>>)| match name {
            // The first rows that are looked for are those that count and have the name as it is written.
            Some(name) => sharers.get(&**name) == Some(&1),
            None => resolves(*row),
        };
        rows.iter().zip(&names).map(of).collect()
    }

    /// As [`Library::resolve`], among rows that hold every one that can be meant.
    pub(super) fn resolve_among(&self, query: &str, rows: &[usize]) -> Option<Resolution> {
        let query = composed(asked(query));
        let lower = query.to_lowercase();
        let exact = |form: &str| composed(form) == query;
        let same = |form: &str| composed(form).to_lowercase() == lower;
        for counts in [true, false] {
            let standing = |skill: &Skill| skill.is_live() == counts;
            for fits in [&exact as &dyn Fn(&str) -> bool, &same] {
                let found = self.matching(rows, &standing, fits);
                match found.as_slice() {
                    [] => {}
                    [row] => return Some(Resolution::One(*row)),
                    _ => return Some(Resolution::Several(found)),
                }
            }
        }
        self.behind_link(&query).map(Resolution::One)
    }

    /// Rows with a form that fits: names first, since a name is what every surface shows; then folders.
    fn matching(
        &self,
        among: &[usize],
        standing: &dyn Fn(&Skill) -> bool,
        fits: &dyn Fn(&str) -> bool,
    ) -> Vec<usize> {
        let rows = |form: &dyn Fn(&Skill) -> bool| -> Vec<usize> {
            let fits = |skill: &Skill| standing(skill) && form(skill);
            among
                .iter()
                .copied()
                .filter(|row| self.skills.get(*row).is_some_and(|skill| fits(skill)))
                .collect()
        };
        let labelled = |skill: &Skill| {
            let root = self.roots.get(skill.place.root).map(|report| &report.root);
            root.is_some_and(|root| {
                let plugin = root.category.as_ref().unwrap_or(&root.label);
                [&root.label, plugin].iter().any(|label| fits(&format!("{label}:{}", skill.name)))
            })
        };
        let forms: [&dyn Fn(&Skill) -> bool; 4] = [
            &|skill| fits(skill.name.as_str()),
            &|skill| fits(&skill.qualified()) || fits(&skill.place.folder),
            &|skill| fits(last(&skill.place.folder)),
            &labelled,
        ];
        forms.into_iter().map(rows).find(|rows| !rows.is_empty()).unwrap_or_default()
    }

    /// The row that was found without the link that a query names.
    fn behind_link(&self, query: &str) -> Option<usize> {
        let twice = self.problems.iter().find(|located| {
            located.diagnostic.problem == Problem::FoundTwice
                && (located.place.folder == query || last(&located.place.folder) == query)
        })?;
        let target = PathBuf::from(twice.place.linked_to.as_ref()?);
        (0..self.skills.len()).find(|row| {
            let linked = self.skills.get(*row).and_then(|skill| skill.place.linked_to.as_ref());
            self.folder_of(*row).as_ref() == Some(&target)
                || linked.map(PathBuf::from).as_ref() == Some(&target)
        })
    }

    fn near(&self, lower: &str) -> Vec<String> {
        let likeness = |form: &str| {
            let form = form.to_lowercase();
            let part = lower.len() >= 3 && (form.contains(lower) || lower.contains(&form));
            strsim::jaro_winkler(&form, lower).max(if part { 0.9 } else { 0.0 })
        };
        let mut near: Vec<(f64, &str)> = Vec::new();
        for skill in self.skills.iter().filter(|skill| skill.is_live()) {
            let name = skill.name.as_str();
            let best = likeness(name).max(likeness(last(&skill.place.folder)));
            if best >= NEAR {
                near.push((best, name));
            }
        }
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        near.dedup_by(|a, b| a.1 == b.1);
        near.into_iter().take(MOST_NEAR).map(|(_, name)| name.to_owned()).collect()
    }

    /// The path of a row's file, by way of its root; none where there is no file.
    #[must_use]
    pub fn path_of(&self, skill: usize) -> Option<PathBuf> {
        let place = &self.skills.get(skill)?.place;
        let folder = self.folder_of(skill)?;
        (!place.file.is_empty()).then(|| folder.join(&place.file))
    }

    /// The path of a row's folder, by way of its root.
    #[must_use]
    pub fn folder_of(&self, skill: usize) -> Option<PathBuf> {
        let place = &self.skills.get(skill)?.place;
        let root = self.roots.get(place.root)?.resolved.as_ref()?;
        Some(if place.folder.is_empty() { root.clone() } else { root.join(&place.folder) })
    }

    /// Everything that is wrong with a row: what its header says of itself, then what its place does.
    #[must_use]
    pub fn diagnostics_of(&self, skill: usize) -> Vec<Diagnostic> {
        let Some(row) = self.skills.get(skill) else { return Vec::new() };
        let mut found = row.facts.diagnostics.clone();
        found.extend(self.name_differs(row));
        found.extend(odd_file_name(&row.place));
        found.extend(self.leads_out(row));
        found.extend(self.not_counted(row));
        found.extend(self.beside(row));
        found
    }

    fn name_differs(&self, row: &Skill) -> Option<Diagnostic> {
        let name = row.facts.name.as_ref()?;
        let folder = last(&row.place.folder);
        let differs = !folder.is_empty() && composed(folder) != composed(name.as_str());
        differs.then(|| {
            let cause = format!("the name is `{name}`, and the folder's is `{folder}`");
            of_place(Problem::NameDiffers, Some("name"), &cause, "give both the same name")
        })
    }

    fn leads_out(&self, row: &Skill) -> Option<Diagnostic> {
        let target = row.place.linked_to.as_ref().filter(|_| row.standing != Standing::Broken)?;
        let roots = self.roots.iter().filter_map(|report| report.resolved.as_ref());
        let inside = roots.into_iter().any(|root| PathBuf::from(target).starts_with(root));
        (!inside).then(|| {
            let cause = format!("a link leads to `{target}`, outside all roots");
            of_place(Problem::OutsideRoots, None, &cause, "nothing, if that is meant")
        })
    }

    fn not_counted(&self, row: &Skill) -> Option<Diagnostic> {
        let named = |other: usize| {
            let other = self.skills.get(other)?;
            let root = self.roots.get(other.place.root)?;
            Some(format!("`{}` in {}", other.place.folder, root.root.label))
        };
        match row.standing {
            Standing::Live | Standing::Broken => None,
            Standing::Shadowed { by } => {
                let cause = format!("{} has the name, and its root comes first", named(by)?);
                let fix = "ask for it by its path, or rename one of them";
                Some(of_place(Problem::NameTaken, Some("name"), &cause, fix))
            }
            Standing::Duplicate { of } => {
                let cause = format!("{} has the name in the same category", named(of)?);
                Some(of_place(Problem::NameTaken, Some("name"), &cause, "rename one of them"))
            }
            Standing::Support { inside } => {
                let cause = format!("it lies among the files of {}", named(inside)?);
                let fix = "move it out if it is a skill, or rename the file";
                Some(of_place(Problem::InSupportFolder, None, &cause, fix))
            }
        }
    }

    fn beside(&self, row: &Skill) -> Option<Diagnostic> {
        let above = row.place.folder.rsplit_once('/').map_or("", |(above, _)| above);
        let file = format!("{}.md", last(&row.place.folder));
        let flat = self.problems.iter().find(|located| {
            located.diagnostic.problem == Problem::FlatBesideFolder
                && located.place.root == row.place.root
                && located.place.folder == above
                && located.place.file == file
        })?;
        Some(flat.diagnostic.clone())
    }
}

/// What a query asks for: a path may end as one of a folder does.
pub(super) fn asked(query: &str) -> &str {
    query.trim().trim_end_matches('/')
}

fn odd_file_name(place: &Place) -> Option<Diagnostic> {
    let odd = !place.file.is_empty() && place.file != super::listed::SKILL_FILE;
    odd.then(|| {
        let cause = format!("the file's name is `{}`; expected `SKILL.md`", place.file);
        of_place(Problem::OddFileName, None, &cause, "rename it to `SKILL.md`")
    })
}

fn of_place(problem: Problem, field: Option<&str>, cause: &str, fix: &str) -> Diagnostic {
    let field = field.map(OneLine::new);
    Diagnostic { problem, line: None, field, cause: cause.into(), fix: fix.into() }
}

/// A form with which spellings that differ in case or composition are the same.
pub(super) fn folded(form: &str) -> String {
    composed(form).to_lowercase()
}

/// The last part of a path.
pub(super) fn last(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}
