//! Where every short line fits and not every full one, the room is shared: one cut for all lines, as long as there is room for.
//! Of two words the earlier one of a description says more, so many lines that are cut later beat a few whole ones.

use crate::account::Account;
use crate::rungs::Rung;
use crate::telling::AROUND;
use skillkeep_policy::budget::{Request, longest_cut};
use skillkeep_policy::{Form, key};

/// How long each description is, and what a line costs that says so much of it.
pub struct Lengths {
    lengths: Vec<i64>,
    in_tokens: bool,
}

impl Lengths {
    /// Reads them; nothing where they are not told.
    pub fn read(request: &Request<'_>, skills: usize) -> Option<Self> {
        let mut lengths = vec![0_i64; skills];
        request.tables().column(&key::DESCRIPTION_LENGTH).each(|row, length: &i64| {
            if let Some(known) = lengths.get_mut(row as usize) {
                *known = (*length).max(0);
            }
        });
        let in_tokens = request.context().unit() == Some("tokens");
        lengths.iter().any(|length| *length > 0).then_some(Self { lengths, in_tokens })
    }

    /// An estimate where the unit is tokens, by how dense the whole description is.
    fn cost(&self, rung: &Rung, length: i64, cut: i64) -> i64 {
        let full = i64::from(rung.cost(Form::Full));
        let lost = (length - cut).max(0);
        if lost == 0 {
            return full;
        }
        if !self.in_tokens {
            return full - lost;
        }
        let words = (full - i64::from(rung.cost(Form::Name)) - i64::from(AROUND)).max(0);
        full - lost * words / length
    }

    /// The longest cut of all lines that are short so far for which there is room, if that is above none.
    pub fn longest(&self, rungs: &[Rung], forms: &[Form], account: &Account) -> Option<i64> {
        let short: Vec<(&Rung, i64)> = rungs
            .iter()
            .zip(forms)
            .zip(&self.lengths)
            .filter(|((_, form), _)| **form == Form::Short)
            .map(|((rung, _), length)| (rung, *length))
            .collect();
        let longest = short.iter().map(|(_, length)| *length).max()?;
        let room = account.room();
        let had: i64 = short.iter().map(|(rung, _)| i64::from(rung.cost(Form::Short))).sum();
        let fits = |cut: u64| {
            let cut = i64::try_from(cut).unwrap_or(i64::MAX);
            let cost: i64 = short.iter().map(|(rung, length)| self.cost(rung, *length, cut)).sum();
            cost - had <= room
        };
        let cut = longest_cut(1..=u64::try_from(longest).ok()?.max(1), fits)?;
        i64::try_from(cut).ok()
    }

    /// Whether a description is no longer than this.
    pub fn is_whole(&self, row: usize, cut: i64) -> bool {
        self.lengths.get(row).is_some_and(|length| *length <= cut)
    }
}
