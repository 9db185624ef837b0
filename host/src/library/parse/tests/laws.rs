//! Laws that hold for all bytes.

use proptest::prelude::*;

use crate::{
    library::parse::{body, parse, plain, split::split, yaml},
    skill::{Problem, Tier},
};

/// Lines that headers are made of, odd and plain ones.
fn line() -> impl Strategy<Value = String> {
    let indent = prop_oneof![4 => Just(""), 1 => Just("  "), 1 => Just("    "), 1 => Just(" ")];
    let key = prop_oneof![
        Just("name"),
        Just("description"),
        Just("tags"),
        Just("platforms"),
        Just("metadata"),
        Just("hermes"),
        Just("version"),
        Just("a-b_c"),
        Just("true"),
        Just("null"),
        Just("n"),
    ];
    let word = prop_oneof![
        Just("one"),
        Just("two words"),
        Just("true"),
        Just("True"),
        Just("yes"),
        Just("null"),
        Just("~"),
        Just("NaN"),
        Just("inf"),
        Just("1"),
        Just("1.0"),
        Just("01"),
        Just("1.2.3"),
        Just("2026-01-02"),
        Just("10:30"),
        Just("1_000"),
        Just("0x1F"),
        Just("1e5"),
        Just("0"),
        Just("0.0"),
        Just("00.5"),
        Just("a: b"),
        Just("a:b"),
        Just("a #b"),
        Just("a#b"),
        Just("ends:"),
        Just("\"q\""),
        Just("'q'"),
        Just("\"q\" x"),
        Just("'it''s'"),
        Just("\"a\\n\""),
        Just("[a, b]"),
        Just("[a,b]"),
        Just("[]"),
        Just("[ a b , c ]"),
        Just("[a, 1]"),
        Just("[a, \"b, c\"]"),
        Just("[a, 'b']"),
        Just("[a: b]"),
        Just("[true, no]"),
        Just("[a"),
        Just("{a: b}"),
        Just("{}"),
        Just("|"),
        Just(">-"),
        Just(">"),
        Just("|-"),
        Just("|+"),
        Just("- x"),
        Just("&a x"),
        Just("*a"),
        Just("!t x"),
        Just("@x"),
        Just("%x"),
        Just("日本語"),
        Just("é x"),
        Just("x \u{85}y"),
        Just("x\u{2028}y"),
        Just(""),
        Just(" "),
        Just("x  "),
        Just("a\tb"),
        Just("# c"),
        Just("\u{feff}"),
        Just("---"),
        Just("a --- b"),
        Just("?"),
        Just("-"),
    ];
    let end = prop_oneof![20 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" \n"), 1 => Just("\n\n")];
    let start = prop_oneof![
        6 => key.prop_map(|key| format!("{key}: ")),
        2 => prop_oneof![Just("name"), Just("tags"), Just("metadata"), Just("hermes")]
            .prop_map(|key| format!("{key}:")),
        2 => Just("- ".to_owned()),
        1 => Just("-".to_owned()),
        1 => Just(String::new()),
        1 => Just("# ".to_owned()),
    ];
    (indent, start, word, end).prop_map(|(i, s, w, e)| format!("{i}{s}{w}{e}"))
}

fn header() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 0..7).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_without_the_yaml_library_is_what_it_would_have_read(header in header()) {
        if let Some(node) = plain::read(&header, 2) {
            match yaml::read(&header, 2) {
                Ok(same) => prop_assert_eq!(node, same),
                Err(fault) => prop_assert!(false, "the library says {:?}", fault),
            }
        }
    }

    #[test]
    fn any_header_gives_facts(header in header(), body in "[^\\x00\n]{0,20}") {
        let facts = parse(format!("---\n{header}---\n{body}").as_bytes());
        let has = |problem| facts.diagnostics.iter().any(|d| d.problem == problem);
        prop_assert_eq!(facts.description.is_none(), has(Problem::MissingDescription));
        let lenient = has(Problem::NotYaml) || has(Problem::NotMapping) || has(Problem::UnclosedHeader);
        prop_assert_ne!(lenient, facts.tier == Tier::Strict);
    }

    #[test]
    fn any_bytes_give_facts_and_a_body_that_is_their_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let facts = parse(&bytes);
        prop_assert_eq!(facts.bytes, bytes.len() as u64);
        prop_assert!(bytes.ends_with(body(&bytes)));
    }

    #[test]
    fn a_mark_in_front_changes_nothing_but_the_size(header in header(), text in "[a-z \n]{0,30}") {
        let file = format!("---\n{header}---\n{text}");
        let marked = format!("\u{feff}{file}");
        let (plain, mut with) = (parse(file.as_bytes()), parse(marked.as_bytes()));
        with.bytes -= 3;
        prop_assert_eq!(plain, with);
        prop_assert_eq!(body(file.as_bytes()), body(marked.as_bytes()));
    }

    #[test]
    fn any_text_after_the_header_is_the_body(text in "(?s).{0,60}") {
        let file = format!("---\nname: a\n---\n{text}");
        prop_assert_eq!(body(file.as_bytes()), text.as_bytes());
        prop_assert_eq!(split(file.as_bytes()).header, 4..12);
    }
}
