//! From what happened in folders to what has to be looked at again.

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    library::concerns,
    system::{Change, System},
};

/// What has to be looked at again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Happened {
    /// Folders, each with what is below it.
    pub(super) touched: BTreeSet<PathBuf>,
    /// Everything.
    pub(super) lost: bool,
}

impl Happened {
    /// What follows from changes. Most files beside a skill's own text are nothing to a library.
    pub(super) fn of(system: &dyn System, changes: Vec<Change>) -> Happened {
        let mut happened = Happened::default();
        for change in changes {
            match change {
                Change::Lost => happened.lost = true,
                Change::Folder(folder) => drop(happened.touched.insert(folder)),
                Change::Entry { folder, name, what } => {
                    let is_link = || system.read_link(&folder.join(&name)).is_ok();
                    if concerns(&name.to_string_lossy(), what, is_link) {
                        happened.touched.insert(folder);
                    }
                }
            }
        }
        happened
    }

    pub(super) fn is_nothing(&self) -> bool {
        !self.lost && self.touched.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Happened;
    use crate::system::{Change, MemorySystem, What};

    #[test]
    fn a_folder_is_looked_at_again_for_what_a_library_is_made_of() {
        let system = MemorySystem::new();
        system.link("/r/.link", "/elsewhere");
        for (name, what, looked_at) in [
            ("SKILL.md", What::Content, true),
            ("skill.md", What::Presence, true),
            ("DESCRIPTION.md", What::Content, true),
            ("LICENSE", What::Content, true),
            ("backup.md", What::Presence, true),
            ("backup.md", What::Content, false),
            (".usage.json", What::Presence, false),
            (".usage.json", What::Content, false),
            (".link", What::Presence, true),
            ("backup", What::Folder, true),
            (".skillkeep", What::Folder, false),
        ] {
            let change = Change::Entry { folder: "/r".into(), name: name.into(), what };
            let happened = Happened::of(&system, vec![change]);
            assert_eq!(!happened.is_nothing(), looked_at, "{name} {what:?}");
        }
        let all = [Change::Folder("/r/a".into()), Change::Lost];
        let happened = Happened::of(&system, all.into());
        assert!(happened.lost && happened.touched.contains(std::path::Path::new("/r/a")));
    }
}
