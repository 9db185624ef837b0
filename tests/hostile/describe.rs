//! Guests that fail before they are asked to decide, or say of themselves what can't be.

use super::{
    guest::{FOREVER, Guest, all, decent_info, give},
    is_refused, is_refused_as_faulty,
    layout::{Info, Record},
    machine,
};
use skillkeep::decision::{Slot, Value};

fn describing(change: impl FnOnce(&mut Info)) -> Guest {
    let mut info = decent_info();
    change(&mut info);
    Guest::new(Slot::Budget, &info, &all(6, 3))
}

fn parameter(key: &str, default: Value) -> (String, Value, String) {
    (key.to_owned(), default, "a setting".to_owned())
}

#[test]
fn instantiation_does_not_end_or_traps() {
    for (start, why) in [
        (FOREVER, "the component fails when it is instantiated: it used up its fuel (20000000)"),
        (
            "(unreachable)",
            "the component fails when it is instantiated: it trapped: wasm `unreachable` instruction executed",
        ),
        (
            "(drop (memory.grow (i32.const 1000)))",
            "the component fails when it is instantiated: it asked for 66650112 bytes of memory and may have 16777216",
        ),
    ] {
        let mut guest = Guest::budget();
        guest.extra = format!("(func $start {start}) (start $start)");
        is_refused_as_faulty(&guest, "instantiate", why);
    }
}

#[test]
fn it_begins_with_more_than_it_may_have() {
    for (memory, extra, why) in [
        (
            "(memory (export \"memory\") 257)",
            "",
            "the component fails when it is instantiated: it asked for 16842752 bytes of memory and may have 16777216",
        ),
        (
            "(memory (export \"memory\") 65536)",
            "",
            "the component fails when it is instantiated: it asked for 4294967296 bytes of memory and may have 16777216",
        ),
        (
            "",
            "(table 10001 funcref)",
            "the component fails when it is instantiated: it asked for a table of 10001 elements and may have 10000",
        ),
        (
            "(memory (export \"memory\") 100) (memory 100) (memory 100)",
            "",
            "the component fails when it is instantiated: it asked for 19660800 bytes of memory and may have 16777216",
        ),
    ] {
        let mut guest = Guest::budget();
        guest.memory = memory.to_owned();
        guest.extra = extra.to_owned();
        is_refused_as_faulty(&guest, "instantiate", why);
    }
}

#[test]
fn describe_does_not_end_or_traps_or_gives_nonsense() {
    for (body, why) in [
        (FOREVER.to_owned(), "`describe` fails: it used up its fuel (20000000)"),
        (
            "(unreachable)".to_owned(),
            "`describe` fails: it trapped: wasm `unreachable` instruction executed",
        ),
        (
            give(0xffff_0000),
            "`describe` fails: what it returned can't be used: pointer out of bounds of memory",
        ),
        (
            give(1026),
            "`describe` fails: what it returned can't be used: return pointer not aligned",
        ),
        (
            "(loop $again (drop (memory.grow (i32.const 1))) (br $again)) (unreachable)".to_owned(),
            "`describe` fails: it asked for 16842752 bytes of memory and may have 16777216",
        ),
    ] {
        let mut guest = Guest::budget();
        guest.describe = body;
        is_refused_as_faulty(&guest, "describe", why);
    }
}

#[test]
fn describe_says_too_much() {
    let many = |of: fn(usize) -> String| (0..3_000).map(of).collect::<Vec<_>>();
    for (guest, why) in [
        (
            describing(|info| {
                info.parameters =
                    (0..10_000).map(|n| parameter(&format!("p{n}"), Value::Integer(0))).collect();
            }),
            "`describe` fails: it returned more than 262144 bytes",
        ),
        (
            describing(|info| info.wants = many(|n| format!("fact-{n}"))),
            "`describe` fails: what it returned can't be used: `describe` lists 3000 things of one kind; at most 500 are taken",
        ),
        (
            describing(|info| {
                info.reasons = many(|n| format!("r{n}"))
                    .into_iter()
                    .map(|code| (code, String::new()))
                    .collect()
            }),
            "`describe` fails: what it returned can't be used: `describe` lists 3000 things of one kind; at most 500 are taken",
        ),
        (
            describing(|info| info.summary = "s".repeat(1_000_000)),
            "`describe` fails: it returned more than 262144 bytes",
        ),
    ] {
        is_refused_as_faulty(&guest, "describe", why);
    }
}

#[test]
fn describe_says_what_can_not_be() {
    for (guest, why) in [
        (
            describing(|info| info.name.clear()),
            "what `describe` says of itself can't be: it has no name",
        ),
        (
            describing(|info| info.name = "\u{1b}\n\u{202e}".to_owned()),
            "what `describe` says of itself can't be: it has no name",
        ),
        (
            describing(|info| {
                info.parameters =
                    vec![parameter("pace", Value::Integer(1)), parameter("pace", Value::Real(1.0))]
            }),
            "what `describe` says of itself can't be: parameter `pace` is declared twice",
        ),
        (
            describing(|info| info.parameters = vec![parameter("", Value::Integer(1))]),
            "what `describe` says of itself can't be: a parameter has no key",
        ),
        (
            describing(|info| info.parameters = vec![parameter("pace", Value::Real(f64::NAN))]),
            "what `describe` says of itself can't be: the default of `pace` is no number",
        ),
        (
            describing(|info| {
                info.parameters = vec![parameter("pace", Value::Real(f64::INFINITY))]
            }),
            "what `describe` says of itself can't be: the default of `pace` is no number",
        ),
        (
            describing(|info| info.reasons.push((String::new(), "for nothing".to_owned()))),
            "what `describe` says of itself can't be: a reason has no code",
        ),
    ] {
        is_refused_as_faulty(&guest, "bad-info", why);
    }
}

#[test]
fn describe_gives_what_is_no_value_of_the_contract() {
    let mut letters = Guest::budget();
    let name = letters.data.bytes(b"\xff\xfe");
    let record = (0..6).fold(Record::default().slice(name), |record, _| record.slice((0, 0)));
    letters.describe = give(letters.data.place(record));
    let mut case = Guest::budget();
    let parameter = Record::default().slice((0, 0)).long(9).long(0).slice((0, 0));
    let parameters = case.data.list(vec![parameter], 8);
    let name = case.data.text("hostile");
    let record = Record::default().slice(name).slice((0, 0)).slice((0, 0)).slice(parameters);
    case.describe = give(case.data.place((0..3).fold(record, |record, _| record.slice((0, 0)))));
    for (guest, why) in [
        (
            letters,
            "`describe` fails: what it returned can't be used: invalid utf-8 sequence of 1 bytes from index 0",
        ),
        (case, "`describe` fails: what it returned can't be used: unexpected discriminant: 9"),
    ] {
        is_refused_as_faulty(&guest, "describe", why);
    }
}

#[test]
fn it_needs_what_this_host_does_not_tell() {
    for (needs, why) in [
        (&["mood"][..], "the policy needs `mood`, which this host doesn't tell"),
        (&["previous-detail"], "the policy needs `previous-detail`, which this host doesn't tell"),
        (
            &["uses", "a", "b", "c", "d", "e", "\u{1b}[2J"],
            "the policy needs `a`, `b`, `c`, `d` and 2 more, which this host doesn't tell",
        ),
    ] {
        let guest =
            describing(|info| info.needs = needs.iter().map(|key| (*key).to_owned()).collect());
        is_refused(
            Slot::Budget,
            &guest.build(),
            "needs-unknown",
            why,
            "the keys are those of `dictionary.toml`; use `wants` for what a policy can do without",
        );
    }
}

#[test]
fn check_settings_does_not_end_or_traps() {
    for (body, why) in [
        (FOREVER, "`check-settings` fails: it used up its fuel (20000000)"),
        (
            "(unreachable)",
            "`check-settings` fails: it trapped: wasm `unreachable` instruction executed",
        ),
        (
            "(i32.const -4)",
            "`check-settings` fails: what it returned can't be used: pointer out of bounds of memory",
        ),
    ] {
        let mut guest = Guest::budget();
        guest.check_settings = body.to_owned();
        is_refused_as_faulty(&guest, "check-settings", why);
    }
    let mut lowered = describing(|info| {
        info.parameters = vec![parameter("pace", Value::Text("fast".to_owned()))]
    });
    lowered.realloc = FOREVER.to_owned();
    is_refused_as_faulty(
        &lowered,
        "check-settings",
        "`check-settings` fails: it used up its fuel (20000000)",
    );
}

#[test]
fn check_settings_finds_problems() {
    let problem = |key: &str, message: &str| (key.to_owned(), message.to_owned());
    let hint =
        "`skillkeep policy show [MACHINE]/hostile.wasm` lists the parameters with their types";
    for (problems, why) in [
        (
            vec![problem("pace", "too fast"), problem("\u{1b}[1mgait", "two\nlines\u{7}")],
            "setting `pace`: too fast; setting `[1mgait`: two lines".to_owned(),
        ),
        (
            (0..3_000).map(|n| problem(&format!("p{n}"), "no")).collect(),
            "setting `p0`: no; setting `p1`: no; setting `p2`: no; setting `p3`: no; and 496 more"
                .to_owned(),
        ),
    ] {
        let mut guest = Guest::budget();
        guest.check_settings = give(guest.data.problems(&problems));
        is_refused(Slot::Budget, &guest.build(), "settings", &why, hint);
    }
}

#[test]
fn what_it_says_of_itself_is_shown_as_short_lines() {
    let nasty = format!("\u{1b}[31m{}\n\u{202e}{}", "a".repeat(10), "b".repeat(20_000));
    let guest = describing(|info| {
        info.name = nasty.clone();
        info.version = nasty.clone();
        info.summary = nasty.clone();
        info.parameters = vec![(nasty.clone(), Value::Text(nasty.clone()), nasty.clone())];
        info.reasons = vec![(nasty.clone(), nasty.clone())];
    });
    let machine = machine();
    let file = machine.write("hostile.wasm", guest.build());
    let shown = machine.ok(&["policy", "show", file.to_str().unwrap()]);
    assert!(
        shown.stdout.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.lines().all(|line| line.chars().count() <= 1_000), "{}", shown.stdout);
    let record = machine.json(&["policy", "show", file.to_str().unwrap()]);
    let kept = |cap: usize| format!("[31m{} {}", "a".repeat(10), "b".repeat(cap - 15));
    assert_eq!(
        [
            &record["name"],
            &record["version"],
            &record["summary"],
            &record["parameters"],
            &record["reasons"]
        ],
        [
            &serde_json::json!(kept(64)),
            &serde_json::json!(kept(64)),
            &serde_json::json!(kept(400)),
            &serde_json::json!([{ "key": kept(64), "type": "text", "default": kept(400), "doc": kept(400) }]),
            &serde_json::json!({ kept(64): kept(400) }),
        ]
    );
}
