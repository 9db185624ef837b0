//! Which skills there are, by name or by what is searched for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Toolbox,
    find::{self, Wish},
    notes::Notes,
    sight::Sight,
    trouble::{BadInput, Trouble},
};
use crate::{
    search::Field,
    skill::{OneLine, Skill},
    world::{
        Tell as _, counted,
        error::CommandError,
        naming::{has_category, is_in},
    },
};

/// Skills on a page where nobody says how many, and at most.
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 200;

/// Unicode scalars of a description that are shown: the standard has no longer ones.
const LONGEST_DESCRIPTION: usize = 1_024;

/// Which skills are listed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRequest {
    /// Words that the skills have in their names, descriptions or texts: all of them; `a OR b` is one or the other, and words
    /// in quotes stand behind one another. The best hits come first. Without it all skills are listed
    #[serde(default)]
    pub query: Option<String>,
    /// Only skills of this category and the categories below it
    #[serde(default)]
    pub category: Option<String>,
    /// Skills at most [default: 50]
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
    /// Skills that are passed over first: `next` of the page before
    #[serde(default)]
    pub offset: Option<u32>,
}

/// A page of skills.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The skills
    pub skills: Vec<Entry>,
    /// How many there are in all
    pub total: usize,
    /// The `offset` of the next page, where there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// Categories with their skills, where nothing was searched for and this is the first page
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Category>,
}

/// A skill of a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// What `skill_view` opens it by
    pub name: String,
    /// Its category
    pub category: String,
    /// What it is for, and when
    pub description: String,
    /// How often it was opened for a task, where that is counted
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<u64>,
    /// Where the words were found: name, description or body
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found_in: Vec<&'static str>,
    /// The place in its text where they were
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// A category of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Category {
    /// Its name, with the categories that it is in before it
    pub name: String,
    /// Its skills, without those of the categories below it
    pub skills: usize,
}

impl Toolbox<'_> {
    /// `skills_list`: the skills that this agent is offered, in the order of their categories and names, or those that have
    /// what is searched for.
    ///
    /// # Errors
    /// Where a number is out of its range, nothing can be searched for, or there is no such category.
    pub fn list(&self, asked: &ListRequest, notes: &mut Notes) -> Result<Listed, Trouble> {
        let limit = asked.limit.unwrap_or(PAGE);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            let (found, expected) = (limit.to_string(), format!("1 to {LARGEST_PAGE}"));
            return Err(BadInput::Range { key: "limit", found, expected }.into());
        }
        let (limit, offset) = (limit as usize, asked.offset.unwrap_or(0) as usize);
        let category = asked.category.as_deref().filter(|category| !category.trim().is_empty());
        match asked.query.as_deref().filter(|query| !query.trim().is_empty()) {
            Some(query) => self.search(query, category, (limit, offset), notes),
            None => self.all(category, (limit, offset), notes),
        }
    }

    fn all(
        &self,
        category: Option<&str>,
        (limit, offset): (usize, usize),
        notes: &mut Notes,
    ) -> Result<Listed, Trouble> {
        let (world, kept) = self.known()?;
        world.announce(notes);
        kept.announce(notes);
        if let Some(category) = category {
            has_category(&world, category)?;
        }
        let sight = Sight::new(&world, &kept, self.agent.as_deref());
        let session = world.session();
        let mut rows: Vec<(usize, &Skill)> =
            world.library.skills.iter().map(|skill| &**skill).enumerate().collect();
        rows.retain(|(row, skill)| {
            let wanted = category.is_none_or(|wanted| is_in(skill.category.as_str(), wanted));
            wanted && sight.offers(*row, skill, &session)
        });
        rows.sort_by(|(_, a), (_, b)| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
        let mut categories: Vec<Category> = Vec::new();
        for (_, skill) in rows.iter().filter(|_| offset == 0) {
            match categories.last_mut().filter(|last| last.name == skill.category.as_str()) {
                Some(last) => last.skills += 1,
                None => categories.push(Category { name: skill.category.to_string(), skills: 1 }),
            }
        }
        let page: Vec<usize> = rows.iter().skip(offset).take(limit).map(|(row, _)| *row).collect();
        let skills = entries(&sight, &page);
        Ok(Listed {
            next: next(offset, skills.len(), rows.len()),
            total: rows.len(),
            skills,
            categories,
        })
    }

    fn index(&self) -> Result<find::Opened<'_>, CommandError> {
        match self.warm {
            Some(_) => {
                let (world, kept) = self.known()?;
                find::beside(self.system, world, kept)
            }
            None => find::open(self.system, &self.place),
        }
    }

    fn search(
        &self,
        text: &str,
        category: Option<&str>,
        (limit, offset): (usize, usize),
        notes: &mut Notes,
    ) -> Result<Listed, Trouble> {
        let query = find::query(text)?;
        let find::Opened { world, kept, mut index } = self.index()?;
        world.announce(notes);
        kept.announce(notes);
        if let Some(category) = category {
            has_category(&world, category)?;
        }
        let sight = Sight::new(&world, &kept, self.agent.as_deref());
        let session = world.session();
        let wanted = |row: usize, skill: &Skill| {
            let here = category.is_none_or(|wanted| is_in(skill.category.as_str(), wanted));
            here && sight.offers(row, skill, &session)
        };
        let limit = limit.saturating_add(offset);
        let wish = Wish { query: &query, wanted: &wanted, field: None, limit };
        let hits = find::find(&sight, &wish, &mut index, notes)?;
        if hits.widened {
            notes.say("no skill has these words; these have words that begin with them");
        }
        let total = hits.found.total;
        if total == 0 {
            let near = find::near(&sight, &query).join("`, `");
            let near = if near.is_empty() { near } else { format!("; did you mean `{near}`?") };
            let seen = counted(sight.seen(), "skill");
            notes.say(format!(
                "nothing is found for `{}` among {seen}{near}",
                OneLine::capped(text, 80)
            ));
            notes.hint("skillkeep list");
        }
        let page = hits.found.hits.get(offset..).unwrap_or_default();
        let rows: Vec<usize> = page.iter().map(|hit| hit.row).collect();
        let skills = page.iter().zip(entries(&sight, &rows)).map(|(hit, entry)| Entry {
            found_in: hit.fields.iter().copied().map(Field::word).collect(),
            snippet: Some(hit.snippet.to_string()),
            ..entry
        });
        let skills: Vec<Entry> = skills.collect();
        Ok(Listed {
            next: next(offset, skills.len(), total),
            total,
            skills,
            categories: Vec::new(),
        })
    }
}

fn next(offset: usize, shown: usize, total: usize) -> Option<usize> {
    let next = offset.saturating_add(shown);
    (shown > 0 && next < total).then_some(next)
}

/// What is said of each of these rows of the library.
fn entries(sight: &Sight<'_>, rows: &[usize]) -> Vec<Entry> {
    let library = &sight.world.library;
    let all = rows.iter().zip(library.are_named_alone(rows));
    let of = |(row, alone): (&usize, bool)| {
        library.skills.get(*row).map(|skill| entry(sight, *row, skill, alone))
    };
    all.filter_map(of).collect()
}

fn entry(sight: &Sight<'_>, row: usize, skill: &Skill, alone: bool) -> Entry {
    let facts = &skill.facts;
    let text = facts.description.as_ref().or(facts.opening.as_ref());
    let text = text.map_or("", OneLine::as_str);
    let mut description = OneLine::capped(text, LONGEST_DESCRIPTION).into_string();
    if description.len() < text.len() {
        description.push('…');
    }
    Entry {
        name: if alone { skill.name.to_string() } else { skill.qualified() },
        category: skill.category.to_string(),
        description,
        uses: sight.of(row).map(|known| known.sums.uses),
        found_in: Vec::new(),
        snippet: None,
    }
}
