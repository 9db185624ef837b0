#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::{
    Contender, Deed, Differences, Generated, History, Kind, Life, Point, Score, Terms, dominated,
    replay, replay::DAY, svg,
};
use crate::{
    config::Combine,
    curator::{Seat, Subject},
    decision::{Slot, Value},
    ledger::Kind as DeedKind,
    policy::{Assignment, BUILTINS, Builtin, Engine, Loaded, Source},
    skill::Instant,
};

const TERMS: Terms = Terms { window: 90, every: 1, combine: Combine::Any, stale_is_named: true };

fn run(history: &History, terms: Terms, contender: &Contender<'_>) -> Score {
    replay(history, terms, contender, &mut |_| {})
}

fn load(engine: &Engine, builtin: Builtin, given: &[(&str, i64)]) -> Loaded {
    let given: Vec<Assignment> = given
        .iter()
        .map(|(key, value)| Assignment {
            key: (*key).to_owned(),
            value: Value::Integer(*value),
            untyped: false,
            from: "test".to_owned(),
        })
        .collect();
    let (source, slot) = (Source::Builtin(builtin.name), Some(builtin.slot));
    Loaded::load(engine, source, builtin.bytes, slot, &given).unwrap()
}

fn engine() -> Engine {
    let cache = std::env::temp_dir().join("skillkeep-past-tests");
    Engine::new(Some(&cache), None).unwrap()
}

fn by<'a>(engine: &'a Engine, policy: &'a Loaded) -> Contender<'a> {
    Contender::Policies { engine, seats: vec![Seat::Policy(policy)] }
}

/// Lives of skills that cost 10 tokens and 1 by name, made on these days, and their uses on days; 300 days.
fn history(lives: &[(i64, &[i64])]) -> History {
    let drawn = |skills| Generated { kind: Kind::Zipf, skills, days: 1, after: 1, seed: 1 };
    let some = drawn(u32::try_from(lives.len()).unwrap()).history();
    let mut deeds = Vec::new();
    let lives = lives.iter().zip(some.lives).enumerate();
    let lives = lives.map(|(skill, ((made, used), life))| {
        deeds.extend(used.iter().map(|day| Deed {
            at: Instant(day * DAY + 100),
            skill,
            kind: DeedKind::Use,
            weight: 1,
            upkeep: false,
        }));
        let created = Instant(made * DAY);
        let subject = Subject { created, ..life.subject };
        Life { subject, line: 10, name: 1, enters: created }
    });
    let lives: Vec<Life> = lives.collect();
    History::new("by hand", lives, deeds, Some(Instant(0)), Instant(300 * DAY))
}

#[test]
fn a_retirement_is_regretted_within_its_window_and_once_and_waste_is_what_nobody_wants_soon() {
    // Used on day 10, retired on day 101 (90 days later, and a pass is at midnight), wanted again after 9 or 100 days.
    let (engine, builtin) = (engine(), Builtin::of_slot(Slot::Curator).unwrap());
    let policy = load(&engine, builtin, &[]);
    for (used, retired, regretted, late) in [
        (&[10_i64][..], 1, 0, 0),
        (&[10, 110, 150], 1, 1, 0),
        (&[10, 190, 191, 192], 1, 1, 0),
        (&[10, 191], 1, 0, 1),
        // Seen by the rule in time.
        (&[10, 60, 140, 220], 0, 0, 0),
        // Regretted, and long enough ago to be retired again.
        (&[10, 110, 290], 2, 2, 0),
    ] {
        let found = run(&history(&[(0, used)]), TERMS, &by(&engine, &policy)).totals;
        let told = (found.retired, found.regretted, found.late);
        assert_eq!(told, (retired, regretted, late), "{used:?}");
        assert_eq!((found.passes, found.failed), (210, 0));
    }
    // Carried for 101 days, 71 of them in full, and wanted within 90 days until it was used on day 10.
    let found = run(&history(&[(0, &[10])]), TERMS, &by(&engine, &policy)).totals;
    assert_eq!(found.carried_days(), 41 * 10 + 60);
    assert_eq!(found.waste(), 41 * 10 + 60 - 101);
}

#[test]
fn who_never_retires_has_no_regret_and_who_sees_the_future_has_no_waste() {
    let of = history(&[(0, &[10, 250]), (50, &[60]), (0, &[])]);
    let never = run(&of, TERMS, &Contender::Never).totals;
    assert_eq!((never.retired, never.regretted), (0, 0));
    assert_eq!(never.carried_days(), 10 * (210 + 160 + 210));
    let oracle = run(&of, TERMS, &Contender::Oracle);
    assert_eq!(oracle.regrets, []);
    // The first is retired, wanted after the window, and not retired again: nothing is judged by then.
    assert_eq!((oracle.totals.retired, oracle.totals.late), (3, 1));
    // A pass comes within a day of when it is wasted.
    assert!(oracle.totals.waste() <= 3 * 10, "{oracle:?}");
}

#[test]
fn made_up_histories_are_what_they_say_and_the_same_from_the_same_seed() {
    for kind in Kind::ALL {
        assert_eq!(Kind::from_word(kind.word()), Some(kind));
        let of = |seed| Generated { kind, skills: 200, days: 365, after: 90, seed }.history();
        let one = of(1);
        assert_eq!(one, of(1));
        assert_ne!(one.deeds, of(2).deeds);
        assert_eq!((one.days(), TERMS.passes(&one)), (365 + 90, 365));
        assert!(one.deeds.is_sorted_by_key(|deed| deed.at));
        assert!(
            one.deeds.iter().all(|deed| {
                one.lives.get(deed.skill).is_some_and(|life| life.enters <= deed.at)
            })
        );
    }
}

#[test]
fn steady_use_goes_by_rank() {
    let drawn = Generated { kind: Kind::Zipf, skills: 1_000, days: 365, after: 90, seed: 7 };
    let history = drawn.history();
    let opened = |skills: std::ops::Range<usize>| {
        let is = |deed: &&Deed| deed.kind == DeedKind::View && skills.contains(&deed.skill);
        history.deeds.iter().filter(is).count()
    };
    // Ten ranks share ln(10) of the whole, and so do a hundred from there on.
    let (first, next) = (opened(9..99), opened(99..999));
    assert!(first * 10 > next * 7 && next * 10 > first * 7, "{first} and {next}");
    // All of them are opened 20 times a day, once all are made.
    let days = f64::from(365 + 365 + 90);
    let a_day = f64::from(u32::try_from(opened(0..1_000)).unwrap()) / days;
    assert!((7.0..20.0).contains(&a_day), "{a_day}");
}

#[test]
fn no_rule_that_comes_with_the_host_beats_the_default_in_both() {
    let engine = engine();
    let curators: Vec<Loaded> = BUILTINS
        .into_iter()
        .filter(|builtin| builtin.slot == Slot::Curator)
        .map(|builtin| load(&engine, builtin, &[]))
        .collect();
    for kind in Kind::ALL {
        let history = Generated { kind, skills: 100, days: 365, after: 90, seed: 1 }.history();
        let mut totals = curators.iter().map(|it| run(&history, TERMS, &by(&engine, it)).totals);
        let default = totals.next().unwrap();
        assert!(default.retired > 0, "{kind:?}");
        for other in totals {
            assert!(!dominated(&default, &other), "{kind:?}: {default:?} by {other:?}");
        }
    }
}

#[test]
fn what_two_rules_decide_otherwise_is_told_by_its_reasons() {
    let engine = engine();
    let builtin = Builtin::of_slot(Slot::Curator).unwrap();
    let (one, other) =
        (load(&engine, builtin, &[]), load(&engine, builtin, &[("stale-after-days", 60)]));
    let history = history(&[(0, &[10]), (0, &[10, 40, 70, 100, 130, 160, 190, 220])]);
    let between = |one, other| {
        Differences::on_history(&history, TERMS, [&by(&engine, one), &by(&engine, other)], None)
    };
    let same = between(&one, &one).unwrap();
    assert_eq!((same.count(), same.snapshots), (0, 210));
    let found = between(&one, &other).unwrap();
    let told: Vec<_> = found
        .sorts()
        .into_iter()
        .map(|(_, count, some)| {
            let first = some.first().unwrap();
            (count, first.one.choice.as_str(), first.other.choice.as_str(), some.len())
        })
        .collect();
    // On day 41 the one lets it go stale; the other would make it active again until it is 60 days old. Both retire it then.
    assert_eq!(told, [(29, "as it is", "active", 1), (1, "stale", "as it is", 1)]);
}

#[test]
fn the_picture_has_every_rule_by_its_name_and_nothing_that_steers_it() {
    let totals = run(&history(&[(0, &[10])]), TERMS, &Contender::Never).totals;
    let point = |name: &str| Point { name: name.to_owned(), totals, is_bound: false };
    let drawn = svg(&[point("a<b>&'"), point("never")], "A \"title\"", "note");
    assert!(drawn.contains(">a&lt;b&gt;&amp;&#39;<") && drawn.contains(">never<"));
    assert!(drawn.contains("prefers-color-scheme: dark") && !drawn.contains("NaN"));
    let nothing = Point { totals: super::Totals::default(), ..point("none") };
    assert!(!svg(&[nothing], "t", "n").contains("NaN"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nobody_is_between_the_bounds_and_the_rule_that_sees_the_future_regrets_nothing(
        seed in 0u64..1_000,
        kind in 0usize..5,
        window in 10u32..120,
        every in 1u32..15,
    ) {
        let kind = *Kind::ALL.get(kind).unwrap();
        let history =
            Generated { kind, skills: 30, days: 200, after: window, seed }.history();
        let terms = Terms { window, every, ..TERMS };
        let (never, oracle) =
            (run(&history, terms, &Contender::Never), run(&history, terms, &Contender::Oracle));
        prop_assert!(oracle.regrets.is_empty() && never.totals.regretted == 0);
        prop_assert!(oracle.totals.wasted <= never.totals.wasted);
        prop_assert!(oracle.totals.wasted <= oracle.totals.carried);
        // All that is wanted soon is carried by both.
        let wanted = |it: &Score| it.totals.carried - it.totals.wasted;
        prop_assert!(wanted(&oracle) <= wanted(&never));
        prop_assert_eq!(i64::from(never.totals.passes), terms.passes(&history));
    }
}
