//! A kept library is what a walk would find now, whatever was done to its files, without anybody waiting.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests with real files"
)]

use std::{
    fs, io,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;

use super::{Warm, keeper};
use crate::{
    library::Library,
    system::{Change, Changes, OsSystem, System},
    world::{Where, World},
};

/// A root beside a home and beside a folder that no root holds.
struct There {
    folder: tempfile::TempDir,
    roots: Vec<PathBuf>,
    said: Arc<Mutex<Vec<String>>>,
}

impl There {
    fn new() -> There {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for part in ["root", "out", "home"] {
            fs::create_dir(top.join(part)).unwrap();
        }
        let there = There { roots: vec![top.join("root")], folder, said: Arc::default() };
        there.skill("root/kept/always", 0);
        there
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn place<'a>(&'a self, home: &'a Path) -> Where<'a> {
        Where { home: Some(home), roots: &self.roots, for_agents: true }
    }

    fn warm(&self, changes: io::Result<Box<dyn Changes>>) -> Warm {
        let said = Arc::clone(&self.said);
        let say = move |line: &str| said.lock().unwrap().push(line.to_owned());
        Warm::new(&OsSystem, &self.place(&self.at("home")), changes, say)
    }

    fn skill(&self, folder: &str, number: usize) {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: The {number}th.\n---\nDo.\n");
        drop(fs::create_dir_all(self.at(folder)));
        drop(fs::write(self.at(folder).join("SKILL.md"), text));
    }

    fn fresh(&self) -> Arc<Library> {
        World::open(&OsSystem, &self.place(&self.at("home"))).unwrap().library
    }

    fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    #[track_caller]
    fn is_current(&self, warm: &Warm) {
        let (kept, fresh) = (warm.world().unwrap().library.clone(), self.fresh());
        assert!(same(&kept, &fresh), "kept {:#?}\nfresh {:#?}", told(&kept), told(&fresh));
        assert_eq!(self.said(), [""; 0]);
    }
}

/// The same rows, of the same states of files.
fn same(one: &Library, other: &Library) -> bool {
    keeper::same(one, other) && one.looked == other.looked
}

/// What differs where libraries do, as far as a person can read it.
fn told(library: &Library) -> Vec<String> {
    let skills = library.skills.iter().zip(&library.looked);
    let rows = skills.map(|(skill, looked)| {
        let description = skill.facts.description.as_ref().map(ToString::to_string);
        let looked = looked.map(|it| (it.inode, it.ctime));
        format!("{:?} {} {:?} {description:?} {looked:?}", skill.place, skill.name, skill.standing)
    });
    let rest = [format!("{:?}", library.categories), format!("{:?}", library.problems)];
    rows.chain(rest).collect()
}

/// Folders that things are done to, one of them out of all roots.
const FOLDERS: [&str; 10] = [
    "root/a",
    "root/b",
    "root/a/x",
    "root/a/y",
    "root/b/x",
    "root/b/x/references",
    "root/c/x/y",
    "root/kept",
    "out/z",
    "out/z/w",
];

#[derive(Clone, Debug)]
enum Step {
    Skill(usize),
    Note(usize),
    File(usize, &'static str, &'static str),
    Remove(usize),
    RemoveFile(usize),
    Move(usize, usize),
    Swap(usize, usize),
    Link(usize, usize),
    LinkFile(usize, usize),
    Mode(usize, u32),
    ReplaceRoot,
    Look,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = 0..FOLDERS.len();
    let two = (one.clone(), one.clone());
    let file = prop::sample::select(vec![
        ("LICENSE", "../b/x"),
        ("x.md", "flat"),
        (".usage.json", "{}"),
        ("skill.md", "---\nname: small\n---\n"),
    ]);
    let step = prop_oneof![
        4 => one.clone().prop_map(Step::Skill),
        1 => one.clone().prop_map(Step::Note),
        1 => (one.clone(), file).prop_map(|(at, (name, text))| Step::File(at, name, text)),
        1 => one.clone().prop_map(Step::Remove),
        1 => one.clone().prop_map(Step::RemoveFile),
        3 => two.clone().prop_map(|(a, b)| Step::Move(a, b)),
        2 => two.clone().prop_map(|(a, b)| Step::Swap(a, b)),
        1 => two.clone().prop_map(|(a, b)| Step::Link(a, b)),
        1 => two.prop_map(|(a, b)| Step::LinkFile(a, b)),
        1 => (one, prop::sample::select(vec![0o700, 0o755])).prop_map(|(at, mode)| Step::Mode(at, mode)),
        1 => Just(Step::ReplaceRoot),
        4 => Just(Step::Look),
    ];
    prop::collection::vec(step, 1..24)
}

/// Does a step as far as it can be done.
fn take(there: &There, warm: &Warm, number: usize, step: &Step) {
    let at = |which: &usize| there.at(FOLDERS[*which]);
    match step {
        Step::Skill(which) => there.skill(FOLDERS[*which], number),
        Step::Note(which) => {
            let text = format!("---\ndescription: The {number}th note.\n---\n");
            drop(fs::write(at(which).join("DESCRIPTION.md"), text));
        }
        Step::File(which, name, text) => drop(fs::write(at(which).join(name), text)),
        Step::Remove(which) => drop(fs::remove_dir_all(at(which))),
        Step::RemoveFile(which) => drop(fs::remove_file(at(which).join("SKILL.md"))),
        Step::Move(from, to) => drop(fs::rename(at(from), at(to))),
        Step::Swap(one, other) => {
            let aside = there.at("out/aside");
            if fs::rename(at(one), &aside).is_ok() {
                drop(fs::rename(at(other), at(one)));
                drop(fs::rename(&aside, at(other)));
            }
            drop(fs::remove_dir_all(aside));
        }
        Step::Link(from, to) => drop(symlink(at(to), at(from))),
        Step::LinkFile(from, to) => {
            drop(symlink(at(to).join("SKILL.md"), at(from).join("SKILL.md")));
        }
        Step::Mode(which, mode) => {
            drop(fs::set_permissions(at(which), fs::Permissions::from_mode(*mode)));
        }
        Step::ReplaceRoot => {
            fs::rename(there.at("root"), there.at("old")).unwrap();
            fs::create_dir(there.at("root")).unwrap();
            there.skill("root/kept/always", number);
            drop(fs::rename(there.at("old/b"), there.at("root/b")));
            fs::remove_dir_all(there.at("old")).unwrap();
        }
        Step::Look => there.is_current(warm),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The first look is at some files; then all that can happen to files happens, and each look is as good as a walk.
    #[test]
    fn a_kept_library_is_what_a_walk_finds(steps in steps()) {
        let there = There::new();
        there.skill("root/a/x", 1);
        there.skill("root/b/x", 1);
        let warm = there.warm(OsSystem.changes());
        there.is_current(&warm);
        for (number, step) in steps.iter().enumerate() {
            take(&there, &warm, number, step);
        }
        there.is_current(&warm);
    }
}

#[test]
fn a_link_to_nowhere_that_comes_to_lead_to_itself_is_told_as_one() {
    let there = There::new();
    let warm = there.warm(OsSystem.changes());
    let (one, other) = (there.at("root/kept/one"), there.at("out/other"));
    symlink(&other, &one).unwrap();
    there.is_current(&warm);
    symlink(&one, &other).unwrap();
    there.is_current(&warm);
}

#[test]
fn what_did_not_change_is_not_read_again_and_one_file_is_read_alone() {
    let there = There::new();
    for number in 0..20 {
        there.skill(&format!("root/many/s{number}"), number);
    }
    let warm = there.warm(OsSystem.changes());
    let first = warm.world().unwrap();
    assert_eq!(first.library.stats.folders, 24);
    assert!(Arc::ptr_eq(&first.library, &warm.world().unwrap().library));
    there.skill("root/many/s3", 99);
    let second = warm.world().unwrap();
    assert_eq!((second.library.stats.folders, second.library.stats.files_read), (1, 1));
    there.is_current(&warm);
    assert!(first.library.skills.len() == second.library.skills.len());
}

#[test]
fn what_another_process_wrote_is_seen_by_the_next_call() {
    let there = There::new();
    let warm = there.warm(OsSystem.changes());
    there.is_current(&warm);
    for number in 0..20 {
        let file = there.at("root/kept/always/SKILL.md");
        let write = format!(
            "printf -- '---\\nname: always\\ndescription: By hand {number}.\\n---\\n' > {}",
            file.display()
        );
        assert!(Command::new("sh").args(["-c", &write]).status().unwrap().success());
        let world = warm.world().unwrap();
        let said = world.library.skills[0].facts.description.as_ref().unwrap();
        assert_eq!(said.as_str(), format!("By hand {number}."));
    }
}

#[test]
fn a_queue_that_runs_over_costs_a_walk_and_nothing_else() {
    let there = There::new();
    let warm = there.warm(OsSystem.changes());
    there.is_current(&warm);
    let text = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
    let most = text.trim().parse().unwrap_or(16_384);
    let files = ["one.txt", "two.txt"].map(|name| there.at("root/kept").join(name));
    // The kernel makes one of two events that are alike and behind one another.
    for number in 0..=most {
        fs::write(&files[number % 2], "x").unwrap();
    }
    there.skill("root/kept/new", 1);
    there.is_current(&warm);
}

#[test]
fn settings_are_followed_and_the_library_stays() {
    let there = There { roots: Vec::new(), ..There::new() };
    let settings = |more: &str| {
        let root = there.at("root");
        let text = format!("roots = [{{ path = \"{}\", label = \"r\" }}]\n{more}", root.display());
        fs::write(there.at("home/skillkeep.toml"), text).unwrap();
    };
    settings("");
    let warm = there.warm(OsSystem.changes());
    let first = warm.world().unwrap();
    settings("[index]\nlimit = 777\n");
    let second = warm.world().unwrap();
    assert_eq!((first.config.index.limit, second.config.index.limit), (None, Some(777)));
    assert!(Arc::ptr_eq(&first.library, &second.library));
    fs::write(there.at("home/skillkeep.toml"), "roots = 1\n").unwrap();
    assert!(warm.world().is_err());
    settings("");
    there.is_current(&warm);
}

/// Something that tells of nothing.
struct Deaf {
    watches: bool,
}

impl Changes for Deaf {
    fn watch(&self, _: &Path) -> io::Result<()> {
        if self.watches { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn take(&self) -> Vec<Change> {
        Vec::new()
    }

    fn retain(&self, _: &dyn Fn(&Path) -> bool) {}

    fn wait(&self, _: Option<Duration>) {}

    fn wake(&self) {}
}

#[test]
fn who_can_t_be_told_walks_and_says_so_once() {
    let none = || Err(io::ErrorKind::Unsupported.into());
    let full = || -> io::Result<Box<dyn Changes>> { Ok(Box::new(Deaf { watches: false })) };
    for (changes, why) in [
        (none(), "nothing tells of changes: unsupported; so each call reads all skills anew"),
        (
            full(),
            "the folders of skills are more than this user may watch (sysctl fs.inotify.max_user_watches); so each call reads all skills anew",
        ),
    ] {
        let there = There::new();
        let warm = there.warm(changes);
        for number in 0..3 {
            there.skill("root/kept/always", number);
            assert!(same(&warm.world().unwrap().library, &there.fresh()));
        }
        assert!(warm.is_blind() && warm.now().unwrap().number.is_none());
        assert_eq!(there.said(), [why]);
    }
}

#[test]
fn what_nobody_told_is_found_by_looking_and_nothing_is_believed_any_more() {
    let there = There::new();
    let deaf: Box<dyn Changes> = Box::new(Deaf { watches: true });
    let warm = there.warm(Ok(deaf)).looking_every(Duration::ZERO);
    drop(warm.world().unwrap());
    there.is_current(&warm);
    assert!(!warm.is_blind());
    there.skill("root/kept/new", 1);
    assert!(same(&warm.world().unwrap().library, &there.fresh()));
    assert!(warm.is_blind());
    assert_eq!(
        there.said(),
        ["skills changed and nothing told of it; so each call reads all skills anew"]
    );
}

#[test]
fn a_file_that_is_written_by_another_name_is_found_by_looking() {
    let there = There::new();
    let other = there.at("out/other");
    fs::hard_link(there.at("root/kept/always/SKILL.md"), &other).unwrap();
    let warm = there.warm(OsSystem.changes());
    drop(warm.world().unwrap());
    fs::write(&other, "---\nname: other\ndescription: By another name.\n---\n").unwrap();
    let stale = !same(&warm.world().unwrap().library, &there.fresh());
    warm.doubt();
    assert!(stale && same(&warm.world().unwrap().library, &there.fresh()));
}
