//! Policies that are swapped while threads decide, and policies that fail once they are in: real components, whole indexes.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use skillkeep::{
    decision::{Action, By, Slot, Verdict, WriteRequest},
    index::{CharMeter, Fallback, Inputs, Made, Policies, Programs},
    judge::{Judge, answers},
    library::Library,
    policy::{Builtin, Engine},
    roster::{Circuit, Generation, Held, Recruit, Roster, Rules, Setup, Stamp, Trust, Why},
    skill::{Actor, Origin},
    system::MemorySystem,
};
use skillkeep_build::{About, with_sections};

use crate::{
    deciding::{inputs, library},
    hostile::guest::{FOREVER, Guest, all, decent_info},
    support::{Machine, shared_cache},
};

#[path = "../host/examples/embed.rs"]
mod embed;

const LIMIT: u32 = 600;

/// The block if the host's baseline decides.
const BASELINE: &str = include_str!("hostile/baseline.txt");

fn engine() -> Engine {
    Engine::new(Some(&shared_cache().join("components")), None).unwrap()
}

/// Six skills in two categories, as the guests expect.
fn six_skills() -> (Machine, Library) {
    let machine = Machine::new();
    for skill in
        ["ops/backup", "ops/deploy", "ops/logs", "writing/essay", "writing/haiku", "writing/sonnet"]
    {
        let name = skill.rsplit('/').next().unwrap();
        machine.skill(skill, &format!("Use when the user asks for {name}, with all that goes into it and a few words more."));
    }
    let library = library(&machine.path("skills"));
    (machine, library)
}

fn index(library: &Library, generation: &Generation, inputs: &Inputs) -> Made {
    let programs = MemorySystem::new();
    inputs.make(library, &CharMeter, &Policies::of(generation), &Programs::new(&programs)).unwrap()
}

fn roster() -> Roster {
    Roster::of_builtins(engine(), Setup::default())
}

fn file(name: &str, guest: &Guest) -> Recruit {
    Recruit::file(name, guest.build())
}

/// The digests that decided, by slot.
fn digests(made: &Made) -> BTreeMap<Slot, Option<String>> {
    made.decided.notes.iter().map(|note| (note.slot, note.digest.clone())).collect()
}

fn digests_of(stamp: &Stamp) -> BTreeMap<Slot, Option<String>> {
    let decides = |slot| matches!(slot, Slot::Demotion | Slot::Budget);
    let asked = stamp.policies.iter().filter(|it| decides(it.slot));
    asked.map(|it| (it.slot, it.digest.clone())).collect()
}

#[test]
fn under_two_thousand_swaps_every_index_is_wholly_one_generations() {
    const THREADS: usize = 16;
    const SWAPS: usize = 2_000;
    let (_machine, library) = six_skills();
    let roster = roster();
    let inputs = inputs(LIMIT);
    let stamps = Mutex::new(BTreeMap::from([(1, roster.current().stamp())]));
    // What each policy of the budget makes of these six, whoever demotes nothing.
    let texts: Mutex<BTreeMap<String, String>> = Mutex::default();
    let done = AtomicBool::new(false);
    let work = || {
        let mut seen = Vec::new();
        while !done.load(Ordering::Relaxed) {
            let generation = roster.current();
            let made = index(&library, &generation, &inputs);
            assert!(!made.decided.fell_back(), "{:?}", made.decided.notes);
            assert_eq!(made.decided.generation(), Some(generation.number()));
            assert!(
                made.decided.notes.iter().all(|note| note.generation == Some(generation.number()))
            );
            let budget = digests(&made)[&Slot::Budget].clone().unwrap();
            let mut texts = texts.lock().unwrap();
            assert_eq!(
                *texts.entry(budget).or_insert(made.decided.block.text.clone()),
                made.decided.block.text
            );
            seen.push((generation.number(), digests(&made)));
        }
        seen
    };
    let silent = Guest::demotion();
    let seen: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let swap = |slot, recruit| {
            let swapped = roster.prepare(slot, vec![recruit]).unwrap().activate().unwrap();
            stamps.lock().unwrap().insert(swapped.number(), swapped.stamp());
        };
        let demoting = [file("silent.wasm", &silent), Recruit::builtin("demotion-toolset")];
        let cutting = ["budget-progressive", "budget-ladder"].map(Recruit::builtin);
        for number in 0..SWAPS / 2 {
            swap(Slot::Budget, cutting[number % 2].clone());
            swap(Slot::Demotion, demoting[number % 2].clone());
        }
        done.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let stamps = stamps.into_inner().unwrap();
    assert_eq!(stamps.len(), SWAPS + 1);
    for (number, digests) in &seen {
        assert_eq!(*digests, digests_of(&stamps[number]), "generation {number}");
    }
    let texts = texts.into_inner().unwrap();
    assert_eq!(texts.values().collect::<std::collections::BTreeSet<_>>().len(), 2);
    assert!(seen.len() >= THREADS, "{} indexes", seen.len());
    let numbers: std::collections::BTreeSet<u64> = seen.iter().map(|it| it.0).collect();
    assert!(numbers.len() > 10, "{} generations were seen", numbers.len());
}

#[test]
fn while_threads_decide_policies_that_trap_come_and_go_and_every_index_is_whole() {
    const THREADS: usize = 8;
    const BAD: usize = 40;
    let (_machine, library) = six_skills();
    let roster = roster();
    let inputs = inputs(LIMIT);
    let good = index(&library, &roster.current(), &inputs).decided.block.text;
    let done = AtomicBool::new(false);
    let work = || {
        let mut fell_back = 0;
        while !done.load(Ordering::Relaxed) {
            let made = index(&library, &roster.current(), &inputs);
            let note = &made.decided.notes[1];
            let block = &made.decided.block.text;
            match &note.fallback {
                None => assert_eq!(*block, good),
                Some(Fallback::Fault(_) | Fallback::Held(Held::Quarantined(_))) => {
                    assert_eq!(block, BASELINE);
                    fell_back += 1;
                }
                Some(other) => panic!("{other}"),
            }
        }
        fell_back
    };
    let fell_back: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        for number in 0..BAD {
            let body = format!("(drop (i32.const {number})) (unreachable)");
            let bad = file("bad.wasm", &Guest::budget().deciding(body));
            let generation = roster.prepare(Slot::Budget, vec![bad]).unwrap().activate().unwrap();
            while roster.current().number() == generation.number() {
                thread::yield_now();
            }
        }
        done.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(fell_back >= BAD, "each was found out by a call: {fell_back}");
    assert_eq!(roster.quarantine().len(), BAD);
    assert_eq!(roster.current().number(), 1 + 2 * BAD as u64);
    assert_eq!(index(&library, &roster.current(), &inputs).decided.block.text, good);
}

#[test]
fn a_budget_that_fails_once_it_is_in_costs_one_fallback_and_is_gone() {
    let (_machine, library) = six_skills();
    for (guest, why) in [
        (
            Guest::budget().deciding("(unreachable)"),
            "it trapped: wasm `unreachable` instruction executed",
        ),
        (Guest::budget().deciding(FOREVER), "it used up its fuel (20240000)"),
        (
            Guest::budget().deciding("(drop (memory.grow (i32.const 1000))) (unreachable)"),
            "it asked for 66650112 bytes of memory and may have 16842752",
        ),
        (
            Guest::new(Slot::Budget, &decent_info(), &all(6, 0)),
            "law `within-limit`: the block would cost 890, and the limit is 600",
        ),
        (
            Guest::new(Slot::Budget, &decent_info(), &all(5, 3)),
            "law `total`: it answers for 5 of 6 rows; the first it leaves out is 5",
        ),
    ] {
        let roster = roster();
        let before = index(&library, &roster.current(), &inputs(LIMIT));
        let candidate = roster.prepare(Slot::Budget, vec![file("new.wasm", &guest)]).unwrap();
        assert_eq!(candidate.activate().unwrap().number(), 2);

        let failed = index(&library, &roster.current(), &inputs(LIMIT));
        let note = &failed.decided.notes[1];
        let text = note.fallback.as_ref().map(ToString::to_string).unwrap();
        assert_eq!(text, why);
        assert_eq!(note.generation, Some(2));
        assert_eq!(failed.decided.block.text, BASELINE);

        let after = index(&library, &roster.current(), &inputs(LIMIT));
        assert_eq!((after.decided.generation(), after.decided.fell_back()), (Some(3), false));
        assert_eq!(after.decided.block.text, before.decided.block.text);
        assert_eq!(roster.quarantine()[0].why.as_str(), text);
        let again = roster.prepare(Slot::Budget, vec![file("renamed.wasm", &guest)]);
        assert!(matches!(again.err().map(|it| *it.why), Some(Why::Quarantined(_))));
    }
}

#[test]
fn a_trusted_budget_that_fails_is_left_alone_and_the_baseline_answers() {
    let (_machine, library) = six_skills();
    let recruits = vec![
        (Slot::Demotion, Recruit::builtin("demotion-toolset")),
        (Slot::Budget, file("trap.wasm", &Guest::budget().deciding("(unreachable)"))),
    ];
    let roster = Roster::begin(engine(), recruits, Setup::default());
    let mut texts = Vec::new();
    for _ in 0..200 {
        let made = index(&library, &roster.current(), &inputs(LIMIT));
        assert_eq!(made.decided.notes[0].fallback, None, "another slot is not concerned");
        texts.push(made.decided.block.text);
    }
    texts.dedup();
    assert_eq!(texts, [BASELINE]);
    let current = roster.current();
    let member = current.of(Slot::Budget).next().unwrap();
    assert_eq!((member.tally().asked, member.tally().held), (3, 197));
    assert!(matches!(member.circuit(), Circuit::Open { .. }));
    assert_eq!(member.trust(), Trust::Proven);
    let made = index(&library, &current, &inputs(LIMIT));
    let note = &made.decided.notes[1];
    assert!(matches!(note.fallback, Some(Fallback::Held(Held::Open { .. }))), "{note:?}");
    assert_eq!((note.digest.as_deref(), note.rows), (member.digest(), 0));
}

#[test]
fn a_trial_on_an_index_says_which_skills_change_and_why() {
    let (_machine, library) = six_skills();
    let roster = roster();
    let candidate = roster
        .prepare(Slot::Budget, vec![Recruit::builtin("budget-progressive")])
        .unwrap()
        .try_out(|generation| {
            Ok::<_, String>(index(&library, generation, &inputs(LIMIT)).answers())
        })
        .unwrap();
    let trial = candidate.trial().unwrap();
    assert_eq!((trial.asked, trial.against), (8, 1));
    assert!(trial.changed > 0 && trial.changed == trial.flips.len());
    let flip = &trial.flips[0];
    assert!(flip.slot == Slot::Budget && flip.from != flip.to, "{flip:?}");
    assert!(flip.after.is_some(), "{flip:?}");
    // What a trial finds out costs nothing: who was active is asked as before.
    let bad = file("trap.wasm", &Guest::budget().deciding("(unreachable)"));
    let tried = roster.prepare(Slot::Budget, vec![bad]).unwrap().try_out(|generation| {
        Ok::<_, String>(index(&library, generation, &inputs(LIMIT)).answers())
    });
    assert_eq!(
        tried.err().unwrap().to_string(),
        "slot `budget`: `trap.wasm` is not active: its trial fails: it trapped: wasm `unreachable` instruction executed"
    );
    assert_eq!((roster.current().number(), roster.quarantine().len()), (1, 0));
}

#[test]
fn a_component_whose_own_cases_fail_is_not_taken() {
    let about = About { name: "x".to_owned(), version: "1.0.0".to_owned(), source: String::new() };
    let decent = Guest::budget().build();
    let carrying = |text: &str| {
        let cases = [("one.md".to_owned(), text.to_owned())];
        Recruit::file("cased.wasm", with_sections(decent.clone(), &about, &cases))
    };
    let roster = roster();
    let error = roster
        .prepare(Slot::Budget, vec![carrying("# Cases\n\n## One\n\nNothing that is a case.\n")])
        .err()
        .unwrap();
    assert!(matches!(&*error.why, Why::Cases { failed: 1, of: 1, .. }), "{error}");
    assert_eq!(error.hint().as_deref(), Some("`skillkeep policy test cased.wasm` shows each case"));
    let error = roster.prepare(Slot::Budget, vec![carrying(&"x".repeat(300_000))]).err().unwrap();
    assert!(matches!(&*error.why, Why::TooManyCases { .. }), "{error}");
    // Ours carry cases, and pass them.
    for builtin in skillkeep::policy::BUILTINS {
        let fresh = Roster::begin(engine(), Vec::new(), Setup::default());
        assert!(fresh.prepare(builtin.slot, vec![Recruit::builtin(builtin.name)]).is_ok());
    }
    let unlooked = Rules { cases: false, ..Rules::default() };
    let roster = Roster::begin(engine(), Vec::new(), Setup { rules: unlooked, ..Setup::default() });
    assert!(roster.prepare(Slot::Budget, vec![carrying("# Cases\n\n## One\n\nx\n")]).is_ok());
}

#[test]
fn judges_are_swapped_too_and_who_fails_lets_nothing_through() {
    let roster = roster();
    let person = WriteRequest::plain(Actor::Person, Action::Edit, Some(Origin::Person));
    let review = WriteRequest::plain(Actor::Review, Action::Edit, Some(Origin::Review));
    let judged = |write: &WriteRequest| {
        let hearing = Judge::of(&roster.current()).hear(write);
        (
            hearing.judgement.verdict,
            matches!(hearing.judgement.by, By::Policy(_)),
            hearing.generation,
        )
    };
    assert_eq!(judged(&review), (Verdict::Allow(Origin::Review), true, Some(1)));

    // What differs is known before it is in.
    let candidate = roster
        .prepare(Slot::Provenance, vec![Recruit::builtin("provenance-strict")])
        .unwrap()
        .try_out(|generation| Ok::<_, String>(answers(&Judge::of(generation))))
        .unwrap();
    let trial = candidate.trial().unwrap();
    let flip =
        trial.flips.iter().find(|it| it.about.as_str() == "review, edit, review, plain").unwrap();
    assert_eq!(
        (flip.from.as_deref(), flip.to.as_deref()),
        (Some("allow review"), Some("stage review"))
    );
    drop(candidate.activate().unwrap());
    assert_eq!(judged(&review), (Verdict::Stage(Origin::Review), true, Some(2)));

    // One that traps: the write that finds it out is not let through, the next is judged by the one before.
    let trap = Guest::new(Slot::Provenance, &decent_info(), &all(0, 0)).deciding("(unreachable)");
    let roster_before = roster.current().number();
    drop(
        roster
            .prepare(Slot::Provenance, vec![file("trap.wasm", &trap)])
            .unwrap()
            .activate()
            .unwrap(),
    );
    assert_eq!(judged(&review), (Verdict::Deny, false, Some(roster_before + 1)));
    assert_eq!(judged(&review), (Verdict::Allow(Origin::Review), true, Some(roster_before + 2)));

    // And one that nobody came before: its breaker opens, and a person's write waits.
    let begun = vec![(Slot::Provenance, file("trap.wasm", &trap))];
    let alone = Roster::begin(engine(), begun, Setup::default());
    for number in 0..10 {
        let judge = Judge::of(&alone.current());
        assert_eq!(judge.judge(&person).verdict, Verdict::Stage(Origin::Person), "{number}");
        assert_eq!(judge.judge(&review).verdict, Verdict::Deny, "{number}");
    }
    assert_eq!(alone.current().members()[0].tally().asked, 3);
    // No judge at all is no leave either.
    let nobody = Roster::begin(engine(), Vec::new(), Setup::default());
    assert_eq!(Judge::of(&nobody.current()).judge(&review).verdict, Verdict::Deny);
}

#[test]
fn a_slot_without_a_policy_is_left_to_the_host() {
    let (_machine, library) = six_skills();
    let roster = Roster::begin(engine(), Vec::new(), Setup::default());
    let made = index(&library, &roster.current(), &inputs(LIMIT));
    assert_eq!(made.decided.block.text, BASELINE);
}

#[test]
fn what_runs_runs_from_memory_and_touching_its_file_is_no_swap() {
    let (machine, library) = six_skills();
    let path = machine.write("p.wasm", Builtin::named("budget-progressive").unwrap().bytes);
    let roster = roster();
    let read = || Recruit::file(&path, std::fs::read(&path).unwrap());
    let generation: Arc<Generation> =
        roster.prepare(Slot::Budget, vec![read()]).unwrap().activate().unwrap();
    assert_eq!(generation.number(), 2);
    machine.write("p.wasm", Builtin::named("budget-progressive").unwrap().bytes);
    assert_eq!(roster.prepare(Slot::Budget, vec![read()]).unwrap().activate().unwrap().number(), 2);
    machine.write("p.wasm", "half of someth");
    assert!(roster.prepare(Slot::Budget, vec![read()]).is_err());
    std::fs::remove_file(&path).unwrap();
    let made = index(&library, &roster.current(), &inputs(LIMIT));
    assert_eq!((made.decided.generation(), made.decided.fell_back()), (Some(2), false));
}

#[test]
fn the_example_of_an_embedder_runs() {
    let mut out = Vec::new();
    embed::run(None, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    before the swap, generation 1, by demotion-toolset 0.1.0 and budget-ladder 0.1.0:

    ## Skills

    A skill is a tested way of doing a recurring task. Before you begin, look through this list; if one may fit, even in part, open it by its name and follow it.
    A name without a description opens the same way.

    <available_skills>
      ops [names only]: backup, deploy
      writing [names only]: essay, haiku
    </available_skills>

    If none fits, go on without one.

    after the swap, generation 2, by demotion-toolset 0.1.0 and budget-progressive 0.1.0:

    ## Skills

    A skill is a tested way of doing a recurring task. Before you begin, look through this list; if one may fit, even in part, open it by its name and follow it.
    A name without a description opens the same way.

    <available_skills>
      ops:
        - backup: Use when files are to be kept safe, before a migration or every night.
      ops (+1 more)
      writing (2)
    </available_skills>

    If none fits, go on without one.

    demotion: demotion-toolset 0.1.0, 0 faults
    budget: budget-progressive 0.1.0, 0 faults
    curator: curator-inactivity 0.1.0, 0 faults
    provenance: provenance-declared 0.1.0, 0 faults
    ");
}
