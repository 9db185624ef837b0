//! What holds for every rule that says where descriptions are cut, whatever the library: one text for the tests of all of
//! them. A rule's own cases belong beside the rule.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use skillkeep_policy::testkit::{Library, budget};
use skillkeep_policy::{BudgetPolicy, DAY, Form};

/// Category, length of the description, and uses with the seconds since the last.
pub type Skill = (usize, i64, Option<(i64, i64)>);

/// What a category costs once: its header, its names line, its count line.
pub type Costs = (i64, i64, i64);

pub fn skills() -> impl Strategy<Value = Vec<Skill>> {
    let length = prop_oneof![Just(0), 1..40_i64, 40..2_000_i64];
    let skill = (0..3_usize, length, prop::option::of((0..30_i64, 0..200 * DAY)));
    prop::collection::vec(skill, 0..30)
}

/// In characters: a line is its name, its description and four more; nine around a name, nothing around a bare line.
pub fn library(skills: &[Skill], categories: &[Costs], rest: i64) -> Library {
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

pub fn categories() -> impl Strategy<Value = Vec<Costs>> {
    prop::collection::vec((0..12_i64, 0..12_i64, 0..12_i64), 3)
}

/// The block stays within the limit if counting does, and each skill has one form: short ones are longer than the cut, whole
/// ones are not.
pub fn stays_within<P: BudgetPolicy>(
    skills: &[Skill],
    categories: &[Costs],
    rest: i64,
    room: i64,
    fixed: u32,
) -> Result<(), TestCaseError> {
    let used: Vec<usize> = skills.iter().map(|(category, _, _)| *category).collect();
    let counts: i64 = (0..3).filter(|n| used.contains(n)).map(|n| categories[n].2).sum();
    let limit = i64::from(fixed) + counts.min(rest) + room;
    let library =
        library(skills, categories, rest).fixed(fixed).limit(u32::try_from(limit).unwrap());
    let budgeted = budget::<P>(&library, &[]).unwrap();
    prop_assert!(budgeted.cost <= limit, "{} of {limit}", budgeted.cost);
    prop_assert_eq!(budgeted.lines.len(), skills.len());
    for (line, (_, length, _)) in budgeted.lines.iter().zip(skills) {
        let cut = budgeted.cut.map_or(i64::MAX, i64::from);
        prop_assert!(line.form != Form::Short || *length > cut);
        prop_assert!(line.form != Form::Full || *length <= cut);
    }
    Ok(())
}

/// Nobody gets a form above its cap.
pub fn keeps_caps<P: BudgetPolicy>(
    skills: &[Skill],
    caps: &[i64],
    limit: u32,
) -> Result<(), TestCaseError> {
    let empty = Library::new().fact("unit", "chars").limit(limit);
    let capped = skills.iter().zip(caps).enumerate().fold(empty, |it, (row, (skill, cap))| {
        let (_, length, _) = skill;
        it.skill("c", &format!("s{row:02}"), |skill| {
            skill
                .costs(length + 9, length + 9, 5)
                .fact("cost-bare", 7_i64)
                .fact("description-length", *length)
                .fact("form-cap", *cap)
                .description("")
        })
    });
    let forms = budget::<P>(&capped, &[]).unwrap().forms();
    prop_assert_eq!(forms.len(), skills.len());
    for (form, cap) in forms.iter().zip(caps) {
        prop_assert!(*form as i64 >= *cap);
    }
    Ok(())
}

/// The laws of every such rule.
macro_rules! cutting_laws {
    ($policy:ty) => {
        proptest::proptest! {
            #[test]
            fn the_block_stays_within_the_limit_if_counting_does_and_each_skill_has_one_form(
                skills in $crate::cutting_laws::skills(),
                categories in $crate::cutting_laws::categories(),
                rest in 0..20_i64,
                room in proptest::prop_oneof![0..300_i64, 0..9_000_i64],
                fixed in 0..100_u32,
            ) {
                $crate::cutting_laws::stays_within::<$policy>(&skills, &categories, rest, room, fixed)?;
            }

            #[test]
            fn nobody_gets_a_form_above_its_cap(
                skills in $crate::cutting_laws::skills(),
                caps in proptest::collection::vec(0..4_i64, 30),
                limit in 200..5_000_u32,
            ) {
                $crate::cutting_laws::keeps_caps::<$policy>(&skills, &caps, limit)?;
            }
        }
    };
}

/// The law of those that settle ties by name: the order of the rows changes nothing.
#[allow(unused_macros, reason = "some rules go by the order of the rows")]
macro_rules! order_changes_nothing {
    ($policy:ty) => {
        proptest::proptest! {
            #[test]
            fn the_order_of_the_rows_changes_nothing(
                skills in $crate::cutting_laws::skills(),
                categories in $crate::cutting_laws::categories(),
                limit in 60..4_000_u32,
                order in proptest::strategy::Strategy::prop_shuffle(
                    proptest::strategy::Just((0..30_usize).collect::<Vec<_>>()),
                ),
            ) {
                use skillkeep_policy::testkit::budget;
                let library = $crate::cutting_laws::library(&skills, &categories, 9).limit(limit);
                let order: Vec<usize> =
                    order.into_iter().filter(|row| *row < skills.len()).collect();
                let first = budget::<$policy>(&library, &[]).unwrap();
                let mut turned = budget::<$policy>(&library.reordered(&order), &[]).unwrap();
                turned.lines.sort_by(|a, b| a.skill.cmp(&b.skill));
                proptest::prop_assert_eq!(first, turned);
            }
        }
    };
}
