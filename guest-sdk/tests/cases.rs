//! Files of cases: what is read, what a mistake says, what a difference looks like, what blessing changes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use skillkeep_policy::curator::{Answer, CuratorPolicy, Request};
use skillkeep_policy::testkit::cases::{Judged, Slot, Subject, Told, bless, native, parse};
use skillkeep_policy::{DAY, Key, Policy, Refusal, key};

skillkeep_policy::settings! {
    struct Settings {
        /// Days.
        days: i64 = 10 => 1..=100,
    }
}

skillkeep_policy::reasons! {
    enum Reason { Idle { days: i64 } = "idle for {0} days", Empty = "nothing to decide" }
}

/// Archives what is idle, and refuses an empty library.
struct Probe;

impl Policy for Probe {
    type Settings = Settings;
    type Reason = Reason;
    const NAME: &'static str = "probe";
    const VERSION: &'static str = "0.1.0";
    const SUMMARY: &'static str = "for tests";
    const NEEDS: &'static [Key] = &[key::LAST_USED];
}

impl CuratorPolicy for Probe {
    fn decide(
        request: &Request<'_>,
        settings: &Settings,
    ) -> Result<Answer<Reason>, Refusal<Reason>> {
        if request.skills().len() == 0 {
            return Err(Refusal::Other(Reason::Empty));
        }
        let mut answer = Answer::default();
        for skill in request.skills() {
            let Some(last_used) = skill.last_used() else { continue };
            let days = (request.now() - last_used) / DAY;
            if days >= settings.days {
                answer.archive(skill, Reason::Idle { days });
            }
        }
        Ok(answer)
    }
}

fn judge(text: &str) -> Vec<Judged> {
    let file = parse("probe.md", text).unwrap();
    let subject = Subject::of::<Probe>();
    let ask = |case: &skillkeep_policy::testkit::cases::Case| {
        case.judge(Slot::Curator, &subject, &mut native::curator::<Probe>).unwrap()
    };
    file.cases.iter().map(ask).collect()
}

const GOOD: &str = "\
# Idle skills

| skill | last-used |
| ----- | --------- |
| old   | 40 days ago |
| new   | 1 day ago |

## the old one goes

Prose, with a list:

* of points

expect:

| skill | verdict | why |
| --- | --- | --- |
| old | archive | idle for 40 days |

## a longer patience keeps both

- set days = 41

expect: nothing

## a patience of nothing is refused

- set days = 0

expect: refused: bad setting `days`

## what is told of a skill is laid over

| skill | last-used |
| ----- | --------- |
| old   | now |
| third | 2026-01-01 |

expect:

| skill | verdict |
| --- | --- |
| third | archive |

## the same question with other patience

expect:

| set days | last-used of new | old     | new |
| -------- | ---------------- | ------- | --- |
| 40       |                  | archive |     |
| 41       |                  |         | -   |
|          | 10 days ago      | archive | archive |
| 0        |                  | refused: bad setting `days` | |
";

#[test]
fn a_file_that_is_right_has_no_differences() {
    let differences: Vec<_> = judge(GOOD).into_iter().map(|it| it.difference).collect();
    assert_eq!(differences, [None, None, None, None, None]);
    let file = parse("probe.md", GOOD).unwrap();
    assert_eq!(file.title, "Idle skills");
    assert_eq!(
        (file.cases[1].name.as_str(), file.cases[1].line),
        ("a longer patience keeps both", 20)
    );
}

#[test]
fn a_difference_names_the_line_and_both_sides() {
    for (from, to, expected) in [
        (
            "| old | archive | idle for 40 days |",
            "| new | archive | idle for 1 days |",
            vec![
                "   18 - | new | archive | idle for 1 days |\n      + | old | archive | idle for 40 days |\n",
            ],
        ),
        (
            "idle for 40 days",
            "idle for 41 days",
            vec![
                "   18 - | old | archive | idle for 41 days |\n      + | old | archive | idle for 40 days |\n",
            ],
        ),
        (
            "- set days = 41",
            "- set days = 40",
            vec!["   24 - nothing\n      + | old | archive | idle for 40 days |\n"],
        ),
        (
            "- set days = 0",
            "- set days = 100",
            vec!["   30 - refused: bad setting `days`\n      + nothing\n"],
        ),
        (
            "| 41       |                  |         | -   |",
            "| 41       |                  | archive | -   |",
            vec!["   52 - | 41 |  | archive | - |\n      + | 41 |  | - | - |\n"],
        ),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let judged = judge(&GOOD.replacen(from, to, 1));
        let found: Vec<_> = judged.iter().filter_map(|it| it.difference.as_deref()).collect();
        assert_eq!(found, expected, "{to}");
    }
}

#[test]
fn blessing_rewrites_what_is_expected_and_keeps_every_other_byte() {
    let wrong = GOOD
        .replacen("| old | archive | idle for 40 days |", "| old | keep | because |", 1)
        .replacen("- set days = 41", "- set days = 39", 1)
        .replacen(
            "|          | 10 days ago      | archive | archive |",
            "|          | 10 days ago      | | |",
            1,
        );
    let file = parse("probe.md", &wrong).unwrap();
    let judged = judge(&wrong);
    let pairs: Vec<_> = file.cases.iter().zip(&judged).collect();
    let blessed = bless(&wrong, Slot::Curator, &pairs);
    assert!(judge(&blessed).iter().all(|it| it.difference.is_none()), "{blessed}");
    let outside = |text: &str| {
        let mut kept = Vec::new();
        let mut within = false;
        for line in text.lines() {
            within = line.starts_with("expect:") || (within && !line.starts_with("## "));
            if !within {
                kept.push(line.to_owned());
            }
        }
        kept
    };
    assert_eq!(outside(&blessed), outside(&wrong));
    let nothing_wrong: Vec<_> = judge(GOOD);
    let file = parse("probe.md", GOOD).unwrap();
    let pairs: Vec<_> = file.cases.iter().zip(&nothing_wrong).collect();
    assert_eq!(bless(GOOD, Slot::Curator, &pairs), GOOD);
}

#[test]
fn an_expectation_that_is_not_written_yet_is_written_where_it_belongs() {
    for text in [
        "## empty\n\nNo skill.\n\n## next\n\n- set days = 7\n",
        "## only one",
        "## windows\r\n\r\n",
    ] {
        let file = parse("probe.md", text).unwrap();
        let judged = judge(text);
        let pairs: Vec<_> = file.cases.iter().zip(&judged).collect();
        let blessed = bless(text, Slot::Curator, &pairs);
        assert!(judge(&blessed).iter().all(|it| it.difference.is_none()), "{blessed:?}");
        assert_eq!(
            blessed.matches("expect: refused: missing fact").count()
                + blessed.matches("expect: refused: nothing to decide").count(),
            file.cases.len(),
            "{blessed:?}"
        );
        assert_eq!(text.contains("\r\n"), blessed.contains("\r\nexpect:"), "{blessed:?}");
    }
}

#[test]
fn a_mistake_is_said_with_its_line_and_what_was_expected() {
    for (text, expected) in [
        ("", "x.md:1: found no case, expected at least one, such as `## a name`"),
        (
            "## a\n## a\n",
            "x.md:2: found a second case `a`, after that of line 1, expected another name",
        ),
        (
            "## a\n| skil | uses |\n| --- | --- |\n",
            "x.md:2: found a table that begins with `skil`, expected `skill`, `category` or `write`\nhint: a table of what is expected stands below `expect:`",
        ),
        (
            "## a\n| write | is | why |\n| --- | --- | --- |\n| actor | job | - |\n",
            "x.md:2: found a table of a write with 3 columns, expected two: the fact's key, and what it is",
        ),
        (
            "## a\n| write | is |\n| --- | --- |\n| pinned | perhaps |\nexpect: nothing\n",
            "x.md:4: found `perhaps` for `pinned`, expected `yes` or `no`",
        ),
        (
            "## a\n| skill | uses |\n| --- | --- |\n| b |\n",
            "x.md:4: found 1 cell, expected 2, as many as the table has headings\nhint: a bar within a cell is written `\\|`",
        ),
        (
            "## a\n| skill | uses |\n| --- | --- |\n| b | many |\nexpect: nothing\n",
            "x.md:4: found `many` for `uses`, expected a whole number, an age such as `40 days ago`, or a time such as `2026-05-28T20:00:00Z`",
        ),
        (
            "## a\n- limit = 3\n",
            "x.md:2: found `- limit = 3`, expected `- set key = value`, `- fact key = value`, `- write key = value`, `- now: …`, `- seed: …`, `- limit: …`, `- fixed: …` or `- slot: …`\nhint: a list that is prose has `*` before its points",
        ),
        (
            "## a\n- limit: few\n",
            "x.md:2: found `few` for `limit`, expected a whole number, not below 0",
        ),
        (
            "## a\nexpect: wonders\n",
            "x.md:2: found `wonders`, expected a table, `nothing`, or `refused: …`",
        ),
        (
            "## a\nexpect:\n",
            "x.md:3: found nothing below `expect:`, expected a table, `nothing`, or `refused: …`\nhint: without the line `expect:`, `--bless` writes both",
        ),
        (
            "expect: nothing\n",
            "x.md:1: found `expect:`, expected a case before it, such as `## a name`",
        ),
        (
            "- slot: budge\n",
            "x.md:1: found `budge`, expected one of `demotion`, `budget`, `curator`, `provenance`",
        ),
    ] {
        let problem = parse("x.md", text).unwrap_err();
        assert_eq!(problem.to_string(), expected, "{text:?}");
    }
}

#[test]
fn a_case_that_does_not_fit_its_policy_says_so() {
    let subject = Subject::of::<Probe>();
    for (text, expected) in [
        (
            "## a\n- set day = 1\nexpect: nothing\n",
            "x.md:2: found the setting `day`, expected one of `days`",
        ),
        (
            "## a\n| skill | last_used |\n| --- | --- |\n| b | now |\nexpect: nothing\n",
            "x.md:4: found the fact `last_used`, expected one of the dictionary, or one that the policy asks for\nhint: `skillkeep policy show` lists what a policy needs and wants",
        ),
        (
            "- slot: budget\n## a\nexpect: nothing\n",
            "x.md:2: found a case for `budget`, expected one for `curator`",
        ),
        (
            "## a\nexpect:\n| skill | form |\n| --- | --- |\n",
            "x.md:2: found a table for `budget`, expected one for `curator`",
        ),
        (
            "## a\n| skill | last-used |\n| --- | --- |\n| b | now |\nexpect:\n| skill | verdict |\n| --- | --- |\n| c | keep |\n",
            "x.md:8: found `c`, expected a name of the tables above",
        ),
    ] {
        let file = parse("x.md", text).unwrap();
        let judged = file.cases[0].judge(Slot::Curator, &subject, &mut native::curator::<Probe>);
        assert_eq!(judged.unwrap_err().to_string(), expected, "{text:?}");
    }
}

#[test]
fn what_is_told_has_names_and_filled_reasons() {
    let told: Vec<_> = judge(GOOD).into_iter().map(|it| it.runs[0].told.clone()).collect();
    let row = ["old", "archive", "idle for 40 days"].map(str::to_owned).to_vec();
    assert_eq!(told[0], Told::Rows(vec![row]));
    assert_eq!(told[2], Told::Refused("bad setting `days`".to_owned()));
}

#[test]
fn a_file_that_would_fill_the_memory_is_refused_before_it_does() {
    let table = |rows: usize| {
        let rows: String = (0..rows).map(|row| format!("| s{row} | now |\n")).collect();
        format!("| skill | last-used |\n| --- | --- |\n{rows}")
    };
    let asks = "| set days |  s0 |\n| --- | --- |\n".to_owned() + &"| 1 | |\n".repeat(200);
    for (text, expected) in [
        (
            format!("## a\n{}", table(5_001)),
            "x.md:5004: found one row more, expected 5000 in a table at most",
        ),
        (
            format!("{}\n## a\nexpect:\n{asks}", table(2_000)),
            "x.md:2005: found 402201 rows that are told up to here, expected 300000 in a file\nhint: use several files",
        ),
        (
            format!(
                "{}\n{}",
                table(4_000),
                (0..90).map(|n| format!("## case {n}\n")).collect::<String>()
            ),
            "x.md:4078: found 300075 rows that are told up to here, expected 300000 in a file\nhint: use several files",
        ),
    ] {
        assert_eq!(parse("x.md", &text).unwrap_err().to_string(), expected);
    }
}
