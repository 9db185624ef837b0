//! The rule: when a claim is due. At most one notice a skill, the most telling one.

use crate::settings::{Reason, Settings};
use skillkeep_policy::curator::{Answer, Request};
use skillkeep_policy::{DAY, Instant, Skill};

/// The kind of a notice that asks to look again.
const REVALIDATE: &str = "revalidate";
/// The kind of one that asks for evidence as well.
const NO_EVIDENCE: &str = "no-evidence";

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::default();
    for skill in request.skills().filter(|skill| skill.negative_claims() > 0) {
        let others = matches!(skill.origin(), "bundled" | "installed");
        if others && !settings.others {
            continue;
        }
        if let Some((kind, why)) = due(skill, request.now(), settings) {
            answer.notice(skill, kind, why);
        }
    }
    answer
}

/// Why the claims of a skill are due now, if they are.
fn due(skill: Skill<'_>, now: Instant, settings: &Settings) -> Option<(&'static str, Reason)> {
    let days = |then: Instant| now.saturating_sub(then).max(0) / DAY;
    let claim = || skill.negative_claim().unwrap_or_default().to_owned();
    let expiry = skill.negative_expiry();
    if let Some(stated) = expiry.filter(|stated| *stated <= now) {
        return Some((REVALIDATE, Reason::Expired { days: days(stated), claim: claim() }));
    }
    let checked = skill.negative_checked().or_else(|| skill.last_written());
    let checked = checked.or_else(|| skill.created()).unwrap_or(now);
    let doubt = checked.saturating_add(settings.doubt_after_days * DAY);
    if let Some(success) = skill.last_success().filter(|success| *success > doubt) {
        return Some((REVALIDATE, Reason::Doubted { days: days(success), claim: claim() }));
    }
    let claims = skill.negative_claims();
    // The only claim there is says itself how long it holds.
    if expiry.is_some() && claims == 1 {
        return None;
    }
    let without = claims.saturating_sub(skill.negative_evidence());
    let allowed =
        if without > 0 { settings.expires_without_evidence_days } else { settings.expires_days };
    if now.saturating_sub(checked) < allowed * DAY {
        return None;
    }
    let (days, claim) = (days(checked), claim());
    Some(match without {
        0 => (REVALIDATE, Reason::Old { days, allowed, claim }),
        _ => (NO_EVIDENCE, Reason::NoEvidence { without, claims, days, allowed, claim }),
    })
}
