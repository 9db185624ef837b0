//! The rule by example: an index by category in characters, and what each line says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_hermes::Hermes;
use skillkeep_policy::Form;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Budgeted, Library, Refused, SkillFacts, budget, setting};

fn index() -> Library {
    Library::new().fact("unit", "chars").fact("cost-rest", 8_i64)
}

fn add(
    library: Library,
    category: &str,
    name: &str,
    length: i64,
    tell: impl FnOnce(SkillFacts) -> SkillFacts,
) -> Library {
    let full = if length == 0 { 10 } else { 12 + length };
    library
        .skill(category, name, |skill| {
            let skill = if length == 0 { skill } else { skill.fact("description-length", length) };
            tell(skill.costs(full, full, 5).fact("cost-bare", 10_i64))
        })
        .category(category, |category| category.costs(6, 15, 7))
}

fn decide(library: &Library, settings: &[Entry]) -> Budgeted {
    budget::<Hermes>(library, settings).unwrap()
}

#[test]
fn every_description_is_cut_at_60_whatever_that_costs() {
    let library = [(59, Form::Full), (60, Form::Full), (61, Form::Short), (4_000, Form::Short)];
    let index = library.iter().enumerate().fold(index(), |it, (n, (length, _))| {
        add(it, "a", &format!("s{n}"), *length, |skill| skill)
    });
    let budgeted = decide(&index, &[]);
    assert_eq!(budgeted.forms(), library.map(|(_, form)| form));
    assert_eq!((budgeted.cut, budgeted.cost), (Some(60), 6 + 71 + 3 * 72));
    let budgeted = decide(&index, &[setting("cut", 4_000_i64)]);
    assert_eq!((budgeted.forms(), budgeted.cut), (vec![Form::Full; 4], None));
}

#[test]
fn without_a_limit_nobody_loses_a_line_however_many_there_are() {
    let index =
        (0..1_000).fold(index(), |it, n| add(it, "a", &format!("s{n}"), 200, |skill| skill));
    assert!(decide(&index, &[]).forms().iter().all(|form| *form == Form::Short));
}

#[test]
fn a_category_of_the_compact_list_shows_its_names() {
    let index = add(index(), "a", "s1", 30, |skill| skill);
    let index = add(index, "gaming", "s2", 30, |skill| skill.form_cap(Form::Name));
    let budgeted = decide(&index, &[]);
    assert_eq!(budgeted.forms(), [Form::Full, Form::Name]);
    assert_eq!(budgeted.lines[1].why, "no more is allowed, by the demotion rule or by you");
}

#[test]
fn a_skill_without_a_description_has_a_line_of_its_name() {
    let budgeted = decide(&add(index(), "a", "s1", 0, |skill| skill), &[]);
    assert_eq!(budgeted.forms(), [Form::Full]);
    assert_eq!(budgeted.lines[0].why, "it has no description, and so a line of its name");
}

#[test]
fn within_a_limit_names_stay_and_lines_are_filled_in_from_the_first_on() {
    let (full, short, name, counted) = (Form::Full, Form::Short, Form::Name, Form::Counted);
    let index = add(index(), "a", "s1", 100, |skill| skill);
    let index = add(add(index, "a", "s2", 100, |skill| skill), "b", "t1", 10, |skill| skill);
    for (limit, forms) in [
        (178, [short, short, full]),
        (177, [short, short, name]),
        (170, [short, short, name]),
        (169, [short, name, full]),
        (126, [short, name, full]),
        (125, [short, name, name]),
        (118, [short, name, name]),
        (117, [name, name, full]),
        (53, [name, name, full]),
        (52, [name, name, name]),
        (45, [name, name, name]),
        (44, [name, name, counted]),
        (32, [name, name, counted]),
        (31, [name, counted, counted]),
        (27, [counted; 3]),
        (8, [counted; 3]),
    ] {
        let budgeted = decide(&index.clone().limit(limit), &[]);
        assert!(budgeted.cost <= i64::from(limit), "{limit}: {}", budgeted.cost);
        assert_eq!(budgeted.forms(), forms, "{limit}");
    }
}

#[test]
fn each_form_has_its_reason() {
    let index = add(index(), "a", "s1", 10, |skill| skill);
    let index = add(add(index, "a", "s2", 100, |skill| skill), "a", "s3", 100, |skill| skill);
    let whys = |limit: u32| -> Vec<String> {
        decide(&index.clone().limit(limit), &[]).lines.into_iter().map(|line| line.why).collect()
    };
    let whole = "its description is no longer than 60 scalars";
    let cut = "every description is cut at 60 scalars";
    assert_eq!(whys(1_000), [whole, cut, cut]);
    assert_eq!(whys(125)[2], "there was no room for its line, after those before it");
    assert_eq!(whys(29)[2], "not even all names fit");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in [setting("cut", 0_i64), setting("cut", "long")] {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<Hermes>(&index(), &[settings]), expected);
    }
}
