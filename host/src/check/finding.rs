//! What a rule found, and where. It must never know how it was found or how it is printed.

use std::path::PathBuf;

use super::rule::{Rule, Severity};
use crate::{
    library::Library,
    skill::{Diagnostic, OneLine},
};

/// Unicode scalars of a cause that are kept: it may quote anything.
const LONGEST_CAUSE: usize = 320;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// How grave it is.
    pub severity: Severity,
    /// Row of the skill, where it is about one.
    pub row: Option<usize>,
    /// Number of the root that it lies in.
    pub root: usize,
    /// The file or folder, by way of its root.
    pub path: PathBuf,
    /// Line of the file, counted from 1; none where there is no file to have one.
    pub line: Option<u32>,
    /// The header field, where it is about one.
    pub field: Option<OneLine>,
    /// What was found.
    pub cause: OneLine,
    /// What would mend it.
    pub fix: OneLine,
}

/// A finding before anybody asked where its file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) row: usize,
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) line: u32,
    pub(super) field: Option<OneLine>,
    pub(super) cause: OneLine,
    pub(super) fix: OneLine,
}

impl Draft {
    /// A finding of a rule on a line of a row's file, with its own words for the cause.
    pub(super) fn new(row: usize, rule: Rule, line: u32, cause: &str) -> Draft {
        Draft {
            row,
            rule,
            severity: rule.severity(),
            line,
            field: None,
            cause: OneLine::capped(cause, LONGEST_CAUSE),
            fix: OneLine::new(rule.fix()),
        }
    }

    /// The same about a header field.
    pub(super) fn field(self, field: &str) -> Draft {
        Draft { field: OneLine::some(field), ..self }
    }

    /// The same with other words for what mends it.
    pub(super) fn fix(self, fix: &str) -> Draft {
        Draft { fix: OneLine::new(fix), ..self }
    }

    /// The finding, with its place.
    pub(super) fn placed(self, library: &Library) -> Finding {
        let Draft { row, rule, severity, line, field, cause, fix } = self;
        let root = library.skills.get(row).map_or(0, |skill| skill.place.root);
        let (path, line) = match library.path_of(row) {
            Some(path) => (path, Some(line)),
            None => (library.folder_of(row).unwrap_or_default(), None),
        };
        Finding { rule, severity, row: Some(row), root, path, line, field, cause, fix }
    }
}

/// A finding for each problem of the library that belongs to no skill: of roots, of files between skills.
pub(super) fn loose(library: &Library) -> Vec<Finding> {
    let found = |root: usize, path: PathBuf, line: Option<u32>, diagnostic: &Diagnostic| {
        let rule = Rule::of_problem(diagnostic.problem);
        Finding {
            rule,
            severity: rule.severity(),
            row: None,
            root,
            path,
            line,
            field: diagnostic.field.clone(),
            cause: diagnostic.cause.clone(),
            fix: diagnostic.fix.clone(),
        }
    };
    let roots = library.roots.iter().enumerate().filter_map(|(number, report)| {
        let problem = report.problem.as_ref()?;
        Some(found(number, report.root.path.clone(), None, problem))
    });
    let places = library.problems.iter().map(|located| {
        let place = &located.place;
        let root = library.roots.get(place.root);
        let top = root.map(|root| root.resolved.clone().unwrap_or_else(|| root.root.path.clone()));
        let mut path = top.unwrap_or_default();
        for part in [&place.folder, &place.file] {
            if !part.is_empty() {
                path.push(part);
            }
        }
        let line = if place.file.is_empty() { None } else { located.diagnostic.line.or(Some(1)) };
        found(place.root, path, line, &located.diagnostic)
    });
    roots.chain(places).collect()
}
