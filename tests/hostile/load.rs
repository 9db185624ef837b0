//! Components that are sound, and not what this host takes: other imports, other versions, other worlds, other types.

use super::{
    guest::{CONTRACT, Guest},
    index, is_refused, machine, warnings,
};
use skillkeep::decision::Slot;

/// A guest in a world that also imports something.
fn importing(package: &str, import: &str) -> Guest {
    let world =
        format!("world importing {{ import {import}; export policy; export budget; }}\n{package}");
    let mut guest = Guest::budget();
    guest.wit = format!("{CONTRACT}\n{world}");
    guest.world = "importing".to_owned();
    guest.extra = format!("(func $now (import \"{import}\" \"now\") (result i64))");
    guest.deciding("(drop (call $now)) (i32.const 0)")
}

/// A guest in a world without `policy` or without a decision.
fn without(part: &str, exported: &str) -> Guest {
    let mut guest = Guest::budget();
    guest.wit = format!("{CONTRACT}\nworld without-{part} {{ export {exported}; }}");
    guest.world = format!("without-{part}");
    guest
}

#[test]
fn it_imports_a_clock() {
    let guest = importing(
        "package wasi:clocks@0.2.0 { interface wall-clock { now: func() -> u64; } }",
        "wasi:clocks/wall-clock@0.2.0",
    );
    is_refused(
        Slot::Budget,
        &guest.build(),
        "imports",
        "the component imports `wasi:clocks/wall-clock@0.2.0`, and a policy may import nothing",
        "build for `wasm32-unknown-unknown`: WASI targets import clocks and files even where a policy uses none",
    );
}

#[test]
fn it_imports_something_of_its_own() {
    let guest =
        importing("package evil:host { interface door { now: func() -> u64; } }", "evil:host/door");
    is_refused(
        Slot::Budget,
        &guest.build(),
        "imports",
        "the component imports `evil:host/door`, and a policy may import nothing",
        "a policy is a pure function of its request: take what it needs from columns and facts",
    );
}

#[test]
fn it_is_built_for_another_version_of_the_contract() {
    for (version, hint) in [
        ("0.2.0", "upgrade the host, or take an older release of the policy"),
        ("1.0.0", "upgrade the host, or take an older release of the policy"),
        ("0.0.9", "build the policy again with the SDK for 0.1.0"),
    ] {
        is_refused(
            Slot::Budget,
            &Guest::budget().of_version(version).build(),
            "other-version",
            &format!(
                "the component is built for skillkeep:policy@{version}, this host speaks 0.1.0"
            ),
            hint,
        );
    }
}

#[test]
fn a_later_patch_of_the_same_contract_decides() {
    let machine = machine();
    let ran = index(&machine, Slot::Budget, &Guest::budget().of_version("0.1.7").build(), &[]);
    let same = index(&machine, Slot::Budget, &Guest::budget().build(), &[]);
    assert_eq!((warnings(&ran).as_str(), ran.status, ran.stdout), ("", 0, same.stdout));
}

#[test]
fn it_has_half_a_world() {
    let hint = "the SDK's export macros export what a world needs";
    for (guest, exports) in [
        (without("decision", "policy"), "`skillkeep:policy/policy@0.1.0`"),
        (without("policy", "budget"), "`skillkeep:policy/budget@0.1.0`"),
    ] {
        let why = format!(
            "the component exports {exports}; a policy exports `skillkeep:policy/policy@0.1.0` and a decision beside it"
        );
        is_refused(Slot::Budget, &guest.build(), "no-world", &why, hint);
    }
}

#[test]
fn it_is_a_program_and_no_policy() {
    let program = wat::parse_str(
        "(component
            (core module $m (func (export \"run\") (result i32) (i32.const 0)))
            (core instance $i (instantiate $m))
            (func $run (result (result)) (canon lift (core func $i \"run\")))
            (instance $export (export \"run\" (func $run)))
            (export \"wasi:cli/run@0.2.0\" (instance $export)))",
    );
    is_refused(
        Slot::Budget,
        &program.unwrap(),
        "no-world",
        "the component exports `wasi:cli/run@0.2.0`; a policy exports `skillkeep:policy/policy@0.1.0` and a decision beside it",
        "the SDK's export macros export what a world needs",
    );
}

#[test]
fn it_decides_something_else() {
    let machine = machine();
    for (guest, slot, why, hint) in [
        (
            Guest::demotion(),
            Slot::Budget,
            "the component decides `demotion`, and it was given for `budget`",
            "give it as `--policy demotion=FILE`",
        ),
        (
            Guest::budget(),
            Slot::Demotion,
            "the component decides `budget`, and it was given for `demotion`",
            "give it as `--policy budget=FILE`",
        ),
    ] {
        let ran = index(&machine, slot, &guest.build(), &[]);
        super::assert_fell_back(&machine, &ran, slot, "[MACHINE]/hostile.wasm", why, hint);
    }
}

#[test]
fn its_types_are_not_the_contracts() {
    let hint = "build the policy with the WIT of skillkeep:policy@0.1.0, unchanged";
    let enum_case =
        Guest::budget().under(&[("enum form {\n        full,", "enum form {\n        whole,")]);
    let more_cases = Guest::budget()
        .under(&[("enum form {\n        full,", "enum form {\n        fuller,\n        full,")]);
    let field = Guest::budget().under(&[("limit: u32,", "limit: s32,")]);
    let info = Guest::budget().under(&[("summary: string,", "synopsis: string,")]);
    for (guest, why) in [
        (
            enum_case,
            "`budget` of the component has other types than the contract's: failed to convert function to given type: type mismatch with results: type mismatch for field proposals: type mismatch for field form: expected enum case named full, found whole",
        ),
        (
            more_cases,
            "`budget` of the component has other types than the contract's: failed to convert function to given type: type mismatch with results: type mismatch for field proposals: type mismatch for field form: expected enum of 4 names, found 5 names",
        ),
        (
            field,
            "`budget` of the component has other types than the contract's: failed to convert function to given type: type mismatch with parameters: type mismatch for field limit: expected `u32` found `s32`",
        ),
        (
            info,
            "`policy` of the component has other types than the contract's: failed to convert function to given type: type mismatch with results: expected record field named summary, found synopsis",
        ),
    ] {
        is_refused(Slot::Budget, &guest.build(), "other-types", why, hint);
    }
    let empty = wat::parse_str(
        "(component (instance $nothing)
            (export \"skillkeep:policy/policy@0.1.0\" (instance $nothing))
            (export \"skillkeep:policy/budget@0.1.0\" (instance $nothing)))",
    );
    is_refused(
        Slot::Budget,
        &empty.unwrap(),
        "other-types",
        "`policy` of the component has other types than the contract's: instance export `skillkeep:policy/policy@0.1.0` does not have export `describe`",
        hint,
    );
}

#[test]
fn it_is_made_of_more_instances_than_it_may_have() {
    let many = format!(
        "(component
            (core module $m (memory 1))
            {}
            (instance $nothing)
            (export \"skillkeep:policy/policy@0.1.0\" (instance $nothing))
            (export \"skillkeep:policy/budget@0.1.0\" (instance $nothing)))",
        "(core instance (instantiate $m))".repeat(40)
    );
    is_refused(
        Slot::Budget,
        &wat::parse_str(many).unwrap(),
        "instantiate",
        "the component fails when it is instantiated: it can't be put together: resource limit exceeded: memory count too high at 5",
        "`skillkeep policy show FILE` tells how far it gets; its author can mend it",
    );
}

#[test]
fn it_uses_what_the_engine_leaves_out() {
    let mut wide = Guest::budget();
    wide.memory = "(memory (export \"memory\") 20) (memory i64 1)".to_owned();
    let mut relaxed = Guest::budget();
    relaxed.extra = "(func (param v128 v128) (result v128)
        (i8x16.relaxed_swizzle (local.get 0) (local.get 1)))"
        .to_owned();
    for (guest, why) in [
        (
            wide,
            "the component doesn't compile: failed to parse WebAssembly module: memory64 must be enabled for 64-bit memories (at offset 0x1fb)",
        ),
        (
            relaxed,
            "the component doesn't compile: failed to compile: wasm[0]::function[0]: WebAssembly translation error: Invalid input WebAssembly code at offset 736: relaxed SIMD support is not enabled",
        ),
    ] {
        super::is_refused_as_faulty(&guest, "compile", why);
    }
}
