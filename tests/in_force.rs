//! What a running host uses is what its home wants, or what was good before: looks at real files, real components, whole indexes.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
};

use skillkeep::{
    config::Home,
    decision::Slot,
    index::{CharMeter, Policies, Programs},
    lock::{Lock, Pin},
    policy::{Engine, digest},
    roster::{Clock, Rules},
    system::{MemorySystem, OsSystem},
    watch::{InForce, NamedState, Serving, Setup, SlotReport, running},
};

use crate::{
    deciding::{inputs, library},
    hostile::guest::{Guest, all, decent_info},
    support::{Machine, shared_cache},
};

const SIX: [&str; 6] =
    ["ops/backup", "ops/deploy", "ops/logs", "writing/essay", "writing/haiku", "writing/sonnet"];
const BUDGET: &str = "[slots.budget]\nuse = [\"policies/p.wasm\"]\n";
const DEV: &str = "[policies]\ndev = true\n";

/// A home with settings and six skills.
pub struct There {
    pub machine: Machine,
    /// Trials that were asked for.
    pub tried: Arc<AtomicUsize>,
    clock: Arc<Hand>,
    /// Where what was compiled is kept.
    cache: PathBuf,
}

/// A clock that stands until it is moved. In seconds.
struct Hand(AtomicI64);

impl Clock for Hand {
    fn nanos(&self) -> i128 {
        i128::from(self.0.load(Ordering::SeqCst)) * 1_000_000_000
    }
}

/// A budget that names all six skills, or counts them; each number is another component.
pub fn version(number: u32) -> Vec<u8> {
    let mut info = decent_info();
    info.version = format!("{number}.0.0");
    Guest::new(Slot::Budget, &info, &all(6, 2 + u8::try_from(number % 2).unwrap())).build()
}

fn trapping() -> Vec<u8> {
    Guest::budget().deciding("(unreachable)").build()
}

impl There {
    pub fn new(settings: &str) -> There {
        let machine = Machine::new();
        for skill in SIX {
            let name = skill.rsplit('/').next().unwrap();
            machine.skill(skill, &format!("Use when the user asks for {name}, and not before."));
        }
        machine.write("home/skillkeep.toml", settings);
        let clock = Arc::new(Hand(AtomicI64::new(1_000)));
        There { machine, tried: Arc::default(), clock, cache: shared_cache().join("components") }
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.machine.write(path, content)
    }

    /// Says yes to these bytes, and to no others.
    pub fn pin(&self, bytes: &[u8]) {
        self.relock(|lock| {
            let pin = Pin {
                slot: Slot::Budget,
                name: "policies/p.wasm".to_owned(),
                sha256: digest(bytes),
                policy: "hostile".to_owned(),
                version: "1.0.0".to_owned(),
                at: "2026-08-13T12:00:00Z".to_owned(),
                by: "person".to_owned(),
                key: None,
            };
            lock.pinned = vec![pin];
        });
    }

    fn lock(&self) -> Lock {
        let bytes = fs::read(self.machine.path("home/policies.lock"));
        bytes.map_or_else(|_| Lock::default(), |bytes| Lock::read(&bytes).unwrap())
    }

    fn relock(&self, change: impl FnOnce(&mut Lock)) {
        let mut lock = self.lock();
        change(&mut lock);
        self.write("home/policies.lock", lock.text().unwrap());
    }

    pub fn home(&self) -> Home {
        Home { path: Some(self.machine.path("home")), cache: None }
    }

    pub fn begin(&self) -> Arc<InForce> {
        self.begin_with(true)
    }

    pub fn begin_with(&self, trial: bool) -> Arc<InForce> {
        let skills = library(&self.machine.path("skills"));
        let tried = Arc::clone(&self.tried);
        let setup = Setup {
            system: Arc::new(OsSystem),
            home: self.home(),
            engine: Engine::new(Some(&self.cache), None).unwrap(),
            rules: Rules { probation_calls: 3, ..Rules::default() },
            clock: self.clock.clone(),
            dev: false,
            questions: trial.then(|| -> skillkeep::watch::Questions {
                Box::new(move |generation| {
                    tried.fetch_add(1, Ordering::SeqCst);
                    let programs = MemorySystem::new();
                    let policies = Policies::of(generation);
                    let programs = Programs::new(&programs);
                    let made = inputs(600).make(&skills, &CharMeter, &policies, &programs);
                    made.map(|made| made.answers()).map_err(|error| error.to_string())
                })
            }),
        };
        Arc::new(InForce::begin(setup).unwrap())
    }

    /// One index by whoever decides now. Whether it fell back.
    pub fn falls_back(&self, in_force: &InForce) -> bool {
        let skills = library(&self.machine.path("skills"));
        let generation = in_force.roster().current();
        let programs = MemorySystem::new();
        let policies = Policies::of(&generation);
        let made = inputs(600).make(&skills, &CharMeter, &policies, &Programs::new(&programs));
        made.unwrap().decided.fell_back()
    }
}

pub fn budget(in_force: &InForce) -> SlotReport {
    in_force.report().slots.into_iter().find(|it| it.slot == Slot::Budget).unwrap()
}

/// Who decides budgets, by the digest.
pub fn decides(in_force: &InForce) -> Option<String> {
    let active = budget(in_force).active;
    assert!(active.len() < 2);
    active.into_iter().find(|it| it.error.is_none()).and_then(|it| it.digest)
}

fn number(in_force: &InForce) -> u64 {
    in_force.roster().current().number()
}

fn state(in_force: &InForce) -> NamedState {
    let named = budget(in_force).named;
    assert_eq!(named.len(), 1);
    named[0].state
}

#[test]
fn a_home_without_settings_has_the_hosts_own_and_a_second_look_does_nothing() {
    let there = There::new("");
    let in_force = there.begin();
    let report = in_force.report();
    let active =
        |slot: &SlotReport| slot.active.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let names: Vec<_> = report.slots.iter().flat_map(active).collect();
    assert_eq!(
        names,
        ["demotion-toolset", "budget-ladder", "curator-inactivity", "provenance-declared"]
    );
    for slot in &report.slots {
        assert!(slot.named.iter().all(|it| it.state == NamedState::Used), "{slot:#?}");
    }
    assert!(in_force.look().is_nothing() && in_force.look().is_nothing());
    assert_eq!((number(&in_force), there.tried.load(Ordering::SeqCst)), (1, 0));
}

#[test]
fn settings_that_come_swap_all_slots_in_one_step() {
    let there = There::new("");
    let in_force = there.begin();
    there.write(
        "home/skillkeep.toml",
        "[slots.budget]\nuse = [\"budget-progressive\"]\n[slots.provenance]\nuse = [\"provenance-strict\", \"provenance-open\"]\n",
    );
    let looked = in_force.look();
    assert_eq!(looked.swapped, [Slot::Budget, Slot::Provenance]);
    assert_eq!((looked.generation, number(&in_force)), (Some(2), 2));
    assert_eq!(there.tried.load(Ordering::SeqCst), 2, "tried once: before and after");
    let report = in_force.report();
    let trial = report.trial.unwrap();
    assert!(trial.changed > 0 && !trial.lines.is_empty() && trial.lines.len() <= 5, "{trial:?}");
    let slots = report.slots.iter().map(|it| (it.slot, it.generation));
    assert_eq!(
        slots.collect::<Vec<_>>(),
        [(Slot::Demotion, 1), (Slot::Budget, 2), (Slot::Curator, 1), (Slot::Provenance, 2)]
    );
}

#[test]
fn settings_of_a_policy_that_change_are_another_generation_and_others_are_not() {
    let there = There::new("");
    let in_force = there.begin();
    there.write("home/skillkeep.toml", "[index]\nlimit = 1000\n");
    assert!(in_force.look().is_nothing());
    there.write("home/skillkeep.toml", "[slots.budget.settings]\nexploration = 0.25\n");
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    assert_eq!(budget(&in_force).generation, 2);
    // What a policy refuses stays out, and is told with its name.
    there.write("home/skillkeep.toml", "[slots.budget.settings]\nexploration = \"much\"\n");
    let looked = in_force.look();
    assert_eq!((looked.rejected.len(), number(&in_force)), (1, 2));
    assert!(looked.lines[0].as_str().contains("exploration"), "{looked:?}");
    assert!(budget(&in_force).last_error.is_some());
    assert!(in_force.look().is_nothing());
}

#[test]
fn a_changed_component_waits_for_a_yes_and_then_comes() {
    let there = There::new(BUDGET);
    let (one, two) = (version(1), version(2));
    there.write("home/policies/p.wasm", &one);
    there.pin(&one);
    let in_force = there.begin();
    assert_eq!((state(&in_force), decides(&in_force)), (NamedState::Used, Some(digest(&one))));

    there.write("home/policies/p.wasm", &two);
    let looked = in_force.look();
    assert!(looked.swapped.is_empty() && looked.lines.len() == 1, "{looked:?}");
    assert_eq!((state(&in_force), number(&in_force)), (NamedState::DiffersOnDisk, 1));
    let named = &budget(&in_force).named[0];
    assert_eq!(named.digest, Some(digest(&two)));
    assert!(named.hint.as_deref().unwrap().contains("skillkeep policy use budget "), "{named:?}");
    assert_eq!(decides(&in_force), Some(digest(&one)));
    assert!(in_force.look().is_nothing(), "it is told once");

    there.pin(&two);
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    assert_eq!((state(&in_force), decides(&in_force)), (NamedState::Used, Some(digest(&two))));
}

#[test]
fn what_nobody_said_yes_to_at_first_leaves_the_slot_to_its_fallback_until_somebody_does() {
    let there = There::new(BUDGET);
    let one = version(1);
    there.write("home/policies/p.wasm", &one);
    let in_force = there.begin();
    assert_eq!((state(&in_force), decides(&in_force)), (NamedState::DiffersOnDisk, None));
    assert!(there.falls_back(&in_force));
    there.pin(&one);
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    assert!(!there.falls_back(&in_force));
}

#[test]
fn for_development_a_changed_component_comes_at_once_and_it_is_said() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    there.write("home/policies/p.wasm", version(2));
    let looked = in_force.look();
    assert_eq!(looked.swapped, [Slot::Budget]);
    let lines: Vec<&str> = looked.lines.iter().map(|it| it.as_str()).collect();
    assert!(
        lines[0].contains("hostile 2.0.0") && lines[0].contains("after hostile 1.0.0"),
        "{lines:?}"
    );
    assert!(lines[1].contains("nobody said yes"), "{lines:?}");
    assert_eq!(state(&in_force), NamedState::UsedWithoutAYes);
}

#[test]
fn touched_or_written_the_same_again_it_is_no_new_generation() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    let file = there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    let open = fs::File::options().append(true).open(&file).unwrap();
    open.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert!(in_force.look().is_nothing());
    there.write("home/policies/p.wasm", version(1));
    assert!(in_force.look().is_nothing());
    fs::rename(there.write("home/policies/new", version(1)), &file).unwrap();
    assert!(in_force.look().is_nothing());
    there.write("home/skillkeep.toml", format!("# a comment\n{DEV}{BUDGET}"));
    assert!(in_force.look().is_nothing());
    assert_eq!((number(&in_force), there.tried.load(Ordering::SeqCst)), (1, 0));
}

#[test]
fn a_deleted_component_goes_on_from_memory_and_is_told_to_be_missing() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    let file = there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    fs::remove_file(&file).unwrap();
    assert_eq!(in_force.look().lines.len(), 1);
    assert_eq!(state(&in_force), NamedState::Missing);
    assert!(in_force.look().is_nothing(), "it is told once");
    assert!(!there.falls_back(&in_force));
    there.write("home/policies/p.wasm", version(1));
    in_force.look();
    assert_eq!((state(&in_force), number(&in_force)), (NamedState::UsedWithoutAYes, 1));
}

#[test]
fn settings_or_a_lock_that_are_broken_change_nothing_and_are_told_until_they_are_mended() {
    let there = There::new(BUDGET);
    let one = version(1);
    there.write("home/policies/p.wasm", &one);
    there.pin(&one);
    let lock = there.lock().text().unwrap();
    let in_force = there.begin();
    for (file, broken, whole) in [
        ("home/skillkeep.toml", "[slots.budget\n", BUDGET),
        ("home/policies.lock", "generation = ", &lock),
    ] {
        there.write(file, broken);
        assert_eq!(in_force.look().swapped, []);
        let trouble = in_force.report().trouble.unwrap();
        assert!(trouble.message.contains(file.rsplit('/').next().unwrap()), "{trouble:?}");
        assert_eq!(decides(&in_force), Some(digest(&one)));
        there.write(file, whole);
        in_force.look();
        assert_eq!(in_force.report().trouble, None);
        assert_eq!((number(&in_force), state(&in_force)), (1, NamedState::Used));
    }
}

#[test]
fn settings_that_are_gone_still_hold_and_empty_ones_do_not() {
    let there = There::new("[slots.provenance]\nuse = [\"provenance-strict\"]\n");
    let in_force = there.begin();
    let file = there.machine.path("home/skillkeep.toml");
    fs::remove_file(&file).unwrap();
    assert!(in_force.look().swapped.is_empty());
    let trouble = in_force.report().trouble.unwrap();
    assert!(trouble.message.ends_with("skillkeep.toml` is gone"), "{trouble:?}");
    assert!(in_force.look().is_nothing(), "it is told once");
    fs::write(&file, "").unwrap();
    assert_eq!(in_force.look().swapped, [Slot::Provenance]);
    assert_eq!(in_force.report().trouble, None);
}

#[test]
fn a_lock_that_is_gone_lifts_no_quarantine() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin_with(false);
    there.write("home/policies/p.wasm", trapping());
    in_force.look();
    assert!(there.falls_back(&in_force));
    in_force.look();
    assert_eq!(there.lock().quarantined.len(), 1);
    fs::remove_file(there.machine.path("home/policies.lock")).unwrap();
    assert!(in_force.look().swapped.is_empty());
    assert_eq!(decides(&in_force), Some(digest(&version(1))));
}

#[test]
fn what_is_warmed_is_compiled_and_nothing_else_follows() {
    let mut there = There::new(&format!("{DEV}{BUDGET}"));
    there.cache = there.machine.path("components");
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    let compiled = || files_below(&there.cache);
    let before = compiled();
    in_force.warm();
    assert_eq!(compiled(), before, "it is known");
    there.write("home/policies/p.wasm", version(2));
    in_force.warm();
    let warm = compiled();
    assert!(warm > before, "{warm} {before}");
    assert_eq!(decides(&in_force), Some(digest(&version(1))));
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    assert_eq!(compiled(), warm);
    // What is no component, or not to be loaded, or not named, is nothing to it.
    there.write("home/policies/p.wasm", "notes");
    in_force.warm();
    there.write("home/policies/p.wasm", version(3));
    there.write("home/skillkeep.toml", BUDGET);
    in_force.warm();
    there.write("home/skillkeep.toml", "[slots");
    in_force.warm();
    assert_eq!(compiled(), warm);
}

/// Files in a folder and all below it, but for marks of when they were used, and what wasmtime's own cache is just writing
/// for those marks on a thread of its own.
fn files_below(folder: &Path) -> usize {
    let below = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let passing = |path: &Path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        [".stats", ".wip-", ".cleanup"].iter().any(|part| name.contains(part))
    };
    let count = |path: PathBuf| match path.is_dir() {
        true => files_below(&path),
        false => usize::from(!passing(&path)),
    };
    below.map(count).sum()
}

#[test]
fn whatever_is_wrong_with_a_new_component_the_old_one_stays_and_it_is_not_tried_again() {
    let whole = version(2);
    for (what, bytes) in [
        ("half", whole[..whole.len() / 2].to_vec()),
        ("no component", b"some notes".to_vec()),
        ("nothing", Vec::new()),
        ("another slot", Guest::demotion().build()),
        ("another version", Guest::budget().of_version("0.9.0").build()),
        (
            "settings that it refuses",
            Guest { check_settings: "(unreachable)".to_owned(), ..Guest::budget() }.build(),
        ),
        ("it traps in its trial", trapping()),
    ] {
        let there = There::new(&format!("{DEV}{BUDGET}"));
        there.write("home/policies/p.wasm", version(1));
        let in_force = there.begin();
        there.write("home/policies/p.wasm", &bytes);
        let looked = in_force.look();
        assert_eq!((looked.rejected.len(), looked.swapped.len()), (1, 0), "{what}: {looked:?}");
        assert_eq!(decides(&in_force), Some(digest(&version(1))), "{what}");
        assert_eq!(state(&in_force), NamedState::Failed, "{what}");
        assert_eq!(budget(&in_force).last_error.unwrap().digest, Some(digest(&bytes)), "{what}");
        let asked = there.tried.load(Ordering::SeqCst);
        for _ in 0..3 {
            assert!(in_force.look().is_nothing(), "{what}");
        }
        assert_eq!(there.tried.load(Ordering::SeqCst), asked, "{what}");
        // A good one takes its place, and the error is gone.
        there.write("home/policies/p.wasm", &whole);
        assert_eq!(in_force.look().swapped, [Slot::Budget], "{what}");
        assert_eq!(budget(&in_force).last_error, None, "{what}");
    }
}

#[test]
fn what_a_trial_turned_down_is_tried_again_after_a_while_that_grows() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    there.write("home/policies/p.wasm", trapping());
    assert_eq!(in_force.look().rejected.len(), 1);
    let mut waits = Vec::new();
    let mut since = 0;
    while waits.len() < 4 {
        there.clock.0.fetch_add(1, Ordering::SeqCst);
        since += 1;
        if !in_force.look().is_nothing() {
            waits.push(since);
            since = 0;
        }
    }
    assert_eq!(waits, [5, 10, 20, 40]);
}

#[test]
fn one_slot_that_fails_keeps_no_other_from_its_swap() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    for bad in [b"notes".to_vec(), trapping()] {
        there.write("home/policies/p.wasm", bad);
        let other = ["provenance-strict", "provenance-open"][number(&in_force) as usize % 2];
        there.write(
            "home/skillkeep.toml",
            format!("{DEV}{BUDGET}[slots.provenance]\nuse = [\"{other}\"]\n"),
        );
        let before = number(&in_force);
        let looked = in_force.look();
        assert_eq!(
            (looked.swapped.as_slice(), looked.rejected.len()),
            (&[Slot::Provenance][..], 1)
        );
        assert_eq!(number(&in_force), before + 1);
        assert_eq!(decides(&in_force), Some(digest(&version(1))));
    }
}

#[test]
fn a_component_of_a_newer_contract_is_refused_with_what_to_do_and_the_others_go_on() {
    let newer = Guest::budget().of_version("0.2.0").build();
    let why = "the component is built for skillkeep:policy@0.2.0, this host speaks 0.1.0";
    let hint = "upgrade the host, or take an older release of the policy";
    let settings = format!("{DEV}{BUDGET}");
    let there = There::new(&settings);
    there.write("home/policies/p.wasm", version(1));
    let in_force = there.begin();
    there.write("home/policies/p.wasm", &newer);
    there.write(
        "home/skillkeep.toml",
        format!("{settings}[slots.provenance]\nuse = [\"provenance-strict\"]\n"),
    );
    let looked = in_force.look();
    assert_eq!((looked.swapped.as_slice(), looked.rejected.len()), (&[Slot::Provenance][..], 1));
    let line = looked.lines[0].as_str();
    assert!(line.contains(&format!(" is not active: {why}; {hint}")), "{line}");
    assert_eq!(decides(&in_force), Some(digest(&version(1))));
    assert!(!there.falls_back(&in_force));
    let named = &budget(&in_force).named[0];
    assert_eq!(named.state, NamedState::Failed);
    assert_eq!((named.message.as_deref(), named.hint.as_deref()), (Some(why), Some(hint)));
    assert!(in_force.look().is_nothing(), "it is told once");

    // A host that comes up with it has nobody before it: its slot alone falls back.
    let fresh = there.begin();
    assert!(there.falls_back(&fresh));
    let current = fresh.roster().current();
    let failed: Vec<Slot> = current
        .members()
        .iter()
        .filter(|member| member.load_error().is_some())
        .map(|member| member.slot())
        .collect();
    assert_eq!(failed, [Slot::Budget]);
    let error = current.of(Slot::Budget).next().unwrap().load_error().unwrap();
    assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (why, Some(hint)));
    // An older one that is built again comes in at once.
    there.write("home/policies/p.wasm", version(2));
    assert_eq!(fresh.look().swapped, [Slot::Budget]);
}

#[test]
fn a_fault_on_probation_is_written_into_the_lock_and_a_person_lifts_it() {
    let there = There::new(BUDGET);
    let (one, bad) = (version(1), trapping());
    there.write("home/policies/p.wasm", &one);
    there.pin(&one);
    // Untried, it gets in.
    let in_force = there.begin_with(false);
    let other = there.begin_with(false);
    there.write("home/policies/p.wasm", &bad);
    there.pin(&bad);
    assert_eq!((in_force.look().swapped.len(), other.look().swapped.len()), (1, 1));
    assert!(there.falls_back(&in_force));
    assert_eq!((decides(&in_force), there.lock().quarantined.len()), (Some(digest(&one)), 0));
    assert_eq!(in_force.look().lines.len(), 2, "that it failed, and that it is not loaded again");
    let quarantined = there.lock().quarantined;
    assert_eq!(quarantined[0].sha256, digest(&bad));
    assert!(quarantined[0].reason.contains("trapped"), "{quarantined:?}");
    assert_eq!(state(&in_force), NamedState::Withheld);
    // Another process of this home, where it did nothing yet, lets it go, too.
    other.look();
    assert_eq!(decides(&other), Some(digest(&one)));
    assert_eq!(there.lock().quarantined, quarantined);
    assert!(in_force.look().is_nothing() && other.look().is_nothing());
    // Lifted, it may come again, in both.
    there.relock(|lock| assert!(lock.lift(&digest(&bad))));
    assert_eq!((in_force.look().swapped.len(), other.look().swapped.len()), (1, 1));
    assert_eq!(decides(&in_force), Some(digest(&bad)));
}

#[test]
fn a_mounted_config_map_is_swapped_once_and_nobody_minds_that_the_old_one_goes() {
    let there = There::new(&format!("{DEV}{BUDGET}"));
    there.write("home/policies/..v1/p.wasm", version(1));
    let at = |path: &str| there.machine.path(&format!("home/policies/{path}"));
    symlink("..v1", at("..data")).unwrap();
    symlink("..data/p.wasm", at("p.wasm")).unwrap();
    let in_force = there.begin();
    there.write("home/policies/..v2/p.wasm", version(2));
    assert!(in_force.look().is_nothing());
    symlink("..v2", at("..data_tmp")).unwrap();
    fs::rename(at("..data_tmp"), at("..data")).unwrap();
    assert_eq!(in_force.look().swapped, [Slot::Budget]);
    fs::remove_dir_all(at("..v1")).unwrap();
    assert!(in_force.look().is_nothing());
    assert_eq!((number(&in_force), state(&in_force)), (2, NamedState::UsedWithoutAYes));
}

#[test]
fn what_a_server_uses_lies_in_the_home_and_policy_list_tells_where_it_differs() {
    let there = There::new(BUDGET);
    let (one, two) = (version(1), version(2));
    there.write("home/policies/p.wasm", &one);
    there.pin(&one);
    let in_force = there.begin();
    let home = there.machine.path("home");
    // What a process left that is dead is no server, and goes.
    there.write("home/serving/1.json", "{\"pid\":1}");
    there.write("home/serving/2.json", "{\"pid\":2}");
    there.write("home/serving/2.lock", "process 2");
    assert!(running(&OsSystem, &home).is_empty());
    let mut serving = Serving::begin(&OsSystem, &home, &in_force.report()).unwrap();
    assert_eq!(listed(&home.join("serving")).len(), 2, "one, and its lock");
    let file = home.join(format!("serving/{}.json", std::process::id()));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let same = there.machine.ok(&["policy", "list"]).stdout;
    assert!(!same.contains("server"), "{same}");

    there.write("home/policies/p.wasm", &two);
    there.pin(&two);
    let differs = there.machine.ok(&["policy", "list"]).stdout;
    let told = differs.split_once("\nserver ").unwrap().1;
    let first: String = digest(&one).chars().take(12).collect();
    assert_eq!(
        told.lines().nth(1).unwrap(),
        format!("  budget: hostile 1.0.0 ({first}) decides there, since its generation 1")
    );
    let json = there.machine.json(&["policy", "list"]);
    assert_eq!(json["servers"][0]["schema"], "skillkeep.serving/1");
    assert_eq!(json["servers"][0]["pid"], std::process::id());

    in_force.look();
    serving.write(&in_force.report()).unwrap();
    let same = there.machine.ok(&["policy", "list"]).stdout;
    assert!(!same.contains("server"), "{same}");
    // A second one of this process number, as another container's may be.
    let second = Serving::begin(&OsSystem, &home, &in_force.report()).unwrap();
    assert_ne!(serving.file(), second.file());
    assert_eq!(running(&OsSystem, &home).len(), 2);
    drop(second);
    drop(serving);
    assert!(listed(&home.join("serving")).is_empty());
}

#[test]
fn a_server_that_keeps_to_other_limits_than_the_settings_say_is_told_of() {
    let there = There::new(BUDGET);
    let one = version(1);
    there.write("home/policies/p.wasm", &one);
    there.pin(&one);
    let in_force = there.begin();
    let home = there.machine.path("home");
    let mut serving = Serving::begin(&OsSystem, &home, &in_force.report()).unwrap();
    for (limits, told) in [
        (
            "limits.fuel = 4\n",
            "budget: its limits there are as usual, and the settings say 4 × fuel",
        ),
        ("", "budget: its limits there are 4 × fuel, and the settings say as usual"),
    ] {
        there.write("home/skillkeep.toml", format!("{BUDGET}{limits}"));
        let list = there.machine.ok(&["policy", "list"]).stdout;
        let (_, server) = list.split_once("\nserver ").unwrap();
        assert_eq!(server.lines().nth(1).unwrap(), format!("  {told}"));
        in_force.look();
        serving.write(&in_force.report()).unwrap();
        let list = there.machine.ok(&["policy", "list"]).stdout;
        assert!(!list.contains("server"), "{list}");
    }
}

#[test]
fn a_server_whose_lock_can_not_be_tried_is_told_of_with_that() {
    let there = There::new("");
    there.write(
        "home/serving/9.json",
        r#"{"pid":9,"generation":2,"trouble":{"message":"the settings are gone"}}"#,
    );
    fs::create_dir(there.machine.path("home/serving/9.lock")).unwrap();
    let list = there.machine.ok(&["policy", "list"]).stdout;
    let line =
        "\nserver 9, in its generation 2, as it told last (whether it still runs can't be told: ";
    assert!(list.contains(line), "{list}");
    let json = there.machine.json(&["policy", "list"]);
    assert!(json["servers"][0]["unsure"].is_string(), "{json:#}");
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}
