//! What the home knows of a skill, as it is printed.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::{
    ledger::AtHand,
    skill::{Choice, Instant, SkillId},
};

/// Adds what is known of a skill to its record; of one that no scan has seen, that nothing is.
pub fn describe(known: Option<&AtHand>, record: &mut Json) {
    let Json::Object(record) = record else { return };
    let sums = known.map(|it| it.sums).unwrap_or_default();
    let own = |it: &AtHand| -> BTreeMap<String, Choice> {
        let own = it.choices.iter();
        own.filter_map(|(agent, choice)| Some((agent.clone()?, *choice))).collect()
    };
    for (key, value) in [
        ("id", json!(known.map(|it| it.id))),
        ("state", json!(known.map(|it| it.state))),
        ("uses", json!(known.map(|_| sums.uses))),
        ("views", json!(known.map(|_| sums.views))),
        ("file-views", json!(known.map(|_| sums.file_views))),
        ("last-used", json!(sums.last_use.map(|at| at.to_string()))),
        ("pinned", json!(known.map(|it| it.pinned))),
        ("held", json!(known.map(|it| it.held))),
        ("put-back", json!(known.and_then(|it| it.put_back))),
        ("choice", json!(known.map(|it| it.choice(None)))),
        ("choices", json!(known.map(own))),
    ] {
        record.insert(key.to_owned(), value);
    }
}

/// Adds how often a skill was listed by name in an index that was shown.
pub fn listed(id: Option<SkillId>, listed: &BTreeMap<SkillId, u64>, record: &mut Json) {
    if let Json::Object(record) = record {
        let count = id.map(|id| listed.get(&id).copied().unwrap_or(0));
        record.insert("listed".to_owned(), json!(count));
    }
}

/// What users chose for a skill, in a word: for all, then for single agents; nothing where nobody chose.
pub fn choices(known: &AtHand) -> String {
    let words = known.choices.iter().map(|(agent, choice)| match agent {
        None => choice.word().to_owned(),
        Some(agent) => format!("{agent}: {}", choice.word()),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// How long ago something was, in its largest unit: `3d`. What is in the future is now.
pub fn age(now: Instant, at: Instant) -> String {
    let seconds = now.since(at);
    let units = [(31_557_600, "y"), (86_400, "d"), (3_600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(length, _)| seconds >= *length);
    unit.map_or_else(|| "now".to_owned(), |(length, unit)| format!("{}{unit}", seconds / length))
}

#[cfg(test)]
mod tests {
    use super::age;
    use crate::skill::Instant;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        for (seconds, text) in [
            (-9, "now"),
            (59, "now"),
            (60, "1m"),
            (7_199, "1h"),
            (3 * 86_400, "3d"),
            (364 * 86_400, "364d"),
            (800 * 86_400, "2y"),
        ] {
            assert_eq!(age(Instant(1_000 + seconds), Instant(1_000)), text, "{seconds}");
        }
        assert_eq!(age(Instant(i64::MIN), Instant(i64::MAX)), "now");
    }
}
