//! A home whose ledger is cut, gone or turned to letters: what comes back from backups and roots, what is told, and who may
//! still put something away.

use std::fs;

use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
};

const LEDGER: &str = "home/keep.db";

/// A home where something was done: `deploy` archived, `notes` pinned, and the first day's backup taken before that.
fn used() -> Keeping {
    let keeping = Keeping::owned();
    keeping.ok(&["scan"]);
    keeping.change(&["archive", "deploy", "--reason", "we ship by hand now"]);
    keeping.change(&["pin", "notes"]);
    keeping
}

fn id(keeping: &Keeping, name: &str) -> String {
    let log = keeping.ok(&["--json", "log", name]).stdout;
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    log["changes"][0]["skill"].as_str().unwrap().to_owned()
}

fn backup(keeping: &Keeping) -> String {
    let mut names: Vec<String> = fs::read_dir(keeping.machine.path("home/backups"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    names.remove(0)
}

fn cut(keeping: &Keeping, path: &str) {
    let path = keeping.machine.path(path);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
}

/// What is lost differs; what is told after it is the same.
fn told(ran: &Ran, lines: &[&str]) {
    assert_eq!(ran.status, 0, "{ran:#?}");
    let found: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(found, lines, "{ran:#?}");
}

const ROOTS: &str =
    "archives and pins are known again from the roots, and skills from their folders";
const HINT: &str =
    "hint: only a person archives until the ledger is accepted: skillkeep scan --accept-ledger";

#[test]
fn a_ledger_that_is_gone_comes_back_from_its_backup_and_from_the_roots() {
    let keeping = used();
    let ids = [id(&keeping, "deploy"), id(&keeping, "notes")];
    fs::remove_file(keeping.machine.path(LEDGER)).unwrap();
    assert_eq!(
        keeping.no(3, &["log"]),
        "error: there is no ledger at `[MACHINE]/home/keep.db`\nhint: skillkeep scan\n"
    );
    let scan = keeping.run(&["scan"]);
    let backup = backup(&keeping);
    told(
        &scan,
        &[
            "warning: the ledger was lost (it is missing); nothing is left of it",
            &format!(
                "restored from `[MACHINE]/home/backups/{backup}`: what was used, chosen and changed since then is not known any more"
            ),
            ROOTS,
            HINT,
        ],
    );
    assert_eq!(scan.stdout, "1 skill: 0 new, 0 moved, 0 gone\n");
    // Since the backup one was archived and one was pinned: the root knows, and the ids are the same.
    assert_eq!(
        keeping.no(1, &["archive", "notes"]),
        "error: `notes` is pinned, and stays where it is\nhint: skillkeep unpin notes\n"
    );
    keeping.change(&["restore", "deploy"]);
    assert_eq!([id(&keeping, "deploy"), id(&keeping, "notes")], ids);
    assert_eq!(keeping.ok(&["scan"]).stderr, "");
    assert_eq!(keeping.ok(&["check", "--ledger"]).status, 0);
}

#[test]
fn a_ledger_without_any_backup_is_rebuilt_from_the_roots() {
    let keeping = used();
    let deploy = fs::read_dir(keeping.machine.path("user/.claude/skills/.skillkeep/archive"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.ends_with(".json"))
        .unwrap();
    let notes = id(&keeping, "notes");
    fs::remove_dir_all(keeping.machine.path("home/backups")).unwrap();
    cut(&keeping, LEDGER);
    let before = keeping.tree();
    let scan = keeping.run(&["scan"]);
    assert!(scan.stderr.contains("warning: the ledger was lost (it was cut to "), "{scan:#?}");
    assert!(scan.stderr.contains("there is no backup of it"), "{scan:#?}");
    assert_eq!(scan.stdout, "1 skill: 0 new, 0 moved, 0 gone\n");
    assert_eq!(id(&keeping, "notes"), notes);
    keeping.change(&["restore", "deploy"]);
    assert!(deploy.starts_with(&id(&keeping, "deploy")), "{deploy}");
    keeping.change(&["archive", "deploy"]);
    assert_eq!(keeping.tree(), before);
    let aside = fs::read_dir(keeping.machine.path("home")).unwrap();
    let aside = aside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let aside: Vec<String> = aside
        .filter(|name| name.starts_with("keep.db.damaged-") && !name.ends_with("-wal"))
        .collect();
    assert_eq!(aside.len(), 1, "{aside:?}");
}

#[test]
fn until_a_person_accepts_the_ledger_nobody_else_archives() {
    let mut keeping = Keeping::owned();
    cut(&keeping, LEDGER);
    keeping.ok(&["scan"]);
    let token = keeping.token.take();
    // Its own, which it may put away at all other times.
    keeping.change(&["new", "ship", "--description", "Use to ship."]);
    let refused = keeping.no(1, &["archive", "ship"]);
    assert!(
        refused.starts_with("error: `ship` is not archived: since 2")
            && refused
                .ends_with("hint: a person looks and says so: skillkeep scan --accept-ledger\n"),
        "{refused}"
    );
    assert_eq!(
        keeping.no(1, &["scan", "--accept-ledger"]),
        "error: only a person may accept a ledger, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    keeping.token = token;
    // A person may, meanwhile.
    keeping.change(&["archive", "notes"]);
    assert_eq!(
        keeping.ok(&["scan", "--accept-ledger"]).stdout,
        "2 skills: 0 new, 0 moved, 0 gone\nthe ledger is accepted as it is\n"
    );
    assert_eq!(
        keeping.ok(&["scan", "--accept-ledger"]).stdout,
        "2 skills: 0 new, 0 moved, 0 gone\n"
    );
    keeping.token = None;
    keeping.change(&["archive", "ship"]);
}

#[test]
fn a_damage_inside_is_dealt_with_by_whoever_comes_to_write() {
    let keeping = used();
    let path = keeping.machine.path(LEDGER);
    let whole = fs::read(&path).unwrap();
    // All but the first page, which is all that opening looks at.
    let mut bytes = whole.clone();
    bytes[4_096..].fill(0x5a);
    fs::write(&path, &bytes).unwrap();
    let read = keeping.run(&["log"]);
    assert_eq!(read.status, 3, "{read:#?}");
    assert!(
        read.stderr.contains(
            "hint: to set it aside and begin anew from its newest backup: skillkeep scan --rebuild"
        ),
        "{read:#?}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes, "who reads moves nothing");
    let restored = keeping.run(&["restore", "deploy"]);
    assert_eq!(restored.status, 0, "{restored:#?}");
    assert!(restored.stderr.contains("warning: the ledger was lost ("), "{restored:#?}");
    assert_eq!(keeping.ok(&["scan", "--rebuild"]).stderr, "");
}

#[test]
fn every_word_for_an_archived_copy_brings_that_one_back_to_its_place_with_the_ledger_gone() {
    let keeping = Keeping::owned();
    keeping.ok(&["scan"]);
    let folder = |name: &str| keeping.machine.path(&format!("{ROOT}/{name}"));
    let old = fs::read_to_string(folder("deploy/SKILL.md")).unwrap();
    let first = id(&keeping, "deploy");
    let name = "deploy/SKILL.md";
    let lose = || {
        fs::remove_file(keeping.machine.path(LEDGER)).unwrap();
        fs::remove_dir_all(keeping.machine.path("home/backups")).unwrap_or_default();
    };
    let packet = |skill: &str| {
        let all = fs::read_dir(folder(".skillkeep/archive")).unwrap();
        let mut all = all.map(|it| it.unwrap().file_name().into_string().unwrap());
        all.find(|it| it.starts_with(skill) && !it.ends_with(".json")).unwrap()
    };
    let comes_back = |word: &str, text: &str| {
        lose();
        keeping.change(&["restore", word]);
        assert_eq!(fs::read_to_string(folder(name)).unwrap(), text, "{word}");
        assert_eq!(folder("deploy/scripts/go.sh").exists(), text == old, "{word}");
        keeping.change(&["archive", "deploy"]);
    };
    keeping.change(&["archive", "deploy"]);
    for word in ["deploy", "general/deploy", &first] {
        comes_back(word, &old);
    }
    comes_back(&packet(&first), &old);
    // Another one of that name, which is put away too: each has its own words.
    let new = old.replace("Do it.", "Do it otherwise.");
    keeping.machine.write(&format!("{ROOT}/{name}"), &new);
    keeping.ok(&["scan"]);
    let second = id(&keeping, "deploy");
    assert_ne!(first, second);
    keeping.change(&["archive", "deploy"]);
    let words = [packet(&first), second.clone(), first.clone()];
    for (word, text) in words.iter().zip([&old, &new, &old]) {
        comes_back(word, text);
    }
    comes_back(&packet(&second), &new);
}

#[test]
fn a_backup_is_made_by_who_writes_and_by_nobody_else() {
    let keeping = Keeping::owned();
    for read in [&["list"][..], &["index"], &["log"], &["check"]] {
        keeping.run(read);
    }
    assert!(!keeping.machine.path("home/backups").exists());
    keeping.ok(&["scan"]);
    let first = backup(&keeping);
    keeping.change(&["pin", "notes"]);
    assert_eq!(backup(&keeping), first);
    // Where none can be made, that is said, and nothing is stopped by it.
    let folder = keeping.machine.path("home/backups");
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    let unpin = keeping.ok(&["unpin", "notes"]);
    assert!(
        unpin.stderr.contains("warning: no backup of the ledger could be made: "),
        "{unpin:#?}"
    );
}

#[test]
fn all_that_is_kept_is_looked_at_and_what_is_wrong_is_told() {
    let keeping = used();
    assert_eq!(
        keeping.ok(&["check", "--ledger"]).stdout,
        "2 skills, 4 changes, 4 former texts kept, 1 archived, 1 pin, 0 snapshots: nothing to mend
"
    );
    let ours = "user/.claude/skills/.skillkeep";
    let archive = keeping.machine.path(&format!("{ours}/archive"));
    let sidecar = fs::read_dir(&archive)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|it| it == "json"))
        .unwrap();
    fs::write(&sidecar, "{").unwrap();
    keeping.machine.write(&format!("{ours}/pins"), "[]");
    let objects = keeping.machine.path("home/objects");
    let text = fs::read(keeping.machine.path("user/.claude/skills/notes/SKILL.md")).unwrap();
    let object = fs::read_dir(&objects)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .find(|path| fs::read(path).unwrap() == text)
        .unwrap();
    fs::write(&object, "other bytes").unwrap();
    let backup = backup(&keeping);
    cut(&keeping, &format!("home/backups/{backup}"));
    let found = keeping.run(&["--json", "check", "--ledger"]);
    assert_eq!(found.status, 1, "{found:#?}");
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["schema"], "skillkeep.check-ledger/1");
    let rules: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["rule"].as_str().unwrap())
        .collect();
    assert_eq!(
        rules,
        ["backup-damaged", "object-damaged", "archive-damaged", "archive-missing", "pins-damaged"]
    );
    // A file of pins that says nothing pins everything, and stops nothing else.
    assert!(keeping.no(1, &["archive", "notes"]).contains("is damaged"), "it is not archived");
    keeping.ok(&["scan"]);
    cut(&keeping, LEDGER);
    let found = keeping.run(&["check", "--ledger"]);
    assert_eq!(found.status, 1, "{found:#?}");
    assert!(found.stdout.contains("keep.db: error ledger-damaged: it was cut to "), "{found:#?}");
}

#[test]
fn who_only_reads_is_told_that_the_ledger_is_gone_and_what_finds_it_again() {
    let keeping = used();
    for file in ["keep.db", "keep.db-wal", "keep.db-shm"] {
        drop(fs::remove_file(keeping.machine.path(&format!("home/{file}"))));
    }
    for words in [
        &["curator", "list-archived"][..],
        &["list", "--pinned"],
        &["policy", "backtest", "curator-inactivity"],
        &["policy", "compare", "--verify"],
        &["policy", "compare", "budget-ladder", "budget-codex"],
    ] {
        let ran = keeping.run(words);
        assert_eq!(ran.status, 1, "{ran:#?}");
        assert_eq!(
            ran.stderr,
            "error: the home's ledger is gone\nhint: from backups, archives and folders, with the same ids: skillkeep scan\n"
        );
    }
    assert_eq!(keeping.run(&["scan"]).status, 0);
    assert!(keeping.ok(&["curator", "list-archived"]).stdout.contains("deploy"));
}
