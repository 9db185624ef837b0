//! A client that is no more than the wire: requests as JSON, over a child's pipes or over HTTP.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::SocketAddr,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::keeping::Keeping;

/// The newest version of the protocol that begins with a handshake.
pub const HANDSHAKE: &str = "2025-11-25";
/// The version whose requests carry all that a handshake would have told.
pub const INLINE: &str = "2026-07-28";

/// What a request got: the result, or the error.
pub type Answer = Result<Value, Value>;

/// A client of a server, over whatever.
pub trait Client {
    /// Sends a request and waits for its answer.
    fn ask(&mut self, method: &str, params: Value) -> Answer;

    /// Says something that has no answer.
    fn tell(&mut self, method: &str);

    /// Sends a request that is answered.
    fn get(&mut self, method: &str, params: Value) -> Value {
        let asked = format!("{method} {params}");
        self.ask(method, params).unwrap_or_else(|error| panic!("{asked}: {error:#}"))
    }

    /// Begins a session by the handshake.
    fn begin(&mut self) -> Value {
        let result = self.get("initialize", handshake(HANDSHAKE));
        self.tell("notifications/initialized");
        result
    }

    /// Calls a tool: whether it was refused, and what it answered.
    fn call(&mut self, tool: &str, input: Value) -> (bool, Value) {
        let result = self.get("tools/call", json!({ "name": tool, "arguments": input }));
        let text = result["content"][0]["text"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        let refused = result["isError"] == true;
        if refused {
            assert!(result.get("structuredContent").is_none(), "{result:#}");
        } else {
            assert_eq!(result["structuredContent"], value);
        }
        (refused, value)
    }

    /// Calls a tool that does what is asked.
    fn done(&mut self, tool: &str, input: Value) -> Value {
        let (refused, value) = self.call(tool, input);
        assert!(!refused, "{tool}: {value:#}");
        value
    }
}

/// What a handshake says.
pub fn handshake(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "wire", "version": "1" },
    })
}

/// The parameters of a request that needs no handshake.
pub fn inline(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": INLINE,
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// What no answer takes on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so.
pub fn until(what: &str, mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < PATIENCE, "waited for {what} in vain");
        thread::yield_now();
    }
}

/// A server whose one client sits at its pipes.
pub struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    /// Its lines, read by a thread, so that what is never said fails a test and doesn't hold it up.
    lines: Receiver<String>,
    errors: Option<ChildStderr>,
    next: u64,
}

/// How a server ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// What was left on its standard output.
    pub rest: String,
    pub errors: String,
}

impl Piped {
    pub fn new(keeping: &Keeping, arguments: &[&str]) -> Piped {
        Piped::with(keeping, arguments, &[])
    }

    /// The same, with more in its environment.
    pub fn with(keeping: &Keeping, arguments: &[&str], variables: &[(&str, &str)]) -> Piped {
        let mut command = keeping.machine.command(&[&["serve"], arguments].concat());
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.envs(variables.iter().copied()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let errors = child.stderr.take();
        Piped { child, input, lines: lines(output), errors, next: 0 }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn send_json(&mut self, value: &Value) {
        self.send(format!("{value}\n").as_bytes());
    }

    /// The next line, which is always JSON of the protocol.
    pub fn line(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer");
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        value
    }

    /// Says no more.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Bytes of its process that are in memory and of no file.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Says no more, and waits for the end.
    pub fn end(mut self) -> Ended {
        self.hang_up();
        let mut errors = String::new();
        let rest = self.lines.iter().collect();
        self.errors.take().unwrap().read_to_string(&mut errors).unwrap();
        Ended { status: self.child.wait().unwrap(), rest, errors }
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Client for Piped {
    fn ask(&mut self, method: &str, params: Value) -> Answer {
        self.next += 1;
        let id = self.next;
        self.send_json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.line();
            if line["id"] == id {
                return answer(line);
            }
            // News may come between; nothing else does.
            assert!(line.get("method").is_some() && line.get("id").is_none(), "{line:#}");
        }
    }

    fn tell(&mut self, method: &str) {
        self.send_json(&json!({ "jsonrpc": "2.0", "method": method }));
    }
}

fn lines(output: ChildStdout) -> Receiver<String> {
    let (lines, read) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            // Nobody listens any more: then the pipe is shut here, too.
            if lines.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    read
}

fn answer(mut message: Value) -> Answer {
    match message.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(message["result"].take()),
    }
}

/// A server that listens on loopback.
pub struct Listening {
    child: Child,
    pub address: SocketAddr,
    pub token: String,
    errors: BufReader<ChildStderr>,
}

impl Listening {
    pub fn new(keeping: &Keeping, arguments: &[&str]) -> Listening {
        let all = [&["serve", "--http", "127.0.0.1:0"], arguments].concat();
        let mut command = keeping.machine.command(&all);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(errors.read_line(&mut line).unwrap() > 0, "it ended: {said}");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
            said.push_str(&line);
        };
        let token = fs::read_to_string(keeping.machine.path("home/server-token")).unwrap();
        Listening { child, address, token: token.trim().to_owned(), errors }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// A client that shows the token.
    pub fn client(&self) -> Caller {
        Caller::new(self.url(), &self.token)
    }

    /// Asks it to end, as whoever supervises it does.
    pub fn terminate(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    /// Waits for its end; gives back what it said on standard error since it listened.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A client over HTTP.
#[derive(Clone)]
pub struct Caller {
    agent: ureq::Agent,
    pub url: String,
    /// Headers of each request.
    pub headers: Vec<(String, String)>,
    /// The number of its last request; no two of a session are alike.
    pub next: u64,
}

/// What a request over HTTP got.
#[derive(Debug)]
pub struct Got {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub text: String,
}

impl Got {
    /// What has come, once it is all there.
    pub fn read(mut response: ureq::http::Response<ureq::Body>) -> Got {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Got { status, headers, text: response.body_mut().read_to_string().unwrap() }
    }

    /// The messages of the protocol in it, be it one document or a stream of events.
    pub fn messages(&self) -> Vec<Value> {
        let kind = self.headers.get("content-type").map(|it| it.to_str().unwrap().to_owned());
        if kind.is_some_and(|kind| kind.starts_with("application/json")) {
            return vec![serde_json::from_str(&self.text).unwrap()];
        }
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data:"));
        let data = data.filter(|data| !data.trim().is_empty());
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

impl Caller {
    pub fn new(url: String, token: &str) -> Caller {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(120)))
            .proxy(None)
            .build();
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        if !token.is_empty() {
            headers.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        Caller { agent: config.into(), url, headers, next: 0 }
    }

    pub fn header(mut self, name: &str, value: &str) -> Caller {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn post(&self, body: &str) -> Got {
        Got::read(self.start(body))
    }

    /// Sends a request; what comes back has begun, and the server is at work.
    pub fn start(&self, body: &str) -> ureq::http::Response<ureq::Body> {
        let mut request = self.agent.post(&self.url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.send(body).unwrap()
    }
}

impl Client for Caller {
    fn ask(&mut self, method: &str, params: Value) -> Answer {
        self.next += 1;
        let id = self.next;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let got = self.post(&message.to_string());
        if let Some(session) = got.headers.get("mcp-session-id") {
            let session = session.to_str().unwrap().to_owned();
            self.headers.push(("mcp-session-id".to_owned(), session));
            self.headers.push(("mcp-protocol-version".to_owned(), HANDSHAKE.to_owned()));
        }
        let mut messages = got.messages().into_iter();
        answer(messages.find(|message| message["id"] == id).unwrap_or_else(|| panic!("{got:#?}")))
    }

    fn tell(&mut self, method: &str) {
        let got = self.post(&json!({ "jsonrpc": "2.0", "method": method }).to_string());
        assert_eq!((got.status, got.text.as_str()), (202, ""));
    }
}

/// A client of each kind, with what keeps its server.
pub fn clients(keeping: &Keeping, mut test: impl FnMut(&str, &mut dyn Client)) {
    test("pipes", &mut Piped::new(keeping, &[]));
    // Who asks again and again until something comes true asks oftener than a client.
    let server = Listening::new(keeping, &["--rate", "100000"]);
    test("http", &mut server.client());
}
