//! What stands before the protocol over HTTP, and how a server begins and ends.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    thread,
};

use serde_json::{Value, json};

use super::driver::{Caller, Client, Got, HANDSHAKE, Listening, handshake, until};
use crate::keeping::Keeping;

fn initialize() -> String {
    let params = handshake(HANDSHAKE);
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[test]
fn only_who_shows_the_token_is_let_in() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    let mode = fs::metadata(keeping.machine.path("home/server-token")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let token = server.token.clone();
    let operator = fs::read_to_string(keeping.machine.path("home/token")).unwrap();
    assert_ne!(token, operator.trim());
    let longer = format!("{token}0");
    for wrong in ["", "x", &token[1..], &longer, operator.trim(), &token.to_uppercase()] {
        let got = Caller::new(server.url(), wrong).post(&initialize());
        assert_eq!(got.status, 401, "{wrong}: {got:#?}");
        assert_eq!(got.headers["www-authenticate"], "Bearer");
        assert!(!got.text.contains(&token));
    }
    for (scheme, status) in [("Basic", 401), ("Bearer ", 200)] {
        let value = format!("{scheme} {token}");
        let caller = Caller::new(server.url(), "").header("authorization", &value);
        assert_eq!(caller.post(&initialize()).status, status, "{scheme}");
    }
    // What isn't the protocol is behind the token, too, but for the one page that says nothing.
    let bare = |path: &str| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let host = server.address;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    assert!(bare("/healthz").starts_with("HTTP/1.1 200"));
    assert!(bare("/healthz").ends_with("\r\n\r\nok\n"));
    for path in ["/mcp", "/mcp/", "/mcp/x"] {
        assert!(bare(path).starts_with("HTTP/1.1 401"), "{path}: {}", bare(path));
    }
    for path in ["/", "/nowhere", "/healthz/../mcp"] {
        let text = bare(path);
        assert!(text.starts_with("HTTP/1.1 40"), "{path}: {text}");
    }
    // A second server of the home takes the same token.
    assert_eq!(Listening::new(&keeping, &[]).token, token);
}

#[test]
fn pages_of_a_browser_and_foreign_names_are_refused() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &["--host", "skills.internal"]);
    let port = server.address.port();
    for (host, status) in [
        ("127.0.0.1".to_owned(), 200),
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("skills.internal".to_owned(), 200),
        ("evil.example".to_owned(), 403),
        (format!("evil.example:{port}"), 403),
        ("127.0.0.1.evil.example".to_owned(), 403),
        ("skills.internal.evil.example".to_owned(), 403),
    ] {
        let got = server.client().header("host", &host).post(&initialize());
        assert_eq!(got.status, status, "{host}: {got:#?}");
    }
    for origin in ["http://evil.example", "null", "http://localhost", "http://127.0.0.1:7456"] {
        let got = server.client().header("origin", origin).post(&initialize());
        assert_eq!(got.status, 403, "{origin}: {got:#?}");
        assert!(got.headers.get("access-control-allow-origin").is_none());
    }
}

/// The protocol forbids one id for two requests at once. Who does it may wait in vain for the first of them, and for nothing else.
#[test]
fn a_second_request_of_one_id_is_answered_and_no_other_request_or_session_minds() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    let (mut one, mut two) = (server.client(), server.client());
    one.begin();
    two.begin();
    let request = |id: u64, tool: &str| {
        let params = json!({ "name": tool, "arguments": {} });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let answers = |got: &Got, id: u64| {
        let messages = got.messages();
        let answers = messages.iter().filter(|it| it["id"] == id && it["result"].is_object());
        answers.count()
    };
    for id in 100..110 {
        // The first is not read: it may never end.
        let first = one.start(&request(id, "skills_list"));
        let other = two.start(&request(id, "skills_list"));
        assert_eq!(answers(&one.post(&request(id, "skills_list")), id), 1);
        assert_eq!(answers(&Got::read(other), id), 1, "another session has ids of its own");
        drop(first);
        assert_eq!(answers(&one.post(&request(id + 100, "skills_list")), id + 100), 1);
    }
    // One that was answered is free again.
    for _ in 0..2 {
        assert_eq!(answers(&two.post(&request(7, "skills_list")), 7), 1);
    }
}

#[test]
fn large_bodies_and_many_requests_are_refused() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &["--rate", "5"]);
    let mut client = server.client();
    client.begin();
    let body = |bytes: usize| {
        let text = "x".repeat(bytes);
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call",
            "params": { "name": "skill_view", "arguments": { "name": text } } })
        .to_string()
    };
    let got = client.post(&body((4 << 20) - 1_000));
    assert_eq!(got.status, 200);
    let got = client.post(&body(4 << 20));
    assert_eq!(got.status, 413, "{got:#?}");
    // Who shows no token uses none of the others' room.
    for _ in 0..30 {
        assert_eq!(Caller::new(server.url(), "").post("{}").status, 401);
    }
    // Ten may come at once, and four have: some are answered, and then it says when to come again.
    let all: Vec<_> = (0..30)
        .map(|_| client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"))
        .collect();
    assert_eq!(all[0].status, 200, "{:#?}", all[0]);
    let late: Vec<_> = all.iter().filter(|got| got.status == 429).collect();
    assert!(!late.is_empty(), "{all:#?}");
    assert!(late.iter().all(|got| got.headers["retry-after"] == "1"), "{late:#?}");
}

#[test]
fn odd_requests_get_an_answer_of_http() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    for (body, status) in [
        ("", &[400, 415, 422][..]),
        ("garbage", &[400, 415, 422]),
        ("[]", &[400, 415, 422]),
        ("{}", &[400, 415, 422]),
        ("\u{0}", &[400, 415, 422]),
        // No session has begun.
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", &[400, 422]),
    ] {
        let got = server.client().post(body);
        assert!(status.contains(&got.status), "{body:?}: {got:#?}");
    }
    let got = server
        .client()
        .header("mcp-session-id", "no-such-session")
        .post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    assert_eq!(got.status, 404, "{got:#?}");
    let mut client = server.client();
    client.begin();
    client.done("skill_view", json!({ "name": "deploy" }));
}

#[test]
fn an_address_that_others_reach_must_be_asked_for() {
    let keeping = Keeping::agent();
    assert_eq!(
        keeping.no(2, &["serve", "--http", "0.0.0.0:0"]),
        "error: others than this machine would reach 0.0.0.0:0\n\
         hint: 127.0.0.1 is this machine alone; `--expose` listens there all the same\n"
    );
    keeping.no(2, &["serve", "--http", "[::]:0"]);
    keeping.no(2, &["serve", "--expose"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = keeping.no(3, &["serve", "--http", &address]);
    assert!(said.starts_with(&format!("error: can't listen at {address}: ")), "{said}");
    assert!(said.ends_with("\nhint: another port: --http 127.0.0.1:0\n"), "{said}");
    // Where there is no home, there is no token that anybody could show.
    let machine = crate::support::Machine::new();
    let ran = machine.run(&["serve", "--http", "127.0.0.1:0"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stderr.contains("hint: skillkeep init"), "{ran:#?}");
}

#[test]
fn a_server_that_is_to_end_finishes_the_call_under_way() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    let mut client = server.client();
    client.begin();
    let busy = rusqlite::Connection::open(keeping.machine.path("home/keep.db")).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let text = "---\nname: late\ndescription: Use when it is late.\n---\nSleep.\n";
    let write = json!({ "jsonrpc": "2.0", "id": "late", "method": "tools/call",
        "params": { "name": "skill_write", "arguments": { "action": "create", "name": "late", "text": text } } });
    let begun = client.start(&write.to_string());
    assert_eq!(begun.status().as_u16(), 200);
    server.terminate();
    until("new connections to be refused", || TcpStream::connect(server.address).is_err());
    busy.execute_batch("ROLLBACK").unwrap();
    let answers = Got::read(begun).messages();
    let answer = answers.iter().find(|message| message["id"] == "late").unwrap();
    assert_eq!(answer["result"]["structuredContent"]["outcome"], "made", "{answer:#}");
    assert_eq!(keeping.text("late/SKILL.md"), text);
    let (status, errors) = server.ended();
    assert_eq!(status.code(), Some(0), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn a_stream_that_waits_for_news_holds_no_end_up() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &[]);
    let mut client = server.client();
    client.begin();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let mut head = format!("GET /mcp HTTP/1.1\r\nHost: {}\r\n", server.address);
    for (name, value) in client.headers.iter().filter(|(name, _)| name != "content-type") {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    server.terminate();
    let (status, errors) = server.ended();
    assert_eq!(status.code(), Some(0), "{errors}");
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let keeping = Keeping::agent();
    let server = Listening::new(&keeping, &["--rate", "10000"]);
    let mut client = server.client();
    client.begin();
    let answers: Vec<Value> = thread::scope(|scope| {
        let calls: Vec<_> = (0..200)
            .map(|number| {
                let mut client = client.clone();
                client.next = 1_000 + number;
                scope.spawn(move || client.done("skill_view", json!({ "name": "deploy" })))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 200);
    assert!(answers.iter().all(|answer| answer["hash"] == answers[0]["hash"]));
    let list = keeping.json(&["list"]);
    let deploy =
        list["skills"].as_array().unwrap().iter().find(|it| it["name"] == "deploy").unwrap();
    let told = answers.iter().filter(|answer| answer.get("notes").is_some()).count();
    assert_eq!(deploy["views"].as_u64().unwrap() as usize + told, 200, "{deploy:#}");
}
