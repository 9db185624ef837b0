//! Climbing: the step that gains most for its cost is taken first; one that doesn't fit is left out, and the next is tried.

use crate::account::Account;
use crate::rungs::Rung;
use crate::settings::Settings;
use skillkeep_policy::Form;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One possible step: what it gains for its cost, as an ordered number, then what settles ties.
type Step = (u64, Reverse<u64>, Reverse<u32>, Form);

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
    pub fn climb(&mut self, account: &mut Account, rows: impl Iterator<Item = u32>) {
        let mut cheapest = i64::MAX;
        let steps: Vec<Step> = rows
            .filter_map(|row| {
                let (step, cost) = self.best_step(account, row, Form::Full)?;
                cheapest = cheapest.min(cost);
                Some(step)
            })
            .collect();
        let mut steps = BinaryHeap::from(steps);
        while let Some((_, _, Reverse(row), to)) = steps.pop() {
            // What a step gives back makes few steps cheaper than their line: with less room than the cheapest line, stop.
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
        [Form::Full, Form::Short, Form::Name]
            .into_iter()
            .filter(|to| *to >= highest && *to < from)
            .map(|to| {
                let line = rung.cost(to) - rung.cost(from);
                let header = if to <= Form::Short && from > Form::Short {
                    self.header_share(account, rung.category)
                } else {
                    0.0
                };
                #[allow(clippy::cast_precision_loss, reason = "costs have 32 bits")]
                let cost = (line as f64 + header).max(0.5);
                let gain = (self.gain(to) - self.gain(from)) * self.stickiness(rung, to);
                let rate = rung.worth * gain / cost;
                // Rates are not negative, so their bits are in their order.
                ((rate.max(0.0).to_bits(), Reverse(mark), Reverse(row), to), line)
            })
            .max_by_key(|(step, _)| step.0)
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
