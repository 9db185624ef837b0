//! Servers and command lines that work on one home at once.

use std::{fs, thread};

use serde_json::json;

use super::driver::{Client, Listening, Piped};
use crate::keeping::{Keeping, ROOT};

/// What each of the four writes.
const WRITES: usize = 6;

/// Adds a line to a skill until it is written; others may come before. Gives back how often they did.
fn add(
    line: &str,
    name: &str,
    mut call: impl FnMut(&str, serde_json::Value) -> (bool, serde_json::Value),
) -> usize {
    for tries in 0..200 {
        let (refused, view) = call("skill_view", json!({ "name": name }));
        assert!(!refused, "{view:#}");
        let text = format!("{}{line}\n", view["text"].as_str().unwrap());
        let write = json!({ "name": name, "text": text, "base": { "SKILL.md": view["hash"] } });
        let (refused, answer) = call("skill_write", write);
        if !refused {
            assert_eq!(answer["outcome"], "made", "{answer:#}");
            return tries;
        }
        assert!(
            answer["error"].as_str().unwrap().contains("was changed since it was read"),
            "{answer:#}"
        );
    }
    panic!("`{line}` was never written");
}

#[test]
fn nothing_is_lost_between_two_servers_and_two_command_lines() {
    let keeping = Keeping::agent();
    for who in 0..4 {
        let text = format!(
            "---\nname: own-{who}\ndescription: Use when {who} is asked for.\n---\nBegin.\n"
        );
        keeping.machine.write(&format!("{ROOT}/own-{who}/SKILL.md"), text);
    }
    keeping.ok(&["scan"]);
    let server = Listening::new(&keeping, &[]);
    thread::scope(|scope| {
        let keeping = &keeping;
        let url = server.client();
        for who in 0..4 {
            let mut http = url.clone();
            scope.spawn(move || {
                let mut piped = (who == 0).then(|| Piped::new(keeping, &[]));
                match &mut piped {
                    Some(piped) => drop(piped.begin()),
                    None if who == 1 => drop(http.begin()),
                    None => {}
                }
                let mut call = |tool: &str, input: serde_json::Value| match (who, &mut piped) {
                    (_, Some(piped)) => piped.call(tool, input),
                    (1, None) => http.call(tool, input),
                    _ => {
                        let ran = keeping.run(&["call", tool, &input.to_string()]);
                        let answer = serde_json::from_str(&ran.stdout);
                        (ran.status != 0, answer.unwrap_or_else(|_| panic!("{ran:#?}")))
                    }
                };
                for number in 0..WRITES {
                    let line = format!("Line {number} of {who}.");
                    assert_eq!(add(&line, &format!("own-{who}"), &mut call), 0);
                    add(&line, "deploy", &mut call);
                }
            });
        }
    });
    let shared = keeping.text("deploy/SKILL.md");
    for who in 0..4 {
        let own = keeping.text(&format!("own-{who}/SKILL.md"));
        for number in 0..WRITES {
            let line = format!("Line {number} of {who}.\n");
            assert_eq!(shared.matches(&line).count(), 1, "{line} in {shared}");
            assert_eq!(own.matches(&line).count(), 1, "{line} in {own}");
        }
        assert_eq!(own.lines().count(), 5 + WRITES);
    }
    assert_eq!(shared.lines().filter(|line| line.starts_with("Line")).count(), 4 * WRITES);
    let log = keeping.json(&["log", "--last", "1000"]);
    assert_eq!(log["changes"].as_array().unwrap().len(), 8 * WRITES, "{log:#}");
    let checked = keeping.ok(&["check", "--ledger"]);
    assert!(checked.stderr.is_empty(), "{checked:#?}");
    let staging = keeping.machine.path(&format!("{ROOT}/.skillkeep/staging"));
    assert!(!staging.is_dir() || fs::read_dir(staging).unwrap().next().is_none());
}
