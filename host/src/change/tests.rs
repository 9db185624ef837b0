//! The writer on real files, and on disks that fail.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod acts;
mod adopting;
mod approving;
mod crashes;
mod drafting;
mod killed;
mod laws;
mod looking;
mod overtaken;
mod retaining;
mod rolling;
mod rolling_cut;
mod rolling_law;
mod several;
mod snapshots;
mod taking;
mod undoing;

use std::{cell::RefCell, fs, os::unix::fs::PermissionsExt, path::PathBuf};

use super::{
    Base, By, ChangeError, Clash, Done, Edit, Home, Keeper, Looks, NewSkill, Sighting, Target,
    Tree, spot::Spot, tree,
};
use crate::{
    ledger::{Ledger, NewRoot, RootId},
    library::{Library, scan},
    skill::{Actor, Instant, OneLine, Root, SkillId},
    system::{Disk, OsSystem},
};

/// A home and a root that it owns.
struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    home: Home,
    ledger: Ledger,
    id: RootId,
    /// What its scans saw.
    looks: RefCell<Looks>,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let (root, home) = (top.join("root"), top.join("home"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&home).unwrap();
        let home = Home { id: "one".to_owned(), path: home };
        let ledger = Ledger::in_memory().unwrap();
        let id = ledger
            .add_root(&NewRoot {
                path: root.clone(),
                label: OneLine::new("mine"),
                owned: true,
                trusted: true,
                precedence: 0,
                at: Instant(0),
            })
            .unwrap();
        Keeper::own(&OsSystem, &root, &home).unwrap();
        World { _folder: folder, root, home, ledger, id, looks: RefCell::default() }
    }

    fn keeper(&self) -> Keeper<'_> {
        self.keeper_on(&OsSystem)
    }

    fn keeper_on<'a>(&'a self, disk: &'a dyn Disk) -> Keeper<'a> {
        Keeper::open(disk, &self.ledger, &self.home, self.id, &self.root).unwrap()
    }

    /// What a scan finds that others did to one skill.
    fn observe(
        &self,
        id: SkillId,
        folder: &str,
        formerly: Option<&str>,
    ) -> Result<Option<Done>, ChangeError> {
        observe(&self.keeper(), &mut self.looks.borrow_mut(), id, folder, formerly)
    }

    fn library(&self) -> Library {
        let root = Root { path: self.root.clone(), label: OneLine::new("mine"), category: None };
        scan(&OsSystem, &[root], None)
    }

    fn create(&self, category: Option<&str>, name: &str) -> Result<Done, ChangeError> {
        self.create_on(&OsSystem, category, name)
    }

    fn create_on(
        &self,
        disk: &dyn Disk,
        category: Option<&str>,
        name: &str,
    ) -> Result<Done, ChangeError> {
        let files = [
            put("SKILL.md", &skill(name, "Do it.\n")),
            Edit::Put {
                path: "scripts/run.sh".to_owned(),
                bytes: b"#!/bin/sh\n".to_vec(),
                mode: Some(0o755),
                base: Base::Absent,
            },
        ];
        let new = NewSkill { name, category, files: &files, clash: Clash::Refuse };
        self.keeper_on(disk).create(&new, &self.library(), &agent())
    }

    /// All that people see of the root: everything but what is ours.
    fn tree(&self) -> Tree {
        let mut tree = tree::read(Spot { disk: &OsSystem, top: &self.root }, "").unwrap();
        tree.files.retain(|(path, _)| !path.starts_with(".skillkeep"));
        tree.folders.retain(|(path, _)| !path.starts_with(".skillkeep"));
        tree
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.root.join(path)).unwrap().permissions().mode() & 0o7777
    }

    fn is_there(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok()
    }

    /// Somebody writes without asking.
    fn intrude(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Looks at one skill, and writes down what others did to it.
fn observe(
    keeper: &Keeper<'_>,
    looks: &mut Looks,
    id: SkillId,
    folder: &str,
    formerly: Option<&str>,
) -> Result<Option<Done>, ChangeError> {
    let scan = keeper.scan()?;
    let looked = scan.look(folder, looks)?;
    let formerly = formerly.map(str::to_owned);
    let seen = Sighting { id, folder: folder.to_owned(), formerly, looked };
    Ok(scan.record(vec![seen], looks)?.pop())
}

fn by(actor: Actor) -> By {
    By { actor, session: Some("s1".to_owned()), reason: "because".to_owned() }
}

fn agent() -> By {
    by(Actor::Foreground)
}

fn person() -> By {
    by(Actor::Person)
}

fn skill(name: &str, text: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\n{text}")
}

fn put(path: &str, text: &str) -> Edit {
    Edit::Put {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
        mode: None,
        base: Base::Any,
    }
}

fn target(id: SkillId, folder: &str) -> Target<'_> {
    Target { id, folder }
}
