//! What a decision was about, as far as it stays the same while the library does.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    index::{Candidates, Inputs},
    library::Library,
    skill::{Choice, SkillId, Standing},
};

/// Skills, categories and who was hidden, as an index had them before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Shelf {
    /// Visible skills, in the order of the decision's rows.
    pub skills: Vec<ShelfSkill>,
    /// Categories, in the order of the decision's rows.
    pub categories: Vec<ShelfCategory>,
    /// Skills that were not offered.
    pub hidden: Vec<ShelfHidden>,
}

/// A visible skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ShelfSkill {
    /// Who it is, if the home knew it.
    pub id: Option<SkillId>,
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Row of its category.
    pub category: u32,
    /// The text of its full form.
    pub full: Arc<str>,
    /// The text of its short form, as the request had it.
    pub short: Arc<str>,
    /// Programs that it calls and that were not there.
    pub missing: Vec<String>,
}

/// A category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ShelfCategory {
    /// Its path.
    pub path: String,
    /// What its DESCRIPTION.md said.
    pub description: String,
}

/// A skill that was not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ShelfHidden {
    /// Who it is, if the home knew it.
    pub id: Option<SkillId>,
    /// Its name.
    pub name: String,
    /// Its file, or its folder where it had none.
    pub path: String,
    /// Gates that were shut, each with what was demanded and what was there.
    pub gates: Vec<(String, String)>,
    /// How it stood, where that kept it out: `shadowed`, `duplicate`, `support` or `broken`.
    pub standing: Option<String>,
    /// What the user chose for it.
    pub choice: Choice,
}

impl Shelf {
    /// The shelf of an index.
    #[must_use]
    pub fn of(library: &Library, inputs: &Inputs, candidates: &Candidates) -> Shelf {
        let kept = |row: usize| inputs.kept.get(row).and_then(Option::as_ref);
        let path = |row: usize| {
            let path = library.path_of(row).or_else(|| library.folder_of(row));
            path.map(|path| path.display().to_string()).unwrap_or_default()
        };
        let skills = candidates.entries.iter().map(|entry| ShelfSkill {
            id: entry.id,
            name: entry.name.clone(),
            path: path(entry.skill),
            category: entry.category,
            full: Arc::clone(&entry.full),
            short: Arc::clone(&entry.short),
            missing: entry.missing.clone(),
        });
        let categories = candidates.categories.iter().map(|category| ShelfCategory {
            path: category.path.clone(),
            description: category.description.clone(),
        });
        let hidden = candidates.hidden.iter().filter_map(|hidden| {
            let skill = library.skills.get(hidden.skill)?;
            let standing = match &skill.standing {
                Standing::Live => None,
                other => Some(other.word().to_owned()),
            };
            let gate = |gate: &crate::skill::Gate| (gate.code.to_owned(), gate.because.clone());
            Some(ShelfHidden {
                id: kept(hidden.skill).map(|kept| kept.id),
                name: skill.name.as_str().to_owned(),
                path: path(hidden.skill),
                gates: hidden.shut.iter().map(gate).collect(),
                standing,
                choice: kept(hidden.skill).map_or(Choice::Auto, |kept| kept.choice),
            })
        });
        Shelf {
            skills: skills.collect(),
            categories: categories.collect(),
            hidden: hidden.collect(),
        }
    }
}
