//! A scripted endpoint on loopback: what each answer of it comes to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread::JoinHandle,
};

use super::*;

/// What the endpoint does with one connection.
enum Reply {
    /// Status line, further headers, body.
    Http(&'static str, &'static str, String),
    /// These bytes and nothing else.
    Raw(&'static [u8]),
    /// Nothing, for longer than anybody waits.
    Silence,
}

fn good(text: &str) -> Reply {
    let body = serde_json::json!({ "choices": [{ "message": { "content": text } }] });
    Reply::Http("200 OK", "", body.to_string())
}

fn failing(status: &'static str, headers: &'static str, message: &str) -> Reply {
    Reply::Http(status, headers, serde_json::json!({ "error": { "message": message } }).to_string())
}

/// Serves one connection a reply, in their order, and hands back what was asked.
fn serve(replies: Vec<Reply>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let mut asked = Vec::new();
        for reply in replies {
            let (mut stream, _) = listener.accept().unwrap();
            asked.push(request_of(&mut stream));
            match reply {
                Reply::Http(status, headers, body) => {
                    let length = body.len();
                    write!(stream, "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}").unwrap();
                }
                Reply::Raw(bytes) => stream.write_all(bytes).unwrap(),
                Reply::Silence => {
                    // Until the other side gives up.
                    drop(stream.read(&mut [0; 1]));
                }
            }
        }
        asked
    });
    (base, served)
}

fn request_of(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "the request ended early: {text}");
        bytes.extend_from_slice(&buffer[..read]);
    }
}

fn ask(base: &str) -> Result<String, AskError> {
    let key = Some("sk-very-secret".to_owned());
    let timeout = Duration::from_millis(600);
    let endpoint = Endpoint::new(base, "m-1", key, timeout, Duration::from_millis(1)).unwrap();
    endpoint.ask("the block", "the query")
}

#[test]
fn a_question_is_a_chat_of_two_messages() {
    let (base, served) = serve(vec![good("docker-build")]);
    assert_eq!(ask(&base), Ok("docker-build".to_owned()));
    let asked = served.join().unwrap();
    let (head, body) = asked[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: Bearer sk-very-secret"), "{head}");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(body).unwrap(),
        serde_json::json!({
            "model": "m-1",
            "messages": [
                { "role": "system", "content": "the block" },
                { "role": "user", "content": "the query" },
            ],
            "temperature": 0,
        })
    );
}

#[test]
fn each_answer_of_an_endpoint_comes_to_something() {
    let large = format!("\"{}\"", "x".repeat(2 << 20));
    let said = |text: &str| Ok::<_, (String, bool)>(text.to_owned());
    let failed = |text: &str, hopeless| Err((text.to_owned(), hopeless));
    for (what, replies, expected) in [
        ("thinks aloud", vec![good("Let me see.\n\n`scans`\n")], said("`scans`")),
        ("says nothing", vec![good("")], said("")),
        (
            "busy once",
            vec![failing("429 Too Many", "retry-after: 0\r\n", "slow down"), good("a")],
            said("a"),
        ),
        ("broken once", vec![failing("503 Busy", "", "x"), good("a")], said("a")),
        ("cut off once", vec![Reply::Raw(b""), good("a")], said("a")),
        ("silent once", vec![Reply::Silence, good("a")], said("a")),
        (
            "always busy",
            vec![
                failing("500 No", "", "oh"),
                failing("502 No", "", "oh"),
                failing("429 No", "", "slow down"),
            ],
            failed("status 429: slow down, 3 times", false),
        ),
        (
            "always silent",
            vec![Reply::Silence, Reply::Silence, Reply::Silence],
            failed("no answer in time, 3 times", false),
        ),
        (
            "no JSON",
            vec![Reply::Http("200 OK", "", "<html>".to_owned())],
            failed("the answer is no JSON", false),
        ),
        (
            "other JSON",
            vec![Reply::Http(
                "200 OK",
                "",
                "{\"choices\": [{\"message\": {\"content\": null}}]}".to_owned(),
            )],
            failed("the answer has no text at choices[0].message.content", false),
        ),
        (
            "too much",
            vec![Reply::Http("200 OK", "", large)],
            failed("the answer has more than 1048576 bytes", false),
        ),
        (
            "a wrong key, repeated",
            vec![failing("401 No", "", "bad key sk-very-secret\n\u{1b}[31m")],
            failed("status 401: bad key [key] [31m", true),
        ),
        (
            "no such model",
            vec![failing("404 No", "", "no model")],
            failed("status 404: no model", true),
        ),
        (
            "somewhere else",
            vec![Reply::Http("307 There", "location: http://127.0.0.1:1/\r\n", String::new())],
            failed("status 307; redirects are not followed", true),
        ),
        (
            "takes no temperature",
            vec![failing("400 No", "", "Unsupported value: 'temperature'"), good("a")],
            said("a"),
        ),
        (
            "takes nothing",
            vec![failing("400 No", "", "temperature"), failing("400 No", "", "temperature")],
            failed("status 400: temperature", true),
        ),
    ] {
        let count = replies.len();
        let (base, served) = serve(replies);
        let got = ask(&base).map_err(|error| (error.reason.into_string(), error.hopeless));
        assert_eq!(got, expected, "{what}");
        assert_eq!(served.join().unwrap().len(), count, "{what}");
    }
}

#[test]
fn nobody_there_is_said_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(&base).unwrap_err();
    assert!(error.hopeless && error.reason.as_str().starts_with("can't be reached: "), "{error}");
}

#[test]
fn an_endpoint_is_an_address_without_secrets() {
    let of = |base: &str| {
        Endpoint::new(base, "m", None, Duration::from_secs(1), Duration::ZERO)
            .map(|endpoint| endpoint.url().to_owned())
            .map_err(|error| error.to_string())
    };
    let url = "http://h:1/v1/chat/completions";
    for (base, expected) in [
        ("http://h:1/v1", Ok(url)),
        ("http://h:1/v1/", Ok(url)),
        (url, Ok(url)),
        (
            "https://user:pw@h/v1",
            Err(
                "the endpoint holds a name or a password; the key belongs in an environment variable",
            ),
        ),
        (
            "h/v1",
            Err(
                "`h/v1` is no endpoint: expected http:// or https://, a host and a path such as /v1",
            ),
        ),
        (
            "http://",
            Err(
                "`http://` is no endpoint: expected http:// or https://, a host and a path such as /v1",
            ),
        ),
        (
            "http://h/?key=x",
            Err(
                "`http://h/?key=x` is no endpoint: expected http:// or https://, a host and a path such as /v1",
            ),
        ),
    ] {
        assert_eq!(of(base), expected.map(str::to_owned).map_err(str::to_owned), "{base}");
    }
}
