//! Progressive Skill's scores, value by value: with its settings, the policy's score of each row is the one of the table.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use demotion_toolset::Toolset;
use skillkeep_policy::DAY;
use skillkeep_policy::testkit::{Library, demotion, setting};

const TABLE: &str = include_str!("../../../tests/fixtures/progressive/score-table.tsv");

/// Uses, seconds since the last, the score, and whether it promotes.
fn rows() -> Vec<(i64, i64, f64, bool)> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [uses, days, score, promotes] = cells.as_slice() else { panic!("{line}") };
        let seconds = days.parse::<f64>().unwrap() * DAY as f64;
        let promotes = ["no", "yes"].iter().position(|word| word == promotes).unwrap() == 1;
        (uses.parse().unwrap(), seconds as i64, score.parse().unwrap(), promotes)
    });
    rows.collect()
}

/// Whether a skill so used keeps its category from being demoted, with this threshold.
fn promotes(uses: i64, seconds_ago: i64, threshold: f64) -> bool {
    let library =
        Library::new().skill("c", "s", |skill| skill.used(uses, seconds_ago)).toolsets(["web"]);
    let settings = [
        setting("promote-score", threshold),
        setting("keep-score", threshold),
        setting("fresh-days", 0.0),
    ];
    demotion::<Toolset>(&library, &settings).unwrap().is_empty()
}

#[test]
fn each_score_is_that_of_the_table_to_twelve_digits() {
    let rows = rows();
    assert_eq!(rows.len(), 77);
    for (uses, seconds_ago, score, _) in rows {
        let note = format!("{uses} uses, {seconds_ago} seconds ago");
        assert!(promotes(uses, seconds_ago, score * (1.0 - 1e-12)), "{note}: below {score}");
        assert!(!promotes(uses, seconds_ago, score * (1.0 + 1e-12)), "{note}: above {score}");
    }
}

#[test]
fn each_row_promotes_as_the_table_says() {
    for (uses, seconds_ago, score, expected) in rows() {
        let found = promotes(uses, seconds_ago, 2.0 - 1e-6);
        assert_eq!(found, expected, "{uses} uses, {seconds_ago} seconds ago: {score}");
    }
}
