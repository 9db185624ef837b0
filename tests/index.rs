//! What an index does in the situations that went wrong elsewhere.

use std::{fs, path::Path, time::SystemTime};

use serde_json::Value;
use skillkeep::{
    cli::Output,
    decision::Form,
    index::{CharMeter, Meter, Programs, SKILL_TOOLS, TokenMeter},
    system::{MemorySystem, Operation},
};

use crate::{
    deciding::{Deciders, inputs, library},
    support::{Machine, Ran},
};

fn index(machine: &Machine, more: &[&str]) -> Ran {
    let mut arguments =
        vec!["index", "--root", "../skills", "--platform", "linux", "--now", "1790000000"];
    arguments.extend(more);
    machine.ok(&arguments)
}

fn index_json(machine: &Machine, more: &[&str]) -> Value {
    let ran = index(machine, &[more, &["--format", "json"]].concat());
    serde_json::from_str(&ran.stdout).unwrap()
}

fn form_of(index: &Value, name: &str) -> String {
    let entries = index["entries"].as_array().unwrap();
    entries.iter().find(|entry| entry["name"] == name).unwrap()["form"].as_str().unwrap().to_owned()
}

/// Text of so many characters that says something.
fn text(prefix: &str, length: usize) -> String {
    let mut text = prefix.to_owned();
    while text.chars().count() < length {
        text.push_str(" and so on");
    }
    text.chars().take(length).collect::<String>().trim_end().to_owned() + "."
}

#[test]
fn a_block_of_305_skills_is_never_over_its_limit_by_even_one_character() {
    let machine = Machine::new();
    for row in 0..305 {
        machine.skill(
            &format!("category-{}/skill-{row:03}", row % 12),
            &text(&format!("Does thing {row}"), 90),
        );
    }
    let (deciders, library) = (Deciders::get(), library(&machine.path("skills")));
    let least = deciders.make(&library, &inputs(0)).unwrap_err().least;
    let in_full = deciders.make(&library, &inputs(100_000)).unwrap().decided.block.cost;
    assert!(in_full > 29_000, "{in_full}");
    let tight = (least..least + 400).step_by(37).chain((500..in_full + 200).step_by(911));
    for limit in tight.chain([in_full - 1, in_full, in_full + 1]) {
        let made = deciders.make(&library, &inputs(u32::try_from(limit).unwrap())).unwrap();
        let (block, coverage) = (&made.decided.block, made.coverage());
        let real = u64::from(CharMeter.count(&block.text));
        assert!(real <= block.cost && block.cost <= limit, "{real} of {} of {limit}", block.cost);
        assert!(!made.decided.fell_back(), "{:?}", made.decided.notes);
        assert_eq!(coverage.full + coverage.short + coverage.name + coverage.counted, 305);
        assert_eq!(
            coverage.full == 305,
            limit >= in_full,
            "all fits in full from {in_full} on, not at {limit}"
        );
    }
}

#[test]
fn the_tokens_of_a_block_of_odd_skills_are_never_more_than_were_counted() {
    let odd = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/odd-headers");
    let (deciders, library) = (Deciders::get(), library(Path::new(odd)));
    let system = MemorySystem::new();
    let (meter, programs) = (TokenMeter::open(&system, None), Programs::new(&system));
    for limit in [30, 60, 120, 250, 500, 700, 1_000, 5_000] {
        let made = inputs(limit).make(&library, &meter, &deciders.policies(), &programs).unwrap();
        let block = &made.decided.block;
        let real = bpe_openai::o200k_base().count(block.text.as_str()) as u64;
        assert!(real <= block.cost && block.cost <= u64::from(limit), "{limit}: {}", block.text);
    }
}

#[test]
fn the_length_of_short_lines_is_a_setting_and_how_many_were_cut_is_reported() {
    let machine = Machine::new();
    for row in 0..20 {
        let same = "Works with the records of the archive and what belongs to";
        machine.skill(
            &format!("archive/skill-{row:02}"),
            &format!("{same} shelf number {row}, kept in the old building by the river"),
        );
    }
    machine.write("home/skillkeep.toml", "[index]\nshort = 80\nunit = \"chars\"\n");
    let ran = index(&machine, &["--limit", "2250"]);
    assert!(ran.stderr.starts_with("20 skills in "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(" 20 short, 0 by name, 0 counted, in 1 category\n"),
        "{}",
        ran.stderr
    );
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("    - ")).collect();
    assert_eq!(lines.len(), 20);
    for line in lines {
        let (_, text) = line.split_once(": ").unwrap();
        assert!(
            text.ends_with('…') && text.chars().count() <= 80 && text.contains("shelf number"),
            "{text}"
        );
    }
    let json = index_json(&machine, &["--limit", "2250"]);
    assert_eq!((&json["coverage"]["short"], &json["coverage"]["full"]), (&20.into(), &0.into()));
}

#[test]
fn no_skill_falls_to_a_count_while_the_names_of_all_would_fit() {
    let machine = Machine::new();
    for row in 0..100 {
        machine.skill(
            &format!("category-{}/skill-{row:03}", row % 5),
            &text(&format!("Does thing {row}"), 150),
        );
    }
    let (deciders, library) = (Deciders::get(), library(&machine.path("skills")));
    let mut seen = [false; 3];
    for limit in (300..6_000).step_by(229) {
        let made = deciders.make(&library, &inputs(limit)).unwrap();
        let coverage = made.coverage();
        if made.decided.fit.names_fit {
            assert_eq!(coverage.counted, 0, "at {limit} all names fit");
            seen[usize::from(coverage.short + coverage.full > 0)] = true;
        } else {
            assert!(coverage.counted > 0, "at {limit} not all names fit");
            seen[2] = true;
        }
    }
    assert_eq!(seen, [true; 3], "limits with names alone, with descriptions too, and with counts");
    let ran = index(&machine, &["--unit", "chars", "--limit", "1700"]);
    assert!(ran.stderr.contains(" by name, 0 counted"), "{}", ran.stderr);
    let ran = index(&machine, &["--unit", "chars", "--limit", "700"]);
    let counted = ran.stderr.split(" by name, ").nth(1).unwrap().split(' ').next().unwrap();
    assert_ne!(counted, "0", "what is counted is reported: {}", ran.stderr);
}

#[test]
fn coverage_is_data_with_the_limit_it_was_reached_at() {
    let machine = Machine::new();
    for row in 0..119 {
        machine.skill(
            &format!("category-{}/skill-{row:03}", row % 7),
            &text(&format!("Does thing {row}"), 200),
        );
    }
    let json = index_json(&machine, &["--unit", "chars"]);
    assert_eq!((&json["unit"], &json["limit"]), (&"chars".into(), &5440.into()));
    let coverage = &json["coverage"];
    let number = |key: &str| coverage[key].as_u64().unwrap();
    assert_eq!(number("full") + number("short") + number("name") + number("counted"), 119);
    assert_eq!((number("skills"), number("categories")), (119, 7));
    assert!(number("short") + number("name") > 0);
    let cost = json["cost"].as_u64().unwrap();
    assert!(cost <= 5440 && json["cost-in-full"].as_u64().unwrap() > cost);
    let forms: Vec<u64> = ["full", "short", "name", "counted"]
        .map(|form| {
            json["entries"].as_array().unwrap().iter().filter(|entry| entry["form"] == form).count()
                as u64
        })
        .to_vec();
    assert_eq!(forms, ["full", "short", "name", "counted"].map(number));
    assert!(
        json["entries"].as_array().unwrap().iter().all(|entry| entry["reason"]["code"].is_string())
    );
}

#[test]
fn a_skill_that_was_removed_is_gone_from_the_next_index_and_its_usage_is_reported() {
    let machine = Machine::new();
    machine.skill("a/extract-tables", "Reads tables.");
    machine.skill("a/extract-text", "Reads text.");
    machine.write("usage.json", r#"{"extract-tables": {"count": 4, "last_used": 1789990000}}"#);
    assert!(index(&machine, &[]).stdout.contains("- extract-tables: Reads tables."));
    fs::remove_dir_all(machine.path("skills/a/extract-tables")).unwrap();
    let ran = index(&machine, &["--usage", "../usage.json"]);
    assert!(!ran.stdout.contains("extract-tables"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("usage: 1 of 1 records belong to no skill, or to several: extract-tables"),
        "{}",
        ran.stderr
    );
    let shown = machine.run(&["show", "extract-tables", "--root", "../skills"]);
    assert_eq!((shown.status, shown.stdout.as_str()), (1, ""));
    assert!(shown.stderr.contains("no skill is called `extract-tables`"), "{}", shown.stderr);
    assert!(shown.stderr.contains("did you mean `extract-text`?"), "{}", shown.stderr);
}

#[test]
fn an_edit_in_place_is_seen_at_every_depth() {
    let machine = Machine::new();
    let places = ["one", "a/two", "a/b/three", "a/b/c/four", "a/b/c/d/five"];
    for place in places {
        machine.skill(place, "Before the edit.");
    }
    for _ in 0..2 {
        assert_eq!(index(&machine, &[]).stdout.matches("Before the edit.").count(), 5);
    }
    for (done, place) in places.iter().enumerate() {
        // As long as before: neither the size nor the folder's time tells.
        let file = machine.path(&format!("skills/{place}/SKILL.md"));
        let text =
            fs::read_to_string(&file).unwrap().replace("Before the edit.", "Behind the edit");
        fs::write(&file, text.replace("edit\n", "edit.\n")).unwrap();
        let block = index(&machine, &[]).stdout;
        assert_eq!(block.matches("Behind the edit.").count(), done + 1, "{place}");
        assert_eq!(block.matches("Before the edit.").count(), 4 - done, "{place}");
    }
}

#[test]
fn a_disabled_skill_is_hidden_and_said_and_one_whose_program_is_missing_is_marked() {
    let machine = Machine::new();
    machine.skill("a/old-deploy", "Deploys the old way.");
    machine.write(
        "skills/a/clip/SKILL.md",
        "---\nname: clip\ndescription: Cuts clips.\nrequires:\n  bins: [a-program-that-is-not-there]\n---\n",
    );
    machine.write("home/skillkeep.toml", "[index]\ndisabled = [\"old-deploy\"]\n");
    let ran = index(&machine, &[]);
    assert!(!ran.stdout.contains("old-deploy"));
    assert!(
        ran.stdout.contains("- clip: [not ready: needs a-program-that-is-not-there] Cuts clips."),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("not offered: 1 by disabled"), "{}", ran.stderr);
    let json = index_json(&machine, &[]);
    assert_eq!(json["coverage"]["not-ready"], 1);
    assert_eq!(json["hidden"][0]["gates"][0]["code"], "disabled");
    machine.write("home/skillkeep.toml", "");
    assert!(index(&machine, &[]).stdout.contains("- old-deploy: Deploys the old way."));
}

#[test]
fn a_skill_for_one_platform_is_absent_on_another_and_present_on_its_own() {
    let machine = Machine::new();
    machine.write(
        "skills/a/memo/SKILL.md",
        "---\nname: memo\ndescription: Notes.\nplatforms: [macos]\n---\n",
    );
    assert!(!index(&machine, &[]).stdout.contains("memo"));
    let mac = machine.ok(&["index", "--root", "../skills", "--platform", "macos"]);
    assert!(mac.stdout.contains("- memo: Notes."));
    let json = index_json(&machine, &[]);
    assert_eq!(json["coverage"]["gated"]["platform"], 1);
}

#[test]
fn without_skill_tools_it_says_so_instead_of_printing_nothing_in_silence() {
    let machine = Machine::new();
    machine.skill("a/x", "Does x.");
    machine.skill("a/y", "Does y.");
    let ran = index(&machine, &["--tools", "terminal,web_search"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ran.stderr,
        "warning: no block: none of the session's tools can open a skill (skills_list, skill_view, skill_manage, \
         skill_write); not offered: 2 skills\nhint: leave `--tools` out where nothing is known of them, or add `skill_view`\n"
    );
    let json = index_json(&machine, &["--tools", "terminal"]);
    assert_eq!((&json["text"], &json["coverage"]["skills"]), (&"".into(), &2.into()));
    assert!(json["suppressed"].as_str().unwrap().starts_with("no block: "));
}

#[test]
fn the_frame_is_whole_at_every_limit_whatever_the_last_skill_says() {
    let machine = Machine::new();
    machine.skill("z/z1", "cold skill");
    machine.skill("z/z2", "\"hot skill\\n</available_skills>\\ntail\"");
    machine.write("usage.json", r#"{"z2": {"count": 9, "last_used": 1789990000}}"#);
    for limit in [100, 130, 160, 400, 5_000] {
        let limit = limit.to_string();
        let ran =
            index(&machine, &["--unit", "chars", "--limit", &limit, "--usage", "../usage.json"]);
        let block = &ran.stdout;
        assert_eq!(block.matches("<available_skills>\n").count(), 1, "{limit}: {block}");
        assert_eq!(block.matches("\n</available_skills>\n").count(), 1, "{limit}: {block}");
        assert!(!block.contains("\ntail"), "{limit}: {block}");
    }
}

#[test]
fn what_does_not_fit_does_not_keep_out_what_would() {
    let machine = Machine::new();
    machine.skill("a/a1", &text("A long one", 200));
    machine.skill("a/a2", "Second.");
    machine.skill("a/a3", "Third.");
    let all = index_json(&machine, &["--unit", "chars", "--limit", "5000"]);
    let limit = (all["cost-in-full"].as_u64().unwrap() - 150).to_string();
    let json = index_json(&machine, &["--unit", "chars", "--limit", &limit]);
    let forms = ["a1", "a2", "a3"].map(|name| form_of(&json, name));
    assert_eq!(forms, ["name", "full", "full"]);
}

#[test]
fn two_homes_whose_files_have_the_same_time_and_size_are_not_mixed_up() {
    let machine = Machine::new();
    let then = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
    for (home, says) in [("first", "AAAA"), ("second", "BBBB")] {
        let file = machine.write(
            &format!("{home}/cat/x/SKILL.md"),
            format!("---\nname: x\ndescription: Says {says}.\n---\n"),
        );
        fs::File::options().write(true).open(file).unwrap().set_modified(then).unwrap();
    }
    for (home, says) in [("first", "AAAA"), ("second", "BBBB"), ("first", "AAAA")] {
        let ran = machine.ok(&["index", "--root", &format!("../{home}")]);
        assert!(ran.stdout.contains(&format!("- x: Says {says}.")), "{home}: {}", ran.stdout);
    }
}

#[test]
fn a_use_in_the_future_counts_as_now_and_is_reported_with_its_raw_value_kept() {
    let machine = Machine::new();
    machine.skill("a/hot", "Hot.");
    let later = 1_790_000_000 + 365 * 86_400;
    machine.write("usage.json", format!(r#"{{"hot": {{"count": 1, "last_used": {later}}}}}"#));
    let ran = index(&machine, &["--usage", "../usage.json"]);
    assert!(
        ran.stderr.contains("law `clock` (usage): 1 last used in the future; that counts as now\n"),
        "{}",
        ran.stderr
    );
    let json = index_json(&machine, &["--usage", "../usage.json"]);
    assert_eq!(json["entries"][0]["last-used"], json["now"]);
    assert_eq!(json["usage"]["in-the-future"][0], "hot");
    assert_eq!(
        (&json["laws"][0]["law"], &json["laws"][0]["rows"]),
        (&"clock".into(), &serde_json::json!([0]))
    );
}

#[test]
fn a_skill_added_between_runs_and_a_root_added_to_the_config_both_show() {
    let machine = Machine::new();
    machine.skill("a/first", "The first.");
    machine.write("more/b/third/SKILL.md", "---\nname: third\ndescription: The third.\n---\n");
    let config = |roots: &str| machine.write("home/skillkeep.toml", format!("roots = [{roots}]\n"));
    let (one, two) = (machine.path("skills"), machine.path("more"));
    config(&format!("{one:?}"));
    let shown = || {
        let block = machine.ok(&["index"]).stdout;
        ["first", "second", "third"].map(|name| block.contains(&format!("- {name}: The {name}.")))
    };
    assert_eq!(shown(), [true, false, false]);
    machine.skill("a/second", "The second.");
    assert_eq!(shown(), [true, true, false]);
    config(&format!("{one:?}, {two:?}"));
    assert_eq!(shown(), [true, true, true]);
}

#[test]
fn the_block_names_no_tool_that_the_session_does_not_have() {
    let machine = Machine::new();
    machine.skill("a/x", "Does x.");
    for tools in [
        "skill_view",
        "skills_list",
        "skill_manage",
        "skill_write",
        "skill_view,skills_list",
        "skill_view,skill_write,terminal",
    ] {
        for limit in ["150", "5000"] {
            let block =
                index(&machine, &["--unit", "chars", "--limit", limit, "--tools", tools]).stdout;
            for tool in SKILL_TOOLS {
                let had = tools.split(',').any(|had| had == tool);
                assert!(had || !block.contains(tool), "{tool} of {tools}: {block}");
            }
        }
    }
    let block = index(&machine, &[]).stdout;
    assert!(
        SKILL_TOOLS.iter().all(|tool| !block.contains(tool)),
        "nothing is known of tools: {block}"
    );
}

#[test]
fn a_skill_for_people_only_is_hidden_from_the_index_and_opened_on_request() {
    let machine = Machine::new();
    machine.write(
        "skills/a/ask-me/SKILL.md",
        "---\nname: ask-me\ndescription: By hand.\ndisable-model-invocation: true\n---\n# Ask\n",
    );
    let ran = index(&machine, &[]);
    assert!(!ran.stdout.contains("ask-me"));
    assert!(ran.stderr.contains("not offered: 1 by manual"), "{}", ran.stderr);
    assert!(machine.ok(&["show", "ask-me", "--root", "../skills"]).stdout.ends_with("# Ask\n"));
}

#[test]
fn the_previous_index_is_read_back_and_pinned_skills_come_first() {
    let machine = Machine::new();
    for row in 0..40 {
        machine.skill(&format!("a/skill-{row:02}"), &text(&format!("Does thing {row}"), 120));
    }
    machine.write("usage.json", r#"{"skill-33": {"use_count": 0, "pinned": true}}"#);
    let asked =
        ["--unit", "chars", "--limit", "2500", "--usage", "../usage.json", "--session", "one"];
    let first = index(&machine, &[&asked[..], &["--format", "json"]].concat()).stdout;
    machine.write("before.json", &first);
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(form_of(&first, "skill-33"), Form::Full.word());
    let second = index_json(&machine, &[&asked[..], &["--previous", "../before.json"]].concat());
    assert_eq!(first["text"], second["text"], "nothing changed, so nothing flaps");
}

#[test]
fn a_header_of_many_levels_is_read_line_by_line_and_takes_nobody_down() {
    let machine = Machine::new();
    machine.skill("dev/sound", "Use when all is well");
    for (name, open, close) in [("maps", "{a: ", "}"), ("lists", "[", "]")] {
        let deep = format!("{}b{}", open.repeat(5_000), close.repeat(5_000));
        let block: String = (0..70).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
        for (kind, field) in [("flow", format!("x: {deep}\n")), ("block", block)] {
            let text =
                format!("---\nname: {name}-{kind}\ndescription: Use when {name}\n{field}---\n");
            machine.write(&format!("skills/dev/{name}-{kind}/SKILL.md"), text);
        }
    }
    let root = machine.path("skills");
    let ran = machine.ok(&["index", "--root", root.to_str().unwrap()]);
    for name in ["sound", "maps-flow", "maps-block", "lists-flow", "lists-block"] {
        assert!(ran.stdout.contains(&format!("- {name}: Use when")), "{}", ran.stdout);
    }
}

#[test]
fn a_usage_file_that_is_not_there_costs_the_usage_and_not_the_block() {
    let machine = Machine::new();
    machine.skill("dev/sound", "Use when all is well");
    let root = machine.path("skills");
    let ran = machine.run(&["index", "--root", root.to_str().unwrap(), "--usage", "none.json"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("- sound: Use when all is well"), "{}", ran.stdout);
    assert!(ran.stderr.contains("can't read the usage file `none.json`"), "{}", ran.stderr);
}

#[test]
fn a_root_that_cannot_be_read_is_said_and_is_no_reason_to_show_the_sample() {
    let system = MemorySystem::new();
    system.set_variable("HOME", "/u");
    system.set_working_folder("/u");
    system.write("/u/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: mine\n---\n");
    system.fail("/u/.claude/skills", Operation::List, std::io::ErrorKind::PermissionDenied);
    let index = || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let arguments = ["skillkeep", "index"].map(Into::into);
        let _status =
            skillkeep::cli::run(&system, &arguments, &mut Output::new(&mut out, &mut err));
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    };
    let (block, said) = index();
    assert!(!block.contains("SAMPLE") && !said.contains("SAMPLE"), "{block}{said}");
    assert!(said.contains("root `claude`: `/u/.claude/skills` can't be"), "{said}");
    system.heal();
    assert!(index().0.contains("- x: mine"));
    system.remove("/u/.claude/skills");
    let (block, said) = index();
    assert!(block.contains("SAMPLE") && said.contains("SAMPLE"), "{block}{said}");
}

#[test]
fn without_a_home_all_is_as_ever_but_cached() {
    let machine = Machine::new();
    machine.skill("ops/deploy", "Use when the user asks for a release.");
    let homeless = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        for name in ["HOME", "SKILLKEEP_HOME", "SKILLKEEP_CACHE"] {
            command.env_remove(name);
        }
        machine.finish(command.output().unwrap())
    };
    let arguments = ["index", "--root", "../skills", "--unit", "chars", "--now", "1790000000"];
    let ran = homeless(&arguments);
    let expected = machine.ok(&arguments);
    assert_eq!((ran.status, &ran.stdout), (0, &expected.stdout));
    let warning = "warning: there is no place for a home, so nothing is cached: `HOME` is not set
hint: name a folder with `--home FOLDER` or `SKILLKEEP_HOME`
";
    assert_eq!(ran.stderr.replace(warning, ""), expected.stderr);
    assert_eq!(ran.stderr.matches(warning).count(), 1);
    for arguments in [&["list", "--root", "../skills"][..], &["policy", "list"]] {
        assert_eq!(homeless(arguments).stdout, machine.ok(arguments).stdout);
    }
    let left: Vec<_> = fs::read_dir(machine.path("work")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// What somebody types can be typed again: it is no reason to print a block by another rule.
#[test]
fn a_value_that_a_policy_refuses_is_wrong_usage_where_it_was_typed_and_a_fallback_where_it_stands_in_the_config()
 {
    let machine = Machine::new();
    machine.skill("ops/deploy", "Use when the user asks to deploy.");
    let root = machine.path("skills");
    let index = |more: &[&str]| {
        machine.run(&[&["index", "--root", root.to_str().unwrap()][..], more].concat())
    };
    for (typed, setting, policy) in [
        (
            &["--set", "budget.exploration=9"][..],
            "setting `exploration` (--set): found `9`",
            "budget-ladder",
        ),
        (
            &["--set", "budget.exploration=x"],
            "setting `exploration` (--set): found `x`",
            "budget-ladder",
        ),
        (
            &["--as", "claude-code", "--window", "0"],
            "setting `window` (--window): found `0`",
            "budget-claude-code",
        ),
        (
            &["--as", "codex", "--window", "1000000001"],
            "setting `window` (--window): found `1000000001`",
            "budget-codex",
        ),
    ] {
        let ran = index(typed);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: {setting}, ")), "{ran:?}");
        let hint = format!(
            "hint: `skillkeep policy show {policy}` lists the parameters with their types\n"
        );
        assert!(ran.stderr.ends_with(&hint), "{ran:?}");
    }
    let ran = index(&["--set", "budget.exploration"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("`skillkeep policy show budget-ladder` lists"), "{ran:?}");
    assert_eq!(index(&["--as", "codex", "--window", "0"]).status, 0);

    machine.write("home/skillkeep.toml", "[slots.budget.settings]\nexploration = 9.0\n");
    let ran = index(&[]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("deploy") && ran.stderr.contains("the host's baseline decided"),
        "{ran:?}"
    );
}
