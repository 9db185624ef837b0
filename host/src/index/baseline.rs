//! The host's own rule, for the day when a budget policy fails: plain, total, and never over the limit.

use crate::decision::{Form, Prices};

/// The first of these that fits: everything in full, everything short, all names. Then names in the given order as long as
/// they fit beside a count of everything else, and counts. `first` orders the rows: pinned ones, then the most used.
#[must_use]
pub fn baseline(prices: &Prices, caps: &[Form], first: &[usize]) -> Vec<Form> {
    for form in [Form::Full, Form::Short, Form::Name] {
        let forms: Vec<Form> = caps.iter().map(|cap| (*cap).max(form)).collect();
        let sum = prices.sum(forms.iter().copied());
        if sum.least() <= prices.limit {
            return forms;
        }
    }
    let mut forms = vec![Form::Counted; caps.len()];
    let mut named = vec![false; prices.categories.len()];
    // What is not named is counted at the price of one line for all: its own count lines come out of what is left over.
    let mut spent = prices.fixed.saturating_add(prices.rest);
    for row in first {
        let (Some(price), Some(cap), Some(form)) =
            (prices.skills.get(*row), caps.get(*row), forms.get_mut(*row))
        else {
            continue;
        };
        if *cap > Form::Name {
            continue;
        }
        let Some(named) = named.get_mut(price.category as usize) else { continue };
        let start = if *named {
            0
        } else {
            prices.categories.get(price.category as usize).map_or(0, |c| c.names)
        };
        let cost = u64::from(price.name) + u64::from(start);
        if spent.saturating_add(cost) <= prices.limit {
            spent += cost;
            *named = true;
            *form = Form::Name;
        }
    }
    forms
}
