//! `policies.lock`: which components a person said yes to, which are never loaded, and which policies were used before.
//!
//! *Invariant*: no disk, no engine, no clock. From a text to a lock and back, and from one lock to the next; whoever reads
//! and writes the file is another.

mod data;
mod history;
mod text;

#[cfg(test)]
mod tests;

pub use data::{Generation, Lock, Pin, Quarantined, SlotSet, Unfinished, Used};
pub use history::{Made, NoWayBack};
pub use text::BadLock;

/// Its name in the home.
pub const FILE: &str = "policies.lock";
/// The folder of the home that holds the bytes of all that was pinned, each named by its hash.
pub const KEPT: &str = "policies/kept";
