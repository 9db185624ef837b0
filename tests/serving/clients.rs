//! Clients that others wrote: the official one for Python, the inspector's command line, and the protocol's own suite.
//!
//! `SKILLKEEP_CLIENTS` names a folder as `.ci/clients` makes it. Where it is set they must be
//! there. Elsewhere a test says that it is skipped.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{env, path::PathBuf, process::Command};

use super::driver::Listening;
use crate::{
    keeping::{Keeping, ROOT},
    support::shared_cache,
};

/// The folder of clients.
fn folder(what: &str) -> Option<PathBuf> {
    let folder = env::var_os("SKILLKEEP_CLIENTS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!(
            "skipped: {what} is not driven, for SKILLKEEP_CLIENTS names no folder of clients"
        );
    }
    folder
}

/// A Python that has the official client: the folder's, or else this machine's where it has the version that is meant.
fn python() -> Option<PathBuf> {
    if env::var_os("SKILLKEEP_CLIENTS").is_some() {
        return Some(folder("Python")?.join("venv/bin/python"));
    }
    let check =
        "import importlib.metadata as m, sys; sys.exit(not m.version('mcp').startswith('2.'))";
    let has = Command::new("python3").args(["-c", check]).output();
    if has.is_ok_and(|ran| ran.status.success()) {
        return Some("python3".into());
    }
    eprintln!("skipped: no python3 with version 2 of the package `mcp` is here");
    None
}

fn prepared() -> Keeping {
    let keeping = Keeping::agent();
    keeping.machine.write(&format!("{ROOT}/deploy/assets/odd.bin"), [0xff, 0x00, 0x80]);
    keeping
}

/// Runs a script of `tests/clients` on a machine; its transcript.
fn script(keeping: &Keeping, program: &PathBuf, name: &str, arguments: &[&str]) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/clients").join(name);
    let mut command = Command::new(program);
    command.arg(script).args(arguments).current_dir(keeping.machine.path("work"));
    command
        .env("HOME", keeping.machine.path("user"))
        .env("SKILLKEEP_HOME", keeping.machine.path("home"))
        .env("SKILLKEEP_CACHE", shared_cache())
        .env("NO_PROXY", "127.0.0.1")
        .env_remove("SKILLKEEP_TOKEN");
    let ran = keeping.machine.finish(command.output().unwrap());
    assert_eq!(ran.status, 0, "{ran:#?}");
    ran.stdout
}

fn transcript(name: &str, text: &str) {
    insta::with_settings!(
        { snapshot_path => "../transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!(name, text) }
    );
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_skillkeep");

#[test]
fn the_official_client_for_python_has_a_whole_session() {
    let Some(python) = python() else { return };
    let mut all = Vec::new();
    for mode in ["legacy", "auto"] {
        let keeping = prepared();
        all.push(script(&keeping, &python, "session.py", &[mode, "stdio", PROGRAM, "serve"]));
        let keeping = prepared();
        let server = Listening::new(&keeping, &[]);
        let arguments = [mode, "http", &server.url(), &server.token];
        all.push(script(&keeping, &python, "session.py", &arguments));
    }
    // The way and the version change how a session begins, and of what is answered one number of an error.
    assert_eq!((&all[0], &all[2]), (&all[1], &all[3]));
    transcript("session-python", &all[0]);
    let newer = all[0].replace("2025-11-25", "2026-07-28").replace("-32002", "-32602");
    assert_eq!(all[2], newer);
}

#[test]
fn the_inspectors_command_line_has_a_whole_session() {
    let Some(folder) = folder("the inspector") else { return };
    let modules = folder.join("node_modules");
    let node = folder.join("node");
    let inspector = modules.join(".bin/mcp-inspector");
    let inspector = inspector.to_str().unwrap();
    let keeping = prepared();
    let piped = script(&keeping, &node, "inspector.mjs", &[inspector, "stdio", PROGRAM, "serve"]);
    let keeping = prepared();
    let server = Listening::new(&keeping, &[]);
    let arguments = [inspector, "http", &server.url(), &server.token];
    assert_eq!(script(&keeping, &node, "inspector.mjs", &arguments), piped);
    transcript("session-inspector", &piped);
}

/// What of the suite applies: its other scenarios call tools, read resources and get prompts of a server made for it, or want what
/// this one hasn't (sampling, elicitation, completion, levels of a log, subscriptions to one resource).
const SCENARIOS: [&str; 8] = [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-polling",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
];

#[test]
fn the_protocols_own_suite_finds_nothing_where_it_applies() {
    let Some(folder) = folder("the protocol's suite") else { return };
    let modules = folder.join("node_modules");
    let node = folder.join("node");
    let suite = modules.join("@modelcontextprotocol/conformance/dist/index.js");
    let keeping = prepared();
    let server = Listening::new(&keeping, &[]);
    let mut arguments =
        vec![server.url(), server.token.clone(), suite.to_str().unwrap().to_owned()];
    arguments.extend(SCENARIOS.map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let found = script(&keeping, &node, "conformance.mjs", &arguments);
    // The suite lets a page of this machine in; here no page of a browser is.
    assert_eq!(
        found,
        "server-initialize: 1 passed, 0 failed
ping: 1 passed, 0 failed
tools-list: 1 passed, 0 failed
resources-list: 1 passed, 0 failed
prompts-list: 1 passed, 0 failed
server-sse-polling: 2 passed, 0 failed
server-sse-multiple-streams: 2 passed, 0 failed
dns-rebinding-protection: 1 passed, 1 failed
"
    );
}
