//! Standard input and output with somebody at the other end who doesn't keep to the protocol.

use serde_json::json;

use super::driver::{Client, HANDSHAKE, Piped, handshake};
use crate::keeping::{Keeping, ROOT};

/// Whatever comes, a session goes on after it, and the program says nothing on standard output but the protocol.
#[test]
fn a_session_outlives_what_is_no_message() {
    let keeping = Keeping::agent();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    let deep = format!("{}{}\n", "[".repeat(200_000), "]".repeat(200_000));
    let huge =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{}\"}}\n", "a".repeat(20 << 20));
    // What is no JSON has no number that an answer could name; there is none.
    for silent in [
        &b"garbage\n"[..],
        b"\n",
        b"\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\n",
        b"\xff\xfe\x00\x80\n",
        b"\x00\n",
        b"\"\xed\xa0\x80\"\n",
        huge.as_bytes(),
        deep.as_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nobody-knows\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n",
    ] {
        client.send(silent);
        client.get("ping", json!({}));
    }
    // What is JSON and no message is told so.
    for (sent, code) in [
        ("{}", -32600),
        ("[]", -32600),
        ("1", -32600),
        ("null", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600),
    ] {
        client.send(format!("{sent}\n").as_bytes());
        let line = client.line();
        assert_eq!(line["error"]["code"], code, "{sent}: {line}");
    }
    // Requests with a wrong method or wrong parameters get an error with their number.
    for (method, params, code) in [
        ("no/such", json!({}), -32601),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("tools/call", json!({ "name": "skill_view", "arguments": [1] }), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": ["a"] }), -32602),
        ("prompts/get", json!({ "name": null }), -32602),
    ] {
        let error = client.ask(method, params.clone()).unwrap_err();
        assert_eq!(error["code"], code, "{method} {params}: {error:#}");
    }
    // Numbers of requests are the client's: text, zero, below zero.
    for id in [json!("a text"), json!(0), json!(-5), json!("")] {
        client.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
        assert_eq!(client.line()["id"], id);
    }
    client.done("skill_view", json!({ "name": "deploy" }));
    let ended = client.end();
    assert_eq!((ended.status.code(), ended.rest.as_str()), (Some(0), ""), "{ended:#?}");
    assert!(!ended.errors.contains("panicked"), "{}", ended.errors);
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let keeping = Keeping::agent();
    let silent = Piped::new(&keeping, &[]).end();
    assert_eq!((silent.status.code(), silent.rest.as_str()), (Some(0), ""), "{silent:#?}");

    // After half a line, and after half a handshake.
    for half in [&b"{\"jsonrpc\""[..], b"garbage\n", b"\xff\n"] {
        let mut client = Piped::new(&keeping, &[]);
        client.send(half);
        let ended = client.end();
        assert_eq!((ended.status.code(), ended.rest.as_str()), (Some(0), ""), "{ended:#?}");
    }
    let mut client = Piped::new(&keeping, &[]);
    client.get("initialize", handshake(HANDSHAKE));
    let ended = client.end();
    assert_eq!((ended.status.code(), ended.rest.as_str()), (Some(0), ""), "{ended:#?}");
}

#[test]
fn who_begins_with_something_else_is_told_why() {
    let keeping = Keeping::agent();
    let mut client = Piped::new(&keeping, &[]);
    // A request before any lifecycle has begun is answered, and the handshake still possible.
    let error = client.ask("tools/list", json!({})).unwrap_err();
    assert_eq!(error["code"], -32602, "{error:#}");
    client.get("ping", json!({}));
    client.begin();
    client.get("tools/list", json!({}));

    let mut client = Piped::new(&keeping, &[]);
    client.tell("notifications/initialized");
    let ended = client.end();
    assert_eq!((ended.status.code(), ended.rest.as_str()), (Some(3), ""), "{ended:#?}");
    assert_eq!(
        ended.errors.lines().last().unwrap(),
        "error: the client began with a notification or an answer, expected `initialize`"
    );
}

#[test]
fn a_call_under_way_is_answered_though_the_client_says_no_more() {
    let keeping = Keeping::agent();
    let busy = rusqlite::Connection::open(keeping.machine.path("home/keep.db")).unwrap();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let text = "---\nname: late\ndescription: Use when it is late.\n---\nSleep.\n";
    client.send_json(&json!({
        "jsonrpc": "2.0", "id": "late", "method": "tools/call",
        "params": { "name": "skill_write", "arguments": { "action": "create", "name": "late", "text": text } },
    }));
    // What comes after it is answered before it, so it is under way.
    client.get("ping", json!({}));
    client.hang_up();
    busy.execute_batch("ROLLBACK").unwrap();
    let line = client.line();
    assert_eq!(
        (&line["id"], &line["result"]["isError"]),
        (&json!("late"), &json!(false)),
        "{line:#}"
    );
    assert_eq!(line["result"]["structuredContent"]["outcome"], "made");
    assert_eq!(keeping.text("late/SKILL.md"), text);
    let ended = client.end();
    assert_eq!((ended.status.code(), ended.rest.as_str()), (Some(0), ""), "{ended:#?}");
}

#[test]
fn an_index_that_was_given_is_on_record_though_the_client_hangs_up_at_once() {
    let keeping = Keeping::owned();
    let ledger = rusqlite::Connection::open(keeping.machine.path("home/keep.db")).unwrap();
    let decisions = || -> i64 {
        ledger.query_row("SELECT count(*) FROM decisions", [], |row| row.get(0)).unwrap()
    };
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    let before = decisions();
    let text = "---\nname: notes\ndescription: Use when it is late.\n---\nDo.\n";
    keeping.machine.write(&format!("{ROOT}/notes/SKILL.md"), text);
    ledger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let index = client.get("prompts/get", json!({ "name": "skills_index" }));
    assert!(index.to_string().contains("when it is late"), "{index:#}");
    client.hang_up();
    ledger.execute_batch("ROLLBACK").unwrap();
    assert_eq!(client.end().status.code(), Some(0));
    assert_eq!(decisions(), before + 1);
}

#[test]
fn a_client_that_never_reads_the_log_is_answered_all_the_same() {
    let keeping = Keeping::agent();
    let mut client = Piped::new(&keeping, &[]);
    client.begin();
    // Each call is a line of the log; a pipe holds some hundred of them.
    for _ in 0..1_500 {
        let (refused, _) = client.call("skill_view", json!({}));
        assert!(refused);
    }
}
