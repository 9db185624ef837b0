//! The rule by example: catalogues of characters, who is listed, and how much is said of each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_openclaw::OpenClaw;
use skillkeep_policy::Form;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Budgeted, Library, Refused, SkillFacts, budget, setting};

/// A catalogue in which a note of ten characters says that something is left out.
fn catalogue() -> Library {
    Library::new().fact("unit", "chars").fact("cost-rest", 10_i64)
}

/// A skill whose bare entry has 50 characters; a description has 20 around it.
fn add(
    library: Library,
    name: &str,
    length: i64,
    tell: impl FnOnce(SkillFacts) -> SkillFacts,
) -> Library {
    let full = if length == 0 { 50 } else { 70 + length };
    library
        .skill("all", name, |skill| {
            let skill = if length == 0 { skill } else { skill.fact("description-length", length) };
            tell(skill.costs(full, full, 50).fact("cost-bare", 50_i64))
        })
        .category("all", |category| category.costs(0, 0, 10))
}

fn many(count: usize, length: i64) -> Library {
    (0..count).fold(catalogue(), |it, n| add(it, &format!("s{n:03}"), length, |skill| skill))
}

fn chars(chars: i64) -> Entry {
    setting("max-chars", chars)
}

fn decide(library: &Library, settings: &[Entry]) -> Budgeted {
    budget::<OpenClaw>(library, settings).unwrap()
}

/// How many are described, named and counted, and the cut.
fn counts(budgeted: &Budgeted) -> (usize, usize, usize, Option<u32>) {
    let of =
        |form: &dyn Fn(Form) -> bool| budgeted.lines.iter().filter(|line| form(line.form)).count();
    let described = of(&|form| form <= Form::Short);
    (described, of(&|form| form == Form::Name), of(&|form| form == Form::Counted), budgeted.cut)
}

#[test]
fn names_come_first_and_then_the_longest_common_cut_from_4_to_220() {
    for (budget, expected) in [
        (3_700, (10, 0, 0, None)),
        (3_699, (10, 0, 0, Some(220))),
        (2_900, (10, 0, 0, Some(220))),
        (2_899, (10, 0, 0, Some(219))),
        (750, (10, 0, 0, Some(5))),
        (740, (10, 0, 0, Some(4))),
        (739, (0, 10, 0, None)),
        (500, (0, 10, 0, None)),
        (499, (0, 9, 1, None)),
        (260, (0, 5, 5, None)),
        (259, (0, 4, 6, None)),
        (9, (0, 0, 10, None)),
    ] {
        let budgeted = decide(&many(10, 300), &[chars(budget)]);
        assert_eq!(counts(&budgeted), expected, "{budget}");
        assert!(budgeted.cost <= budget.max(10), "{budget}");
    }
}

#[test]
fn a_description_that_is_shorter_than_the_cut_stays_whole() {
    let library = add(add(catalogue(), "aa", 30, |it| it), "bb", 300, |it| it);
    let budgeted = decide(&library, &[chars(250)]);
    assert_eq!((budgeted.forms(), budgeted.cut), (vec![Form::Full, Form::Short], Some(80)));
}

#[test]
fn the_first_150_by_the_alphabet_are_listed_whatever_their_order_and_use() {
    let library = many(160, 20);
    let backwards: Vec<usize> = (0..160).rev().collect();
    for library in [library.clone(), library.clone().reordered(&backwards)] {
        let budgeted = decide(&library, &[]);
        assert_eq!(counts(&budgeted), (150, 0, 10, None));
        let left: Vec<&str> = budgeted
            .lines
            .iter()
            .filter(|line| line.form == Form::Counted)
            .map(|line| line.skill.as_str())
            .collect();
        assert!(left.iter().all(|name| *name >= "s150"), "{left:?}");
    }
    assert_eq!(counts(&decide(&library, &[setting("max-skills", 3_i64)])), (3, 0, 157, None));
}

#[test]
fn the_default_is_18000_characters_with_what_stands_around_the_list() {
    // 100 entries of 180 characters.
    assert_eq!(decide(&many(100, 110), &[]).cut, None);
    assert_eq!(decide(&many(100, 110).fixed(1), &[]).cut, Some(109));
    assert_eq!(decide(&many(25, 110).fact("unit", "tokens"), &[]).cut, None);
    assert!(decide(&many(26, 110).fact("unit", "tokens"), &[]).cut.is_some());
}

#[test]
fn the_limit_that_is_asked_for_holds_too() {
    let budgeted = decide(&many(10, 300).limit(1_000), &[]);
    assert_eq!((budgeted.cut, budgeted.cost), (Some(30), 1_000));
}

#[test]
fn each_form_has_its_reason() {
    let library = add(many(2, 100), "s8", 0, |skill| skill);
    let library = add(library, "s9", 10, |skill| skill);
    let library = add(library, "t", 10, |skill| skill.form_cap(Form::Name));
    let library = add(library, "u", 10, |skill| skill);
    let whys = |budget: i64| -> Vec<String> {
        let settings = [chars(budget), setting("max-skills", 5_i64)];
        decide(&library, &settings).lines.into_iter().map(|line| line.why).collect()
    };
    let (silent, capped, beyond) = (
        "it has no description",
        "no more is allowed, by the demotion rule or by you",
        "by the alphabet it comes after the first 5",
    );
    let fits = "all descriptions fit";
    assert_eq!(whys(1_000), [fits, fits, silent, fits, capped, beyond]);
    let cut = "not all descriptions fit, so all are cut at the same length, 50 scalars";
    let shorter = "its description is no longer than the cut that all have";
    assert_eq!(whys(430), [cut, cut, silent, shorter, capped, beyond]);
    let names = "the names fit, and no description beside them";
    assert_eq!(whys(270), [names, names, silent, names, capped, beyond]);
    let after = "by the alphabet it comes after those whose names fit";
    assert_eq!(whys(170), [names, names, silent, after, after, beyond]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in [
        setting("max-skills", -1_i64),
        chars(-1),
        setting("min-cut", 0_i64),
        setting("max-cut", 0_i64),
    ] {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<OpenClaw>(&catalogue(), &[settings]), expected);
    }
}
