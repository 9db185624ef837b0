//! The laws that an index needs, over a policy's answer.

use std::collections::BTreeMap;

use super::{Approved, Bite, Breach, Law};
use crate::{
    decision::{Answer, Budgeted, Detail, Form, Prices, Proposal, Reason, Reasoned},
    skill::OneLine,
};

/// What was decided, a row, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices<T> {
    /// One a row of the request.
    pub rows: Vec<Choice<T>>,
    /// Reasons that the rows point to, their templates filled.
    pub reasons: Vec<Option<Reasoned>>,
}

/// What was decided for one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T> {
    /// What holds.
    pub choice: T,
    /// What the policy proposed, where something else was made of it.
    pub proposed: Option<T>,
    /// Position of the policy's reason; none where the policy was silent or the host decided by itself.
    pub reason: Option<u32>,
}

impl<T: Copy> Choices<T> {
    /// What the host decides by itself, without a policy's reasons.
    pub fn by_host(choices: impl IntoIterator<Item = T>) -> Choices<T> {
        let rows =
            choices.into_iter().map(|choice| Choice { choice, proposed: None, reason: None });
        Choices { rows: rows.collect(), reasons: Vec::new() }
    }

    /// Of two that were approved of the same rows, for each row the one that is less by a measure; of equals the first.
    #[must_use]
    pub fn least<K: Ord>(mut self, other: Choices<T>, by: impl Fn(T) -> K) -> Choices<T> {
        let shift = u32::try_from(self.reasons.len()).unwrap_or(u32::MAX);
        for (row, theirs) in self.rows.iter_mut().zip(other.rows) {
            if by(theirs.choice) < by(row.choice) {
                let reason = theirs.reason.map(|reason| reason.saturating_add(shift));
                *row = Choice { reason, ..theirs };
            }
        }
        self.reasons.extend(other.reasons);
        self
    }

    /// The choice of a row.
    pub fn row(&self, row: usize) -> Option<&Choice<T>> {
        self.rows.get(row)
    }

    /// The policy's reason for a row.
    pub fn reason(&self, row: usize) -> Option<&Reasoned> {
        self.reasons.get(self.rows.get(row)?.reason? as usize)?.as_ref()
    }
}

/// What was decided of forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// Which form each skill has.
    pub choices: Choices<Form>,
    /// Where short lines are cut, if the policy said so.
    pub cut: Option<Cut>,
}

/// Where short lines are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cut {
    /// After so many Unicode scalars of the description.
    pub scalars: u32,
    /// What the policy proposed; more, where that would have cost more than the limit.
    pub proposed: u32,
}

impl Forms {
    /// What the host decides by itself.
    pub fn by_host(forms: impl IntoIterator<Item = Form>) -> Forms {
        Forms { choices: Choices::by_host(forms), cut: None }
    }
}

/// What short lines cost of which so many scalars are said: a price for each of these rows.
pub type Recut<'a> = &'a dyn Fn(u32, &[usize]) -> Vec<u32>;

/// What may be shown of each category at most: the user's word, and whether a count may be proposed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// What the user asked for, a category.
    pub user: Vec<Option<Detail>>,
    /// Whether the names of all skills don't fit, so that a count is no worse than what would come anyway.
    pub names_do_not_fit: bool,
}

/// Puts a demotion policy's answer under the laws: rows in range and at most once, reasons declared, the user's word
/// kept, and a count only where the user asked for one or nothing else fits.
///
/// # Errors
/// The first breach; the answer is then of no use, and everything is shown.
pub fn approve_details(
    answer: &Answer<Detail>,
    declared: &BTreeMap<OneLine, OneLine>,
    caps: &Caps,
    policy: &OneLine,
) -> Result<(Approved<Choices<Detail>>, Vec<Bite>), Breach> {
    let by_row = by_row(&answer.proposals, caps.user.len())?;
    let reasons = Reasons::new(&answer.reasons, declared);
    let (mut choices, mut clamped) = (Vec::with_capacity(caps.user.len()), Vec::new());
    for (row, (proposal, user)) in by_row.into_iter().zip(&caps.user).enumerate() {
        let (proposed, reason) = match proposal {
            Some(proposal) => (proposal.choice, Some(reasons.check(proposal)?)),
            None => (Detail::Full, None),
        };
        let allowed = match proposed {
            Detail::Count if !caps.names_do_not_fit && *user != Some(Detail::Count) => {
                Detail::Names
            }
            other => other,
        };
        let choice = user.map_or(allowed, |user| user.max(allowed));
        if allowed != proposed {
            clamped.push(u32::try_from(row).unwrap_or(u32::MAX));
        }
        choices.push(Choice { choice, proposed: (choice != proposed).then_some(proposed), reason });
    }
    let bites = if clamped.is_empty() {
        Vec::new()
    } else {
        vec![Bite {
            law: Law::Asked,
            about: policy.clone(),
            what: OneLine::new("a count was proposed where the names fit; the names are shown"),
            rows: clamped,
        }]
    };
    Ok((Approved(Choices { rows: choices, reasons: reasons.filled }), bites))
}

/// Puts a budget policy's answer under the laws: one form for each skill, reasons declared, no form above its cap, and
/// the whole within the limit. A cut of short lines is lowered until that holds, for a policy can't know exactly what it
/// costs.
///
/// # Errors
/// The first breach; the answer is then of no use, and the host's baseline decides.
pub fn approve_forms(
    budgeted: &Budgeted,
    declared: &BTreeMap<OneLine, OneLine>,
    caps: &[Form],
    prices: &Prices,
    recut: Recut<'_>,
    policy: &OneLine,
) -> Result<(Approved<Forms>, Vec<Bite>), Breach> {
    let answer = &budgeted.forms;
    let by_row = by_row(&answer.proposals, caps.len())?;
    if let Some(first) = by_row.iter().position(Option::is_none) {
        return Err(Breach::RowsMissing {
            answered: answer.proposals.len(),
            len: caps.len(),
            first,
        });
    }
    let reasons = Reasons::new(&answer.reasons, declared);
    let (mut choices, mut clamped) = (Vec::with_capacity(caps.len()), Vec::new());
    for (row, (proposal, cap)) in by_row.into_iter().flatten().zip(caps).enumerate() {
        let choice = proposal.choice.max(*cap);
        if choice != proposal.choice {
            clamped.push(u32::try_from(row).unwrap_or(u32::MAX));
        }
        choices.push(Choice {
            choice,
            proposed: (choice != proposal.choice).then_some(proposal.choice),
            reason: Some(reasons.check(proposal)?),
        });
    }
    let mut bites = Vec::new();
    if !clamped.is_empty() {
        bites.push(Bite {
            law: Law::Asked,
            about: policy.clone(),
            what: OneLine::new("forms above their cap were proposed; the cap holds"),
            rows: clamped,
        });
    }
    let forms: Vec<Form> = choices.iter().map(|choice| choice.choice).collect();
    let short: Vec<usize> = forms
        .iter()
        .enumerate()
        .filter(|(_, form)| **form == Form::Short)
        .map(|(at, _)| at)
        .collect();
    let proposed = budgeted.cut.filter(|_| !short.is_empty());
    let cut = proposed
        .map(|proposed| {
            let cost = |cut| cost_of_cut(&forms, &short, prices, recut, cut);
            longest_within(proposed, prices.limit, cost).map(|scalars| Cut { scalars, proposed })
        })
        .transpose()?;
    if let Some(Cut { scalars, proposed }) = cut.filter(|cut| cut.scalars < cut.proposed) {
        bites.push(Bite {
            law: Law::WithinLimit,
            about: policy.clone(),
            what: OneLine::new(&format!(
                "short lines are cut at {scalars} scalars: at {proposed} they would cost more than the limit"
            )),
            rows: short.iter().map(|row| u32::try_from(*row).unwrap_or(u32::MAX)).collect(),
        });
    }
    if cut.is_none() {
        let cost = prices.sum(forms).least();
        if cost > prices.limit {
            return Err(Breach::OverLimit { cost, limit: prices.limit });
        }
    }
    let choices = Choices { rows: choices, reasons: reasons.filled };
    Ok((Approved(Forms { choices, cut }), bites))
}

/// What the block costs with short lines cut so.
fn cost_of_cut(
    forms: &[Form],
    short: &[usize],
    prices: &Prices,
    recut: Recut<'_>,
    cut: u32,
) -> u64 {
    let mut prices = prices.clone();
    for (row, price) in short.iter().zip(recut(cut, short)) {
        if let Some(skill) = prices.skills.get_mut(*row) {
            skill.short = price;
        }
    }
    prices.sum(forms.iter().copied()).least()
}

/// The longest cut up to the one proposed that stays within the limit. Where a longer one may cost less, as in tokens, it is
/// some cut that does, beyond which the next one was seen not to.
fn longest_within(proposed: u32, limit: u64, cost: impl Fn(u32) -> u64) -> Result<u32, Breach> {
    let whole = cost(proposed);
    if whole <= limit {
        return Ok(proposed);
    }
    if cost(0) > limit {
        return Err(Breach::OverLimit { cost: whole, limit });
    }
    let (mut fits, mut over) = (0, proposed);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if cost(middle) <= limit {
            fits = middle;
        } else {
            over = middle;
        }
    }
    Ok(fits)
}

/// The proposal of each row. Out of range or twice is a breach.
pub(super) fn by_row<T: Copy>(
    proposals: &[Proposal<T>],
    len: usize,
) -> Result<Vec<Option<Proposal<T>>>, Breach> {
    let mut rows = vec![None; len];
    for proposal in proposals {
        match rows.get_mut(proposal.row as usize) {
            None => return Err(Breach::RowOutOfRange { row: proposal.row, len }),
            Some(Some(_)) => return Err(Breach::RowTwice { row: proposal.row }),
            Some(free) => *free = Some(*proposal),
        }
    }
    Ok(rows)
}

/// An answer's reasons with their templates filled, each once; none where the code is not declared.
pub(super) struct Reasons<'a> {
    pub(super) filled: Vec<Option<Reasoned>>,
    given: &'a [Reason],
}

impl<'a> Reasons<'a> {
    pub(super) fn new(given: &'a [Reason], declared: &BTreeMap<OneLine, OneLine>) -> Reasons<'a> {
        let filled = given
            .iter()
            .map(|reason| {
                let template = declared.get(&reason.code)?;
                Some(Reasoned { code: reason.code.clone(), text: reason.fill(template) })
            })
            .collect();
        Reasons { filled, given }
    }

    pub(super) fn check<T>(&self, proposal: Proposal<T>) -> Result<u32, Breach> {
        let number = proposal.why as usize;
        match (self.filled.get(number), self.given.get(number)) {
            (Some(Some(_)), _) => Ok(proposal.why),
            (Some(None), Some(reason)) => {
                Err(Breach::Undeclared { row: proposal.row, code: reason.code.clone() })
            }
            _ => Err(Breach::NoReason {
                row: proposal.row,
                why: proposal.why,
                len: self.given.len(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests")]

    use super::{Choice, Choices};
    use crate::{decision::Reasoned, skill::OneLine};

    #[test]
    fn of_two_the_lesser_choice_holds_with_its_own_reason() {
        let of = |word: &str, choices: [u8; 3]| Choices {
            rows: choices.map(|choice| Choice { choice, proposed: None, reason: Some(0) }).to_vec(),
            reasons: vec![Some(Reasoned { code: OneLine::new(word), text: OneLine::new(word) })],
        };
        let both = of("mine", [1, 2, 3]).least(of("theirs", [2, 2, 1]), |choice| choice);
        let told: Vec<_> = (0..3)
            .map(|row| (both.rows[row].choice, both.reason(row).map(|it| it.code.to_string())))
            .collect();
        let expected = [(1, "mine"), (2, "mine"), (1, "theirs")];
        assert_eq!(told, expected.map(|(choice, word)| (choice, Some(word.to_owned()))));
    }
}
