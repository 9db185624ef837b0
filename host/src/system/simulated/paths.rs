//! Finding what lies at a path, links followed or refused.

use std::{
    collections::BTreeMap,
    io,
    path::{Component, Path, PathBuf},
};

use rustix::io::Errno;

use super::{
    Seen, State,
    inodes::{Body, Inodes, Slot, TOP},
};
use crate::system::{At, Kind};

/// Links followed in one path before it counts as a loop, as on Linux.
const MOST_LINKS: usize = 40;

impl State {
    /// The node at a path and its path without links; the last part is followed only if `follow` says so.
    pub(super) fn find(&self, path: &Path, follow: bool) -> io::Result<(u64, PathBuf)> {
        let mut left: Vec<String> = parts(&self.working_folder.join(path)).rev().collect();
        let mut at: Vec<(u64, String)> = Vec::new();
        let mut links = 0;
        while let Some(part) = left.pop() {
            let folder = at.last().map_or(TOP, |(number, _)| *number);
            if part == ".." {
                self.inodes.entries(folder)?;
                at.pop();
                continue;
            }
            let number = self.inodes.entry(folder, &part)?.ok_or(Errno::NOENT)?;
            match &self.inodes.node(number)?.body {
                Body::Link(target) if follow || !left.is_empty() => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(Errno::LOOP.into());
                    }
                    if target.is_absolute() {
                        at.clear();
                    }
                    left.extend(parts(target).rev());
                }
                _ => at.push((number, part)),
            }
        }
        let number = at.last().map_or(TOP, |(number, _)| *number);
        let mut real = PathBuf::from("/");
        real.extend(at.iter().map(|(_, name)| name));
        Ok((number, real))
    }

    /// The folder at a place, no link followed below the top.
    pub(super) fn folder(&self, at: At<'_>) -> io::Result<u64> {
        self.alive()?;
        let (mut folder, _) = self.find(at.top, false)?;
        self.inodes.entries(folder)?;
        for part in at.parts()? {
            folder = self.inodes.entry(folder, part)?.ok_or(Errno::NOENT)?;
            self.inodes.entries(folder)?;
        }
        Ok(folder)
    }

    /// The name of a place in the folder that holds it.
    pub(super) fn slot(&self, at: At<'_>) -> io::Result<Slot> {
        let name = at.named()?;
        let above = at.below.rsplit_once('/').map_or("", |(above, _)| above);
        Ok((self.folder(At { top: at.top, below: above })?, name.to_owned()))
    }

    /// What has a slot.
    pub(super) fn taken(&self, (folder, name): &Slot) -> io::Result<u64> {
        Ok(self.inodes.entry(*folder, name)?.ok_or(Errno::NOENT)?)
    }

    /// A slot that nothing has.
    pub(super) fn free(&self, slot: Slot) -> io::Result<Slot> {
        match self.inodes.entry(slot.0, &slot.1)? {
            Some(_) => Err(Errno::EXIST.into()),
            None => Ok(slot),
        }
    }

    /// Puts something at a path, durable at once; missing folders are made.
    pub(super) fn put(&mut self, path: &Path, body: Body, mode: u32) {
        let mut folder = TOP;
        let names: Vec<String> = parts(path).collect();
        let Some((last, folders)) = names.split_last() else { return };
        for name in folders {
            folder = match self.inodes.entry(folder, name) {
                Ok(Some(number)) => number,
                _ => {
                    let body = Body::Folder { now: BTreeMap::new(), safe: BTreeMap::new() };
                    let made = self.inodes.make(body, 0o755, self.now);
                    self.inodes.place_safely(made, &(folder, name.clone()));
                    made
                }
            };
        }
        let made = self.inodes.make(body, mode, self.now);
        self.inodes.place_safely(made, &(folder, last.clone()));
    }
}

impl Inodes {
    /// Notes all that lies in a folder.
    pub(super) fn see(&self, folder: u64, below: &str, seen: &mut BTreeMap<String, Seen>) {
        let Ok(entries) = self.entries(folder) else { return };
        for (name, number) in entries {
            let Some(node) = self.nodes.get(number) else { continue };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let what = match &node.body {
                Body::File { now, .. } => Seen::File(node.mode, now.clone()),
                Body::Folder { .. } => Seen::Folder(node.mode),
                Body::Link(target) => Seen::Link(target.clone()),
            };
            let is_folder = node.kind() == Kind::Folder;
            if is_folder {
                self.see(*number, &path, seen);
            }
            seen.insert(path, what);
        }
    }
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = String> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}
