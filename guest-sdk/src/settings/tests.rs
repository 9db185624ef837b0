#![allow(clippy::unwrap_used, reason = "tests")]

use super::{Keyed, Parameter, Problem, Settings, texts};
use crate::Decay;
use crate::facts::{Entry, Value};

crate::settings! {
    /// Some of each kind.
    struct Some {
        /// Whether.
        loud: bool = false,
        /// How many,
        /// at most.
        most_rows: i64 = 7 => 1..=9,
        /// A share.
        share: f64 = 0.5 => 0.0..=1.0,
        /// Which.
        decay: Decay = Decay::EFolding,
        /// Lists under names.
        links: Keyed<Vec<String>> = Keyed::from([("web", &["research"][..])]),
        /// A list.
        always: Vec<String> = texts(["hermes"]),
    }
    check loud_and_many;
}

fn loud_and_many(settings: &Some) -> Option<Problem> {
    (settings.loud && settings.most_rows == 9).then(|| Problem::new("most_rows", "too loud"))
}

fn entry(key: &str, value: impl Into<Value>) -> Entry {
    Entry { key: key.to_owned(), value: value.into() }
}

fn problem(key: &str, message: &str) -> Problem {
    Problem { key: key.to_owned(), message: message.to_owned() }
}

#[test]
fn parameters_come_from_fields_defaults_docs_and_limits() {
    let parameter = |key: &str, default: Value, doc: &str| Parameter {
        key: key.to_owned(),
        default,
        doc: doc.to_owned(),
    };
    let expected = [
        parameter("loud", false.into(), "Whether."),
        parameter("most-rows", 7_i64.into(), "How many, at most. (1..=9)"),
        parameter("share", 0.5.into(), "A share. (0.0..=1.0)"),
        parameter("decay", "e-folding".into(), "Which."),
        parameter("links.web", ["research"].into(), "Lists under names."),
        parameter("links.*", Vec::new().into(), "Lists under names."),
        parameter("always", ["hermes"].into(), "A list."),
    ];
    assert_eq!(Some::parameters(), expected);
}

#[test]
fn entries_lie_over_the_defaults() {
    let (settings, problems) = Some::read(&[
        entry("loud", true),
        entry("share", 1_i64),
        entry("decay", "half-life"),
        entry("links.web", ["news"]),
        entry("links.file", ["code"]),
        entry("always", Vec::new()),
    ]);
    let expected = Some {
        loud: true,
        most_rows: 7,
        share: 1.0,
        decay: Decay::HalfLife,
        links: Keyed::from([("web", &["news"][..]), ("file", &["code"])]),
        always: Vec::new(),
    };
    assert_eq!((settings, problems), (expected, Vec::new()));
}

#[test]
fn what_is_wrong_is_said_of_each_setting() {
    for (entries, expected) in [
        (vec![entry("most-rows", 0_i64)], problem("most-rows", "expected a value in `1..=9`")),
        (vec![entry("share", f64::NAN)], problem("share", "expected a value in `0.0..=1.0`")),
        (vec![entry("share", "much")], problem("share", "expected a number")),
        (vec![entry("decay", "slow")], problem("decay", "expected `e-folding` or `half-life`")),
        (vec![entry("links.web", "news")], problem("links.web", "expected a list of texts")),
        (
            vec![entry("links", ["news"])],
            problem("links", "expected a setting that the policy declares"),
        ),
        (
            vec![entry("most_rows", 3_i64)],
            problem("most_rows", "expected a setting that the policy declares"),
        ),
        (vec![entry("loud", true), entry("most-rows", 9_i64)], problem("most-rows", "too loud")),
    ] {
        assert_eq!(Some::read(&entries).1, [expected], "{entries:?}");
    }
}
