//! Plans on a real ledger: what one run takes, what a second one doesn't, and what is taken of a home that went on.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Inputs, Plan, Standing, plan};
use crate::{
    adapters::{
        read_hermes_home,
        said::{Claim, Count, JobReference, Program, Record, Said},
    },
    ledger::{Digest, Kind, Ledger, NewRoot, NewSkill, Origin, Reference, Sums, Takeover},
    skill::{Instant, OneLine, SkillId, State},
};

const NOW: Instant = Instant(1_786_622_400); // 2026-08-13T12:00:00Z

/// A ledger with skills `a`, `b`, `c`, and two that are called `twin`.
struct World(Ledger);

const SKILLS: [(&str, &str); 5] =
    [("a", "ops/a"), ("b", "ops/b"), ("c", "c"), ("twin", "ops/twin"), ("twin", "web/twin")];

impl World {
    fn new() -> World {
        let ledger = Ledger::in_memory().unwrap();
        let root = NewRoot {
            path: "/h/skills".into(),
            label: OneLine::new("hermes"),
            owned: false,
            trusted: false,
            precedence: 0,
            at: NOW,
        };
        let root = ledger.add_root(&root).unwrap();
        for (number, (name, folder)) in SKILLS.iter().enumerate() {
            let skill = NewSkill {
                id: id(number),
                root,
                folder: (*folder).to_owned(),
                name: (*name).to_owned(),
                category: "x".to_owned(),
                state: State::Active,
                origin: Origin::Unknown,
                created: NOW,
            };
            ledger.add_skill(&skill).unwrap();
        }
        World(ledger)
    }

    fn named(&self, name: &str) -> Vec<Standing> {
        let all = self.0.skills().unwrap().into_iter();
        let fits = all.filter(|it| it.name == name || it.folder == name);
        fits.map(|it| Standing {
            id: it.id,
            root: it.root,
            folder: it.folder,
            origin: it.origin,
            pinned: it.pinned,
            state: it.state,
            since: it.created,
            owned: false,
        })
        .collect()
    }

    fn plan(&self, said: &Said) -> Plan {
        let taken = self.0.taken().unwrap();
        let tops = ["/h/skills".to_owned()];
        let named = |name: &str| self.named(name);
        plan(&Inputs { said, taken: &taken, archive: &[], named: &named, tops: &tops, now: NOW })
    }

    /// Takes it over, and again: the second time there is nothing.
    fn take(&self, said: &Said) -> Plan {
        let plan = self.plan(said);
        if plan.is_news {
            self.0.take_over(&plan.takeover).unwrap();
        }
        let again = self.plan(said);
        assert!(!again.is_news, "{again:#?}");
        assert_eq!(self.0.check().unwrap(), []);
        plan
    }

    fn sums(&self, skill: usize) -> Sums {
        self.0.sums(id(skill)).unwrap()
    }
}

fn id(number: usize) -> SkillId {
    SkillId::from_random(number as u64 + 1)
}

fn said(program: Program, place: &str, records: Vec<Record>) -> Said {
    let digest = Digest::of(format!("{records:?}").as_bytes());
    let mut said = read_hermes_home(&Default::default(), place, Vec::new());
    (said.program, said.records, said.digest) = (program, records, digest);
    said
}

fn hermes(records: Vec<Record>) -> Said {
    said(Program::Hermes, "/h", records)
}

fn record(key: &str, uses: u32, last: i64) -> Record {
    Record {
        key: key.to_owned(),
        made: "2026-01-01".to_owned(),
        since: Some(Instant(NOW.0 - 9_000)),
        uses: Count { count: uses, last: Some(Instant(last)) },
        ..Record::default()
    }
}

fn told(all: &[crate::adapters::Left]) -> Vec<String> {
    all.iter().map(|it| format!("{} {}: {}", it.file, it.at, it.why)).collect()
}

#[test]
fn a_record_becomes_counts_with_its_own_times_and_what_it_says_of_the_skill() {
    let world = World::new();
    let whole = Record {
        views: Count { count: 9, last: Some(Instant(50)) },
        writes: Count { count: 2, last: None },
        pinned: true,
        state: Some(State::Stale),
        origin: Some(Origin::Review),
        ..record("a", 7, 40)
    };
    let plan = world.take(&hermes(vec![whole]));
    assert_eq!((told(&plan.left), told(&plan.orphans)), (vec![], vec![]));
    let sums = Sums {
        views: 9,
        uses: 7,
        writes: 2,
        last_view: Some(Instant(50)),
        last_use: Some(Instant(40)),
        // Without a time of its own it was not before the record was begun.
        last_write: Some(Instant(NOW.0 - 9_000)),
        ..Sums::default()
    };
    assert_eq!(world.sums(0), sums);
    let skill = world.0.skill(id(0)).unwrap().unwrap();
    assert_eq!(
        (skill.pinned, skill.state, skill.origin, skill.created),
        (true, State::Stale, Origin::Review, Instant(NOW.0 - 9_000))
    );
}

#[test]
fn names_that_mean_no_one_skill_are_listed_and_counted_nowhere() {
    let world = World::new();
    let plan = world.take(&hermes(vec![record("nobody", 3, 1), record("twin", 3, 1)]));
    assert_eq!(
        told(&plan.orphans),
        [
            "skills/.usage.json nobody: no skill is called so",
            "skills/.usage.json twin: 2 skills are called so: `ops/twin`, `web/twin`",
        ]
    );
    for skill in 0..SKILLS.len() {
        assert_eq!(world.sums(skill), Sums::default());
    }
    // Its folder tells one from the other.
    world.take(&hermes(vec![record("web/twin", 3, 1)]));
    assert_eq!((world.sums(3).uses, world.sums(4).uses), (0, 3));
}

#[test]
fn odd_counts_are_told_and_nothing_is_made_up() {
    let world = World::new();
    let mut bare = record("a", 4, 0);
    (bare.since, bare.uses.last) = (None, None);
    let future = record("b", 2, NOW.0 + 500);
    let plan = world.take(&hermes(vec![bare.clone(), future]));
    let future = "skills/.usage.json b: uses: the last one lies in the future, at 2026-08-13T12:08:20Z; it is kept as it is";
    assert_eq!(
        told(&plan.left),
        ["skills/.usage.json a: uses: 4 without any time, so when is not known", future]
    );
    assert_eq!(world.sums(0), Sums::default());
    assert_eq!(world.sums(1).last_use, Some(Instant(NOW.0 + 500)));
    // Once a time is there, all of them count.
    bare.uses = Count { count: 5, last: Some(Instant(7)) };
    let plan = world.take(&hermes(vec![bare]));
    assert_eq!((told(&plan.left), world.sums(0).uses), (vec![], 5));
}

#[test]
fn a_record_that_was_begun_anew_counts_from_nothing() {
    let world = World::new();
    world.take(&hermes(vec![record("a", 10, 1)]));
    // Fewer in the same record: it was set back, and the most that it told is known.
    let plan = world.take(&hermes(vec![record("a", 8, 1)]));
    assert_eq!(
        told(&plan.left),
        ["skills/.usage.json a: uses: found 8, and 10 were taken over before"]
    );
    world.take(&hermes(vec![record("a", 12, 2)]));
    assert_eq!(world.sums(0).uses, 12);
    let anew = Record { made: "2026-02-02".to_owned(), ..record("a", 3, 3) };
    world.take(&hermes(vec![anew]));
    assert_eq!(world.sums(0).uses, 15);
}

#[test]
fn a_home_that_was_moved_and_a_file_that_was_copied_are_not_counted_again() {
    let world = World::new();
    let records = vec![record("a", 10, 1)];
    world.take(&hermes(records.clone()));
    world.take(&said(Program::Hermes, "/elsewhere", records));
    assert_eq!(world.sums(0).uses, 10);
    world.take(&said(Program::Hermes, "/elsewhere", vec![record("a", 11, 2)]));
    assert_eq!(world.sums(0).uses, 11);
    let bare = vec![Record { made: String::new(), ..record("b", 4, 1) }];
    world.take(&said(Program::Progressive, "/one.json", bare.clone()));
    world.take(&said(Program::Progressive, "/copy.json", bare));
    assert_eq!(world.sums(1).uses, 4);
}

#[test]
fn what_two_programs_counted_of_the_same_calls_counts_once() {
    for turned in [false, true] {
        let world = World::new();
        let mut both = [
            hermes(vec![record("a", 10, 5), record("b", 2, 5)]),
            said(Program::Progressive, "/usage.json", vec![record("a", 7, 6), record("b", 5, 6)]),
        ];
        if turned {
            both.reverse();
        }
        both.iter().for_each(|said| drop(world.take(said)));
        assert_eq!((world.sums(0).uses, world.sums(1).uses), (10, 5), "{turned}");
    }
}

#[test]
fn later_words_of_people_are_not_undone_by_what_was_said_before() {
    let world = World::new();
    let pinned = Record { pinned: true, state: Some(State::Stale), ..record("a", 1, 1) };
    world.take(&hermes(vec![pinned.clone()]));
    // Unpinned here, and used.
    let root = world.0.skill(id(0)).unwrap().unwrap().root;
    world.0.take_pins(root, &Default::default()).unwrap();
    let back = world.plan(&hermes(Vec::new())).takeover;
    let states = vec![(id(0), State::Active)];
    world.0.take_over(&Takeover { states, ..back }).unwrap();
    let more = Record { uses: Count { count: 2, last: Some(Instant(9)) }, ..pinned.clone() };
    world.take(&hermes(vec![more.clone()]));
    let skill = || world.0.skill(id(0)).unwrap().unwrap();
    assert_eq!((skill().pinned, skill().state, world.sums(0).uses), (false, State::Active, 2));
    // Said anew it counts.
    world.take(&hermes(vec![Record { pinned: false, state: Some(State::Active), ..more.clone() }]));
    world.take(&hermes(vec![more.clone()]));
    assert_eq!((skill().pinned, skill().state), (true, State::Stale));
    let plan =
        world.take(&hermes(vec![Record { pinned: false, state: Some(State::Active), ..more }]));
    assert_eq!(
        told(&plan.left),
        ["skills/.usage.json a: it is no longer pinned there, and stays pinned here"]
    );
    assert_eq!((skill().pinned, skill().state), (true, State::Active));
}

#[test]
fn who_made_a_skill_is_taken_where_nobody_said_and_nobody_contradicts() {
    let claim = |file, key: &str, folder: Option<&str>, origin| Claim {
        file,
        key: key.to_owned(),
        folder: folder.map(str::to_owned),
        origin,
    };
    let world = World::new();
    world.0.declare(id(2), Origin::Person).unwrap();
    let marked = Record { origin: Some(Origin::Review), ..record("a", 0, 1) };
    let mut said = hermes(vec![marked]);
    said.claims = vec![
        claim("manifest", "a", None, Origin::Bundled),
        claim("lock", "other-name", Some("ops/b"), Origin::Installed),
        claim("lock", "b", None, Origin::Installed),
        claim("manifest", "c", None, Origin::Bundled),
        claim("manifest", "gone", None, Origin::Bundled),
    ];
    let plan = world.take(&said);
    assert_eq!(plan.takeover.origins, [(id(1), Origin::Installed)]);
    assert_eq!(
        told(&plan.left),
        [
            "skills/.usage.json c: `bundled` by `manifest`, and `person` here",
            "skills/.usage.json ops/a: `review` by `skills/.usage.json`, `bundled` by `manifest`: it stays `unknown`",
        ]
    );
    assert_eq!(told(&plan.orphans), ["manifest gone: no skill is called so"]);
}

#[test]
fn jobs_protect_whom_they_name_in_every_spelling_and_a_lost_file_takes_nobody_s_away() {
    let world = World::new();
    let mut said = hermes(Vec::new());
    let job = |spelling: &str| JobReference { job: "j".to_owned(), spelling: spelling.to_owned() };
    said.jobs = Some(["a", "/h/skills/ops/b/SKILL.md", "x/c", "twin", "lost"].map(job).to_vec());
    world.take(&said);
    let reference = |spelling: &str, skill: Option<usize>| Reference {
        job: "j".to_owned(),
        spelling: spelling.to_owned(),
        skill: skill.map(id),
    };
    let expected = [
        reference("a", Some(0)),
        reference("/h/skills/ops/b/SKILL.md", Some(1)),
        reference("x/c", Some(2)),
        reference("twin", Some(3)),
        reference("twin", Some(4)),
        reference("lost", None),
    ];
    assert_eq!(world.0.references().unwrap(), expected);
    said.jobs = None;
    world.take(&said);
    assert_eq!(world.0.references().unwrap(), expected);
    said.jobs = Some(vec![job("a")]);
    world.take(&said);
    assert_eq!(world.0.references().unwrap(), expected[..1]);
}

#[test]
fn a_plan_that_something_else_came_before_is_refused_whole() {
    let world = World::new();
    let stale = world.plan(&hermes(vec![record("a", 5, 1)]));
    world.take(&hermes(vec![record("a", 5, 1)]));
    let error = world.0.take_over(&stale.takeover).unwrap_err();
    assert!(error.to_string().contains("since this was planned"), "{error}");
    assert_eq!(world.sums(0).uses, 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However often a home is read while it goes on, all that it counted is here once.
    #[test]
    fn nothing_is_counted_twice_and_nothing_is_lost(
        steps in prop::collection::vec((0..4_usize, 0..5_u32, 0..5_u32, any::<bool>()), 1..12),
    ) {
        let keys = ["a", "ops/b", "b", "twin"];
        let world = World::new();
        let mut counts: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
        let records = |counts: &BTreeMap<usize, (u32, u32)>| {
            counts.iter().map(|(key, (uses, views))| Record {
                views: Count { count: *views, last: Some(Instant(2)) },
                ..record(keys[*key], *uses, 1)
            }).collect::<Vec<_>>()
        };
        for (key, uses, views, read) in steps {
            let count = counts.entry(key).or_default();
            *count = (count.0 + uses, count.1 + views);
            if read {
                world.take(&hermes(records(&counts)));
            }
        }
        let plan = world.take(&hermes(records(&counts)));
        let of = |key: usize| counts.get(&key).copied().unwrap_or_default();
        let sums = |skill| (world.sums(skill).uses, world.sums(skill).views);
        let (b, bare) = (of(1), of(2));
        prop_assert_eq!(sums(0), (u64::from(of(0).0), u64::from(of(0).1)));
        prop_assert_eq!(sums(1), (u64::from(b.0 + bare.0), u64::from(b.1 + bare.1)));
        prop_assert_eq!((sums(3), sums(4)), ((0, 0), (0, 0)));
        prop_assert!(plan.takeover.events.iter().all(|it| it.kind != Kind::Write));
    }
}
