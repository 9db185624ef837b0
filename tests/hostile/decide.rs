//! Guests that misbehave while they decide: they trap, never end, or take what they may not have.

use super::{
    fails_when_asked,
    guest::{FOREVER, Guest, all, decent_info, give},
    index, machine,
};
use skillkeep::decision::Slot;

/// Without it, every other test here would pass for the wrong reason.
#[test]
fn a_decent_guest_decides() {
    let machine = machine();
    let ran = index(&machine, Slot::Budget, &Guest::budget().build(), &[]);
    assert!(ran.stdout.contains("\n  ops (3)\n  writing (3)\n"), "{}", ran.stdout);
    assert_eq!((super::warnings(&ran).as_str(), ran.status), ("", 0));
}

#[test]
fn it_traps() {
    for (body, why) in [
        ("(unreachable)", "it trapped: wasm `unreachable` instruction executed"),
        ("(i32.div_u (i32.const 1) (i32.const 0))", "it trapped: integer divide by zero"),
        ("(i32.load (i32.const -4))", "it trapped: out of bounds memory access"),
        ("(call_indirect (result i32) (i32.const 0))", "it trapped: uninitialized element"),
        ("(i32.trunc_f64_s (f64.const nan))", "it trapped: invalid conversion to integer"),
    ] {
        let mut guest = Guest::budget().deciding(body);
        guest.extra = "(table 1 funcref)".to_owned();
        fails_when_asked(&guest, why);
    }
}

#[test]
fn it_never_ends() {
    fails_when_asked(&Guest::budget().deciding(FOREVER), "it used up its fuel (20240000)");
}

#[test]
fn it_never_ends_after_it_answered() {
    let mut guest = Guest::budget();
    guest.post = FOREVER.to_owned();
    fails_when_asked(&guest, "it used up its fuel (20240000)");
}

#[test]
fn it_traps_after_it_answered() {
    let mut guest = Guest::budget();
    guest.post = "(unreachable)".to_owned();
    fails_when_asked(&guest, "it trapped: wasm `unreachable` instruction executed");
}

/// Code for `cabi_realloc` that is decent as long as lists are empty, as they are before a policy is asked.
fn if_asked_for_any(body: &str) -> String {
    format!("(if (result i32) (local.get $size) (then {body}) (else (i32.const 16)))")
}

#[test]
fn it_never_ends_while_arguments_are_lowered() {
    let mut info = decent_info();
    info.wants = vec!["name".to_owned()];
    let mut guest = Guest::new(Slot::Budget, &info, &all(6, 3));
    guest.realloc = if_asked_for_any(FOREVER);
    fails_when_asked(&guest, "it used up its fuel (20240000)");
}

#[test]
fn it_gives_arguments_no_place() {
    let mut info = decent_info();
    info.wants = vec!["name".to_owned()];
    for (realloc, why) in [
        ("(i32.const -16)", "what it returned can't be used: realloc return: beyond end of memory"),
        ("(i32.const 1025)", "what it returned can't be used: realloc return: result not aligned"),
    ] {
        let mut guest = Guest::new(Slot::Budget, &info, &all(6, 3));
        guest.realloc = if_asked_for_any(realloc);
        fails_when_asked(&guest, why);
    }
}

#[test]
fn it_calls_itself_without_end() {
    let mut guest = Guest::budget().deciding("(call $deep (i64.const 0))");
    guest.extra = "(func $deep (param i64) (result i32)
        (i32.add (call $deep (i64.add (local.get 0) (i64.const 1))) (i32.const 1)))"
        .to_owned();
    fails_when_asked(&guest, "it used up its stack (524288 bytes)");
}

#[test]
fn it_eats_memory() {
    for (body, why) in [
        (
            "(loop $again (drop (memory.grow (i32.const 1))) (br $again)) (unreachable)",
            "it asked for 16908288 bytes of memory and may have 16842752",
        ),
        (
            "(memory.grow (i32.const 65000))",
            "it asked for 4260954112 bytes of memory and may have 16842752",
        ),
    ] {
        fails_when_asked(&Guest::budget().deciding(body), why);
    }
}

#[test]
fn it_eats_tables() {
    let mut guest = Guest::budget()
        .deciding("(loop $again (drop (table.grow $t (ref.null func) (i32.const 1000))) (br $again)) (unreachable)");
    guest.extra = "(table $t 1 funcref)".to_owned();
    fails_when_asked(&guest, "it asked for a table of 10001 elements and may have 10000");
}

#[test]
fn it_copies_in_bulk_without_end() {
    let guest = Guest::budget().deciding(
        "(loop $again (memory.fill (i32.const 65536) (i32.const 1) (i32.const 1000000)) (br $again)) (unreachable)",
    );
    fails_when_asked(&guest, "it used up its fuel (20240000)");
}

#[test]
fn it_claims_lists_and_texts_that_are_not_there() {
    let two_gigabytes = (16, 2_000_000_000 / 12);
    for (proposals, reasons, why) in [
        (
            two_gigabytes,
            (0, 0),
            "what it returned can't be used: list pointer/length out of bounds of memory",
        ),
        (
            (0, 0),
            (16, 125_000_000),
            "what it returned can't be used: list pointer/length out of bounds of memory",
        ),
        (
            (0xffff_fff0, 1),
            (0, 0),
            "what it returned can't be used: list pointer/length out of bounds of memory",
        ),
        ((2, 1), (0, 0), "what it returned can't be used: list pointer is not aligned"),
    ] {
        fails_when_asked(&Guest::budget().answering(|data| data.ok(proposals, reasons)), why);
    }
    let a_gigabyte = Guest::budget().answering(|data| {
        let reason = super::layout::Record::default().slice((16, 1 << 30)).slice((0, 0));
        let reasons = data.list(vec![reason], 4);
        data.ok((0, 0), reasons)
    });
    fails_when_asked(
        &a_gigabyte,
        "what it returned can't be used: string pointer/length out of bounds of memory",
    );
}

#[test]
fn it_returns_megabytes() {
    let rows = Guest::budget().answering(|data| data.ok((65_536, 900_000), (0, 0)));
    let text = Guest::budget().answering(|data| {
        let reason = super::layout::Record::default().slice((65_536, 12 << 20)).slice((0, 0));
        let reasons = data.list(vec![reason], 4);
        data.ok((0, 0), reasons)
    });
    for (mut guest, why) in [
        (rows, "it returned more than 1052672 bytes"),
        (text, "it returned more than 1052672 bytes"),
    ] {
        guest.memory = "(memory (export \"memory\") 220)".to_owned();
        fails_when_asked(&guest, why);
    }
}

#[test]
fn it_returns_what_is_no_value_of_the_contract() {
    let form = Guest::new(Slot::Budget, &decent_info(), &all(6, 4));
    let outcome = Guest::budget().answering(|data| {
        data.place(super::layout::Record::default().long(7).long(0).long(0).long(0).long(0))
    });
    let letters = Guest::budget().answering(|data| {
        let text = data.bytes(b"caf\xe9");
        let reasons =
            data.list(vec![super::layout::Record::default().slice(text).slice((0, 0))], 4);
        data.ok((0, 0), reasons)
    });
    let place = Guest::budget().deciding(give(0xffff_fff8_u32));
    let crooked = Guest::budget().deciding(give(1025));
    for (guest, why) in [
        (form, "what it returned can't be used: unexpected discriminant: 4"),
        (outcome, "what it returned can't be used: invalid expected discriminant"),
        (letters, "what it returned can't be used: incomplete utf-8 byte sequence from index 3"),
        (place, "what it returned can't be used: pointer out of bounds of memory"),
        (crooked, "what it returned can't be used: return pointer not aligned"),
    ] {
        fails_when_asked(&guest, why);
    }
}
