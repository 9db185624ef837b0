//! Progressive Skill's question about categories, as requests to a demotion policy, and the answers in its own form.
//!
//! It answers with two lists: what to demote, and what the session's tools are for. The second is asked for like the first,
//! with every category that anybody names and no use of any, so that nothing but the tools can keep one.

use std::collections::BTreeSet;

use super::{
    catalog::Catalog,
    columns::{Cells, last_used, table, uses},
};
use crate::{
    decision::{Context, DemotionRequest, Detail, Value},
    skill::{Instant, Usage},
};

/// What is known of the session: names between commas, of which an empty list says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// Its toolsets.
    pub toolsets: Vec<String>,
    /// Its tools.
    pub tools: Vec<String>,
}

/// A request and the categories that its rows stand for.
#[derive(Clone, Debug, PartialEq)]
pub struct Demotion {
    /// What the policy is asked.
    pub request: DemotionRequest,
    /// The categories, a row each.
    pub categories: Vec<String>,
}

impl Demotion {
    /// The categories of which the policy would show less than everything.
    #[must_use]
    pub fn demoted(&self, details: impl IntoIterator<Item = Detail>) -> BTreeSet<String> {
        self.categories
            .iter()
            .zip(details)
            .filter(|(_, detail)| *detail != Detail::Full)
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// Which of these categories are to be demoted. `tools` is what the session has; without it, it is known to have none.
#[must_use]
pub fn details_question(
    now: Instant,
    categories: &BTreeSet<String>,
    catalog: &Catalog,
    usage: &Usage,
    tools: Option<&Tools>,
    asked: &dyn Fn(&str) -> bool,
) -> Demotion {
    let categories: Vec<String> = categories.iter().cloned().collect();
    let rows: Vec<(&str, u32)> = catalog
        .skills
        .iter()
        .filter_map(|(name, top)| {
            let row = categories.binary_search(top).ok()?;
            Some((name.as_str(), u32::try_from(row).ok()?))
        })
        .collect();
    let names = || rows.iter().map(|(name, _)| *name);
    let skills = [
        ("name", Cells::texts(names())),
        ("category", Cells::integers(rows.iter().map(|(_, row)| i64::from(*row)))),
        ("pinned", Cells::no(rows.len())),
        ("uses", Cells::of_usage(names(), usage, uses)),
        ("last-used", Cells::of_usage(names(), usage, last_used)),
    ];
    let mut counts = vec![0; categories.len()];
    for (_, row) in &rows {
        if let Some(count) = counts.get_mut(*row as usize) {
            *count += 1;
        }
    }
    let names = || Cells::texts(categories.iter().map(String::as_str));
    let of_categories = [
        ("category-name", names()),
        ("category-top", names()),
        ("category-skills", Cells::integers(counts.into_iter())),
    ];
    let request = DemotionRequest {
        context: Context { now, seed: 0, facts: session(tools, asked) },
        skills: table(rows.len(), skills, asked),
        categories: table(categories.len(), of_categories, asked),
    };
    Demotion { request, categories }
}

/// What the session's tools are for. `named` are categories that a setting or a link names; the last value is a category
/// that nobody names: where even that is shown, nothing counts against anything.
#[must_use]
pub fn relevance_question(
    now: Instant,
    catalog: &Catalog,
    named: &BTreeSet<String>,
    tools: &Tools,
    asked: &dyn Fn(&str) -> bool,
) -> (Demotion, String) {
    let mut categories: BTreeSet<String> = catalog.categories.union(named).cloned().collect();
    let mut nobodys = "nobody's".to_owned();
    while categories.contains(&nobodys) {
        nobodys.push('~');
    }
    categories.insert(nobodys.clone());
    let (no_skills, no_usage) = (Catalog::default(), Usage::default());
    (details_question(now, &categories, &no_skills, &no_usage, Some(tools), asked), nobodys)
}

fn session(tools: Option<&Tools>, asked: &dyn Fn(&str) -> bool) -> Vec<(&'static str, Value)> {
    let (toolsets, tools) = match tools {
        None => (Some(Vec::new()), Some(Vec::new())),
        Some(known) => {
            let some = |names: &Vec<String>| (!names.is_empty()).then(|| names.clone());
            (some(&known.toolsets), some(&known.tools))
        }
    };
    [("toolsets", toolsets), ("tools", tools)]
        .into_iter()
        .filter(|(key, _)| asked(key))
        .filter_map(|(key, names)| Some((key, Value::Texts(names?))))
        .collect()
}
