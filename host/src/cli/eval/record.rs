//! What `eval` says as JSON: the same facts as its text.

use crate::world::World;
use serde_json::{Value, json};

use super::{super::options::Plan, Compared, EvalArgs, name_of, tasks::Tasks};
use crate::eval::{B, K1, Kind, Miss, Origin, Why};

/// The record.
pub fn record(
    world: &World<'_>,
    plan: &Plan,
    args: &EvalArgs,
    tasks: &Tasks,
    compared: &[Compared<'_>],
) -> Value {
    let count = |kind| tasks.tasks.iter().filter(|task| task.origin == Origin::Body(kind)).count();
    let drawn = tasks.without.map(|without| {
        json!({
            "seed": args.seed,
            "skills-without": without,
            "trigger": count(Kind::Trigger),
            "heading": count(Kind::Heading),
            "sentence": count(Kind::Sentence),
        })
    });
    let ranker = match (&args.model.model, &args.model.endpoint) {
        (Some(model), Some(endpoint)) => {
            json!({ "kind": "model", "model": model, "endpoint": endpoint })
        }
        _ => json!({ "kind": "bm25", "k1": K1, "b": B }),
    };
    let rows: Vec<Value> = compared
        .iter()
        .map(|one| {
            let row = &one.row;
            json!({
                "rule": row.label,
                "limit": row.limit,
                "top-1": rounded(row.scores.top_1),
                "top-5": row.scores.top_5.map(rounded),
                "described": row.described,
                "named": row.named,
                "hidden": row.hidden,
                "cost": row.cost,
                "fell-back": row.fell_back,
                "not-asked": row.scores.not_asked,
            })
        })
        .collect();
    let mut record = json!({
        "schema": "skillkeep.eval/1",
        "sample": world.is_sample(),
        "unit": plan.unit.word(),
        "ranker": ranker,
        "how": args.model.how(),
        "tasks": { "count": tasks.tasks.len(), "drawn": drawn },
        "rows": rows,
    });
    if args.missed {
        let missed: Vec<Value> = compared
            .iter()
            .flat_map(|one| one.missed.iter().map(move |miss| (one, miss)))
            .map(|(one, miss)| missed(world, one, miss))
            .collect();
        if let Some(record) = record.as_object_mut() {
            record.insert("missed".to_owned(), Value::Array(missed));
        }
    }
    record
}

fn missed(world: &World<'_>, one: &Compared<'_>, miss: &Miss<'_>) -> Value {
    let (by, rank) = match &miss.why {
        Why::Outranked { by, rank, .. } => (Some(*by), Some(*rank)),
        _ => (None, None),
    };
    json!({
        "rule": one.row.label,
        "limit": one.row.limit,
        "query": miss.task.query,
        "skill": name_of(world, miss.task),
        "why": miss.why.word(),
        "by": by,
        "rank": rank,
        "text": miss.why.to_string(),
    })
}

/// Four digits: more would say more than so many tasks can.
fn rounded(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}
