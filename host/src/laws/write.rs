//! The laws over the judgement of a write. One kind throws an answer away: it makes no sense, or claims what no rule can give.
//! The other lowers what came out, from done to waiting to refused, whoever it came from.

use std::collections::BTreeMap;

use super::{Approved, Bite, Breach, Law};
use crate::{
    decision::{Action, Care, Reasoned, Verdict, WriteAnswer, WriteRequest},
    skill::{Actor, OneLine, Origin},
};

/// Reads a policy's answer about a write: its reason is declared, its origin is a word of ours, and what a pass may retire is
/// no more than it was. An origin is declared by who makes a skill, or by a person who adopts it; were a policy able to give
/// it, an edit could make a person's skill the curator's.
///
/// # Errors
/// The first breach; the answer is then of no use.
pub fn approve_write(
    answer: &WriteAnswer,
    declared: &BTreeMap<OneLine, OneLine>,
    request: &WriteRequest,
) -> Result<(Verdict<Origin>, Reasoned), Breach> {
    let Some(template) = declared.get(&answer.why.code) else {
        return Err(Breach::UndeclaredWhy { code: answer.why.code.clone() });
    };
    let reason = Reasoned { code: answer.why.code.clone(), text: answer.why.fill(template) };
    let origin = |word: &OneLine| {
        let origin = Origin::from_word(word.as_str())
            .ok_or_else(|| Breach::NoOrigin { word: word.clone() })?;
        if may_be_given(origin, request) { Ok(origin) } else { Err(Breach::Claimed { origin }) }
    };
    let verdict = match &answer.verdict {
        Verdict::Allow(word) => Verdict::Allow(origin(word)?),
        Verdict::Stage(word) => Verdict::Stage(origin(word)?),
        Verdict::Deny => Verdict::Deny,
    };
    Ok((verdict, reason))
}

/// Whether the result may have this origin: that of what is there, one that protects it from every pass, or, of what is new,
/// its maker's own.
fn may_be_given(origin: Origin, request: &WriteRequest) -> bool {
    if request.origin == Some(origin) {
        return true;
    }
    let is_new = request.origin.is_none() && request.action == Action::Create;
    match origin {
        Origin::Unknown | Origin::Person | Origin::Foreground | Origin::Installed => true,
        Origin::Review => is_new && matches!(request.actor, Actor::Review | Actor::Curator),
        Origin::Bundled => is_new && request.actor == Actor::Sync,
        Origin::Adopted => false,
    }
}

/// What holds of a judgement, wherever it came from: the policies, or the host where they failed. What is lowered is told
/// with the law.
#[must_use]
pub fn hold_write(
    judged: Verdict<Origin>,
    about: &OneLine,
    request: &WriteRequest,
) -> (Approved<Verdict<Origin>>, Option<Bite>) {
    for (law, held, what) in limits(request) {
        let lowered = match (judged, held) {
            (Verdict::Allow(origin), Held::Staged) => Verdict::Stage(origin),
            (Verdict::Allow(_) | Verdict::Stage(_), Held::Denied) => Verdict::Deny,
            _ => continue,
        };
        let bite = Bite { law, about: about.clone(), what: OneLine::new(what), rows: Vec::new() };
        return (Approved(lowered), Some(bite));
    }
    (Approved(judged), None)
}

/// The least strict thing that a law lets be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Staged,
    Denied,
}

/// The laws that stand in a write's way, those that refuse it first. Each says what to do about it.
fn limits(request: &WriteRequest) -> impl Iterator<Item = (Law, Held, &'static str)> {
    let WriteRequest { actor, action, origin, .. } = request;
    let retires = *action == Action::Retire;
    let origin = origin.unwrap_or_default();
    let curated = matches!(origin, Origin::Review | Origin::Adopted)
        || (origin == Origin::Bundled && request.retire_bundled);
    // Of these nobody sees what they do while they do it.
    let unattended = matches!(actor, Actor::Review | Actor::Job);
    [
        (
            *actor == Actor::Outside,
            Law::Caller,
            Held::Denied,
            "who did not ask this host writes nothing by it",
        ),
        (
            request.root == Care::ReadOnly,
            Law::Owned,
            Held::Denied,
            "its folder is only read; `skillkeep init` takes a folder into care",
        ),
        (
            retires && request.pinned,
            Law::Pinned,
            Held::Denied,
            "what is pinned is not retired; a person unpins it first",
        ),
        (
            retires && request.referenced,
            Law::Referenced,
            Held::Denied,
            "what a scheduled job names is not retired; change the job first",
        ),
        (
            retires && *actor == Actor::Curator && !curated,
            Law::Declared,
            Held::Denied,
            "no pass retires what was not declared as a review's or adopted",
        ),
        (
            retires && unattended && !curated,
            Law::Declared,
            Held::Staged,
            "what was not declared as a review's or adopted is retired by a person's word only",
        ),
        (
            *action == Action::Restore && *actor != Actor::Person,
            Law::Caller,
            Held::Staged,
            "only a person brings back what was archived, so it waits for one",
        ),
    ]
    .into_iter()
    .filter_map(|(applies, law, held, what)| applies.then_some((law, held, what)))
}

#[cfg(test)]
mod tests;
