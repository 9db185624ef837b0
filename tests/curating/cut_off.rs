//! A pass whose process was killed: whoever comes next says what it did.

use std::fs;

use serde_json::{Value, json};

use super::{Curating, text, used};

/// A home whose last pass archived two skills and marked one as stale, and was killed before it came to its end: its second
/// folder lies in the archive already, and nobody wrote that down.
fn cut_off() -> Curating {
    let it = Curating::of(&[used("old", 200), used("ops/older", 300), used("stale", 45)]);
    it.consented();
    assert_eq!(it.pass()["counts"]["archived"], 2);
    it.ledger(
        "UPDATE passes SET phase = 'open', ended = NULL, report = NULL, counts = '{}', summary = '';
         UPDATE changes SET phase = 'open' WHERE id = (SELECT max(id) FROM changes);
         UPDATE skills SET state = 'active', archived_at = NULL
           WHERE id = (SELECT skill FROM changes ORDER BY id DESC LIMIT 1)",
    );
    fs::remove_dir_all(it.machine.path("home/reports")).unwrap();
    it
}

/// What the report of the pass that was cut off says.
fn told(it: &Curating) -> (Value, String) {
    let mut folders = fs::read_dir(it.machine.path("home/reports")).unwrap();
    let folder = folders.find_map(|it| {
        let path = it.unwrap().path();
        path.to_str().unwrap().ends_with("-1").then_some(path)
    });
    let folder = folder.unwrap();
    let json: Value = serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    (json, fs::read_to_string(folder.join("REPORT.md")).unwrap())
}

#[test]
fn the_next_look_finishes_what_was_begun_and_reports_what_was_done() {
    let it = cut_off();
    let tick = it.ok(&["curator", "tick"]);
    assert!(tick.stderr.starts_with("warning: pass 1 of "), "{tick:#?}");
    assert!(tick.stderr.contains(" was cut off\nhint: what it did: "), "{tick:#?}");
    let (json, markdown) = told(&it);
    assert_eq!((&json["cut_off"], &json["stopped"]), (&json!(true), &json!("it was cut off")));
    let rows: Vec<(String, String, String)> = json["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (text(&it["folder"]), text(&it["to"]), text(&it["became"]["is"])))
        .collect();
    let row = |folder: &str, to: &str| (folder.to_owned(), to.to_owned(), "done".to_owned());
    let rows_expected =
        [row("old", "archived"), row("ops/older", "archived"), row("stale", "stale")];
    assert_eq!(rows, rows_expected, "{json:#}");
    for part in [
        "1 marked stale, 2 archived.\n",
        "- it ended early: it was cut off\n",
        "- what was only planned, or held, is not known any more\n",
        "before it, the snapshot `",
        "## Archived (2)\n\n- `old` (`old`): ",
        "- `older` (`ops/older`): ",
        "## Stale from now on (1)\n\n- `stale` (`stale`): ",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    for (name, state) in [("old", "archived"), ("older", "archived"), ("stale", "stale")] {
        assert_eq!(it.state(name), state);
    }
    let status = it.ok(&["curator", "status"]).stdout;
    let ended = "did not come to its end: 1 marked stale, 2 archived; ended early: it was cut off\nits report: reports/";
    assert!(status.contains(ended), "{status}");
    // It is told once.
    let again = it.ok(&["curator", "tick"]);
    assert!(!again.stderr.contains("cut off"), "{again:#?}");
}

#[test]
fn a_pass_that_comes_next_reports_first_what_the_one_before_did() {
    let it = cut_off();
    let next = it.run(&["curator", "run", "--yes"]);
    assert!(next.stderr.contains("warning: pass 1 of "), "{next:#?}");
    let (json, _) = told(&it);
    assert_eq!(json["counts"]["archived"], 2, "{json:#}");
    assert_eq!(fs::read_dir(it.machine.path("home/reports")).unwrap().count(), 2);
    assert_eq!(it.json(&["curator", "status"])["passes"], 1);
}

#[test]
fn a_pass_that_was_cut_off_behind_its_report_has_that_one() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    it.pass();
    let (before, _) = told(&it);
    it.ledger("UPDATE passes SET phase = 'open', ended = NULL, report = NULL, counts = '{}', summary = ''");
    let tick = it.ok(&["curator", "tick"]);
    assert!(!tick.stderr.contains("cut off"), "{tick:#?}");
    assert_eq!(told(&it).0, before);
    let status = it.json(&["curator", "status"]);
    assert_eq!((&status["passes"], &status["last"]["summary"]), (&json!(1), &json!("1 archived")));
}
