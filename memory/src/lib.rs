//! The allocator of the program, and how memory that it keeps goes back to the machine.
//!
//! An allocator keeps what was freed, since whoever needed it will likely need it again; each thread has its own. A server that
//! made one index of ten thousand skills holds tens of megabytes of that for as long as nobody calls. [`give_back`] is for such
//! times. On Linux what is written in C allocates here, too.
//!
//! *Invariant*: this is the one crate of the host's side in which `unsafe` is written, and it is written for one declaration.

pub use mimalloc::MiMalloc as Allocator;

// SAFETY: the declaration is that of `mimalloc.h`, whose library `Allocator` links. The function may be called by any thread at any
// time, with either value, and touches no memory that is in use.
unsafe extern "C" {
    safe fn mi_collect(force: bool);
}

/// Gives back to the machine what this thread keeps and doesn't use, and what threads left behind that have ended. What other
/// threads keep stays. It takes some milliseconds at most, and whoever allocates next takes new pages.
pub fn give_back() {
    mi_collect(true);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::{Allocator, give_back};

    #[global_allocator]
    static ALLOCATOR: Allocator = Allocator;

    /// Bytes of this process that are in memory and of no file.
    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
    }

    #[test]
    fn what_was_freed_goes_back() {
        const MANY: usize = 32 << 20;
        let before = resident();
        let texts: Vec<Box<[u8]>> = (0..MANY / 64).map(|_| vec![1; 64].into()).collect();
        assert!(resident() > before + MANY, "they are all there");
        drop(texts);
        give_back();
        assert!(resident() < before + MANY / 4, "{} of {before} before", resident());
    }
}
