//! `skillkeep check` from outside: what it prints in each format, how it ends, and that it says of every file what the
//! other surfaces say. On real files: twice the same, and the share without findings, by kind.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;
use skillkeep::{
    check::{self, Finding, Kind, Options, Rule, Severity, Summary},
    index::TokenMeter,
    system::OsSystem,
};

use crate::{
    deciding::library,
    support::{Machine, Ran},
};

/// A library with one skill that is as it should be, and some that are not.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.skill("garden/roses", "Prune roses in winter. Use when buds are asleep.");
    machine.skill("garden/plan", "Things for the user");
    machine.write(
        "skills/garden/peas/SKILL.md",
        "---\nname: Peas\ndescription: Sow peas in spring: when frost is gone\nversion: 1\n---\n# Peas\n\nSee [how](references/how.md), 100% of it.\n",
    );
    machine.write(
        "skills/garden/peas, late/SKILL.md",
        "---\nname: peas-late\ndescription: Sow late peas in summer. Use when beds are free.\ndisable-model-invocation: true\nuser-invocable: false\n---\nSow.\n",
    );
    machine.write("skills/garden/bare/SKILL.md", "No header.\n");
    machine
}

fn transcript(name: &str, machine: &Machine, runs: &[&[&str]]) {
    let mut text = String::new();
    for arguments in runs {
        let Ran { status, stdout, stderr } = machine.run(arguments);
        let part = |name: &str, text: &str| {
            if text.is_empty() { String::new() } else { format!("--- {name}\n{text}") }
        };
        text.push_str(&format!(
            "$ skillkeep {}\n{}{}--- exit {status}\n\n",
            arguments.join(" "),
            part("stdout", &stdout),
            part("stderr", &stderr)
        ));
    }
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!(name, text) }
    );
}

#[test]
fn findings_are_printed_with_file_line_cause_and_fix() {
    let machine = machine();
    transcript(
        "check",
        &machine,
        &[
            &["check", "../skills"],
            &["check", "../skills", "--min-severity", "error"],
            &["check", "../skills", "--min-severity", "note", "--rule", "standard,dead-link"],
            &["check", "../skills/garden/roses"],
            &["check", "../skills/garden/roses/SKILL.md", "--min-severity", "note"],
            &["check", "../skills", "--format", "github"],
        ],
    );
}

#[test]
fn what_can_t_be_checked_is_wrong_usage_and_an_empty_folder_is_a_finding() {
    let machine = machine();
    machine.write("empty/notes.md", "nothing\n");
    transcript(
        "check-wrong",
        &machine,
        &[
            &["check", "../nowhere"],
            &["check", "../empty/notes.md"],
            &["check", "../empty"],
            &["check", "../skills", "--rule", "vague-descripton"],
            &["check", "../skills", "--allow", "zzz"],
            &["check", "--against", "../skills"],
        ],
    );
}

#[test]
fn the_exit_status_is_the_worst_that_counts() {
    let machine = machine();
    machine.write(
        "notes/x/SKILL.md",
        "---\nname: x\ndescription: Fell oaks, when dry outside.\nversion: 1\n---\nFell.\n",
    );
    machine
        .write("warns/x/SKILL.md", "---\nname: x\ndescription: Fells oaks and elms.\n---\nFell.\n");
    for (folder, fail_on, status) in [
        ("../skills/garden/roses", "note", 0),
        ("../notes", "never", 0),
        ("../notes", "error", 0),
        ("../notes", "warning", 0),
        ("../notes", "note", 1),
        ("../warns", "error", 0),
        ("../warns", "warning", 1),
        ("../warns", "note", 1),
        ("../skills", "error", 1),
        ("../skills", "never", 0),
    ] {
        for format in ["text", "json", "github"] {
            let ran = machine.run(&["check", folder, "--fail-on", fail_on, "--format", format]);
            assert_eq!(ran.status, status, "{folder} {fail_on} {format}: {ran:#?}");
            // Whatever fails a check is printed, or nobody could mend it.
            assert!(status == 0 || ran.stdout.contains("SKILL.md"), "{ran:#?}");
        }
    }
    let allowed = machine.run(&["check", "../warns", "--fail-on", "note", "--allow", "no-trigger"]);
    assert_eq!(allowed.status, 0, "{allowed:#?}");
}

#[test]
fn json_and_text_tell_the_same_findings() {
    let machine = machine();
    let text = machine.run(&["check", "../skills", "--min-severity", "note"]);
    let ran = machine.run(&["--json", "check", "../skills", "--min-severity", "note"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["schema"], "skillkeep.check/1");
    let findings = json["findings"].as_array().unwrap();
    let lines: Vec<String> = findings
        .iter()
        .map(|f| {
            let word = |key: &str| f[key].as_str().unwrap_or_default().to_owned();
            let field = f["field"].as_str().map_or(String::new(), |field| format!(" `{field}`"));
            format!(
                "{}:{}: {} {}{field}: {}\n    fix: {}\n",
                word("path"),
                f["line"],
                word("severity"),
                word("rule"),
                word("cause"),
                word("fix")
            )
        })
        .collect();
    let told = text.stdout.rsplit_once("5 skills,").unwrap().0;
    assert_eq!(lines.concat(), told);
    let count = |severity: &str| findings.iter().filter(|f| f["severity"] == severity).count();
    for severity in ["error", "warning", "note"] {
        assert_eq!(json["summary"]["severities"][severity], count(severity), "{severity}");
    }
    assert_eq!(json["summary"]["not-shown"], 0);
    let fewer = machine.run(&["--json", "check", "../skills", "--min-severity", "error"]);
    let fewer: Value = serde_json::from_str(&fewer.stdout).unwrap();
    assert_eq!(fewer["findings"].as_array().unwrap().len(), count("error"));
    assert_eq!(fewer["summary"]["not-shown"], findings.len() - count("error"));
    assert_eq!(fewer["summary"]["skills"], 5);
}

#[test]
fn a_new_skill_is_compared_with_a_library_that_is_not_checked_itself() {
    let machine = machine();
    machine.write(
        "new/roses-again/SKILL.md",
        "---\nname: roses-again\ndescription: Prune roses in winter. Use when buds are asleep.\n---\nCut.\n",
    );
    let alone = machine.ok(&["check", "../new/roses-again"]);
    assert_eq!(alone.stdout, "1 skill, nothing to mend\n");
    let ran = machine.ok(&["check", "../new/roses-again", "--against", "../skills"]);
    assert_eq!(
        ran.stdout,
        "[MACHINE]/new/roses-again/SKILL.md:3: warning twin-description `description`: it is word for word that of `garden/roses`\n    fix: say what only this skill does\n1 skill, 0 without findings, 0 with nothing worse than notes: 0 errors, 1 warning, 0 notes (twin 1)\n"
    );
    // A skill of the library itself is not its own twin.
    let own = machine.ok(&["check", "../skills/garden/roses", "--against", "../skills"]);
    assert_eq!(own.stdout, "1 skill, nothing to mend\n");
}

#[test]
fn paths_below_the_working_folder_are_told_from_there() {
    let machine = Machine::new();
    machine.write(
        "work/skills/a, b/SKILL.md",
        "---\nname: x\ndescription: Fell oaks, when dry: mind wind\n---\nFell.\n",
    );
    let ran = machine.run(&["check", "skills", "--format", "github", "--rule", "not-yaml"]);
    assert_eq!(
        ran.stdout,
        "::error file=skills/a%2C b/SKILL.md,line=3,title=not-yaml::`description`: a plain value can't hold a colon and a space (`Fell oaks, when dry: `); put the value in quotes\n"
    );
    let ran = machine.run(&["check", "skills", "--rule", "not-yaml"]);
    assert!(ran.stdout.starts_with("skills/a, b/SKILL.md:3: error not-yaml"), "{ran:#?}");
}

#[test]
fn without_a_path_the_sample_is_checked_where_nothing_is_found() {
    let machine = Machine::new();
    let ran = machine.run(&["check", "--min-severity", "error"]);
    assert!(ran.stderr.contains("SAMPLE"), "{}", ran.stderr);
    // The sample has one of each kind of broken header on purpose.
    let errors: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| {
            line.strip_prefix("/sample/")?.split_once(": error ")?.1.split([' ', ':']).next()
        })
        .collect();
    assert_eq!(
        (ran.status, errors),
        (
            1,
            vec![
                "missing-description",
                "not-yaml",
                "no-header",
                "missing-description",
                "name-differs"
            ]
        )
    );
}

#[test]
fn roots_of_the_config_are_checked_where_no_path_is_named() {
    let machine = machine();
    machine.write("home/skillkeep.toml", format!("roots = [{:?}]\n", machine.path("skills")));
    let (named, configured) = (machine.run(&["check", "../skills"]), machine.run(&["check"]));
    assert_eq!(named, configured);
}

#[test]
fn the_rules_are_printed_as_a_table_and_as_json() {
    let machine = Machine::new();
    let rules = machine.ok(&["check", "--rules"]).stdout;
    assert_eq!(rules.lines().count(), Rule::ALL.len() + 1);
    let json = machine.json(&["check", "--rules", "--rule", "twin"]);
    let ids: Vec<&str> = json["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["rule"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["twin-body", "near-twin-body", "twin-description", "near-twin-description"]);
}

#[test]
fn the_table_of_rules_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/check-rules.md");
    let now = skillkeep::cli::rules_reference();
    if std::env::var_os("SKILLKEEP_BLESS").is_some() {
        fs::write(&file, &now).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == now,
        "`tests/check-rules.md` is not the table; SKILLKEEP_BLESS=1 writes it anew"
    );
}

#[test]
fn of_every_odd_header_the_check_says_what_the_list_says() {
    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/odd-headers");
    let machine = Machine::new();
    let list = machine.json(&["list", "--root", FOLDER]);
    let ran = machine.run(&["--json", "check", FOLDER, "--min-severity", "note"]);
    let check: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut found: BTreeMap<&str, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for finding in check["findings"].as_array().unwrap() {
        let word = |key: &str| finding[key].as_str().unwrap();
        found.entry(word("path")).or_default().insert((word("rule"), word("cause")));
    }
    let skills = list["skills"].as_array().unwrap();
    assert!(skills.len() >= 40);
    for skill in skills {
        let path = skill["path"].as_str().unwrap();
        for diagnostic in skill["diagnostics"].as_array().unwrap() {
            let word = |key: &str| diagnostic[key].as_str().unwrap();
            let listed = (word("problem"), word("cause"));
            assert!(
                found.get(path).is_some_and(|found| found.contains(&listed)),
                "{path}: {listed:?}"
            );
        }
    }
}

#[test]
fn what_a_folder_is_called_can_t_reach_a_terminal_or_end_an_annotation() {
    let machine = Machine::new();
    machine.write("work/s/a\n::error::b\u{1b}[31m/SKILL.md", "no header\n");
    for format in ["text", "github", "json"] {
        let ran = machine.run(&["check", "s", "--format", format]);
        assert_eq!(ran.status, 1);
        assert!(!ran.stdout.contains('\u{1b}'), "{ran:#?}");
        assert!(ran.stdout.lines().all(|line| !line.starts_with("::error::b")), "{ran:#?}");
    }
}

#[test]
fn real_files_get_the_same_verdict_twice_and_the_share_without_findings_is_pinned() {
    let Some(corpus) = std::env::var_os("SKILLKEEP_CORPUS") else {
        eprintln!("SKIPPED: SKILLKEEP_CORPUS names no folder of real skill files");
        return;
    };
    let once = || {
        let library = library(Path::new(&corpus));
        let pages = check::read(&OsSystem, &library, &TokenMeter::open(&OsSystem, None));
        (library.skills.len(), check::check(&library, &pages, &Options::default()))
    };
    let (skills, findings) = once();
    assert_eq!((skills, &findings), (1_880, &once().1));
    for finding in &findings {
        assert!(finding.line.is_some() && !finding.cause.is_empty() && !finding.fix.is_empty());
        let text = fs::read(&finding.path).unwrap();
        let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
        assert!(finding.line.unwrap() as usize <= lines, "{finding:?}");
    }
    let summary = Summary::of(&findings, skills);
    let share = |clean: usize| format!("{clean} of {skills}, {} %", clean * 100 / skills);
    let without = |bad: &dyn Fn(&Finding) -> bool| {
        let rows: BTreeSet<_> = findings.iter().filter(|f| bad(f)).filter_map(|f| f.row).collect();
        skills - rows.len()
    };
    // What the standard's own validator accepts. The corpus's README counts 1,036 of 1,894 by that validator's rules;
    // fourteen of these files are not in the corpus, eleven of them with a header that is YAML.
    let refused = |f: &Finding| {
        let only_here = matches!(f.rule, Rule::NestedMetadata | Rule::ToolsAsList | Rule::OddField);
        f.rule.kind() == Kind::Standard && !only_here
            || matches!(
                f.rule,
                Rule::NoHeader | Rule::UnclosedHeader | Rule::NotYaml | Rule::NotMapping
            )
    };
    let mut text = format!(
        "without any finding            {}\nwithout warnings and errors    {}\nwithout errors                 {}\nas skills-ref accepts them     {}\n\nwithout findings, by kind\n",
        share(summary.clean),
        share(summary.no_worse_than_notes),
        share(without(&|f| f.severity == Severity::Error)),
        share(without(&refused)),
    );
    for count in &summary.kinds {
        text.push_str(&format!("{:<12} {}\n", count.kind.word(), share(count.clean)));
    }
    // The corpus has no files but SKILL.md, so nearly every link in it is dead.
    text.push_str("\nfindings, by rule\n");
    for rule in Rule::ALL {
        let count = findings.iter().filter(|finding| finding.rule == *rule).count();
        if count > 0 {
            text.push_str(&format!("{:<22} {count}\n", rule.id()));
        }
    }
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("check-corpus", text) }
    );
}
