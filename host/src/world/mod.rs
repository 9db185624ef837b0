//! What every door starts from, whoever knocks: the home and its settings, the roots and the library in them, the ledger
//! beside it, who calls, and who judges what is written. The command line opens it, and so do agents' tools.
//!
//! *Invariant*: nothing is printed here, and no argument of a command is known. What somebody should be told goes to a
//! [`Tell`].

pub mod asking;
pub mod caller;

pub mod commit;
pub mod counting;
pub mod error;
pub mod gate;
pub mod judges;
pub mod kept;
pub mod naming;
pub mod noting;
pub mod pass;
pub mod past;
pub mod policies;
pub mod recorded;
mod remembered;
pub mod session;
mod start;
pub mod store;
pub mod swap;
mod tell;
pub mod warm;

pub use start::{AnyMeter, Where, World};
pub use tell::{Tell, counted};
