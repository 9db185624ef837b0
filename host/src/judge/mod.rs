//! Who may write what, and whose the result is: the slot `provenance` asked about one write, its policies' answers made one,
//! and the laws above it.
//!
//! *Invariant*: no disk, no ledger and no clock: a judgement depends on its request and on the policies, and nothing else.
//! Nothing is written here, and no rule stands here but how answers combine and what holds where there is none.

mod combine;
mod differ;
mod hearing;
mod question;
mod seat;
mod table;

#[cfg(test)]
mod tests;

pub use combine::combine;
pub use differ::{Differing, differences};
pub use hearing::{Hearing, Opinion};
pub use question::question;
pub use seat::{Chosen, Judge};
pub use table::{Cell, Under, WRITERS, answers, table};
