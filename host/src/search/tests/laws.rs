//! Laws of the search, on texts and queries made up at random.

use proptest::prelude::*;

use super::World;
use crate::search::{Field, Query, State, index, texts, words::Words};

/// Texts of few words, so that much is found.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("ab"),
        Just("abc"),
        Just("b"),
        Just("Ab-b"),
        Just("模板"),
        Just("模"),
        Just("b模板"),
        Just("é"),
        Just("\n"),
        Just("OR"),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

fn query() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("ab"),
        Just("ab*"),
        Just("a*"),
        Just("b"),
        Just("ab-b"),
        Just("\"b ab\""),
        Just("模板"),
        Just("模*"),
        Just("板模"),
        Just("OR"),
        Just("AND"),
        Just("e"),
        Just("\""),
        Just("b模"),
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_sqlite_finds_is_what_the_texts_have(
        skills in prop::collection::vec((text(), text()), 1..6), query in query(), field in 0..4_usize
    ) {
        let world = World::new(&[]);
        for (number, (description, body)) in skills.iter().enumerate() {
            let text = format!("---\nname: ab-{number}\ndescription: {:?}\n---\n{body}\n", description.replace('\n', " "));
            world.system.write(format!("/a/x{number}/SKILL.md"), text);
        }
        world.system.advance(3_600);
        let mut index = world.index();
        let field = Field::ALL.get(field).copied();
        let found = world.found_in(&mut index, &query, field);
        let library = world.library();
        let parsed = Query::parse(&query);
        let expected: Vec<usize> = (0..library.skills.len()).filter(|row| {
            let skill = &library.skills[*row];
            let description = texts::description(skill);
            let body = index::text(&library, &world.system, *row);
            let words = [skill.name.as_str(), &description, &body].map(Words::of);
            let searched: Vec<_> = Field::ALL.into_iter().zip(&words)
                .filter(|(it, _)| field.is_none_or(|field| field == *it)).collect();
            !parsed.is_empty() && parsed.spots(&searched).is_some()
        }).collect();
        let mut rows: Vec<usize> = found.hits.iter().map(|hit| hit.row).collect();
        rows.sort_unstable();
        prop_assert_eq!(found.total, expected.len());
        prop_assert_eq!(rows, expected);
    }

    #[test]
    fn any_text_is_a_query_that_sqlite_accepts(text in prop_oneof![
        "\\PC{0,80}",
        "[\"*:^(){}+~.,;\\\\' \\-a-cA-CORNTDEA模é\u{0}-\u{1f}]{0,80}",
        prop::collection::vec(any::<char>(), 0..60).prop_map(|all| all.into_iter().collect::<String>()),
    ]) {
        let world = World::new(&[]);
        let index = world.open();
        let query = Query::parse(&text);
        for query in [Some(query.clone()), query.widened()].into_iter().flatten().filter(|it| !it.is_empty()) {
            for field in [None, Some(Field::Name), Some(Field::Body)] {
                let expression = query.expression(field);
                let count = index.base.query_row(
                    "SELECT count(*) FROM words WHERE words MATCH ?1", [&expression], |row| row.get::<_, i64>(0),
                );
                prop_assert_eq!(count, Ok(0), "{:?} as {}", text, expression);
            }
        }
        prop_assert!(query.words().len() <= crate::search::MOST_WORDS);
    }
}

#[test]
fn the_largest_queries_are_accepted() {
    let world = World::new(&[("/a/x", "D.", "ab")]);
    let mut index = world.index();
    for query in [
        vec!["ab"; 9_999].join(" OR "),
        (0..9_999).map(|n| format!("w{n} OR w{n} ")).collect(),
        (0..9_999).map(|n| format!("w{n} ")).collect(),
        (0..999).map(|n| format!("w{n}-")).collect(),
        "\"".repeat(99_999),
        "模".repeat(99_999),
        "a".repeat(99_999),
        "*".repeat(99_999),
    ] {
        let found = world.found(&mut index, &query);
        assert_eq!(index.state(), &State::Absent, "{query:.40}");
        assert!(found.total <= 1);
    }
}
