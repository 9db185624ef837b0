//! Files, folders and links as a disk has them: what a program sees now, and beside it what a loss of power would leave.
//! It must never hold a fault, a path of more than one name, or a clock.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

use rustix::io::Errno;

use crate::system::Kind;

/// The number of the folder `/`.
pub(super) const TOP: u64 = 1;

/// A node's content, now and safe.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// Bytes.
    File { now: Vec<u8>, safe: Vec<u8> },
    /// Entries by name.
    Folder { now: BTreeMap<String, u64>, safe: BTreeMap<String, u64> },
    /// Where it leads; never changed.
    Link(PathBuf),
}

/// A file, a folder or a link.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) body: Body,
    pub(super) mode: u32,
    pub(super) safe_mode: u32,
    pub(super) mtime: i128,
    pub(super) ctime: i128,
}

impl Node {
    pub(super) fn kind(&self) -> Kind {
        match self.body {
            Body::File { .. } => Kind::File,
            Body::Folder { .. } => Kind::Folder,
            Body::Link(_) => Kind::Link,
        }
    }

    pub(super) fn size(&self) -> u64 {
        match &self.body {
            Body::File { now, .. } => now.len() as u64,
            Body::Folder { now, .. } => now.len() as u64,
            Body::Link(_) => 0,
        }
    }
}

/// One name in one folder.
pub(super) type Slot = (u64, String);

/// What a change of entries is to the folder that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Made,
    Moved,
    Removed,
}

/// A change of entries that happens as a whole or not at all, and is not safe yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// What each slot holds afterwards.
    slots: Vec<(Slot, Option<u64>)>,
    /// The node that was made, moved or removed.
    node: u64,
    /// What it is to the node, if that is a folder.
    folder: Option<Way>,
    /// The folders whose sync is missing.
    unsynced: BTreeSet<u64>,
}

impl Pending {
    /// Whether it can't be there without an earlier one. All others may outlive the ones before them.
    ///
    /// What was done to one node or to one name happens in its order: no file system gives a folder two parents, or drops
    /// what somebody moved away before another took its name. A folder is gone only if it was emptied before. Two moves
    /// of folders into and out of each other are ordered too, or a ring could come of them.
    fn needs(&self, earlier: &Pending) -> bool {
        let both_moved = (self.folder, earlier.folder) == (Some(Way::Moved), Some(Way::Moved));
        self.node == earlier.node
            || self.slots.iter().any(|(slot, _)| earlier.slots.iter().any(|(at, _)| at == slot))
            || (self.folder == Some(Way::Removed) && earlier.touches(self.node))
            || (both_moved && (earlier.touches(self.node) || self.touches(earlier.node)))
    }

    fn touches(&self, folder: u64) -> bool {
        self.slots.iter().any(|((at, _), _)| *at == folder)
    }
}

/// All nodes, and what was done to entries since they were last safe, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Inodes {
    pub(super) nodes: BTreeMap<u64, Node>,
    pending: Vec<Pending>,
    next: u64,
}

impl Inodes {
    pub(super) fn new(now: i128) -> Inodes {
        let body = Body::Folder { now: BTreeMap::new(), safe: BTreeMap::new() };
        let top = Node { body, mode: 0o755, safe_mode: 0o755, mtime: now, ctime: now };
        Inodes { nodes: BTreeMap::from([(TOP, top)]), pending: Vec::new(), next: TOP + 1 }
    }

    pub(super) fn node(&self, number: u64) -> io::Result<&Node> {
        self.nodes.get(&number).ok_or_else(|| Errno::NOENT.into())
    }

    /// The entries of a folder.
    pub(super) fn entries(&self, folder: u64) -> io::Result<&BTreeMap<String, u64>> {
        match &self.node(folder)?.body {
            Body::Folder { now, .. } => Ok(now),
            _ => Err(Errno::NOTDIR.into()),
        }
    }

    /// What has this name in a folder.
    pub(super) fn entry(&self, folder: u64, name: &str) -> io::Result<Option<u64>> {
        let entries = self.entries(folder)?;
        if name.len() > 255 {
            return Err(Errno::NAMETOOLONG.into());
        }
        Ok(entries.get(name).copied())
    }

    /// Makes a node that no folder has yet.
    pub(super) fn make(&mut self, body: Body, mode: u32, now: i128) -> u64 {
        let number = self.next;
        self.next += 1;
        self.nodes.insert(number, Node { body, mode, safe_mode: mode, mtime: now, ctime: now });
        number
    }

    /// Gives a node another place, the first one, or none. What was in that place is nowhere afterwards.
    pub(super) fn place(&mut self, node: u64, from: Option<Slot>, to: Option<Slot>, now: i128) {
        let is_folder = self.nodes.get(&node).is_some_and(|node| node.kind() == Kind::Folder);
        let way = match (&from, &to) {
            (None, _) => Way::Made,
            (Some(_), Some(_)) => Way::Moved,
            (Some(_), None) => Way::Removed,
        };
        let way = is_folder.then_some(way);
        let from = from.map(|slot| (slot, None));
        let to = to.map(|slot| (slot, Some(node)));
        let slots: Vec<(Slot, Option<u64>)> = from.into_iter().chain(to).collect();
        for (slot, held) in &slots {
            self.set(slot, *held, |entries, _| entries);
            if let Some(folder) = self.nodes.get_mut(&slot.0) {
                (folder.mtime, folder.ctime) = (now, now);
            }
        }
        if let Some(node) = self.nodes.get_mut(&node) {
            node.ctime = now;
        }
        let unsynced = slots.iter().map(|((folder, _), _)| *folder).collect();
        self.pending.push(Pending { slots, node, folder: way, unsynced });
    }

    /// Puts a node into a folder so that it is safe at once.
    pub(super) fn place_safely(&mut self, node: u64, slot: &Slot) {
        self.set(slot, Some(node), |now, _| now);
        self.set(slot, Some(node), |_, safe| safe);
    }

    /// Changes a file's bytes, not safely.
    pub(super) fn fill(&mut self, file: u64, bytes: &[u8], at: i128) {
        if let Some(Node { body: Body::File { now, .. }, mtime, ctime, .. }) =
            self.nodes.get_mut(&file)
        {
            *now = bytes.to_vec();
            (*mtime, *ctime) = (at, at);
        }
    }

    /// Changes permissions, not safely.
    pub(super) fn set_mode(&mut self, number: u64, mode: u32, at: i128) {
        if let Some(node) = self.nodes.get_mut(&number) {
            node.mode = mode;
            node.ctime = at;
        }
    }

    /// Makes a node's own permissions and a file's bytes safe. A folder's entries are not meant.
    pub(super) fn sync(&mut self, number: u64) {
        let Some(node) = self.nodes.get_mut(&number) else { return };
        node.safe_mode = node.mode;
        if let Body::File { now, safe } = &mut node.body {
            safe.clone_from(now);
        }
    }

    /// Makes safe what was done in a folder, as far as no other folder's sync is missing.
    pub(super) fn sync_entries(&mut self, folder: u64) {
        for pending in &mut self.pending {
            pending.unsynced.remove(&folder);
        }
        let mut safe: Vec<bool> = self.pending.iter().map(|one| one.unsynced.is_empty()).collect();
        // What a safe one needs is safe with it; backwards, so that a whole chain is found.
        for at in (0..self.pending.len()).rev() {
            let Some((one, true)) = self.pending.get(at).zip(safe.get(at).copied()) else {
                continue;
            };
            for (earlier, is_safe) in self.pending.iter().zip(&mut safe).take(at) {
                *is_safe |= one.needs(earlier);
            }
        }
        let pending = std::mem::take(&mut self.pending);
        for (one, safe) in pending.into_iter().zip(safe) {
            if safe {
                self.make_safe(&one);
            } else {
                self.pending.push(one);
            }
        }
    }

    /// What a loss of power leaves: `kept` says of each change of entries whether it got to the disk, if all that it
    /// needs did, and `left` of each node what is left of it.
    pub(super) fn lose_power(
        &mut self,
        mut kept: impl FnMut() -> bool,
        mut left: impl FnMut(&mut Node),
    ) {
        let mut lost: Vec<Pending> = Vec::new();
        for one in std::mem::take(&mut self.pending) {
            if kept() && !lost.iter().any(|earlier| one.needs(earlier)) {
                self.make_safe(&one);
            } else {
                lost.push(one);
            }
        }
        self.nodes.values_mut().for_each(&mut left);
        for node in self.nodes.values_mut() {
            node.safe_mode = node.mode;
            match &mut node.body {
                Body::File { now, safe } => safe.clone_from(now),
                Body::Folder { now, safe } => now.clone_from(safe),
                Body::Link(_) => {}
            }
        }
    }

    /// Whether a folder lies in another one, or is it.
    pub(super) fn is_within(&self, folder: u64, other: u64) -> bool {
        folder == other
            || self
                .entries(other)
                .is_ok_and(|entries| entries.values().any(|entry| self.is_within(folder, *entry)))
    }

    fn make_safe(&mut self, one: &Pending) {
        for (slot, held) in &one.slots {
            self.set(slot, *held, |_, safe| safe);
        }
    }

    fn set(&mut self, slot: &Slot, held: Option<u64>, which: Which) {
        let Some(Node { body: Body::Folder { now, safe }, .. }) = self.nodes.get_mut(&slot.0)
        else {
            return;
        };
        let entries = which(now, safe);
        match held {
            Some(node) => entries.insert(slot.1.clone(), node),
            None => entries.remove(&slot.1),
        };
    }
}

/// Chooses the entries as they are now or as they are safe.
type Which = for<'a> fn(
    &'a mut BTreeMap<String, u64>,
    &'a mut BTreeMap<String, u64>,
) -> &'a mut BTreeMap<String, u64>;
