//! The room as a whole: what may become a task, what comes of it, and how that is shown.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::{
    decision::{CategoryPrice, Form, Prices, SkillPrice},
    skill::OneLine,
};

fn source(skill: usize, name: &str, description: &str, body: &str) -> Source {
    Source {
        skill,
        name: name.to_owned(),
        qualified: format!("c/{name}"),
        line: format!("{name}: {description}"),
        body: body.to_owned(),
    }
}

fn queries(sources: &[Source], per_skill: usize, seed: u64) -> Vec<String> {
    let drawn = draw(sources, per_skill, seed);
    drawn.tasks.iter().map(|task| format!("{} -> {}", task.query, task.skill)).collect()
}

const SCANS: &str = "# Scans\n\n## When to use\n- The pages of a contract were photographed sideways\n- Reads text out of pictures\n\n## Straighten skewed photographed pages\nText.\n\n## Usage\n";
const MAIL: &str = "# Mail\n\n## When to use\n- A customer complains about an invoice\n\n## Usage\nEscalate angry customers to billing colleagues politely.\n";

#[test]
fn tasks_come_from_what_the_index_does_not_say() {
    let sources = [
        source(0, "scans", "Reads text out of pictures. Use for OCR.", SCANS),
        source(1, "mail", "Writes letters.", MAIL),
        source(2, "empty", "Nothing more.", ""),
    ];
    assert_eq!(
        queries(&sources, 9, 1),
        [
            "The pages of a contract were photographed sideways -> 0",
            "Straighten skewed photographed pages -> 0",
            "A customer complains about an invoice -> 1",
        ]
    );
    assert_eq!(draw(&sources, 9, 1).without, 1);
    assert_eq!(queries(&sources, 1, 1).len(), 2, "one a skill");
    assert_eq!(queries(&sources, 0, 1).len(), 0);
}

#[test]
fn what_would_give_itself_away_is_no_task() {
    let body = |item: &str| format!("## When to use\n- {item}\n");
    let other = source(1, "other", "x", "Quite other words, pdf forms.");
    for (what, name, description, item, is_task) in [
        ("free", "ocr", "Reads pictures.", "Receipts photographed in bad light", true),
        (
            "all of it is in the line",
            "ocr",
            "For receipts photographed badly.",
            "Receipts, photographed badly",
            false,
        ),
        (
            "four words in a row are",
            "ocr",
            "Fix receipts photographed in bad weather.",
            "Old receipts photographed in bad light",
            false,
        ),
        (
            "three are",
            "ocr",
            "Fix receipts photographed in.",
            "Old receipts photographed in bad light",
            true,
        ),
        ("it holds the name", "bad-light", "x", "Receipts photographed in bad light", false),
        ("it holds a name of one word", "light", "x", "Receipts photographed in bad light", true),
        ("too few words tell", "ocr", "x", "When you use the light for it", false),
        ("too long", "ocr", "x", &"receipts light photographed ".repeat(11), false),
        ("an address", "ocr", "x", "Receipts photographed, see https://x.y light", false),
        ("other skills have the words", "ocr", "x", "Quite other words here", false),
    ] {
        let sources = [source(0, name, description, &body(item)), other.clone()];
        let drawn = draw(&sources, 9, 1).tasks;
        let own = drawn.iter().filter(|task| task.skill == 0).count();
        assert_eq!(own, usize::from(is_task), "{what}");
    }
    let twins = [source(0, "a", "x", SCANS), source(1, "b", "y", SCANS)];
    assert_eq!(queries(&twins, 9, 1), [""; 0], "nobody could tell whose they are");
}

proptest! {
    #[test]
    fn no_query_is_a_part_of_its_skills_line(
        bodies in proptest::collection::vec("(- [a-f]{1,3}( [a-f]{1,3}){2,6}\n){0,6}", 1..6),
        lines in proptest::collection::vec("[a-f]{1,3}( [a-f]{1,3}){0,12}", 6),
        seed in 0_u64..9,
    ) {
        let sources: Vec<Source> = bodies.iter().zip(&lines).enumerate()
            .map(|(row, (body, line))| source(row, &format!("skill{row}"), line, body)).collect();
        let drawn = draw(&sources, 5, seed);
        prop_assert_eq!(&drawn, &draw(&sources, 5, seed), "the same twice");
        for task in &drawn.tasks {
            let line = all_words(&sources[task.skill].line).join(" ");
            let query = all_words(task.query.as_str()).join(" ");
            prop_assert!(!format!(" {line} ").contains(&format!(" {query} ")), "`{}` in `{}`", query, line);
        }
        // What is drawn from a skill depends on no order of the skills.
        let mut turned = sources;
        turned.reverse();
        let mut others = draw(&turned, 5, seed).tasks;
        others.sort_by_key(|task| task.skill);
        prop_assert_eq!(drawn.tasks, others);
    }

    #[test]
    fn plain_rules_keep_the_limit_and_give_each_skill_a_form(
        skills in proptest::collection::vec((0_u32..3, 1_u32..30, 1_u32..30, 1_u32..9), 0..25),
        limit in 20_u64..500,
        capped in proptest::collection::vec(0_usize..4, 25),
    ) {
        let prices = Prices {
            limit,
            fixed: 5,
            rest: 6,
            skills: skills.iter().map(|(category, full, short, name)| SkillPrice {
                category: *category, full: full + short + name, short: short + name, name: *name,
            }).collect(),
            categories: vec![CategoryPrice { header: 3, names: 4, count: 5 }; 3],
        };
        let caps: Vec<Form> = capped.iter().take(skills.len()).map(|cap| Form::ALL[*cap]).collect();
        let first: Vec<usize> = (0..skills.len()).rev().collect();
        let forms = names(&prices, &caps, &first);
        prop_assert_eq!(forms.len(), caps.len());
        prop_assert!(prices.sum(forms.iter().copied()).least() <= limit);
        prop_assert!(forms.iter().zip(&caps).all(|(form, cap)| form >= cap));
    }
}

/// A board of name, form and text.
fn board(skills: &[(&str, Form, &str)]) -> Board {
    let skills = skills
        .iter()
        .enumerate()
        .map(|(skill, (name, form, text))| Shown {
            skill,
            name: (*name).to_owned(),
            category: "c".to_owned(),
            form: *form,
            text: (*form != Form::Counted).then(|| (*text).to_owned()),
        })
        .collect();
    Board {
        label: "rule".to_owned(),
        limit: Some(100),
        cost: 90,
        block: "the block".to_owned(),
        skills,
        fallback: None,
    }
}

fn task(query: &str, skill: usize) -> Task {
    Task { query: OneLine::new(query), skill, origin: Origin::File(1) }
}

#[test]
fn what_is_missed_is_missed_for_a_reason() {
    let board = board(&[
        ("scans", Form::Full, "scans: reads pictures"),
        ("mail", Form::Name, "mail"),
        ("hidden", Form::Counted, ""),
        ("twin", Form::Short, "twin: paper forms"),
        ("twin", Form::Short, "twin: paper forms"),
        ("forms", Form::Name, "forms"),
        ("bare", Form::Full, "bare"),
    ]);
    let tasks = [
        task("read my pictures", 0),
        task("write a letter", 1),
        task("hidden things", 2),
        task("paper", 3),
        task("paper forms", 5),
        task("unknown words", 0),
        task("gone", 99),
    ];
    let outcomes = by_words(&board, &tasks);
    let shares: Vec<[f64; 2]> =
        outcomes.iter().map(|outcome| [outcome.within(1), outcome.within(5)]).collect();
    assert_eq!(
        shares,
        [[1.0, 1.0], [0.0; 2], [0.0; 2], [0.5, 1.0], [0.0, 1.0], [0.0; 2], [0.0; 2]]
    );
    let why: Vec<String> = missed(&board, &tasks, &outcomes, 1)
        .iter()
        .map(|miss| format!("{} | {} | {}", miss.task.query, miss.why.word(), miss.why))
        .collect();
    assert_eq!(
        why,
        [
            "write a letter | name-only | by name only, which has no word of the query",
            "hidden things | counted | counted: not even its name is printed",
            "paper | outranked | outranked by `twin` (rank 1.5)",
            "paper forms | outranked | outranked by `twin` (rank 3.0, by name only)",
            "unknown words | no-word | its line has no word of the query",
            "gone | not-offered | not offered: a gate is shut, or it doesn't count",
        ]
    );
    assert_eq!(board.forms(), [3, 3, 1], "a line without a description is a name");
    let scores = Scores::of(&outcomes, true);
    assert_eq!(
        (percent(scores.top_1), scores.top_5.map(percent)),
        ("21.4".to_owned(), Some("42.9".to_owned()))
    );
    assert_eq!(Scores::of(&[], true).top_1, 0.0);
}

/// Answers from a list; what isn't in it is refused.
struct Scripted(Vec<(&'static str, &'static str)>, Mutex<usize>);

impl Ask for Scripted {
    fn ask(&self, system: &str, user: &str) -> Result<String, AskError> {
        assert_eq!(system, format!("the block\n{INSTRUCTION}"));
        *self.1.lock().unwrap() += 1;
        match self.0.iter().find(|(query, _)| *query == user) {
            Some((_, answer)) => Ok((*answer).to_owned()),
            None => Err(AskError { reason: OneLine::new("refused"), hopeless: true }),
        }
    }
}

#[test]
fn an_answer_must_be_a_printed_name() {
    let board = board(&[
        ("scans", Form::Full, "scans: reads pictures"),
        ("mail", Form::Name, "mail"),
        ("hidden", Form::Counted, ""),
        ("twin", Form::Short, "twin"),
        ("twin", Form::Short, "twin"),
    ]);
    let answers = vec![
        ("exact", "scans"),
        ("marked", " `Scans`. "),
        ("qualified", "c/mail"),
        ("wrong", "mail"),
        ("none", "none"),
        ("words", "I would open scans, since it reads pictures"),
        ("counted", "hidden"),
        ("twin", "twin"),
    ];
    let tasks = [
        task("exact", 0),
        task("marked", 0),
        task("qualified", 1),
        task("wrong", 0),
        task("none", 0),
        task("words", 0),
        task("counted", 2),
        task("twin", 3),
        task("exact", 99),
    ];
    let ask = Scripted(answers, Mutex::new(0));
    let boards = [&board, &board];
    assert_eq!(request_count(&boards, &tasks), 9, "equal blocks are asked once");
    let answered = ask_all(&ask, &boards, &tasks, &|_| {});
    assert_eq!(*ask.1.lock().unwrap(), 9);
    let outcomes = by_answers(&board, &tasks, &answered);
    let words: Vec<String> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Ranked { rank, .. } => format!("first of {}", rank.sharing),
            Outcome::Said(said) => format!("said {said}"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        words,
        [
            "first of 1",
            "first of 1",
            "first of 1",
            "said mail",
            "said none",
            "said I would open scans, since it reads pictures",
            "Counted",
            "first of 2",
            "NotOffered",
        ]
    );
    assert_eq!(Scores::of(&outcomes, false).top_5, None, "one name was asked for");
}

#[test]
fn what_nobody_could_answer_ends_the_asking() {
    let board = board(&[("scans", Form::Full, "scans")]);
    let tasks: Vec<Task> = (0..100).map(|number| task(&format!("q{number}"), 0)).collect();
    let ask = Scripted(Vec::new(), Mutex::new(0));
    let answers = ask_all(&ask, &[&board], &tasks, &|_| {});
    assert!(*ask.1.lock().unwrap() <= 8, "a few were under way");
    let outcomes = by_answers(&board, &tasks, &answers);
    assert_eq!(outcomes, vec![Outcome::NotAsked("refused".to_owned()); 100]);
    assert_eq!(Scores::of(&outcomes, false).not_asked, 100);
    let none = ask_all(&ask, &[&board], &[], &|_| {});
    assert_eq!(by_answers(&board, &[], &none), []);
}

#[test]
fn the_picture_is_what_it_was_and_lets_nothing_through() {
    let row = |label: &str, limit, top_1, top_5| Row {
        label: label.to_owned(),
        limit,
        scores: Scores { top_1, top_5, not_asked: 0 },
        described: 1,
        named: 2,
        hidden: 3,
        cost: 4,
        fell_back: false,
    };
    let rows = [
        row("everything", None, 0.875, Some(1.0)),
        row("</text><script>&\"'\u{1b}", Some(1_150), 0.25, None),
        row("a rule with a name that has no end", Some(1_150), 1.0, Some(0.0)),
    ];
    let drawn =
        svg(&rows, "Found & <seen>", &format!("A note {}", "of many words ".repeat(12)), "tokens");
    insta::assert_snapshot!("picture", drawn);
    assert!(svg(&[], "", "", "tokens").ends_with("</svg>\n"));
}
