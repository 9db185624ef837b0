//! Headers and what is made of them, a row each. The odd ones that every surface is tested with lie in files of their
//! own; these are about single fields.

use crate::{
    library::parse::parse,
    skill::{Facts, Gates, OneLine, Problem, Tier},
};

fn of(fields: &str) -> Facts {
    parse(format!("---\nname: a\ndescription: d\n{fields}\n---\nbody\n").as_bytes())
}

fn words(facts: &Facts) -> Vec<String> {
    let diagnostics = facts.diagnostics.iter();
    let word = |d: &crate::skill::Diagnostic| {
        let field = d.field.as_ref().map_or(String::new(), |field| format!(" {field}"));
        format!("{}{field}", d.problem.word())
    };
    diagnostics.map(word).collect()
}

#[test]
fn a_header_is_read_to_its_end_and_not_beyond_the_cap() {
    let line = "  key: 0123456789012345678901234567890123\n";
    for (bytes, tier, problems) in [
        (2_500, Tier::Strict, vec![]),
        (4_100, Tier::Strict, vec![]),
        (60_000, Tier::Strict, vec![]),
        (70_000, Tier::Lenient, vec!["header-too-long".to_owned()]),
    ] {
        let mut many = String::new();
        for number in 0..bytes / line.len() {
            many.push_str(&line.replace("key", &format!("k{number}")));
        }
        let facts = of(&format!("platforms: [linux]\nmetadata:\n{}", many.trim_end()));
        assert_eq!((facts.tier, words(&facts)), (tier, problems), "{bytes}");
        assert_eq!(facts.name.as_ref().map(OneLine::as_str), Some("a"));
        assert_eq!(facts.gates.platforms, ["linux"]);
        assert_eq!(facts.opening.as_ref().map(OneLine::as_str), Some("body"));
    }
}

#[test]
fn gates_come_from_every_place_where_agents_look_for_them() {
    let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let none = Gates::default;
    for (fields, gates) in [
        ("platforms: [macOS, ' Linux ']", Gates { platforms: list(&["macos", "linux"]), ..none() }),
        ("platforms: windows", Gates { platforms: list(&["windows"]), ..none() }),
        ("platforms: macos, linux", Gates { platforms: list(&["macos", "linux"]), ..none() }),
        ("platforms: []", none()),
        ("platforms:", none()),
        ("platforms: [null, linux, linux]", Gates { platforms: list(&["linux"]), ..none() }),
        (
            "environments:\n- Docker\n- s6",
            Gates { environments: list(&["docker", "s6"]), ..none() },
        ),
        ("requires_toolsets: terminal", Gates { requires_toolsets: list(&["terminal"]), ..none() }),
        ("requires-tools: [a, 7]", Gates { requires_tools: list(&["a", "7"]), ..none() }),
        (
            "requires_tools: [outer]\nmetadata: {hermes: {requires_tools: [inner]}}",
            Gates { requires_tools: list(&["inner"]), ..none() },
        ),
        (
            "metadata: {hermes: {fallback_for_tools: x}}",
            Gates { fallback_for_tools: list(&["x"]), ..none() },
        ),
        ("fallback_for_toolsets: [web]", Gates { fallback_for_toolsets: list(&["web"]), ..none() }),
        ("prerequisites: {commands: [git]}", Gates { commands: list(&["git"]), ..none() }),
        (
            "requires: {bins: [jq, git]}\nprerequisites:\n  commands: git",
            Gates { commands: list(&["git", "jq"]), ..none() },
        ),
        (
            "metadata: {clawdbot: {requires: {bins: [a]}}}",
            Gates { commands: list(&["a"]), ..none() },
        ),
        ("requires: python 3", none()),
        ("disable-model-invocation: true", Gates { manual: true, ..none() }),
        ("disable_model_invocation: True", Gates { manual: true, ..none() }),
        ("disable-model-invocation: false", none()),
        ("disable-model-invocation:", none()),
    ] {
        let facts = of(fields);
        assert_eq!((facts.gates.clone(), words(&facts)), (gates, vec![]), "{fields}");
    }
}

#[test]
fn a_field_of_an_odd_type_is_kept_and_told_of() {
    let name = |f: &Facts| f.name.as_ref().map(ToString::to_string);
    let description = |f: &Facts| f.description.as_ref().map(ToString::to_string);
    for (header, is, problems) in [
        (
            "name: [a, b]\ndescription: d",
            (Some("[a, b]"), Some("d")),
            vec!["odd-field name", "odd-name name"],
        ),
        (
            "name: 1.50\ndescription: true",
            (Some("1.50"), Some("true")),
            vec!["odd-field name", "odd-name name", "odd-field description"],
        ),
        (
            "name: a\ndescription:\n  Use: it\n  now: yes",
            (Some("a"), Some("Use: it now: yes")),
            vec!["odd-field description"],
        ),
        (
            "name: a\ndescription: {b: [c]}",
            (Some("a"), Some("{b: [c]}")),
            vec!["odd-field description"],
        ),
        ("{name: a, description: [d]}", (Some("a"), Some("[d]")), vec!["odd-field description"]),
        (
            "name: a\ndescription: d\nplatforms: {linux: true}",
            (Some("a"), Some("d")),
            vec!["odd-field platforms"],
        ),
        ("name: a\ndescription: d\ntags: [[x]]", (Some("a"), Some("d")), vec!["odd-field tags"]),
        (
            "name: a\ndescription: d\nmetadata: text",
            (Some("a"), Some("d")),
            vec!["odd-field metadata"],
        ),
        (
            "name: a\ndescription: d\nmetadata: {category: [x]}",
            (Some("a"), Some("d")),
            vec!["odd-field metadata.category"],
        ),
        (
            "name: a\ndescription: d\ndisable-model-invocation: 1",
            (Some("a"), Some("d")),
            vec!["odd-field disable-model-invocation"],
        ),
        (
            "name: a\ndescription: d\nwhen_to_use: w\nwhen-to-use: v",
            (Some("a"), Some("d")),
            vec!["repeated-field when-to-use"],
        ),
        ("name: A B\ndescription: d", (Some("A B"), Some("d")), vec!["odd-name name"]),
        ("name: -x\ndescription: d", (Some("-x"), Some("d")), vec!["odd-name name"]),
        ("name: a--b\ndescription: d", (Some("a--b"), Some("d")), vec!["odd-name name"]),
        ("name: 技能\ndescription: d", (Some("技能"), Some("d")), vec!["odd-name name"]),
        (
            "name: ~\ndescription: null",
            (None, None),
            vec!["missing-name name", "missing-description description"],
        ),
    ] {
        let facts = parse(format!("---\n{header}\n---\n").as_bytes());
        assert_eq!(facts.tier, Tier::Strict, "{header}");
        assert_eq!((name(&facts).as_deref(), description(&facts).as_deref()), is, "{header}");
        assert_eq!(words(&facts), problems, "{header}");
    }
}

#[test]
fn other_fields_are_found_under_their_names() {
    let facts = of(
        "when-to-use: >\n  in\n  need\nmetadata:\n  category: notes\n  version: 2.10\n  hermes:\n    tags: [x, y]\nallowed_tools: [A, B(c d)]\nhomepage: h\nauthor: me",
    );
    let text = |line: &Option<OneLine>| line.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(text(&facts.when_to_use), "in need");
    assert_eq!(text(&facts.category), "notes");
    assert_eq!(text(&facts.version), "2.10");
    assert_eq!(facts.tags, ["x".into(), "y".into()]);
    assert_eq!(facts.allowed_tools, ["A".into(), "B(c d)".into()]);
    assert_eq!(facts.unknown_keys, ["homepage".into(), "author".into()]);
    assert_eq!(facts.diagnostics, []);
}

#[test]
fn a_header_that_is_no_yaml_keeps_what_its_fields_say_each_by_itself() {
    let facts =
        of("platforms:\n  - macos\nmetadata:\n  hermes: {requires_tools: [x]}\nversion: 1: 2");
    assert_eq!(facts.tier, Tier::Lenient);
    assert_eq!(facts.gates.platforms, ["macos"]);
    assert_eq!(facts.gates.requires_tools, ["x"]);
    assert_eq!(facts.version.as_ref().map(OneLine::as_str), Some("1: 2"));
    assert_eq!(facts.diagnostics.len(), 1);
    let only = &facts.diagnostics[0];
    assert_eq!((only.problem, only.line), (Problem::NotYaml, Some(8)));
    assert_eq!(only.cause.as_str(), "a plain value can't hold a colon and a space (`1: `)");
    assert_eq!(only.fix.as_str(), "put the value in quotes");
}

#[test]
fn a_mapping_that_is_no_yaml_is_complained_of_once() {
    let facts = of("metadata: {\"a\": [}");
    assert_eq!((facts.tier, words(&facts)), (Tier::Lenient, vec!["not-yaml metadata".to_owned()]));
}

#[test]
fn a_hostile_header_is_read_in_bounds() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]";
    let deep = format!("x: {}", "[".repeat(5_000));
    let many = (0..9_000).map(|n| format!("k{n}:\n")).collect::<String>();
    let tags = format!("tags: [{}]", "t, ".repeat(15_000));
    for header in [bomb, &deep, &many, &tags] {
        let facts = of(header);
        assert_eq!(facts.name.as_ref().map(OneLine::as_str), Some("a"));
        assert!(facts.unknown_keys.len() <= 256 && facts.tags.len() <= 256);
    }
}
