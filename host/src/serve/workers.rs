//! The threads that do the work of calls.

use std::{
    collections::VecDeque,
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
/// and one call after the other takes that of one thread, not of all in turn. So there are as many as were ever at work at once,
/// and no more than `most`; what comes then waits.
pub(super) struct Workers {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// All that there are.
    threads: usize,
    /// Those that have nothing to do, the last one at the end.
    idle: Vec<Sender<Order>>,
    /// What no thread could be had for.
    waiting: VecDeque<Work>,
}

/// Work, and the way back to who is to do it; none for who is taken for idle all the while.
struct Order {
    work: Work,
    back: Option<Sender<Order>>,
}

impl Workers {
    /// No thread yet, and so many at most; one at least.
    pub(super) fn new(most: usize) -> Workers {
        Workers { most: most.max(1), state: Mutex::default() }
    }

    /// Has something done on a thread on which policies can be asked. A panic ends nothing but the work itself.
    ///
    /// # Errors
    /// Where not a single thread can be had.
    pub(super) fn begin(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut work: Work = Box::new(work);
        let mut state = self.state();
        while let Some(idle) = state.idle.pop() {
            let back = Some(idle.clone());
            match idle.send(Order { work, back }) {
                Ok(()) => return Ok(()),
                Err(unsent) => work = unsent.0.work,
            }
        }
        // Whoever is done next looks for it.
        state.waiting.push_back(work);
        if state.threads >= self.most {
            return Ok(());
        }
        match self.begin_thread() {
            Ok(()) => state.threads += 1,
            Err(_) if state.threads > 0 => {}
            Err(error) => {
                state.waiting.pop_back();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Begins a thread, which does what waits, and then what it is given. It holds no way to itself while it has nothing to do: once
    /// the others are gone, it ends.
    fn begin_thread(self: &Arc<Self>) -> io::Result<()> {
        let (to, orders) = channel::<Order>();
        let all = Arc::downgrade(self);
        let mut back = Some(to);
        let work = move || {
            loop {
                // Whoever it was taken from knows the way back already.
                if let Some(own) = back.take() {
                    let Some(all) = all.upgrade() else { return };
                    let mut state = all.state();
                    match state.waiting.pop_front() {
                        None => state.idle.push(own),
                        Some(work) => {
                            drop(state);
                            drop(all);
                            do_it(work);
                            back = Some(own);
                            continue;
                        }
                    }
                }
                let Ok(order) = orders.recv() else { return };
                do_it(order.work);
                back = order.back;
            }
        };
        begin_roomy_thread("call", work).map(drop)
    }

    /// Has each thread that has nothing to do now do this. A call that comes meanwhile waits for its end, on one of them.
    pub(super) fn each_idle(&self, work: fn()) {
        for idle in &self.state().idle {
            // One that ended has nothing to do it with.
            drop(idle.send(Order { work: Box::new(work), back: None }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What it panics over is on standard error.
fn do_it(work: Work) {
    drop(catch_unwind(AssertUnwindSafe(work)));
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
        while workers.state().idle.len() < threads && Instant::now() < until {
            thread::yield_now();
        }
        assert_eq!(workers.state().idle.len(), threads);
    }

    fn who(workers: &Arc<Workers>) -> ThreadId {
        let (tell, told) = channel();
        workers.begin(move || tell.send(thread::current().id()).unwrap()).unwrap();
        told.recv().unwrap()
    }

    #[test]
    fn there_are_as_many_threads_as_were_ever_at_work_at_once_and_the_last_is_the_first() {
        let workers = Arc::new(Workers::new(9));
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
        let workers = Arc::new(Workers::new(9));
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
        // They are taken for idle all the while: no other thread is begun.
        rest(&workers, 2);
        let asked = who(&workers);
        rest(&workers, 2);
        assert_eq!(workers.state().threads, 3);
        let until = Instant::now() + Duration::from_secs(10);
        while DONE.lock().unwrap().len() < 2 && Instant::now() < until {
            thread::yield_now();
        }
        let done: HashSet<ThreadId> = DONE.lock().unwrap().iter().copied().collect();
        assert!(done.len() == 2 && done.contains(&asked));
        drop(free);
        rest(&workers, 3);
    }

    #[test]
    fn what_comes_while_all_threads_are_at_work_waits_its_turn() {
        let workers = Arc::new(Workers::new(2));
        let (at_work, (tell, told)) = (Arc::new(Barrier::new(3)), channel());
        for _ in 0..2 {
            let at_work = Arc::clone(&at_work);
            let work = move || {
                at_work.wait();
                at_work.wait();
            };
            workers.begin(work).unwrap();
        }
        at_work.wait();
        for number in 0..20 {
            let tell = tell.clone();
            workers.begin(move || tell.send((number, thread::current().id())).unwrap()).unwrap();
        }
        assert!(told.try_recv().is_err());
        at_work.wait();
        let done: Vec<(i32, ThreadId)> = told.iter().take(20).collect();
        let mut numbers: Vec<i32> = done.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..20).collect::<Vec<_>>());
        assert!(done.iter().map(|(_, who)| who).collect::<HashSet<_>>().len() <= 2);
        rest(&workers, 2);
        let state = workers.state();
        assert_eq!((state.threads, state.waiting.len()), (2, 0));
    }

    #[test]
    fn a_panic_ends_no_thread() {
        let workers = Arc::new(Workers::new(9));
        let before = who(&workers);
        rest(&workers, 1);
        workers.begin(|| panic!("on purpose")).unwrap();
        rest(&workers, 1);
        assert_eq!(who(&workers), before);
    }

    #[test]
    fn threads_end_with_whoever_gives_them_work() {
        let workers = Arc::new(Workers::new(9));
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
