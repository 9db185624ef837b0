//! What is kept between calls is never older than the files: each call knows what was done before it began, whoever did it.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use super::driver::{Client, Listening, Piped, clients, until};
use crate::keeping::{Keeping, ROOT};

fn names(client: &mut dyn Client) -> Vec<String> {
    let listed = client.done("skills_list", json!({}));
    let skills = listed["skills"].as_array().unwrap().iter();
    skills.map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

fn index(client: &mut dyn Client) -> String {
    let prompt = client.get("prompts/get", json!({ "name": "skills_index" }));
    prompt["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
}

fn skill(keeping: &Keeping, folder: &str, description: &str) {
    let name = folder.rsplit('/').next().unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo.\n");
    keeping.machine.write(&format!("{ROOT}/{folder}/SKILL.md"), text);
}

#[test]
fn what_others_do_to_files_is_seen_by_the_next_call() {
    let keeping = Keeping::agent();
    let at = |path: &str| keeping.machine.path(&format!("{ROOT}/{path}"));
    clients(&keeping, |kind, client| {
        client.begin();
        assert_eq!(names(client), ["deploy", "notes"], "{kind}");
        for round in 0..5 {
            skill(&keeping, "notes", &format!("Use in round {round} of {kind}."));
            assert!(index(client).contains(&format!("round {round} of {kind}")));
            let view = client.done("skill_view", json!({ "name": "notes" }));
            assert!(view["text"].as_str().unwrap().contains(&format!("round {round} of {kind}")));
        }
        skill(&keeping, "ops/late", "Use when it is late.");
        assert_eq!(names(client), ["deploy", "notes", "late"]);
        fs::rename(at("ops"), at("work")).unwrap();
        let listed = client.done("skills_list", json!({ "category": "work" }));
        assert_eq!(listed["skills"][0]["name"], "late");
        fs::remove_dir_all(at("work")).unwrap();
        symlink(at("notes"), at("linked")).unwrap();
        assert_eq!(names(client), ["deploy", "notes"]);
        fs::remove_file(at("linked")).unwrap();
        assert!(client.call("skill_view", json!({ "name": "late" })).0);
    });
}

#[test]
fn a_server_that_nobody_calls_gives_memory_back_and_goes_on_as_before() {
    let keeping = Keeping::agent();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    assert_eq!(names(&mut client), ["deploy", "notes"]);
    // What loading the policies and the first index took: some three megabytes.
    let before = client.resident();
    until("its memory goes back", || client.resident() + (1 << 20) < before);
    skill(&keeping, "notes", "Use after a rest.");
    assert!(index(&mut client).contains("after a rest"));
    assert_eq!(names(&mut client), ["deploy", "notes"]);
}

#[test]
fn what_a_command_or_another_session_does_is_seen_by_the_next_call() {
    let keeping = Keeping::owned();
    let server = Listening::new(&keeping, &[]);
    let (mut one, mut other) = (server.client(), server.client());
    let mut apart = Piped::new(&keeping, &[]);
    let mut all: [&mut dyn Client; 3] = [&mut one, &mut other, &mut apart];
    for client in &mut all {
        client.begin();
        assert_eq!(names(*client), ["deploy", "notes"]);
    }
    let create = json!({
        "name": "made",
        "action": "create",
        "text": "---\nname: made\ndescription: Use when made.\n---\nDo.\n",
    });
    assert_eq!(all[0].done("skill_write", create)["outcome"], "made");
    for client in &mut all {
        assert_eq!(names(*client), ["deploy", "made", "notes"]);
    }
    keeping.ok(&["set", "made", "off"]);
    for client in &mut all {
        assert_eq!(names(*client), ["deploy", "notes"]);
        assert!(!index(*client).contains("made"));
    }
    keeping.ok(&["set", "made", "auto"]);
    keeping.ok(&["archive", "notes"]);
    for client in &mut all {
        assert_eq!(names(*client), ["deploy", "made"]);
    }
}

#[test]
fn an_index_stays_while_skills_are_used_and_follows_the_settings() {
    let keeping = Keeping::agent();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    let before = index(&mut client);
    for _ in 0..3 {
        drop(client.done("skill_view", json!({ "name": "notes" })));
        assert_eq!(index(&mut client), before);
    }
    let used = |client: &mut Piped| -> Value {
        let listed = client.done("skills_list", json!({}));
        listed["skills"][1]["uses"].clone()
    };
    assert_eq!(used(&mut client), 3);
    let file = keeping.machine.path("home/skillkeep.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{settings}\n[index]\ndisabled = [\"notes\"]\n")).unwrap();
    assert!(before.contains("notes") && !index(&mut client).contains("notes"));
    fs::write(&file, settings).unwrap();
    assert_eq!(index(&mut client), before);
}
