//! Laws of the cache: it is never wrong, and can be lost at any time.

use std::{io, path::Path};

use proptest::prelude::*;

use super::{cached, scanned, skill_text, world};
use crate::{
    library::{CacheState, Library},
    system::{MemorySystem, Operation, System},
};

const FILE: &str = "/cache/facts";

/// A library without what the scan did.
fn facts(library: Library) -> Library {
    Library { stats: super::super::ScanStats::default(), ..library }
}

fn opened(world: &MemorySystem) -> Vec<String> {
    let read = world.counts(Operation::Read).into_iter();
    read.map(|(path, _)| path.display().to_string()).filter(|path| path != FILE).collect()
}

#[test]
fn a_warm_scan_opens_no_file_but_the_cache() {
    let world = world(&["/r/a/one", "/r/b/two", "/r/b/two/references/three", "/r/four"]);
    world.write("/r/b/DESCRIPTION.md", "---\ndescription: b\n---\n");
    world.write("/r/LICENSE", "words");
    world.advance(3600);
    let cold = cached(&world, &["/r"]);
    assert_eq!((cold.stats.files_read, cold.stats.cache.clone()), (6, CacheState::Absent));
    world.forget_counts();
    let warm = cached(&world, &["/r"]);
    assert_eq!(opened(&world), [""; 0]);
    assert_eq!(world.counts(Operation::Replace), []);
    assert_eq!((warm.stats.files_read, warm.stats.cache_hits), (0, 6));
    assert_eq!(warm.stats.cache, CacheState::Fresh);
    assert_eq!(facts(warm), facts(cold));
}

#[test]
fn a_warm_scan_asks_each_folder_for_its_list_and_each_file_for_its_state_once() {
    let world = world(&["/r/a/one", "/r/a/two"]);
    drop(cached(&world, &["/r"]));
    world.forget_counts();
    drop(cached(&world, &["/r"]));
    let counts = |operation| {
        world
            .counts(operation)
            .into_iter()
            .map(|(p, n)| (p.display().to_string(), n))
            .collect::<Vec<_>>()
    };
    let once = |path: &str| (path.to_owned(), 1);
    assert_eq!(counts(Operation::List), ["/r", "/r/a", "/r/a/one", "/r/a/two"].map(once));
    assert_eq!(counts(Operation::Stat), ["/r/a/one/SKILL.md", "/r/a/two/SKILL.md"].map(once));
    assert_eq!(counts(Operation::Resolve), ["/r"].map(once));
}

#[test]
fn an_edit_is_seen_at_every_depth() {
    let folders = ["/r", "/r/a", "/r/a/b", "/r/a/b/c", "/r/a/b/c/d"];
    let world = world(&folders);
    drop(cached(&world, &["/r"]));
    for folder in folders {
        let file = format!("{folder}/SKILL.md");
        let old = world.stat(Path::new(&file)).unwrap();
        world.write(&file, skill_text("changed"));
        // Even if somebody sets the time back: the other time can't be.
        world.set_mtime(&file, old.mtime);
        world.advance(10);
        world.forget_counts();
        let library = cached(&world, &["/r"]);
        assert_eq!(opened(&world), [file]);
        assert_eq!(facts(library), facts(scanned(&world, &["/r"])));
    }
}

#[test]
fn a_file_that_may_still_change_in_the_same_moment_is_read_again() {
    let world = world(&["/r/a"]);
    for (age, believed) in [(0, false), (1, false), (2, false), (3, true), (100, true)] {
        world.write("/r/a/SKILL.md", skill_text("a"));
        world.advance(age);
        drop(cached(&world, &["/r"]));
        let again = cached(&world, &["/r"]);
        assert_eq!(again.stats.cache_hits == 1, believed, "{age}");
    }
    world.write("/r/a/SKILL.md", skill_text("b"));
    world.advance(-50);
    for _ in 0..2 {
        let ahead = cached(&world, &["/r"]);
        assert_eq!(ahead.stats.cache_hits, 0, "a time ahead of the clock is no proof");
    }
}

#[test]
fn the_same_identity_under_another_path_is_another_file() {
    let world = world(&["/one/a", "/two/a"]);
    world.write("/two/a/SKILL.md", skill_text("b"));
    world.advance(100);
    drop(cached(&world, &["/one"]));
    let library = cached(&world, &["/two"]);
    assert_eq!(library.skills[0].name.as_str(), "b");
    assert_eq!(library.stats.files_read, 1);
}

#[test]
fn several_sets_of_roots_share_a_cache_and_what_is_gone_is_dropped() {
    let world = world(&["/one/a", "/two/b", "/two/c"]);
    drop(cached(&world, &["/one"]));
    drop(cached(&world, &["/two"]));
    assert_eq!(cached(&world, &["/one"]).stats.files_read, 0);
    assert_eq!(cached(&world, &["/one", "/two"]).stats.files_read, 0);
    let size = |world: &MemorySystem| world.stat(Path::new(FILE)).unwrap().size;
    let before = size(&world);
    world.remove("/two/c");
    drop(cached(&world, &["/two"]));
    assert!(size(&world) < before);
    assert_eq!(cached(&world, &["/one", "/two"]).stats.files_read, 0);
}

#[test]
fn a_cache_cut_at_any_length_is_rebuilt() {
    let world = world(&["/r/a", "/r/b/c"]);
    let right = facts(cached(&world, &["/r"]));
    let whole = world.read(Path::new(FILE), u64::MAX).unwrap();
    for length in 0..whole.len() {
        world.write(FILE, &whole[..length]);
        let library = cached(&world, &["/r"]);
        assert_eq!(library.stats.cache, CacheState::Truncated, "{length}");
        assert_eq!(library.stats.files_read, 2, "{length}");
        assert_eq!(facts(library), right);
        assert_eq!(cached(&world, &["/r"]).stats.cache, CacheState::Fresh);
    }
}

#[test]
fn a_cache_with_any_byte_changed_is_rebuilt() {
    let world = world(&["/r/a"]);
    let right = facts(cached(&world, &["/r"]));
    let whole = world.read(Path::new(FILE), u64::MAX).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        world.write(FILE, &bytes);
        let library = cached(&world, &["/r"]);
        assert_ne!(library.stats.cache, CacheState::Fresh, "{at}");
        assert_eq!(facts(library), right);
    }
}

#[test]
fn a_foreign_file_is_ignored_and_replaced() {
    let world = world(&["/r/a"]);
    for bytes in [&b"{\"json\": true}"[..], b"SQLite format 3\0", b"\x7fELF"] {
        world.write(FILE, bytes);
        assert_eq!(cached(&world, &["/r"]).stats.cache, CacheState::Foreign);
        assert_eq!(cached(&world, &["/r"]).stats.cache, CacheState::Fresh);
    }
}

#[test]
fn a_cache_that_can_not_be_read_or_written_costs_only_time() {
    let world = world(&["/r/a"]);
    world.fail(FILE, Operation::Replace, io::ErrorKind::StorageFull);
    let library = cached(&world, &["/r"]);
    assert_eq!(library.stats.cache, CacheState::Unwritable("no storage space".to_owned()));
    assert_eq!(facts(library), facts(scanned(&world, &["/r"])));
    world.heal();
    drop(cached(&world, &["/r"]));
    world.fail(FILE, Operation::Read, io::ErrorKind::PermissionDenied);
    let library = cached(&world, &["/r"]);
    assert_eq!(library.stats.files_read, 1);
    assert_eq!(scanned(&world, &["/r"]).stats.cache, CacheState::Off);
}

#[test]
fn of_two_writers_the_last_one_wins_whole() {
    let world = world(&["/one/a", "/two/b"]);
    drop(cached(&world, &["/one"]));
    let one = world.read(Path::new(FILE), u64::MAX).unwrap();
    world.remove(FILE);
    drop(cached(&world, &["/two"]));
    // The other process had read before this one wrote, and writes now.
    world.replace(Path::new(FILE), &one).unwrap();
    assert_eq!(cached(&world, &["/one"]).stats.files_read, 0);
    assert_eq!(cached(&world, &["/two"]).stats.files_read, 1);
    assert_eq!(cached(&world, &["/one", "/two"]).stats.files_read, 0);
}

/// One change of a world.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, u8),
    Remove(usize),
    Link(usize, usize),
    Wait(i64),
    Scan,
}

const PLACES: [&str; 9] = [
    "/r/a",
    "/r/a/b",
    "/r/a/b/c",
    "/r/d",
    "/r/d/references/e",
    "/q/f",
    "/q/f/g",
    "/out/h",
    "/out/h/i",
];

fn step() -> impl Strategy<Value = Step> {
    let place = 0..PLACES.len();
    prop_oneof![
        4 => (place.clone(), any::<u8>()).prop_map(|(at, text)| Step::Write(at, text)),
        1 => place.clone().prop_map(Step::Remove),
        1 => (place.clone(), place).prop_map(|(at, to)| Step::Link(at, to)),
        2 => (0_i64..5).prop_map(Step::Wait),
        3 => Just(Step::Scan),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_with_a_cache_finds_what_one_without_finds(steps in prop::collection::vec(step(), 1..25)) {
        let world = MemorySystem::new();
        world.folder("/r");
        world.folder("/q");
        for step in steps {
            match step {
                Step::Write(at, text) => {
                    let text = format!("---\nname: n{}\ndescription: d{text}\n---\n", text % 3);
                    world.write(format!("{}/SKILL.md", PLACES[at]), text);
                }
                Step::Remove(at) => world.remove(PLACES[at]),
                Step::Link(at, to) => world.link(format!("{}/l{to}", PLACES[at]), PLACES[to]),
                Step::Wait(seconds) => world.advance(seconds),
                Step::Scan => {
                    let with = facts(cached(&world, &["/r", "/q"]));
                    prop_assert_eq!(with, facts(scanned(&world, &["/r", "/q"])));
                }
            }
        }
    }
}
