//! The rule: which categories are demoted. It proposes names, never counts: a count hides what the names would cost little to say.

use crate::relevance::{Relevance, relevance};
use crate::score::score;
use crate::settings::{Reason, Settings};
use skillkeep_policy::demotion::{Answer, Request};
use skillkeep_policy::{Category, Detail};
use std::collections::BTreeMap;

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::default();
    let relevance = relevance(request.context(), settings);
    if relevance == Relevance::Unknown {
        return answer;
    }
    let best = best_scores(request, settings);
    for category in request.categories() {
        let top = category.top();
        let linked = matches!(&relevance, Relevance::Linked(tops) if tops.contains(&top));
        let kept = linked
            || settings.always_relevant.iter().any(|always| always == top)
            || promoted(category, best.get(top).copied().unwrap_or(0.0), settings);
        // The host keeps to the user's choice whatever is proposed; without a proposal it also says whose choice it was.
        if kept || category.user_detail().is_some() {
            continue;
        }
        let why = match relevance {
            Relevance::NoTools => Reason::NoTools { category: top.to_owned() },
            _ => Reason::Unlinked { category: top.to_owned() },
        };
        answer.detail(category, Detail::Names, why);
    }
    answer
}

/// A category that was shown in full stays so on less than it takes to become so: the index doesn't flap.
fn promoted(category: Category<'_>, best: f64, settings: &Settings) -> bool {
    let was_full = category.previous_detail() == Some(Detail::Full);
    best >= if was_full { settings.keep_score } else { settings.promote_score }
}

/// The best single skill of each top category. A sum would let many idle skills promote what nobody uses.
fn best_scores<'a>(request: &'a Request<'_>, settings: &Settings) -> BTreeMap<&'a str, f64> {
    let mut by_row = vec![0.0_f64; request.categories().len()];
    for skill in request.skills() {
        let (Some(uses), Some(last_used)) = (skill.uses(), skill.last_used()) else { continue };
        let score = score(settings, uses, request.days_since(last_used));
        if let Some(best) = by_row.get_mut(skill.category().row() as usize) {
            *best = best.max(score);
        }
    }
    let mut by_top = BTreeMap::new();
    for (category, score) in request.categories().zip(by_row) {
        let best = by_top.entry(category.top()).or_insert(0.0_f64);
        *best = best.max(score);
    }
    by_top
}
