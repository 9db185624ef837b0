//! Which writes are taken, from the values that decide it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Place, TakeWrite, WaitingThere, WriteInputs, WritePlan, plan_writes};
use crate::{
    adapters::{hermes::read_pending_write, takeover::Standing},
    ledger::{
        Digest, Limits, NewPending, Origin, Pending, PendingId, PendingState, RootId, TakenWrite,
        Verb, WriteRecord,
    },
    skill::{Actor, Instant, SkillId, State},
};

const NOW: Instant = Instant(1_786_622_400);
const DAY: i64 = 86_400;
const LIMITS: Limits = Limits { of_a_skill: 2, in_all: 4, days: 30 };
const ROOT: RootId = RootId(7);

/// A write that waits there, its text by its number.
fn there(number: u64, payload: Value, at: i64) -> WaitingThere {
    let record =
        json!({"origin": "foreground", "created_at": at, "id": number, "payload": payload});
    let (file, bytes) = (format!("pending/skills/{number}.json"), record.to_string());
    let write = read_pending_write(&file, bytes.as_bytes()).unwrap();
    WaitingThere { file, digest: Digest::of(bytes.as_bytes()), write }
}

fn edit(number: u64, name: &str, at: i64) -> WaitingThere {
    there(number, json!({"action": "edit", "name": name, "content": number.to_string()}), at)
}

fn standing(number: u64, folder: &str, state: State) -> Standing {
    Standing {
        id: SkillId::from_random(number),
        root: ROOT,
        folder: folder.to_owned(),
        origin: Origin::Unknown,
        pinned: false,
        state,
        since: NOW,
        owned: true,
    }
}

fn named(name: &str) -> Vec<Standing> {
    match name {
        "a" => vec![standing(1, "ops/a", State::Active)],
        "b" => vec![standing(2, "b", State::Stale)],
        "old" => vec![standing(3, ".archive/old", State::Archived)],
        "called" => vec![standing(4, "elsewhere", State::Active)],
        "twin" => vec![standing(5, "x/twin", State::Active), standing(6, "y/twin", State::Active)],
        _ => Vec::new(),
    }
}

/// What is written down of a write: its text.
fn text(take: &TakeWrite) -> Result<String, String> {
    Ok(format!("{:?}", take.there.write.act))
}

fn waiting(number: i64, skill: u64, verb: Verb) -> Pending {
    Pending {
        id: PendingId(number),
        asked: NewPending {
            root: ROOT,
            skill: SkillId::from_random(skill),
            folder: "new".to_owned(),
            verb,
            actor: Actor::Foreground,
            session: None,
            reason: String::new(),
            at: NOW,
            wanted: format!("waits {number}"),
            steps: Vec::new(),
            origin: None,
            why: String::new(),
            judge: String::new(),
        },
        state: PendingState::Waiting,
        rebased: false,
        ended: None,
        ended_by: None,
        note: String::new(),
        change: None,
    }
}

fn plan(there: &[WaitingThere], known: &[TakenWrite], queue: &[Pending]) -> WritePlan {
    plan_writes(&WriteInputs {
        there,
        known,
        waiting: queue,
        limits: LIMITS,
        named: &named,
        root: ROOT,
        now: NOW,
        check: &text,
    })
}

fn files(plan: &WritePlan) -> Vec<&str> {
    plan.taken.iter().map(|it| it.there.file.as_str()).collect()
}

/// Why the only one stays.
fn why(it: WaitingThere) -> String {
    let plan = plan(&[it], &[], &[]);
    assert_eq!((plan.taken.len(), plan.left.len()), (0, 1));
    plan.left[0].why.to_string()
}

#[test]
fn what_a_name_means_is_never_guessed() {
    for (name, expected) in [
        ("nobody", "no skill is called so"),
        ("../a", "no skill is called so"),
        ("twin", "2 skills are called so"),
        ("old", "`old` lies in the archive"),
        ("called", "`elsewhere` is called so here, and its folder is another one"),
    ] {
        assert_eq!(why(edit(1, name, NOW.0)), expected, "{name}");
    }
    let new = json!({"action": "create", "name": "new", "category": "ops", "content": "x"});
    let plan = plan(&[there(1, new, NOW.0), edit(2, "a", NOW.0)], &[], &[]);
    let places: Vec<_> = plan.taken.iter().map(|it| it.place.clone()).collect();
    let (new, a) = (Place::New(ROOT, "ops/new".to_owned()), Place::There(named("a").remove(0)));
    assert_eq!(places, [new, a]);
}

#[test]
fn the_oldest_is_taken_first_and_what_is_too_old_or_of_the_future_is_told() {
    let all = [
        edit(1, "a", NOW.0 + 5),
        edit(2, "b", NOW.0 - 30 * DAY),
        edit(3, "b", NOW.0 - 30 * DAY - 1),
        edit(4, "a", NOW.0 - 9),
    ];
    let plan = plan(&all, &[], &[]);
    let told: Vec<_> = plan
        .taken
        .iter()
        .map(|it| (it.there.file.as_str(), it.at.0 - NOW.0, it.notes.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("pending/skills/2.json", -30 * DAY, 0),
            ("pending/skills/4.json", -9, 0),
            ("pending/skills/1.json", 0, 1)
        ]
    );
    assert_eq!(
        plan.left[0].why.as_str(),
        "it waits since 2026-07-14T11:59:59Z, and nothing waits here for more than 30 days"
    );
    assert_eq!((plan.left.len(), plan.left[0].at.as_str()), (1, "edit b"));
}

#[test]
fn what_was_taken_before_is_known_whatever_its_file_is_called() {
    let first = edit(1, "a", NOW.0);
    let record = WriteRecord {
        program: "hermes".to_owned(),
        place: "/elsewhere".to_owned(),
        file: "pending/skills/another.json".to_owned(),
        digest: first.digest,
        at: None,
    };
    let known = [TakenWrite { record, pending: PendingId(9) }];
    let copy = WaitingThere { file: "pending/skills/copy.json".to_owned(), ..edit(2, "b", NOW.0) };
    let all = [first.clone(), edit(2, "b", NOW.0), copy];
    let plan = plan(&all, &known, &[]);
    assert_eq!(plan.known, [(first, PendingId(9))]);
    assert_eq!(files(&plan), ["pending/skills/2.json"]);
    assert_eq!(plan.left[0].why.as_str(), "it is the same as `pending/skills/2.json`");
}

#[test]
fn what_waits_here_leaves_so_much_room_and_no_more() {
    let queue = [
        waiting(1, 1, Verb::Write),
        waiting(2, 1, Verb::Archive),
        // What somebody else did is not counted.
        waiting(3, 2, Verb::Outside),
        waiting(4, 8, Verb::Create),
    ];
    let create = |number, text: &str| {
        there(number, json!({"action": "create", "name": "new", "content": text}), NOW.0)
    };
    let all = [edit(1, "a", NOW.0), create(2, "x"), create(3, "y"), edit(4, "b", NOW.0)];
    let plan = plan(&all, &[], &queue);
    assert_eq!(files(&plan), ["pending/skills/2.json"]);
    let told: Vec<_> = plan.left.iter().map(|it| it.why.as_str()).collect();
    assert_eq!(
        told,
        [
            "2 writes wait for its skill already, and none of them is put out for it",
            "2 writes wait for its skill already, and none of them is put out for it",
            "4 writes wait already, and none of them is put out for it",
        ]
    );
}

#[test]
fn the_same_write_takes_no_room() {
    let same =
        |number| there(number, json!({"action": "edit", "name": "a", "content": "x"}), NOW.0);
    let all: Vec<_> = (1..9).map(same).collect();
    assert_eq!(plan(&all, &[], &[]).taken.len(), 8);
}

#[test]
fn who_would_be_refused_is_told_why() {
    let refuse = |take: &TakeWrite| Err(format!("no, not in {}", take.place.folder()));
    let plan = plan_writes(&WriteInputs {
        there: &[edit(1, "a", NOW.0)],
        known: &[],
        waiting: &[],
        limits: LIMITS,
        named: &named,
        root: ROOT,
        now: NOW,
        check: &refuse,
    });
    assert_eq!((plan.taken.len(), plan.left[0].why.as_str()), (0, "no, not in ops/a"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_waits_there_each_is_told_once_and_no_cap_is_passed(
        all in proptest::collection::vec((0..5_usize, -40..3_i64), 0..30),
        waits in proptest::collection::vec(1..3_u64, 0..6),
    ) {
        let names = ["a", "b", "old", "twin", "nobody"];
        let there: Vec<_> = all.iter().enumerate()
            .map(|(at, (name, days))| edit(at as u64, names[*name], NOW.0 + days * DAY))
            .collect();
        let queue: Vec<_> = waits.iter().enumerate()
            .map(|(at, skill)| waiting(at as i64, *skill, Verb::Write))
            .collect();
        let plan = plan(&there, &[], &queue);
        let mut told: Vec<&str> = files(&plan);
        told.extend(plan.left.iter().map(|it| it.file.as_str()));
        told.sort_unstable();
        let mut given: Vec<&str> = there.iter().map(|it| it.file.as_str()).collect();
        given.sort_unstable();
        prop_assert_eq!(told, given);
        prop_assert!(plan.taken.is_empty() || queue.len() + plan.taken.len() <= LIMITS.in_all);
        for skill in ["ops/a", "b"] {
            let id = named(skill.trim_start_matches("ops/"))[0].id;
            let taken = plan.taken.iter().filter(|it| it.place.folder() == skill).count();
            let waits = queue.iter().filter(|it| it.asked.skill == id).count();
            prop_assert!(taken == 0 || taken + waits <= LIMITS.of_a_skill);
        }
        prop_assert!(plan.taken.iter().all(|it| it.at <= NOW));
    }
}
