//! The author's guide: every command in it is run, in its order, and its answers are what stands there.
//! `SKILLKEEP_BLESS=1` writes what they print into it.

use std::{fs, process::Command};

use crate::{
    policy_alone::{building, one_at_a_time, real, repository},
    support::Machine,
};

/// What a command prints that is the same on every machine and each time: of cargo's tests the lines about cases, by name,
/// since they run side by side.
fn stable(command: &str, stdout: &str) -> String {
    if command != "cargo test" {
        return stdout.to_owned();
    }
    let of_cases = |line: &&str| line.starts_with("test ") && line.contains(" ... ");
    let mut lines: Vec<&str> = stdout.lines().filter(of_cases).collect();
    lines.sort_unstable();
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_command_of_the_guide_does_what_it_says() {
    let _alone = one_at_a_time();
    let machine = Machine::new();
    if building(&machine, &[]).is_none() {
        return;
    }
    let file = repository().join("guest-sdk/README.md");
    let guide = fs::read_to_string(&file).unwrap();
    let mut folder = machine.path("work");
    let mut written = String::new();
    let mut lines = guide.lines().peekable();
    let mut commands = 0;
    while let Some(line) = lines.next() {
        written.push_str(&format!("{line}\n"));
        // A file that the reader is told to change: `<!-- file: PATH -->` above its whole text.
        if let Some(path) = line.strip_prefix("<!-- file: ").and_then(|it| it.strip_suffix(" -->"))
        {
            let mut text = String::new();
            let fence = lines.next().unwrap();
            assert!(fence.starts_with("```"), "{fence}");
            written.push_str(&format!("{fence}\n"));
            let end = fence.trim_end_matches(char::is_alphanumeric);
            for line in lines.by_ref() {
                written.push_str(&format!("{line}\n"));
                if line == end {
                    break;
                }
                text.push_str(&format!("{line}\n"));
            }
            fs::write(folder.join(path), text).unwrap();
            continue;
        }
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let Some(line) = line.strip_prefix("$ ") else { continue };
            written.push_str(&format!("$ {line}\n"));
            commands += 1;
            if let Some(into) = line.strip_prefix("cd ") {
                folder = folder.join(into);
                continue;
            }
            let mut words = line.split_whitespace();
            let mut command = match words.next().unwrap() {
                "skillkeep" => building(&machine, &words.collect::<Vec<_>>()).unwrap(),
                "cargo" => {
                    let mut command = Command::new("cargo");
                    command.args(words);
                    real(&mut command);
                    command
                }
                other => panic!("only the program and cargo are run, and not `{other}`"),
            };
            let output = command.current_dir(&folder).output().unwrap();
            let ran = machine.finish(output);
            assert!(ran.status == 0 || ran.status == 1, "{line}: {ran:#?}");
            written.push_str(&stable(line, &ran.stdout));
        }
    }
    assert!(commands >= 6, "{commands} commands in the guide");
    if std::env::var_os("SKILLKEEP_BLESS").is_some() {
        fs::write(&file, &written).unwrap();
    } else {
        assert!(
            guide == written,
            "the guide is out of date; SKILLKEEP_BLESS=1 cargo test guide mends it\n{written}"
        );
    }
}
