//! What tests of curators share: an answer by names, and how far a verdict lets go.

use skillkeep_policy::CuratorPolicy;
use skillkeep_policy::curator::Verdict;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Library, curator};
use std::collections::BTreeMap;

/// What a policy proposes, by the names of the skills.
pub fn verdicts<P: CuratorPolicy>(
    library: &Library,
    settings: &[Entry],
) -> BTreeMap<String, Verdict> {
    let curated = curator::<P>(library, settings).unwrap();
    curated.proposals.into_iter().map(|it| (it.skill, it.verdict)).collect()
}

/// From what keeps a skill most to what lets go of it.
pub fn let_go(verdict: Option<&Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Keep | Verdict::Activate) => 0,
        None => 1,
        Some(Verdict::MarkStale) => 2,
        Some(Verdict::Archive) => 3,
    }
}
