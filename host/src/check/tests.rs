//! Whole libraries in memory, and what is found in them: cases from the field, each with what is right.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use super::{Finding, Kind, Options, Rule, Severity, Summary, check, read};
use crate::{
    index::CharMeter,
    library::scan,
    skill::{OneLine, Root},
    system::MemorySystem,
};

/// A description with nothing to say against it.
const GOOD: &str = "Prune roses in winter. Use when buds are asleep.";

fn skill(name: &str, description: &str) -> Vec<u8> {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo {name}.\n").into_bytes()
}

fn found_in(system: &MemorySystem, roots: &[&str]) -> Vec<Finding> {
    let root = |path: &&str| Root { path: path.into(), label: OneLine::new(path), category: None };
    let library = scan(system, &roots.iter().map(root).collect::<Vec<_>>(), None);
    let pages = read(system, &library, &CharMeter);
    let found = check(&library, &pages, &Options::default());
    assert_eq!(found, check(&library, &pages, &Options::default()), "the same verdict twice");
    found
}

fn found(files: &[(&str, &[u8])]) -> Vec<Finding> {
    let files = files.iter().map(|(path, bytes)| (format!("/r/{path}"), bytes.to_vec()));
    found_in(&MemorySystem::from_files(files), &["/r"])
}

/// Findings as `path:line rule`.
fn lines(found: &[Finding]) -> Vec<String> {
    let row = |finding: &Finding| {
        let line = finding.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{line} {}", finding.path.display(), finding.rule.id())
    };
    found.iter().map(row).collect()
}

/// The rules found for one file that is a skill `x`, with their lines.
fn alone(bytes: &[u8]) -> Vec<String> {
    lines(&found(&[("x/SKILL.md", bytes)]))
        .into_iter()
        .map(|line| line.replace("/r/x/SKILL.md:", ""))
        .collect()
}

#[test]
fn a_good_skill_has_no_finding() {
    assert_eq!(alone(&skill("x", GOOD)), [""; 0]);
}

#[test]
fn headers_from_the_field_are_judged_by_what_the_one_parser_read() {
    let header = |header: &str| format!("---\n{header}---\nbody\n").into_bytes();
    let with = |more: &str| header(&format!("name: x\ndescription: {GOOD}\n{more}"));
    let metadata = |lines: usize| {
        let line = |n: usize| format!("  key-{n}: {}\n", "v".repeat(30));
        with(&format!("metadata:\n{}", (0..lines).map(line).collect::<String>()))
    };
    for (case, bytes, rules) in [
        ("a mark in front", [b"\xef\xbb\xbf", skill("x", GOOD).as_slice()].concat(), vec![]),
        (
            "a colon",
            header("name: x\ndescription: Use when pruning roses: buds first\n"),
            vec!["3 not-yaml"],
        ),
        ("a time", with("compatibility: opens at 10:30\n"), vec![]),
        (
            "brackets for text",
            with("argument-hint: [query]\n"),
            vec!["4 odd-field", "4 extra-field", "4 brackets"],
        ),
        (
            "no list",
            with("dependencies: [ray[train], torch]\n"),
            vec!["4 not-yaml", "4 extra-field"],
        ),
        ("tools as text", with("allowed-tools: Read Bash(git:*)\n"), vec![]),
        ("tools as a list", with("allowed-tools:\n  - Read\n"), vec!["4 tools-as-list"]),
        (
            "an empty description",
            header("name: x\ndescription: \"\"\n"),
            vec!["3 missing-description"],
        ),
        ("a fold of nothing", header("name: x\ndescription: >-\n"), vec!["3 missing-description"]),
        ("spaces", header("name: x\ndescription: \"  \"\n"), vec!["3 missing-description"]),
        ("2,500 bytes", metadata(60), vec![]),
        ("beyond the cap", metadata(2_000), vec!["1 header-too-long"]),
        (
            "rules in the body",
            format!("---\nname: x\ndescription: {GOOD}\n---\npara\n\n---\n\npara\n---\n")
                .into_bytes(),
            vec![],
        ),
        ("a bracket that stays open", with("allowed-tools: [a\n"), vec!["4 not-yaml"]),
        ("a key of somebody's", with("x-vendor:\n  a: 1\n"), vec!["4 extra-field"]),
        (
            "small letters of another script",
            skill("技能", GOOD),
            vec!["2 odd-name", "2 name-differs"],
        ),
        ("no fence", b"body\n".to_vec(), vec!["1 no-header", "1 missing-description"]),
        (
            "never closed",
            b"---\nname: x\ndescription: Prune roses in winter, when asleep\n".to_vec(),
            vec!["1 unclosed-header"],
        ),
        ("no name", header(&format!("description: {GOOD}\n")), vec!["1 missing-name"]),
        ("no description", header("name: x\n"), vec!["1 missing-description"]),
        (
            "no body",
            format!("---\nname: x\ndescription: {GOOD}\n---\n").into_bytes(),
            vec!["5 empty-body"],
        ),
        ("empty", Vec::new(), vec!["1 no-header", "1 empty-body", "1 missing-description"]),
        ("another name than the folder's", skill("y", GOOD), vec!["2 name-differs"]),
        (
            "what nobody sees",
            skill("x", "Prune\u{202e} roses in\u{200b} winter, when asleep"),
            vec!["3 hidden-characters"],
        ),
        (
            "what nobody sees, as escapes",
            skill("x", r#""Prune \e[31m roses \u202E in winter,\n\twhen asleep""#),
            vec!["3 hidden-characters"],
        ),
        (
            "and below a field",
            header(&format!("name: x\ndescription: {GOOD}\nmetadata:\n  by: \"\\a\"\n")),
            vec!["4 hidden-characters"],
        ),
        (
            "joiners are letters",
            skill("x", "Prune \u{645}\u{6cc}\u{200c}\u{62e} 👩\u{200d}🔧 roses, when asleep"),
            vec![],
        ),
        ("a zero", b"---\nname: x\n\0---\n".to_vec(), vec!["1 not-utf8", "1 missing-description"]),
        ("not UTF-8", [skill("x", GOOD), b"\xff\n".to_vec()].concat(), vec!["6 not-utf8"]),
    ] {
        let mut rules: Vec<String> = rules.into_iter().map(str::to_owned).collect();
        let mut found = alone(&bytes);
        found.retain(|line| !line.ends_with("hermes-cut"));
        rules.sort();
        found.sort();
        found.dedup();
        assert_eq!(found, rules, "{case}");
    }
}

#[test]
fn a_broken_line_of_one_file_hides_nothing_in_another() {
    let file = |name: &str, text: &str, list: &str| {
        format!("---\nname: {name}\ndescription: {text}\nallowed-tools: {list}\n---\nbody\n")
    };
    let found = found(&[
        ("a/SKILL.md", file("a", GOOD, "[a").as_bytes()),
        ("b/SKILL.md", file("b", "Sow peas in spring, when frost is gone.", "[b]").as_bytes()),
    ]);
    assert_eq!(
        lines(&found),
        ["/r/a/SKILL.md:4 not-yaml", "/r/b/SKILL.md:4 brackets", "/r/b/SKILL.md:4 tools-as-list"]
    );
}

#[test]
fn names_from_the_field_are_refused_as_the_standard_refuses_them() {
    for (name, severity) in [
        ("\"A B\"", Some(Severity::Error)),
        ("-x", Some(Severity::Error)),
        ("x-", Some(Severity::Error)),
        ("a--b", Some(Severity::Error)),
        (&"a".repeat(65), Some(Severity::Error)),
        ("naïve", Some(Severity::Warning)),
        ("技能", Some(Severity::Warning)),
        ("CON", Some(Severity::Error)),
        ("x.", Some(Severity::Error)),
        (&"a".repeat(64), None),
        ("a1-b2", None),
    ] {
        let found = found(&[("x/SKILL.md", &skill(name, GOOD))]);
        let odd = found.iter().find(|finding| finding.rule == Rule::OddName);
        assert_eq!(odd.map(|finding| finding.severity), severity, "{name}");
    }
}

#[test]
fn descriptions_that_begin_alike_are_found_where_an_index_would_cut_them() {
    // Twenty descriptions whose first 57 characters are the same, and two that are not like them.
    let begin = "Use when you want to work on the garden behind the house,";
    assert_eq!(begin.chars().count(), 57);
    let plants = "rose tulip lily oak elm ash fir yew fern moss ivy hop rye oat pea bean leek kale chard cress";
    let mut files: Vec<(String, Vec<u8>)> = plants
        .split(' ')
        .map(|plant| {
            (
                format!("{plant}/SKILL.md"),
                skill(
                    plant,
                    &format!("{begin} and cut the {plant} with the {plant} knife in {plant} time"),
                ),
            )
        })
        .collect();
    assert_eq!(files.len(), 20);
    files.push(("other/SKILL.md".to_owned(), skill("other", GOOD)));
    files.push((
        "also/SKILL.md".to_owned(),
        skill("also", "Use when you want to work on a boat at sea, and it leaks."),
    ));
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let found = found(&files);
    let of = |rule: Rule| found.iter().filter(|f| f.rule == rule).collect::<Vec<_>>();
    let shared = of(Rule::SharedOpening);
    assert_eq!((shared.len(), shared[0].line), (20, Some(3)));
    assert_eq!(
        shared[0].cause.as_str(),
        "the first 57 characters, `Use when you want to work on the garden behind the house,`, are those of 19 others, such as `bean`"
    );
    let words: Vec<String> = lines(&of(Rule::SharedWords).into_iter().cloned().collect::<Vec<_>>());
    assert_eq!(
        words,
        ["/r/also/SKILL.md:3 shared-words"],
        "what was told of the opening is not told again"
    );
}

#[test]
fn twins_are_told_with_each_other_and_the_share_of_near_ones() {
    let body =
        |words: std::ops::Range<usize>| words.map(|n| format!("word{n} ")).collect::<String>();
    let file = |name: &str, description: &str, body: &str| {
        format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n").into_bytes()
    };
    let found = found(&[
        ("a/SKILL.md", &file("a", GOOD, &body(0..50))),
        (
            "b/SKILL.md",
            &file("b", "Sow peas in spring. Use when frost is gone.", &body(0..50).to_uppercase()),
        ),
        ("c/SKILL.md", &file("c", "Sow peas in spring. Use when snow is gone.", &body(0..46))),
        (
            "d/SKILL.md",
            &file("d", "Pick apples. Use when they fall by themselves.", &body(500..550)),
        ),
        ("e/SKILL.md", &file("e", GOOD, "short")),
        ("f/SKILL.md", &file("f", "Fell trees. Use when storms are near.", "short")),
    ]);
    let told: Vec<String> = found
        .iter()
        .map(|f| format!("{}:{} {}: {}", f.path.display(), f.line.unwrap(), f.rule.id(), f.cause))
        .collect();
    assert_eq!(
        told,
        [
            "/r/a/SKILL.md:3 twin-description: it is word for word that of `general/e`",
            "/r/a/SKILL.md:5 twin-body: it is word for word that of `general/b`",
            "/r/a/SKILL.md:5 near-twin-body: it shares 91 % with that of `general/c`",
            "/r/b/SKILL.md:3 near-twin-description: it shares 70 % with that of `general/c`",
            "/r/b/SKILL.md:5 twin-body: it is word for word that of `general/a`",
            "/r/c/SKILL.md:3 near-twin-description: it shares 70 % with that of `general/b`",
            "/r/c/SKILL.md:5 near-twin-body: it shares 91 % with that of `general/a`",
            "/r/e/SKILL.md:3 twin-description: it is word for word that of `general/a`",
        ]
    );
}

#[test]
fn a_copy_in_another_root_is_named_once_and_one_that_has_drifted_is_told() {
    let words =
        |last: &str| format!("{} {last}", (0..60).map(|n| format!("word{n} ")).collect::<String>());
    let file =
        |body: &str| format!("---\nname: x\ndescription: {GOOD}\n---\n{body}\n").into_bytes();
    let rules = |second: &str| {
        let system = MemorySystem::from_files(
            [("/a/x/SKILL.md", "then"), ("/b/x/SKILL.md", second)]
                .into_iter()
                .map(|(path, last)| (path.to_owned(), file(&words(last)))),
        );
        lines(&found_in(&system, &["/a", "/b"]))
    };
    assert_eq!(rules("then"), ["/b/x/SKILL.md:2 name-taken"]);
    assert_eq!(
        rules("drifted"),
        [
            "/a/x/SKILL.md:5 near-twin-body",
            "/b/x/SKILL.md:2 name-taken",
            "/b/x/SKILL.md:5 near-twin-body"
        ]
    );
}

#[test]
fn names_that_become_one_command_are_told_and_so_are_names_that_others_keep() {
    let names = ["__lessons", "lessons", "plan", "Lessons", "other"];
    let files: Vec<(String, Vec<u8>)> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            (
                format!("{name}/SKILL.md"),
                skill(
                    name,
                    [
                        "Prune roses. Use when cold.",
                        "Sow peas, when warm outside.",
                        "Fell oaks, when dry outside.",
                        "Pick plums, when they fall.",
                        "Mow lawns, when tall enough.",
                    ][n],
                ),
            )
        })
        .collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    let found = found(&files);
    let told: Vec<String> = found
        .iter()
        .filter(|f| f.rule.kind() == Kind::Name)
        .map(|f| format!("{} {}: {}", f.path.display(), f.rule.id(), f.cause))
        .collect();
    assert_eq!(
        told,
        [
            "/r/Lessons/SKILL.md command-clash: as a command it is `/lessons`, and so is `__lessons`",
            "/r/__lessons/SKILL.md command-clash: as a command it is `/lessons`, and so is `Lessons`",
            "/r/lessons/SKILL.md command-clash: as a command it is `/lessons`, and so is `Lessons`",
            "/r/plan/SKILL.md reserved-name: `/plan` is a command of agents themselves",
        ]
    );
}

#[test]
fn links_are_followed_where_they_may_be_and_told_where_they_lead_nowhere() {
    let body = "[a](references/a.md)\n[b](references/b.md)\n`scripts/c.sh`\n[d](../y/SKILL.md)\n[e](../../../etc/passwd)\n";
    let file =
        [format!("---\nname: x\ndescription: {GOOD}\n---\n").as_bytes(), body.as_bytes()].concat();
    let system = MemorySystem::from_files(
        [
            ("/r/x/SKILL.md", file),
            ("/r/x/references/a.md", b"a".to_vec()),
            ("/r/y/SKILL.md", skill("y", "Sow peas in spring, when frost is gone.")),
            ("/etc/passwd", b"secret".to_vec()),
        ]
        .into_iter()
        .map(|(path, bytes)| (path.to_owned(), bytes)),
    );
    assert_eq!(
        lines(&found_in(&system, &["/r"])),
        [
            "/r/x/SKILL.md:6 dead-link",
            "/r/x/SKILL.md:7 dead-path",
            "/r/x/SKILL.md:8 link-out",
            "/r/x/SKILL.md:9 link-out",
        ]
    );
    let looked = system.count("/etc/passwd", crate::system::Operation::Stat);
    assert_eq!(looked, 0, "what lies outside is not even looked at");
}

#[test]
fn places_from_the_field_are_findings_with_the_file_that_is_meant() {
    // A flat file beside a folder, a link that is none, and a folder that nothing is in.
    let found = found(&[
        ("risk.md", b"old\n"),
        ("risk/SKILL.md", &skill("risk", GOOD)),
        ("real", b"../../real/y"),
        ("file/SKILL.md", b"../../real/y"),
        ("x/skill.md", &skill("x", "Sow peas in spring, when frost is gone.")),
        ("x/references/SKILL.md", &skill("inner", "Pick plums, when they fall.")),
    ]);
    assert_eq!(
        lines(&found),
        [
            "/r/file/SKILL.md:1 unlinked-link",
            "/r/file/SKILL.md:1 missing-description",
            "/r/real unlinked-link",
            "/r/risk.md:1 flat-beside-folder",
            "/r/x/references/SKILL.md:1 in-support-folder",
            "/r/x/references/SKILL.md:2 name-differs",
            "/r/x/skill.md:1 odd-file-name",
        ]
    );
}

#[test]
fn why_a_skill_is_not_shown_is_never_the_same_rule_for_two_reasons() {
    // Broken, gated and without a description are told apart.
    let found = found(&[
        ("a/SKILL.md", b"---\nname: a\ndescription: Use when pruning: roses and plums\n---\nbody\n"),
        ("b/SKILL.md", format!("---\nname: b\ndescription: {GOOD}\nplatforms:\n  - macos\n---\nbody\n").as_bytes()),
        ("c/SKILL.md", b"---\nname: c\n---\nbody\n"),
        ("d/SKILL.md", b"---\nname: d\ndescription: Sow peas in spring, when warm.\nrequires_tools: web\nfallback_for_tools: web\n---\nbody\n"),
    ]);
    let worst: BTreeMap<String, &str> = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| (finding.path.display().to_string(), finding.rule.id()))
        .collect();
    let worst: Vec<(&str, &str)> =
        worst.iter().map(|(path, rule)| (path.as_str(), *rule)).collect();
    assert_eq!(
        worst,
        [
            ("/r/a/SKILL.md", "not-yaml"),
            ("/r/c/SKILL.md", "missing-description"),
            ("/r/d/SKILL.md", "never-shown")
        ]
    );
}

#[test]
fn ten_thousand_equal_skills_are_told_once_each_and_not_in_pairs() {
    let body: String = (0..40).map(|n| format!("word{n} ")).collect();
    let file = |n: usize| {
        (
            format!("/r/c{n}/x/SKILL.md"),
            format!("---\nname: x\ndescription: {GOOD}\n---\n{body}\n").into_bytes(),
        )
    };
    let found = found_in(&MemorySystem::from_files((0..10_000).map(file)), &["/r"]);
    let summary = Summary::of(&found, 10_000);
    let twins = summary.kinds.iter().find(|count| count.kind == Kind::Twin).unwrap();
    assert_eq!((found.len(), twins.findings, twins.clean), (20_000, 20_000, 0));
    assert_eq!(found[0].cause.as_str(), "it is word for word that of 9999 others, such as `c1/x`");
}

#[test]
fn hostile_files_are_judged_in_bounds_and_no_cause_breaks_a_line() {
    let huge =
        format!("---\nname: x\ndescription: {}\n---\nb\n", "when \u{1b}[31m ".repeat(100_000));
    let deep = format!("---\nname: x\ndescription: {GOOD}\nm: {}\n---\nb\n", "[".repeat(10_000));
    let keys: String = (0..10_000).map(|n| format!("\"k\\n{n}\": [{n}]\n")).collect();
    let keys = format!("---\nname: x\ndescription: {GOOD}\n{keys}---\nb\n");
    for file in [huge, deep, keys, "\u{feff}".repeat(1_000), "---\n".repeat(10_000)] {
        let found = found(&[("x/SKILL.md", file.as_bytes())]);
        assert!(!found.is_empty() && found.len() < 20_100, "{}", found.len());
        for finding in &found {
            let text = format!("{}{}", finding.cause, finding.fix);
            assert!(!text.chars().any(char::is_control) && text.chars().count() < 600, "{text}");
        }
    }
}

#[test]
fn a_summary_counts_each_skill_once_a_kind() {
    let found = found(&[
        ("a/SKILL.md", b"---\nname: a\nx: 1\ny: 2\n---\nbody\n"),
        ("b/SKILL.md", format!("---\nname: b\ndescription: {GOOD}\nx: 1\n---\nbody\n").as_bytes()),
        ("c/SKILL.md", &skill("c", "Sow peas in spring, when frost is gone.")),
    ]);
    let summary = Summary::of(&found, 3);
    assert_eq!((summary.clean, summary.no_worse_than_notes), (1, 2));
    assert_eq!(
        summary.severities,
        [(Severity::Error, 1), (Severity::Warning, 0), (Severity::Note, 3)]
    );
    let standard = summary.kinds.iter().find(|count| count.kind == Kind::Standard).unwrap();
    assert_eq!((standard.findings, standard.clean), (4, 1));
}
