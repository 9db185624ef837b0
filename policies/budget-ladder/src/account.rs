//! What the block costs with the forms chosen so far, exact to the unit: lines, and what a category costs once for its
//! header, its names line and its count line. It knows no worth.

use skillkeep_policy::Form;

/// One category's fixed costs and how many of its skills have lines, names, or are counted.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    pub header: i64,
    pub names: i64,
    pub count: i64,
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
    /// Opens an account with so much room.
    pub fn new(mut shelves: Vec<Shelf>, room: i64, counting: Counting) -> Self {
        let mut room = room;
        if let Counting::Together { rest } = counting {
            for shelf in &mut shelves {
                shelf.count = 0;
            }
            room -= rest;
        }
        Self { shelves, room }
    }

    /// What is left; below 0 is over the limit.
    pub const fn room(&self) -> i64 {
        self.room
    }

    /// Enters a skill for the first time, whatever it costs.
    pub fn open(&mut self, category: u32, form: Form, line: i64) {
        if let Some(shelf) = self.shelves.get_mut(category as usize) {
            self.room -= line + shelf.enter(form);
        } else {
            self.room -= line;
        }
    }

    /// Moves a skill from one form to another if there is room for it.
    pub fn step(&mut self, category: u32, from: Form, to: Form, line: i64) -> bool {
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
        self.shelves.get(category as usize).is_some_and(|shelf| {
            let skills = match form {
                Form::Full | Form::Short => shelf.with_line,
                Form::Name => shelf.with_name,
                Form::Counted => shelf.counted,
            };
            skills == 1
        })
    }

    /// A category's header, for ranking.
    pub fn header(&self, category: u32) -> i64 {
        self.shelves.get(category as usize).map_or(0, |shelf| shelf.header)
    }
}
