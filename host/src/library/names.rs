//! Many queries at once: a table of every form of every name, so that each costs a look and not a pass over the library.
//! What a query means is `resolve`'s to say; this only tells it which rows can be meant.

use std::collections::HashMap;

use super::{
    Library, Resolution,
    resolve::{asked, folded, last},
};

/// The rows of a library by every form of their names.
pub struct Names<'a> {
    library: &'a Library,
    rows: HashMap<String, Vec<usize>>,
}

impl<'a> Names<'a> {
    /// Makes the table.
    #[must_use]
    pub fn new(library: &'a Library) -> Names<'a> {
        let mut rows: HashMap<String, Vec<usize>> =
            HashMap::with_capacity(library.skills.len() * 3);
        for (row, skill) in library.skills.iter().enumerate() {
            let name = skill.name.as_str();
            let folder = skill.place.folder.as_str();
            let root = library.roots.get(skill.place.root).map(|report| &report.root);
            let labels = root
                .into_iter()
                .flat_map(|root| [Some(&root.label), root.category.as_ref()])
                .flatten();
            let forms =
                [folded(name), folded(&skill.qualified()), folded(folder), folded(last(folder))];
            for form in
                forms.into_iter().chain(labels.map(|label| folded(&format!("{label}:{name}"))))
            {
                let rows = rows.entry(form).or_default();
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
        }
        Names { library, rows }
    }

    /// The one row that a query names; none where it names none, or several.
    #[must_use]
    pub fn one(&self, query: &str) -> Option<usize> {
        match self.all(query).as_slice() {
            [row] => Some(*row),
            _ => None,
        }
    }

    /// All rows that a query names; none of several comes before the others.
    #[must_use]
    pub fn all(&self, query: &str) -> Vec<usize> {
        let rows = self.rows.get(&folded(asked(query)));
        match self.library.resolve_among(query, rows.map_or(&[], Vec::as_slice)) {
            Some(Resolution::One(row)) => vec![row],
            Some(Resolution::Several(rows)) => rows,
            Some(Resolution::None { .. }) | None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::{
        library::{Library, Resolution, scan},
        skill::{OneLine, Root},
        system::MemorySystem,
    };

    fn library() -> Library {
        let system = MemorySystem::new();
        for (path, name) in [
            ("/a/ops/docker", "docker"),
            ("/a/ops/Vagrant", "vagrant"),
            ("/a/web/docker", "docker"),
            ("/a/books/lesen", "読書"),
            ("/b/ops/docker", "docker"),
            ("/b/mail", "post"),
        ] {
            system.write(
                format!("{path}/SKILL.md"),
                format!("---\nname: {name}\ndescription: x\n---\n"),
            );
        }
        let roots = ["/a", "/b"].map(|path| Root {
            path: path.into(),
            label: OneLine::new(path.trim_start_matches('/')),
            category: (path == "/b").then(|| OneLine::new("plugin")),
        });
        scan(&system, &roots, None)
    }

    #[test]
    fn the_table_names_the_row_that_the_resolver_names() {
        let library = library();
        let names = Names::new(&library);
        for query in [
            "docker",
            "ops/docker",
            "Ops/Docker",
            "web/docker/",
            "vagrant",
            "VAGRANT",
            "Vagrant",
            "読書",
            "lesen",
            "books/lesen",
            "a:docker",
            "b:docker",
            "plugin:post",
            "b:post",
            "mail",
            "post",
            " post ",
            "none",
            "",
        ] {
            let expected = match library.resolve(query) {
                Resolution::One(row) => Some(row),
                Resolution::Several(_) | Resolution::None { .. } => None,
            };
            assert_eq!(names.one(query), expected, "{query}");
            let all = match library.resolve(query) {
                Resolution::One(row) => vec![row],
                Resolution::Several(rows) => rows,
                Resolution::None { .. } => Vec::new(),
            };
            assert_eq!(names.all(query), all, "{query}");
        }
    }
}
