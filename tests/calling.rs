//! The tools that agents call: whole sessions, what is said to wrong calls, and that the command line says the same. The real
//! program on real files.

use std::fs;

use serde_json::{Value, json};

use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
};

impl Keeping {
    /// Calls a tool as an agent in a session does.
    fn calling(&self, session: &str, tool: &str, input: &Value) -> (i32, Value) {
        let ran = self.called(session, tool, &input.to_string());
        assert_eq!(ran.stderr, "", "{tool} {input}: {ran:#?}");
        (ran.status, serde_json::from_str(&ran.stdout).unwrap())
    }

    fn called(&self, session: &str, tool: &str, input: &str) -> Ran {
        self.run(&["call", tool, input, "--session", session])
    }

    /// Calls one and expects an answer.
    fn answer(&self, tool: &str, input: &Value) -> Value {
        let (status, answer) = self.calling("s1", tool, input);
        assert_eq!(status, 0, "{tool} {input}: {answer:#}");
        fits(tool, &answer);
        answer
    }

    /// Calls one and expects that nothing is done.
    fn refusal(&self, tool: &str, input: &Value) -> Value {
        let before = self.tree();
        let (status, answer) = self.calling("s1", tool, input);
        assert_ne!(status, 0, "{tool} {input}: {answer:#}");
        assert_eq!(self.tree(), before, "{tool} {input}");
        answer
    }
}

/// An answer has what its schema needs, and nothing that the schema has not.
fn fits(tool: &str, answer: &Value) {
    let tool = skillkeep::tools::Tool::from_word(tool).unwrap();
    check(&tool.output(), answer);
}

/// As far as our own schemas go: types, properties, items, constants.
fn check(schema: &Value, value: &Value) {
    if let Some(kinds) = schema.get("oneOf").or_else(|| schema.get("anyOf")) {
        let kinds = kinds.as_array().unwrap();
        assert!(kinds.iter().any(|kind| kind["const"] == *value), "{value} in {schema:#}");
        return;
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(items) => {
            items.iter().for_each(|item| check(&schema["items"], item));
            "array"
        }
        Value::Object(object) => {
            for key in schema["required"].as_array().into_iter().flatten() {
                assert!(object.contains_key(key.as_str().unwrap()), "{key} in {value:#}");
            }
            for (key, value) in object {
                let known = schema["properties"].get(key);
                check(
                    known.unwrap_or_else(|| panic!("`{key}` is in no schema: {schema:#}")),
                    value,
                );
            }
            "object"
        }
    };
    let allowed = &schema["type"];
    let fits = allowed == kind || allowed.as_array().is_some_and(|all| all.contains(&json!(kind)));
    assert!(fits, "{value} is {kind}, and not {allowed}");
}

#[test]
fn a_session_of_an_agent_from_search_to_rating() {
    let keeping = Keeping::agent();
    let listed = keeping.answer("skills_list", &json!({ "query": "service goes out" }));
    assert_eq!((&listed["total"], &listed["skills"][0]["name"]), (&json!(1), &json!("deploy")));
    assert_eq!(listed["skills"][0]["found_in"], json!(["description"]));
    let view = keeping.answer("skill_view", &json!({ "name": "deploy" }));
    assert!(view["text"].as_str().unwrap().ends_with("# deploy\n\nDo it.\n"), "{view:#}");
    assert_eq!(view["files"], json!([{ "path": "scripts/go.sh", "bytes": 10 }]));

    // Who didn't say what was read is told how.
    let mut patch = json!({
        "name": "deploy",
        "edits": [{ "patch": { "path": "SKILL.md", "old": "Do it.", "new": "Run `scripts/go.sh`." } }],
        "reason": "the script does it",
    });
    let refusal = keeping.refusal("skill_write", &patch);
    let hash = view["hash"].as_str().unwrap();
    assert_eq!(
        refusal,
        json!({
            "error": format!("`SKILL.md` is there, and the hash of what was read of it is missing: it is {hash} now"),
            "next": ["call skill_view {\"name\": \"deploy\"}, look whether your edit still fits, and write again with its `hash`: \"base\": {\"SKILL.md\": HASH}"],
            "retry": "corrected",
            "times": 1,
        })
    );
    // So is who read another text than the one that is there.
    let file = keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"));
    let newer = fs::read_to_string(&file).unwrap().replace("# deploy", "# Deploy");
    fs::write(&file, newer).unwrap();
    patch["base"] = json!({ "SKILL.md": hash });
    let refusal = keeping.refusal("skill_write", &patch);
    let error = refusal["error"].as_str().unwrap();
    assert!(error.starts_with("`SKILL.md` was changed since it was read: found "), "{error}");

    let view = keeping.answer("skill_view", &json!({ "name": "deploy" }));
    patch["base"] = json!({ "SKILL.md": view["hash"] });
    let made = keeping.answer("skill_write", &patch);
    assert_eq!((&made["outcome"], &made["files"][0]["path"]), (&json!("made"), &json!("SKILL.md")));
    assert_eq!(made["files"][0]["hash"], keeping.hash("deploy", "SKILL.md"));
    assert!(made["diffs"][0].as_str().unwrap().contains("\n+Run `scripts/go.sh`.\n"), "{made:#}");

    // The skill was there before any agent: whether it goes is for a person to say.
    let archive =
        json!({ "name": "deploy", "action": "archive", "reason": "the platform does it" });
    let staged = keeping.answer("skill_write", &archive);
    assert_eq!((&staged["outcome"], &staged["pending"]), (&json!("waits"), &json!("p1")));
    assert_eq!(
        staged["next"],
        "go on without it: a person decides, and calling again changes nothing"
    );
    let again = keeping.answer("skill_write", &archive);
    assert_eq!(again["pending"], "p1");
    assert!(again["next"].as_str().unwrap().starts_with("it waited already; "), "{again:#}");

    // What it makes itself is its own.
    let text = "---\nname: release-notes\ndescription: Use when a release is written up.\n---\nList what changed.\n";
    let made = keeping.answer(
        "skill_write",
        &json!({ "action": "create", "name": "release-notes", "text": text,
            "edits": [{ "put": { "path": "scripts/list.sh", "text": "#!/bin/sh\n", "executable": true } }] }),
    );
    assert_eq!((&made["outcome"], &made["change"]), (&json!("made"), &json!(2)));
    assert_eq!(made["files"][1]["path"], "scripts/list.sh");
    assert_eq!(keeping.text("release-notes/SKILL.md"), text);
    let dry = json!({ "name": "release-notes", "dry_run": true, "base": { "SKILL.md": made["files"][0]["hash"] },
        "edits": [{ "patch": { "path": "SKILL.md", "old": "List", "new": "Tell" } }] });
    let would = keeping.answer("skill_write", &dry);
    assert_eq!(would["outcome"], "would-be-made");
    assert!(
        would["diffs"][0]
            .as_str()
            .unwrap()
            .contains("\n-List what changed.\n+Tell what changed.\n")
    );
    assert_eq!(keeping.text("release-notes/SKILL.md"), text);

    let rated = keeping.answer(
        "skill_rate",
        &json!({ "name": "deploy", "outcome": "corrected", "note": "the script\nmoved" }),
    );
    assert_eq!(
        rated,
        json!({ "name": "deploy", "outcome": "corrected", "note": "the script moved" })
    );
    let log = keeping.json(&["log"]);
    let newest = &log["changes"][0];
    assert_eq!((&newest["actor"], &newest["session"]), (&json!("foreground"), &json!("s1")));
}

#[test]
fn a_wrong_call_is_told_what_was_found_and_what_to_do() {
    let keeping = Keeping::agent();
    let hash = keeping.hash("deploy", "SKILL.md");
    let base = json!({ "SKILL.md": hash });
    let mut wrong = Vec::new();
    for (tool, input, status, error, next) in [
        (
            "skills_list",
            json!({ "qery": "x" }),
            2,
            "found the key `qery`, expected `query`, `category`, `limit`, `offset`",
            "did you mean `query`?",
        ),
        ("skills_list", json!([]), 2, "at `skills_list`: found [], expected an object", ""),
        ("skills_list", json!({ "limit": 0 }), 2, "found `limit` 0, expected 1 to 200", ""),
        (
            "skills_list",
            json!({ "limit": "ten" }),
            2,
            "at `limit`: invalid type: string \"ten\", expected u32",
            "",
        ),
        (
            "skills_list",
            json!({ "category": "generall" }),
            1,
            "no skill is in the category `generall`",
            "did you mean `general`?",
        ),
        (
            "skills_list",
            json!({ "query": "!!" }),
            1,
            "`!!` holds no letter and no digit that could be searched for",
            "call skills_list",
        ),
        ("skill_view", json!({}), 2, "at `skill_view`: missing field `name`", ""),
        (
            "skill_view",
            json!({ "name": "deplo" }),
            1,
            "no skill is called `deplo` among 2 skills in 1 root",
            "did you mean `deploy`?",
        ),
        (
            "skill_view",
            json!({ "name": "deploy", "path": "../notes/SKILL.md" }),
            1,
            "`../notes/SKILL.md` has a part `..`",
            "its files: scripts/go.sh",
        ),
        (
            "skill_view",
            json!({ "name": "deploy", "path": "scripts/no.sh" }),
            1,
            "no file `scripts/no.sh`",
            "its files: scripts/go.sh",
        ),
        (
            "skill_view",
            json!({ "name": "deploy", "section": "Nothing" }),
            1,
            "no section `Nothing`",
            "call skill_view with `outline`",
        ),
        (
            "skill_write",
            json!({ "name": "deploy" }),
            2,
            "an edit needs `edits`, or the whole SKILL.md as `text`",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "action": "delete" }),
            2,
            "at `action`: unknown variant `delete`, expected one of `edit`, `create`, `archive`",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "new", "action": "create" }),
            2,
            "a skill is made of its `text`",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "Bad Name", "action": "create", "text": "x" }),
            1,
            "found `Bad Name` as the name of a skill",
            "call it `bad-name`",
        ),
        (
            "skill_write",
            json!({ "name": "new", "action": "create", "text": "no header" }),
            1,
            "`SKILL.md` is not written: ",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "action": "create", "text": "---\nname: deploy\ndescription: d\n---\nx\n" }),
            1,
            "a skill `deploy` is there already",
            "call skill_view {\"name\": \"deploy\"} and edit that skill",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "action": "archive", "text": "x" }),
            2,
            "a skill is archived as it is",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "base": base, "edits": [{ "patch": { "path": "SKILL.md", "old": "Nowhere", "new": "x" } }] }),
            1,
            "`SKILL.md` is not patched: ",
            "call skill_view {\"name\": \"deploy\"} and copy the passage",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "edits": [{ "patsch": {} }] }),
            2,
            "at `edits[0]",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "edits": [{ "put": { "path": "../x", "text": "" } }] }),
            1,
            "found `../x` as the path of a file",
            "",
        ),
        (
            "skill_write",
            json!({ "name": "deploy", "base": { "SKILL.md": "abc" }, "text": "x" }),
            2,
            "found `abc` as the hash of `SKILL.md`, expected 64 hex digits",
            "",
        ),
        (
            "skill_rate",
            json!({ "name": "deploy", "outcome": "great" }),
            2,
            "at `outcome`: unknown variant `great`, expected one of `success`, `failure`, `corrected`",
            "",
        ),
        (
            "skill_rate",
            json!({ "name": "gone", "outcome": "success" }),
            1,
            "no skill is called `gone`",
            "call skills_list",
        ),
    ] {
        let before = keeping.tree();
        let (found, refusal) = keeping.calling("s1", tool, &input);
        let told = refusal["error"].as_str().unwrap_or_default();
        let steps = refusal["next"].as_array().cloned().unwrap_or_default();
        let steps: Vec<&str> = steps.iter().filter_map(Value::as_str).collect();
        let leads_on = next.is_empty() || steps.iter().any(|step| step.starts_with(next));
        let for_people = steps.iter().any(|step| step.starts_with("skillkeep "));
        if !told.starts_with(error) || found != status || !leads_on || for_people {
            wrong.push(format!("{tool} {input}: {found}, {refusal:#}"));
        }
        assert_eq!(keeping.tree(), before);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (input, error) in [
        ("{", "what `skill_view` is given is no JSON: EOF"),
        ("{\"name\":\"deploy\"} x", "what `skill_view` is given is no JSON: trailing characters"),
    ] {
        let ran = keeping.called("s1", "skill_view", input);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(error), "{ran:#?}");
    }
    let ran = keeping.run(&["call", "skill_veiw"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (2, "error: there is no tool `skill_veiw`\nhint: did you mean `skill_view`?\n")
    );
}

#[test]
fn the_same_refusal_again_is_told_that_it_will_not_help() {
    let keeping = Keeping::agent();
    let patch = |new: &str| json!({ "name": "deploy", "edits": [{ "patch": { "path": "SKILL.md", "old": "Do it.", "new": new } }] });
    assert_eq!(keeping.refusal("skill_write", &patch("a"))["times"], 1);
    let second = keeping.refusal("skill_write", &patch("a"));
    assert_eq!(second["times"], 2);
    assert_eq!(
        second["next"][0],
        "this very call was refused 2 times: trying it again won't help; change the call as told here, or go on without it"
    );
    // Another call, another session and another reason are no repetition.
    assert_eq!(keeping.refusal("skill_write", &patch("b"))["times"], 1);
    assert_eq!(keeping.calling("s2", "skill_write", &patch("a")).1["times"], 1);
    let file = keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"));
    fs::write(&file, fs::read_to_string(&file).unwrap() + "More.\n").unwrap();
    assert_eq!(keeping.refusal("skill_write", &patch("a"))["times"], 1);
    // The command line tells it too.
    let write = ["write", "deploy", "--patch", "SKILL.md", "--old", "Do it.", "--new", "c"];
    assert!(!keeping.no(1, &write).contains("refused"));
    let told = keeping.no(1, &write);
    let hint = "hint: this very call was refused 2 times: trying it again won't help\n";
    assert!(told.ends_with(hint), "{told}");
    // A person knows what they try again, and is not counted.
    let person = keeping.by_a_person();
    let archive = ["write", "deploy", "--patch", "SKILL.md", "--old", "Nothing.", "--new", "c"];
    assert!(!person.no(1, &archive).contains("refused 2"));
    assert!(!person.no(1, &archive).contains("refused 2"));
}

#[test]
fn a_session_that_gets_nothing_done_is_shown_to_a_person() {
    let keeping = Keeping::agent();
    for name in ["a", "b", "c"] {
        let text = format!("---\nname: {name}\ndescription: Not ours.\n---\nDo.\n");
        keeping.machine.write(&format!("user/.agents/skills/{name}/SKILL.md"), text);
    }
    let archive = |session: &str, name: &str| {
        let (status, told) =
            keeping.calling(session, "skill_write", &json!({ "name": name, "action": "archive" }));
        assert_eq!((status, &told["retry"]), (1, &json!("never")), "{told:#}");
        assert_eq!(
            told["next"].as_array().unwrap().last().unwrap(),
            "nothing is written in that folder from here: go on without it, and tell the person"
        );
    };
    let warned =
        || keeping.ok(&[]).stderr.contains("in session `s1`: all of 3 writes refused, the last ");
    archive("s1", "a");
    archive("s1", "b");
    // The same again is one write that was refused, and so is one in another session.
    archive("s1", "b");
    archive("s2", "c");
    assert!(!warned());
    archive("s1", "c");
    assert!(warned());
    for command in [&["log"][..], &["pending"]] {
        assert!(keeping.ok(command).stderr.contains("all of 3 writes refused"), "{command:?}");
    }
    let overview = keeping.json(&[]);
    assert_eq!(overview["concerns"].as_array().unwrap().len(), 1);
    // What is only wrong says nothing of rules, and one write that is made, or waits, does.
    let (_, made) = keeping.calling(
        "s1",
        "skill_write",
        &json!({ "action": "create", "name": "own", "text": "---\nname: own\ndescription: d\n---\nx\n" }),
    );
    assert_eq!(made["outcome"], "made");
    assert!(!warned());
}

#[test]
fn what_is_off_or_held_is_neither_listed_nor_found_nor_opened() {
    let keeping = Keeping::agent().by_a_person();
    keeping.ok(&["set", "notes", "off", "--agent", "codex"]);
    keeping.ok(&["scan"]);
    let agent = Keeping { token: None, ..keeping };
    let call = |more: &[&str], tool: &str, input: &str| -> Value {
        let ran = agent.run(&[&["call", tool, input], more].concat());
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let codex = ["--agent", "codex"];
    assert_eq!(call(&[], "skills_list", "{}")["total"], 2);
    assert_eq!(call(&codex, "skills_list", "{}")["total"], 1);
    assert_eq!(call(&codex, "skills_list", r#"{"query":"minutes"}"#)["total"], 0);
    let view = call(&codex, "skill_view", r#"{"name":"notes"}"#);
    assert_eq!(
        view["error"],
        "`notes` is off for codex, by choice of the person whose home this is"
    );
    assert_eq!(
        view["next"],
        json!(["ask that person, who can turn it on: skillkeep set notes auto --agent codex"])
    );
    // What others changed under approval waits, and is held till then.
    agent.machine.write("home/skillkeep.toml", "[writes]\napproval = \"on\"\n");
    agent.ok(&["scan"]);
    let file = agent.machine.path(&format!("{ROOT}/deploy/SKILL.md"));
    fs::write(&file, fs::read_to_string(&file).unwrap() + "Sneaked in.\n").unwrap();
    agent.ok(&["scan"]);
    assert_eq!(call(&[], "skills_list", "{}")["total"], 1);
    let view = call(&[], "skill_view", r#"{"name":"deploy"}"#);
    assert_eq!(
        view["error"],
        "`deploy` was changed by others, and is held until a person accepts that"
    );
    assert!(!view.to_string().contains("Sneaked"));
    assert_eq!(agent.run(&["show", "deploy"]).status, 1);
    let person = agent.by_a_person();
    assert!(person.ok(&["show", "deploy"]).stdout.contains("Sneaked in."));
    assert!(person.ok(&["list"]).stdout.contains("held"));
}

#[test]
fn a_long_list_comes_page_by_page() {
    let keeping = Keeping::agent();
    for number in 0..60 {
        let (category, name) =
            (if number < 40 { "first" } else { "second/below" }, format!("skill-{number:02}"));
        let text = format!("---\nname: {name}\ndescription: Number {number} of many.\n---\nDo.\n");
        keeping.machine.write(&format!("{ROOT}/{category}/{name}/SKILL.md"), text);
    }
    let first = keeping.answer("skills_list", &json!({}));
    assert_eq!((&first["total"], &first["next"]), (&json!(62), &json!(50)));
    assert_eq!(
        first["categories"],
        json!([
            { "name": "first", "skills": 40 },
            { "name": "general", "skills": 2 },
            { "name": "second/below", "skills": 20 },
        ])
    );
    let rest = keeping.answer("skills_list", &json!({ "offset": 50 }));
    assert_eq!((rest["skills"].as_array().unwrap().len(), &rest["next"]), (12, &Value::Null));
    assert_eq!(rest.get("categories"), None);
    let mut names: Vec<String> = [&first, &rest]
        .iter()
        .flat_map(|page| page["skills"].as_array().unwrap())
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 62);
    let below = keeping.answer("skills_list", &json!({ "category": "second", "limit": 200 }));
    assert_eq!(below["total"], 20);
    let found =
        keeping.answer("skills_list", &json!({ "query": "many", "limit": 7, "offset": 56 }));
    assert_eq!((found["skills"].as_array().unwrap().len(), &found["total"]), (4, &json!(60)));
    let beyond = keeping.answer("skills_list", &json!({ "offset": 4_000_000_000_u32 }));
    assert_eq!((&beyond["skills"], &beyond["next"]), (&json!([]), &Value::Null));
}

#[test]
fn a_tool_and_a_command_say_the_same() {
    let keeping = Keeping::agent();
    keeping.ok(&["scan"]);
    let view = keeping.answer("skill_view", &json!({ "name": "deploy" }));
    let show = keeping.json(&["show", "deploy"]);
    for key in ["hash", "bytes", "tokens", "text"] {
        assert_eq!(view[key], show[key], "{key}");
    }
    // Both are an agent's view and use.
    assert_eq!(keeping.json(&["list"])["skills"][0]["uses"], 2);
    let outline = keeping.answer("skill_view", &json!({ "name": "deploy", "outline": true }));
    let headings = keeping.json(&["show", "deploy", "--outline"]);
    assert_eq!(outline["outline"][0]["title"], headings["headings"][0]["title"]);
    let script =
        keeping.answer("skill_view", &json!({ "name": "deploy", "path": "scripts/go.sh" }));
    assert_eq!(script["text"], "#!/bin/sh\n");
    assert_eq!(script["hash"], keeping.json(&["show", "deploy", "scripts/go.sh"])["hash"]);
    let section = keeping.answer("skill_view", &json!({ "name": "deploy", "section": "1" }));
    assert_eq!(section["text"], "# deploy\n\nDo it.\n");
    let found = keeping.answer("skills_list", &json!({ "query": "minutes" }));
    let search = keeping.json(&["search", "minutes"]);
    assert_eq!(found["skills"][0]["snippet"], search["hits"][0]["snippet"]);
    assert_eq!(found["total"], search["found"]);
    let nothing = keeping.answer("skills_list", &json!({ "query": "deplyo" }));
    assert_eq!(
        nothing["notes"],
        json!([
            "nothing is found for `deplyo` among 2 skills; did you mean `deploy`? (call skills_list)"
        ])
    );
    // What is no text is told by its size.
    keeping.machine.write(&format!("{ROOT}/deploy/assets/logo.png"), [0x89, b'P', 0xff, 0]);
    let logo =
        keeping.answer("skill_view", &json!({ "name": "deploy", "path": "assets/logo.png" }));
    assert_eq!((logo.get("text"), &logo["bytes"]), (None, &json!(4)));
    assert_eq!(logo["notes"], json!(["`assets/logo.png` is no text: 4 bytes"]));
}

#[test]
fn the_schemas_are_what_agents_are_told() {
    let keeping = Keeping::new();
    let tools = keeping.ok(&["tools", "--json"]).stdout;
    insta::with_settings!(
        { prepend_module_to_snapshot => false, snapshot_path => "transcripts", omit_expression => true },
        { insta::assert_snapshot!("tools", tools) }
    );
    let all: Value = serde_json::from_str(&tools).unwrap();
    let one = keeping.json(&["tools", "skill_rate"]);
    assert_eq!(all["tools"][3], one);
    assert_eq!(
        keeping.ok(&["tools"]).stdout,
        "skills_list  List or search skills\n\
         skill_view   Open a skill\n\
         skill_write  Make, change or archive a skill\n\
         skill_rate   Say how a skill did\n"
    );
}

#[test]
fn without_a_home_skills_are_read_and_nothing_is_written() {
    let keeping = Keeping::new();
    assert_eq!(keeping.answer("skills_list", &json!({}))["total"], 2);
    assert_eq!(keeping.answer("skill_view", &json!({ "name": "notes" }))["name"], "notes");
    for (tool, input) in [
        ("skill_write", json!({ "name": "notes", "text": "x" })),
        ("skill_rate", json!({ "name": "notes", "outcome": "success" })),
    ] {
        let refusal = keeping.refusal(tool, &input);
        assert_eq!(refusal["error"], "there is no home yet, so nothing is kept");
        assert_eq!(refusal["next"], json!(["a person can: skillkeep init"]));
    }
    assert!(!keeping.machine.path("home").exists());
}
