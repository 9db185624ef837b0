//! Scans one after the other: what is opened again and what isn't, and what is never believed.

use std::path::{Path, PathBuf};

use crate::{
    change::{Done, Home, Keeper, Looks, Sighting},
    ledger::{Ledger, NewRoot, RootId, Verb},
    skill::{Instant, OneLine, SkillId},
    system::SimulatedDisk,
};

const ROOT: &str = "/root";
const FILE: &str = "/home/cache/looks";

struct Stage {
    disk: SimulatedDisk,
    ledger: Ledger,
    home: Home,
    root: RootId,
}

impl Stage {
    fn new() -> Stage {
        let disk = SimulatedDisk::new(3);
        disk.put_folder(ROOT, 0o755);
        disk.put_folder("/home", 0o700);
        for name in ["a", "b"] {
            disk.put_file(format!("{ROOT}/{name}/SKILL.md"), format!("about {name}"), 0o644);
            disk.put_file(format!("{ROOT}/{name}/scripts/run.sh"), "run", 0o755);
        }
        let ledger = Ledger::in_memory().unwrap();
        let root = NewRoot {
            path: ROOT.into(),
            label: OneLine::new("mine"),
            owned: true,
            trusted: true,
            precedence: 0,
            at: Instant(0),
        };
        let root = ledger.add_root(&root).unwrap();
        let home = Home { id: "one".to_owned(), path: "/home".into() };
        Keeper::own(&disk, Path::new(ROOT), &home).unwrap();
        Stage { disk, ledger, home, root }
    }

    fn keeper(&self) -> Keeper<'_> {
        Keeper::open(&self.disk, &self.ledger, &self.home, self.root, Path::new(ROOT)).unwrap()
    }

    /// A scan of both skills: the files that it read, and what it wrote down.
    fn scan(&self) -> (Vec<String>, Vec<Done>) {
        let mut looks = Looks::open(&self.disk, Some(PathBuf::from(FILE)));
        let keeper = self.keeper();
        let scan = keeper.scan().unwrap();
        let (mut read, mut seen) = (Vec::new(), Vec::new());
        for (number, folder) in (1..).zip(["a", "b"]) {
            let looked = scan.look(folder, &looks).unwrap();
            read.extend(looked.read.iter().map(|path| format!("{folder}/{path}")));
            let (id, folder) = (SkillId::from_random(number), folder.to_owned());
            seen.push(Sighting { id, folder, formerly: None, looked });
        }
        let done = scan.record(seen, &mut looks).unwrap();
        looks.close(&self.disk);
        (read, done)
    }
}

#[test]
fn a_file_that_is_what_it_was_is_not_opened_again() {
    let stage = Stage::new();
    stage.disk.advance(10);
    let (read, done) = stage.scan();
    assert_eq!(read, ["a/SKILL.md", "a/scripts/run.sh", "b/SKILL.md", "b/scripts/run.sh"]);
    let verbs = |done: &[Done]| -> Vec<Verb> {
        done.iter().map(|it| stage.ledger.change(it.id).unwrap().unwrap().change.verb).collect()
    };
    assert_eq!(verbs(&done), [Verb::Found, Verb::Found]);
    assert_eq!(stage.scan(), (vec![], vec![]));
    stage.disk.put_file(format!("{ROOT}/b/scripts/run.sh"), "now", 0o755);
    stage.disk.advance(10);
    let (read, done) = stage.scan();
    assert_eq!(
        (read.as_slice(), verbs(&done)),
        (&["b/scripts/run.sh".to_owned()][..], vec![Verb::Outside])
    );
    assert_eq!(stage.scan(), (vec![], vec![]));
    // Other permissions are another state, and no other bytes.
    stage.disk.put_file(format!("{ROOT}/a/scripts/run.sh"), "run", 0o700);
    stage.disk.advance(10);
    let (read, done) = stage.scan();
    assert_eq!((read.len(), verbs(&done)), (1, vec![Verb::Outside]));
}

#[test]
fn a_file_that_may_change_again_in_the_same_moment_is_read_again() {
    let stage = Stage::new();
    assert_eq!(stage.scan().0.len(), 4);
    let (read, done) = stage.scan();
    assert_eq!((read.len(), done), (4, vec![]));
    // The clock is set back: what is to come is no more believed than what is just now.
    stage.disk.advance(-100);
    assert_eq!(stage.scan().0.len(), 4);
    stage.disk.advance(200);
    assert_eq!((stage.scan().0.len(), stage.scan().0.len()), (4, 0));
}

#[test]
fn what_scans_saw_can_be_lost() {
    let stage = Stage::new();
    stage.disk.advance(10);
    stage.scan();
    let Some(crate::system::Seen::File(_, whole)) = stage.disk.tree("/").remove("home/cache/looks")
    else {
        panic!("nothing was kept");
    };
    let mut turned = whole.clone();
    turned[40] ^= 1;
    for bytes in [vec![], whole[..whole.len() - 1].to_vec(), turned, b"of another program".to_vec()]
    {
        stage.disk.put_file(FILE, bytes, 0o600);
        let (read, done) = stage.scan();
        assert_eq!((read.len(), done), (4, vec![]));
        assert_eq!(stage.scan().0.len(), 0);
    }
}

#[test]
fn an_object_that_was_lost_is_kept_again_with_the_next_change() {
    let stage = Stage::new();
    stage.disk.advance(10);
    let (_, done) = stage.scan();
    // The ledger is another one, and knows no file: all of them are written down again, and must have their bytes.
    let fresh = Stage { ledger: Stage::new().ledger, ..stage };
    let objects = fresh.keeper().objects;
    for path in fresh.disk.tree("/home/objects").keys().filter(|path| path.contains('/')) {
        let path = format!("objects/{path}");
        let at = crate::system::At { top: Path::new("/home"), below: &path };
        crate::system::Disk::remove_file(&fresh.disk, at).unwrap();
    }
    let (read, again) = fresh.scan();
    assert_eq!((read.len(), again.len()), (0, done.len()));
    for step in again.iter().flat_map(|it| &it.steps) {
        if let crate::ledger::Step::Put { after, .. } = step {
            assert!(objects.bytes(&after.digest).is_ok());
        }
    }
}
