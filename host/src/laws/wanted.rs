//! Skills that the user always wants in full, in the numbers that a policy plans with: paid for before it is asked, and
//! free for it in every form. So whatever it answers, there is room for them.

use super::{Bite, Forms, Law};
use crate::{
    decision::{Form, Prices},
    skill::OneLine,
};

/// Skills that are shown in full whatever a policy proposes, as the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether each row is one of them; empty where none is.
    rows: Vec<bool>,
}

impl Wanted {
    /// Pays for as many of these rows as the limit has room for beside a count of all others, in this order. What is left
    /// for the others are the prices that come with it; who found no room is in the bite.
    #[must_use]
    pub fn pay(prices: &Prices, order: &[usize]) -> (Wanted, Prices, Option<Bite>) {
        let mut rows = vec![false; if order.is_empty() { 0 } else { prices.skills.len() }];
        let (mut left, mut without) = (prices.clone(), Vec::new());
        for row in order {
            let (Some(skill), Some(wanted)) = (left.skills.get_mut(*row), rows.get_mut(*row))
            else {
                continue;
            };
            let Some(category) = left.categories.get_mut(skill.category as usize) else { continue };
            let cost = u64::from(skill.full) + u64::from(category.header);
            let with = left.fixed.saturating_add(cost);
            if with.saturating_add(left.rest) > left.limit {
                without.push(u32::try_from(*row).unwrap_or(u32::MAX));
                continue;
            }
            *wanted = true;
            left.fixed = with;
            // One header serves all lines below it.
            category.header = 0;
            (skill.full, skill.short, skill.name) = (0, 0, 0);
        }
        let bite = (!without.is_empty()).then(|| Bite {
            law: Law::WithinLimit,
            about: OneLine::new("your choices"),
            what: OneLine::new(&format!(
                "{} set to `full` found no room within the limit",
                without.len()
            )),
            rows: without,
        });
        (Wanted { rows }, left, bite)
    }

    /// Whether a row is one of them.
    #[must_use]
    pub fn has(&self, row: usize) -> bool {
        self.rows.get(row).copied().unwrap_or(false)
    }

    /// Decided forms with these rows in full. It costs no more than they did at the prices that were left.
    #[must_use]
    pub fn raise(&self, mut forms: Forms) -> Forms {
        for (row, choice) in forms.choices.rows.iter_mut().enumerate() {
            if self.has(row) && choice.choice != Form::Full {
                choice.proposed = choice.proposed.or(Some(choice.choice));
                choice.choice = Form::Full;
            }
        }
        forms
    }
}
