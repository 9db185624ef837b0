//! From approved forms to text. Everything that is printed was priced before, so the block costs what its pieces cost.

use super::{
    entries::Candidates,
    layout::{self, Frame, ToolWords},
};
use crate::decision::{Form, Prices};

/// A rendered block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text; it ends with a line break.
    pub text: String,
    /// What it costs: the sum of its pieces, each at most at its price.
    pub cost: u64,
    /// Rows of categories that are counted in the last line, with those of other categories.
    pub folded: Vec<u32>,
}

/// Prints a block. Counted skills get a count line for their category where that still fits, those with most skills
/// first; the others share one line.
#[must_use]
pub fn render(
    candidates: &Candidates,
    forms: &[Form],
    prices: &Prices,
    frame: Frame,
    words: &ToolWords,
) -> Block {
    if frame == Frame::Count {
        let (skills, categories) = (candidates.entries.len(), candidates.categories.len());
        let text = layout::count_only(
            u32::try_from(skills).unwrap_or(u32::MAX),
            u32::try_from(categories).unwrap_or(u32::MAX),
        );
        return Block {
            text,
            cost: prices.fixed,
            folded: (0..u32::try_from(categories).unwrap_or(0)).collect(),
        };
    }
    let sum = prices.sum(forms.iter().copied());
    let (counted_by_line, folded, cost) = count_lines(&sum.counted, prices, sum.shown);
    let mut text = layout::head(frame, words);
    let mut rows = candidates.entries.iter().zip(forms).peekable();
    for (row, category) in candidates.categories.iter().enumerate() {
        let (mut lines, mut names) = (String::new(), String::new());
        while let Some((entry, form)) = rows.next_if(|(entry, _)| entry.category as usize == row) {
            match form {
                Form::Full => lines.push_str(&layout::line(&entry.name, &entry.full)),
                Form::Short => lines.push_str(&layout::line(&entry.name, &entry.short)),
                Form::Name => names.push_str(&layout::name(&entry.name)),
                Form::Counted => {}
            }
        }
        if !lines.is_empty() {
            text.push_str(&layout::header(&category.path, &category.description));
            text.push_str(&lines);
        }
        if !names.is_empty() {
            names.pop();
            text.push_str(&layout::names_start(&category.path));
            text.push_str(&names);
            text.push('\n');
        }
        if counted_by_line.get(row).copied().unwrap_or(false) {
            let others = !lines.is_empty() || !names.is_empty();
            text.push_str(&layout::count(
                &category.path,
                sum.counted.get(row).copied().unwrap_or(0),
                others,
            ));
        }
    }
    if !folded.is_empty() {
        let skills = folded.iter().filter_map(|row| sum.counted.get(*row as usize)).sum();
        text.push_str(&layout::rest(skills, u32::try_from(folded.len()).unwrap_or(u32::MAX)));
    }
    text.push_str(&layout::tail(frame));
    Block { text, cost, folded }
}

/// Which categories get a count line, which are folded into the last line, and what the block costs with them.
fn count_lines(counted: &[u32], prices: &Prices, shown: u64) -> (Vec<bool>, Vec<u32>, u64) {
    let price_of =
        |row: usize| prices.categories.get(row).map_or(0, |category| u64::from(category.count));
    let mut with: Vec<usize> =
        counted.iter().enumerate().filter(|(_, n)| **n > 0).map(|(row, _)| row).collect();
    let mut lines = vec![false; counted.len()];
    let all: u64 = with.iter().map(|row| price_of(*row)).sum();
    if shown.saturating_add(all) <= prices.limit {
        for row in &with {
            if let Some(line) = lines.get_mut(*row) {
                *line = true;
            }
        }
        return (lines, Vec::new(), shown + all);
    }
    let mut cost = shown.saturating_add(prices.rest);
    with.sort_by_key(|row| (std::cmp::Reverse(counted.get(*row).copied().unwrap_or(0)), *row));
    let mut folded = Vec::new();
    for row in with {
        let price = price_of(row);
        if cost.saturating_add(price) <= prices.limit {
            cost += price;
            if let Some(line) = lines.get_mut(row) {
                *line = true;
            }
        } else {
            folded.push(u32::try_from(row).unwrap_or(u32::MAX));
        }
    }
    folded.sort_unstable();
    (lines, folded, cost)
}
