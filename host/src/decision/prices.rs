//! What each piece of an index costs.

use super::Form;

/// Prices of one index, in the unit of its limit. A block costs the sum of its pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// What the block may cost.
    pub limit: u64,
    /// The frame, before the first skill.
    pub fixed: u64,
    /// The line that counts the skills of all categories without a count line of their own; at most.
    pub rest: u64,
    /// One a visible skill.
    pub skills: Vec<SkillPrice>,
    /// One a category.
    pub categories: Vec<CategoryPrice>,
}

/// Prices of one skill's forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkillPrice {
    /// Row of its category.
    pub category: u32,
    /// The line with the whole description.
    pub full: u32,
    /// The line with a part of it.
    pub short: u32,
    /// What the name adds to the names line.
    pub name: u32,
}

/// Prices of one category's own lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryPrice {
    /// The header, where any skill is full or short.
    pub header: u32,
    /// The names line without the names, where any skill is a name.
    pub names: u32,
    /// The count line, where any skill is counted; at most.
    pub count: u32,
}

impl SkillPrice {
    /// The price of one form; a counted skill costs nothing by itself.
    #[must_use]
    pub fn of(&self, form: Form) -> u32 {
        match form {
            Form::Full => self.full,
            Form::Short => self.short,
            Form::Name => self.name,
            Form::Counted => 0,
        }
    }
}

/// What a choice of forms costs, before it is decided which categories get a count line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The frame, all lines, headers and names lines.
    pub shown: u64,
    /// Skills that are counted, a category.
    pub counted: Vec<u32>,
    /// The least that telling of the counted ones costs.
    pub least_for_counted: u64,
}

impl Sum {
    /// The least that the whole block costs.
    #[must_use]
    pub fn least(&self) -> u64 {
        self.shown.saturating_add(self.least_for_counted)
    }
}

impl Prices {
    /// Adds up a choice of forms, one a skill.
    #[must_use]
    pub fn sum(&self, forms: impl IntoIterator<Item = Form>) -> Sum {
        #[derive(Clone, Copy, Default)]
        struct Has {
            line: bool,
            name: bool,
            counted: u32,
        }
        let mut has = vec![Has::default(); self.categories.len()];
        let mut shown = self.fixed;
        for (price, form) in self.skills.iter().zip(forms) {
            shown = shown.saturating_add(u64::from(price.of(form)));
            if let Some(has) = has.get_mut(price.category as usize) {
                match form {
                    Form::Full | Form::Short => has.line = true,
                    Form::Name => has.name = true,
                    Form::Counted => has.counted += 1,
                }
            }
        }
        let mut count_lines = 0_u64;
        for (has, price) in has.iter().zip(&self.categories) {
            if has.line {
                shown = shown.saturating_add(u64::from(price.header));
            }
            if has.name {
                shown = shown.saturating_add(u64::from(price.names));
            }
            if has.counted > 0 {
                count_lines += u64::from(price.count);
            }
        }
        let counted: Vec<u32> = has.iter().map(|has| has.counted).collect();
        Sum { shown, counted, least_for_counted: count_lines.min(self.rest) }
    }
}
