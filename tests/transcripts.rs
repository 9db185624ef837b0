//! What the command line prints, word for word. The transcripts lie in `tests/transcripts`; a change there is a change
//! that users see.

use std::{fs, process::Stdio};

use serde_json::Value;

use crate::support::{Machine, Ran};

/// Two roots with a little of everything that can be said of a skill.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.skill(
        "devops/docker-build",
        "Builds images in stages and keeps them small. Use when a Dockerfile is slow, or its image is too large. Needs docker, and a registry to push to.",
    );
    machine.skill("devops/old-deploy", "Deploys the old way.");
    machine.write(
        "skills/devops/DESCRIPTION.md",
        "---\ndescription: From a commit to a running service.\n---\n",
    );
    machine.write(
        "skills/media/clip/SKILL.md",
        "---\nname: clip\ndescription: Cuts clips.\nrequires:\n  bins: [a-program-that-is-not-there]\n---\n# Clip\n\n## Cut\n\nCut it.\n\n## Join\n\nJoin it.\n",
    );
    machine.write("skills/media/clip/references/formats.md", "# Formats\n");
    for (name, header) in [
        ("memo", "platforms: [macos]"),
        ("papers", "metadata:\n  hermes:\n    requires_toolsets: [web]"),
        ("paper-search", "metadata:\n  hermes:\n    requires_tools: [web_search]"),
        ("offline", "metadata:\n  hermes:\n    fallback_for_toolsets: [web]"),
        ("by-curl", "metadata:\n  hermes:\n    fallback_for_tools: [web_search]"),
        ("board", "environments: [kanban]"),
        ("by-hand", "disable-model-invocation: true"),
    ] {
        machine.write(
            &format!("skills/notes/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: What {name} does.\n{header}\n---\n"),
        );
    }
    machine.write(
        "skills/odd/torn/SKILL.md",
        "---\nname: torn\ndescription: Its header never closes.\n",
    );
    machine.write(
        "skills/odd/colon/SKILL.md",
        "---\nname: colon\ndescription: Use for prod: tuning\n---\n",
    );
    machine.write("skills/odd/bare/SKILL.md", "No header, one sentence. And a second one.\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../nowhere", machine.path("skills/odd/gone")).unwrap();
    machine.write(
        "more/devops/docker-build/SKILL.md",
        "---\nname: docker-build\ndescription: Another one.\n---\n",
    );
    machine.write(
        "home/skillkeep.toml",
        format!(
            "roots = [{{ path = {:?}, label = \"mine\" }}, {{ path = {:?}, label = \"team\" }}]\n\n[index]\ndisabled = [\"old-deploy\"]\n",
            machine.path("skills"),
            machine.path("more")
        ),
    );
    machine.write("usage.json", r#"{"docker-build": {"count": 7, "last_used": 1789900000}, "who": {"count": 1, "last_used": 1}}"#);
    machine
}

/// Compares with the transcript of that name.
fn transcript(name: &str, machine: &Machine, runs: &[&str]) {
    let text: String = runs.iter().map(|line| one(machine, line)).collect();
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!(name, text) }
    );
}

fn one(machine: &Machine, line: &str) -> String {
    let arguments: Vec<&str> = line.split(' ').filter(|part| !part.is_empty()).collect();
    let Ran { status, stdout, stderr } = machine.run(&arguments);
    let part = |name: &str, text: &str| {
        if text.is_empty() { String::new() } else { format!("--- {name}\n{}", stable(text)) }
    };
    format!(
        "$ skillkeep {line}\n{}{}--- exit {status}\n\n",
        part("stdout", &stdout),
        part("stderr", &stderr)
    )
}

/// What changes whenever a built-in policy is built again is left out; so is whether this machine is a container.
fn stable(text: &str) -> String {
    text.replace("this is `docker`", "this is none")
        .lines()
        .map(|line| match line.split_once(char::is_whitespace) {
            Some(("sha256", _)) => "sha256   [DIGEST]\n".to_owned(),
            Some(("built", _)) => "built    [SOURCE]\n".to_owned(),
            Some(("size", _)) => "size     [SIZE]\n".to_owned(),
            _ => format!("{line}\n"),
        })
        .collect()
}

const AT: &str = "--platform linux --now 1790000000 --session one";

#[test]
fn the_overview_fits_one_screen() {
    let machine = machine();
    transcript("overview", &machine, &[""]);
    assert!(machine.ok(&[]).stdout.lines().count() <= 24);
}

#[test]
fn the_overview_of_a_machine_with_nothing_is_marked_as_a_sample() {
    let ran = Machine::new().ok(&[]);
    assert!(ran.stderr.contains("this is the SAMPLE library"), "{}", ran.stderr);
    assert!(ran.stdout.contains("roots     sample"), "{}", ran.stdout);
}

#[test]
fn index_prints_the_block_and_what_became_of_the_rest() {
    transcript(
        "index",
        &machine(),
        &[
            &format!("index {AT}"),
            &format!(
                "index {AT} --toolsets terminal --tools skill_view,skills_list,skill_manage --usage ../usage.json"
            ),
            &format!("index {AT} --unit chars --limit 700 --compact notes,odd=count"),
            &format!("index {AT} --unit chars --limit 200"),
            &format!("index {AT} --unit chars --limit 60"),
            &format!("index {AT} --tools terminal"),
        ],
    );
}

#[test]
fn index_as_json_keeps_its_shape() {
    let machine = machine();
    let arguments: Vec<String> =
        format!("index {AT} --toolsets terminal --usage ../usage.json --format json")
            .split(' ')
            .map(str::to_owned)
            .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let json: Value = serde_json::from_str(&machine.ok(&arguments).stdout).unwrap();
    let mut lines = std::collections::BTreeSet::new();
    shape("", &json, &mut lines);
    let text = lines.into_iter().collect::<Vec<_>>().join("\n");
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("index-json-shape", text) }
    );
}

/// One line for each path in a value, with its type.
fn shape(path: &str, value: &Value, lines: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                shape(&format!("{path}.{key}"), value, lines);
            }
        }
        Value::Array(items) if items.is_empty() => drop(lines.insert(format!("{path}[]: none"))),
        Value::Array(items) => {
            items.iter().for_each(|item| shape(&format!("{path}[]"), item, lines))
        }
        Value::String(_) => drop(lines.insert(format!("{path}: text"))),
        Value::Number(_) => drop(lines.insert(format!("{path}: number"))),
        Value::Bool(_) => drop(lines.insert(format!("{path}: boolean"))),
        Value::Null => drop(lines.insert(format!("{path}: null"))),
    }
}

#[test]
fn list_shows_every_skill_and_with_problems_what_is_wrong_where() {
    transcript("list", &machine(), &["list", "list --category notes", "list --problems"]);
}

#[test]
fn show_prints_the_size_before_the_text() {
    transcript(
        "show",
        &machine(),
        &[
            "show clip",
            "show media/clip references/formats.md",
            "show clip --outline",
            "show clip --section Join",
            "show clip --section 2",
            "show clip --section Nothing",
            "show clip missing.md",
            "show clip ../../notes/memo/SKILL.md",
            "show clp",
            "show gone",
            "show docker-build",
        ],
    );
}

#[test]
fn why_tells_each_form_and_what_would_change_it() {
    transcript(
        "why-forms",
        &machine(),
        &[
            &format!("why docker-build {AT} --usage ../usage.json"),
            &format!("why docker-build {AT} --unit chars --limit 800"),
            &format!("why docker-build {AT} --unit chars --limit 700"),
            &format!("why docker-build {AT} --compact devops"),
            &format!("why docker-build {AT} --unit chars --limit 200"),
            &format!("why clip {AT} --toolsets terminal"),
            &format!("why docker-build {AT} --if compact=names --if pinned=true"),
        ],
    );
}

#[test]
fn why_tells_each_gate_that_is_shut_and_what_opens_it() {
    transcript(
        "why-gates",
        &machine(),
        &[
            &format!("why memo {AT}"),
            &format!("why old-deploy {AT}"),
            &format!("why papers {AT} --toolsets terminal"),
            &format!("why paper-search {AT} --tools skill_view"),
            &format!("why offline {AT} --toolsets web"),
            &format!("why by-curl {AT} --tools skill_view,web_search"),
            &format!("why board {AT}"),
            &format!("why by-hand {AT}"),
            &format!("why memo {AT} --if platform=macos"),
        ],
    );
}

#[test]
fn why_answers_for_what_is_broken_shadowed_dangling_or_absent() {
    let machine = machine();
    transcript(
        "why-others",
        &machine,
        &[
            &format!("why torn {AT}"),
            &format!("why colon {AT}"),
            &format!("why bare {AT}"),
            &format!("why team:docker-build {AT}"),
            &format!("why gone {AT}"),
            &format!("why docker-buidl {AT}"),
            &format!("why quarterly-report {AT}"),
            &format!("why memo {AT} --if plattform=macos"),
            &format!("why memo {AT} --if platform"),
        ],
    );
    fs::remove_file(machine.path("home/skillkeep.toml")).unwrap();
    machine.write("skills/memo/SKILL.md", "---\nname: memo\ndescription: A second memo.\n---\n");
    transcript(
        "why-several",
        &machine,
        &[&format!("why memo {AT} --root ../skills --root ../more")],
    );
}

#[test]
fn policy_tells_who_decides_and_what_a_component_is() {
    let machine = machine();
    fs::copy(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/components/curator-minimal.wasm"),
        machine.path("curator.wasm"),
    )
    .unwrap();
    machine.write("text.wasm", "no component\n");
    transcript(
        "policy",
        &machine,
        &[
            "policy list",
            "policy show demotion-toolset",
            "policy show budget-ladder",
            "policy show ../curator.wasm",
            "policy show ../text.wasm",
            "policy show ../missing.wasm",
            "policy show budget-lader",
            &format!("index {AT} --policy budget=../curator.wasm"),
        ],
    );
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_was_expected() {
    let machine = machine();
    machine.write("torn.json", "{");
    machine.write("list.json", "[]");
    machine.write("strange.json", r#"{"a": {"b": 1}}"#);
    transcript(
        "wrong-usage",
        &machine,
        &[
            "indx",
            "index --limt 5",
            "index --limit many",
            "index --unit words",
            "index --now yesterday",
            "index --compact notes=little",
            "index --policy ladder",
            "index --policy bugdet=x.wasm",
            "index --set budget",
            "index --set budget.explore",
            "index --root ../nowhere",
            "index --root ../usage.json",
            "index --usage ../missing.json",
            "index --usage ../torn.json",
            "index --usage ../list.json",
            "index --usage ../strange.json",
            "index --previous ../usage.json",
            "index --platform=",
            "index --platform linus --unit chars --limit 5",
            "list --category nots",
            "list --category nowhere",
            "--root ../skills --now 0 index",
            "index --unit chars --limit 5",
            "why",
        ],
    );
}

#[test]
fn a_config_that_is_wrong_is_named_with_its_line() {
    let machine = machine();
    for (name, config) in [
        ("config-not-toml", "[index\n"),
        ("config-wrong-type", "[index]\nlimit = \"many\"\n"),
        ("config-unknown-key", "roots = [\"../skills\"]\n[index]\nlimt = 5\n"),
        ("config-root-gone", "roots = [\"/nowhere/at/all\"]\n"),
    ] {
        machine.write("home/skillkeep.toml", config);
        transcript(name, &machine, &[&format!("index {AT} --unit chars")]);
    }
    transcript("config-home-is-a-file", &machine, &["--home ../usage.json index"]);
}

#[test]
fn completions_for_four_shells_and_manual_pages_are_there() {
    let machine = machine();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = machine.ok(&["completions", shell]).stdout;
        assert!(script.contains("skillkeep") && script.contains("toolsets"), "{shell}");
    }
    assert_eq!(machine.run(&["completions", "cmd"]).status, 2);
    assert!(machine.ok(&["man"]).stdout.contains(".TH skillkeep 1"));
    let written = machine.ok(&["man", "--out", "../man"]).stdout;
    let pages: Vec<String> =
        written.lines().map(|path| path.rsplit('/').next().unwrap().to_owned()).collect();
    let expected = [
        "",
        "-call",
        "-check",
        "-completions",
        "-curator",
        "-curator-adopt",
        "-curator-archive",
        "-curator-backup",
        "-curator-list-archived",
        "-curator-list-unmanaged",
        "-curator-pause",
        "-curator-pin",
        "-curator-prune",
        "-curator-restore",
        "-curator-resume",
        "-curator-rollback",
        "-curator-run",
        "-curator-status",
        "-curator-tick",
        "-curator-unpin",
        "-curator-usage",
        "-eval",
        "-index",
        "-list",
        "-man",
        "-policy",
        "-policy-build",
        "-policy-list",
        "-archive",
        "-diff",
        "-init",
        "-log",
        "-pin",
        "-rate",
        "-restore",
        "-scan",
        "-search",
        "-serve",
        "-set",
        "-undo",
        "-pending",
        "-pending-approve",
        "-pending-diff",
        "-pending-reject",
        "-unpin",
        "-new",
        "-edit",
        "-write",
        "-purge",
        "-import",
        "-export",
        "-policy-add",
        "-policy-backtest",
        "-policy-compare",
        "-policy-new",
        "-policy-off",
        "-policy-rollback",
        "-policy-use",
        "-policy-show",
        "-policy-test",
        "-progressive",
        "-progressive-budget",
        "-progressive-demote",
        "-show",
        "-tools",
        "-why",
    ];
    let mut expected: Vec<String> =
        expected.iter().map(|name| format!("skillkeep{name}.1")).collect();
    let (mut pages, written) = (pages, written.lines().count());
    pages.sort();
    expected.sort();
    assert_eq!(pages, expected);
    assert_eq!(fs::read_dir(machine.path("man")).unwrap().count(), written);
}

#[test]
fn colour_needs_a_terminal_or_an_order_and_no_color_forbids_it() {
    let machine = machine();
    let stderr = |set: &[(&str, &str)]| {
        let mut command = machine.command(&["show", "nobody"]);
        command.env_remove("NO_COLOR").envs(set.iter().copied());
        machine.finish(command.output().unwrap()).stderr
    };
    assert!(!stderr(&[]).contains('\u{1b}'));
    assert!(stderr(&[("CLICOLOR_FORCE", "1")]).contains("\u{1b}["));
    assert!(!stderr(&[("NO_COLOR", "1")]).contains('\u{1b}'));
    let ran = machine.run(&["index", "--platform", "linux"]);
    assert!(!ran.stdout.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let machine = machine();
    for arguments in
        [&["index"][..], &["list"], &["--json", "list"], &["completions", "zsh"], &["--help"]]
    {
        let mut child = machine
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ran = machine.finish(child.wait_with_output().unwrap());
        assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains("error:") && !ran.stderr.contains("panicked"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn help_and_version_are_results() {
    let machine = machine();
    for arguments in
        [&["--help"][..], &["-h"], &["index", "--help"], &["policy", "show", "-h"], &["--version"]]
    {
        let ran = machine.ok(arguments);
        assert!(ran.stdout.len() > 10 && ran.stderr.is_empty(), "{arguments:?}");
    }
}
