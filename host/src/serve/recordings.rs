//! Records of indexes that are written after their answer is out: whoever waits for an index doesn't wait for its record.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Whether a record is being written. The next index of the server is made when that is done, since it goes on from there.
#[derive(Default)]
pub(super) struct Recordings {
    busy: Mutex<bool>,
    done: Condvar,
    /// The same for who only asks.
    seen: AtomicBool,
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
