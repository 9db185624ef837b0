//! A world that is kept from one call to the next, for who answers many.
//!
//! *Invariant*: nothing kept is used on a word alone that it still holds. Each call asks the kernel what happened in every folder that
//! was listed, and files for the state that they had when they were read; where that can't tell, all is read again.

mod following;
mod happened;
mod held;
mod keeper;
#[cfg(test)]
mod tests;

pub use following::Following;
pub use keeper::{Now, Warm};
