//! Snapshots of real folders: what is in them, which are kept, and how one leaves the home.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::PathBuf};

use super::{World, by, person, put, skill, target};
use crate::{
    change::{ChangeError, Fate, Looks, Retention, RolledBack, Snapshot, Snapshots, Tree, sweep},
    skill::Actor,
    system::OsSystem,
};

impl World {
    pub(super) fn snapshots(&self) -> Snapshots<'_> {
        Snapshots::of(&OsSystem, &self.home)
    }

    pub(super) fn take(&self, reason: &str, keep: usize) -> Result<Snapshot, ChangeError> {
        let by = super::By { reason: reason.to_owned(), ..by(Actor::Curator) };
        self.snapshots().take(&[self.keeper()], &by, keep, &mut Looks::default())
    }

    pub(super) fn roll_back(&self, to: &Snapshot) -> Result<RolledBack, ChangeError> {
        let keepers = [self.keeper()];
        let (allowed, looks) = ([self.root.clone()], &mut Looks::default());
        self.snapshots().roll_back(&keepers, to, &allowed, &person(), (5, looks))
    }

    /// The skills that are in the root, as a snapshot would have them.
    pub(super) fn skills(&self) -> BTreeMap<String, Tree> {
        let keepers = [self.keeper()];
        let looks = Looks::default();
        let (is, _) = crate::change::snapshot::look_at(&keepers, &looks, None).unwrap();
        is.skills().map(|(_, it)| (it.folder.clone(), it.tree.clone())).collect()
    }

    /// What becomes of each skill.
    pub(super) fn fates(&self, to: &Snapshot) -> BTreeMap<String, Fate> {
        let keepers = [self.keeper()];
        let how = (&person(), &Looks::default());
        let plan = self.snapshots().plan(&keepers, to, std::slice::from_ref(&self.root), how);
        plan.unwrap().skills.into_iter().map(|it| (it.folder, it.fate)).collect()
    }

    pub(super) fn files_in_home(&self, folder: &str) -> Vec<String> {
        let mut left = vec![self.home.path.join(folder)];
        let mut all = Vec::new();
        while let Some(at) = left.pop() {
            for entry in fs::read_dir(at).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    left.push(path);
                } else if path.file_name().unwrap() != "lock" {
                    all.push(path.strip_prefix(&self.home.path).unwrap().display().to_string());
                }
            }
        }
        all.sort();
        all
    }
}

#[test]
fn ten_of_an_unchanged_library_are_one_list_and_ten_lines() {
    let world = World::new();
    world.create(Some("ops"), "one").unwrap();
    world.create(None, "two").unwrap();
    let first = world.take("before a pass", 20).unwrap();
    let objects = world.files_in_home("objects");
    let all: Vec<Snapshot> = (0..9).map(|_| world.take("again", 20).unwrap()).collect();
    assert!(all.iter().all(|it| it.manifest == first.manifest));
    assert_eq!(world.files_in_home("objects"), objects);
    let files = world.files_in_home("snapshots");
    assert_eq!(files.iter().filter(|it| it.ends_with(".manifest.json")).count(), 1, "{files:?}");
    assert_eq!(files.len(), 11, "{files:?}");
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.home.path.join("snapshots")), 0o700);
    assert!(files.iter().all(|it| mode(world.home.path.join(it)) == 0o600));
    assert_eq!((first.skills, first.files, first.reason.as_str()), (2, 4, "before a pass"));
    assert_eq!(first.actor, Actor::Curator);
    assert_eq!(
        first.bytes,
        world.skills().values().flat_map(|it| &it.files).map(|it| it.1.size).sum::<u64>()
    );
    // Whoever asks for the newest gets it, though they are of one second or two.
    assert_eq!(world.snapshots().resolve(None).unwrap(), all[8]);
    assert_eq!(world.snapshots().resolve(Some(&first.id)).unwrap(), first);
    assert_eq!(world.snapshots().verify(&first, true).unwrap(), []);
}

#[test]
fn what_is_not_there_is_said_with_what_is_called_like_it() {
    let world = World::new();
    let none = world.snapshots().resolve(None).unwrap_err();
    assert_eq!(none.to_string(), "there are no snapshots");
    let made = world.take("", 5).unwrap();
    let day = &made.id[..10];
    let error = world.snapshots().resolve(Some(day)).unwrap_err();
    assert_eq!(error.to_string(), format!("there is no snapshot `{day}`"));
    assert_eq!(error.hint(), Some(format!("did you mean `{}`?", made.id)));
}

#[test]
fn what_is_heavy_is_left_out_by_name_and_growth_is_bounded() {
    let world = World::new();
    let id = world.create(None, "model").unwrap().skill;
    for folder in [".git", ".venv/lib", "node_modules/x", "scripts/__pycache__"] {
        world.intrude(&format!("model/{folder}/big"), &"x".repeat(100_000));
    }
    let big = fs::File::create(world.root.join("model/weights.bin")).unwrap();
    big.set_len(64 * 1024 * 1024 + 1).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.root.join("model/pipe"), 0o600.into()).unwrap();
    let all: Vec<Snapshot> = (0..5).map(|_| world.take("", 5).unwrap()).collect();
    let objects = world.files_in_home("objects");
    assert!(objects.len() < 8, "{objects:?}");
    let manifest = world.snapshots().manifest(&all[0]).unwrap();
    let left_out = &manifest.roots[0].skills[0].left_out;
    let told: Vec<String> =
        left_out.iter().map(|it| format!("{}: {} {:?}", it.path, it.why, it.bytes)).collect();
    assert_eq!(
        told,
        [
            ".git: `.git` None",
            ".venv: `.venv` None",
            "node_modules: `node_modules` None",
            "pipe: it is a pipe, a socket or a device None",
            "scripts/__pycache__: `__pycache__` None",
            "weights.bin: a file larger than 64 MiB Some(67108865)",
        ]
    );
    // Who goes back leaves it where it is.
    let edit = [put("SKILL.md", &skill("model", "Other.\n"))];
    world.keeper().write(target(id, "model"), &edit, &person()).unwrap();
    let rolled = world.roll_back(&all[0]).unwrap();
    assert_eq!(rolled.done.len(), 1);
    assert!(world.is_there("model/.git/big") && world.is_there("model/weights.bin"));
    assert_eq!(world.text("model/SKILL.md"), skill("model", "Do it.\n"));
}

#[test]
fn of_more_than_are_kept_the_oldest_go_and_what_only_they_needed() {
    let world = World::new();
    world.create(None, "one").unwrap();
    // Nobody else ever named these bytes: no scan came by.
    world.intrude("one/notes.md", "only here\n");
    let first = world.take("", 2).unwrap();
    let digest = crate::ledger::Digest::of(b"only here\n");
    let there = || world.keeper().objects.bytes(&digest).is_ok();
    let clean = || sweep(&OsSystem, &world.ledger, &world.home, Retention::default()).unwrap();
    assert!(there());
    fs::remove_file(world.root.join("one/notes.md")).unwrap();
    let second = world.take("", 2).unwrap();
    clean();
    assert!(there(), "a snapshot needs it");
    let third = world.take("", 2).unwrap();
    assert_eq!(world.snapshots().list().unwrap(), [third, second]);
    assert!(there(), "nothing goes but by a sweep");
    assert_eq!(clean().objects, 1);
    assert!(!there());
    let lists = world.files_in_home("snapshots").into_iter().filter(|it| it.contains("dropped"));
    assert_eq!(lists.count(), 0);
    let error = world.snapshots().resolve(Some(&first.id)).unwrap_err();
    assert!(matches!(error, ChangeError::NoSuchSnapshot { .. }), "{error}");
}

#[test]
fn a_list_that_is_damaged_lets_nothing_go_and_is_not_gone_back_to() {
    let world = World::new();
    world.create(None, "one").unwrap();
    world.intrude("one/notes.md", "only here\n");
    let made = world.take("", 5).unwrap();
    let list = world.home.path.join(format!("snapshots/{}.manifest.json", made.manifest));
    fs::write(&list, "{}").unwrap();
    let before = world.tree();
    assert!(matches!(world.roll_back(&made), Err(ChangeError::Damaged { .. })));
    let swept = sweep(&OsSystem, &world.ledger, &world.home, Retention::default());
    assert!(matches!(swept, Err(ChangeError::Damaged { .. })), "{swept:?}");
    assert_eq!(world.tree(), before);
    // The next one of the same state writes it anew.
    world.take("", 5).unwrap();
    assert_eq!(world.snapshots().verify(&made, true).unwrap(), []);
}

#[test]
fn an_exported_snapshot_has_the_same_bytes_twice_and_holds_all_of_it() {
    let world = World::new();
    world.create(Some("ops"), "one").unwrap();
    let long = format!("ops/one/{}/{}.md", "deep".repeat(30), "name".repeat(30));
    world.intrude(&long, "long\n");
    std::os::unix::fs::symlink("SKILL.md", world.root.join("ops/one/link")).unwrap();
    let made = world.take("", 5).unwrap();
    let to = |name: &str| world.home.path.join(name);
    let first = world.snapshots().export(&made, &to("a.tar.gz")).unwrap();
    let second = world.snapshots().export(&made, &to("b.tar.gz")).unwrap();
    assert_eq!(first.digest, second.digest);
    assert_eq!(fs::read(to("a.tar.gz")).unwrap(), fs::read(to("b.tar.gz")).unwrap());
    assert_eq!(first.files, 4);
    let there = world.snapshots().export(&made, &to("a.tar.gz")).unwrap_err();
    assert!(there.to_string().contains("a.tar.gz"), "{there}");
    let out = world.home.path.join("out");
    fs::create_dir(&out).unwrap();
    let packed = flate2::read::GzDecoder::new(fs::File::open(to("a.tar.gz")).unwrap());
    tar::Archive::new(packed).unpack(&out).unwrap();
    assert_eq!(fs::read_to_string(out.join("root").join(&long)).unwrap(), "long\n");
    assert_eq!(fs::read_link(out.join("root/ops/one/link")).unwrap(), PathBuf::from("SKILL.md"));
    let mode = fs::metadata(out.join("root/ops/one/scripts/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}
