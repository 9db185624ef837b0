//! What is left behind: after a trap the next call works, after many calls the host is no larger, and what a stranger's
//! component costs to compile is a child's to bear.

use std::path::Path;

use super::guest::Guest;
use skillkeep::{
    decision::{Answer, BudgetRequest, Budgeted, Context, Form, Proposal, Reason, Slot, Table},
    policy::{Call, Engine, Fault, Loaded, Outcome, Source},
    skill::{Instant, OneLine},
};

fn load(engine: &Engine, guest: &Guest) -> Loaded {
    Loaded::load(engine, Source::File("guest.wasm".into()), &guest.build(), Some(guest.slot), &[])
        .unwrap()
}

fn ask(engine: &Engine, policy: &Loaded, limit: u32) -> Call<Budgeted> {
    let table = |len| Table { len, columns: Vec::new() };
    let context = Context { now: Instant(0), seed: 0, facts: Vec::new() };
    policy.budget(
        engine,
        BudgetRequest { context, limit, fixed: 0, skills: table(6), categories: table(2) },
    )
}

fn counted() -> Outcome<Budgeted> {
    let forms = Answer {
        proposals: (0..6).map(|row| Proposal { row, choice: Form::Counted, why: 0 }).collect(),
        reasons: vec![Reason { code: OneLine::new("because"), args: vec![OneLine::new("a test")] }],
    };
    Outcome::Answer(Budgeted { forms, cut: None })
}

#[test]
fn after_a_trap_the_next_call_works() {
    let mut guest = Guest::budget();
    guest.decide = format!(
        "(if (i32.eq (local.get $limit) (i32.const 666)) (then (unreachable))) {}",
        guest.decide
    );
    let engine = Engine::new(None, None).unwrap();
    let policy = load(&engine, &guest);
    let trapped =
        Outcome::Faulted(Fault::Trap(OneLine::new("wasm `unreachable` instruction executed")));
    let outcomes: Vec<_> =
        [1, 666, 1, 666, 1].map(|limit| ask(&engine, &policy, limit).outcome).to_vec();
    assert_eq!(outcomes, [counted(), trapped.clone(), counted(), trapped, counted()]);
}

#[test]
fn nothing_is_remembered_between_calls_and_fuel_is_the_same_each_time() {
    let mut guest = Guest::budget();
    guest.extra = "(global $calls (mut i32) (i32.const 0))".to_owned();
    guest.decide = format!(
        "(if (global.get $calls) (then (unreachable))) (global.set $calls (i32.const 1)) {}",
        guest.decide
    );
    let engine = Engine::new(None, None).unwrap();
    let policy = load(&engine, &guest);
    let calls = [ask(&engine, &policy, 1), ask(&engine, &policy, 1)];
    assert_eq!(calls.each_ref().map(|call| &call.outcome), [&counted(), &counted()]);
    assert_eq!(calls[0].fuel, calls[1].fuel);
}

/// Each call fills a mebibyte, so that what were kept of a thousand would be a gibibyte.
#[test]
fn a_thousand_calls_leave_the_host_no_larger() {
    let mut guest = Guest::budget();
    guest.decide = format!(
        "(memory.fill (i32.const 65536) (i32.const 1) (i32.const 1000000)) {}",
        guest.decide
    );
    let engine = Engine::new(None, None).unwrap();
    let policy = load(&engine, &guest);
    let calls = |times: usize| {
        for _ in 0..times {
            assert_eq!(ask(&engine, &policy, 1).outcome, counted());
        }
        resident()
    };
    let warm = calls(20);
    let after = calls(1_000);
    assert!(after < warm + 200_000, "{warm} kB, then {after} kB");
}

/// Kilobytes of this process that are in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_strangers_component_is_compiled_in_a_child_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut guest = Guest::budget();
    guest.extra = "(func (export \"only-here\"))".to_owned();
    let bytes = guest.build();
    let program = Path::new(env!("CARGO_BIN_EXE_skillkeep"));
    let load = |compiler: &Path| {
        let engine = Engine::new(Some(folder.path()), Some(compiler)).unwrap();
        Loaded::load(&engine, Source::File("guest.wasm".into()), &bytes, Some(Slot::Budget), &[])
            .map(|p| p.inspection.digest)
    };
    let digest = load(program).unwrap();
    let marks = || -> Vec<String> {
        let names = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("compiled-")).collect()
    };
    assert!(
        marks().len() == 1 && marks()[0].starts_with(&format!("compiled-{digest}-")),
        "{:?}",
        marks()
    );
    // What has been seen through is not compiled again: a program that isn't there is never called.
    assert_eq!(load(Path::new("/nowhere/skillkeep")), Ok(digest));
}

#[test]
fn a_child_that_fails_is_an_error_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| {
        // Written by another process, so that no thread of this one holds it open when it is run.
        let path = folder.path().join(name);
        let command =
            format!("printf '#!/bin/sh\\n%s\\n' '{text}' > {0} && chmod 700 {0}", path.display());
        assert!(
            std::process::Command::new("/bin/sh")
                .args(["-c", &command])
                .status()
                .unwrap()
                .success()
        );
        path
    };
    let killed = script("killed", "kill -9 $$");
    let strange = script("strange", "exit 7");
    let wordy = script("wordy", "echo no such luck >&2; exit 1");
    for (compiler, code, why) in [
        (
            killed.as_path(),
            "compile-stopped",
            "compiling the component was stopped: its process ended by signal: 9 (SIGKILL); it may use 60 s and 4 GiB",
        ),
        (
            &strange,
            "compile-stopped",
            "compiling the component was stopped: its process ended by exit status: 7; it may use 60 s and 4 GiB",
        ),
        (&wordy, "compile", "the component doesn't compile: no such luck"),
        (
            Path::new("/nowhere/skillkeep"),
            "compile-stopped",
            "compiling the component was stopped: its process can't be started: No such file or directory (os error 2)",
        ),
    ] {
        let engine = Engine::new(None, Some(compiler)).unwrap();
        let source = Source::File("guest.wasm".into());
        let bytes = Guest::budget().build();
        let error = Loaded::load(&engine, source, &bytes, Some(Slot::Budget), &[]).err().unwrap();
        assert_eq!((error.code(), error.to_string().as_str()), (code, why));
    }
}
