//! A process that changes skills without a pause is killed again and again, on real files and a real ledger.
//!
//! `SKILLKEEP_KILL_ROUNDS` asks for more rounds.

#![allow(clippy::print_stderr, reason = "the child says that it has begun")]

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use super::{observe, person, put, skill, target};
use crate::{
    change::{Base, Clash, Edit, Home, Keeper, Looks, NewSkill},
    ledger::{Access, Ledger, NewRoot, RootId},
    library::Library,
    skill::{Instant, OneLine, State},
    system::{Disk, OsSystem, System},
};

const CHILD: &str = "SKILLKEEP_TEST_CHANGES";

struct Place {
    root: PathBuf,
    home: Home,
    ledger: Ledger,
    id: RootId,
}

impl Place {
    fn at(top: &Path) -> Place {
        let (root, home) = (top.join("root"), top.join("home"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&home).unwrap();
        let home = Home { id: "one".to_owned(), path: home };
        let ledger = Ledger::open(&home.path.join("keep.db"), Access::Write).unwrap().ledger;
        let new = NewRoot {
            path: root.clone(),
            label: OneLine::new("mine"),
            owned: true,
            trusted: true,
            precedence: 0,
            at: Instant(0),
        };
        let id = ledger.add_root(&new).unwrap();
        Keeper::own(&OsSystem, &root, &home).unwrap();
        Place { root, home, ledger, id }
    }

    fn keeper(&self) -> Keeper<'_> {
        Keeper::open(&OsSystem, &self.ledger, &self.home, self.id, &self.root).unwrap()
    }
}

/// Three files that are only ever written together.
fn files(name: &str, number: u64) -> [Edit; 3] {
    let line = format!("number {number}\n");
    [
        put("SKILL.md", &skill(name, &line)),
        put("references/deep/a.md", &line),
        Edit::Put {
            path: "scripts/b.sh".to_owned(),
            bytes: line.into_bytes(),
            mode: Some(0o700 + u32::try_from(number % 8).unwrap()),
            base: Base::Any,
        },
    ]
}

/// No test of its own: what the process of the next one runs.
#[test]
fn a_process_that_changes() {
    let Some(top) = OsSystem.variable(CHILD) else { return };
    let place = Place::at(Path::new(&top));
    let keeper = place.keeper();
    let mut number = OsSystem.random() >> 1;
    eprint!("r");
    loop {
        number += 1;
        let name = format!("s{number:x}");
        let new = NewSkill {
            name: &name,
            category: Some("ops"),
            files: &files(&name, number),
            clash: Clash::Refuse,
        };
        let made = keeper.create(&new, &Library::default(), &person()).unwrap();
        let folder = format!("ops/{name}");
        let me = target(made.skill, &folder);
        let written = keeper.write(me, &files(&name, number + 1), &person()).unwrap();
        keeper.undo(written.id, &person()).unwrap();
        keeper.archive(me, &person()).unwrap();
        let archived = keeper.archived().unwrap();
        let archived = archived.into_iter().find(|one| one.sidecar.id == made.skill).unwrap();
        keeper.restore(&archived, None, &person()).unwrap();
        keeper.pin(me, &person()).unwrap();
    }
}

#[test]
fn a_process_that_is_killed_leaves_every_skill_whole() {
    let folder = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let rounds = OsSystem.variable("SKILLKEEP_KILL_ROUNDS").and_then(|text| text.parse().ok());
    for round in 0..rounds.unwrap_or(12_u64) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "change::tests::killed::a_process_that_changes"])
            .env(CHILD, &top)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut began = [0];
        child.stderr.as_mut().unwrap().read_exact(&mut began).unwrap();
        std::thread::sleep(Duration::from_micros(OsSystem.random() % 60_000));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        agrees(&Place::at(&top), round);
    }
}

/// Whether ledger and disk agree on all skills, and each is whole.
fn agrees(place: &Place, round: u64) {
    let keeper = place.keeper();
    keeper.recover().unwrap();
    assert_eq!(place.ledger.unfinished(place.id).unwrap(), []);
    let archived = keeper.archived().unwrap();
    let mut folders = 0;
    for known in place.ledger.skills().unwrap() {
        let told = format!("round {round}: {known:?}");
        let away: Vec<_> = archived.iter().filter(|one| one.sidecar.id == known.id).collect();
        let folder = match known.state {
            State::Archived => {
                assert_eq!(away.len(), 1, "{told}");
                away[0].folder()
            }
            State::Active => {
                assert_eq!(away, [] as [&crate::change::Archived; 0], "{told}");
                folders += 1;
                known.folder.clone()
            }
            other => panic!("{other:?}: {told}"),
        };
        let text = |path: &str| fs::read_to_string(place.root.join(&folder).join(path)).unwrap();
        let line = text("references/deep/a.md");
        assert!(text("SKILL.md").ends_with(&format!("---\n{line}")), "{told}");
        assert_eq!(text("scripts/b.sh"), line, "{told}");
        if known.state == State::Active {
            let outside = observe(&keeper, &mut Looks::default(), known.id, &known.folder, None);
            assert_eq!(outside.unwrap(), None, "{told}");
        }
    }
    let ops = fs::read_dir(place.root.join("ops")).map(Iterator::count);
    assert_eq!(ops.unwrap_or(0), folders, "round {round}");
    assert_eq!(place.ledger.check().unwrap(), []);
}
