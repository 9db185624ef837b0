//! Two indexes of the same skills, made by different policies: where they differ.

use super::make::Made;
use crate::{
    decision::{Form, Reasoned},
    skill::OneLine,
};

/// A skill whose form differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its category and name.
    pub skill: OneLine,
    /// Its form by the one.
    pub from: Form,
    /// Its form by the other.
    pub to: Form,
    /// Why, in the words of the other; nothing where it gave no reason.
    pub reason: Option<Reasoned>,
}

/// The skills whose forms differ, in the order of the index. Both are made of the same library and the same session.
#[must_use]
pub fn differences(one: &Made, other: &Made) -> Vec<Changed> {
    let mut changed = Vec::new();
    for (row, entry) in other.candidates.entries.iter().enumerate() {
        let (Some(from), Some(to)) = (one.form_of(entry.skill), other.form_of(entry.skill)) else {
            continue;
        };
        if from == to {
            continue;
        }
        let category = other.candidates.categories.get(entry.category as usize);
        let skill = match category.map(|it| it.path.as_str()).filter(|path| !path.is_empty()) {
            Some(path) => format!("{path}/{}", entry.name),
            None => entry.name.clone(),
        };
        // A line that its category cut down has its reason there.
        let reason = other.decided.forms.reason(row);
        let reason = reason.or_else(|| other.decided.details.reason(entry.category as usize));
        let reason = reason.cloned();
        changed.push(Changed { skill: OneLine::capped(&skill, 200), from, to, reason });
    }
    changed
}
