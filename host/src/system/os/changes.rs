//! Linux's inotify, read by who asks and by no thread: what was written before the question is in its queue, so an empty queue says
//! that nothing happened.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    io,
    mem::MaybeUninit,
    ops::Bound,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    fs::{
        inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
        statfs,
    },
    io::Errno,
};

use crate::system::{Change, Changes, changes::What};

/// Bytes of events that are read at once.
const BUFFER: usize = 16 * 1024;

/// File systems that others than this machine write, by their magic numbers: of what those do the kernel tells nothing.
const REMOTE: [u64; 14] = [
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB2
    0x0102_1997, // 9P
    0x6573_5546, // FUSE
    0x00C3_6400, // Ceph
    0x5346_414F, // AFS
    0x6B41_4653, // kAFS
    0x7375_7245, // Coda
    0x0BD0_0BD0, // Lustre
    0x0116_1970, // GFS2
    0x7461_636F, // OCFS2
    0x786F_4256, // VirtualBox's shared folders
];

pub(super) struct Inotify {
    queue: OwnedFd,
    wake: OwnedFd,
    known: Mutex<Known>,
}

/// Which number watches which folder.
#[derive(Default)]
struct Known {
    numbers: BTreeMap<Arc<Path>, i32>,
    folders: HashMap<i32, Arc<Path>>,
    /// Whether one folder was met at two paths, of which one would hear nothing.
    twice: bool,
}

impl Inotify {
    pub(super) fn new() -> io::Result<Inotify> {
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Inotify { queue, wake, known: Mutex::default() })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the watch of a folder and of all below it: what lies there now may be others.
    fn forget(&self, known: &mut Known, folder: &Path) {
        let below = known.numbers.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
        let gone: Vec<_> = below
            .take_while(|(path, _)| path.starts_with(folder))
            .map(|(path, number)| (Arc::clone(path), *number))
            .collect();
        for (path, number) in gone {
            known.numbers.remove(&path);
            known.folders.remove(&number);
            // The kernel lets go of folders that are gone by itself.
            let _ = inotify::remove_watch(&self.queue, number);
        }
    }

    fn forget_all(&self, known: &mut Known) {
        for number in std::mem::take(&mut known.numbers).into_values() {
            let _ = inotify::remove_watch(&self.queue, number);
        }
        known.folders.clear();
        known.twice = false;
    }

    /// What an event tells; nothing of one that is about a folder which is watched no more.
    fn change(&self, known: &mut Known, event: &inotify::Event<'_>) -> Option<Change> {
        let is = |flags: ReadFlags| event.events().intersects(flags);
        if is(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
            self.forget_all(known);
            return Some(Change::Lost);
        }
        let folder = known.folders.get(&event.wd())?.to_path_buf();
        let Some(name) = event.file_name() else {
            if is(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF | ReadFlags::IGNORED) {
                self.forget(known, &folder);
            }
            return Some(Change::Folder(folder));
        };
        let name = OsStr::from_bytes(name.to_bytes()).to_owned();
        let came_or_went =
            ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        let what = match (is(ReadFlags::ISDIR), is(came_or_went)) {
            (true, came_or_went) => {
                if came_or_went {
                    self.forget(known, &folder.join(&name));
                }
                What::Folder
            }
            (false, true) => What::Presence,
            (false, false) => What::Content,
        };
        Some(Change::Entry { folder, name, what })
    }
}

impl Changes for Inotify {
    fn watch(&self, folder: &Path) -> io::Result<()> {
        let mut known = self.known();
        if known.numbers.contains_key(folder) {
            return Ok(());
        }
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let number = inotify::add_watch(&self.queue, folder, flags)?;
        let found = statfs(folder)?;
        let kind = u64::try_from(found.f_type).unwrap_or_default();
        if REMOTE.contains(&(kind & 0xFFFF_FFFF)) {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let folder: Arc<Path> = folder.into();
        if let Some(other) = known.folders.insert(number, Arc::clone(&folder)) {
            known.numbers.remove(&other);
            known.twice = true;
        }
        known.numbers.insert(folder, number);
        Ok(())
    }

    fn take(&self) -> Vec<Change> {
        let mut known = self.known();
        let mut taken = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut events = Reader::new(&self.queue, &mut buffer);
        loop {
            match events.next() {
                Ok(event) => {
                    let change = self.change(&mut known, &event);
                    // A file that is written in many pieces is one change.
                    if let Some(change) = change.filter(|it| taken.last() != Some(it)) {
                        taken.push(change);
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => {
                    self.forget_all(&mut known);
                    taken.push(Change::Lost);
                    break;
                }
            }
        }
        if known.twice {
            self.forget_all(&mut known);
            taken.push(Change::Lost);
        }
        taken
    }

    fn retain(&self, wanted: &dyn Fn(&Path) -> bool) {
        let mut known = self.known();
        let gone: Vec<PathBuf> = known
            .numbers
            .keys()
            .filter(|path| !wanted(path))
            .map(|path| path.to_path_buf())
            .collect();
        for path in gone {
            if let Some(number) = known.numbers.remove(path.as_path()) {
                known.folders.remove(&number);
                let _ = inotify::remove_watch(&self.queue, number);
            }
        }
    }

    fn wait(&self, most: Option<Duration>) {
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        let mut both =
            [PollFd::new(&self.queue, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        let _ = poll(&mut both, most.as_ref());
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.wake, &mut count);
    }

    fn wake(&self) {
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}
