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
