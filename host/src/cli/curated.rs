//! What passes did to one skill, in words, for every command that tells of a skill.

use serde_json::{Value as Json, json};

use crate::{
    ledger::{Ledger, LedgerError, Moved},
    skill::{OneLine, SkillId, State},
};

/// Since when a skill is stale or active again, by which policy, why, and in which pass; nothing of one that no pass touched.
///
/// # Errors
/// Where the ledger can't be read.
pub fn since(ledger: &Ledger, id: SkillId, state: State) -> Result<Option<String>, LedgerError> {
    let newest = ledger.transitions(id, 1)?.into_iter().next();
    Ok(match newest.filter(|it| it.transition.state == state) {
        Some(it) => Some(format!("{} since {}, {}", state.word(), it.at, by(&it))),
        None if state == State::Stale => Some("stale, as another program had it before".to_owned()),
        None => None,
    })
}

/// By whom a transition was made, and why.
pub fn by(moved: &Moved) -> String {
    let it = &moved.transition;
    format!(
        "by {} in pass {}: {}",
        OneLine::capped(&it.by, 80),
        moved.pass.0,
        OneLine::capped(&it.why, 160)
    )
}

/// A transition, for programs.
pub fn as_json(moved: &Moved) -> Json {
    let it = &moved.transition;
    json!({
        "pass": moved.pass, "at": moved.at.to_string(), "was": it.was, "state": it.state,
        "by": it.by, "code": it.code, "why": it.why,
    })
}

/// That somebody else put a skill back which was archived, and by which pass it was.
///
/// # Errors
/// Where the ledger can't be read.
pub fn put_back(ledger: &Ledger, archived: SkillId) -> Result<String, LedgerError> {
    let by = ledger.put_away_by(archived, None)?;
    let by = by.map_or_else(|| "by hand".to_owned(), |pass| format!("by pass {}", pass.0));
    Ok(format!("put back by somebody else; archived {by}"))
}
