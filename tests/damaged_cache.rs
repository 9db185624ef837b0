//! Damage in the cache of compiled components is noticed before anything of it runs: the index is as ever, and what was
//! damaged is made again.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::support::{Machine, Ran};

fn machine() -> Machine {
    let machine = Machine::new();
    machine.skill("ops/deploy", "Use when the user asks for a release.");
    machine.skill("ops/logs", "Use when the user asks what happened.");
    machine
}

fn index(machine: &Machine) -> Ran {
    let arguments = ["index", "--root", "../skills", "--unit", "chars", "--now", "1790000000"];
    let mut command = machine.command(&arguments);
    machine.finish(command.env("SKILLKEEP_CACHE", machine.path("cache")).output().unwrap())
}

/// The compiled components, and the marks that say what they are, each with its content.
fn kept(machine: &Machine) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_none() {
                files.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(&machine.path("cache/components"), &mut files);
    files
}

#[test]
fn a_damaged_cache_changes_no_index_and_heals() {
    let machine = machine();
    let block = index(&machine);
    assert_eq!((block.status, block.stderr.contains("warning")), (0, false), "{block:#?}");
    let whole = kept(&machine);
    let [code, marks]: [Vec<&PathBuf>; 2] = [true, false].map(|is_code| {
        let all = whole.keys();
        all.filter(|path| path.components().any(|part| part.as_os_str() == "code") == is_code)
            .collect()
    });
    // Two policies decide.
    assert_eq!((code.len(), marks.len()), (2, 2), "{whole:#?}");

    let flipped = |path: &PathBuf, at: usize| {
        let mut bytes = whole[path].clone();
        let at = bytes.len() * at / 100;
        bytes[at] ^= 0x10;
        bytes
    };
    let damages: Vec<(&str, &PathBuf, Vec<u8>)> = vec![
        ("a bit near the start", code[0], flipped(code[0], 1)),
        ("a bit in the middle", code[0], flipped(code[0], 50)),
        ("a bit near the end", code[1], flipped(code[1], 99)),
        ("cut", code[0], whole[code[0]][..whole[code[0]].len() / 2].to_vec()),
        ("empty", code[1], Vec::new()),
        ("another's", code[0], whole[code[1]].clone()),
        ("no mark to speak of", marks[0], Vec::new()),
        ("another's mark", marks[0], whole[marks[1]].clone()),
    ];
    for (damage, path, bytes) in damages {
        fs::write(path, bytes).unwrap();
        assert_eq!(index(&machine), block, "{damage}");
        let healed = kept(&machine);
        assert!(healed.keys().eq(whole.keys()) && healed.values().all(|b| !b.is_empty()));
        // What was made again is taken as it is the next time.
        assert_eq!(index(&machine), block, "{damage}, again");
        assert_eq!(kept(&machine), healed, "{damage}");
    }

    // Both at once, the marks gone, and what a killed process left in the way.
    for path in &marks {
        fs::remove_file(path).unwrap();
    }
    for path in &code {
        fs::remove_file(path).unwrap();
        fs::write(path.with_extension("wip-atomic-write-mod"), "half").unwrap();
    }
    assert_eq!(index(&machine), block);
    assert!(kept(&machine).keys().eq(whole.keys()));
}

#[test]
fn processes_that_heal_at_the_same_time_agree() {
    let machine = machine();
    let block = index(&machine);
    let whole = kept(&machine);
    for path in whole.keys() {
        fs::write(path, "damage").unwrap();
    }
    let same: Vec<Ran> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| index(&machine))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(same, vec![block.clone(); 4]);
    // Whoever came last may have removed what another had made: one more, alone, and all is kept.
    assert_eq!(index(&machine), block);
    assert!(kept(&machine).keys().eq(whole.keys()));
}
