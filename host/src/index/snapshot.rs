//! What a policy is told of an index: columns and facts of the dictionary, and only those that it asks for.

use super::{entries::Candidates, sharers::sharers};
use crate::{
    decision::{
        BudgetRequest, Column, Context, DemotionRequest, Detail, Form, Prices, Table, Unit, Value,
        Values,
    },
    skill::{Instant, Session},
};

/// What holds for all questions of one index.
pub struct Frame<'a> {
    /// The time of the decision.
    pub now: Instant,
    /// The session's seed.
    pub seed: u64,
    /// The session.
    pub session: &'a Session,
}

/// Whether a policy asked for a key.
pub type Asked<'a> = &'a dyn Fn(&str) -> bool;

/// The question to a demotion policy.
#[must_use]
pub fn demotion_request(
    candidates: &Candidates,
    frame: &Frame<'_>,
    asked: Asked<'_>,
) -> DemotionRequest {
    let mut categories = category_columns(candidates, asked);
    if asked("previous-detail") {
        categories.push(known(
            "previous-detail",
            candidates.categories.iter().map(|c| c.previous.map(detail_number)),
        ));
    }
    DemotionRequest {
        context: context(frame, asked),
        skills: Table {
            len: length(candidates.entries.len()),
            columns: skill_columns(candidates, asked),
        },
        categories: Table { len: length(candidates.categories.len()), columns: categories },
    }
}

/// What a budget policy is told of costs.
pub struct Costs<'a> {
    /// What everything costs.
    pub prices: &'a Prices,
    /// The unit of that.
    pub unit: Unit,
    /// The most telling form allowed, a skill.
    pub caps: &'a [Form],
    /// What a line costs that says nothing but the name, a skill; counted only where it is asked for.
    pub bare: &'a dyn Fn() -> Vec<u32>,
}

/// The question to a budget policy.
#[must_use]
pub fn budget_request(
    candidates: &Candidates,
    frame: &Frame<'_>,
    costs: &Costs<'_>,
    asked: Asked<'_>,
) -> BudgetRequest {
    let Costs { prices, unit, caps, bare } = *costs;
    let mut skills = skill_columns(candidates, asked);
    let mut categories = category_columns(candidates, asked);
    let mut context = context(frame, asked);
    if asked("description-length") {
        let length = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let known_length = |text: &str| (!text.is_empty()).then(|| length(text));
        skills.push(known(
            "description-length",
            candidates.entries.iter().map(|entry| known_length(&entry.full)),
        ));
    }
    if asked("name-sharers") {
        let names = candidates.entries.iter().map(|entry| entry.name.as_str());
        skills.push(known("name-sharers", sharers(names).into_iter()));
    }
    if asked("stale") {
        let rows = (0..).zip(&candidates.entries).filter(|(_, entry)| entry.stale.is_some());
        let rows: Vec<u32> = rows.map(|(row, _)| row).collect();
        let values = Values::Booleans(vec![true; rows.len()]);
        skills.push(Column { key: "stale", rows: Some(rows), values });
    }
    if asked("cost-bare") {
        skills.push(integers("cost-bare", bare().into_iter().map(i64::from)));
    }
    if asked("previous-form") {
        skills.push(known(
            "previous-form",
            candidates
                .entries
                .iter()
                .map(|entry| entry.previous.map(|form| i64::from(form.number()))),
        ));
    }
    if asked("form-cap") {
        let below_full = |cap: &Form| (*cap > Form::Full).then(|| i64::from(cap.number()));
        skills.push(known("form-cap", caps.iter().map(below_full)));
    }
    for (key, price) in [
        ("cost-full", (|p| p.full) as fn(&crate::decision::SkillPrice) -> u32),
        ("cost-short", |p| p.short),
        ("cost-name", |p| p.name),
    ] {
        if asked(key) {
            skills.push(integers(key, prices.skills.iter().map(|p| i64::from(price(p)))));
        }
    }
    for (key, price) in [
        ("cost-header", (|p| p.header) as fn(&crate::decision::CategoryPrice) -> u32),
        ("cost-names", |p| p.names),
        ("cost-count", |p| p.count),
    ] {
        if asked(key) {
            categories.push(integers(key, prices.categories.iter().map(|p| i64::from(price(p)))));
        }
    }
    if asked("cost-rest") {
        context
            .facts
            .push(("cost-rest", Value::Integer(i64::try_from(prices.rest).unwrap_or(i64::MAX))));
    }
    if asked("unit") {
        context.facts.push(("unit", Value::Text(unit.word().to_owned())));
    }
    BudgetRequest {
        context,
        limit: u32::try_from(prices.limit).unwrap_or(u32::MAX),
        fixed: u32::try_from(prices.fixed).unwrap_or(u32::MAX),
        skills: Table { len: length(candidates.entries.len()), columns: skills },
        categories: Table { len: length(candidates.categories.len()), columns: categories },
    }
}

fn context(frame: &Frame<'_>, asked: Asked<'_>) -> Context {
    let mut facts = Vec::new();
    let list =
        |words: &std::collections::BTreeSet<String>| Value::Texts(words.iter().cloned().collect());
    if let Some(toolsets) = frame.session.toolsets.as_ref().filter(|_| asked("toolsets")) {
        facts.push(("toolsets", list(toolsets)));
    }
    if let Some(tools) = frame.session.tools.as_ref().filter(|_| asked("tools")) {
        facts.push(("tools", list(tools)));
    }
    if asked("platform") {
        facts.push(("platform", Value::Text(frame.session.platform.clone())));
    }
    Context { now: frame.now, seed: frame.seed, facts }
}

fn skill_columns(candidates: &Candidates, asked: Asked<'_>) -> Vec<Column> {
    let entries = &candidates.entries;
    let mut columns = Vec::new();
    if asked("name") {
        let names = entries.iter().map(|entry| entry.name.clone()).collect();
        columns.push(Column { key: "name", rows: None, values: Values::Texts(names) });
    }
    if asked("description") {
        let (rows, texts): (Vec<u32>, Vec<String>) = (0_u32..)
            .zip(entries)
            .filter(|(_, entry)| !entry.full.is_empty())
            .map(|(row, entry)| (row, entry.full.as_ref().to_owned()))
            .unzip();
        columns.push(Column { key: "description", rows: Some(rows), values: Values::Texts(texts) });
    }
    if asked("category") {
        columns.push(integers("category", entries.iter().map(|entry| i64::from(entry.category))));
    }
    if asked("pinned") {
        let pinned =
            entries.iter().map(|entry| entry.usage.is_some_and(|usage| usage.pinned)).collect();
        columns.push(Column { key: "pinned", rows: None, values: Values::Booleans(pinned) });
    }
    if asked("uses") {
        columns.push(known(
            "uses",
            entries.iter().map(|entry| {
                entry.usage.map(|usage| i64::try_from(usage.uses).unwrap_or(i64::MAX))
            }),
        ));
    }
    if asked("last-used") {
        columns.push(known(
            "last-used",
            entries
                .iter()
                .map(|entry| entry.usage.and_then(|usage| usage.last_used).map(|time| time.0)),
        ));
    }
    columns
}

fn category_columns(candidates: &Candidates, asked: Asked<'_>) -> Vec<Column> {
    let categories = &candidates.categories;
    let mut columns = Vec::new();
    if asked("category-name") {
        let names = categories.iter().map(|category| category.path.clone()).collect();
        columns.push(Column { key: "category-name", rows: None, values: Values::Texts(names) });
    }
    if asked("category-top") {
        let tops = categories.iter().map(|category| category.top().to_owned()).collect();
        columns.push(Column { key: "category-top", rows: None, values: Values::Texts(tops) });
    }
    if asked("category-skills") {
        columns.push(integers(
            "category-skills",
            categories.iter().map(|category| i64::from(category.skills)),
        ));
    }
    if asked("user-detail") {
        columns.push(known(
            "user-detail",
            categories.iter().map(|category| category.user.map(detail_number)),
        ));
    }
    columns
}

fn detail_number(detail: Detail) -> i64 {
    match detail {
        Detail::Full => 0,
        Detail::Names => 1,
        Detail::Count => 2,
    }
}

fn integers(key: &'static str, values: impl Iterator<Item = i64>) -> Column {
    Column { key, rows: None, values: Values::Integers(values.collect()) }
}

/// A column of what is known: only the rows that have a value are sent.
fn known(key: &'static str, values: impl Iterator<Item = Option<i64>>) -> Column {
    let (rows, values) =
        (0_u32..).zip(values).filter_map(|(row, value)| Some((row, value?))).unzip();
    Column { key, rows: Some(rows), values: Values::Integers(values) }
}

fn length(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
