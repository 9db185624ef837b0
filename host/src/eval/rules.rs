//! Plain rules to compare policies with. They have no settings and know no worth, only what fits.

use crate::{
    decision::{Form, Prices},
    index::baseline,
};

/// Everything in full, whatever it costs: nothing can be found that this doesn't find. For an index without a limit.
#[must_use]
pub fn everything(_: &Prices, caps: &[Form], _: &[usize]) -> Vec<Form> {
    caps.to_vec()
}

/// Names alone: all of them, or as many as fit beside a count of the rest; the most used first, else as they are printed.
#[must_use]
pub fn names(prices: &Prices, caps: &[Form], first: &[usize]) -> Vec<Form> {
    let caps: Vec<Form> = caps.iter().map(|cap| (*cap).max(Form::Name)).collect();
    baseline(prices, &caps, first)
}

/// Names, and the short form behind as many of them as fit, from the first on. With short forms cut at 60 this is what
/// Hermes shows, kept within a limit.
#[must_use]
pub fn cut_60(prices: &Prices, caps: &[Form], first: &[usize]) -> Vec<Form> {
    let mut forms = names(prices, caps, first);
    if forms.contains(&Form::Counted) {
        return forms;
    }
    let mut has_line = vec![0_usize; prices.categories.len()];
    let mut has_name = vec![0_usize; prices.categories.len()];
    for price in &prices.skills {
        if let Some(names) = has_name.get_mut(price.category as usize) {
            *names += 1;
        }
    }
    let mut cost = prices.sum(forms.iter().copied()).least();
    for row in first {
        let (Some(price), Some(cap), Some(form)) =
            (prices.skills.get(*row), caps.get(*row), forms.get_mut(*row))
        else {
            continue;
        };
        let category = price.category as usize;
        let (Some(of), Some(lines), Some(names)) = (
            prices.categories.get(category),
            has_line.get_mut(category),
            has_name.get_mut(category),
        ) else {
            continue;
        };
        if *cap > Form::Short {
            continue;
        }
        let header = if *lines == 0 { of.header } else { 0 };
        let given_back = if *names == 1 { of.names } else { 0 };
        let after = cost + u64::from(price.short) + u64::from(header);
        let after = after.saturating_sub(u64::from(price.name) + u64::from(given_back));
        if after <= prices.limit {
            (cost, *form) = (after, Form::Short);
            *lines += 1;
            *names -= 1;
        }
    }
    forms
}
