//! The ladder by example: small libraries with given costs, and the forms that come out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_ladder::Ladder;
use skillkeep_policy::Form::{Counted, Full, Name, Short};
use skillkeep_policy::testkit::{Library, Line, Refused, SkillFacts, budget, setting};
use skillkeep_policy::{DAY, Detail, Form};

/// Skills of one category whose fixed costs are nothing: full 40, short 20, name 5.
fn plain(names: &[&str]) -> Library {
    names.iter().fold(Library::new(), |library, name| add(library, name, |skill| skill))
}

fn add(library: Library, name: &str, tell: impl FnOnce(SkillFacts) -> SkillFacts) -> Library {
    library
        .skill("c", name, |skill| tell(skill.costs(40, 20, 5)))
        .category("c", |category| category.costs(0, 0, 3))
}

fn forms(library: &Library) -> Vec<Form> {
    let budgeted = budget::<Ladder>(library, &[]).unwrap();
    assert!(budgeted.cost <= i64::from(u32::MAX));
    budgeted.forms()
}

fn line(skill: &str, form: Form, why: &str) -> Line {
    Line { skill: skill.to_owned(), form, why: why.to_owned() }
}

#[test]
fn with_room_for_all_everything_is_full() {
    assert_eq!(forms(&plain(&["a", "b"]).limit(80)), [Full, Full]);
}

#[test]
fn every_skill_has_its_name_before_any_has_a_line() {
    let library = plain(&["a", "b", "c", "d"]);
    for (limit, lines) in [(20, 0), (34, 0), (35, 1), (49, 1), (50, 2), (65, 3), (80, 4)] {
        let forms = forms(&library.clone().limit(limit));
        let expected = (0, lines, 4 - lines);
        let of = |form: Form| forms.iter().filter(|it| **it == form).count();
        assert_eq!((of(Full), of(Short), of(Name)), expected, "{limit}");
    }
}

#[test]
fn a_line_that_does_not_fit_stops_nobody_else() {
    let long = Library::new()
        .skill("c", "a1", |skill| skill.costs(200, 200, 2))
        .skill("c", "a2", |skill| skill.costs(10, 10, 2))
        .skill("c", "a3", |skill| skill.costs(10, 10, 2))
        .category("c", |category| category.costs(3, 3, 3))
        .limit(60);
    assert_eq!(forms(&long), [Name, Full, Full]);
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
fn pins_come_first_then_the_users_category_then_use() {
    let library = add(Library::new(), "hot", |skill| skill.used(9, 0));
    let library = add(library, "pinned", SkillFacts::pinned)
        .skill("asked", "chosen", |skill| skill.costs(40, 20, 5))
        .category("asked", |category| category.costs(0, 0, 3).user_detail(Detail::Full));
    for (limit, expected) in [
        (15, [Name, Name, Name]),
        (30, [Name, Short, Name]),
        (50, [Name, Full, Name]),
        (65, [Name, Full, Short]),
        (85, [Name, Full, Full]),
        (100, [Short, Full, Full]),
        (120, [Full, Full, Full]),
    ] {
        assert_eq!(forms(&library.clone().limit(limit)), expected, "{limit}");
    }
}

#[test]
fn what_is_used_more_or_later_is_worth_more() {
    let library = add(Library::new(), "never", |skill| skill);
    let library = add(library, "long-ago", |skill| skill.used(5, 90 * DAY));
    let library = add(library, "lately", |skill| skill.used(5, DAY));
    let library = add(library, "often", |skill| skill.used(50, DAY));
    for (limit, expected) in [
        (35, [Name, Name, Name, Short]),
        (50, [Name, Name, Short, Short]),
        (65, [Name, Short, Short, Short]),
        (80, [Name, Name, Short, Full]),
    ] {
        let budgeted =
            budget::<Ladder>(&library.clone().limit(limit), &[setting("exploration", 0.0)]);
        assert_eq!(budgeted.unwrap().forms(), expected, "{limit}");
    }
}

#[test]
fn a_much_used_skill_is_full_before_unused_ones_are_short() {
    let library = add(plain(&["x", "y"]), "hot", |skill| skill.used(10_000, 0));
    let settings = [setting("gain-short", 0.6), setting("exploration", 0.0)];
    let budgeted = budget::<Ladder>(&library.limit(50), &settings).unwrap();
    assert_eq!(budgeted.forms(), [Name, Name, Full]);
}

#[test]
fn a_description_that_is_short_already_is_shown_in_full() {
    let library = Library::new()
        .skill("c", "a", |skill| skill.costs(20, 20, 5))
        .category("c", |category| category.costs(0, 0, 3))
        .limit(20);
    assert_eq!(forms(&library), [Full]);
}

#[test]
fn no_skill_goes_above_its_cap() {
    let library = add(Library::new(), "free", |skill| skill);
    let library = add(library, "short", |skill| skill.form_cap(Short));
    let library = add(library, "name", |skill| skill.form_cap(Name).pinned());
    let library = add(library, "counted", |skill| skill.form_cap(Counted).used(9, 0))
        .skill("asked", "by-the-user", |skill| skill.costs(40, 20, 5))
        .category("asked", |category| category.user_detail(Detail::Names));
    assert_eq!(forms(&library), [Full, Short, Name, Counted, Name]);
}

#[test]
fn fixed_costs_of_categories_are_paid_once_and_given_back() {
    // Header 10, names line 8. Both as names: 8 + 2 × 5 = 18. One short: 10 + 20 + 8 + 5 = 43. Both short: 10 + 2 × 20 = 50.
    let library = plain(&["a", "b"]).category("c", |category| category.costs(10, 8, 3));
    for (limit, expected, cost) in [
        (18, [Name, Name], 18),
        (42, [Name, Name], 18),
        (50, [Short, Short], 50),
        (90, [Full, Full], 90),
    ] {
        let budgeted = budget::<Ladder>(&library.clone().limit(limit), &[]).unwrap();
        assert_eq!((budgeted.forms(), budgeted.cost), (expected.to_vec(), cost), "{limit}");
    }
}

#[test]
fn when_not_all_names_fit_the_rest_is_counted_by_category() {
    // Two names, and one count line of 3 for the third.
    let library = add(plain(&["a", "b"]), "hot", |skill| skill.used(9, 0));
    let settings = [setting("gain-short", 0.46), setting("gain-full", 0.46)];
    let budgeted = budget::<Ladder>(&library.limit(13), &settings).unwrap();
    let counted = budgeted.lines.iter().filter(|line| line.form == Counted).count();
    assert_eq!((budgeted.lines[2].form, counted, budgeted.cost), (Name, 1, 13));
}

#[test]
fn when_count_lines_would_eat_the_room_one_line_counts_the_rest() {
    let many = (0..10).fold(Library::new(), |library, n| {
        let category = format!("c{n}");
        library
            .skill(&category, &format!("s{n}"), |skill| skill.costs(40, 20, 5).used(n, 0))
            .category(&category, |category| category.costs(4, 4, 10))
    });
    // The count lines of all ten categories would cost 100. One line costs 24, which leaves room for names of 5 + 4.
    let budgeted = budget::<Ladder>(&many.limit(60), &[]).unwrap();
    let counted = budgeted.lines.iter().filter(|line| line.form == Counted).count();
    assert_eq!((counted, budgeted.cost), (6, 60));
    assert_eq!(budgeted.lines[9].form, Name);
}

#[test]
fn when_nothing_fits_everything_is_counted() {
    for limit in [0, 1, 3, 7] {
        assert_eq!(forms(&plain(&["a", "b"]).limit(limit)), [Counted, Counted], "{limit}");
    }
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

#[test]
fn the_form_that_a_skill_had_weighs_in() {
    let used =
        |uses: i64, previous| move |skill: SkillFacts| skill.used(uses, 0).previous_form(previous);
    for (uses, expected) in [(10, [Name, Short]), (12, [Name, Short]), (60, [Short, Name])] {
        let library = add(Library::new(), "rising", used(uses, Name));
        let library = add(library, "shown", used(10, Short)).limit(25);
        assert_eq!(forms(&library), expected, "{uses}");
    }
}

#[test]
fn each_skill_says_why_it_has_its_form() {
    let library = add(Library::new(), "pinned", SkillFacts::pinned);
    let library = add(library, "used", |skill| skill.used(5, 0));
    let library = add(library, "capped", |skill| skill.form_cap(Name));
    let library = add(library, "unused", |skill| skill);
    let expected = [
        line("pinned", Full, "pinned, so it comes first"),
        line("used", Short, "its use is worth the room"),
        line("capped", Name, "no more is allowed, by the demotion rule or by you"),
        line("unused", Name, "there was no room for more"),
    ];
    assert_eq!(budget::<Ladder>(&library.limit(70), &[]).unwrap().lines, expected);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in [
        setting("decay-days", 0.0),
        setting("exploration", 1.5),
        setting("gain-name", 0.9),
        setting("stickiness", f64::NAN),
    ] {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<Ladder>(&plain(&["a"]), &[settings]), expected);
    }
}

#[test]
fn a_library_without_skills_is_no_fault() {
    assert_eq!(budget::<Ladder>(&Library::new().limit(10), &[]).unwrap().lines, []);
}
