//! Climbing: the step that gains most for its cost is taken first; one that doesn't fit is left out, and the next is tried.

use crate::account::Account;
use crate::rungs::{Rung, mix};
use crate::settings::Settings;
use skillkeep_policy::Form;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One possible step, packed so that ten thousand of them are quick to order: first what it gains for its cost, then what
/// settles ties, then whose step it is and to which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    rate_and_mark: u64,
    place: Reverse<u64>,
}

impl Step {
    /// A table has less than 2^30 rows: its columns alone would fill the memory.
    #[allow(clippy::cast_possible_truncation, reason = "ties of 7 digits are ties")]
    fn new(rate: f64, mark: u64, category: u32, row: u32, to: Form) -> Self {
        // Rates are not negative, so their bits are in their order.
        let rate = u64::from((rate.max(0.0) as f32).to_bits());
        // Skills that are alike in everything are not taken by the alphabet, which is what the order of rows comes from.
        let tie = mix(u64::from(category) << 32 | u64::from(row)) >> 32;
        let place = tie << 32 | u64::from(row) << 2 | to as u64;
        Self { rate_and_mark: rate << 32 | mark >> 32, place: Reverse(place) }
    }

    #[allow(clippy::cast_possible_truncation, reason = "taken apart as it was put together")]
    const fn row(self) -> u32 {
        (self.place.0 as u32) >> 2
    }

    const fn to(self) -> Form {
        match self.place.0 & 3 {
            0 => Form::Full,
            1 => Form::Short,
            2 => Form::Name,
            _ => Form::Counted,
        }
    }
}

/// The skills and where each of them stands.
#[derive(Debug)]
pub struct Ladder<'a> {
    pub settings: &'a Settings,
    pub rungs: &'a [Rung],
    pub marks: &'a [u64],
    /// How many skills share each category's header, for ranking.
    pub sharing: &'a [u32],
    pub forms: Vec<Form>,
}

impl Ladder<'_> {
    /// Lets these skills climb until nothing fits any more.
    pub fn climb(&mut self, account: &mut Account, rows: impl Iterator<Item = u32> + Clone) {
        self.climb_while(account, rows.clone(), i64::MAX);
        // The last skill of a form gives the category's line back, so its step may cost less than the cheapest line.
        let last: Vec<u32> = rows.filter(|row| self.gives_back(account, *row)).collect();
        if !last.is_empty() {
            self.climb_while(account, last.into_iter(), i64::MIN);
        }
    }

    /// Takes steps from the best down. With less room than the cheapest line nothing fits that gives nothing back: there it
    /// stops, unless what is given back is the point.
    fn climb_while(
        &mut self,
        account: &mut Account,
        rows: impl Iterator<Item = u32>,
        mut cheapest: i64,
    ) {
        let steps: Vec<Step> = rows
            .filter_map(|row| {
                let (step, cost) = self.best_step(account, row, Form::Full)?;
                cheapest = cheapest.min(cost);
                Some(step)
            })
            .collect();
        let mut steps = BinaryHeap::from(steps);
        while let Some(step) = steps.pop() {
            let (row, to) = (step.row(), step.to());
            if account.room() < cheapest {
                break;
            }
            let taken = self.step(account, row, to);
            let highest = if taken { Form::Full } else { next_below(to) };
            if let Some((step, cost)) = self.best_step(account, row, highest) {
                cheapest = cheapest.min(cost);
                steps.push(step);
            }
        }
    }

    /// Whether the skill is the last of its category with its form.
    fn gives_back(&self, account: &Account, row: u32) -> bool {
        match (self.rungs.get(row as usize), self.forms.get(row as usize)) {
            (Some(rung), Some(form)) => *form > rung.cap && account.alone(rung.category, *form),
            _ => false,
        }
    }

    /// Takes a step if there is room for it.
    pub fn step(&mut self, account: &mut Account, row: u32, to: Form) -> bool {
        let (Some(rung), Some(form)) =
            (self.rungs.get(row as usize), self.forms.get_mut(row as usize))
        else {
            return false;
        };
        let line = rung.cost(to) - rung.cost(*form);
        let taken = account.step(rung.category, *form, to, line);
        if taken {
            *form = to;
        }
        taken
    }

    /// The step up that gains most for its cost, to a form no higher than this, and what its line costs more.
    fn best_step(&self, account: &Account, row: u32, highest: Form) -> Option<(Step, i64)> {
        let rung = self.rungs.get(row as usize)?;
        let from = *self.forms.get(row as usize)?;
        let highest = highest.max(rung.cap);
        let mark = *self.marks.get(row as usize)?;
        let mut best: Option<(f64, Form, i64)> = None;
        for to in [Form::Full, Form::Short, Form::Name] {
            if to < highest || to >= from {
                continue;
            }
            let line = rung.cost(to) - rung.cost(from);
            let opens = to <= Form::Short && from > Form::Short;
            let header = if opens { self.header_share(account, rung.category) } else { 0.0 };
            #[allow(clippy::cast_precision_loss, reason = "costs have 32 bits")]
            let cost = (line as f64 + header).max(0.5);
            let gain = (self.gain(to) - self.gain(from)) * self.stickiness(rung, to);
            let rate = rung.worth * gain / cost;
            // Of equal steps the shorter one, which leaves the other for later; of a form that costs no less, the longer.
            let better = best.is_none_or(|(known, _, known_line)| {
                rate > known || (rate >= known && line < known_line)
            });
            if better {
                best = Some((rate, to, line));
            }
        }
        let (rate, to, line) = best?;
        Some((Step::new(rate, mark, rung.category, row, to), line))
    }

    const fn gain(&self, form: Form) -> f64 {
        match form {
            Form::Full => self.settings.gain_full,
            Form::Short => self.settings.gain_short,
            Form::Name => self.settings.gain_name,
            Form::Counted => 0.0,
        }
    }

    /// A step back to what the skill had is worth more than the same step for another, so that small changes move nothing.
    fn stickiness(&self, rung: &Rung, to: Form) -> f64 {
        let had = rung.previous.is_some_and(|previous| to >= previous);
        if had { 1.0 + self.settings.stickiness } else { 1.0 }
    }

    /// The header is charged whole when it appears; for ranking, the skills that may stand under it share it.
    fn header_share(&self, account: &Account, category: u32) -> f64 {
        let sharing = self.sharing.get(category as usize).copied().unwrap_or(1).max(1);
        #[allow(clippy::cast_precision_loss, reason = "costs have 32 bits")]
        let header = account.header(category) as f64;
        header / f64::from(sharing)
    }
}

const fn next_below(form: Form) -> Form {
    match form {
        Form::Full => Form::Short,
        Form::Short => Form::Name,
        Form::Name | Form::Counted => Form::Counted,
    }
}
