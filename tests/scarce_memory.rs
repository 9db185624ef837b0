//! Where addresses are limited, as by `ulimit -v`, policies decide as anywhere; where there are too few, that is said of
//! the machine and not of a policy's author.

use std::process::Command;

use crate::support::{Machine, Ran};

/// Runs the program under `ulimit -v`, in kibibytes.
fn limited(machine: &Machine, kib: &str, arguments: &[&str]) -> Ran {
    let plain = machine.command(arguments);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit -v {kib} && exec \"$0\" \"$@\"")]).arg(plain.get_program());
    shell.args(plain.get_args()).env_clear().current_dir(machine.path("work"));
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    // Few threads, each of which takes addresses for its stack.
    machine.finish(shell.env("RAYON_NUM_THREADS", "2").output().unwrap())
}

#[test]
fn policies_decide_in_as_few_addresses_as_the_program_itself_needs() {
    let machine = Machine::new();
    for row in 0..40 {
        machine.skill(&format!("ops/skill-{row}"), "Use when the user asks for it.");
    }
    let arguments = ["index", "--root", "../skills", "--unit", "chars", "--now", "1790000000"];
    let arguments = [&arguments[..], &["--limit", "1500"]].concat();
    let block = machine.ok(&arguments);
    for kib in ["unlimited", "8000000", "4300000", "2000000", "1000000"] {
        assert_eq!(limited(&machine, kib, &arguments), block, "{kib}");
    }
}

#[test]
fn a_strangers_component_is_compiled_and_found_again_where_addresses_are_few() {
    let machine = Machine::new();
    machine.skill("ops/deploy", "Use when the user asks for it.");
    let bytes =
        skillkeep::policy::BUILTINS.iter().find(|b| b.name == "budget-ladder").unwrap().bytes;
    machine.write("work/mine.wasm", bytes);
    let arguments = ["policy", "show", "mine.wasm"];
    let shown = machine.ok(&arguments);
    for _ in 0..2 {
        assert_eq!(limited(&machine, "2000000", &arguments), shown);
    }
}
