//! From a skill's body to what a curator is told of its claims.

use serde::{Deserialize, Serialize};

use super::block::{Block, blocks, sentences as split};
use super::evidence::{day, evidence, restored};
use super::phrase::{is_claim, is_hedge, is_labelled, words};
use crate::skill::{Instant, OneLine};

/// Unicode scalars that are kept of a claim.
const MOST_SHOWN: usize = 160;

/// What a text claims not to work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Claims {
    /// How many sentences do; at least one.
    pub count: u32,
    /// How many of them give evidence.
    pub with_evidence: u32,
    /// The newest day that stands with one of them and is not after the time of asking: its first second, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Instant>,
    /// The earliest day until which one of them says that it holds: its first second, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<Instant>,
    /// The first of them, cut after 160 Unicode scalars.
    pub first: OneLine,
}

/// What a skill's body claims not to work; nothing where no sentence does. `now` is what no day of a check is after.
#[must_use]
pub fn claims(body: &str, now: Instant) -> Option<Claims> {
    let mut found: Option<Claims> = None;
    for block in blocks(body) {
        let said = said(&block);
        let Some(first) = said.first() else { continue };
        let claims = found.get_or_insert_with(|| Claims {
            count: 0,
            with_evidence: 0,
            checked: None,
            expiry: None,
            first: OneLine::capped(first, MOST_SHOWN),
        });
        let evidence = evidence(&block);
        let count = u32::try_from(said.len()).unwrap_or(u32::MAX);
        claims.count = claims.count.saturating_add(count);
        if evidence.is_shown {
            claims.with_evidence = claims.with_evidence.saturating_add(count);
        }
        let past = evidence.days.into_iter().filter(|day| *day <= now);
        claims.checked = past.chain(claims.checked).max();
        claims.expiry = evidence.until.into_iter().chain(claims.expiry).min();
    }
    found
}

/// Every sentence of a body that claims that something doesn't work, as it is written, in order.
#[must_use]
pub fn sentences(body: &str) -> Vec<String> {
    blocks(body).iter().flat_map(said).collect()
}

/// The sentences of a block that claim something.
fn said(block: &Block) -> Vec<String> {
    let mut found = Vec::new();
    let hedged = block.leads.iter().any(|lead| is_hedge(&words(lead)));
    if hedged || is_labelled(&words(&block.prose)) {
        return found;
    }
    let mut spans = block.spans.iter();
    for sentence in split(&block.prose) {
        let whole = restored(sentence, &mut spans);
        // An arrow leads from a symptom to its cause or its cure.
        if sentence.contains(['→', '⇒']) || sentence.contains("->") {
            break;
        }
        if sentence.trim_end_matches(['*', '_', ' ', ')']).ends_with(['?', '？', ':']) {
            continue;
        }
        let words = words(sentence);
        let dated = |at: usize| words.get(at).is_some_and(|word| day(&word.text).is_some());
        if is_claim(&words, &dated) {
            found.push(whole.trim().to_owned());
        }
    }
    found
}
