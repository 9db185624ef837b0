//! Threads with a stack of known size. wasmtime and its parsers recurse, and neither looks at the stack they are on.

use std::{io, thread};

use super::limits::{DEEP_STACK, THREAD_STACK};

/// Runs `work` on a thread whose stack is large enough for what wasm code may use of it.
pub(super) fn on_policy_thread<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    on_thread("policy", THREAD_STACK, work)
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
        handle.join().map_err(|_| io::Error::other(format!("the thread `{name}` panicked")))
    })
}
