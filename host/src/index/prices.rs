//! Prices of every piece that may be printed, and which frame the limit allows.

use rayon::prelude::*;

use super::{
    entries::Candidates,
    layout::{self, Frame, ToolWords},
    meter::Meter,
};
use crate::decision::{CategoryPrice, Form, Prices, SkillPrice};

/// Prices all pieces at once, so that a meter with a memory is asked once.
#[must_use]
pub fn price(candidates: &Candidates, meter: &dyn Meter, limit: u32) -> Prices {
    let mut texts: Vec<String> = candidates
        .entries
        .par_iter()
        .flat_map_iter(|entry| {
            [
                layout::line(&entry.name, &entry.full),
                layout::line(&entry.name, &entry.short),
                layout::name(&entry.name),
            ]
        })
        .collect();
    for category in &candidates.categories {
        texts.push(layout::header(&category.path, &category.description));
        texts.push(layout::names_start(&category.path) + "\n");
        texts.push(layout::count(&category.path, category.skills, true));
    }
    texts.push(layout::rest(total(candidates.entries.len()), total(candidates.categories.len())));
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let counts = meter.count_all(&borrowed);
    let (skills, others) = counts.split_at(candidates.entries.len() * 3);
    let (categories, rest) = others.split_at(candidates.categories.len() * 3);
    let three = |chunk: &[u32]| match chunk {
        [a, b, c] => (*a, *b, *c),
        _ => (0, 0, 0),
    };
    Prices {
        limit: u64::from(limit),
        fixed: 0,
        rest: u64::from(rest.first().copied().unwrap_or(0)),
        skills: skills
            .chunks(3)
            .zip(&candidates.entries)
            .map(|(chunk, entry)| {
                let (full, short, name) = three(chunk);
                SkillPrice { category: entry.category, full, short, name }
            })
            .collect(),
        categories: categories
            .chunks(3)
            .map(|chunk| {
                let (header, names, count) = three(chunk);
                CategoryPrice { header, names, count }
            })
            .collect(),
    }
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
/// line that counts, without a list. Caps are the most telling forms allowed.
///
/// # Errors
/// What the last of these costs, if that is above the limit.
pub fn fit(
    prices: &mut Prices,
    caps: &[Form],
    words: &ToolWords,
    meter: &dyn Meter,
) -> Result<Fit, u64> {
    let frame_price = |frame| {
        u64::from(meter.count(&layout::head(frame, words)))
            + u64::from(meter.count(&layout::tail(frame)))
    };
    let prose = frame_price(Frame::Prose);
    prices.fixed = 0;
    let names = prices.sum(caps.iter().map(|cap| (*cap).max(Form::Name)));
    let names = names.shown + count_lines(prices, &names.counted);
    let everyone: Vec<u32> = vec![1; prices.categories.len()];
    let counts = count_lines(prices, &everyone);
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
    let only = layout::count_only(total(prices.skills.len()), total(prices.categories.len()));
    let least = u64::from(meter.count(&only));
    prices.fixed = least;
    if least <= prices.limit {
        Ok(Fit { frame: Frame::Count, names_fit: false, prose })
    } else {
        Err(least)
    }
}

fn count_lines(prices: &Prices, counted: &[u32]) -> u64 {
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
