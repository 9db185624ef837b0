//! A disk for tests that can lose its power: the faulty twin of the machine's own. It must never touch a real file, and
//! the same calls with the same seed must give the same disk.
//!
//! Each step of [`Disk`] and each writing call of [`System`] is made of *operations*, numbered from 1 in the order in which
//! they happen: making a file, filling it, setting its permissions and syncing it are four. A fault belongs to one of them.
//!
//! What it models: bytes and permissions that are not synced are lost, kept, or torn, each for itself; entries that are not
//! synced are lost or kept, each change of entries for itself and in any order, but a move as a whole, and what was done
//! to one name or one file in its order. A file that was moved into a folder which was not synced is lost with it. What
//! was promised as durable is there.
//!
//! What it doesn't: permissions (everything is allowed, as for root), hard links, names that aren't UTF-8, faults of
//! reading, bytes that change by themselves, a sync that says it failed and is believed the next time, and the room that
//! is left.

mod chance;
mod inodes;
mod paths;
mod reading;
mod steps;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use chance::Chance;
use inodes::{Body, Inodes};
use rustix::io::Errno;

#[cfg(doc)]
use super::{Disk, System};

/// What goes wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The machine stops just before it. Every later call fails.
    CrashBefore,
    /// The machine stops just after it, before anyone is told. Every later call fails.
    CrashAfter,
    /// It is not done, and says so; what comes after it is done.
    Fail(Failure),
}

/// What an operation says that is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// `ENOSPC`. Where bytes were to be written, the first half of them is.
    NoSpace,
    /// `EACCES`.
    NotPermitted,
    /// `EXDEV`, as a move between file systems says.
    CrossesDevices,
    /// `EIO`. A sync that says it has made nothing durable.
    Broken,
}

impl Failure {
    /// All of them.
    pub const ALL: [Failure; 4] =
        [Failure::NoSpace, Failure::NotPermitted, Failure::CrossesDevices, Failure::Broken];

    fn error(self) -> io::Error {
        match self {
            Failure::NoSpace => Errno::NOSPC,
            Failure::NotPermitted => Errno::ACCESS,
            Failure::CrossesDevices => Errno::XDEV,
            Failure::Broken => Errno::IO,
        }
        .into()
    }
}

/// What lies at a path, as a test compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A folder with its permissions.
    Folder(u32),
    /// A file with its permissions and bytes.
    File(u32, Vec<u8>),
    /// A link and where it leads.
    Link(PathBuf),
}

/// Files, folders and links on a disk that is only thought of, with faults at chosen operations.
#[derive(Debug)]
pub struct SimulatedDisk {
    shared: Arc<Shared>,
}

/// What locks hold on to.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Told whenever a lock is let go.
    let_go: Condvar,
}

#[derive(Clone, Debug)]
struct State {
    inodes: Inodes,
    now: i128,
    variables: BTreeMap<String, String>,
    working_folder: PathBuf,
    chance: Chance,
    faults: BTreeMap<usize, Fault>,
    operations: Vec<String>,
    crashed: bool,
    locked: BTreeSet<u64>,
    /// What comes into a file while somebody reads it, read by read.
    overtaking: BTreeMap<u64, VecDeque<Vec<u8>>>,
}

/// 2026-01-01T00:00:00Z: a disk's first moment.
const BEGINNING: i128 = 1_767_225_600_000_000_000;

impl Default for SimulatedDisk {
    fn default() -> SimulatedDisk {
        SimulatedDisk::new(0)
    }
}

impl SimulatedDisk {
    /// An empty disk at the beginning of 2026; its random bits come from the seed.
    #[must_use]
    pub fn new(seed: u64) -> SimulatedDisk {
        SimulatedDisk::of(State {
            inodes: Inodes::new(BEGINNING),
            now: BEGINNING,
            variables: BTreeMap::new(),
            working_folder: PathBuf::from("/"),
            chance: Chance(seed),
            faults: BTreeMap::new(),
            operations: Vec::new(),
            crashed: false,
            locked: BTreeSet::new(),
            overtaking: BTreeMap::new(),
        })
    }

    fn of(state: State) -> SimulatedDisk {
        SimulatedDisk {
            shared: Arc::new(Shared { state: Mutex::new(state), let_go: Condvar::new() }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    /// Sets what goes wrong with the operation of this number, counted from 1.
    pub fn fault(&self, operation: usize, fault: Fault) {
        self.state().faults.insert(operation, fault);
    }

    /// Nothing goes wrong any more. A machine that stopped stays so.
    pub fn heal(&self) {
        self.state().faults.clear();
    }

    /// The names of the operations that were begun, in order: the first is number 1.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        self.state().operations.clone()
    }

    /// Counts operations from 1 again.
    pub fn forget_operations(&self) {
        self.state().operations.clear();
    }

    /// Whether the machine stopped.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        self.state().crashed
    }

    /// The disk as it may be after the machine lost its power now: what was promised as durable, and of all else what the
    /// seed draws. No lock is held, nothing goes wrong, and operations are counted from 1. This disk stays as it is, so
    /// that many seeds can be tried.
    #[must_use]
    pub fn after_crash(&self, seed: u64) -> SimulatedDisk {
        let mut state = self.restarted();
        let mut chance = Chance(seed);
        // Nothing kept, everything kept, and what is in between are all drawn often.
        let of_four = chance.one_of(5);
        let mut entries = Chance(chance.draw());
        state.inodes.lose_power(|| entries.happens(of_four), |node| chance.leave(node));
        SimulatedDisk::of(state)
    }

    /// The disk after its process was killed now: all that was done is there, and no lock is held.
    #[must_use]
    pub fn after_kill(&self) -> SimulatedDisk {
        SimulatedDisk::of(self.restarted())
    }

    fn restarted(&self) -> State {
        let mut state = self.state().clone();
        // A machine doesn't draw the same bits again after it was started anew.
        state.chance.draw();
        state.faults.clear();
        state.operations.clear();
        state.locked.clear();
        state.crashed = false;
        state
    }

    /// All that lies below a folder, by its path from there.
    #[must_use]
    pub fn tree(&self, top: impl AsRef<Path>) -> BTreeMap<String, Seen> {
        let state = self.state();
        let mut seen = BTreeMap::new();
        if let Ok((number, _)) = state.find(top.as_ref(), true) {
            state.inodes.see(number, "", &mut seen);
        }
        seen
    }

    /// Puts a file there, durable at once, without an operation; missing folders are made.
    pub fn put_file(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>, mode: u32) {
        let bytes = bytes.as_ref().to_vec();
        self.state().put(path.as_ref(), Body::File { now: bytes.clone(), safe: bytes }, mode);
    }

    /// Puts an empty folder there, as [`SimulatedDisk::put_file`] does.
    pub fn put_folder(&self, path: impl AsRef<Path>, mode: u32) {
        let body = Body::Folder { now: BTreeMap::new(), safe: BTreeMap::new() };
        self.state().put(path.as_ref(), body, mode);
    }

    /// Puts a link there, as [`SimulatedDisk::put_file`] does; its target need not exist.
    pub fn put_link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) {
        self.state().put(path.as_ref(), Body::Link(target.as_ref().to_owned()), 0o777);
    }

    /// Has somebody write a file in its place while it is read: each read gets the first half of what was there and the second
    /// of what comes, which is there from then on.
    pub fn overtake_reads<'b>(
        &self,
        path: impl AsRef<Path>,
        coming: impl IntoIterator<Item = &'b [u8]>,
    ) {
        let mut state = self.state();
        if let Ok((file, _)) = state.find(path.as_ref(), true) {
            state.overtaking.insert(file, coming.into_iter().map(<[u8]>::to_vec).collect());
        }
    }

    /// Sets an environment variable.
    pub fn set_variable(&self, name: &str, value: &str) {
        self.state().variables.insert(name.to_owned(), value.to_owned());
    }

    /// Sets the working folder.
    pub fn set_working_folder(&self, path: impl AsRef<Path>) {
        self.state().working_folder = path.as_ref().to_owned();
    }

    /// Lets seconds pass; negative ones set the clock back.
    pub fn advance(&self, seconds: i64) {
        self.state().now += i128::from(seconds) * 1_000_000_000;
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A test that panicked elsewhere says nothing about this disk.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Fails where the machine stopped.
    fn alive(&self) -> io::Result<()> {
        if self.crashed {
            return Err(io::Error::other("the simulated machine has stopped"));
        }
        Ok(())
    }

    /// One operation: counted, named, done if nothing goes wrong with it.
    fn operate(&mut self, name: String, done: impl FnOnce(&mut Inodes, i128)) -> io::Result<()> {
        self.alive()?;
        self.operations.push(name);
        let fault = self.faults.get(&self.operations.len()).copied();
        match fault {
            Some(Fault::Fail(failure)) => return Err(failure.error()),
            Some(Fault::CrashBefore) => self.crashed = true,
            Some(Fault::CrashAfter) => {
                done(&mut self.inodes, self.now);
                self.crashed = true;
            }
            None => done(&mut self.inodes, self.now),
        }
        self.alive()
    }
}
