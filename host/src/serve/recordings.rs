//! Records of indexes that are written after their answer is out: whoever waits for an index doesn't wait for its record.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Sender, channel},
    },
    thread,
};

type Work = Box<dyn FnOnce() + Send>;

/// Who writes a record now. The next index of the server is made when that is done, since it goes on from there.
#[derive(Default)]
pub(super) struct Recordings {
    busy: Mutex<bool>,
    done: Condvar,
    /// The same for who only asks.
    seen: AtomicBool,
    /// Who writes. It is one thread for all: what the server keeps is made by it, and what threads that ended have made can't be
    /// used again by any other.
    writer: Mutex<Option<Sender<Work>>>,
}

/// That a record is being written, until it is dropped.
pub(super) struct Recording(Arc<Recordings>);

impl Recordings {
    fn free(&self) -> MutexGuard<'_, bool> {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        self.done.wait_while(busy, |busy| *busy).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until none is written.
    pub(super) fn wait(&self) {
        drop(self.free());
    }

    /// Begins one, when no other is written.
    pub(super) fn begin(self: &Arc<Self>) -> Recording {
        *self.free() = true;
        self.seen.store(true, Ordering::Release);
        Recording(Arc::clone(self))
    }

    /// Has something done after all that was given before.
    ///
    /// # Errors
    /// Where no thread can be had.
    pub(super) fn later(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let unsent: Work = match &*writer {
            None => Box::new(work),
            Some(to) => match to.send(Box::new(work)) {
                Ok(()) => return Ok(()),
                // It panicked over what it was given before.
                Err(unsent) => unsent.0,
            },
        };
        let (to, all) = channel::<Work>();
        thread::Builder::new()
            .name("record".to_owned())
            .spawn(move || all.into_iter().for_each(|work| work()))?;
        let sent = to.send(unsent).map_err(|_| io::ErrorKind::BrokenPipe.into());
        *writer = Some(to);
        sent
    }

    /// Whether one is written.
    pub(super) fn is_busy(&self) -> bool {
        self.seen.load(Ordering::Acquire)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.0.seen.store(false, Ordering::Release);
        *self.0.busy.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.done.notify_all();
    }
}
