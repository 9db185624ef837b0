//! What a policy of a slot may use, as the settings have it: wider, narrower, in a running host, and kept in records.

use std::fs;

use skillkeep::{
    decision::{Allowance, Factor, Resource, Slot},
    policy::{Assignment, Engine, LoadError, Loaded, Source},
    system::{OsSystem, System as _},
};

use crate::{
    hostile::{
        guest::{FOREVER, Guest},
        hint_for,
        layout::Record,
    },
    in_force::{There, budget},
    keeping::Keeping,
    support::Ran,
};

/// A budget for two skills that does something first, and then counts both.
fn first(body: &str) -> Guest {
    let guest = Guest::new(Slot::Budget, &super::hostile::guest::decent_info(), &two());
    let answer = guest.decide.clone();
    guest.deciding(format!("{body} {answer}"))
}

fn two() -> super::hostile::layout::Answer {
    super::hostile::guest::all(2, 3)
}

/// Work of so many rounds, each of some ten units of fuel.
fn rounds(count: u32) -> String {
    format!(
        "(local $left i32) (local.set $left (i32.const {count}))
        (loop $again
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $again (local.get $left)))"
    )
}

/// Index of a home whose settings give the slot these limits, by that component.
fn index(guest: &Guest, limits: &str) -> Ran {
    let keeping = Keeping::owned();
    keeping.machine.write("work/mine.wasm", guest.build());
    keeping.machine.write("home/skillkeep.toml", format!("[slots.budget.limits]\n{limits}\n"));
    keeping.run(&["index", "--policy", "budget=mine.wasm"])
}

/// That it runs into a limit as it usually is, and not into a wider one.
#[track_caller]
fn needs(guest: &Guest, limits: &str, why: &str) {
    let usual = index(guest, "");
    let (told, hint) = (format!(": {why}; the host's"), hint_for(Slot::Budget, why));
    assert!(usual.stderr.contains(&told) && usual.stderr.contains(&hint), "{usual:#?}");
    assert_eq!(usual.status, 1);
    let wider = index(guest, limits);
    assert!(wider.stdout.contains("  general (2)\n"), "{wider:#?}");
    assert_eq!(wider.status, 0, "{wider:#?}");
}

#[test]
fn what_needs_more_than_usual_runs_within_a_wider_limit() {
    needs(&first(&rounds(5_000_000)), "fuel = 4", "it used up its fuel (20090000)");
    needs(
        &first("(drop (memory.grow (i32.const 260)))"),
        "memory = 1.5",
        "it asked for 18153472 bytes of memory and may have 16801792",
    );
    let mut table = first("(drop (table.grow $t (ref.null func) (i32.const 20000)))");
    table.extra = "(table $t 1 funcref)".to_owned();
    needs(&table, "table = 3", "it asked for a table of 20001 elements and may have 10000");
    let mut talkative = Guest::new(Slot::Budget, &super::hostile::guest::decent_info(), &two())
        .answering(|data| {
            let proposals = (0..2).map(|row| Record::default().word(row).byte(3).word(0)).collect();
            let proposals = data.list(proposals, 4);
            // What the reason is about is a text of two million zeros, of which a few are kept.
            let args = data.list(vec![Record::default().slice((131_072, 2_000_000))], 4);
            let code = data.text("because");
            let reasons = data.list(vec![Record::default().slice(code).slice(args)], 4);
            data.ok(proposals, reasons)
        });
    talkative.memory = "(memory (export \"memory\") 60)".to_owned();
    needs(&talkative, "copied = 3", "it returned more than 1050112 bytes");
}

#[test]
fn what_the_operator_makes_narrower_ends_earlier() {
    let modest = first(&rounds(500_000));
    assert_eq!(index(&modest, "").status, 0);
    let ended = index(&modest, "fuel = 0.1");
    assert!(ended.stderr.contains("it used up its fuel (2009000); "), "{ended:#?}");
    let ended = index(&Guest::budget().deciding(FOREVER), "fuel = 100\ntime = 0.1");
    assert!(ended.stderr.contains("it was not done after 200 ms; "), "{ended:#?}");
    assert!(ended.stderr.contains("hint: `time` under `[slots.budget.limits]` in "), "{ended:#?}");
}

#[test]
fn a_limit_that_makes_no_sense_is_an_error_with_its_line_and_no_freedom() {
    let ran = index(&first(""), "memory = 2\nfuel = 1_000_000");
    assert_eq!(
        ran.stderr,
        "error: `[MACHINE]/home/skillkeep.toml`, line 3: `slots.budget.limits.fuel` is `1000000`, and a factor of the usual limit, from 0.1 to 100, was expected\n"
    );
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
}

/// What it says of itself costs more than usual: it loads where its slot has wider limits, and a cache that knows it from
/// there lets it in nowhere else.
#[test]
fn what_was_proved_within_wider_limits_is_not_proved_within_the_usual_ones() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(Some(folder.path()), None).unwrap();
    let mut guest = Guest::budget();
    guest.describe = format!("{} {}", rounds(5_000_000), guest.describe);
    let bytes = guest.build();
    let load = |fuel: f64| {
        let fuel = Factor::new(Resource::Fuel, fuel).unwrap();
        let within = Allowance::default().with(Resource::Fuel, fuel);
        let (source, given): (_, &[Assignment]) = (Source::File("guest.wasm".into()), &[]);
        Loaded::load_within(&engine, source, &bytes, Some(Slot::Budget), given, within)
    };
    for _ in 0..2 {
        assert_eq!(load(4.0).unwrap().allowance.to_string(), "4 × fuel");
        assert!(matches!(load(1.0), Err(LoadError::Describe(_))));
        // Narrower ones are for decisions: nothing is described by less than usual.
        assert!(matches!(load(0.1), Err(LoadError::Describe(_))));
    }
}

#[test]
fn a_running_host_takes_a_changed_limit_as_another_generation() {
    const BUDGET: &str = "[policies]\ndev = true\n[slots.budget]\nuse = [\"policies/p.wasm\"]\n";
    let there = There::new(BUDGET);
    let mut guest = Guest::budget();
    guest.decide = format!("{} {}", rounds(5_000_000), guest.decide);
    there.write("home/policies/p.wasm", guest.build());
    let in_force = there.begin();
    assert!(there.falls_back(&in_force));

    there.write("home/skillkeep.toml", format!("{BUDGET}limits.fuel = 4\n"));
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    assert_eq!(in_force.roster().current().number(), 2);
    assert!(!there.falls_back(&in_force));
    let report = serde_json::to_value(budget(&in_force)).unwrap();
    assert_eq!(report["active"][0]["limits"], serde_json::json!({ "fuel": 4.0 }));
    assert!(in_force.look().is_nothing());

    // A limit that it can't live with is found in its trial, and what decided before still does.
    there.write("home/skillkeep.toml", format!("{BUDGET}limits.fuel = 0.5\n"));
    let looked = in_force.look();
    assert_eq!((looked.swapped.len(), looked.rejected.len()), (0, 1), "{looked:#?}");
    assert!(!there.falls_back(&in_force));

    there.write("home/skillkeep.toml", format!("{BUDGET}limits.fuel = 5\n"));
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
}

/// A component that could not say what it is within the usual limits may come when its slot has wider ones.
#[test]
fn what_was_turned_down_for_a_limit_is_tried_again_within_another() {
    let settings = "[policies]\ndev = true\n[slots.budget]\nuse = [\"policies/p.wasm\"]\n";
    let there = There::new("");
    let mut guest = Guest::budget();
    guest.describe = format!("{} {}", rounds(5_000_000), guest.describe);
    there.write("home/policies/p.wasm", guest.build());
    let in_force = there.begin();
    there.write("home/skillkeep.toml", settings);
    let looked = in_force.look();
    assert_eq!((looked.swapped.len(), looked.rejected.len()), (0, 1), "{looked:#?}");
    let line = looked.lines[0].as_str();
    assert!(line.contains("`fuel` under `[slots.budget.limits]` in skillkeep.toml"), "{line}");
    there.write("home/skillkeep.toml", format!("{settings}limits.fuel = 4\n"));
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
}

#[test]
fn limits_are_told_by_list_and_show_and_kept_in_the_record() {
    let keeping = Keeping::owned();
    keeping.machine.write("work/mine.wasm", first("").build());
    let settings = "[slots.budget]\nlimits.fuel = 2.5 # it is slow\nlimits.time = 3\n";
    keeping.machine.write("home/skillkeep.toml", settings);
    keeping.ok(&["policy", "use", "budget", "mine.wasm", "--yes"]);
    let written = fs::read_to_string(keeping.machine.path("home/skillkeep.toml")).unwrap();
    assert!(written.contains("limits.fuel = 2.5 # it is slow\nlimits.time = 3\n"), "{written}");

    let list = keeping.ok(&["policy", "list"]).stdout;
    let line = "\nlimits of `budget` are not as usual: 2.5 × fuel, 3 × time\n";
    assert!(list.contains(line), "{list}");
    let list = keeping.machine.json(&["policy", "list"]);
    let limits = serde_json::json!({ "fuel": 2.5, "time": 3.0 });
    for it in list["policies"].as_array().unwrap() {
        let is_used = it["slot"] == "budget" && it["decides"] == true;
        let wanted = if is_used { limits.clone() } else { serde_json::Value::Null };
        assert_eq!(it["limits"], wanted, "{it}");
    }
    let shown = keeping.ok(&["policy", "show", "mine.wasm"]).stdout;
    assert!(shown.contains("; limits there: 2.5 × fuel, 3 × time\n"), "{shown}");
    let shown = keeping.machine.json(&["policy", "show", "mine.wasm"]);
    assert_eq!(shown["in"][0]["limits"], limits);

    keeping.ok(&["index", "--session", "a"]);
    // What holds later is not what held.
    keeping.machine.write("home/skillkeep.toml", written.replace("2.5", "2"));
    let at = (OsSystem.now().0 + 5).to_string();
    let then = keeping.machine.json(&["why", "deploy", "--at", &at]);
    let slots = then["policies"].as_array().unwrap();
    assert_eq!(slots[1]["limits"], limits, "{slots:#?}");
    assert_eq!((&slots[1]["fuel-limit"], slots[0].get("limits")), (&50_225_000.into(), None));
}

/// Cases are the author's, and tried as every author has them: what an operator allows in a home is no part of them.
#[test]
fn a_policy_alone_is_tried_within_the_usual_limits() {
    let keeping = Keeping::owned();
    keeping.machine.write("work/mine.wasm", first(&rounds(5_000_000)).build());
    keeping.machine.write("home/skillkeep.toml", "slots.budget.limits.fuel = 4\n");
    let bench = keeping.run(&["--json", "policy", "test", "mine.wasm", "--bench"]);
    let bench: serde_json::Value = serde_json::from_str(&bench.stdout).unwrap();
    let first = &bench["bench"][0]["sizes"][0];
    let limit = first["fuel-limit"].as_u64().unwrap();
    assert!((20_000_000..40_000_000).contains(&limit), "{first}");
}
