//! Components that mean harm, or are no components. Whatever they do, the block comes out whole and within its limit by
//! the slot's fallback, the exit is 1, and standard error says why, word for word.

mod answers;
mod decide;
mod demotion;
mod describe;
mod files;
pub mod guest;
pub mod layout;
mod load;
mod reuse;

use skillkeep::decision::Slot;

use self::guest::Guest;
use crate::support::{Machine, Ran};

/// What the block may cost.
const LIMIT: usize = 600;

/// The block if the host's baseline decides.
const BASELINE: &str = include_str!("baseline.txt");

/// Six skills in two categories.
fn machine() -> Machine {
    let machine = Machine::new();
    for skill in
        ["ops/backup", "ops/deploy", "ops/logs", "writing/essay", "writing/haiku", "writing/sonnet"]
    {
        let name = skill.rsplit('/').next().unwrap();
        machine.skill(skill, &format!("Use when the user asks for {name}, with all that goes into it and a few words more."));
    }
    machine
}

/// Runs `index` with `policy` (a name or a path on the machine) in a slot.
fn index_by(machine: &Machine, slot: Slot, policy: &str, more: &[&str]) -> Ran {
    let root = machine.path("skills");
    let limit = LIMIT.to_string();
    let policy = format!("{slot}={policy}");
    let mut arguments =
        vec!["index", "--root", root.to_str().unwrap(), "--unit", "chars", "--limit", &limit];
    arguments.extend(["--now", "2026-06-01T00:00:00Z", "--policy", &policy]);
    arguments.extend(more);
    machine.run(&arguments)
}

/// Runs `index` with that component in a slot.
fn index(machine: &Machine, slot: Slot, component: &[u8], more: &[&str]) -> Ran {
    let file = machine.write("hostile.wasm", component);
    index_by(machine, slot, file.to_str().unwrap(), more)
}

/// What standard error says beside the report on the block.
fn warnings(ran: &Ran) -> String {
    let lines: Vec<&str> = ran
        .stderr
        .lines()
        .skip_while(|line| !line.starts_with("warning: ") && !line.starts_with("error: "))
        .collect();
    lines.join("\n")
}

/// The block of the slot's fallback, and how it is called. Nothing is known of the session here, so the policies that
/// come with the host demote nothing either.
fn fallback_of(machine: &Machine, slot: Slot) -> (String, &'static str) {
    match slot {
        Slot::Demotion => {
            let shown = index_by(machine, slot, "demotion-toolset", &[]);
            assert_eq!((warnings(&shown).as_str(), shown.status), ("", 0));
            (shown.stdout, "everything is shown")
        }
        _ => (BASELINE.to_owned(), "the host's baseline decided"),
    }
}

/// Asserts a whole run in which the slot fell back: block, exit, and reason. `hint` is empty where there is none.
#[track_caller]
fn assert_fell_back(machine: &Machine, ran: &Ran, slot: Slot, policy: &str, why: &str, hint: &str) {
    let (block, instead) = fallback_of(machine, slot);
    let mut wanted = format!("warning: slot `{slot}`: policy `{policy}`: {why}; {instead}");
    if !hint.is_empty() {
        wanted.push_str("\nhint: ");
        wanted.push_str(hint);
    }
    assert_eq!(
        (warnings(ran).as_str(), ran.stdout.as_str(), ran.status),
        (wanted.as_str(), block.as_str(), 1)
    );
    assert!(ran.stdout.chars().count() <= LIMIT);
}

/// What is said of a limit that a policy ran into: its key, and how far it goes. Nothing where it ran into none.
pub fn hint_for(slot: Slot, why: &str) -> String {
    let limits = [
        ("it used up its fuel (", "fuel", 100),
        ("it asked for a table", "table", 100),
        ("it asked for ", "memory", 64),
        ("it returned more than", "copied", 16),
    ];
    let met = limits.iter().find(|(words, ..)| why.starts_with(words));
    met.map_or_else(String::new, |(_, key, most)| {
        format!(
            "`{key}` under `[slots.{slot}.limits]` in skillkeep.toml is how many times the usual it may have, up to {most}"
        )
    })
}

/// A component that loads, and fails when it is asked.
#[track_caller]
fn fails_when_asked(guest: &Guest, why: &str) {
    let machine = machine();
    let ran = index(&machine, guest.slot, &guest.build(), &[]);
    let hint = hint_for(guest.slot, why);
    assert_fell_back(&machine, &ran, guest.slot, "hostile 1.0.0", why, &hint);
    machine.ok(&["policy", "show", machine.path("hostile.wasm").to_str().unwrap()]);
}

/// A component that is refused before it is asked: by `index`, and by `policy show` in words and in JSON.
#[track_caller]
fn is_refused(slot: Slot, component: &[u8], code: &str, why: &str, hint: &str) {
    let machine = machine();
    let ran = index(&machine, slot, component, &[]);
    // In a slot it can be told which limit could be wider.
    let met = why.split_once(": ").map_or_else(String::new, |(_, met)| hint_for(slot, met));
    let in_slot = if met.is_empty() { hint } else { met.as_str() };
    assert_fell_back(&machine, &ran, slot, "[MACHINE]/hostile.wasm", why, in_slot);

    let file = machine.path("hostile.wasm");
    let shown = machine.run(&["policy", "show", file.to_str().unwrap()]);
    assert_eq!(
        (warnings(&shown), shown.status),
        (format!("error: this host would not load it: {why}\nhint: {hint}"), 1)
    );
    assert!(shown.stdout.ends_with("\nloads: no\n"), "{}", shown.stdout);

    let json = machine.run(&["--json", "policy", "show", file.to_str().unwrap()]);
    let record: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&record["error"], &record["loads"], json.status),
        (
            &serde_json::json!({ "code": code, "message": why, "hint": hint }),
            &serde_json::json!(false),
            1
        )
    );
}

/// As [`is_refused`], with what an author's component gets where only its author can mend it.
#[track_caller]
fn is_refused_as_faulty(guest: &Guest, code: &str, why: &str) {
    is_refused(
        guest.slot,
        &guest.build(),
        code,
        why,
        "`skillkeep policy show FILE` tells how far it gets; its author can mend it",
    );
}
