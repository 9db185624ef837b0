//! Who may write what: the table of each policy, natively and as a component; the command that prints it; and components of
//! the slot that mean harm.

use std::{borrow::Cow, collections::BTreeMap};

use skillkeep::{
    decision::{
        Action, Allowance, By, Judgement, ProvenanceRequest, Value, Verdict, WriteAnswer,
        WriteRequest,
    },
    judge::{Chosen, Hearing, Judge, question, table},
    laws::Law,
    policy::{Assignment, Builtin, Engine, Loaded, Outcome, Source},
    skill::{Actor, Origin},
};
use skillkeep_policy::{
    ProvenancePolicy,
    bindings::slots::provenance as sdk,
    facts::{Entry, RawContext, RawRefusal, Value as SdkValue},
    slots::provenance,
};

use crate::{
    hostile::guest::{FOREVER, Guest, all, decent_info},
    support::{Machine, shared_cache},
};

fn engine() -> Engine {
    Engine::new(Some(&shared_cache().join("components")), None).unwrap()
}

fn judge(components: Vec<(Source, Vec<u8>)>, settings: &[Assignment]) -> Judge {
    let chosen = components.into_iter().map(|(source, bytes)| Chosen {
        name: source.named(),
        component: Ok((source, Cow::Owned(bytes))),
    });
    Judge::load(engine(), chosen.collect(), settings, Allowance::default())
}

fn builtin(name: &str) -> (Source, Vec<u8>) {
    let builtin = Builtin::named(name).unwrap();
    (Source::Builtin(builtin.name), builtin.bytes.to_vec())
}

/// The same question as the SDK has it.
fn native(question: ProvenanceRequest) -> sdk::Request {
    let fact = |(key, value): (&str, Value)| Entry {
        key: key.to_owned(),
        value: match value {
            Value::Boolean(value) => SdkValue::Boolean(value),
            Value::Text(value) => SdkValue::Text(value),
            other => panic!("{other:?}"),
        },
    };
    let ProvenanceRequest { context, write, content } = question;
    sdk::Request {
        context: RawContext { now: context.now.0, seed: context.seed, facts: Vec::new() },
        settings: Vec::new(),
        write: write.into_iter().map(fact).collect(),
        content,
    }
}

type Run = fn(&sdk::Request) -> Result<sdk::Answer, RawRefusal>;

/// What a policy answers as a component and natively, in the same words.
fn both(policy: &Loaded, engine: &Engine, run: Run, write: &WriteRequest) -> [String; 2] {
    let asked = question(write, &|key| policy.info.asks_for(key));
    let Outcome::Answer(WriteAnswer { verdict, why }) =
        policy.provenance(engine, asked.clone()).outcome
    else {
        panic!("{write:?}")
    };
    let args: Vec<&str> = why.args.iter().map(|arg| arg.as_str()).collect();
    let origin = verdict.origin().map(ToString::to_string);
    let component = format!("{} {origin:?} {} {args:?}", verdict.word(), why.code);
    let sdk::Answer { verdict, why } = run(&native(asked)).unwrap();
    let (word, origin) = match verdict {
        sdk::Verdict::Allow(origin) => ("allow", Some(origin)),
        sdk::Verdict::Stage(origin) => ("stage", Some(origin)),
        sdk::Verdict::Deny => ("deny", None),
    };
    [component, format!("{word} {origin:?} {} {:?}", why.code, why.args)]
}

fn equal_in_every_cell<P: ProvenancePolicy>(name: &str) {
    let engine = engine();
    let (source, bytes) = builtin(name);
    let policy = Loaded::load(&engine, source, &bytes, None, &[]).unwrap();
    let cells = table(&judge(vec![builtin(name)], &[]));
    // 6 who write: 3 circumstances of what is new, 6 of a change, 8 of a retirement and 3 of a return, of 7 owners each.
    assert_eq!(cells.len(), 6 * (3 + 7 * (6 + 8 + 3)));
    for cell in &cells {
        let [component, native] = both(&policy, &engine, provenance::run::<P>, &cell.request);
        assert_eq!(component, native, "{name}: {:?}", cell.request);
        let said = cell.proposed.as_ref().unwrap_or(&cell.judgement);
        assert!(component.starts_with(said.verdict.word()), "{component}: {said:?}");
    }
}

#[test]
fn every_cell_of_each_table_is_the_same_natively_and_as_a_component() {
    equal_in_every_cell::<provenance_declared::Declared>("provenance-declared");
    equal_in_every_cell::<provenance_open::Open>("provenance-open");
    equal_in_every_cell::<provenance_strict::Strict>("provenance-strict");
}

#[test]
fn the_declared_rule_needs_no_law_to_hold_it() {
    let cells = table(&judge(vec![builtin("provenance-declared")], &[]));
    let held: Vec<_> = cells.iter().filter(|cell| cell.proposed.is_some()).collect();
    assert!(held.is_empty(), "{held:#?}");
}

#[test]
fn the_table_is_printed_as_the_policies_answer() {
    let machine = Machine::new();
    for name in ["provenance-declared", "provenance-open", "provenance-strict"] {
        let shown = machine.ok(&["policy", "show", name, "--table"]);
        assert_eq!(shown.stderr, "");
        assert!(shown.stdout.lines().all(|line| line.chars().count() <= 80), "{}", shown.stdout);
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "transcripts", omit_expression => true }, {
            insta::assert_snapshot!(format!("table-{name}"), shown.stdout);
        });
    }
    let record = machine.json(&["policy", "show", "provenance-declared", "--table"]);
    assert_eq!(record["schema"], "skillkeep.policy-table/1");
    assert_eq!(record["policies"], serde_json::json!(["provenance-declared 0.1.0"]));
    let cells = record["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 732);
    let found = cells.iter().find(|cell| {
        (&cell["actor"], &cell["action"], &cell["origin"], &cell["under"])
            == (&"curator".into(), &"retire".into(), &"person".into(), &"plain".into())
    });
    assert_eq!(
        found.unwrap(),
        &serde_json::json!({
            "action": "retire",
            "actor": "curator",
            "origin": "person",
            "under": "plain",
            "holds": {
                "verdict": "deny",
                "as": null,
                "reason": {
                    "code": "not-curated",
                    "text": "it is of origin `person`, which no pass retires: a person can, or can adopt it",
                },
                "by": "provenance-declared 0.1.0",
            },
            "proposed": null,
        })
    );
}

#[test]
fn the_table_of_the_slot_is_that_of_whoever_judges() {
    let machine = Machine::new();
    let own = machine.ok(&["policy", "show", "provenance", "--table"]);
    assert_eq!(own, machine.ok(&["policy", "show", "provenance-declared", "--table"]));

    machine.write(
        "home/skillkeep.toml",
        "[slots.provenance]\nuse = [\"provenance-declared\", \"provenance-strict\"]\nsettings.job-creates = \"deny\"\n",
    );
    let record = machine.json(&["policy", "show", "provenance", "--table"]);
    assert_eq!(
        record["policies"],
        serde_json::json!(["provenance-declared 0.1.0", "provenance-strict 0.1.0"])
    );
    let new = |actor: &str| {
        let cells = record["cells"].as_array().unwrap();
        let of = |cell: &&serde_json::Value| {
            cell["actor"] == actor && cell["action"] == "create" && cell["under"] == "plain"
        };
        cells.iter().find(of).unwrap()["holds"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        ["person", "foreground", "job"].map(new),
        ["allow", "stage", "deny"].map(str::to_owned)
    );
    let list = machine.json(&["policy", "list"]);
    let decide: BTreeMap<&str, bool> = list["policies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["slot"] == "provenance")
        .map(|it| (it["name"].as_str().unwrap(), it["decides"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        decide,
        [("provenance-declared", true), ("provenance-open", false), ("provenance-strict", true)]
            .into()
    );
}

#[test]
fn a_table_is_of_the_slot_that_judges_writes_and_a_judge_that_fails_is_told() {
    let machine = Machine::new();
    for (name, message) in [
        (
            "budget",
            "error: found the slot `budget`, expected `provenance` or a policy of that slot\n",
        ),
        (
            "budget-ladder",
            "error: `budget-ladder` decides `budget`, and only a policy of `provenance` judges writes\n",
        ),
    ] {
        let ran = machine.run(&["policy", "show", name, "--table"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        assert_eq!(
            ran.stderr,
            format!("{message}hint: skillkeep policy show provenance --table\n")
        );
    }
    machine.write(
        "home/skillkeep.toml",
        "[slots.provenance]\nuse = [\"provenance-declared\", \"gone.wasm\"]\nsettings.unheard = 1\n",
    );
    let ran = machine.run(&["policy", "show", "provenance", "--table"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.contains("  new            stage a  deny b "), "{}", ran.stdout);
    assert!(
        ran.stderr.contains(
            "warning: setting `unheard` (skillkeep.toml) is unknown to `provenance-declared`"
        ) && ran.stderr.contains(
            "warning: `[MACHINE]/home/gone.wasm` does not load, and refuses what it would judge: "
        ),
        "{}",
        ran.stderr
    );
}

/// A component of the slot that says what a test has it say.
fn saying(verdict: u8, origin: &str, code: &str) -> Guest {
    Guest::new(skillkeep::decision::Slot::Provenance, &decent_info(), &all(0, 0))
        .answering(|data| data.judged(verdict, origin, code))
}

fn heard(guest: &Guest, write: &WriteRequest) -> Hearing {
    judge(vec![(Source::File("hostile.wasm".into()), guest.build())], &[]).hear(write)
}

#[test]
fn whatever_a_component_does_a_persons_write_waits_and_anybody_elses_is_refused() {
    let decent = heard(
        &saying(0, "person", "because"),
        &WriteRequest::plain(Actor::Person, Action::Create, None),
    );
    let Judgement { verdict, by, reason } = decent.judgement;
    assert_eq!(
        (verdict, by.to_string().as_str()),
        (Verdict::Allow(Origin::Person), "hostile 1.0.0")
    );
    assert_eq!(reason.text.as_str(), "because of a test");

    let trap = saying(0, "person", "because").deciding("(unreachable)");
    let forever = saying(0, "person", "because").deciding(FOREVER);
    for (guest, law) in [
        (saying(0, "adopted", "because"), Some(Law::Declared)),
        (saying(0, "review", "because"), Some(Law::Declared)),
        (saying(1, "bundled", "because"), Some(Law::Declared)),
        (saying(0, "", "because"), Some(Law::Declared)),
        (saying(0, "per\u{1b}[31mson", "because"), Some(Law::Declared)),
        (saying(0, &"person".repeat(1_000), "because"), Some(Law::Declared)),
        (saying(0, "person", "for-no-reason"), Some(Law::Reasoned)),
        (saying(2, "", "for-no-reason"), Some(Law::Reasoned)),
        (saying(3, "person", "because"), None),
        (trap, None),
        (forever, None),
    ] {
        for (actor, verdict) in
            [(Actor::Person, Verdict::Stage(Origin::Person)), (Actor::Foreground, Verdict::Deny)]
        {
            let write = WriteRequest::plain(actor, Action::Edit, Some(Origin::Person));
            let Hearing { judgement, bites, opinions, .. } = heard(&guest, &write);
            assert_eq!((judgement.verdict, judgement.by), (verdict, By::Host));
            assert_eq!(bites.first().map(|bite| bite.law), law, "{bites:?}");
            assert!(opinions[0].fallback.is_some());
            assert!(judgement.reason.text.as_str().chars().count() <= 400);
        }
    }
}

#[test]
fn a_component_that_allows_everything_gives_no_pass_what_is_not_its_own() {
    let guest = saying(0, "person", "because");
    let mut write = WriteRequest::plain(Actor::Curator, Action::Retire, Some(Origin::Person));
    let hearing = heard(&guest, &write);
    assert_eq!(hearing.judgement.verdict, Verdict::Deny);
    assert_eq!(hearing.judgement.by.to_string(), "law `declared`");
    write.actor = Actor::Foreground;
    write.action = Action::Restore;
    assert_eq!(heard(&guest, &write).judgement.verdict, Verdict::Stage(Origin::Person));
}
