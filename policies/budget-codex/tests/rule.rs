//! The rule by example: lists of bytes and of characters, and how long descriptions get.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_codex::Codex;
use skillkeep_policy::Form;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Budgeted, Library, Refused, SkillFacts, budget, setting};

/// A list of lines that stand in no category; what is left out leaves no mark.
fn list(unit: &'static str) -> Library {
    Library::new().fact("unit", unit).fact("cost-rest", 0_i64)
}

/// A skill whose bare line has twenty bytes; a description comes with a space before it.
fn add(
    library: Library,
    name: &str,
    description: &str,
    tell: impl FnOnce(SkillFacts) -> SkillFacts,
) -> Library {
    let in_bytes = i64::try_from(description.len()).unwrap();
    let full = if in_bytes == 0 { 20 } else { 21 + in_bytes };
    library
        .skill("all", name, |skill| {
            let skill = if description.is_empty() { skill } else { skill.description(description) };
            tell(skill.costs(full, full, 20).fact("cost-bare", 20_i64))
        })
        .category("all", |category| category.costs(0, 0, 0))
}

fn three(unit: &'static str) -> Library {
    let library = add(list(unit), "aa", &"a".repeat(11), |skill| skill);
    let library = add(library, "bb", &"b".repeat(51), |skill| skill);
    add(library, "cc", &"c".repeat(91), |skill| skill)
}

/// A budget of so many tokens, by way of the window.
fn tokens(tokens: i64) -> Entry {
    setting("window", tokens * 50)
}

fn decide(library: &Library, settings: &[Entry]) -> Budgeted {
    budget::<Codex>(library, settings).unwrap()
}

#[test]
fn all_descriptions_are_cut_at_the_one_length_that_fits() {
    let (full, short, name) = (Form::Full, Form::Short, Form::Name);
    // Lines of 32, 72 and 112 bytes: 8, 18 and 28 tokens.
    for (budget, cut, forms) in [
        (54, None, [full, full, full]),
        (53, Some(87), [full, full, short]),
        (46, Some(59), [full, full, short]),
        (44, Some(51), [full, full, short]),
        (43, Some(47), [full, short, short]),
        (24, Some(11), [full, short, short]),
        (23, Some(7), [short, short, short]),
        (18, Some(3), [short, short, short]),
        (17, None, [name, name, name]),
        (15, None, [name, name, name]),
    ] {
        let budgeted = decide(&three("bytes"), &[tokens(budget)]);
        assert_eq!((budgeted.cut, budgeted.forms()), (cut, forms.to_vec()), "{budget}");
        assert!(budgeted.cost <= budget * 4, "{budget}");
    }
}

#[test]
fn where_not_even_all_names_fit_as_many_as_do_in_their_order() {
    let (name, counted) = (Form::Name, Form::Counted);
    let library = add(three("bytes"), "ab", "", |skill| skill.costs(8, 8, 8));
    for (budget, forms) in [
        (17, [name, name, name, name]),
        (16, [name, name, counted, name]),
        (7, [name, counted, counted, name]),
        (6, [name, counted, counted, counted]),
        (4, [counted, counted, counted, name]),
        (1, [counted; 4]),
    ] {
        let budgeted = decide(&library, &[tokens(budget)]);
        assert_eq!(budgeted.forms(), forms, "{budget}");
    }
}

#[test]
fn a_token_is_four_bytes_and_the_last_of_a_line_is_a_whole_one() {
    // Nine characters of three bytes each: 21 + 27 bytes.
    let library = add(list("bytes"), "jp", &"日".repeat(9), |skill| skill);
    for (budget, cut) in [(12, None), (11, Some(7)), (10, Some(6)), (9, Some(5)), (6, Some(1))] {
        let budgeted = decide(&library, &[tokens(budget)]);
        assert_eq!(budgeted.cut, cut, "{budget}");
    }
    assert_eq!(decide(&library, &[tokens(5)]).forms(), [Form::Name]);
}

#[test]
fn the_default_is_two_percent_of_the_window_or_8000_characters() {
    let many = |unit, count: usize| {
        (0..count)
            .fold(list(unit), |it, n| add(it, &format!("{n:03}"), &"x".repeat(379), |skill| skill))
    };
    // 400 bytes a line: 54 of them are 5,400 of 5,440 tokens.
    assert_eq!(decide(&many("bytes", 54), &[]).cut, None);
    assert_eq!(decide(&many("bytes", 55), &[]).cut, Some(371));
    let unknown = [setting("window", 0_i64)];
    assert_eq!(decide(&many("chars", 20), &unknown).cut, None);
    assert_eq!(decide(&many("chars", 21), &unknown).cut, Some(359));
    assert_eq!(decide(&many("tokens", 5), &unknown).cut, None);
    assert!(decide(&many("tokens", 6), &unknown).cut.is_some());
}

#[test]
fn the_limit_that_is_asked_for_holds_too() {
    let budgeted = decide(&three("chars").limit(130), &[]);
    assert_eq!((budgeted.cut, budgeted.cost), (Some(28), 130));
    // What stands before the list is in the limit, not in the budget.
    let budgeted = decide(&three("chars").fixed(100).limit(230), &[]);
    assert_eq!((budgeted.cut, budgeted.cost), (Some(28), 230));
}

#[test]
fn each_form_has_its_reason() {
    let library = add(three("bytes"), "dd", "", |skill| skill);
    let library = add(library, "ee", "some", |skill| skill.form_cap(Form::Name));
    let whys = |budget: i64| -> Vec<String> {
        decide(&library, &[tokens(budget)]).lines.into_iter().map(|line| line.why).collect()
    };
    let (silent, capped) =
        ("it has no description", "no more is allowed, by the demotion rule or by you");
    let fits = "all descriptions fit";
    assert_eq!(whys(100), [fits, fits, fits, silent, capped]);
    let cut = "all descriptions are cut at the same length, 47 scalars";
    let shorter = "its description is no longer than the cut that all have";
    assert_eq!(whys(53), [shorter, cut, cut, silent, capped]);
    let names = "the names fit, and no description beside them";
    assert_eq!(whys(25), [names, names, names, silent, capped]);
    let filled = "not even all names fit, and there was room for it in its turn";
    let omitted = "not even all names fit, and there was no room left for it";
    assert_eq!(whys(10), [filled, filled, omitted, omitted, omitted]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in
        [setting("window", -1_i64), setting("share", -0.1), setting("bytes-per-token", 0_i64)]
    {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<Codex>(&list("bytes"), &[settings]), expected);
    }
}
