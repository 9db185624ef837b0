//! A printed index as a question to a budget policy, and the index that its answer makes of it.
//!
//! As Progressive Skill counts, only skill lines have a price. Headers, counts and prose are free, and what is dropped
//! leaves no mark in the text; who asked is told of it elsewhere.

use super::{
    columns::{Cells, last_used, table, uses},
    lines::{Line, Listing, Row, line_ends},
};
use crate::{
    decision::{BudgetRequest, CategoryPrice, Context, Form, Prices, SkillPrice, Unit, Value},
    skill::{Instant, Usage},
};

/// What each line costs, against a budget in characters.
#[must_use]
pub fn prices(listing: &Listing, budget: u32) -> Prices {
    let price = |row: &Row| SkillPrice {
        category: row.block,
        full: row.chars,
        short: row.chars,
        // `    - name` and its end; a name of a names line is as free as the line.
        name: if row.in_names { 0 } else { bare(row).min(row.chars) },
    };
    Prices {
        limit: u64::from(budget),
        fixed: 0,
        rest: 0,
        skills: listing.rows.iter().map(price).collect(),
        categories: vec![CategoryPrice::default(); listing.blocks as usize],
    }
}

fn bare(row: &Row) -> u32 {
    u32::try_from(bare_line(row).chars().count() + 1).unwrap_or(u32::MAX)
}

fn bare_line(row: &Row) -> String {
    format!("    - {}", row.name)
}

/// The most telling form of each row: a name of a names line has no line of its own.
#[must_use]
pub fn caps(listing: &Listing) -> Vec<Form> {
    let cap = |row: &Row| if row.in_names { Form::Name } else { Form::Full };
    listing.rows.iter().map(cap).collect()
}

/// Which lines are kept.
#[must_use]
pub fn budget_question(
    now: Instant,
    listing: &Listing,
    prices: &Prices,
    usage: &Usage,
    asked: &dyn Fn(&str) -> bool,
) -> BudgetRequest {
    let rows = &listing.rows;
    let names = || rows.iter().map(|row| row.name.as_str());
    let cost =
        |form: Form| Cells::integers(prices.skills.iter().map(|price| i64::from(price.of(form))));
    let skills = [
        ("name", Cells::texts(names())),
        ("category", Cells::integers(rows.iter().map(|row| i64::from(row.block)))),
        ("pinned", Cells::no(rows.len())),
        ("uses", Cells::of_usage(names(), usage, uses)),
        ("last-used", Cells::of_usage(names(), usage, last_used)),
        ("form-cap", Cells::integers(caps(listing).iter().map(|cap| i64::from(cap.number())))),
        ("cost-full", cost(Form::Full)),
        ("cost-short", cost(Form::Short)),
        ("cost-name", cost(Form::Name)),
    ];
    let blocks = listing.blocks as usize;
    let free = || Cells::integers(std::iter::repeat_n(0, blocks));
    let categories = [("cost-header", free()), ("cost-names", free()), ("cost-count", free())];
    let facts =
        [("cost-rest", Value::Integer(0)), ("unit", Value::Text(Unit::Chars.word().to_owned()))];
    BudgetRequest {
        context: Context {
            now,
            seed: 0,
            facts: facts.into_iter().filter(|(key, _)| asked(key)).collect(),
        },
        limit: u32::try_from(prices.limit).unwrap_or(u32::MAX),
        fixed: 0,
        skills: table(rows.len(), skills, asked),
        categories: table(blocks, categories, asked),
    }
}

/// The index with a form for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The text.
    pub text: String,
    /// Rows whose line is in it.
    pub kept: Vec<usize>,
    /// Rows whose line is not.
    pub dropped: Vec<usize>,
}

impl Kept {
    /// The text as it was, its line ends aside.
    #[must_use]
    pub fn unchanged(listing: &Listing, text: &str) -> Kept {
        let rows = listing.rows.iter().enumerate();
        let kept = rows.filter(|(_, row)| !row.in_names).map(|(at, _)| at).collect();
        Kept { text: line_ends(text), kept, dropped: Vec::new() }
    }
}

/// Puts the forms into the text. A names line becomes a count of those that are counted.
#[must_use]
pub fn kept(listing: &Listing, forms: &[Form]) -> Kept {
    let form = |row: usize| forms.get(row).copied().unwrap_or(Form::Full);
    let (mut lines, mut kept, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
    for line in &listing.lines {
        match line {
            Line::Plain(line) => lines.push(line.clone()),
            Line::Skill(line, row) => {
                match (form(*row), listing.rows.get(*row)) {
                    (Form::Full | Form::Short, _) => lines.push(line.clone()),
                    (Form::Name, Some(about)) => lines.push(bare_line(about)),
                    _ => {
                        dropped.push(*row);
                        continue;
                    }
                }
                kept.push(*row);
            }
            Line::Names { category, rows } => {
                let named: Vec<&str> = rows
                    .clone()
                    .filter(|row| form(*row) != Form::Counted)
                    .filter_map(|row| listing.rows.get(row).map(|row| row.name.as_str()))
                    .collect();
                let counted = rows.len() - named.len();
                if !named.is_empty() {
                    lines.push(format!("  {category} [names only]: {}", named.join(", ")));
                }
                match (named.is_empty(), counted) {
                    (true, counted) => lines.push(format!("  {category} ({counted})")),
                    (false, 0) => {}
                    (false, counted) => lines.push(format!("  {category} (+{counted} more)")),
                }
            }
        }
    }
    Kept { text: lines.join("\n"), kept, dropped }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Listing, caps, kept, prices};
    use crate::decision::Form::{self, Counted, Full, Name};

    const TEXT: &str = "intro\n\n  a: About a\n    - x: one\n    - y: two\n  b [names only]: p , q,,r,\n  c [names only]:\nend\n";

    #[test]
    fn only_skill_lines_have_a_price() {
        let listing = Listing::read(TEXT);
        let prices = prices(&listing, 99);
        let full: Vec<u32> = prices.skills.iter().map(|price| price.full).collect();
        assert_eq!((full, prices.limit), (vec![13, 13, 0, 0, 0], 99));
        assert_eq!(caps(&listing), [Full, Full, Name, Name, Name]);
        assert_eq!((prices.fixed, prices.rest, prices.categories.len()), (0, 0, 3));
    }

    #[test]
    fn each_form_has_its_place_in_the_text() {
        let listing = Listing::read(TEXT);
        for (forms, a, b, dropped) in [
            (
                [Full, Full, Counted, Counted, Counted],
                "    - x: one\n    - y: two\n",
                "  b (3)\n",
                0,
            ),
            (
                [Full, Counted, Name, Counted, Name],
                "    - x: one\n",
                "  b [names only]: p, r\n  b (+1 more)\n",
                1,
            ),
            ([Counted, Name, Name, Name, Name], "    - y\n", "  b [names only]: p, q, r\n", 1),
        ] {
            let found = kept(&listing, &forms);
            let expected = format!("intro\n\n  a: About a\n{a}{b}  c (0)\nend\n");
            assert_eq!((found.text, found.dropped.len()), (expected, dropped), "{forms:?}");
        }
    }

    proptest! {
        /// Whatever the text is, with everything kept nothing but white space and empty names goes missing.
        #[test]
        fn what_is_kept_is_there(
            lines in prop::collection::vec(prop::sample::select(vec![
                "  a:", "  b: About b.", "    - x: one", "    - y", "    - p:q: two, three", "   deeper",
                "    deep", "prose", "", "<available_skills>", "</available_skills>", "  c [names only]: d, e",
                "  f [names only]: g,", "  two words", "\t- tab", "  - dash", "  a (2)", "    - ",
            ]), 0..20),
        ) {
            let text = lines.join("\n");
            let listing = Listing::read(&text);
            let found = kept(&listing, &caps(&listing)).text;
            let bare = |text: &str| text.replace([' ', '\n', '\t', ','], "");
            prop_assert_eq!(bare(&found), bare(&text));
        }

        /// Leaving skills out takes their lines and no other.
        #[test]
        fn what_is_left_out_takes_nothing_with_it(
            names in prop::collection::vec("[a-z]{1,3}", 1..8), dropped in any::<u8>(),
        ) {
            let line = |at: usize, name: &str| format!("    - {name}: text {at}");
            let text: Vec<String> = names.iter().enumerate()
                .flat_map(|(at, name)| [format!("  c{at}: About."), line(at, name)]).collect();
            let listing = Listing::read(&text.join("\n"));
            let is_dropped = |at: usize| dropped >> (at % 8) & 1 == 1;
            let forms: Vec<Form> =
                (0..names.len()).map(|at| if is_dropped(at) { Counted } else { Full }).collect();
            let expected: Vec<String> = names.iter().enumerate()
                .flat_map(|(at, name)| {
                    [Some(format!("  c{at}: About.")), (!is_dropped(at)).then(|| line(at, name))]
                })
                .flatten().collect();
            prop_assert_eq!(kept(&listing, &forms).text, expected.join("\n"));
        }
    }
}
