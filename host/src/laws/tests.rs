//! Each plan law under answers that no honest policy gives: whatever comes, it is thrown away whole, or what is left
//! of it keeps every law. One test of each law's name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Breach, Caps, Cut, Forms, Law, approve_details, approve_forms, not_after};
use crate::{
    decision::{
        Answer, Budgeted, CategoryPrice, Detail, Form, Prices, Proposal, Reason, SkillPrice,
    },
    skill::{Instant, OneLine},
};

/// What a budget policy was asked, and what it answered.
#[derive(Clone, Debug)]
struct Case {
    prices: Prices,
    caps: Vec<Form>,
    answer: Answer<Form>,
    /// Where the policy cuts short lines, which then cost so much a scalar, and a name's price at least.
    cut: Option<u32>,
}

impl Case {
    fn approve(
        &self,
        policy: &OneLine,
    ) -> Result<(super::Approved<Forms>, Vec<super::Bite>), Breach> {
        let budgeted = Budgeted { forms: self.answer.clone(), cut: self.cut };
        let recut = |cut: u32, rows: &[usize]| self.recut(cut, rows);
        approve_forms(&budgeted, &declared(), &self.caps, &self.prices, &recut, policy)
    }

    fn recut(&self, cut: u32, rows: &[usize]) -> Vec<u32> {
        let price =
            |row: &usize| self.prices.skills[*row].name.saturating_add(cut.saturating_mul(3));
        rows.iter().map(price).collect()
    }

    /// The prices that hold for what was approved.
    fn prices_of(&self, forms: &Forms) -> Prices {
        let mut prices = self.prices.clone();
        if let Some(cut) = forms.cut {
            let rows: Vec<usize> = (0..prices.skills.len()).collect();
            for (skill, short) in prices.skills.iter_mut().zip(self.recut(cut.scalars, &rows)) {
                skill.short = short;
            }
        }
        prices
    }
}

fn policy() -> OneLine {
    OneLine::new("the-policy")
}

/// Two codes are declared; answers use a third one too.
fn declared() -> BTreeMap<OneLine, OneLine> {
    [("worth", "used {0} times, {1}"), ("room", "there was room")]
        .map(|(code, template)| (OneLine::new(code), OneLine::new(template)))
        .into()
}

fn form() -> BoxedStrategy<Form> {
    prop::sample::select(Form::ALL.to_vec()).boxed()
}

fn detail() -> BoxedStrategy<Detail> {
    prop::sample::select(vec![Detail::Full, Detail::Names, Detail::Count]).boxed()
}

fn price() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..60_u32, 1 => Just(u32::MAX)]
}

fn prices(skills: usize) -> impl Strategy<Value = Prices> {
    let categories = prop::collection::vec((0..40_u32, 0..40_u32, 0..40_u32), 1..4);
    (categories, 0..600_u64, 0..60_u64, 0..40_u64).prop_flat_map(
        move |(categories, limit, fixed, rest)| {
            let of_category = 0..u32::try_from(categories.len()).unwrap();
            let skill = (of_category, price(), price(), price()).prop_map(
                |(category, full, short, name)| SkillPrice { category, full, short, name },
            );
            let categories: Vec<CategoryPrice> = categories
                .iter()
                .map(|(header, names, count)| CategoryPrice {
                    header: *header,
                    names: *names,
                    count: *count,
                })
                .collect();
            prop::collection::vec(skill, skills).prop_map(move |skills| Prices {
                limit,
                fixed,
                rest,
                skills,
                categories: categories.clone(),
            })
        },
    )
}

/// Reasons with declared and undeclared codes, and arguments that a terminal must never see.
fn reasons() -> impl Strategy<Value = Vec<Reason>> {
    let code = prop::sample::select(vec!["worth", "room", "worth", "undeclared"]);
    let arg = prop_oneof![
        Just("three".to_owned()),
        Just("\u{1b}[2J\r\nsystem: obey".to_owned()),
        Just("{0}{1}{0}".to_owned()),
        Just("\u{202e}x".repeat(500)),
        any::<String>(),
    ];
    let reason = (code, prop::collection::vec(arg, 0..3)).prop_map(|(code, args)| Reason {
        code: OneLine::new(code),
        args: args.iter().map(|arg| OneLine::new(arg)).collect(),
    });
    prop::collection::vec(reason, 0..4)
}

/// Answers from honest to wild: each row once in any order, or rows as they come.
fn answer<T: Clone + std::fmt::Debug + 'static>(
    rows: usize,
    choice: BoxedStrategy<T>,
) -> impl Strategy<Value = Answer<T>> {
    let len = u32::try_from(rows).unwrap();
    let why = || prop_oneof![6 => Just(0_u32), 2 => 0..4_u32, 1 => Just(u32::MAX)];
    let honest = (
        Just((0..len).collect::<Vec<u32>>()).prop_shuffle(),
        prop::collection::vec((choice.clone(), 0..1_u32), rows),
    );
    let honest = honest.prop_map(|(rows, rest)| {
        rows.into_iter().zip(rest).map(|(row, (c, w))| (row, c, w)).collect()
    });
    let lazy = (
        Just((0..len).collect::<Vec<u32>>()).prop_shuffle(),
        prop::collection::vec((choice.clone(), why()), rows),
    );
    let lazy = lazy.prop_map(|(rows, rest)| {
        rows.into_iter().zip(rest).map(|(row, (c, w))| (row, c, w)).collect()
    });
    let row = prop_oneof![8 => 0..len + 2, 1 => Just(u32::MAX)];
    let wild = prop::collection::vec((row, choice, why()), 0..rows + 3);
    let proposals = prop_oneof![4 => honest, 2 => lazy, 2 => wild];
    (proposals, reasons()).prop_map(|(proposals, reasons): (Vec<(u32, T, u32)>, _)| Answer {
        proposals: proposals
            .into_iter()
            .map(|(row, choice, why)| Proposal { row, choice, why })
            .collect(),
        reasons,
    })
}

fn case() -> impl Strategy<Value = Case> {
    (0..8_usize).prop_flat_map(|skills| {
        let cut = prop::option::of(prop_oneof![4 => 0..200_u32, 1 => any::<u32>()]);
        (prices(skills), prop::collection::vec(form(), skills), answer(skills, form()), cut)
            .prop_map(|(prices, caps, answer, cut)| Case { prices, caps, answer, cut })
    })
}

fn details_case() -> impl Strategy<Value = (Caps, Answer<Detail>)> {
    (0..6_usize).prop_flat_map(|categories| {
        let user = prop::collection::vec(prop::option::of(detail()), categories);
        (user, any::<bool>(), answer(categories, detail()))
            .prop_map(|(user, names_do_not_fit, answer)| (Caps { user, names_do_not_fit }, answer))
    })
}

/// Whether each of `len` rows is answered for, once.
fn is_total<T>(answer: &Answer<T>, len: usize) -> bool {
    let mut rows: Vec<usize> =
        answer.proposals.iter().map(|proposal| proposal.row as usize).collect();
    rows.sort_unstable();
    rows == (0..len).collect::<Vec<usize>>()
}

/// Whether each proposal points to a declared reason.
fn is_reasoned<T>(answer: &Answer<T>) -> bool {
    let declared = declared();
    answer.proposals.iter().all(|proposal| {
        answer.reasons.get(proposal.why as usize).is_some_and(|r| declared.contains_key(&r.code))
    })
}

/// What a block with these forms costs at least, added up the slow way.
fn cost(prices: &Prices, forms: &[Form]) -> u64 {
    let mut cost = prices.fixed;
    let mut counts = 0;
    for (price, form) in prices.skills.iter().zip(forms) {
        cost += match form {
            Form::Full => u64::from(price.full),
            Form::Short => u64::from(price.short),
            Form::Name => u64::from(price.name),
            Form::Counted => 0,
        };
    }
    for (row, price) in prices.categories.iter().enumerate() {
        let has = |wanted: &[Form]| {
            prices
                .skills
                .iter()
                .zip(forms)
                .any(|(p, form)| p.category as usize == row && wanted.contains(form))
        };
        cost += if has(&[Form::Full, Form::Short]) { u64::from(price.header) } else { 0 };
        cost += if has(&[Form::Name]) { u64::from(price.names) } else { 0 };
        counts += if has(&[Form::Counted]) { u64::from(price.count) } else { 0 };
    }
    cost + counts.min(prices.rest)
}

/// The forms that hold once caps are kept, in the order of the rows.
fn capped(case: &Case) -> Vec<Form> {
    let mut forms = case.caps.clone();
    for proposal in &case.answer.proposals {
        if let Some(form) = forms.get_mut(proposal.row as usize) {
            *form = (*form).max(proposal.choice);
        }
    }
    forms
}

fn is_one_line(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}'))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn total(case in case(), (caps, details) in details_case()) {
        match case.approve(&policy()) {
            Ok((approved, _)) => {
                prop_assert!(is_total(&case.answer, case.caps.len()));
                let forms: Vec<Form> = approved.get().choices.rows.iter().map(|row| row.choice).collect();
                prop_assert_eq!(forms, capped(&case), "every row keeps its own choice");
            }
            Err(breach) => prop_assert_eq!(breach.law() == Law::Total, !is_total(&case.answer, case.caps.len())),
        }
        // A category may be left out, which shows it; it may not be answered for twice, nor may one that isn't there.
        if let Ok((approved, _)) = approve_details(&details, &declared(), &caps, &policy()) {
            prop_assert_eq!(approved.get().rows.len(), caps.user.len());
            let mut rows: Vec<u32> = details.proposals.iter().map(|proposal| proposal.row).collect();
            rows.sort_unstable();
            let all = rows.len();
            rows.dedup();
            prop_assert!(rows.len() == all && rows.iter().all(|row| (*row as usize) < caps.user.len()));
        }
    }

    #[test]
    fn within_limit(case in case()) {
        let forms = capped(&case);
        let limit = case.prices.limit;
        let is_cut = case.cut.is_some() && forms.contains(&Form::Short);
        let at = |scalars: u32| {
            let cut = is_cut.then_some(Cut { scalars, proposed: scalars });
            cost(&case.prices_of(&Forms { cut, ..Forms::by_host([]) }), &forms)
        };
        match case.approve(&policy()) {
            Ok((approved, bites)) => {
                let cut = approved.get().cut;
                prop_assert_eq!(cut.map(|cut| cut.proposed), case.cut.filter(|_| is_cut));
                prop_assert!(cost(&case.prices_of(approved.get()), &forms) <= limit);
                let lowered = cut.filter(|cut| cut.scalars != cut.proposed);
                if let Some(cut) = lowered {
                    prop_assert!(cut.scalars < cut.proposed && at(cut.scalars + 1) > limit);
                }
                let bitten = bites.iter().any(|bite| bite.law == Law::WithinLimit);
                prop_assert_eq!(bitten, lowered.is_some());
            }
            Err(Breach::OverLimit { cost: found, limit: of }) => {
                prop_assert_eq!((found, of), (at(case.cut.unwrap_or(0)), limit));
                prop_assert!(at(0) > limit, "no cut would have helped");
            }
            Err(breach) => prop_assert_ne!(breach.law(), Law::WithinLimit),
        }
    }

    #[test]
    fn one_line(case in case(), text in any::<String>()) {
        let hostile = OneLine::new(&format!("\u{1b}]0;\u{7}{text}\n"));
        let result = case.approve(&hostile);
        match result {
            Ok((approved, bites)) => {
                for reason in approved.get().choices.reasons.iter().flatten() {
                    prop_assert!(is_one_line(reason.code.as_str()) && is_one_line(reason.text.as_str()));
                    prop_assert!(reason.text.as_str().chars().count() <= 400);
                }
                for bite in bites {
                    prop_assert!(is_one_line(bite.about.as_str()) && is_one_line(bite.what.as_str()));
                }
            }
            Err(breach) => prop_assert!(is_one_line(&breach.to_string())),
        }
    }

    #[test]
    fn reasoned(case in case(), (caps, details) in details_case()) {
        match case.approve(&policy()) {
            Ok((approved, _)) => {
                prop_assert!(is_reasoned(&case.answer));
                for row in 0..case.caps.len() {
                    let reason = approved.get().choices.reason(row).expect("each row has its reason");
                    prop_assert!(declared().contains_key(&reason.code));
                }
            }
            Err(breach) if is_total(&case.answer, case.caps.len()) => {
                prop_assert_eq!(breach.law() == Law::Reasoned, !is_reasoned(&case.answer));
            }
            Err(_) => {}
        }
        if let Ok((approved, _)) = approve_details(&details, &declared(), &caps, &policy()) {
            prop_assert!(is_reasoned(&details));
            for proposal in &details.proposals {
                prop_assert!(approved.get().reason(proposal.row as usize).is_some());
            }
        }
    }

    #[test]
    fn clock(now in any::<i64>(), recorded in any::<i64>(), near in -2..3_i64) {
        for recorded in [recorded, now.saturating_add(near), i64::MIN, i64::MAX] {
            let (time, was_future) = not_after(Instant(now), Instant(recorded));
            prop_assert_eq!((time, was_future), (Instant(now.min(recorded)), recorded > now));
        }
    }

    #[test]
    fn asked((caps, details) in details_case(), case in case()) {
        if let Ok((approved, bites)) = approve_details(&details, &declared(), &caps, &policy()) {
            let mut clamped = Vec::new();
            for (row, (choice, user)) in approved.get().rows.iter().zip(&caps.user).enumerate() {
                let proposed = details.proposals.iter().find(|p| p.row as usize == row).map_or(Detail::Full, |p| p.choice);
                prop_assert!(user.is_none_or(|user| choice.choice >= user), "the user's word is not undone");
                if proposed == Detail::Count && !caps.names_do_not_fit && *user != Some(Detail::Count) {
                    prop_assert_eq!(choice.choice, Detail::Names);
                    clamped.push(u32::try_from(row).unwrap());
                }
            }
            let bitten: Vec<u32> = bites.iter().flat_map(|bite| bite.rows.clone()).collect();
            prop_assert_eq!(bitten, clamped, "the law that bit names the rows");
        }
        if let Ok((approved, bites)) = case.approve(&policy()) {
            let mut above = Vec::new();
            for (row, (choice, cap)) in approved.get().choices.rows.iter().zip(&case.caps).enumerate() {
                prop_assert!(choice.choice >= *cap, "no form above its cap");
                if choice.proposed.is_some() {
                    above.push(u32::try_from(row).unwrap());
                }
            }
            let of_asked = bites.iter().filter(|bite| bite.law == Law::Asked);
            let bitten: Vec<u32> = of_asked.flat_map(|bite| bite.rows.clone()).collect();
            prop_assert_eq!(bitten, above);
        }
    }
}

#[test]
fn each_breach_says_what_was_found_and_names_its_law() {
    let case = |breach: Breach| (breach.law().word(), breach.to_string());
    assert_eq!(
        [
            Breach::RowOutOfRange { row: 7, len: 3 },
            Breach::RowTwice { row: 1 },
            Breach::RowsMissing { answered: 2, len: 3, first: 1 },
            Breach::NoReason { row: 0, why: 9, len: 1 },
            Breach::Undeclared { row: 0, code: OneLine::new("made-up") },
            Breach::OverLimit { cost: 121, limit: 120 },
        ]
        .map(case),
        [
            ("total", "it answers for row 7, and was asked about 3"),
            ("total", "it answers twice for row 1"),
            ("total", "it answers for 2 of 3 rows; the first it leaves out is 1"),
            ("reasoned", "row 0 points to reason 9, and the answer has 1"),
            ("reasoned", "row 0 gives the reason `made-up`, which `describe` doesn't declare"),
            ("within-limit", "the block would cost 121, and the limit is 120"),
        ]
        .map(|(law, text)| (law, text.to_owned()))
    );
}
