//! Every command of the README is run, and prints what stands there. `SKILLKEEP_BLESS=1` writes what it prints into it.

use std::{fs, path::Path};

use crate::support::Machine;

/// A machine without skills, so that the sample is shown, with the checkout's components where the README names them.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.programs(&[
        "curl",
        "date",
        "docker",
        "ffmpeg",
        "ffprobe",
        "git",
        "journalctl",
        "psql",
        "systemctl",
        "systemd-analyze",
    ]);
    let built = repository().join("policies/dist/budget-ladder.wasm");
    machine.write("work/policies/dist/budget-ladder.wasm", fs::read(built).unwrap());
    machine
}

/// A machine with two skills of one's own, for the chapter about keeping them.
fn kept() -> Machine {
    let machine = Machine::new();
    for (name, description, body) in [
        ("deploy", "Use when a service goes out.", "Run the checks, then push."),
        ("notes", "Use for the minutes of a meeting.", "Who, what, by when."),
    ] {
        machine.write(
            &format!("user/.claude/skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\n{body}\n"),
        );
    }
    machine
}

/// Standard output of one of its commands, by the person whose home it is, at no time in particular.
fn output_of_kept(machine: &Machine, command: &str) -> String {
    let home = machine.path("user").display().to_string();
    let words = words(command);
    let words: Vec<String> = words.iter().map(|word| word.replace('~', &home)).collect();
    let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let mut run = machine.command(&arguments);
    if let Ok(token) = fs::read_to_string(machine.path("home/token")) {
        run.env("SKILLKEEP_TOKEN", token.trim());
    }
    let ran = machine.finish(run.output().unwrap());
    assert_eq!(ran.status, 0, "{command}: {ran:#?}");
    let short = ran.stdout.replace("[MACHINE]/home", "~/.local/share/skillkeep");
    let mut lines: Vec<String> = Vec::new();
    for line in short.lines() {
        let time = |word: &&str| word.len() == 20 && word.starts_with("20") && word.ends_with('Z');
        let found = line.split(' ').find(time).unwrap_or("\0").to_owned();
        lines.push(line.replace(&found, "2026-11-30T09:00:00Z"));
    }
    lines.join("\n") + "\n"
}

/// The words of a command, those in single quotes as one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Standard output of a README's command.
fn output_of(machine: &Machine, command: &str) -> String {
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    // A session of its own keeps the exploring share from changing by the day.
    let seeded: Vec<&str> = match arguments.first() {
        Some(&("index" | "why")) => {
            arguments.iter().copied().chain(["--session", "readme"]).collect()
        }
        _ => arguments,
    };
    machine.run(&seeded).stdout
}

#[test]
fn every_command_of_the_readme_prints_what_stands_there() {
    let file = repository().join("README.md");
    let readme = fs::read_to_string(&file).unwrap();
    let (machine, kept, curating) = (machine(), kept(), crate::curating::week::library());
    let mut of = String::new();
    let mut written = String::new();
    let mut lines = readme.lines().peekable();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        written.push_str(line);
        written.push('\n');
        if let Some(chapter) = line.strip_prefix("## ") {
            of = chapter.to_owned();
        }
        if line != "```console" {
            continue;
        }
        let command = lines.next().unwrap();
        let command =
            command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command in `{command}`"));
        assert!(command.starts_with("skillkeep"), "only the program is run: {command}");
        while lines.next_if(|line| *line != "```").is_some() {}
        let output = match of.as_str() {
            "Keep a library" => output_of_kept(&kept, command),
            "The curator" => {
                let words = words(command);
                let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
                curating.steady(&curating.ok(&arguments).stdout)
            }
            _ => output_of(&machine, command),
        };
        written.push_str(&format!("$ {command}\n{output}"));
        commands += 1;
    }
    assert!(commands >= 5, "{commands} commands in the README");
    if std::env::var_os("SKILLKEEP_BLESS").is_some() {
        fs::write(&file, &written).unwrap();
    } else {
        assert!(
            readme == written,
            "the README is out of date; SKILLKEEP_BLESS=1 cargo test readme mends it\n{written}"
        );
    }
}

#[test]
fn the_two_commands_of_the_readme_stand_alone() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let blocks: Vec<&str> = readme
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap().trim())
        .collect();
    assert_eq!(blocks, ["cargo run -- index", "cargo test"]);
    // `cargo run` needs to know which program; these are its arguments.
    assert!(machine().ok(&["index"]).stdout.contains("<available_skills>"));
}

#[test]
fn what_the_readme_says_of_an_agent_was_measured() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let ran = machine().ok(&["index", "--as", "claude-code", "--session", "readme"]);
    let measured = ran.stderr.lines().last().unwrap();
    assert!(readme.contains(&format!("`{measured}`")), "{measured}");
}

#[test]
fn every_link_of_the_readme_leads_to_a_file() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    for target in readme.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(target.starts_with("http") || repository().join(target).exists(), "{target}");
    }
}

#[test]
fn the_settings_of_the_readme_mean_what_they_say() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let block = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let machine = Machine::new();
    machine.write("home/skillkeep.toml", block.replace("policies/mine.wasm", "budget-ladder"));
    machine.write("user/skills/media/clip/SKILL.md", "---\nname: clip\ndescription: Cuts\n---\n");
    let ran = machine.ok(&["index"]);
    assert!(ran.stdout.contains("  media [names only]: clip\n"), "{ran:?}");
    assert!(ran.stderr.contains("of 1500 tokens") && !ran.stderr.contains("warning"), "{ran:?}");
}
