//! Each act is cut off at every operation of a disk that can lose its power, and each operation fails in turn. Afterwards
//! every skill is whole, old or new, the ledger says the same as the disk, nothing is left over, and the next command works.
//!
//! `SKILLKEEP_CRASH_ROUNDS` asks for more rounds than one for each place and fault, `SKILLKEEP_CRASH_SEED` for others; what
//! fails names both, so that it can be had again.

use std::{collections::BTreeMap, path::Path};

use super::{
    agent, observe, person, put, skill,
    taking::{elsewhere, record},
    target,
};
use crate::{
    change::{
        Act, Base, ChangeError, Clash, Edit, Home, Keeper, Looks, NewSkill, Sighting, Tree,
        Unruled,
        patch::{How, Patch},
        turn_down,
        wanted::Wanted,
    },
    ledger::{
        Digest, Found, Ledger, NewRoot, PendingState, PutAway, RootId, Source, Step, Takeover,
    },
    library::{Library, scan},
    skill::{Actor, Instant, OneLine, Root, SkillId, State},
    system::{At, Disk as _, Failure, Fault, OsSystem, Seen, SimulatedDisk, System},
};

pub(super) const ROOT: &str = "/root";

/// A home and a root on a disk that is only thought of, and a ledger that loses nothing.
pub(super) struct Stage {
    pub(super) ledger: Ledger,
    pub(super) home: Home,
    pub(super) root: RootId,
    pub(super) id: SkillId,
}

impl Stage {
    /// With one skill, and what an act needs to be there.
    pub(super) fn of(act: &str) -> (Stage, SimulatedDisk) {
        let disk = SimulatedDisk::new(7);
        disk.put_folder(ROOT, 0o755);
        disk.put_folder("/home", 0o700);
        let ledger = Ledger::in_memory().unwrap();
        let root = ledger
            .add_root(&NewRoot {
                path: ROOT.into(),
                label: OneLine::new("mine"),
                owned: true,
                trusted: true,
                precedence: 0,
                at: Instant(0),
            })
            .unwrap();
        let home = Home { id: "one".to_owned(), path: "/home".into() };
        Keeper::own(&disk, Path::new(ROOT), &home).unwrap();
        let mut stage = Stage { ledger, home, root, id: SkillId::from_random(0) };
        stage.id = stage.create(&disk, Some("ops"), "deploy").unwrap();
        let me = target(stage.id, "ops/deploy");
        if act == "undo" {
            let edits = [
                put("SKILL.md", &skill("deploy", "Undone.\n")),
                put("assets/a", "a\n"),
                Edit::Remove { path: "scripts/run.sh".to_owned(), base: Base::Any },
            ];
            stage.keeper(&disk).write(me, &edits, &person()).unwrap();
        }
        if matches!(act, "restore" | "purge") {
            stage.keeper(&disk).archive(me, &person()).unwrap();
        }
        if act == "take in" {
            stage.put_away_by_another(&disk);
        }
        if act == "have wait" {
            stage.take_over(Vec::new());
        }
        if act == "scan several" {
            for name in ["one", "two"] {
                disk.put_file(format!("/root/new/{name}/SKILL.md"), skill(name, "Found.\n"), 0o644);
                disk.put_file(format!("/root/new/{name}/assets/a"), name, 0o600);
            }
        }
        if matches!(act, "outside" | "scan several" | "take back") {
            disk.put_file("/root/ops/deploy/SKILL.md", "by hand", 0o600);
            disk.put_file("/root/ops/deploy/mine/x", "x", 0o600);
        }
        if act == "take back" {
            let keeper = stage.keeper(&disk).watching(true);
            observe(&keeper, &mut Looks::default(), stage.id, "ops/deploy", None).unwrap();
        }
        if matches!(act, "approve" | "reject") {
            // The second is put on what the first leaves, the third doesn't fit then.
            for (old, new) in [("Do ", "Make "), ("it.", "that."), ("Do it", "Go")] {
                stage.propose(&disk, old, new).unwrap();
            }
        }
        (stage, disk)
    }

    /// Another program moved the skill into an archive of its own, and the home knows.
    fn put_away_by_another(&self, disk: &SimulatedDisk) {
        disk.put_folder("/root/.archive", 0o755);
        let at = |below| At { top: Path::new(ROOT), below };
        disk.move_to(at("ops/deploy"), at(".archive/deploy")).unwrap();
        for folder in ["ops", ".archive"] {
            disk.sync_folder(at(folder)).unwrap();
        }
        let found = Found {
            root: self.root,
            folder: ".archive/deploy".to_owned(),
            name: "deploy".to_owned(),
            category: "general".to_owned(),
            device: 1,
            inode: 1,
            digest: None,
            sketch: None,
        };
        self.take_over(vec![PutAway { id: self.id, found, since: Instant(0) }]);
    }

    /// Something is taken over from another program, so that it is known.
    fn take_over(&self, put_away: Vec<PutAway>) {
        let source = Source {
            program: "hermes".to_owned(),
            place: "/h".to_owned(),
            digest: Digest::of(b""),
            last: Instant(0),
            kept: "{}".to_owned(),
        };
        let takeover = Takeover {
            source,
            planned_on: 0,
            put_away,
            events: Vec::new(),
            origins: Vec::new(),
            pins: Vec::new(),
            states: Vec::new(),
            since: Vec::new(),
            references: None,
            marks: Vec::new(),
        };
        self.ledger.take_over(&takeover).unwrap();
    }

    pub(super) fn keeper<'a>(&'a self, disk: &'a SimulatedDisk) -> Keeper<'a> {
        Keeper::open(disk, &self.ledger, &self.home, self.root, Path::new(ROOT)).unwrap()
    }

    pub(super) fn create(
        &self,
        disk: &SimulatedDisk,
        category: Option<&str>,
        name: &str,
    ) -> Result<SkillId, ChangeError> {
        let root = Root { path: ROOT.into(), label: OneLine::new("mine"), category: None };
        let library = scan(disk, &[root], None);
        let script = Edit::Put {
            path: "scripts/run.sh".to_owned(),
            bytes: b"#!/bin/sh\n".to_vec(),
            mode: Some(0o755),
            base: Base::Absent,
        };
        let files = [put("SKILL.md", &skill(name, "Do it.\n")), script];
        let new = NewSkill { name, category, files: &files, clash: Clash::Refuse };
        self.keeper(disk).create(&new, &library, &agent()).map(|done| done.skill)
    }

    /// An agent's write, which waits.
    fn propose(&self, disk: &SimulatedDisk, old: &str, new: &str) -> Result<(), ChangeError> {
        let text = skill("deploy", "Do it.\n");
        let edits = [Edit::Patch {
            path: "SKILL.md".to_owned(),
            patch: Patch::new(Some(old), Some(new), How::Once).unwrap(),
            base: Base::Read(Digest::of(text.as_bytes())),
        }];
        let keeper = self.keeper(disk).judged_by(&Unruled, true);
        match keeper.write(target(self.id, "ops/deploy"), &edits, &agent()) {
            Err(ChangeError::Waits(_)) => Ok(()),
            other => other.map(drop),
        }
    }

    fn look(&self, disk: &SimulatedDisk) -> Looked {
        let keeper = self.keeper(disk);
        // What waits is looked at after a change, by this one or by the next.
        keeper.look_again(&[self.id]).unwrap();
        let known = self.ledger.skill(self.id).unwrap().unwrap();
        let all = disk.tree(ROOT);
        let archived = keeper.archived().unwrap();
        Looked {
            state: known.state,
            changes: self.ledger.history().unwrap().len(),
            archived: archived
                .into_iter()
                .map(|one| (all.contains_key(&one.folder()), one.sidecar.tree))
                .collect(),
            pinned: (known.pinned, keeper.pins().unwrap().values().any(|pin| pin.skill == self.id)),
            queue: self
                .ledger
                .ever_pending()
                .unwrap()
                .iter()
                .map(|it| (it.state, it.rebased, it.change.is_some()))
                .collect(),
            ours: all.keys().filter(|path| path.starts_with(".skillkeep/archive/")).count(),
            tree: all.into_iter().filter(|(path, _)| !path.starts_with(".skillkeep")).collect(),
        }
    }
}

/// All that an act may change, but for times and for what is drawn.
#[derive(Clone, Debug, PartialEq)]
struct Looked {
    tree: BTreeMap<String, Seen>,
    state: State,
    changes: usize,
    archived: Vec<(bool, Tree)>,
    pinned: (bool, bool),
    queue: Vec<(PendingState, bool, bool)>,
    ours: usize,
}

type Does = fn(&Stage, &SimulatedDisk) -> Result<(), ChangeError>;

const ACTS: [(&str, Does); 16] = [
    ("create", |stage, disk| stage.create(disk, Some("new"), "other").map(drop)),
    ("write one", |stage, disk| {
        let edits = [put("SKILL.md", &skill("deploy", "New.\n"))];
        stage.keeper(disk).write(target(stage.id, "ops/deploy"), &edits, &person()).map(drop)
    }),
    ("write several", |stage, disk| {
        let edits = [
            put("SKILL.md", &skill("deploy", "New.\n")),
            put("references/deep/a.md", "a\n"),
            Edit::Remove { path: "scripts/run.sh".to_owned(), base: Base::Any },
        ];
        stage.keeper(disk).write(target(stage.id, "ops/deploy"), &edits, &person()).map(drop)
    }),
    ("archive", |stage, disk| {
        stage.keeper(disk).archive(target(stage.id, "ops/deploy"), &agent()).map(drop)
    }),
    ("restore", |stage, disk| {
        let keeper = stage.keeper(disk);
        let archived = keeper.archived()?.remove(0);
        keeper.restore(&archived, None, &person()).map(drop)
    }),
    ("take in", |stage, disk| {
        let skill = target(stage.id, ".archive/deploy");
        stage.keeper(disk).take_from_elsewhere(skill, &person()).map(drop)
    }),
    ("undo", |stage, disk| {
        let newest = stage.ledger.changes(Some(stage.id), 1)?.remove(0);
        stage.keeper(disk).undo(newest.id, &person()).map(drop)
    }),
    ("pin", |stage, disk| {
        stage.keeper(disk).pin(target(stage.id, "ops/deploy"), &person()).map(drop)
    }),
    ("outside", |stage, disk| {
        let keeper = stage.keeper(disk);
        observe(&keeper, &mut Looks::default(), stage.id, "ops/deploy", None).map(drop)
    }),
    ("scan several", |stage, disk| {
        let (keeper, mut looks) = (stage.keeper(disk), Looks::default());
        let scan = keeper.scan()?;
        let new = [10, 11].map(SkillId::from_random);
        let folders = ["ops/deploy", "new/one", "new/two"];
        let seen = [stage.id].into_iter().chain(new).zip(folders).map(|(id, folder)| {
            let (folder, looked) = (folder.to_owned(), scan.look(folder, &looks)?);
            Ok(Sighting { id, folder, formerly: None, looked })
        });
        let seen = seen.collect::<Result<Vec<_>, ChangeError>>()?;
        let done = scan.record(seen, &mut looks)?;
        // What was written down has its bytes, whatever happens next.
        for step in done.iter().flat_map(|it| &it.steps) {
            if let Step::Put { before: Some(before), after, .. } = step {
                keeper.objects.bytes(&before.digest)?;
                keeper.objects.bytes(&after.digest)?;
            }
        }
        assert_eq!(done.len(), 3);
        Ok(())
    }),
    ("stage", |stage, disk| stage.propose(disk, "Do ", "Make ")),
    ("have wait", |stage, disk| {
        let edits = [put("SKILL.md", &skill("deploy", "New.\n")), put("assets/a", "a\n")];
        let me = target(stage.id, "ops/deploy");
        let write = elsewhere(Act::Write(me, &edits), Actor::Review);
        let library = Library::default();
        stage.keeper(disk).have_wait(&write, &record("one"), &library).map(drop)
    }),
    ("approve", |stage, disk| {
        let root = Root { path: ROOT.into(), label: OneLine::new("mine"), category: None };
        let library = scan(disk, &[root], None);
        let first = stage.ledger.waiting(None)?.remove(0);
        let keeper = stage.keeper(disk);
        let shown = keeper.proposal(&first, &library)?.shown.unwrap_or(Digest([0; 32]));
        keeper.approve(first.id, &shown, &library, &person()).map(drop)
    }),
    ("reject", |stage, disk| {
        let first = stage.ledger.waiting(None)?.remove(0);
        turn_down(disk, &stage.ledger, first.id, &person())
    }),
    ("take back", |stage, disk| {
        let first = stage.ledger.waiting(None)?.remove(0);
        stage.keeper(disk).take_back(first.id, &person()).map(drop)
    }),
    ("purge", |stage, disk| {
        let keeper = stage.keeper(disk);
        let archived = keeper.archived()?.remove(0);
        let plan = keeper.purge_plan(&archived)?;
        keeper.purge(plan, &person()).map(drop)
    }),
];

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wrong {
    /// The machine stops there.
    Stops(Fault),
    /// One operation fails.
    Once(Failure),
    /// It and all that come after it fail, until somebody mends the disk.
    All(Failure),
}

impl Wrong {
    /// Sets it up for the operation of this number.
    pub(super) fn befalls(self, disk: &SimulatedDisk, at: usize) {
        match self {
            Wrong::Stops(fault) => disk.fault(at, fault),
            Wrong::Once(failure) => disk.fault(at, Fault::Fail(failure)),
            Wrong::All(failure) => {
                (at..at + 300).for_each(|at| disk.fault(at, Fault::Fail(failure)));
            }
        }
    }
}

pub(super) fn wrongs() -> impl Iterator<Item = Wrong> {
    [Wrong::Stops(Fault::CrashBefore), Wrong::Stops(Fault::CrashAfter)]
        .into_iter()
        .chain(Failure::ALL.map(Wrong::Once))
        .chain([Wrong::All(Failure::NoSpace), Wrong::All(Failure::NotPermitted)])
}

pub(super) fn number(variable: &str) -> Option<u64> {
    OsSystem.variable(variable)?.parse().ok()
}

#[test]
fn whatever_fails_each_skill_is_whole_and_the_next_command_works() {
    let mut places = Vec::new();
    for (name, act) in ACTS {
        let (stage, disk) = Stage::of(name);
        let old = stage.look(&disk);
        disk.forget_operations();
        act(&stage, &disk).unwrap();
        let operations = disk.operations();
        let new = stage.look(&disk);
        assert_ne!(old, new, "{name}");
        for (at, operation) in operations.iter().enumerate() {
            for wrong in wrongs() {
                let told = format!("{name}, {wrong:?} at {} `{operation}`", at + 1);
                places.push((name, act, at + 1, wrong, old.clone(), new.clone(), told));
            }
        }
    }
    let rounds = number("SKILLKEEP_CRASH_ROUNDS").unwrap_or(0).max(places.len() as u64);
    let first = number("SKILLKEEP_CRASH_SEED").unwrap_or(0);
    assert!(places.len() > 1_000, "{}", places.len());
    for round in 0..rounds {
        let (name, act, at, wrong, old, new, told) =
            &places[usize::try_from(round).unwrap() % places.len()];
        let seed = first.wrapping_add(round);
        let told = format!(
            "{told}; seed {seed}: SKILLKEEP_CRASH_SEED={first} SKILLKEEP_CRASH_ROUNDS={rounds}"
        );
        let (stage, disk) = Stage::of(name);
        disk.forget_operations();
        wrong.befalls(&disk, *at);
        let result = act(&stage, &disk);
        let disk = begun_again(&stage, disk, seed);
        let recovered = stage.keeper(&disk).recover();
        assert!(recovered.is_ok(), "{told}: {recovered:?}");
        let found = stage.look(&disk);
        match (result, wrong) {
            (Ok(()), _) => assert_eq!(&found, new, "{told}"),
            // What was refused without a word of going on has changed nothing.
            (Err(error), Wrong::Once(_) | Wrong::All(_))
                if !matches!(error, ChangeError::Unfinished { .. }) =>
            {
                assert_eq!(&found, old, "{told}: {error}");
            }
            (Err(error), _) => {
                assert!(&found == old || &found == new, "{told}: {error}: {found:#?}");
            }
        }
        assert_eq!(stage.ledger.unfinished(stage.root).unwrap(), [], "{told}");
        if *name == "scan several" {
            let objects = stage.keeper(&disk).objects;
            for step in stage.ledger.history().unwrap().into_iter().flat_map(|it| it.change.steps) {
                let Step::Put { after, .. } = step else { continue };
                assert!(objects.bytes(&after.digest).is_ok(), "{told}");
            }
        }
        // Nothing waits whose texts could be lost.
        for waits in stage.ledger.waiting(None).unwrap() {
            let objects = stage.keeper(&disk).objects;
            // Of what others did nothing is written down but the change.
            let wanted = Wanted::read(&waits.asked.wanted).map_or(Vec::new(), |it| it.objects());
            for text in wanted {
                assert!(objects.bytes(&text).is_ok(), "{told}");
            }
        }
        let all = disk.tree(ROOT);
        let left = |path: &&String| path.starts_with(".skillkeep/staging/");
        assert_eq!(all.keys().find(left), None, "{told}");
        let next = stage.create(&disk, None, "next");
        assert!(next.is_ok(), "{told}: {next:?}");
    }
}

/// The disk after it was mended, or the machine was started again; every third time it stops once more while recovering.
pub(super) fn begun_again(stage: &Stage, disk: SimulatedDisk, seed: u64) -> SimulatedDisk {
    let again = |disk: &SimulatedDisk, seed: u64| {
        if seed.is_multiple_of(4) { disk.after_kill() } else { disk.after_crash(seed) }
    };
    if !disk.has_crashed() {
        disk.heal();
        return disk;
    }
    let disk = again(&disk, seed);
    if !seed.is_multiple_of(3) {
        return disk;
    }
    disk.fault(1 + usize::try_from(seed / 3 % 17).unwrap(), Fault::CrashAfter);
    drop(stage.keeper(&disk).recover());
    if disk.has_crashed() {
        return again(&disk, seed ^ 0x5eed);
    }
    disk.heal();
    disk
}
