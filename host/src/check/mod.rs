//! A linter of skills: what the standard forbids, and what costs a skill its discovery.
//!
//! *Invariant*: rules are functions of what the library parsed and of pages; `read` alone opens files. Every problem of
//! the library is a finding, and none is found here again by another parser. The same files give the same findings in
//! the same order, and no rule compares all pairs. Nothing here prints.

mod description;
mod finding;
mod gates;
mod links;
mod names;
mod openings;
mod page;
mod read;
mod rule;
mod size;
mod standard;
mod summary;
mod twins;
mod words;

#[cfg(test)]
mod tests;

pub use finding::Finding;
pub use links::{Lead, Link};
pub use page::Page;
pub use read::read;
pub use rule::{Kind, Rule, Severity};
pub use summary::{KindCount, Summary};

use finding::Draft;

use crate::{
    library::Library,
    skill::{Diagnostic, OneLine, Problem, Skill},
};

/// What a check may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Unicode scalars of descriptions that must differ.
    pub opening: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { opening: description::HERMES_SHOWN }
    }
}

/// A skill as the rules that compare see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    row: usize,
    skill: &'a Skill,
    page: Option<&'a Page>,
}

impl<'a> Look<'a> {
    fn name(&self) -> &'a str {
        self.skill.name.as_str()
    }

    fn description(&self) -> Option<&'a str> {
        self.skill.facts.description.as_ref().map(OneLine::as_str)
    }

    fn line_of(&self, field: &str) -> u32 {
        self.page.map_or(1, |page| page.header.line_of(field))
    }
}

/// Everything that is wrong in a library, by root, file, line and rule. The pages are those of its rows, in their order.
#[must_use]
pub fn check(library: &Library, pages: &[Option<Page>], options: &Options) -> Vec<Finding> {
    let looks: Vec<Look<'_>> = library
        .skills
        .iter()
        .enumerate()
        .map(|(row, skill)| Look { row, skill, page: pages.get(row).and_then(Option::as_ref) })
        .collect();
    let mut drafts = Vec::new();
    for look in &looks {
        alone(library, look, &mut drafts);
    }
    names::judge(&looks, &mut drafts);
    openings::judge(&looks, options.opening, &mut drafts);
    twins::judge(&looks, &mut drafts);
    let mut findings = finding::loose(library);
    findings.extend(drafts.into_iter().map(|draft| draft.placed(library)));
    findings.sort_by(|a, b| {
        (a.root, &a.path, a.line, a.rule, &a.cause)
            .cmp(&(b.root, &b.path, b.line, b.rule, &b.cause))
    });
    findings.dedup();
    findings
}

/// What is wrong with one skill, whatever others there are.
fn alone(library: &Library, look: &Look<'_>, found: &mut Vec<Draft>) {
    let Look { row, skill, page } = *look;
    for diagnostic in library.diagnostics_of(row) {
        // A flat file beside a folder is told at that file.
        if diagnostic.problem != Problem::FlatBesideFolder {
            found.push(of_library(look, &diagnostic));
        }
    }
    let Some(page) = page else { return };
    for (line, hidden) in &page.hidden {
        let cause = format!("U+{:04X} stands in this line", u32::from(*hidden));
        found.push(Draft::new(row, Rule::HiddenCharacters, *line, &cause));
    }
    // A file among another skill's files is nobody's skill: how it is written is for that skill to say.
    if matches!(skill.standing, crate::skill::Standing::Support { .. }) {
        return;
    }
    let mut written = Vec::new();
    standard::judge(row, page, &mut written);
    // What a broken line was taken for is a guess, and how a guess is written is nobody's concern.
    let broken = |line: u32| {
        let problems = &skill.facts.diagnostics;
        problems.iter().any(|d| d.problem == Problem::NotYaml && d.line == Some(line))
    };
    written.retain(|d| !(matches!(d.rule, Rule::Brackets | Rule::ToolsAsList) && broken(d.line)));
    found.append(&mut written);
    description::judge(row, skill, page, found);
    gates::judge(row, skill, page, found);
    links::judge(row, page, found);
    size::judge(row, page, found);
}

fn of_library(look: &Look<'_>, diagnostic: &Diagnostic) -> Draft {
    let rule = Rule::of_problem(diagnostic.problem);
    let of_field = || diagnostic.field.as_ref().map_or(1, |field| look.line_of(field.as_str()));
    let severity = match rule {
        Rule::OddName => standard::name_severity(look.skill.name.as_str()),
        _ => rule.severity(),
    };
    Draft {
        row: look.row,
        rule,
        severity,
        line: diagnostic.line.unwrap_or_else(of_field),
        field: diagnostic.field.clone(),
        cause: diagnostic.cause.clone(),
        fix: diagnostic.fix.clone(),
    }
}
