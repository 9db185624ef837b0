//! A disk whose steps are counted, and of which one fails, or is the last.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use crate::{
    skill::Instant,
    system::{At, Disk, Entry, Held, Lock, Stat, System},
};

/// What happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process dies before it.
    Before,
    /// The process dies when it is done.
    After,
    /// It fails like that, and all goes on.
    Fails(io::ErrorKind),
    /// Of a file half the bytes are written, and the disk is full.
    Short,
}

pub(super) struct Faulty<'a> {
    pub(super) inner: &'a dyn Disk,
    at: Option<(usize, Fault)>,
    state: Mutex<(Vec<String>, bool)>,
}

impl<'a> Faulty<'a> {
    pub(super) fn new(inner: &'a dyn Disk, at: Option<(usize, Fault)>) -> Faulty<'a> {
        Faulty { inner, at, state: Mutex::new((Vec::new(), false)) }
    }

    pub(super) fn steps(&self) -> Vec<String> {
        self.state.lock().unwrap().0.clone()
    }

    fn step<T>(
        &self,
        name: &str,
        below: &str,
        act: impl FnOnce() -> io::Result<T>,
        half: impl FnOnce(),
    ) -> io::Result<T> {
        let fault = {
            let mut state = self.state.lock().unwrap();
            if state.1 {
                return Err(io::Error::other("the process is dead"));
            }
            let number = state.0.len();
            state.0.push(format!("{name} {below}"));
            let fault = self.at.filter(|(at, _)| *at == number).map(|(_, fault)| fault);
            state.1 = matches!(fault, Some(Fault::Before | Fault::After));
            fault
        };
        match fault {
            None => act(),
            Some(Fault::Before) => Err(io::Error::other("the process is dead")),
            Some(Fault::After) => {
                drop(act());
                Err(io::Error::other("the process is dead"))
            }
            Some(Fault::Fails(kind)) => Err(kind.into()),
            Some(Fault::Short) => {
                half();
                Err(io::ErrorKind::StorageFull.into())
            }
        }
    }

    fn alive(&self) -> io::Result<()> {
        if self.state.lock().unwrap().1 {
            Err(io::Error::other("the process is dead"))
        } else {
            Ok(())
        }
    }
}

impl System for Faulty<'_> {
    fn now(&self) -> Instant {
        self.inner.now()
    }
    fn now_nanos(&self) -> i128 {
        self.inner.now_nanos()
    }
    fn variable(&self, name: &str) -> Option<String> {
        self.inner.variable(name)
    }
    fn working_folder(&self) -> io::Result<PathBuf> {
        self.inner.working_folder()
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.inner.list(folder)
    }
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.resolve(path)
    }
    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.read_link(path)
    }
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.inner.read(path, limit)
    }
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.inner.replace(path, bytes)
    }
}

impl Disk for Faulty<'_> {
    fn random(&self) -> u64 {
        self.inner.random()
    }
    fn held(&self, at: At<'_>) -> io::Result<Held> {
        self.alive().and_then(|()| self.inner.held(at))
    }
    fn entries(&self, at: At<'_>) -> io::Result<Vec<Entry>> {
        self.alive().and_then(|()| self.inner.entries(at))
    }
    fn bytes(&self, at: At<'_>, limit: u64) -> io::Result<Vec<u8>> {
        self.alive().and_then(|()| self.inner.bytes(at, limit))
    }
    fn target(&self, at: At<'_>) -> io::Result<PathBuf> {
        self.alive().and_then(|()| self.inner.target(at))
    }
    fn make_folder(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        self.step("make", at.below, || self.inner.make_folder(at, mode), || ())
    }
    fn write_new(&self, at: At<'_>, bytes: &[u8], mode: u32) -> io::Result<()> {
        let half = || drop(self.inner.write_new(at, &bytes[..bytes.len() / 2], mode));
        self.step("write", at.below, || self.inner.write_new(at, bytes, mode), half)
    }
    fn move_to(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        self.step("move", to.below, || self.inner.move_to(from, to), || ())
    }
    fn replace_with(&self, from: At<'_>, to: At<'_>) -> io::Result<()> {
        self.step("replace", to.below, || self.inner.replace_with(from, to), || ())
    }
    fn remove_file(&self, at: At<'_>) -> io::Result<()> {
        self.step("remove", at.below, || self.inner.remove_file(at), || ())
    }
    fn remove_folder(&self, at: At<'_>) -> io::Result<()> {
        self.step("remove folder", at.below, || self.inner.remove_folder(at), || ())
    }
    fn set_mode(&self, at: At<'_>, mode: u32) -> io::Result<()> {
        self.step("set mode", at.below, || self.inner.set_mode(at, mode), || ())
    }
    fn sync_folder(&self, at: At<'_>) -> io::Result<()> {
        self.step("sync", at.below, || self.inner.sync_folder(at), || ())
    }
    fn lock(&self, at: At<'_>, holder: &str, wait: Duration) -> io::Result<Box<dyn Lock>> {
        self.alive().and_then(|()| self.inner.lock(at, holder, wait))
    }
}
