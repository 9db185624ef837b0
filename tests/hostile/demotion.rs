//! The demotion slot, whose fallback shows everything, and the law that keeps a category from vanishing into a count.

use super::{
    fails_when_asked,
    guest::{FOREVER, Guest, all, decent_info},
    index, machine,
};
use skillkeep::decision::Slot;

fn answers(rows: u32, detail: u8) -> Guest {
    Guest::new(Slot::Demotion, &decent_info(), &all(rows, detail))
}

#[test]
fn it_fails_and_everything_is_shown() {
    let mut undeclared = all(2, 1);
    undeclared.reasons[0].0 = "whim".to_owned();
    for (guest, why) in [
        (
            Guest::demotion().deciding("(unreachable)"),
            "it trapped: wasm `unreachable` instruction executed",
        ),
        (Guest::demotion().deciding(FOREVER), "it used up its fuel (20120000)"),
        (answers(2, 3), "what it returned can't be used: unexpected discriminant: 3"),
        (answers(3, 1), "law `total`: it answers for row 2, and was asked about 2"),
        (
            Guest::new(Slot::Demotion, &decent_info(), &undeclared),
            "law `reasoned`: row 0 gives the reason `whim`, which `describe` doesn't declare",
        ),
        (
            Guest::demotion().answering(|data| data.missing_fact("toolsets")),
            "it refused: it can't decide without `toolsets`, which is not known here",
        ),
    ] {
        fails_when_asked(&guest, why);
    }
}

#[test]
fn it_counts_what_could_be_named_and_the_names_are_shown() {
    let machine = machine();
    let counted = index(&machine, Slot::Demotion, &answers(2, 2).build(), &[]);
    let law =
        "law `asked` (hostile): a count was proposed where the names fit; the names are shown";
    assert!(counted.stderr.lines().any(|line| line == law), "{}", counted.stderr);
    let named = index(&machine, Slot::Demotion, &answers(2, 1).build(), &[]);
    assert_eq!((&counted.stdout, counted.status), (&named.stdout, 0));
    assert!(
        named.stdout.contains("\n  ops [names only]: backup, deploy, logs\n"),
        "{}",
        named.stdout
    );
}

#[test]
fn of_several_the_least_demotion_holds_and_one_that_fails_shows_everything() {
    let machine = machine();
    let lay = |name: &str, guest: Guest| {
        format!("demotion={}", machine.write(&format!("{name}.wasm"), guest.build()).display())
    };
    let (count, names) = (lay("count", answers(2, 2)), lay("names", answers(2, 1)));
    let (full, broken) =
        (lay("full", answers(2, 0)), lay("broken", Guest::demotion().deciding("(unreachable)")));
    let root = machine.path("skills").display().to_string();
    let run = |policies: &[&String]| {
        let mut all = vec!["index", "--root", &root];
        all.extend(policies.iter().flat_map(|policy| ["--policy", policy.as_str()]));
        machine.run(&all)
    };
    let alone = |policy: &String| run(&[policy]).stdout;
    for (policies, as_alone) in [
        (vec![&count, &names], &names),
        (vec![&names, &count], &names),
        (vec![&names, &full], &full),
        (vec![&full, &names, &count], &full),
    ] {
        let ran = run(&policies);
        assert_eq!((ran.stdout, ran.status), (alone(as_alone), 0), "{policies:?}");
    }
    let ran = run(&[&names, &broken]);
    assert_eq!((ran.stdout, ran.status), (alone(&full), 1));
    assert!(ran.stderr.contains("it trapped"), "{}", ran.stderr);
    let why =
        machine.ok(&["why", "ops/backup", "--root", &root, "--policy", &names, "--policy", &full]);
    assert!(why.stdout.contains("hostile 1.0.0 and hostile 1.0.0"), "{}", why.stdout);
}

#[test]
fn both_slots_fail_and_the_block_is_whole() {
    let machine = machine();
    let demotion =
        machine.write("demotion.wasm", Guest::demotion().deciding("(unreachable)").build());
    let argument = format!("demotion={}", demotion.display());
    let budget = Guest::budget().deciding("(unreachable)").build();
    let ran = index(&machine, Slot::Budget, &budget, &["--policy", &argument]);
    assert_eq!(
        (super::warnings(&ran).as_str(), ran.stdout.as_str(), ran.status),
        (
            "warning: slot `demotion`: policy `hostile 1.0.0`: it trapped: wasm `unreachable` instruction executed; everything is shown\n\
             warning: slot `budget`: policy `hostile 1.0.0`: it trapped: wasm `unreachable` instruction executed; the host's baseline decided",
            super::BASELINE,
            1
        )
    );
}
