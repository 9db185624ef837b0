//! The rule by example: small libraries with given costs, and whose lines are kept.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use budget_progressive::Progressive;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Library, Line, Refused, SkillFacts, budget, setting};
use skillkeep_policy::{DAY, Form};

/// Skills whose lines cost 36, in categories that cost nothing.
fn library(skills: &[(&str, &str)], used: &[(&str, i64, i64)]) -> Library {
    skills.iter().fold(free(), |library, (category, name)| {
        let record = used.iter().find(|(used, _, _)| used == name);
        let tell = |skill: SkillFacts| match record {
            Some((_, uses, ago)) => skill.used(*uses, *ago),
            None => skill,
        };
        add(library, category, name, 36, tell)
    })
}

/// Counting costs nothing, as in the program whose rule this is.
fn free() -> Library {
    Library::new().fact("cost-rest", 0_i64)
}

fn add(
    library: Library,
    category: &str,
    name: &str,
    cost: i64,
    tell: impl FnOnce(SkillFacts) -> SkillFacts,
) -> Library {
    library
        .skill(category, name, |skill| tell(skill.costs(cost, cost, 5)))
        .category(category, |category| category.costs(0, 0, 0))
}

fn kept(library: &Library, settings: &[Entry]) -> Vec<String> {
    let budgeted = budget::<Progressive>(library, settings).unwrap();
    let kept = budgeted.lines.into_iter().filter(|line| line.form == Form::Full);
    kept.map(|line| line.skill).collect()
}

fn better() -> [Entry; 2] {
    [setting("blocks", "all"), setting("misfit", "skip")]
}

const FIVE: [(&str, &str); 5] = [("a", "s1"), ("a", "s2"), ("a", "s3"), ("a", "s4"), ("a", "s5")];

#[test]
fn in_a_block_that_does_not_fit_the_used_come_first_and_the_order_stays() {
    let library = library(&FIVE, &[("s5", 1, 0), ("s4", 9, 90 * DAY)]);
    for (limit, expected) in [
        (0, &[][..]),
        (35, &[]),
        (36, &["s5"]),
        (72, &["s4", "s5"]),
        (120, &["s1", "s4", "s5"]),
        (179, &["s1", "s2", "s4", "s5"]),
        (180, &["s1", "s2", "s3", "s4", "s5"]),
    ] {
        let library = library.clone().limit(limit);
        assert_eq!(kept(&library, &[]), expected, "{limit}");
        assert_eq!(kept(&library, &better()), expected, "one block, {limit}");
    }
}

#[test]
fn the_first_blocks_take_what_they_need_unless_all_are_one() {
    let skills = [("a", "s1"), ("a", "s2"), ("a", "s3"), ("b", "hot")];
    let library = library(&skills, &[("hot", 50, 0)]).limit(110);
    assert_eq!(kept(&library, &[]), ["s1", "s2", "s3"]);
    assert_eq!(kept(&library, &[setting("blocks", "all")]), ["s1", "s2", "hot"]);
}

#[test]
fn a_block_that_fits_is_kept_whole_and_the_next_one_is_served_from_what_is_left() {
    let skills = [("a", "s1"), ("a", "s2"), ("b", "t1"), ("b", "t2"), ("c", "u1")];
    assert_eq!(kept(&library(&skills, &[]).limit(110), &[]), ["s1", "s2", "t1"]);
}

#[test]
fn a_line_that_does_not_fit_stops_its_block_or_is_skipped() {
    let long = |tell: fn(SkillFacts) -> SkillFacts| {
        let library = add(free(), "a", "long", 300, tell);
        let library = add(library, "a", "s1", 13, |skill| skill);
        add(library, "b", "t1", 13, |skill| skill).limit(100)
    };
    for (note, library) in
        [("unused", long(|skill| skill)), ("used", long(|skill| skill.used(50, 0)))]
    {
        assert_eq!(kept(&library, &[]), ["t1"], "{note}");
        assert_eq!(kept(&library, &[setting("misfit", "skip")]), ["s1", "t1"], "{note}");
    }
}

#[test]
fn a_category_that_may_show_no_lines_is_counted() {
    let library = library(&FIVE[..1], &[])
        .skill("b", "named", |skill| skill.costs(0, 0, 0).form_cap(Form::Name))
        .category("b", |category| category.costs(0, 0, 0))
        .skill("b", "shortened", |skill| skill.costs(90, 10, 0).form_cap(Form::Short))
        .limit(46);
    let forms = budget::<Progressive>(&library, &[]).unwrap().forms();
    assert_eq!(forms, [Form::Full, Form::Counted, Form::Short]);
}

#[test]
fn where_headers_and_counts_have_a_price_they_are_paid_for() {
    let library = Library::new()
        .skill("a", "s1", |skill| skill.costs(10, 10, 5))
        .skill("a", "s2", |skill| skill.costs(10, 10, 5))
        .skill("b", "t1", |skill| skill.costs(10, 10, 5))
        .category("a", |category| category.costs(4, 4, 3))
        .category("b", |category| category.costs(4, 4, 3))
        .fact("cost-rest", 5_i64);
    for (limit, expected) in [
        (38, &["s1", "s2", "t1"][..]),
        (37, &["s1", "s2"]),
        (29, &["s1", "s2"]),
        (28, &["s1"]),
        (18, &[]),
    ] {
        let library = library.clone().limit(limit);
        assert_eq!(kept(&library, &[]), expected, "{limit}");
        assert!(budget::<Progressive>(&library, &[]).unwrap().cost <= i64::from(limit), "{limit}");
    }
}

#[test]
fn each_form_has_its_reason() {
    let library = library(&FIVE[..4], &[("s3", 1, 0)])
        .skill("b", "named", |skill| skill.form_cap(Form::Name))
        .category("b", |category| category.costs(0, 0, 0))
        .limit(80);
    let line =
        |skill: &str, form, why: &str| Line { skill: skill.to_owned(), form, why: why.to_owned() };
    let (full, counted) = (Form::Full, Form::Counted);
    let expected = [
        line("s1", full, "its block didn't fit whole, and there was room for it in its turn"),
        line("s2", counted, "there was no room for its line"),
        line("s3", full, "its block didn't fit whole, and used skills come first"),
        line("s4", counted, "there was no room for its line"),
        line("named", counted, "no line is allowed, by the demotion rule or by you"),
    ];
    assert_eq!(budget::<Progressive>(&library, &[]).unwrap().lines, expected);
    let whole = budget::<Progressive>(&library.limit(200), &[]).unwrap().lines;
    assert_eq!(whole[0], line("s1", full, "all lines of its block fit"));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in
        [setting("decay-days", 0.0), setting("blocks", "none"), setting("misfit", "drop")]
    {
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(budget::<Progressive>(&free(), &[settings]), expected);
    }
}
