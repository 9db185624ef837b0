//! What the entries of one folder are to a search for skills, by their names and kinds alone. It must never open a file.

use crate::system::{Entry, Kind};

/// Folders that never hold skills of their own, or far too many files. Only names below a root are judged: a home that
/// lies below a `venv` works.
const HEAVY: [&str; 16] = [
    ".git",
    ".github",
    ".hub",
    ".archive",
    ".skillkeep",
    ".venv",
    "venv",
    "node_modules",
    "site-packages",
    "__pycache__",
    ".tox",
    ".nox",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".curator_backups",
];

/// Folders that hold a skill's own files, if they lie directly inside a folder with a SKILL.md; anywhere else these are
/// names like any other.
const SUPPORT: [&str; 4] = ["references", "templates", "assets", "scripts"];

/// The name that a skill's file should have.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// The name of the file that describes a category.
pub(super) const NOTE_FILE: &str = "DESCRIPTION.md";

/// Whether a folder of this name is passed over.
#[must_use]
pub fn is_heavy(name: &str) -> bool {
    HEAVY.contains(&name)
}

/// Whether a folder of this name, directly inside a skill, holds the skill's own files.
#[must_use]
pub fn is_support(name: &str) -> bool {
    SUPPORT.contains(&name)
}

/// Whether a search will ask for a file of this name.
pub(super) fn is_asked_for(name: &str) -> bool {
    name == NOTE_FILE || name.eq_ignore_ascii_case(SKILL_FILE)
}

/// Whether what is in a file of this name matters to a search, its name and kind aside.
pub(super) fn is_read(name: &str) -> bool {
    is_asked_for(name) || !name.contains('.')
}

/// Whether that a file of this name is there matters to a search.
pub(super) fn is_noticed(name: &str) -> bool {
    is_read(name) || name.ends_with(".md")
}

/// The entries of one folder that matter, each list sorted by name.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// The skill's file, and whether it is a link.
    pub(super) skill: Option<(String, bool)>,
    /// Whether there is a DESCRIPTION.md.
    pub(super) note: bool,
    pub(super) folders: Vec<String>,
    /// Folders whose names are not UTF-8.
    pub(super) odd_folders: Vec<String>,
    pub(super) links: Vec<String>,
    /// Files without an ending, which may be links that git wrote as files.
    pub(super) bare_files: Vec<String>,
    /// Files `x.md` beside a folder `x`.
    pub(super) flat: Vec<String>,
}

impl Listed {
    /// Sorts out what a folder lists.
    pub(super) fn of(entries: Vec<Entry>) -> Listed {
        let mut listed = Listed::default();
        let mut flat = Vec::new();
        for Entry { name, odd_name, kind } in entries {
            match kind {
                _ if kind != Kind::Folder && name.eq_ignore_ascii_case(SKILL_FILE) => {
                    let better = match &listed.skill {
                        None => true,
                        Some((held, _)) => rank(&name) < rank(held),
                    };
                    if better {
                        listed.skill = Some((name, kind == Kind::Link));
                    }
                }
                _ if kind != Kind::Folder && name == NOTE_FILE => listed.note = true,
                Kind::Folder | Kind::Link if is_heavy(&name) => {}
                Kind::Folder if odd_name => listed.odd_folders.push(name),
                Kind::Folder => listed.folders.push(name),
                Kind::Link => listed.links.push(name),
                Kind::File if name.ends_with(".md") => flat.push(name),
                Kind::File if !name.contains('.') && !odd_name => listed.bare_files.push(name),
                Kind::File | Kind::Other => {}
            }
        }
        listed.folders.sort_unstable();
        if !flat.is_empty() {
            flat.retain(|name| {
                let stem = name.strip_suffix(".md").unwrap_or(name);
                listed.folders.binary_search_by(|folder| folder.as_str().cmp(stem)).is_ok()
            });
            flat.sort_unstable();
            listed.flat = flat;
        }
        listed.links.sort_unstable();
        listed
    }
}

/// The exact name comes first, then the others by their bytes.
fn rank(name: &str) -> (bool, &str) {
    (name != SKILL_FILE, name)
}
