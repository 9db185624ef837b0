//! Questions to policies as an index asks them, on so many made-up rows; and the same questions in the SDK's types, for
//! running a rule without its sandbox. No measurement belongs here.

use skillkeep::{
    decision::{
        BudgetRequest, Column, Context, DemotionRequest, FACTS, Known, Place, ProvenanceRequest,
        Slot, Table, Value, ValueType, Values,
    },
    skill::Instant,
};
use skillkeep_policy::{
    bindings::slots::{
        budget as raw_budget, demotion as raw_demotion, provenance as raw_provenance,
    },
    facts as raw,
};

const CATEGORIES: u32 = 20;
const NOW: i64 = 1_780_000_000;

/// A question to a budget policy, with the columns that are asked for.
pub fn budget(skills: u32, limit: u32, asked: &dyn Fn(&str) -> bool) -> BudgetRequest {
    let [skills, categories] = tables(Slot::Budget, skills, asked);
    BudgetRequest { context: context(Slot::Budget, asked), limit, fixed: 400, skills, categories }
}

/// A question to a demotion policy, with the columns that are asked for.
pub fn demotion(skills: u32, asked: &dyn Fn(&str) -> bool) -> DemotionRequest {
    let [skills, categories] = tables(Slot::Demotion, skills, asked);
    DemotionRequest { context: context(Slot::Demotion, asked), skills, categories }
}

fn context(slot: Slot, asked: &dyn Fn(&str) -> bool) -> Context {
    let facts = FACTS
        .iter()
        .filter(|fact| {
            fact.place == Place::Context && fact.slots.contains(&slot) && asked(fact.key)
        })
        .map(|fact| {
            let value = match fact.key {
                "cost-rest" => Value::Integer(40),
                "unit" => Value::Text("chars".to_owned()),
                "platform" => Value::Text("linux".to_owned()),
                _ => Value::Texts(vec!["terminal".to_owned(), "skill_view".to_owned()]),
            };
            (fact.key, value)
        });
    Context { now: Instant(NOW), seed: 7, facts: facts.collect() }
}

fn tables(slot: Slot, skills: u32, asked: &dyn Fn(&str) -> bool) -> [Table; 2] {
    [(Place::Skills, skills), (Place::Categories, CATEGORIES)].map(|(place, len)| {
        let facts = FACTS
            .iter()
            .filter(|fact| fact.place == place && fact.slots.contains(&slot) && asked(fact.key));
        let columns = facts.map(|fact| {
            // What is not known of all is known of a third; most are allowed every form.
            let step = match (fact.known, fact.key) {
                (Known::All, _) => 1,
                (Known::Some, "form-cap") => 50,
                (Known::Some, _) => 3,
            };
            let rows: Vec<u32> = (0..len).step_by(step).collect();
            let values = match fact.value_type {
                ValueType::Boolean => {
                    Values::Booleans(rows.iter().map(|row| row % 100 == 0).collect())
                }
                ValueType::Text => {
                    Values::Texts(rows.iter().map(|row| text(fact.key, *row)).collect())
                }
                _ => Values::Integers(rows.iter().map(|row| number(fact.key, *row)).collect()),
            };
            Column { key: fact.key, rows: (fact.known == Known::Some).then_some(rows), values }
        });
        Table { len, columns: columns.collect() }
    })
}

fn number(key: &str, row: u32) -> i64 {
    let mixed = i64::from(row.wrapping_mul(0x9E37_79B1) >> 16);
    match key {
        "category" => i64::from(row % CATEGORIES),
        "uses" => mixed % 60,
        "last-used" => NOW - (mixed % 400) * 86_400,
        "previous-form" => mixed % 4,
        "form-cap" => 2,
        "user-detail" | "previous-detail" => 0,
        "cost-full" => 80 + mixed % 200,
        "cost-short" => 60 + mixed % 60,
        "cost-name" => 8 + mixed % 20,
        _ => 20 + mixed % 20,
    }
}

fn text(key: &str, row: u32) -> String {
    match key {
        "description" => format!(
            "Does what number {row} is for, step by step. Use when files have to be looked at before the next step is \
             written down, so that a later run can begin there without asking what was found and what it was that was \
             to be done about it."
        ),
        _ => format!("{key}-{row:06}"),
    }
}

/// The same question in the SDK's types.
pub fn raw_budget(request: &BudgetRequest) -> raw_budget::Request {
    raw_budget::Request {
        context: raw_context(&request.context),
        settings: Vec::new(),
        limit: request.limit,
        fixed: request.fixed,
        skills: raw_table(&request.skills),
        categories: raw_table(&request.categories),
    }
}

/// The same question in the SDK's types.
pub fn raw_demotion(request: &DemotionRequest) -> raw_demotion::Request {
    raw_demotion::Request {
        context: raw_context(&request.context),
        settings: Vec::new(),
        skills: raw_table(&request.skills),
        categories: raw_table(&request.categories),
    }
}

/// The same question in the SDK's types.
pub fn raw_write(request: ProvenanceRequest) -> raw_provenance::Request {
    raw_provenance::Request {
        context: raw_context(&request.context),
        settings: Vec::new(),
        write: request.write.iter().map(raw_entry).collect(),
        content: request.content,
    }
}

fn raw_context(context: &Context) -> raw::RawContext {
    let facts = context.facts.iter().map(raw_entry);
    raw::RawContext { now: context.now.0, seed: context.seed, facts: facts.collect() }
}

fn raw_entry((key, value): &(&'static str, Value)) -> raw::Entry {
    raw::Entry {
        key: (*key).to_owned(),
        value: match value.clone() {
            Value::Boolean(value) => raw::Value::Boolean(value),
            Value::Integer(value) => raw::Value::Integer(value),
            Value::Real(value) => raw::Value::Real(value),
            Value::Text(text) => raw::Value::Text(text),
            Value::Texts(texts) => raw::Value::Texts(texts),
        },
    }
}

fn raw_table(table: &Table) -> raw::RawTable {
    let columns = table.columns.iter().map(|column| raw::RawColumn {
        key: column.key.to_owned(),
        rows: column.rows.clone(),
        values: match column.values.clone() {
            Values::Booleans(values) => raw::Values::Booleans(values),
            Values::Integers(values) => raw::Values::Integers(values),
            Values::Reals(values) => raw::Values::Reals(values),
            Values::Texts(values) => raw::Values::Texts(values),
        },
    });
    raw::RawTable { len: table.len, columns: columns.collect() }
}
