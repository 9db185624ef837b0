//! What holds for every library, however odd.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_progressive::Progressive;
use proptest::prelude::*;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Library, budget, setting};
use skillkeep_policy::{DAY, Form};

/// Category, cost, and uses with the seconds since the last.
type Skill = (usize, i64, Option<(i64, i64)>);

fn skills() -> impl Strategy<Value = Vec<Skill>> {
    let skill = (0..4_usize, 0..40_i64, prop::option::of((0..30_i64, 0..200 * DAY)));
    prop::collection::vec(skill, 0..30)
}

fn library(skills: &[Skill], categories: &[(i64, i64)], rest: i64) -> Library {
    let empty = Library::new().fact("cost-rest", rest);
    let empty = categories.iter().enumerate().fold(empty, |library, (n, (header, count))| {
        library.category(&format!("c{n}"), |it| it.costs(*header, 0, *count))
    });
    skills.iter().enumerate().fold(empty, |library, (n, (category, cost, used))| {
        library.skill(&format!("c{category}"), &format!("s{n}"), |skill| {
            let skill = skill.costs(*cost, *cost, 0);
            match used {
                Some((uses, ago)) => skill.used(*uses, *ago),
                None => skill,
            }
        })
    })
}

fn settings() -> impl Strategy<Value = Vec<Entry>> {
    let words =
        (prop::sample::select(vec!["category", "all"]), prop::sample::select(vec!["stop", "skip"]));
    words.prop_map(|(blocks, misfit)| vec![setting("blocks", blocks), setting("misfit", misfit)])
}

proptest! {
    #[test]
    fn the_block_stays_within_the_limit_if_counting_does(
        skills in skills(),
        categories in prop::collection::vec((0..12_i64, 0..12_i64), 4),
        rest in 0..20_i64,
        room in 0..600_i64,
        settings in settings(),
    ) {
        let counts: i64 = categories.iter().map(|(_, count)| count).sum();
        let limit = counts.min(rest) + room;
        let library = library(&skills, &categories, rest).limit(u32::try_from(limit).unwrap());
        prop_assert!(budget::<Progressive>(&library, &settings).unwrap().cost <= limit);
    }

    /// Where a line that doesn't fit is skipped, no line is left out that there is room for.
    #[test]
    fn no_room_is_left_that_a_line_would_fit_in(skills in skills(), limit in 0..600_u32) {
        let library = library(&skills, &[(0, 0); 4], 0).limit(limit);
        let settings = [setting("blocks", "all"), setting("misfit", "skip")];
        let budgeted = budget::<Progressive>(&library, &settings).unwrap();
        let room = i64::from(limit) - budgeted.cost;
        for (line, (_, cost, _)) in budgeted.lines.iter().zip(&skills) {
            prop_assert!(line.form == Form::Full || *cost > room);
        }
    }

    /// A used skill is left out only if its line is longer than what the skills that are used more leave.
    #[test]
    fn more_use_never_loses_to_less_at_the_same_cost(skills in skills(), limit in 0..600_u32) {
        let same: Vec<Skill> = skills.iter().map(|(category, _, used)| (*category, 20, *used)).collect();
        let library = library(&same, &[(0, 0); 4], 0).limit(limit);
        let forms = budget::<Progressive>(&library, &[setting("blocks", "all")]).unwrap().forms();
        let score = |used: Option<(i64, i64)>| used.map_or(0.0, |(uses, ago)| uses as f64 * (-(ago as f64) / 86_400.0 / 30.0).exp());
        let of = |form: Form| same.iter().zip(&forms).filter(move |(_, it)| **it == form).map(|(skill, _)| score(skill.2));
        let least_kept = of(Form::Full).fold(f64::INFINITY, f64::min);
        let most_dropped = of(Form::Counted).fold(0.0, f64::max);
        prop_assert!(most_dropped <= least_kept);
    }
}
