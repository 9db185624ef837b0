//! What a client that keeps to the protocol gets: versions, tools, prompts.

use serde_json::{Value, json};

use super::driver::{Client, HANDSHAKE, INLINE, Listening, Piped, clients, handshake, inline};
use crate::keeping::Keeping;

#[test]
fn a_handshake_agrees_on_a_version_and_brings_the_index() {
    let keeping = Keeping::agent();
    for (asked, agreed) in [
        ("2025-06-18", "2025-06-18"),
        (HANDSHAKE, HANDSHAKE),
        // Versions that have no handshake, or that nobody knows, get the newest that has one.
        (INLINE, HANDSHAKE),
        ("1999-01-01", HANDSHAKE),
    ] {
        clients(&keeping, |_, client| {
            let result = client.get("initialize", handshake(asked));
            assert_eq!(result["protocolVersion"], agreed, "{asked}");
            assert_eq!(result["serverInfo"]["name"], "skillkeep");
            let index = result["instructions"].as_str().unwrap();
            assert!(index.contains("deploy") && index.contains("notes"), "{index}");
            for capability in ["tools", "prompts", "resources", "extensions"] {
                assert!(result["capabilities"].get(capability).is_some(), "{result:#}");
            }
        });
    }
}

#[test]
fn a_client_without_a_handshake_says_all_with_each_request() {
    let keeping = Keeping::agent();
    let look = |client: &mut dyn Client, ask: &dyn Fn(&str, &mut dyn Client, Value) -> Value| {
        let found = ask("server/discover", client, json!({}));
        let versions = found["supportedVersions"].as_array().unwrap();
        assert!(versions.contains(&json!(INLINE)), "{found:#}");
        assert!(found["instructions"].as_str().unwrap().contains("deploy"), "{found:#}");
        let listed = ask("tools/list", client, json!({}));
        assert_eq!(listed["tools"].as_array().unwrap().len(), 4);
        let called = json!({ "name": "skill_view", "arguments": { "name": "deploy" } });
        let view = ask("tools/call", client, called);
        assert_eq!(view["structuredContent"]["name"], "deploy");
    };
    let mut piped = Piped::new(&keeping, &[]);
    look(&mut piped, &|method, client, params| client.get(method, inline(params)));
    // Who says nothing of itself is told what is missing.
    let error = piped.ask("tools/list", json!({})).unwrap_err();
    assert_eq!(error["code"], -32602, "{error:#}");

    let server = Listening::new(&keeping, &[]);
    look(&mut server.client(), &|method, _, params| {
        let mut client = server.client().header("mcp-protocol-version", INLINE);
        client = client.header("mcp-method", method);
        if let Some(name) = params.get("name") {
            client = client.header("mcp-name", name.as_str().unwrap());
        }
        client.get(method, inline(params))
    });
}

#[test]
fn tools_are_told_as_the_command_line_tells_them() {
    let keeping = Keeping::agent();
    let told = keeping.json(&["tools"]);
    clients(&keeping, |_, client| {
        client.begin();
        let listed = client.get("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        assert_eq!(tools.len(), told["tools"].as_array().unwrap().len());
        for (tool, told) in tools.iter().zip(told["tools"].as_array().unwrap()) {
            for (key, value) in told.as_object().unwrap() {
                let mut value = value.clone();
                if key == "annotations" {
                    // The protocol has the title there, too.
                    value["title"] = told["title"].clone();
                }
                assert_eq!(tool[key], value, "{key} of {}", told["name"]);
            }
        }
        assert!(listed.get("nextCursor").is_none());
        // Clients warn of formats that JSON Schema hasn't.
        assert!(!listed.to_string().contains("\"format\""), "{listed:#}");
    });
}

#[test]
fn a_session_views_writes_is_refused_and_rates() {
    clients_each(|kind, keeping, client| {
        client.begin();
        let listed = client.done("skills_list", json!({ "query": "service goes out" }));
        assert_eq!(listed["skills"][0]["name"], "deploy");
        let view = client.done("skill_view", json!({ "name": "deploy" }));
        let mut write = json!({
            "name": "deploy",
            "edits": [{ "patch": { "path": "SKILL.md", "old": "Do it.", "new": "Run it." } }],
            "reason": "the script does it",
        });
        let (refused, why) = client.call("skill_write", write.clone());
        assert!(refused, "{why:#}");
        assert_eq!(why["retry"], "corrected");
        assert!(why["next"][0].as_str().unwrap().starts_with("call skill_view"), "{why:#}");
        write["base"] = json!({ "SKILL.md": view["hash"] });
        let made = client.done("skill_write", write.clone());
        assert_eq!((&made["outcome"], &made["change"]), (&json!("made"), &json!(1)));
        assert!(keeping.text("deploy/SKILL.md").contains("Run it."));
        // The same call again is no longer right.
        assert!(client.call("skill_write", write).0);
        let rated = client.done("skill_rate", json!({ "name": "deploy", "outcome": "success" }));
        assert_eq!(rated["outcome"], "success");

        let newest = keeping.json(&["log"])["changes"][0].clone();
        assert_eq!(newest["actor"], "foreground", "{kind}");
        assert!(newest["session"].as_str().unwrap().starts_with("mcp-"), "{newest:#}");
        let list = keeping.json(&["list"]);
        let skills = list["skills"].as_array().unwrap();
        let deploy = skills.iter().find(|skill| skill["name"] == "deploy").unwrap();
        assert_eq!((&deploy["views"], &deploy["uses"]), (&json!(1), &json!(1)));
    });
}

fn clients_each(test: impl Fn(&str, &Keeping, &mut dyn Client)) {
    let keeping = Keeping::agent();
    test("pipes", &keeping, &mut Piped::new(&keeping, &[]));
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    test("http", &keeping, &mut server.client());
}

#[test]
fn what_is_not_there_is_an_error_of_the_protocol() {
    let keeping = Keeping::agent();
    clients(&keeping, |_, client| {
        client.begin();
        for (method, params, code, says) in [
            (
                "tools/call",
                json!({ "name": "skill_burn" }),
                -32602,
                "expected one of skills_list, ",
            ),
            ("prompts/get", json!({ "name": "index" }), -32602, "expected `skills_index`"),
            ("resources/list", json!({ "cursor": "second" }), -32602, "`second` is no page"),
            ("skills/list", json!({ "cursor": "-1" }), -32602, "`-1` is no page"),
            (
                "resources/read",
                json!({ "uri": "skill://claude/gone/SKILL.md" }),
                -32002,
                "nothing is at",
            ),
            (
                "skills/get",
                json!({ "uri": "skill://claude/gone/SKILL.md" }),
                -32602,
                "no skill is at",
            ),
            ("skills/burn", json!({}), -32601, ""),
        ] {
            let error = client.ask(method, params.clone()).unwrap_err();
            assert_eq!(error["code"], code, "{method} {params}: {error:#}");
            assert!(error["message"].as_str().unwrap().contains(says), "{error:#}");
        }
        // Wrong input is the model's to mend, so it is a refusal and no error.
        let (refused, why) = client.call("skill_view", json!({ "nam": "deploy" }));
        assert!(refused && why["error"].as_str().unwrap().contains("`nam`"), "{why:#}");
        client.get("ping", json!({}));
    });
}

#[test]
fn the_prompt_is_the_index_as_it_is_now() {
    let keeping = Keeping::agent();
    clients(&keeping, |kind, client| {
        let begun = client.begin();
        let prompts = client.get("prompts/list", json!({}));
        assert_eq!(prompts["prompts"][0]["name"], "skills_index");
        let prompt = json!({ "name": "skills_index" });
        let text = |result: &Value| result["messages"][0]["content"]["text"].clone();
        assert_eq!(text(&client.get("prompts/get", prompt.clone())), begun["instructions"]);
        keeping.machine.write(
            &format!("{}/{kind}/SKILL.md", crate::keeping::ROOT),
            format!("---\nname: {kind}\ndescription: Use when lines are drawn.\n---\nDraw.\n"),
        );
        let now = text(&client.get("prompts/get", prompt));
        assert!(now.as_str().unwrap().contains(kind), "{now}");
    });
}

#[test]
fn nobody_who_calls_is_a_person() {
    let mut keeping = Keeping::owned();
    keeping.ok(&["init", "--token", "review"]);
    let operator = keeping.token.take().unwrap();
    let review = std::fs::read_to_string(keeping.machine.path("home/tokens/review")).unwrap();
    for (shown, actor) in
        [(operator.as_str(), "foreground"), (review.trim(), "review"), ("", "foreground")]
    {
        let mut client = Piped::with(&keeping, &[], &[("SKILLKEEP_TOKEN", shown)]);
        client.begin();
        let name = format!("by-{actor}-{}", shown.len());
        let text = format!("---\nname: {name}\ndescription: Use when it rains.\n---\nStay.\n");
        client.done("skill_write", json!({ "action": "create", "name": name, "text": text }));
        let newest = keeping.json(&["log"]);
        let newest = &newest["changes"][0];
        assert_eq!(
            (&newest["name"], &newest["actor"]),
            (&json!(name), &json!(actor)),
            "{newest:#}"
        );
    }
}
