//! How much address space there is. wasmtime reserves four gibibytes for a memory and uses none of it, which costs
//! nothing where addresses are free, and can't be had under `ulimit -v` or in some containers.

use rustix::{
    io::Errno,
    process::{Resource, getrlimit},
};

/// Below this, memories reserve what a policy may use and no more: eight decisions at a time, each with its memory and
/// the guard around it, fit in what is above.
const AMPLE: u64 = 64 << 30;

/// The bytes of addresses that this process may use, where that is limited.
pub(super) fn limit() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Whether there is too little for reserving what will not be used.
pub(super) fn is_scarce() -> bool {
    limit().is_some_and(|limit| limit < AMPLE)
}

/// What the machine would not give, if that is what failed: no fault of the policy's.
pub(super) fn shortage(error: &wasmtime::Error) -> Option<String> {
    let errno = error.downcast_ref::<Errno>()?;
    let limit = match limit() {
        Some(limit) => {
            format!("; `ulimit -v` leaves this process {} MiB of addresses", limit >> 20)
        }
        None => String::new(),
    };
    Some(match *errno {
        Errno::NOMEM => format!("there is no memory for it{limit}"),
        other => format!("{error:#} ({other})"),
    })
}
