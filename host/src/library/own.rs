//! Which rows are skills of their own: those that something can be known of, counted for, or done with. It must never look
//! at a disk.

use std::{collections::HashSet, path::Path};

use super::Library;
use crate::skill::Standing;

/// A row that is a skill of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own<'a> {
    /// The row.
    pub row: usize,
    /// Its root's number.
    pub root: usize,
    /// Where that is: absolute, links resolved.
    pub path: &'a Path,
    /// The folder below it.
    pub folder: &'a str,
}

impl Library {
    /// The rows that are skills of their own, in their order: whole, in a root that was searched, not by way of a link (what
    /// it leads to is the skill, wherever that lies), and one a folder. One that is shadowed is a skill too.
    #[must_use]
    pub fn own(&self) -> Vec<Own<'_>> {
        let mut seen = HashSet::with_capacity(self.skills.len());
        let mut rows = Vec::with_capacity(self.skills.len());
        for (row, skill) in self.skills.iter().enumerate() {
            let place = &skill.place;
            let whole = matches!(
                skill.standing,
                Standing::Live | Standing::Shadowed { .. } | Standing::Duplicate { .. }
            );
            let report = self.roots.get(place.root).filter(|report| report.problem.is_none());
            let path = report.and_then(|report| report.resolved.as_deref());
            if let Some(path) = path
                && whole
                && place.linked_to.is_none()
                && seen.insert((path, place.folder.as_str()))
            {
                rows.push(Own { row, root: place.root, path, folder: &place.folder });
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use crate::{
        library::scan,
        skill::{OneLine, Root},
        system::MemorySystem,
    };

    #[test]
    fn what_is_broken_linked_or_another_s_file_is_no_skill_of_its_own() {
        let system = MemorySystem::new();
        let text = |name: &str| format!("---\nname: {name}\ndescription: D.\n---\nDo.\n");
        system.write("/one/a/SKILL.md", text("a"));
        system.write("/one/a/references/b/SKILL.md", text("b"));
        system.write("/one/c/SKILL.md", text("a"));
        system.write("/elsewhere/SKILL.md", text("e"));
        system.link("/one/linked", "/elsewhere");
        system.link("/one/dangling", "/nowhere");
        system.write("/two/a/SKILL.md", text("a"));
        let roots = ["/one", "/two", "/missing"].map(|path| Root {
            path: path.into(),
            label: OneLine::new(path),
            category: None,
        });
        let library = scan(&system, &roots, None);
        assert!(library.skills.len() > 4, "{:#?}", library.skills);
        let own: Vec<_> = library.own().iter().map(|own| (own.root, own.folder)).collect();
        assert_eq!(own, [(0, "a"), (0, "c"), (1, "a")]);
    }
}
