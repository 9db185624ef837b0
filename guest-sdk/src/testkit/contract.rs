//! What the contract asks of an answer, beyond its types.

use crate::facts::{RawReason, RawRefusal, kebab};
use crate::policy::Policy;
use crate::reason::Reasons;

/// The reasons with their templates filled, each checked against what the policy declares.
pub(crate) fn reasons<P: Policy>(reasons: &[RawReason]) -> Vec<String> {
    reasons.iter().map(reason::<P>).collect()
}

/// A reason with its template filled.
pub(crate) fn reason<P: Policy>(reason: &RawReason) -> String {
    let declared = P::Reason::DECLARED.iter().find(|(name, _, _)| kebab(name) == reason.code);
    let Some((_, template, arity)) = declared else {
        panic!("the reason `{}` is not declared", reason.code);
    };
    assert_eq!(reason.args.len(), *arity, "the reason `{}` has other arguments", reason.code);
    let mut text = (*template).to_owned();
    for (place, arg) in reason.args.iter().enumerate() {
        let hole = format!("{{{place}}}");
        assert!(text.contains(&hole), "the template `{template}` has no place for `{arg}`");
        text = text.replace(&hole, arg);
    }
    text
}

/// The refusal, told with its reason's text.
pub(crate) fn refusal<P: Policy>(refusal: RawRefusal) -> super::Refused {
    match refusal {
        RawRefusal::BadSetting(entry) => super::Refused::BadSetting(entry.key),
        RawRefusal::MissingFact(key) => super::Refused::MissingFact(key),
        RawRefusal::Other(other) => super::Refused::Other(reason::<P>(&other)),
    }
}

/// Each row at most once, and none beyond the table.
pub(crate) fn rows(rows: impl Iterator<Item = u32>, len: usize) -> usize {
    let mut seen = vec![false; len];
    let mut proposals = 0;
    for row in rows {
        match seen.get_mut(row as usize) {
            None => panic!("row {row} is beyond the table of {len}"),
            Some(true) => panic!("row {row} is proposed twice"),
            Some(place) => *place = true,
        }
        proposals += 1;
    }
    proposals
}

/// The text at a place.
pub(crate) fn why(reasons: &[String], place: u32) -> String {
    let Some(reason) = reasons.get(place as usize) else {
        panic!("reason {place} is beyond the {} of the answer", reasons.len());
    };
    reason.clone()
}
