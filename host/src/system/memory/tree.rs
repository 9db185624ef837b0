//! A tree of files, folders and links in memory, addressed by absolute paths. It must never hold a clock or a fault:
//! it only knows what is where.

use std::{
    collections::BTreeMap,
    io,
    path::{Component, Path, PathBuf},
};

/// What a node holds.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Bytes.
    File(Vec<u8>),
    /// Entries by name, each with the number of its node.
    Folder(BTreeMap<String, u64>),
    /// Where it leads, as it was written.
    Link(PathBuf),
}

/// One file, folder or link.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) mode: u32,
    pub(super) mtime: i128,
    pub(super) ctime: i128,
}

/// The tree. Node 1 is the folder `/`.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: BTreeMap<u64, Node>,
    next: u64,
}

const TOP: u64 = 1;

/// Links followed in one path before it counts as a loop, as on Linux.
const MOST_LINKS: usize = 40;

impl Tree {
    pub(super) fn new(now: i128) -> Tree {
        let top =
            Node { content: Content::Folder(BTreeMap::new()), mode: 0o755, mtime: now, ctime: now };
        Tree { nodes: BTreeMap::from([(TOP, top)]), next: TOP + 1 }
    }

    pub(super) fn node(&self, number: u64) -> io::Result<&Node> {
        self.nodes.get(&number).ok_or_else(not_found)
    }

    /// The node at a path and its path without links; the last part is followed only if `follow` says so.
    pub(super) fn find(&self, path: &Path, follow: bool) -> io::Result<(u64, PathBuf)> {
        let mut left: Vec<String> = parts(path).rev().collect();
        let mut at: Vec<(u64, String)> = Vec::new();
        let mut links = 0;
        while let Some(part) = left.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            let folder = at.last().map_or(TOP, |(number, _)| *number);
            let Content::Folder(entries) = &self.node(folder)?.content else {
                return Err(io::ErrorKind::NotADirectory.into());
            };
            let number = *entries.get(&part).ok_or_else(not_found)?;
            match &self.node(number)?.content {
                Content::Link(target) if follow || !left.is_empty() => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(rustix::io::Errno::LOOP.into());
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

    /// Puts something at a path, in place of what is there; missing folders are made. A file keeps its node, as
    /// writing in place does, unless `anew` asks for another one, as a rename does.
    pub(super) fn put(&mut self, path: &Path, content: Content, now: i128, anew: bool) {
        let mut folder = TOP;
        let names: Vec<String> = parts(path).collect();
        let Some((last, folders)) = names.split_last() else { return };
        for name in folders {
            folder = match self.entry(folder, name) {
                Some(number) => number,
                None => self.add(folder, name, Content::Folder(BTreeMap::new()), now),
            };
        }
        match self.entry(folder, last) {
            Some(number) if !anew => {
                if let Some(node) = self.nodes.get_mut(&number) {
                    node.content = content;
                    node.mtime = now;
                    node.ctime = now;
                }
            }
            _ => {
                self.add(folder, last, content, now);
            }
        }
    }

    /// Takes away what is at a path, with all that is in it.
    pub(super) fn take(&mut self, path: &Path, now: i128) -> io::Result<()> {
        let (number, _) = self.find(path, false)?;
        let (folder, _) = self.find(path.parent().unwrap_or(Path::new("/")), true)?;
        if let Some(Node { content: Content::Folder(entries), mtime, ctime, .. }) =
            self.nodes.get_mut(&folder)
        {
            entries.retain(|_, entry| *entry != number);
            *mtime = now;
            *ctime = now;
        }
        Ok(())
    }

    /// Changes a node.
    pub(super) fn change(&mut self, path: &Path, change: impl FnOnce(&mut Node)) -> io::Result<()> {
        let (number, _) = self.find(path, false)?;
        change(self.nodes.get_mut(&number).ok_or_else(not_found)?);
        Ok(())
    }

    /// The entry of a folder, links followed so that folders behind them can be written to.
    fn entry(&self, folder: u64, name: &str) -> Option<u64> {
        let Content::Folder(entries) = &self.nodes.get(&folder)?.content else { return None };
        let number = *entries.get(name)?;
        match &self.nodes.get(&number)?.content {
            Content::Link(target) if target.is_absolute() => {
                self.find(target, true).ok().map(|(number, _)| number)
            }
            _ => Some(number),
        }
    }

    fn add(&mut self, folder: u64, name: &str, content: Content, now: i128) -> u64 {
        let number = self.next;
        self.next += 1;
        let mode = if matches!(content, Content::Folder(_)) { 0o755 } else { 0o644 };
        self.nodes.insert(number, Node { content, mode, mtime: now, ctime: now });
        if let Some(Node { content: Content::Folder(entries), mtime, ctime, .. }) =
            self.nodes.get_mut(&folder)
        {
            entries.insert(name.to_owned(), number);
            *mtime = now;
            *ctime = now;
        }
        number
    }
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = String> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}

pub(super) fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}
