//! The clock of an engine. It ticks while a policy is at work, and sleeps while none is: a server that nobody calls takes no time
//! of its machine.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use wasmtime::EngineWeak;

use super::limits::TICK;

/// An engine's clock. It ends with the last clone.
#[derive(Clone)]
pub(super) struct Clock(Arc<Ending>);

/// Keeps the clock ticking until it is dropped.
pub(super) struct Ticking(Arc<Shared>);

struct Ending(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    at_work: usize,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until somebody is at work. Whether the engine is still there.
    fn wait(&self) -> bool {
        let nothing_to_do = |state: &mut State| state.at_work == 0 && !state.ended;
        let state = self.changed.wait_while(self.state(), nothing_to_do);
        !state.unwrap_or_else(PoisonError::into_inner).ended
    }
}

impl Clock {
    /// A clock that moves this engine's epoch. Its thread holds the engine weakly.
    pub(super) fn begin(engine: EngineWeak) -> Clock {
        let shared = Arc::new(Shared::default());
        let clock = Clock(Arc::new(Ending(Arc::clone(&shared))));
        // Without a clock the deadline never comes, but fuel still ends every loop: a thread that can't be had is no fault.
        let _ticker = thread::Builder::new().name("policy-clock".to_owned()).spawn(move || {
            while shared.wait() {
                thread::sleep(TICK);
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        });
        clock
    }

    /// Has it tick for as long as what this gives back is held.
    pub(super) fn tick(&self) -> Ticking {
        let Clock(ending) = self;
        let shared = Arc::clone(&ending.0);
        let mut state = shared.state();
        state.at_work += 1;
        if state.at_work == 1 {
            shared.changed.notify_one();
        }
        drop(state);
        Ticking(shared)
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.state().at_work -= 1;
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::{Duration, Instant};

    use wasmtime::{Config, Engine, Store};

    use super::{Clock, TICK};

    /// Whether so many ticks went by meanwhile.
    fn is_over(engine: &Engine, ticks: u64, meanwhile: impl FnOnce()) -> bool {
        let bytes = wat::parse_str("(module (func (export \"f\")))").unwrap();
        let module = wasmtime::Module::new(engine, bytes).unwrap();
        let mut store = Store::new(engine, ());
        store.set_epoch_deadline(ticks);
        meanwhile();
        let instance = wasmtime::Instance::new(&mut store, &module, &[]);
        let call = |instance: wasmtime::Instance| {
            instance.get_typed_func::<(), ()>(&mut store, "f")?.call(&mut store, ())
        };
        instance.and_then(call).is_err()
    }

    fn engine() -> Engine {
        Engine::new(Config::new().epoch_interruption(true)).unwrap()
    }

    #[test]
    fn it_ticks_only_while_somebody_is_at_work() {
        let engine = engine();
        let clock = Clock::begin(engine.weak());
        let (one, other) = (clock.tick(), clock.tick());
        drop(one);
        let until = Instant::now() + Duration::from_secs(10);
        while !is_over(&engine, 3, || std::thread::sleep(TICK * 5)) && Instant::now() < until {}
        assert!(Instant::now() < until, "it ticks for the other one");
        drop(other);
        // The tick that was under way comes yet, and nothing after it.
        while is_over(&engine, 1, || std::thread::sleep(TICK * 20)) && Instant::now() < until {}
        assert!(Instant::now() < until, "it sleeps");
        let again = clock.tick();
        while !is_over(&engine, 3, || std::thread::sleep(TICK * 5)) && Instant::now() < until {}
        assert!(Instant::now() < until, "it ticks again");
        drop(again);
    }

    #[test]
    fn its_thread_ends_with_it_whether_it_sleeps_or_ticks() {
        for at_work in [false, true] {
            let engine = engine();
            let clock = Clock::begin(engine.weak());
            let shared = std::sync::Arc::downgrade(&clock.0.0);
            let ticking = at_work.then(|| clock.tick());
            drop(clock);
            drop(ticking);
            let until = Instant::now() + Duration::from_secs(10);
            while shared.strong_count() > 0 && Instant::now() < until {
                std::thread::sleep(TICK);
            }
            assert_eq!(shared.strong_count(), 0, "at work: {at_work}");
        }
    }
}
