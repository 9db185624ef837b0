//! Other agents' indexes: what each prints of the same skills, what it makes of what went wrong elsewhere, and what real
//! skills get from each.

use std::path::Path;

use serde_json::Value;
use skillkeep::{cli::Output, system::MemorySystem};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::shared_cache;

/// A machine in memory with skills below `/home/me/skills`.
fn machine(skills: impl IntoIterator<Item = (String, Vec<u8>)>) -> MemorySystem {
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
        system.write(format!("/home/me/skills/{path}/SKILL.md"), text);
    }
    system
}

/// What a command line says, as JSON.
fn json(system: &MemorySystem, line: &str) -> Value {
    let line = format!("skillkeep --json {line} --root /home/me/skills --now 1790000000");
    let arguments: Vec<_> = line.split_whitespace().map(Into::into).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let _status = skillkeep::cli::run(system, &arguments, &mut Output::new(&mut out, &mut err));
    serde_json::from_slice(&out).unwrap_or_else(|error| {
        panic!("{line}: {error}: {}", String::from_utf8_lossy(&err));
    })
}

/// How long the part of a description is that an entry shows, given the whole of it.
fn shown(index: &Value, entry: &Value, whole: usize) -> usize {
    match entry["form"].as_str().unwrap() {
        "full" => whole,
        "short" => whole.min(usize::try_from(index["cut"]["scalars"].as_u64().unwrap()).unwrap()),
        _ => 0,
    }
}

/// So many skills of the corpus with different names, drawn by a seed; or those of the committed list.
fn drawn(corpus: &Path, count: Option<usize>) -> Vec<(String, Vec<u8>)> {
    let listed: Vec<String> = match count {
        None => include_str!("../benches/tokens.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
        Some(_) => {
            let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
            let mut files: Vec<String> = manifest
                .lines()
                .filter_map(|line| line.split('\t').find(|cell| cell.ends_with("SKILL.md")))
                .map(str::to_owned)
                .collect();
            files.sort_by_key(|file| xxh3_64(format!("7 {file}").as_bytes()));
            files
        }
    };
    let mut skills: Vec<(String, Vec<u8>)> = Vec::new();
    for file in listed {
        let name = file.rsplit('/').nth(1).unwrap().to_owned();
        if skills.iter().all(|(other, _)| *other != name) && Some(skills.len()) != count {
            skills.push((name, std::fs::read(corpus.join(&file)).unwrap()));
        }
    }
    skills
}

#[test]
fn what_real_skills_get_from_each_agent() {
    let Some(corpus) = std::env::var_os("SKILLKEEP_CORPUS") else {
        eprintln!(
            "SKIPPED: `SKILLKEEP_CORPUS` names no folder, so no agent was asked about real skills"
        );
        return;
    };
    let mut table = String::from(
        "skills | Claude Code, 200k: described | 1M | Codex: listed, mean length | OpenClaw: listed, mean length\n",
    );
    for count in [Some(50), Some(100), Some(150), None, Some(500)] {
        let system = machine(drawn(Path::new(&corpus), count));
        let described = |window: u32| {
            let index = json(&system, &format!("index --as claude-code --window {window}"));
            index["beside"]["agent"]["described"].as_u64().unwrap()
        };
        let listed = |agent: &str| {
            let index = json(&system, &format!("index --as {agent}"));
            let says = &index["beside"]["agent"];
            let number = |key: &str| says[key].as_u64().unwrap();
            let (described, named) = (number("described"), number("named"));
            let mean = number("characters") * described / (described + named).max(1);
            format!("{}, {mean}", described + named)
        };
        table.push_str(&format!(
            "{} | {} | {} | {} | {}\n",
            count.map_or("listed 250".to_owned(), |count| count.to_string()),
            described(200_000),
            described(1_000_000),
            listed("codex"),
            listed("openclaw"),
        ));
    }
    insta::assert_snapshot!(table, @"");
}
