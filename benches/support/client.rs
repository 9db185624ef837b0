//! A client of a server at its pipes that knows just enough of the protocol to ask and to tell answers from news.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Ticks of the kernel's clock a second, in which it tells a process's time.
const TICKS: u64 = 100;

/// A server, and its one client.
pub struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts a server and begins a session.
    pub fn begin(command: &mut Command) -> Client {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = pipes.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut client = Client { child, input, output: BufReader::new(output), next: 0 };
        client.ask(
            "initialize",
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#,
        );
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    /// Asks, and gives back the line of the answer.
    pub fn ask(&mut self, method: &str, params: &str) -> String {
        self.next += 1;
        let id = self.next;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        let mark = format!("\"id\":{id},");
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            if line.contains(&mark) {
                assert!(line.contains("\"result\":"), "{line}");
                return line;
            }
        }
    }

    /// Calls a tool that does what is asked.
    pub fn call(&mut self, tool: &str, input: &str) -> String {
        let answer = self.ask("tools/call", &format!(r#"{{"name":"{tool}","arguments":{input}}}"#));
        assert!(!answer.contains("\"isError\":true"), "{answer}");
        answer
    }

    /// The index as it is now.
    pub fn index(&mut self) -> String {
        self.ask("prompts/get", r#"{"name":"skills_index"}"#)
    }

    /// Milliseconds of CPU that the server has used.
    pub fn cpu_ms(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = text.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks = |at: usize| fields[at].parse::<u64>().unwrap();
        (ticks(11) + ticks(12)) * 1_000 / TICKS
    }

    /// Memory of the server that is in use, in megabytes.
    pub fn resident_mb(&self) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0 / 1e6
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
        self.input.flush().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
