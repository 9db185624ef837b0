//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_openclaw::OpenClaw;
use proptest::prelude::*;
use skillkeep_policy::testkit::{Library, budget};
use skillkeep_policy::{DAY, Form};

/// Category, length of the description, and uses with the seconds since the last.
type Skill = (usize, i64, Option<(i64, i64)>);

fn skills() -> impl Strategy<Value = Vec<Skill>> {
    let length = prop_oneof![Just(0), 1..40_i64, 40..2_000_i64];
    let skill = (0..3_usize, length, prop::option::of((0..30_i64, 0..200 * DAY)));
    prop::collection::vec(skill, 0..30)
}

/// In characters: a line is its name, its description and four more; nine around a name, nothing around a bare line.
fn library(skills: &[Skill], categories: &[(i64, i64, i64)], rest: i64) -> Library {
    let empty = Library::new().fact("cost-rest", rest).fact("unit", "chars");
    let empty =
        categories.iter().enumerate().fold(empty, |library, (n, (header, names, count))| {
            library.category(&format!("c{n}"), |it| it.costs(*header, *names, *count))
        });
    skills.iter().enumerate().fold(empty, |library, (n, (category, length, used))| {
        library.skill(&format!("c{category}"), &format!("s{n:02}"), |skill| {
            let full = if *length == 0 { 7 } else { length + 9 };
            let skill = skill.costs(full, full, 5).fact("cost-bare", 7_i64);
            let skill = match *length {
                0 => skill,
                length => skill
                    .description(&"é".repeat(usize::try_from(length).unwrap()))
                    .fact("description-length", length),
            };
            match used {
                Some((uses, ago)) => skill.used(*uses, *ago),
                None => skill,
            }
        })
    })
}

fn categories() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
    prop::collection::vec((0..12_i64, 0..12_i64, 0..12_i64), 3)
}

proptest! {
    #[test]
    fn the_block_stays_within_the_limit_if_counting_does_and_each_skill_has_one_form(
        skills in skills(),
        categories in categories(),
        rest in 0..20_i64,
        room in prop_oneof![0..300_i64, 0..9_000_i64],
        fixed in 0..100_u32,
    ) {
        let used: Vec<usize> = skills.iter().map(|(category, _, _)| *category).collect();
        let of = |n: &usize| categories[*n].2;
        let counts: i64 = (0..3).filter(|n| used.contains(n)).map(|n| of(&n)).sum();
        let limit = i64::from(fixed) + counts.min(rest) + room;
        let library = library(&skills, &categories, rest).fixed(fixed).limit(u32::try_from(limit).unwrap());
        let budgeted = budget::<OpenClaw>(&library, &[]).unwrap();
        prop_assert!(budgeted.cost <= limit, "{} of {limit}", budgeted.cost);
        prop_assert_eq!(budgeted.lines.len(), skills.len());
        // What is short is longer than the cut, and what is whole is not.
        for (line, (_, length, _)) in budgeted.lines.iter().zip(&skills) {
            let cut = budgeted.cut.map_or(i64::MAX, i64::from);
            prop_assert!(line.form != Form::Short || *length > cut);
            prop_assert!(line.form != Form::Full || *length <= cut);
        }
    }

    #[test]
    fn nobody_gets_a_form_above_its_cap(
        skills in skills(),
        caps in prop::collection::vec(0..4_i64, 30),
        limit in 200..5_000_u32,
    ) {
        let rows: Vec<usize> = (0..skills.len()).collect();
        let capped = rows.iter().fold(Library::new().fact("unit", "chars").limit(limit), |it, row| {
            let (_, length, _) = skills[*row];
            it.skill("c", &format!("s{row:02}"), |skill| {
                skill.costs(length + 9, length + 9, 5).fact("cost-bare", 7_i64)
                    .fact("description-length", length).fact("form-cap", caps[*row])
                    .description("")
            })
        });
        let forms = budget::<OpenClaw>(&capped, &[]).unwrap().forms();
        for (form, cap) in forms.iter().zip(&caps) {
            prop_assert!(*form as i64 >= *cap);
        }
    }

    #[test]
    fn the_order_of_the_rows_changes_nothing(
        skills in skills(),
        categories in categories(),
        limit in 60..4_000_u32,
        order in Just((0..30_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let library = library(&skills, &categories, 9).limit(limit);
        let order: Vec<usize> = order.into_iter().filter(|row| *row < skills.len()).collect();
        let first = budget::<OpenClaw>(&library, &[]).unwrap();
        let mut turned = budget::<OpenClaw>(&library.reordered(&order), &[]).unwrap();
        turned.lines.sort_by(|a, b| a.skill.cmp(&b.skill));
        prop_assert_eq!(first, turned);
    }
}
