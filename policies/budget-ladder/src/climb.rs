//! Climbing: the step that gains most for its cost is taken first; one that doesn't fit is left out, and the next is tried.

use crate::account::{Account, Shares, Totals};
use crate::rungs::{Rung, mix};
use crate::settings::Settings;
use crate::telling::Telling;
use skillkeep_policy::Form;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One possible step, packed so that many are quick to order: first what it gains for its cost, then what settles ties,
/// then whose step it is and to which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    rate_and_mark: u64,
    place: Reverse<u64>,
}

impl Step {
    /// A table has less than 2^30 rows: its columns alone would fill the memory.
    fn new(rate: f64, mark: u64, category: u32, row: u32, to: Form) -> Self {
        // Skills that are alike in everything are not taken by the alphabet, which is what the order of rows comes from.
        let tie = mix(u64::from(category) << 32 | u64::from(row)) >> 32;
        let place = tie << 32 | u64::from(row) << 2 | to as u64;
        Self { rate_and_mark: bits(rate) << 32 | mark >> 32, place: Reverse(place) }
    }

    const fn rate(self) -> u64 {
        self.rate_and_mark >> 32
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

/// No step of a skill gains more for its cost than this. Most skills' turn never comes, so each begins with a guess, and its
/// steps are worked out when the guess is the best that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Guess(u64);

impl Guess {
    fn new(rate: f64, row: u32) -> Self {
        Self(bits(rate) << 32 | u64::from(row))
    }

    const fn rate(self) -> u64 {
        self.0 >> 32
    }

    #[allow(clippy::cast_possible_truncation, reason = "taken apart as it was put together")]
    const fn row(self) -> u32 {
        self.0 as u32
    }
}

/// A rate as bits that are in its order, which those of numbers below 0 are not.
#[allow(clippy::cast_possible_truncation, reason = "ties of 7 digits are ties")]
fn bits(rate: f64) -> u64 {
    if rate > 0.0 { u64::from((rate as f32).to_bits()) } else { 0 }
}

/// Who is to climb. Not a closure: one loop for all of them keeps the component small.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// Everybody.
    All,
    /// What a person pinned.
    Pinned,
    /// What the user asked for in full.
    Chosen,
    /// What was used and is worth so much or more.
    UsedAndWorth(f64),
}

impl Wanted {
    fn wants(self, rung: &Rung, settings: &Settings) -> bool {
        match self {
            Self::All => true,
            Self::Pinned => rung.pinned,
            Self::Chosen => rung.chosen,
            Self::UsedAndWorth(least) => rung.used() && rung.worth(settings) >= least,
        }
    }
}

/// The skills and where each of them stands.
#[derive(Debug)]
pub struct Ladder<'a> {
    pub settings: &'a Settings,
    pub rungs: &'a [Rung],
    /// By category.
    pub shares: &'a [Shares],
    pub forms: Vec<Form>,
    /// What a line adds to a name, by how much longer it is.
    telling: Telling,
    /// How much more often it is found by its name for each unit that the name costs.
    gain_of_a_unit: f64,
    /// And how often at most, however long it is.
    most_of_a_name: f64,
    /// How much more any step of a skill is worth at most that was in the previous index.
    sticky: f64,
}

/// A guess must not be below what it is a guess of, in whichever order that is multiplied.
const ABOVE_ROUNDING: f64 = 1.000_000_1;

/// A name that is longer than the mean by this factor says no more than one of that length: beyond three words hardly
/// anything is added.
const LONG_NAME: f64 = 1.45;

impl<'a> Ladder<'a> {
    /// Everybody where they stand before anybody climbs.
    pub fn new(
        settings: &'a Settings,
        rungs: &'a [Rung],
        shares: &'a [Shares],
        forms: Vec<Form>,
        totals: &Totals,
        in_tokens: bool,
    ) -> Self {
        let gain_of_a_unit = settings.gain_name / totals.mean_name().max(1.0);
        let telling = Telling::through(settings, totals.mean_lines(), in_tokens);
        let most_of_a_name = (LONG_NAME * settings.gain_name).min(settings.gain_short);
        let sticky = (1.0 + settings.stickiness) * ABOVE_ROUNDING;
        Self { settings, rungs, shares, forms, telling, gain_of_a_unit, most_of_a_name, sticky }
    }

    /// Lets the skills that are wanted climb until nothing fits any more.
    pub fn climb(&mut self, account: &mut Account, wanted: Wanted) {
        let (rows, cheapest) = self.below(wanted);
        if rows.is_empty() {
            return;
        }
        self.climb_while(account, &rows, cheapest);
        // The last skill of a form gives the category's line back, so its step may cost less than the cheapest line.
        if account.any_alone() {
            let (mut rows, _) = self.below(wanted);
            rows.retain(|row| self.is_last(account, *row));
            self.climb_while(account, &rows, i32::MIN);
        }
    }

    /// Those who are wanted and may climb, and the least that a step of theirs can cost.
    fn below(&self, wanted: Wanted) -> (Vec<u32>, i32) {
        let (mut rows, mut cheapest) = (Vec::with_capacity(self.rungs.len()), i32::MAX);
        for (row, (rung, form)) in (0..self.rows()).zip(self.rungs.iter().zip(&self.forms)) {
            if *form > rung.cap && wanted.wants(rung, self.settings) {
                cheapest = cheapest.min(rung.cheapest_step(*form));
                rows.push(row);
            }
        }
        (rows, cheapest)
    }

    /// Whether no other skill of its category has its form.
    fn is_last(&self, account: &Account, row: u32) -> bool {
        let (rung, form) = (self.rungs.get(row as usize), self.forms.get(row as usize));
        rung.zip(form).is_some_and(|(rung, form)| account.alone(rung.category, *form))
    }

    /// Takes steps from the best down. With less room than the cheapest line nothing fits that gives nothing back: there it
    /// stops, unless what is given back is the point.
    fn climb_while(&mut self, account: &mut Account, rows: &[u32], mut cheapest: i32) {
        if account.room() < i64::from(cheapest) {
            return;
        }
        let mut guesses = Vec::with_capacity(rows.len());
        for row in rows {
            if let (Some(rung), Some(form)) =
                (self.rungs.get(*row as usize), self.forms.get(*row as usize))
            {
                guesses.push(Guess::new(self.guess(rung, *form), *row));
            }
        }
        let mut guesses = BinaryHeap::from(guesses);
        let mut steps = BinaryHeap::new();
        while account.room() >= i64::from(cheapest) {
            let best = steps.peek().copied();
            // A guess as good as the best step may hide a better one.
            let (row, highest) = match (guesses.peek().copied(), best) {
                (Some(guess), best)
                    if best.is_none_or(|step: Step| guess.rate() >= step.rate()) =>
                {
                    guesses.pop();
                    (guess.row(), Form::Full)
                }
                (_, Some(step)) => {
                    steps.pop();
                    let (row, to) = (step.row(), step.to());
                    (row, if self.step(account, row, to) { Form::Full } else { next_below(to) })
                }
                (_, None) => break,
            };
            if let Some((step, cost)) = self.best_step(row, highest) {
                cheapest = cheapest.min(cost);
                steps.push(step);
            }
        }
    }

    /// How many skills there are.
    pub fn rows(&self) -> u32 {
        u32::try_from(self.rungs.len()).unwrap_or(u32::MAX)
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

    /// What a skill's best step can gain for its cost at most. Of two lines it takes the gain of the longer for the cost of the
    /// shorter. Of a name that nobody used it is no guess: were it one, and the same for all such names, each of them would
    /// have to be looked at before the first is taken.
    #[inline]
    fn guess(&self, rung: &Rung, from: Form) -> f64 {
        let shares = self.shares.get(rung.category as usize).unwrap_or(&Shares::NONE);
        let line = rung.cheapest_line(from);
        let rate = if from == Form::Counted {
            self.guess_of_counted(rung, shares, line)
        } else {
            self.gain(rung, from, rung.cap) / (price(line) + shares.of_step(from, rung.cap))
        };
        let sticky = if rung.previous.is_some() { self.sticky } else { ABOVE_ROUNDING };
        rung.most_worth(self.settings) * rate * sticky
    }

    /// The same of one that has no line yet and no name, for one use that has not faded.
    #[inline]
    fn guess_of_counted(&self, rung: &Rung, shares: &Shares, line: i32) -> f64 {
        let name = rung.cost(Form::Name);
        let of_name =
            self.gain_of_name(rung) / (price(name) + shares.of_step(Form::Counted, Form::Name));
        if rung.cap > Form::Short {
            return of_name;
        }
        let more = rung.cost(rung.cap) - name;
        let price = price(line) + shares.of_step(Form::Counted, Form::Full);
        // Mostly a name is worth more than any line, which is told without a division.
        if self.settings.gain_name + self.telling.at_most(more) <= of_name * price {
            return of_name;
        }
        let of_line = (self.settings.gain_name + self.telling.of(more)) / price;
        if of_line > of_name { of_line } else { of_name }
    }

    /// The step up that gains most for its cost, to a form no higher than this, and what its line costs more.
    fn best_step(&self, row: u32, highest: Form) -> Option<(Step, i32)> {
        let rung = self.rungs.get(row as usize)?;
        let from = *self.forms.get(row as usize)?;
        let highest = highest.max(rung.cap);
        let worth = rung.worth(self.settings);
        let shares = self.shares.get(rung.category as usize).unwrap_or(&Shares::NONE);
        let mut best: Option<(f64, Form, i32)> = None;
        for to in [Form::Full, Form::Short, Form::Name] {
            if to < highest || to >= from {
                continue;
            }
            let line = rung.cost(to) - rung.cost(from);
            let gain = self.gain(rung, from, to) * self.stickiness(rung, to);
            let rate = worth * gain / (price(line) + shares.of_step(from, to));
            // Of equal steps the shorter one, which leaves the other for later; of a form that costs no less, the longer.
            let better = best.is_none_or(|(known, _, known_line)| {
                rate > known || (rate >= known && line < known_line)
            });
            if better {
                best = Some((rate, to, line));
            }
        }
        let (rate, to, line) = best?;
        let mark = rung.mark(shares.mark ^ u64::from(rung.before()));
        Some((Step::new(rate, mark, rung.category, row, to), line))
    }

    /// How much more often the right skill is found by one form than by another. What a line adds to a name doesn't hang on
    /// how long the name is.
    fn gain(&self, rung: &Rung, from: Form, to: Form) -> f64 {
        if to == Form::Name {
            self.gain_of_name(rung)
        } else {
            let name = rung.cost(Form::Name);
            let told = self.telling.of(rung.cost(to) - name);
            match from {
                Form::Counted => self.settings.gain_name + told,
                Form::Name => told,
                _ => (told - self.telling.of(rung.cost(from) - name)).max(0.0),
            }
        }
    }

    /// Among those that have no name yet, a long one says more, in proportion, up to a length: with all alike, the shortest
    /// would be shown, which tell least. One whose words stand in many names says less.
    fn gain_of_name(&self, rung: &Rung) -> f64 {
        let gain = self.gain_of_a_unit * f64::from(rung.cost(Form::Name));
        let gain = if gain < self.most_of_a_name { gain } else { self.most_of_a_name };
        gain * rung.rarity()
    }

    /// A step back to what the skill had is worth more than the same step for another, so that small changes move nothing.
    fn stickiness(&self, rung: &Rung, to: Form) -> f64 {
        let had = rung.previous.is_some_and(|previous| to >= previous);
        if had { 1.0 + self.settings.stickiness } else { 1.0 }
    }
}

/// What a line costs, for ranking. Never nothing: what is free would be worth more than anything.
fn price(line: i32) -> f64 {
    if line > 0 { f64::from(line) } else { 0.5 }
}

const fn next_below(form: Form) -> Form {
    match form {
        Form::Full => Form::Short,
        Form::Short => Form::Name,
        Form::Name | Form::Counted => Form::Counted,
    }
}
