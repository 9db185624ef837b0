//! Files that are no component, or no longer one.

use super::{assert_fell_back, guest::Guest, index, index_by, is_refused, machine, warnings};
use proptest::prelude::*;
use skillkeep::{
    decision::Slot,
    policy::{BUILTINS, Engine, Loaded, Source},
};

const NOT_BUILT: &str =
    "build for `wasm32-unknown-unknown` and wrap the module with wit-component's encoder";
const DAMAGED: &str = "copy or build the file again, and move it into place whole";

#[test]
fn it_is_something_else() {
    let random: Vec<u8> =
        (0_u32..5_000).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8 | 0x80).collect();
    for (bytes, why) in [
        (b"".as_slice(), "found an empty file, expected a WebAssembly component"),
        (
            b"#!/bin/sh\nrm -rf everything\n",
            "found text that begins `#!/bin/sh rm -rf everyth`, expected a WebAssembly component",
        ),
        (
            b"\x1b[2J\x1b[31mtext",
            "found text that begins `[2J[31mtext`, expected a WebAssembly component",
        ),
        (&random, "found 5000 bytes of something else, expected a WebAssembly component"),
        (
            b"\x7fELF\x02\x01\x01\x00\xff",
            "found 9 bytes of something else, expected a WebAssembly component",
        ),
    ] {
        is_refused(Slot::Budget, bytes, "not-wasm", why, NOT_BUILT);
    }
}

#[test]
fn it_is_a_core_module() {
    let module = wat::parse_str(Guest::budget().module()).unwrap();
    is_refused(
        Slot::Budget,
        &module,
        "core-module",
        "found a core module, expected a component",
        NOT_BUILT,
    );
}

#[test]
fn it_is_cut_off() {
    let whole = Guest::budget().build();
    // The first eight bytes alone are a component that has nothing.
    for (len, why) in [
        (4, "the component is damaged at byte 4 of 4: unexpected end-of-file"),
        (100, "the component is damaged at byte 11 of 100: unexpected end-of-file"),
        (whole.len() - 1, "the component is damaged at byte 5721 of 5767: unexpected end-of-file"),
    ] {
        is_refused(Slot::Budget, &whole[..len], "damaged", why, DAMAGED);
    }
    let more = [whole.as_slice(), b"and more"].concat();
    is_refused(
        Slot::Budget,
        &more,
        "damaged",
        "the component is damaged at byte 5770 of 5776: unexpected end-of-file",
        DAMAGED,
    );
}

/// What is cut at a boundary of sections is a whole component, and may be one that exports nothing.
#[test]
fn a_component_cut_at_every_thousandth_byte_is_refused_by_a_typed_error() {
    let engine = Engine::new(None, None).unwrap();
    for builtin in BUILTINS {
        let cuts: Vec<usize> = (0..builtin.bytes.len()).step_by(1_000).collect();
        assert!(cuts.len() > 20);
        let mut damaged = 0;
        for cut in cuts {
            let source = Source::File("cut.wasm".into());
            let error =
                Loaded::load(&engine, source, &builtin.bytes[..cut], Some(builtin.slot), &[])
                    .err()
                    .unwrap();
            assert!(
                matches!(error.code(), "damaged" | "no-world")
                    || cut == 0 && error.code() == "not-wasm",
                "{cut}: {error}"
            );
            damaged += usize::from(error.code() == "damaged");
        }
        assert!(damaged > 20, "{damaged}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// No byte of a component can bring down the host that reads, compiles and introduces it.
    #[test]
    fn a_component_with_wrong_bytes_loads_or_is_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)
    ) {
        let engine = Engine::new(None, None).unwrap();
        let mut bytes = Guest::budget().build();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let source = Source::File("odd.wasm".into());
        if let Err(error) = Loaded::load(&engine, source, &bytes, Some(Slot::Budget), &[]) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn it_is_too_large() {
    let mut bytes = Guest::budget().build();
    bytes.resize((8 << 20) + 1, 0);
    is_refused(
        Slot::Budget,
        &bytes,
        "too-large",
        "the file has 8388609 bytes; a component may have 8388608",
        "a policy in Rust has less than 100 kB; build it with `opt-level = \"s\"` and strip it",
    );
}

#[test]
fn it_is_not_there_or_no_file() {
    let machine = machine();
    let folder = machine.path("skills");
    let unreadable = "name a component's file, or a policy of `skillkeep policy list`";
    let made = std::process::Command::new("mkfifo").arg(machine.path("work/pipe.wasm")).status();
    assert!(made.unwrap().success());
    for (name, why, hint) in [
        // A pipe would be waited for.
        ("pipe.wasm", "can't read `pipe.wasm`: it is no regular file".to_owned(), unreadable),
        (
            "none.wasm",
            "can't read `none.wasm`: No such file or directory (os error 2)".to_owned(),
            unreadable,
        ),
        (
            folder.to_str().unwrap(),
            "can't read `[MACHINE]/skills`: Is a directory (os error 21)".to_owned(),
            unreadable,
        ),
        (
            "budget-lader",
            "no policy is called `budget-lader`, and no file of that name is there".to_owned(),
            "did you mean `budget-ladder`? `skillkeep policy list` shows all",
        ),
        (
            "zzz",
            "no policy is called `zzz`, and no file of that name is there".to_owned(),
            "`skillkeep policy list` shows the policies that come with the host",
        ),
    ] {
        let ran = index_by(&machine, Slot::Budget, name, &[]);
        let policy = name.replace(folder.to_str().unwrap(), "[MACHINE]/skills");
        assert_fell_back(&machine, &ran, Slot::Budget, &policy, &why, hint);
        let shown = machine.run(&["policy", "show", name]);
        assert_eq!((warnings(&shown), shown.status), (format!("error: {why}\nhint: {hint}"), 2));
    }
}

/// A length as the format writes it.
fn leb(mut len: usize) -> Vec<u8> {
    let mut digits = Vec::new();
    while len >= 0x80 {
        digits.push((len & 0x7f) as u8 | 0x80);
        len >>= 7;
    }
    digits.push(len as u8);
    digits
}

/// A component that has nothing but a component, and so on.
fn nested(levels: usize) -> Vec<u8> {
    // From the inside, and backwards, since what goes before a component is its length.
    let header = b"\0asm\x0d\0\x01\0";
    let mut backwards: Vec<u8> = header.iter().rev().copied().collect();
    for _ in 0..levels {
        backwards.extend(leb(backwards.len()).iter().rev());
        backwards.push(4);
        backwards.extend(header.iter().rev());
    }
    backwards.reverse();
    backwards
}

#[test]
fn its_types_are_doubled_without_end() {
    let types: String =
        (1..40).map(|n| format!("(type $t{n} (tuple $t{m} $t{m}))", m = n - 1)).collect();
    let component =
        wat::parse_str(format!("(component (type $t0 (tuple u8 u8)) {types})")).unwrap();
    let why = "the component is damaged at byte 84 of 385: effective type size exceeds the limit of 1000000";
    is_refused(Slot::Budget, &component, "damaged", why, DAMAGED);
}

/// Validating the deepest that a file may hold would take longer than a person waits.
#[test]
fn its_parts_are_nested_without_end() {
    let why = "the component has more than 8 levels of components within it";
    for levels in [9, 20_000] {
        is_refused(Slot::Budget, &nested(levels), "too-many-parts", why, NOT_BUILT);
    }
}

/// A section of one type that has nothing but a type, and so on.
fn nested_types(levels: usize) -> Vec<u8> {
    let body = [&[1], b"\x41\x01\x01".repeat(levels).as_slice(), b"\x41\0"].concat();
    [&[7], leb(body.len()).as_slice(), &body].concat()
}

/// A parser calls itself for each, and a stack that is used up ends the whole program.
#[test]
fn its_types_are_nested_without_end() {
    let decent = Guest::budget().build();
    let component = [decent.as_slice(), &nested_types(2_000_000)].concat();
    let why = "the component has more than 32768 bytes of types within it";
    is_refused(Slot::Budget, &component, "too-many-parts", why, NOT_BUILT);
}

#[test]
fn types_that_are_nested_as_deep_as_may_be_do_no_harm() {
    let machine = machine();
    let component = [Guest::budget().build().as_slice(), &nested_types(10_000)].concat();
    let ran = index(&machine, Slot::Budget, &component, &[]);
    assert_eq!((warnings(&ran).as_str(), ran.status), ("", 0));
}

/// Each component has the one before twice: a file of a few kilobytes that would take a compiler for ever.
#[test]
fn its_instances_are_doubled_without_end() {
    let components: String = (1..40)
        .map(|n| {
            format!(
                "(component $c{n} (instance (instantiate $c{m})) (instance (instantiate $c{m})))",
                m = n - 1
            )
        })
        .collect();
    let component = wat::parse_str(format!(
        "(component
            (component $c0 (core module $m (memory 1)) (core instance (instantiate $m)))
            {components}
            (instance (instantiate $c39))
            (instance $nothing)
            (export \"skillkeep:policy/policy@0.1.0\" (instance $nothing))
            (export \"skillkeep:policy/budget@0.1.0\" (instance $nothing)))"
    ));
    let why = "the component has more than 16 instances of components within it";
    is_refused(Slot::Budget, &component.unwrap(), "too-many-parts", why, NOT_BUILT);
}
