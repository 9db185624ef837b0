//! The categories of visible skills: the rows of the second table.

use std::collections::BTreeMap;

use super::entries::Entry;
use crate::{
    decision::{Detail, Form},
    skill::Choice,
};

/// One category that has visible skills: a row of the categories table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryRow {
    /// Its path.
    pub path: String,
    /// What its DESCRIPTION.md says; empty where it says nothing.
    pub description: String,
    /// How many visible skills it has.
    pub skills: u32,
    /// What the user asked for.
    pub user: Option<Detail>,
    /// The most that the previous index showed of it.
    pub previous: Option<Detail>,
}

impl CategoryRow {
    /// The first segment of the path.
    #[must_use]
    pub fn top(&self) -> &str {
        self.path.split('/').next().unwrap_or(&self.path)
    }
}

/// The categories that visible skills have, by path and description, with what the user asked for and what the index before
/// showed of each.
#[must_use]
pub fn categorised(
    described: impl Iterator<Item = (String, String)>,
    entries: &[Entry],
    compact: &BTreeMap<String, Detail>,
) -> Vec<CategoryRow> {
    let mut categories: Vec<CategoryRow> = described
        .map(|(path, description)| CategoryRow {
            user: user_detail(compact, &path),
            path,
            description,
            skills: 0,
            previous: None,
        })
        .collect();
    for entry in entries {
        let Some(category) = categories.get_mut(entry.category as usize) else { continue };
        category.skills += 1;
        // What the user chose of one skill says nothing of its category.
        let previous = entry.previous.filter(|_| entry.choice == Choice::Auto);
        let previous = previous.map(|form| match form {
            Form::Full | Form::Short => Detail::Full,
            Form::Name => Detail::Names,
            Form::Counted => Detail::Count,
        });
        category.previous = match (category.previous, previous) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    categories
}

fn user_detail(compact: &BTreeMap<String, Detail>, path: &str) -> Option<Detail> {
    let top = path.split('/').next().unwrap_or(path);
    compact.get(path).or_else(|| compact.get(top)).copied()
}
