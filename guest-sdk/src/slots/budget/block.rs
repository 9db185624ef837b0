//! What a block costs with the forms chosen so far, by the contract's own words: lines, and what a category costs once. A
//! rule puts skills in, takes them out, and asks. It knows no order and no worth.

use super::Request;
use crate::rows::Skill;
use crate::slots::Form;

/// A block that is being filled.
#[derive(Clone, Debug)]
pub struct Block {
    shown: u64,
    count_lines: u64,
    rest: Option<u64>,
    categories: Vec<Shelf>,
}

/// One category.
#[derive(Clone, Copy, Debug)]
struct Shelf {
    lines: Kind,
    names: Kind,
    counted: Kind,
}

/// How many skills of a category have a line, or a name, or are counted, and what that costs the category once.
#[derive(Clone, Copy, Debug)]
struct Kind {
    once: u64,
    skills: u32,
}

impl Shelf {
    const fn of(&mut self, form: Form) -> &mut Kind {
        match form {
            Form::Full | Form::Short => &mut self.lines,
            Form::Name => &mut self.names,
            Form::Counted => &mut self.counted,
        }
    }
}

impl Block {
    /// A block with nobody in it. It costs what is fixed.
    #[must_use]
    pub fn empty(request: &Request<'_>) -> Self {
        let kind = |once| Kind { once, skills: 0 };
        let categories = request.categories().map(|category| Shelf {
            lines: kind(category.cost_header()),
            names: kind(category.cost_names()),
            counted: kind(category.cost_count()),
        });
        Self {
            shown: request.fixed(),
            count_lines: 0,
            rest: request.context().cost_rest(),
            categories: categories.collect(),
        }
    }

    /// Puts a skill in. `line` is what its own text costs: nothing where it is counted.
    pub fn put(&mut self, skill: Skill<'_>, form: Form, line: u64) {
        self.shown = self.shown.saturating_add(line);
        let Some(shelf) = self.categories.get_mut(skill.category().row() as usize) else { return };
        let kind = shelf.of(form);
        kind.skills += 1;
        if kind.skills == 1 {
            let once = kind.once;
            let total = self.total(form);
            *total = total.saturating_add(once);
        }
    }

    /// Takes a skill out that was put in just so.
    pub fn take(&mut self, skill: Skill<'_>, form: Form, line: u64) {
        self.shown = self.shown.saturating_sub(line);
        let Some(shelf) = self.categories.get_mut(skill.category().row() as usize) else { return };
        let kind = shelf.of(form);
        kind.skills = kind.skills.saturating_sub(1);
        if kind.skills == 0 {
            let once = kind.once;
            let total = self.total(form);
            *total = total.saturating_sub(once);
        }
    }

    const fn total(&mut self, form: Form) -> &mut u64 {
        if matches!(form, Form::Counted) { &mut self.count_lines } else { &mut self.shown }
    }

    /// Exchanges a skill's form for another one if the block then costs no more than the limit; says whether it did.
    pub fn exchange(
        &mut self,
        skill: Skill<'_>,
        from: (Form, u64),
        to: (Form, u64),
        limit: u64,
    ) -> bool {
        self.take(skill, from.0, from.1);
        self.put(skill, to.0, to.1);
        let fits = self.cost() <= limit;
        if !fits {
            self.take(skill, to.0, to.1);
            self.put(skill, from.0, from.1);
        }
        fits
    }

    /// What the block costs at most: counted skills are told of by a line a category or by one for all, whichever is less.
    #[must_use]
    pub fn cost(&self) -> u64 {
        let counts = self.rest.map_or(self.count_lines, |rest| rest.min(self.count_lines));
        self.shown.saturating_add(counts)
    }
}
