//! How several answers about one write become one.

use crate::{
    decision::{By, Judgement, Reasoned, Verdict, WriteRequest},
    skill::{Actor, OneLine, Origin},
};

/// The strictest of several answers: refused over waiting over done, and of equals the first. Where two of them would give the
/// result to different owners, a person says whose it is; until then it stays whose it was, or nobody's.
#[must_use]
pub fn combine(request: &WriteRequest, answers: &[Judgement]) -> Judgement {
    // Of equals the last is taken, so they come from behind.
    let strictest = answers.iter().rev().max_by_key(|it| it.verdict.strictness());
    let Some(strictest) = strictest else { return fallback(request, "no policy was asked") };
    if strictest.verdict == Verdict::Deny {
        return strictest.clone();
    }
    let owner = |it: &Judgement| it.verdict.origin().copied();
    match answers.iter().find(|it| owner(it) != owner(strictest)) {
        None => strictest.clone(),
        Some(other) => Judgement {
            verdict: Verdict::Stage(request.origin.unwrap_or_default()),
            reason: Reasoned {
                code: OneLine::new("owners-differ"),
                text: OneLine::capped(&disagreement(strictest, other), 400),
            },
            by: By::Host,
        },
    }
}

fn disagreement(one: &Judgement, other: &Judgement) -> String {
    let word = |it: &Judgement| it.verdict.origin().copied().unwrap_or_default().word();
    format!(
        "{} would give it the origin `{}`, and {} `{}`, so it waits for a person",
        one.by,
        word(one),
        other.by,
        word(other)
    )
}

/// What holds where a policy gave no answer: a person's write waits, and anybody else's is refused.
pub(super) fn fallback(request: &WriteRequest, why: &str) -> Judgement {
    let (verdict, code, what) = match request.actor {
        Actor::Person => {
            let origin = request.origin.unwrap_or(Origin::Person);
            (Verdict::Stage(origin), "unjudged-staged", "what a person writes waits")
        }
        _ => (Verdict::Deny, "unjudged-denied", "nobody but a person writes"),
    };
    let text = format!("{why}; until that is mended, {what}");
    let reason = Reasoned { code: OneLine::new(code), text: OneLine::capped(&text, 400) };
    Judgement { verdict, reason, by: By::Host }
}
