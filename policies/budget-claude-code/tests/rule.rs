//! The rule by example: lists of characters, and whose descriptions are dropped.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_claude_code::ClaudeCode;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Budgeted, Library, Refused, SkillFacts, budget, setting};
use skillkeep_policy::{DAY, Form};

/// A list of lines `- name: description`, which stand in no category.
fn list() -> Library {
    Library::new().fact("unit", "chars").fact("cost-rest", 12_i64)
}

/// A skill of the list: its name has two characters, and so a bare line five.
fn add(
    library: Library,
    name: &str,
    length: usize,
    tell: impl FnOnce(SkillFacts) -> SkillFacts,
) -> Library {
    let length = i64::try_from(length).unwrap();
    let full = if length == 0 { 5 } else { 7 + length };
    library
        .skill("all", name, |skill| {
            let skill = if length == 0 { skill } else { skill.fact("description-length", length) };
            tell(skill.costs(full, full, 5).fact("cost-bare", 5_i64))
        })
        .category("all", |category| category.costs(0, 0, 12))
}

/// Four skills with descriptions of 100 characters; `s2` was never used.
fn four() -> Library {
    let library = add(list(), "s1", 100, |skill| skill.used(4, 7 * DAY));
    let library = add(library, "s2", 100, |skill| skill);
    let library = add(library, "s3", 100, |skill| skill.used(100, 400 * DAY));
    add(library, "s4", 100, |skill| skill.used(1, 0))
}

/// A budget of so many characters, by way of the window.
fn chars(chars: i64) -> Entry {
    setting("window", chars * 25)
}

fn decide(library: &Library, settings: &[Entry]) -> Budgeted {
    budget::<ClaudeCode>(library, settings).unwrap()
}

fn described(budgeted: &Budgeted) -> Vec<&str> {
    let lines = budgeted.lines.iter().filter(|line| line.form <= Form::Short);
    lines.map(|line| line.skill.as_str()).collect()
}

#[test]
fn whole_descriptions_go_until_the_list_fits_those_of_the_least_worth_first() {
    // Worth: s1 4·½ = 2, s2 0, s3 100·0.1 = 10, s4 1.
    for (budget, expected) in [
        (428, &["s1", "s2", "s3", "s4"][..]),
        (427, &["s1", "s3", "s4"]),
        (326, &["s1", "s3", "s4"]),
        (325, &["s1", "s3"]),
        (224, &["s1", "s3"]),
        (223, &["s3"]),
        (122, &["s3"]),
        (121, &[]),
        (1, &[]),
    ] {
        let budgeted = decide(&four(), &[chars(budget)]);
        assert_eq!(described(&budgeted), expected, "{budget}");
        assert!(budgeted.lines.iter().all(|line| line.form <= Form::Name), "{budget}");
    }
}

#[test]
fn of_those_that_are_worth_the_same_the_later_ones_lose_theirs() {
    let library = ["aa", "bb", "cc"].iter().fold(list(), |it, name| add(it, name, 100, |s| s));
    assert_eq!(described(&decide(&library, &[chars(250)])), ["aa", "bb"]);
}

#[test]
fn a_use_counts_half_after_a_week_and_a_tenth_at_last() {
    for (first, second, kept) in [
        ((2, 7), (1, 1), "aa"),
        ((2, 8), (1, 0), "bb"),
        ((4, 14), (1, 1), "aa"),
        ((10, 3_650), (1, 1), "aa"),
        ((10, 24), (10, 3_650), "aa"),
        ((9, 3_650), (1, 1), "bb"),
    ] {
        let add_used = |library, name, (uses, days): (i64, i64)| {
            add(library, name, 50, move |skill| skill.used(uses, days * DAY))
        };
        let library = add_used(add_used(list(), "aa", first), "bb", second);
        assert_eq!(described(&decide(&library, &[chars(65)])), [kept], "{first:?} {second:?}");
    }
}

#[test]
fn the_default_is_one_percent_of_the_window_at_four_characters_a_token() {
    let many = |count: usize| {
        (0..count).fold(list(), |it, n| add(it, &format!("{n:02}"), 393, |skill| skill))
    };
    // 400 characters a line with its description: twenty of them are 8,000.
    assert_eq!(described(&decide(&many(20), &[])).len(), 20);
    assert_eq!(described(&decide(&many(21), &[])).len(), 19);
    assert_eq!(described(&decide(&many(21), &[setting("window", 1_000_000_i64)])).len(), 21);
    assert_eq!(described(&decide(&many(21).fact("unit", "tokens"), &[])).len(), 4);
}

#[test]
fn a_description_is_cut_at_1536() {
    let library = add(add(list(), "aa", 1_536, |it| it), "bb", 1_537, |it| it);
    let budgeted = decide(&library, &[]);
    assert_eq!(budgeted.forms(), [Form::Full, Form::Short]);
    assert_eq!((budgeted.cut, budgeted.cost), (Some(1_536), 2 * 1_543));
    let budgeted = decide(&library, &[setting("max-description", 100_i64)]);
    assert_eq!((budgeted.cut, budgeted.forms()), (Some(100), vec![Form::Short; 2]));
    assert_eq!(decide(&add(list(), "aa", 9, |it| it), &[]).cut, None, "nothing is cut");
}

#[test]
fn the_limit_that_is_asked_for_may_cost_names_its_own_never_does() {
    let budgeted = decide(&four(), &[chars(1)]);
    assert_eq!((budgeted.forms(), budgeted.cost), (vec![Form::Name; 4], 20));
    let budgeted = decide(&four().limit(19), &[]);
    let expected = vec![Form::Name, Form::Counted, Form::Counted, Form::Counted];
    assert_eq!((budgeted.forms(), budgeted.cost), (expected, 17));
}

#[test]
fn what_stands_before_the_list_is_not_in_its_budget() {
    assert_eq!(described(&decide(&four().fixed(500), &[chars(428)])).len(), 4);
    assert_eq!(described(&decide(&four().fixed(500).limit(900), &[chars(428)])).len(), 3);
}

#[test]
fn each_form_has_its_reason() {
    let library = add(four(), "s5", 0, |skill| skill);
    let library = add(library, "s6", 40, |skill| skill.form_cap(Form::Name));
    let whys = |settings: &[Entry], limit: u32| -> Vec<String> {
        let budgeted = decide(&library.clone().limit(limit), settings);
        budgeted.lines.into_iter().map(|line| line.why).collect()
    };
    let (kept, dropped, unused, silent, capped) = (
        "others are worth less, and dropping theirs was enough",
        "there was no room for all descriptions, and those of others are worth more",
        "there was no room for all descriptions, and it was never used",
        "it has no description",
        "no more is allowed, by the demotion rule or by you",
    );
    assert_eq!(whys(&[chars(250)], u32::MAX), [kept, unused, kept, dropped, silent, capped]);
    let fits = "all descriptions fit";
    assert_eq!(whys(&[], u32::MAX), [fits, fits, fits, fits, silent, capped]);
    assert_eq!(whys(&[], 29)[5], "not even all names fit");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in [
        setting("window", 0_i64),
        setting("share", 1.5),
        setting("max-description", 0_i64),
        setting("half-life-days", 0.0),
    ] {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<ClaudeCode>(&list(), &[settings]), expected);
    }
}
