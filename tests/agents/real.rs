//! What 50 to 500 real skills get from each agent, without any usage data. The figures are the same on every machine.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::{json, machine};

/// So many skills of the corpus with different names, drawn by a seed; or those of the committed list.
fn drawn(corpus: &Path, count: Option<usize>) -> Vec<(String, Vec<u8>)> {
    let listed: Vec<String> = match count {
        None => include_str!("../../benches/tokens.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
        Some(_) => {
            let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
            let mut files: Vec<String> = manifest
                .lines()
                .filter_map(|line| line.split('\t').next())
                .filter(|file| file.ends_with("/SKILL.md"))
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

/// A study of the same rules on other draws found 30, 26, 21, 15 and 0 descriptions in Claude Code at 200k and 50, 100, 147,
/// 145 and 127 at 1M; means of 239, 134, 62 and 5 characters in Codex, and names for 267 of 500; 50, 100 and 150 skills
/// listed in OpenClaw, with all, 41 and no characters. Of what differs here, most comes from the draws (few descriptions are
/// kept, and long ones move the figure) and the lengths of paths, which Codex and OpenClaw pay for: these are short, which
/// gives Codex longer descriptions. Skills without a description, or with one that is too long, are not listed where the
/// agent doesn't load them. And OpenClaw's prose counts here, as it does there.
#[test]
fn what_real_skills_get_from_each_agent() {
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
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
        let skills = drawn(Path::new(&corpus), count);
        let number = skills.len();
        let system = machine(skills);
        let says = |line: &str| {
            let says = json(&system, line)["beside"]["agent"].clone();
            let number = |key: &str| says[key].as_u64().unwrap();
            let (described, listed) = (number("described"), number("described") + number("named"));
            (described, format!("{listed}, {}", number("characters") * described / listed.max(1)))
        };
        let described = |window: u32| says(&format!("index --as claude-code --window {window}")).0;
        table.push_str(&format!(
            "{number} | {} | {} | {} | {}\n",
            described(200_000),
            described(1_000_000),
            says("index --as codex").1,
            says("index --as openclaw").1,
        ));
    }
    insta::assert_snapshot!(table, @"
    skills | Claude Code, 200k: described | 1M | Codex: listed, mean length | OpenClaw: listed, mean length
    50 | 27 | 49 | 46, 244 | 45, 171
    100 | 24 | 99 | 94, 157 | 93, 35
    150 | 21 | 149 | 140, 82 | 139, 0
    247 | 9 | 133 | 233, 18 | 150, 0
    500 | 0 | 128 | 305, 0 | 149, 0
    ");
}
