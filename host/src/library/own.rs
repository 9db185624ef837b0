//! Which rows are skills of their own: those that something can be known of, counted for, or done with. It must never look
//! at a disk.

use std::path::Path;

use foldhash::{HashSet, fast::RandomState};

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
        let mut seen = HashSet::with_capacity_and_hasher(self.skills.len(), RandomState::default());
        let all = (0..self.skills.len()).filter_map(|row| self.candidate(row));
        // By bytes: both are resolved, and comparing paths part by part takes longer than all the rest.
        all.filter(|own| seen.insert((own.path.as_os_str(), own.folder))).collect()
    }

    /// One row, if it is a skill of its own.
    #[must_use]
    pub fn own_row(&self, row: usize) -> Option<Own<'_>> {
        let own = self.candidate(row)?;
        let same = |other: &Own<'_>| {
            other.folder == own.folder && other.path.as_os_str() == own.path.as_os_str()
        };
        (0..=row).filter_map(|row| self.candidate(row)).find(same).filter(|it| it.row == row)
    }

    /// A row that is one, unless another is in its folder.
    fn candidate(&self, row: usize) -> Option<Own<'_>> {
        let skill = self.skills.get(row)?;
        let place = &skill.place;
        let whole = matches!(
            skill.standing,
            Standing::Live | Standing::Shadowed { .. } | Standing::Duplicate { .. }
        );
        let report = self.roots.get(place.root).filter(|report| report.problem.is_none())?;
        let own =
            Own { row, root: place.root, path: report.resolved.as_deref()?, folder: &place.folder };
        (whole && place.linked_to.is_none()).then_some(own)
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
        let each = (0..library.skills.len()).filter_map(|row| library.own_row(row));
        assert_eq!(each.collect::<Vec<_>>(), library.own());
    }
}
