//! Threads with a stack of known size. wasmtime and its parsers recurse, and neither looks at the stack they are on.

use std::{
    cell::Cell,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    thread::{self, JoinHandle},
};

use super::limits::{DEEP_STACK, ROOMY_STACK, THREAD_STACK};

thread_local! {
    /// Whether policies can be asked on this thread.
    static ROOMY: Cell<bool> = const { Cell::new(false) };
}

/// Begins a thread on which policies are asked without another thread for each call, for who asks them again and again. What
/// runs there leaves half of its stack, 4 MiB, to the policies.
///
/// # Errors
/// Where no thread can be had.
pub fn begin_roomy_thread(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let roomy = move || {
        ROOMY.set(true);
        work();
    };
    thread::Builder::new().name(name.to_owned()).stack_size(ROOMY_STACK).spawn(roomy)
}

/// Runs `work` on a thread whose stack is large enough for what wasm code may use of it.
pub(super) fn on_policy_thread<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    const NAME: &str = "policy";
    if ROOMY.get() {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked(NAME));
    }
    on_thread(NAME, THREAD_STACK, work)
}

/// Runs `work` on a thread whose stack is large enough for parsing whatever passes the limits of `inspect`.
pub(super) fn on_deep_thread<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    on_thread("policy-parser", DEEP_STACK, work)
}

fn on_thread<T: Send>(name: &str, stack: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let handle = thread::Builder::new()
            .name(name.to_owned())
            .stack_size(stack)
            .spawn_scoped(scope, work)?;
        handle.join().map_err(|_| panicked(name))
    })
}

fn panicked(name: &str) -> io::Error {
    io::Error::other(format!("the thread `{name}` panicked"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use std::thread;

    use super::{begin_roomy_thread, on_policy_thread};

    #[test]
    fn a_policy_is_asked_where_there_is_room_and_elsewhere_on_a_thread_of_its_own() {
        let asked_on = || on_policy_thread(|| thread::current().id()).unwrap();
        assert_ne!(asked_on(), thread::current().id());
        let roomy = begin_roomy_thread("roomy", move || {
            assert_eq!(asked_on(), thread::current().id());
            // Whoever has no room of its own has none for being begun there.
            let inner = thread::spawn(move || assert_ne!(asked_on(), thread::current().id()));
            inner.join().unwrap();
        });
        roomy.unwrap().join().unwrap();
    }

    #[test]
    fn a_panic_is_an_error_in_either_place() {
        let panics = || on_policy_thread(|| -> u8 { panic!("on purpose") });
        assert_eq!(panics().unwrap_err().to_string(), "the thread `policy` panicked");
        let roomy = begin_roomy_thread("roomy", move || {
            assert_eq!(panics().unwrap_err().to_string(), "the thread `policy` panicked");
        });
        roomy.unwrap().join().unwrap();
    }
}
