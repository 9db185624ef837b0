//! Other agents' indexes: what each prints of the same skills, what it makes of what went wrong elsewhere, and what real
//! skills get from each. All on machines in memory: a path's length is part of what Codex and OpenClaw pay for.

mod cases;
mod printed;
mod real;

use serde_json::Value;
use skillkeep::{cli::Output, system::MemorySystem};

use crate::support::shared_cache;

/// The agents, by their words.
const AGENTS: [&str; 5] = ["claude-code", "codex", "openclaw", "hermes", "progressive"];

/// A machine with skills below `/home/me/skills`, each with its whole file.
fn machine<Path: AsRef<str>, Text: Into<Vec<u8>>>(
    skills: impl IntoIterator<Item = (Path, Text)>,
) -> MemorySystem {
    let system = MemorySystem::new();
    for (name, value) in [
        ("HOME", "/home/me"),
        ("SKILLKEEP_HOME", "/home/me/.skillkeep"),
        ("SKILLKEEP_CACHE", shared_cache().to_str().unwrap()),
    ] {
        system.set_variable(name, value);
    }
    system.set_working_folder("/home/me");
    for (path, text) in skills {
        system.write(format!("/home/me/skills/{}/SKILL.md", path.as_ref()), text.into());
    }
    system
}

/// A skill's file with a name and a description.
fn file(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n")
}

/// What a command line says on both streams.
fn run(system: &MemorySystem, line: &str) -> (String, String) {
    let at = match line.split(' ').next() {
        Some("index" | "why") => " --now 1790000000 --platform linux --session one",
        _ => "",
    };
    let line = format!("skillkeep {line}{at}");
    let line = if line.contains("--root") { line } else { line + " --root skills" };
    let arguments: Vec<_> = line.split_whitespace().map(Into::into).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let _status = skillkeep::cli::run(system, &arguments, &mut Output::new(&mut out, &mut err));
    let plain = |bytes: Vec<u8>| anstream::adapter::strip_bytes(&bytes).into_vec();
    (String::from_utf8(plain(out)).unwrap(), String::from_utf8(plain(err)).unwrap())
}

/// What it says as JSON.
fn json(system: &MemorySystem, line: &str) -> Value {
    let (out, err) = run(system, &format!("{line} --json"));
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line}: {error}: {err}"))
}

/// The form of each skill, by name.
fn forms(index: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = index["entries"].as_array().unwrap().iter();
    let mut forms: Vec<_> =
        entries.map(|entry| (text(&entry["name"]), text(&entry["form"]))).collect();
    forms.sort();
    forms
}

/// How many skills have a form.
fn count(index: &Value, form: &str) -> u64 {
    index["coverage"][form].as_u64().unwrap()
}
