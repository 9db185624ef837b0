//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_ladder::Ladder;
use proptest::prelude::*;
use skillkeep_policy::testkit::{Library, block_cost, budget};
use skillkeep_policy::{DAY, Form};

#[derive(Clone, Debug)]
struct Skill {
    category: usize,
    costs: (i64, i64, i64),
    used: Option<(i64, i64)>,
    pinned: bool,
    cap: Form,
    previous: Option<Form>,
    sharers: Option<i64>,
}

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![Form::Full, Form::Short, Form::Name, Form::Counted])
}

fn skill() -> impl Strategy<Value = Skill> {
    (
        0..4_usize,
        (1..8_i64, 0..20_i64, 0..40_i64),
        prop::option::of((0..30_i64, 0..200 * DAY)),
        prop::bool::weighted(0.1),
        prop_oneof![4 => Just(Form::Full), 1 => form()],
        prop::option::of(form()),
        prop::option::of(2..5_i64),
    )
        .prop_map(|(category, (name, short, full), used, pinned, cap, previous, sharers)| {
            Skill {
                category,
                costs: (name + short + full, name + short, name),
                used,
                pinned,
                cap,
                previous,
                sharers,
            }
        })
}

fn library(skills: &[Skill], categories: &[(i64, i64, i64)], rest: i64) -> Library {
    let empty = Library::new().fact("cost-rest", rest);
    let empty = categories.iter().enumerate().fold(empty, |library, (n, costs)| {
        library.category(&format!("c{n}"), |it| it.costs(costs.0, costs.1, costs.2))
    });
    skills.iter().enumerate().fold(empty, |library, (n, skill)| {
        library.skill(&format!("c{}", skill.category), &format!("s{n}"), |it| {
            let (full, short, name) = skill.costs;
            let mut it = it.costs(full, short, name).form_cap(skill.cap);
            if let Some((uses, ago)) = skill.used {
                it = it.used(uses, ago);
            }
            if let Some(previous) = skill.previous {
                it = it.previous_form(previous);
            }
            if let Some(sharers) = skill.sharers {
                it = it.fact("name-sharers", sharers);
            }
            if skill.pinned { it.pinned() } else { it }
        })
    })
}

fn libraries() -> impl Strategy<Value = (Vec<Skill>, Vec<(i64, i64, i64)>, i64)> {
    (
        prop::collection::vec(skill(), 0..40),
        prop::collection::vec((0..12_i64, 0..12_i64, 1..12_i64), 4),
        1..20_i64,
    )
}

/// Many equal skills in one category that costs nothing itself.
fn equal(count: usize, limit: u32) -> Library {
    let skills: Vec<Skill> = (0..count)
        .map(|_| Skill {
            category: 0,
            costs: (30, 15, 4),
            used: None,
            pinned: false,
            cap: Form::Full,
            previous: None,
            sharers: None,
        })
        .collect();
    library(&skills, &[(0, 0, 5)], 5).limit(limit)
}

proptest! {
    #[test]
    fn the_block_stays_within_every_limit_that_can_be_kept(
        (skills, categories, rest) in libraries(), limit in 0..900_u32, fixed in 0..50_u32, seed: u64,
    ) {
        let library = library(&skills, &categories, rest).limit(limit).fixed(fixed).seed(seed);
        let budgeted = budget::<Ladder>(&library, &[]).unwrap();
        let counted = vec![Form::Counted; skills.len()];
        let least = block_cost(&library, &counted);
        if budgeted.cost > i64::from(limit) {
            prop_assert!(least > i64::from(limit), "{} > {limit}", budgeted.cost);
            prop_assert_eq!(budgeted.forms(), counted);
        }
    }

    #[test]
    fn no_form_is_above_its_cap(
        (skills, categories, rest) in libraries(), limit in 0..900_u32, seed: u64,
    ) {
        let library = library(&skills, &categories, rest).limit(limit).seed(seed);
        let forms = budget::<Ladder>(&library, &[]).unwrap().forms();
        prop_assert!(forms.iter().zip(&skills).all(|(form, skill)| *form >= skill.cap));
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter(
        (skills, categories, rest) in libraries(), limit in 0..900_u32, seed: u64, shuffle: u64,
    ) {
        let library = library(&skills, &categories, rest).limit(limit).seed(seed);
        let mut order: Vec<usize> = (0..skills.len()).collect();
        order.sort_by_key(|row| (*row as u64 + 1).wrapping_mul(shuffle | 1));
        let told = |rows: &[usize], forms: Vec<Form>| {
            // Skills that are alike in everything may change places.
            let mut told: Vec<String> =
                rows.iter().zip(forms).map(|(row, form)| format!("{:?} {form:?}", skills[*row])).collect();
            told.sort();
            told
        };
        let straight: Vec<usize> = (0..skills.len()).collect();
        let first = budget::<Ladder>(&library, &[]).unwrap().forms();
        let second = budget::<Ladder>(&library.reordered(&order), &[]).unwrap().forms();
        prop_assert_eq!(told(&straight, first), told(&order, second));
    }

    #[test]
    fn a_pin_never_loses_to_what_costs_the_same(
        (mut skills, _, rest) in libraries(), limit in 0..900_u32, seed: u64,
    ) {
        for skill in &mut skills {
            skill.costs = (30, 15, 4);
            skill.cap = Form::Full;
        }
        let free = [(0, 0, 0); 4];
        let library = library(&skills, &free, rest).limit(limit).seed(seed);
        let forms = budget::<Ladder>(&library, &[]).unwrap().forms();
        let worst_pin = forms.iter().zip(&skills).filter(|(_, it)| it.pinned).map(|it| it.0).max();
        let best_other = forms.iter().zip(&skills).filter(|(_, it)| !it.pinned).map(|it| it.0).min();
        if let (Some(pin), Some(other)) = (worst_pin, best_other) {
            prop_assert!(pin <= other, "{pin:?} {other:?}");
        }
    }

    #[test]
    fn among_equals_more_room_never_shows_less(count in 1..30_usize, limit in 0..900_u32, more in 0..100_u32) {
        let gain = |limit| -> u32 {
            let forms = budget::<Ladder>(&equal(count, limit), &[]).unwrap().forms();
            forms.iter().map(|form| 3 - *form as u32).sum()
        };
        prop_assert!(gain(limit) <= gain(limit + more));
    }
}
