//! The threads that do the work of calls.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
};

use crate::policy::begin_roomy_thread;

type Work = Box<dyn FnOnce() + Send>;

/// Threads that do what is given to them. Who was at work last is asked first: each thread holds on to memory that it worked with,
/// and one call after the other takes that of one thread, not of all in turn. So there are as many as were ever at work at once.
#[derive(Default)]
pub(super) struct Workers {
    idle: Mutex<Vec<Sender<Order>>>,
}

/// Work, and the way back to who is to do it.
struct Order {
    work: Work,
    back: Sender<Order>,
}

impl Workers {
    /// Has something done on a thread on which policies can be asked. A panic ends nothing but the work itself.
    ///
    /// # Errors
    /// Where no thread can be had.
    pub(super) fn begin(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut work: Work = Box::new(work);
        // Taken apart from what is done with it: the lock is held no longer.
        while let Some(idle) = { self.idle().pop() } {
            let back = idle.clone();
            match idle.send(Order { work, back }) {
                Ok(()) => return Ok(()),
                Err(unsent) => work = unsent.0.work,
            }
        }
        let (to, orders) = channel::<Order>();
        let all = Arc::downgrade(self);
        let first = Order { work, back: to };
        begin_roomy_thread("call", move || {
            let mut next = Some(first);
            // It holds no way to itself while it waits: once the others are gone, it ends.
            while let Some(Order { work, back }) = next.take().or_else(|| orders.recv().ok()) {
                // What it panicked over is on standard error.
                drop(catch_unwind(AssertUnwindSafe(work)));
                match all.upgrade() {
                    Some(all) => all.idle().push(back),
                    None => return,
                }
            }
        })
        .map(drop)
    }

    /// Has each thread that has nothing to do now do this.
    pub(super) fn each_idle(&self, work: fn()) {
        for idle in std::mem::take(&mut *self.idle()) {
            let back = idle.clone();
            // One that ended has nothing to do it with.
            drop(idle.send(Order { work: Box::new(work), back }));
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Sender<Order>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use std::{
        collections::HashSet,
        sync::{Arc, Barrier, Mutex, mpsc::channel},
        thread::{self, ThreadId},
        time::{Duration, Instant},
    };

    use super::Workers;

    /// Waits until so many have nothing to do.
    fn rest(workers: &Workers, threads: usize) {
        let until = Instant::now() + Duration::from_secs(10);
        while workers.idle().len() < threads && Instant::now() < until {
            thread::yield_now();
        }
        assert_eq!(workers.idle().len(), threads);
    }

    fn who(workers: &Arc<Workers>) -> ThreadId {
        let (tell, told) = channel();
        workers.begin(move || tell.send(thread::current().id()).unwrap()).unwrap();
        told.recv().unwrap()
    }

    #[test]
    fn there_are_as_many_threads_as_were_ever_at_work_at_once_and_the_last_is_the_first() {
        let workers = Arc::new(Workers::default());
        let alone = who(&workers);
        rest(&workers, 1);
        assert_eq!(who(&workers), alone);
        rest(&workers, 1);
        let (together, (tell, told)) = (Arc::new(Barrier::new(3)), channel());
        for _ in 0..3 {
            let (together, tell) = (Arc::clone(&together), tell.clone());
            let work = move || {
                together.wait();
                tell.send(thread::current().id()).unwrap();
            };
            workers.begin(work).unwrap();
        }
        let three: HashSet<ThreadId> = told.iter().take(3).collect();
        assert!(three.len() == 3 && three.contains(&alone));
        rest(&workers, 3);
        let last = who(&workers);
        for _ in 0..5 {
            rest(&workers, 3);
            assert_eq!(who(&workers), last);
        }
    }

    #[test]
    fn each_thread_that_has_nothing_to_do_can_be_given_something() {
        static DONE: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
        let workers = Arc::new(Workers::default());
        let (busy, (free, freed)) = (Arc::new(Barrier::new(3)), channel::<()>());
        let mut freed = Some(freed);
        for _ in 0..3 {
            let (busy, until) = (Arc::clone(&busy), freed.take());
            let work = move || {
                busy.wait();
                assert!(until.is_none_or(|until| until.recv().is_err()));
            };
            workers.begin(work).unwrap();
        }
        rest(&workers, 2);
        workers.each_idle(|| DONE.lock().unwrap().push(thread::current().id()));
        rest(&workers, 2);
        assert_eq!(DONE.lock().unwrap().iter().collect::<HashSet<_>>().len(), 2);
        drop(free);
        rest(&workers, 3);
    }

    #[test]
    fn a_panic_ends_no_thread() {
        let workers = Arc::new(Workers::default());
        let before = who(&workers);
        rest(&workers, 1);
        workers.begin(|| panic!("on purpose")).unwrap();
        rest(&workers, 1);
        assert_eq!(who(&workers), before);
    }

    #[test]
    fn threads_end_with_whoever_gives_them_work() {
        let workers = Arc::new(Workers::default());
        let held = Arc::new(());
        let inner = Arc::clone(&held);
        thread_local!(static HELD: std::cell::RefCell<Option<Arc<()>>> = const { std::cell::RefCell::new(None) });
        workers.begin(move || HELD.set(Some(inner))).unwrap();
        rest(&workers, 1);
        assert_eq!(Arc::strong_count(&held), 2);
        drop(workers);
        let until = Instant::now() + Duration::from_secs(10);
        while Arc::strong_count(&held) > 1 && Instant::now() < until {
            thread::yield_now();
        }
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
