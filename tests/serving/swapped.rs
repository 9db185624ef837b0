//! Policies swapped under a running server, by a person at the command line and by an author who overwrites a file; and clients
//! that are told when skills change.

use std::fs;

use serde_json::{Value, json};

use super::driver::{Client, Piped, clients, until};
use crate::keeping::{Keeping, ROOT};

const LONG: &str = "Use when minutes of a meeting are to be written up: who was there, what was said, what by when.";

/// A home with a skill that says a lot.
fn talkative() -> Keeping {
    let keeping = Keeping::agent();
    let text = format!("---\nname: minutes\ndescription: \"{LONG}\"\n---\nDo.\n");
    keeping.machine.write(&format!("{ROOT}/minutes/SKILL.md"), text);
    keeping
}

fn index(client: &mut dyn Client) -> String {
    let prompt = client.get("prompts/get", json!({ "name": "skills_index" }));
    prompt["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

/// Runs it for the person whose home it is.
fn person(keeping: &Keeping, arguments: &[&str]) {
    let token = fs::read_to_string(keeping.machine.path("home/token")).unwrap();
    let mut command = keeping.machine.command(arguments);
    let ran =
        keeping.machine.finish(command.env("SKILLKEEP_TOKEN", token.trim()).output().unwrap());
    assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
}

#[test]
fn a_person_swaps_a_policy_under_running_servers_and_goes_back() {
    let keeping = talkative();
    clients(&keeping, |_, client| {
        client.begin();
        assert!(index(client).contains(LONG));
        person(&keeping, &["policy", "use", "budget", "budget-hermes", "--yes"]);
        until("the other rule", || !index(client).contains(LONG));
        assert!(index(client).contains("minutes"));
        let list = keeping.json(&["policy", "list"]);
        let servers = list["servers"].as_array().unwrap();
        assert_eq!(servers.len(), 1, "{list:#}");
        let used = servers[0]["slots"].as_array().unwrap().iter();
        let budget = used.clone().find(|slot| slot["slot"] == "budget").unwrap();
        assert!(budget.to_string().contains("budget-hermes"), "{budget:#}");
        person(&keeping, &["policy", "rollback", "--yes"]);
        until("the first rule again", || index(client).contains(LONG));
    });
}

#[test]
fn another_judge_judges_the_next_write() {
    let keeping = talkative();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    let text = |name: &str| format!("---\nname: {name}\ndescription: Use it.\n---\nDo.\n");
    let create = |client: &mut Piped, name: &str| -> Value {
        let input = json!({ "action": "create", "name": name, "text": text(name) });
        client.done("skill_write", input)["outcome"].take()
    };
    assert_eq!(create(&mut client, "first"), "made");
    person(&keeping, &["policy", "use", "provenance", "provenance-strict", "--yes"]);
    let mut number = 0;
    until("the strict judge", || {
        number += 1;
        create(&mut client, &format!("more-{number}")) == "waits"
    });
    person(&keeping, &["policy", "off", "provenance", "--yes"]);
    until("the usual judge", || {
        number += 1;
        create(&mut client, &format!("more-{number}")) == "made"
    });
}

#[test]
fn a_component_that_changed_without_a_yes_is_not_used_and_told() {
    let keeping = talkative();
    let dist = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../policies/dist");
        fs::read(format!("{folder}/{name}.wasm")).unwrap()
    };
    let mine = keeping.machine.write("home/policies/mine.wasm", dist("budget-hermes"));
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    person(&keeping, &["policy", "use", "budget", mine.to_str().unwrap(), "--yes"]);
    until("the file's rule", || !index(&mut client).contains(LONG));
    fs::write(&mine, dist("budget-claude-code")).unwrap();
    let differs = || {
        // A finding: what is named is not what is used.
        let list = keeping.run(&["policy", "list"]);
        list.status == 1 && list.stdout.contains("differs on disk")
    };
    until("word of it", differs);
    assert!(!index(&mut client).contains(LONG), "what was said yes to decides on");
    // Half a component is none, and the good one stays.
    fs::write(&mine, &dist("budget-claude-code")[..20_000]).unwrap();
    assert!(!index(&mut client).contains(LONG));
    fs::write(&mine, dist("budget-claude-code")).unwrap();
    person(&keeping, &["policy", "use", "budget", mine.to_str().unwrap(), "--yes"]);
    until("the other rule of the file", || index(&mut client).contains(LONG));
}

#[test]
fn clients_are_told_that_skills_changed() {
    let keeping = talkative();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    let text = "---\nname: newcomer\ndescription: Use it.\n---\nDo.\n";
    keeping.machine.write(&format!("{ROOT}/newcomer/SKILL.md"), text);
    let mut news = Vec::new();
    while news.len() < 2 {
        news.push(client.line()["method"].as_str().unwrap().to_owned());
    }
    news.sort();
    assert_eq!(
        news,
        ["notifications/prompts/list_changed", "notifications/resources/list_changed"]
    );
    assert!(index(&mut client).contains("newcomer"));
}
