//! From approved forms to text. Everything that is printed was priced before, so the block costs what its pieces cost.

use super::{
    entries::{Candidates, Entry},
    layout::{Frame, Style, ToolWords},
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
    layout: Style,
    words: &ToolWords,
) -> Block {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    if frame == Frame::Count {
        let (skills, categories) = (candidates.entries.len(), candidates.categories.len());
        let text = layout.count_only(number(skills), number(categories));
        return Block { text, cost: prices.fixed, folded: (0..number(categories)).collect() };
    }
    let sum = prices.sum(forms.iter().copied());
    let (counted_by_line, folded, cost) = if layout.by_category() {
        count_lines(&sum.counted, prices, sum.shown)
    } else {
        let folded = (0..).zip(&sum.counted).filter(|(_, n)| **n > 0).map(|(row, _)| row);
        (Vec::new(), folded.collect(), sum.least())
    };
    let list = if layout.by_category() {
        by_category(candidates, forms, layout, &sum.counted, &counted_by_line)
    } else {
        by_name(candidates, forms, layout)
    };
    let rest = if folded.is_empty() {
        String::new()
    } else {
        let skills = folded.iter().filter_map(|row| sum.counted.get(*row as usize)).sum();
        layout.rest(skills, number(folded.len()))
    };
    let (head, tail) = (layout.head(frame, words), layout.tail(frame));
    Block { text: layout.assemble(&head, &list, &rest, &tail), cost, folded }
}

/// Lines below their category's header, names in one line, a count.
fn by_category(
    candidates: &Candidates,
    forms: &[Form],
    layout: Style,
    counted: &[u32],
    counted_by_line: &[bool],
) -> String {
    let mut list = String::new();
    let mut rows = candidates.entries.iter().zip(forms).peekable();
    for (row, category) in candidates.categories.iter().enumerate() {
        let (mut lines, mut names) = (String::new(), String::new());
        while let Some((entry, form)) = rows.next_if(|(entry, _)| entry.category as usize == row) {
            match form {
                Form::Full => lines.push_str(&layout.line(entry.named(), &entry.full)),
                Form::Short => lines.push_str(&layout.line(entry.named(), &entry.short)),
                Form::Name => names.push_str(&layout.name(entry.named())),
                Form::Counted => {}
            }
        }
        if !lines.is_empty() {
            list.push_str(&layout.header(&category.path, &category.description));
            list.push_str(&lines);
        }
        if !names.is_empty() {
            list.push_str(&layout.names(&category.path, &names));
        }
        if counted_by_line.get(row).copied().unwrap_or(false) {
            let others = !lines.is_empty() || !names.is_empty();
            let counted = counted.get(row).copied().unwrap_or(0);
            list.push_str(&layout.count(&category.path, counted, others));
        }
    }
    list
}

/// One line a skill, whatever its category.
fn by_name(candidates: &Candidates, forms: &[Form], layout: Style) -> String {
    let mut rows: Vec<(&Entry, &Form)> = candidates.entries.iter().zip(forms).collect();
    rows.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name).then(a.skill.cmp(&b.skill)));
    let line = |(entry, form): (&Entry, &Form)| match form {
        Form::Full => layout.line(entry.named(), &entry.full),
        Form::Short => layout.line(entry.named(), &entry.short),
        Form::Name => layout.name(entry.named()),
        Form::Counted => String::new(),
    };
    rows.into_iter().map(line).collect()
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
