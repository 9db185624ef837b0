//! How long the rule takes by itself on 10,000 skills. Not a test of a number: run it by hand with `--ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use budget_ladder::Ladder;
use skillkeep_policy::DAY;
use skillkeep_policy::budget::BudgetPolicy;
use skillkeep_policy::testkit::{Library, timed_budget};

fn library(skills: i64, limit: u32) -> Library {
    (0..skills).fold(Library::new().limit(limit).fixed(100), |library, n| {
        let name = n * 7 % 5 + 3;
        let category = format!("c{}", n % 120);
        library.skill(&category, &format!("s{n}"), |skill| {
            let skill = skill.costs(name + 50 + n * 13 % 40, name + 15 + n * 11 % 9, name);
            if n % 3 == 0 { skill.used(n % 17, n % 90 * DAY) } else { skill }
        })
    })
}

fn best_of<P: BudgetPolicy>(library: &Library) -> std::time::Duration {
    (0..20).map(|_| timed_budget::<P>(library)).min().unwrap()
}

#[test]
#[ignore = "a measurement"]
fn ten_thousand_skills() {
    for limit in [2_000, 5_000, 60_000, 200_000] {
        println!("{limit}: {:?}", best_of::<Ladder>(&library(10_000, limit)));
    }
}
