//! What the block costs with the forms chosen so far, exact to the unit: lines, and what a category costs once for its
//! header, its names line and its count line. It knows no worth.

use crate::rungs::{Rung, mix};
use skillkeep_policy::Form;

/// One category's fixed costs and how many of its skills have lines, names, or are counted.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    header: i64,
    names: i64,
    count: i64,
    with_line: u32,
    with_name: u32,
    counted: u32,
}

impl Shelf {
    pub const fn new(header: i64, names: i64, count: i64) -> Self {
        Self { header, names, count, with_line: 0, with_name: 0, counted: 0 }
    }

    const fn place(&mut self, form: Form) -> (&mut u32, i64) {
        match form {
            Form::Full | Form::Short => (&mut self.with_line, self.header),
            Form::Name => (&mut self.with_name, self.names),
            Form::Counted => (&mut self.counted, self.count),
        }
    }

    /// A skill takes this form: what it costs the category once.
    const fn enter(&mut self, form: Form) -> i64 {
        let (skills, once) = self.place(form);
        *skills += 1;
        if *skills == 1 { once } else { 0 }
    }

    /// A skill leaves this form: what it gives back.
    const fn leave(&mut self, form: Form) -> i64 {
        let (skills, once) = self.place(form);
        *skills = skills.saturating_sub(1);
        if *skills == 0 { once } else { 0 }
    }

    /// What entering one form and leaving another would cost.
    const fn step(mut self, from: Form, to: Form) -> i64 {
        self.enter(to) - self.leave(from)
    }

    fn mark(&self, tally: Tally) -> u64 {
        let numbers = [self.header, self.names, self.count].map(i64::unsigned_abs);
        let skills = [tally.skills, tally.nameable(), tally.lines()].map(u64::from);
        numbers.into_iter().chain(skills).fold(0, |mark, number| mix(mark ^ number))
    }

    /// Whether only one skill has this form.
    const fn alone(&self, form: Form) -> bool {
        let skills = match form {
            Form::Full | Form::Short => self.with_line,
            Form::Name => self.with_name,
            Form::Counted => self.counted,
        };
        skills == 1
    }

    /// What its skills cost it once, all forms together.
    fn once(&self) -> i64 {
        [(self.with_line, self.header), (self.with_name, self.names), (self.counted, self.count)]
            .into_iter()
            .filter(|(skills, _)| *skills > 0)
            .map(|(_, once)| once)
            .sum()
    }
}

/// How many skills a category has, and how many of them may not have a line, or not even a name, which is the user's choice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    skills: u32,
    without_line: u32,
    without_name: u32,
}

impl Tally {
    const fn nameable(self) -> u32 {
        self.skills - self.without_name
    }

    const fn lines(self) -> u32 {
        self.skills - self.without_line
    }
}

/// What all skills come to before any of them has a form.
#[derive(Clone, Debug)]
pub struct Totals {
    tallies: Vec<Tally>,
    /// What all skills cost by the most telling form that they may have: at most full, at most short, at most a name.
    sums: [i64; 3],
    /// The same of those that may have a line.
    lined: [i64; 3],
}

impl Totals {
    /// Adds up.
    pub fn of(rungs: &[Rung], categories: usize) -> Self {
        let tallies = vec![Tally::default(); categories];
        let mut totals = Self { tallies, sums: [0; 3], lined: [0; 3] };
        // What may be shown in full is nearly everything, so it is gone through without a question for each form. Fewer than
        // 2^32 costs below 2^31 each: no sum of theirs can overflow.
        let (mut full, mut short, mut name) = (0_i64, 0_i64, 0_i64);
        for rung in rungs {
            if let Some(tally) = totals.tallies.get_mut(rung.category as usize) {
                tally.skills = tally.skills.wrapping_add(1);
            }
            if rung.cap == Form::Full {
                let [a, b, c, _] = rung.costs;
                full = full.wrapping_add(i64::from(a));
                short = short.wrapping_add(i64::from(b));
                name = name.wrapping_add(i64::from(c));
            } else {
                totals.add_capped(rung);
            }
        }
        for sums in [&mut totals.sums, &mut totals.lined] {
            for (sum, whole) in sums.iter_mut().zip([full, short, name]) {
                *sum += whole;
            }
        }
        totals
    }

    fn add_capped(&mut self, rung: &Rung) {
        if let Some(tally) = self.tallies.get_mut(rung.category as usize) {
            tally.without_line += u32::from(rung.cap > Form::Short);
            tally.without_name += u32::from(rung.cap > Form::Name);
        }
        for ((sum, lined), form) in self.sums.iter_mut().zip(&mut self.lined).zip(SHOWN) {
            let cost = i64::from(rung.cost(form.max(rung.cap)));
            *sum += cost;
            if rung.cap <= Form::Short {
                *lined += cost;
            }
        }
    }

    /// What a name costs on the average; 0 where there are none.
    pub fn mean_name(&self) -> f64 {
        let nameable: u32 = self.tallies.iter().map(|tally| tally.nameable()).sum();
        per_skill(self.sums[2], nameable)
    }

    /// How much more a line costs than a name on the average, in full and short.
    pub fn mean_lines(&self) -> [f64; 2] {
        let lines: u32 = self.tallies.iter().map(|tally| tally.lines()).sum();
        let [full, short, name] = self.lined;
        [per_skill(full - name, lines), per_skill(short - name, lines)]
    }

    /// Whether some skills may not even be named.
    pub fn some_are_counted(&self) -> bool {
        self.tallies.iter().any(|tally| tally.without_name > 0)
    }
}

/// The forms that a skill can be read by, the most telling first.
const SHOWN: [Form; 3] = [Form::Full, Form::Short, Form::Name];

fn per_skill(sum: i64, skills: u32) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "costs have 32 bits")]
    let sum = sum as f64;
    sum / f64::from(skills.max(1))
}

/// How counted skills are paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each category with counted skills has its own line.
    ByCategory,
    /// One line for all of them.
    Together {
        /// What it costs.
        rest: i64,
    },
}

/// The account.
#[derive(Clone, Debug)]
pub struct Account {
    shelves: Vec<Shelf>,
    room: i64,
}

impl Account {
    /// Opens an account with so much room, every skill with this form or the most telling one below it that it may have.
    pub fn open(
        shelves: &[Shelf],
        totals: &Totals,
        room: i64,
        counting: Counting,
        form: Form,
    ) -> Self {
        let (together, rest) = match counting {
            Counting::ByCategory => (false, 0),
            Counting::Together { rest } => (true, rest),
        };
        let shelves: Vec<Shelf> = shelves
            .iter()
            .zip(&totals.tallies)
            .map(|(shelf, tally)| {
                let with_line = if form <= Form::Short { tally.lines() } else { 0 };
                let shown = if form <= Form::Name { tally.nameable() } else { 0 };
                let (with_name, counted) = (shown - with_line, tally.skills - shown);
                Shelf {
                    count: if together { 0 } else { shelf.count },
                    with_line,
                    with_name,
                    counted,
                    ..*shelf
                }
            })
            .collect();
        let shown = totals.sums.get(form as usize).copied().unwrap_or(0);
        let once: i64 = shelves.iter().map(Shelf::once).sum();
        Self { room: room - rest - shown - once, shelves }
    }

    /// What is left; below 0 is over the limit.
    pub const fn room(&self) -> i64 {
        self.room
    }

    /// Moves a skill from one form to another if there is room for it.
    pub fn step(&mut self, category: u32, from: Form, to: Form, line: i32) -> bool {
        let line = i64::from(line);
        let once = self.shelves.get(category as usize).map_or(0, |shelf| shelf.step(from, to));
        if line + once > self.room {
            return false;
        }
        self.room -= line + once;
        if let Some(shelf) = self.shelves.get_mut(category as usize) {
            shelf.enter(to);
            shelf.leave(from);
        }
        true
    }

    /// Sets room aside, or with a negative number gives it back.
    pub const fn lend(&mut self, room: i64) {
        self.room -= room;
    }

    /// Whether only one skill of the category has this form.
    pub fn alone(&self, category: u32, form: Form) -> bool {
        self.shelves.get(category as usize).is_some_and(|shelf| shelf.alone(form))
    }

    /// Whether any category has only one skill with a form below full.
    pub fn any_alone(&self) -> bool {
        let forms = [Form::Short, Form::Name, Form::Counted];
        self.shelves.iter().any(|shelf| forms.iter().any(|form| shelf.alone(*form)))
    }

    /// What a skill of each category has to bear of its header, and of its names line, where all that may stand there do.
    pub fn shares(&self, totals: &Totals) -> Vec<Shares> {
        #[allow(clippy::cast_precision_loss, reason = "costs have 32 bits")]
        let share = |once: i64, skills: u32| once as f64 / f64::from(skills.max(1));
        self.shelves
            .iter()
            .zip(&totals.tallies)
            .map(|(shelf, tally)| {
                let header = share(shelf.header, tally.lines());
                // The only skill of a category gives its names line back for sure.
                let back = if tally.nameable() == 1 { share(shelf.names, 1) } else { 0.0 };
                Shares {
                    header,
                    names: share(shelf.names, tally.nameable()),
                    after_name: (header - back).max(0.0),
                    mark: shelf.mark(*tally),
                }
            })
            .collect()
    }
}

/// A skill's share of what its category costs once, for ranking: it is charged whole when it appears.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    header: f64,
    names: f64,
    /// The header's, less what the name that the line replaces gives back.
    after_name: f64,
    /// Numbers that tell the category from others without its name or row: between skills that are alike in two categories
    /// it decides, not the order of rows.
    pub mark: u64,
}

impl Shares {
    /// Of a category that is not there.
    pub const NONE: Self = Self { header: 0.0, names: 0.0, after_name: 0.0, mark: 0 };

    /// What a step bears of the line that it opens.
    pub fn of_step(&self, from: Form, to: Form) -> f64 {
        match to {
            Form::Full | Form::Short if from == Form::Name => self.after_name,
            Form::Full | Form::Short if from == Form::Counted => self.header,
            Form::Name => self.names,
            _ => 0.0,
        }
    }
}
