//! What went wrong in such systems, once more with each agent's rule: where an agent has the trouble, this is what it looks
//! like; what the host does about it, no rule can undo.

use super::{AGENTS, count, file, forms, json, machine, run};
use skillkeep::system::MemorySystem;

/// Text of so many characters.
fn text(beginning: &str, length: usize) -> String {
    let mut text = beginning.to_owned();
    while text.chars().count() < length {
        text.push_str(" and so on");
    }
    text.chars().take(length).collect::<String>().trim_end().replace(": ", " ") + "."
}

/// So many skills in so many categories, with descriptions of one length.
fn skills(number: usize, categories: usize, length: usize) -> MemorySystem {
    machine((0..number).map(|n| {
        let name = format!("skill-{n:03}");
        let text = text(&format!("Does thing {n}"), length);
        (format!("cat-{}/{name}", n % categories), file(&name, &text))
    }))
}

/// The lines of a list, by what they begin with.
fn list(block: &str, start: &str) -> Vec<String> {
    block.lines().filter(|line| line.starts_with(start)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn no_rule_exceeds_its_own_budget_by_even_one_byte_and_the_same_input_gives_the_same_bytes() {
    let system = skills(305, 12, 90);
    for agent in AGENTS {
        let line = format!("index --as {agent}");
        let (block, said) = run(&system, &line);
        assert_eq!((block.clone(), said), run(&system, &line), "{agent}");
        let of_lines = |start: &str, cost: fn(&String) -> usize| -> usize {
            list(&block, start).iter().map(cost).sum()
        };
        match agent {
            "claude-code" => assert!(of_lines("- ", |line| line.chars().count()) <= 8_000),
            "codex" => assert!(of_lines("- ", |line| line.len().div_ceil(4)) <= 5_440),
            "openclaw" => assert!(block.chars().count() <= 18_000),
            "progressive" => assert!(of_lines("    - ", |line| line.chars().count()) <= 4_600),
            _ => assert_eq!(list(&block, "    - ").len(), 305, "Hermes has no budget"),
        }
    }
}

#[test]
fn whoever_cuts_at_60_cuts_off_what_tells_skills_apart() {
    let same = "Works with the records of the archive and what belongs to";
    let system = machine((0..20).map(|n| {
        let text = format!("{same} shelf number {n:02} by the river");
        (format!("archive/skill-{n:02}"), file(&format!("skill-{n:02}"), &text))
    }));
    for (agent, told_apart, cut) in [
        ("claude-code", 20, None),
        ("codex", 20, None),
        ("openclaw", 20, None),
        ("hermes", 0, Some(60)),
        ("progressive", 0, None),
    ] {
        let index = json(&system, &format!("index --as {agent}"));
        let block = index["text"].as_str().unwrap();
        let seen = (0..20).filter(|n| block.contains(&format!("shelf number {n:02}"))).count();
        assert_eq!((seen, index["cut"]["scalars"].as_u64()), (told_apart, cut), "{agent}");
    }
    // The cut is a setting, and a longer one mends it.
    let block = run(&system, "index --as hermes --set budget.cut=120").0;
    assert_eq!(block.matches("shelf number").count(), 20);
}

#[test]
fn names_are_not_counted_as_long_as_they_fit_except_by_a_rule_that_has_no_names() {
    let system = skills(100, 5, 150);
    for (agent, more, listed, counted) in [
        ("claude-code", "--window 30000", 100, 0),
        ("codex", "--window 80000", 100, 0),
        ("openclaw", "--set budget.max-chars=14000", 100, 0),
        ("hermes", "--limit 2600", 100, 0),
        // Whole lines or a count, nothing between: 69 characters a line.
        ("progressive", "", 59, 41),
    ] {
        let index = json(&system, &format!("index --as {agent} {more}"));
        let shown = ["full", "short", "name"].map(|form| count(&index, form)).iter().sum::<u64>();
        assert_eq!((shown, count(&index, "counted")), (listed, counted), "{agent}");
    }
}

#[test]
fn what_was_shortened_and_left_out_is_data_for_every_rule() {
    let system = skills(119, 7, 200);
    for (agent, expected) in [
        ("claude-code", [32, 0, 87, 0]),
        ("codex", [0, 119, 0, 0]),
        ("openclaw", [0, 119, 0, 0]),
        ("hermes", [0, 119, 0, 0]),
        ("progressive", [59, 0, 0, 60]),
    ] {
        let index = json(&system, &format!("index --as {agent}"));
        let found = ["full", "short", "name", "counted"].map(|form| count(&index, form));
        assert_eq!(found, expected, "{agent}");
        let entries = index["entries"].as_array().unwrap();
        assert!(entries.iter().all(|entry| entry["reason"]["code"].is_string()), "{agent}");
        assert_eq!(index["cut"].is_object(), found[1] > 0, "{agent}");
    }
}

#[test]
fn what_changed_is_seen_in_every_agents_index() {
    for agent in AGENTS {
        let system = machine([
            ("a/first", file("first", "The first.")),
            ("b/c/deep", file("deep", "Deep.")),
        ]);
        let shows = |text: &str| run(&system, &format!("index --as {agent}")).0.contains(text);
        assert!(shows("first: The first.") || shows("The first.</description>"), "{agent}");
        system.write("/home/me/skills/b/c/deep/SKILL.md", file("deep", "Dive."));
        assert!(shows("Dive.") && !shows("Deep."), "{agent}: an edit in place at any depth");
        system.write("/home/me/skills/a/second/SKILL.md", file("second", "The second."));
        assert!(shows("The second."), "{agent}: a skill that was added");
        system.remove("/home/me/skills/a/first");
        assert!(!shows("The first."), "{agent}: one that was removed");
        // A second root answers for itself, whatever its times are.
        system.write("/home/me/other/a/first/SKILL.md", file("first", "Another first."));
        let line = |roots: &str| run(&system, &format!("index --as {agent} {roots}")).0;
        let (other, both) = (line("--root other"), line("--root other --root skills"));
        assert!(other.contains("Another first.") && !other.contains("The second."), "{agent}");
        assert!(both.contains("Another first.") && both.contains("The second."), "{agent}");
    }
}

#[test]
fn what_is_turned_off_or_for_people_is_kept_back_by_those_agents_that_know_of_it() {
    let system = machine([
        ("a/off", file("off", "Turned off.")),
        ("a/mac", file("mac", "For a Mac.\nplatforms: [macos]")),
        ("a/by-hand", file("by-hand", "For people.\ndisable-model-invocation: true")),
        ("a/needs", file("needs", "Needs a program.\nrequires:\n  bins: [not-there]")),
    ]);
    system.write("/home/me/.skillkeep/skillkeep.toml", "[index]\ndisabled = [\"off\"]\n");
    system.set_variable("PATH", "/bin");
    for (agent, shown) in [
        ("claude-code", &["mac", "needs", "off"][..]),
        ("codex", &["by-hand", "mac", "needs", "off"]),
        ("openclaw", &["mac", "needs", "off"]),
        ("hermes", &["by-hand", "needs"]),
        ("progressive", &["by-hand", "needs"]),
    ] {
        let index = json(&system, &format!("index --as {agent}"));
        let names: Vec<String> = forms(&index).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, shown, "{agent}");
        // Whoever is left out is so for a reason.
        let hidden = index["hidden"].as_array().unwrap();
        assert_eq!(hidden.len(), 4 - shown.len(), "{agent}");
        assert!(hidden.iter().all(|it| it["gates"][0]["because"].is_string()), "{agent}");
    }
    // Ours says what is missing, in the block itself.
    assert!(
        run(&system, "index").0.contains("- needs: [not ready: needs not-there] Needs a program.")
    );
    assert!(run(&system, "show by-hand").0.contains("# by-hand"));
}

#[test]
fn without_a_tool_that_opens_skills_the_block_is_held_back_and_that_is_said() {
    let system = machine([("a/x", file("x", "Does x."))]);
    for (agent, held) in [
        ("claude-code", false),
        ("codex", false),
        ("openclaw", false),
        ("hermes", true),
        ("progressive", true),
    ] {
        let (block, said) = run(&system, &format!("index --as {agent} --tools terminal"));
        assert_eq!(
            block.is_empty(),
            held,
            "{agent}: those that open skills by other tools show them"
        );
        assert_eq!(said.contains("not offered: 1 skill"), held, "{agent}: {said}");
    }
}

#[test]
fn no_rule_takes_the_frame_apart() {
    let system = machine([("a/z1", file("z1", "Cold skill.")), ("a/z2", file("z2", "Hot skill."))]);
    system.write("/home/me/usage.json", r#"{"z2": {"count": 9, "last_used": 1789990000}}"#);
    for agent in ["openclaw", "hermes", "progressive"] {
        for limit in ["", "--limit 60", "--limit 600"] {
            let block =
                run(&system, &format!("index --as {agent} --usage /home/me/usage.json {limit}")).0;
            let framed = block.matches("<available_skills>\n").count();
            assert_eq!(
                framed,
                block.matches("\n</available_skills>\n").count(),
                "{agent}: {block}"
            );
            assert_eq!(framed == 0, !block.contains("z2"), "{agent}: {block}");
        }
    }
}

#[test]
fn whom_a_line_that_does_not_fit_keeps_out() {
    let system = machine([
        ("a/a1", file("a1", &text("Long", 200))),
        ("a/a2", file("a2", "Ten chars.")),
        ("a/a3", file("a3", "Ten chars.")),
    ]);
    for (agent, more, expected) in [
        // It drops from the end until it fits, and so the short ones with the long one.
        ("claude-code", "--limit 60", ["name", "name", "name"]),
        // All get as much as the shortest needs.
        ("codex", "--limit 180", ["short", "full", "full"]),
        ("openclaw", "--set budget.max-chars=850", ["short", "full", "full"]),
        ("hermes", "--limit 480", ["short", "full", "full"]),
        // It stops at the first that doesn't fit.
        ("progressive", "--limit 71", ["full", "counted", "counted"]),
        ("progressive", "--limit 70", ["counted", "counted", "counted"]),
        ("progressive", "--limit 70 --set budget.misfit=skip", ["counted", "full", "full"]),
    ] {
        let index = json(&system, &format!("index --as {agent} {more}"));
        let found: Vec<String> = forms(&index).into_iter().map(|(_, form)| form).collect();
        assert_eq!(found, expected, "{agent} {more}: {}", index["text"]);
    }
}

#[test]
fn the_period_of_each_decay_is_what_it_is_called() {
    let system = machine([
        ("a/first", file("first", &text("First", 100))),
        ("a/second", file("second", &text("Second", 100))),
    ]);
    let day = 86_400;
    let usage = |first: (i64, i64), second: (i64, i64)| {
        let record = |(uses, days): (i64, i64)| {
            format!(r#"{{"count": {uses}, "last_used": {}}}"#, 1_790_000_000 - days * day)
        };
        let text = format!(r#"{{"first": {}, "second": {}}}"#, record(first), record(second));
        system.write("/home/me/usage.json", text);
    };
    let described = |line: &str| -> Vec<String> {
        let index = json(&system, &format!("{line} --usage /home/me/usage.json"));
        let shown = forms(&index).into_iter().filter(|(_, form)| form == "full");
        shown.map(|(name, _)| name).collect()
    };
    // Claude Code: a half after 7 days, never less than a tenth.
    for (first, second, kept) in [
        ((10, 7), (6, 0), "second"),
        ((13, 7), (6, 0), "first"),
        ((9, 999), (1, 0), "second"),
        ((11, 999), (1, 0), "first"),
    ] {
        usage(first, second);
        assert_eq!(described("index --as claude-code --limit 130"), [kept], "{first:?} {second:?}");
    }
    // Progressive Skill: 0.368 after 30 days, since its decay is to the e-th part.
    for (first, second, kept) in [((10, 30), (4, 0), "second"), ((11, 30), (4, 0), "first")] {
        usage(first, second);
        assert_eq!(described("index --as progressive --limit 100"), [kept], "{first:?} {second:?}");
        let halved = "index --as progressive --limit 100 --set budget.decay=half-life";
        assert_eq!(described(halved), ["first"], "{first:?} {second:?}");
    }
}

#[test]
fn a_use_in_the_future_counts_as_now_for_every_rule_and_is_reported() {
    let system = machine([
        ("a/past", file("past", &text("Past", 100))),
        ("a/to-come", file("to-come", &text("To come", 100))),
    ]);
    let later = 1_790_000_000 + 365 * 86_400;
    let usage = format!(
        r#"{{"past": {{"count": 2, "last_used": 1790000000}}, "to-come": {{"count": 1, "last_used": {later}}}}}"#
    );
    system.write("/home/me/usage.json", usage);
    for agent in AGENTS {
        let index = json(&system, &format!("index --as {agent} --usage /home/me/usage.json"));
        assert_eq!(index["usage"]["in-the-future"][0], "to-come", "{agent}");
        assert_eq!(index["laws"][0]["law"], "clock", "{agent}");
    }
    let index = json(&system, "index --as claude-code --usage /home/me/usage.json --limit 130");
    let expected = [("past", "full"), ("to-come", "name")];
    assert_eq!(forms(&index), expected.map(|(name, form)| (name.to_owned(), form.to_owned())));
}
