//! Prices of every piece that may be printed, and which frame the limit allows.

use rayon::prelude::*;

use super::{
    entries::Candidates,
    layout::{Charges, Frame, Style, ToolWords},
    meter::Meter,
    text,
};
use crate::decision::{CategoryPrice, Form, Prices, SkillPrice};

/// Prices all pieces.
#[must_use]
pub fn price(candidates: &Candidates, layout: Style, meter: &dyn Meter, limit: u32) -> Prices {
    let skills = priced(&candidates.entries, meter, |entry, texts| {
        let named = entry.named();
        texts.extend([
            layout.line(named, &entry.full),
            layout.line(named, &entry.short),
            layout.name(named),
        ]);
    });
    let mut texts: Vec<String> = Vec::with_capacity(candidates.categories.len() * 3 + 1);
    let everyone = total(candidates.entries.len());
    let rest = layout.rest(everyone, total(candidates.categories.len()));
    for category in &candidates.categories {
        texts.push(layout.header(&category.path, &category.description));
        texts.push(layout.names_frame(&category.path));
        texts.push(if layout.by_category() {
            layout.count(&category.path, category.skills, true)
        } else {
            rest.clone()
        });
    }
    texts.push(rest);
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let counts = meter.count_all(&borrowed);
    let (categories, rest) = counts.split_at(candidates.categories.len() * 3);
    let three = |chunk: &[u32]| match chunk {
        [a, b, c] => (*a, *b, *c),
        _ => (0, 0, 0),
    };
    let free = layout.charges() == Charges::Lines;
    let charged = |price: u32| if free { 0 } else { price };
    Prices {
        limit: u64::from(limit),
        fixed: 0,
        rest: u64::from(charged(rest.first().copied().unwrap_or(0))),
        skills: skills
            .chunks(3)
            .zip(&candidates.entries)
            .map(|(chunk, entry)| {
                let (full, short, name) = three(chunk);
                SkillPrice { category: entry.category, full, short, name: charged(name) }
            })
            .collect(),
        categories: categories
            .chunks(3)
            .map(|chunk| {
                let (header, names, count) = three(chunk);
                CategoryPrice {
                    header: charged(header),
                    names: charged(names),
                    count: charged(count),
                }
            })
            .collect(),
    }
}

/// What lines of these rows cost that say no more of a description than so many scalars.
#[must_use]
pub fn price_of_cut(
    candidates: &Candidates,
    layout: Style,
    meter: &dyn Meter,
    cut: u32,
    rows: &[usize],
) -> Vec<u32> {
    priced(rows, meter, |row, texts| {
        texts.push(candidates.entries.get(*row).map_or(String::new(), |entry| {
            let text = text::beginning(&entry.full, cut as usize, layout.cut_mark());
            layout.line(entry.named(), &text)
        }));
    })
}

/// Items whose texts are written and counted at a time: few enough for their memory to be used again, and enough for a
/// meter with a memory to be asked seldom.
const AT_A_TIME: usize = 256;

/// What the texts of each item cost, in their order. The texts are gone once they are counted.
fn priced<T: Sync>(
    items: &[T],
    meter: &dyn Meter,
    texts: impl Fn(&T, &mut Vec<String>) + Sync,
) -> Vec<u32> {
    let some = |items: &[T]| {
        let mut written = Vec::new();
        items.iter().for_each(|item| texts(item, &mut written));
        meter.count_all(&written.iter().map(String::as_str).collect::<Vec<_>>())
    };
    items.par_chunks(AT_A_TIME).flat_map_iter(some).collect()
}

/// What fits, from the most telling frame to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The frame.
    pub frame: Frame,
    /// Whether every name fits beside it.
    pub names_fit: bool,
    /// What the whole of the prose would cost, whichever frame is taken.
    pub prose: u64,
}

/// Sets the price of the frame and says which one it is: prose as long as every name fits beside it; one line as long as
/// a count of every category fits beside it; the bare tags as long as one count of everything fits between them; and one
/// line that counts, without a list. `least` is what each skill is shown as while there is room: what the user wants of it,
/// or its name. Where a limit counts the list alone, what stands around it is free.
///
/// # Errors
/// What the last of these costs, if that is above the limit.
pub fn fit(
    prices: &mut Prices,
    least: &[Form],
    layout: Style,
    words: &ToolWords,
    meter: &dyn Meter,
) -> Result<Fit, u64> {
    let free = layout.charges() != Charges::Block;
    let frame_price = |frame| {
        if free {
            return 0;
        }
        u64::from(meter.count(&layout.head(frame, words)))
            + u64::from(meter.count(&layout.tail(frame)))
    };
    let prose = frame_price(Frame::Prose);
    prices.fixed = 0;
    let names = prices.sum(least.iter().copied());
    let counted: u32 = names.counted.iter().sum();
    let names = names.shown + count_lines(prices, layout, &names.counted, counted);
    let everyone: Vec<u32> = vec![1; prices.categories.len()];
    let counts = count_lines(prices, layout, &everyone, 1);
    for frame in [Frame::Prose, Frame::Line, Frame::Tags] {
        let fixed = frame_price(frame);
        let beside = match frame {
            Frame::Prose => names,
            Frame::Line => counts,
            Frame::Tags | Frame::Count => counts.min(prices.rest),
        };
        if fixed + beside <= prices.limit {
            prices.fixed = fixed;
            return Ok(Fit { frame, names_fit: fixed + names <= prices.limit, prose });
        }
    }
    let only = layout.count_only(total(prices.skills.len()), total(prices.categories.len()));
    let least = u64::from(meter.count(&only));
    prices.fixed = least;
    if least <= prices.limit {
        Ok(Fit { frame: Frame::Count, names_fit: false, prose })
    } else {
        Err(least)
    }
}

/// What it costs to count these, a line a category; or one line where categories have none.
fn count_lines(prices: &Prices, layout: Style, counted: &[u32], all: u32) -> u64 {
    if !layout.by_category() {
        return if all > 0 { prices.rest } else { 0 };
    }
    counted
        .iter()
        .zip(&prices.categories)
        .filter(|(n, _)| **n > 0)
        .map(|(_, c)| u64::from(c.count))
        .sum()
}

fn total(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
