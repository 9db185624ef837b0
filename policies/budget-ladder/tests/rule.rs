//! What a draw decides, over many skills or many sessions. What can be told of a few skills stands in `cases/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_ladder::Ladder;
use skillkeep_policy::DAY;
use skillkeep_policy::Form::Short;
use skillkeep_policy::testkit::{Library, SkillFacts, budget, setting};

/// Skills of one category whose fixed costs are nothing: full 40, short 20, name 5.
fn plain(names: &[&str]) -> Library {
    names.iter().fold(Library::new(), |library, name| add(library, name, |skill| skill))
}

fn add(library: Library, name: &str, tell: impl FnOnce(SkillFacts) -> SkillFacts) -> Library {
    library
        .skill("c", name, |skill| tell(skill.costs(40, 20, 5)))
        .category("c", |category| category.costs(0, 0, 3))
}

#[test]
fn skills_that_are_alike_are_not_taken_by_the_alphabet() {
    let names: Vec<String> = (0..40).map(|number| format!("s{number:02}")).collect();
    let library = plain(&names.iter().map(String::as_str).collect::<Vec<_>>()).limit(200 + 10 * 15);
    let lines = budget::<Ladder>(&library, &[setting("exploration", 0.0)]).unwrap().forms();
    let first_half = lines.iter().take(20).filter(|form| **form == Short).count();
    let all = lines.iter().filter(|form| **form == Short).count();
    assert_eq!(all, 10);
    assert!((1..10).contains(&first_half), "{first_half} of 10 in the first half");
}

#[test]
fn a_share_goes_to_what_was_never_used_drawn_by_the_seed() {
    let names: Vec<String> = (0..40).map(|n| format!("s{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let library = (0..10).fold(plain(&names), |library, n| {
        add(library, &format!("used-{n}"), |skill| skill.used(20, DAY))
    });
    // Names cost 250. A tenth of the 340 left buys two lines of 15 more.
    let explored = |seed: u64| -> Vec<String> {
        let budgeted = budget::<Ladder>(&library.clone().limit(590).seed(seed), &[]).unwrap();
        assert!(budgeted.cost <= 590);
        let lines = budgeted.lines.into_iter();
        lines.filter(|line| line.why.starts_with("never used")).map(|line| line.skill).collect()
    };
    assert_eq!(explored(1).len(), 2);
    assert_eq!(explored(1), explored(1));
    let seen: std::collections::BTreeSet<String> = (0..100).flat_map(explored).collect();
    assert!(seen.len() > 35, "every skill gets its turn: {} of 40", seen.len());
}
