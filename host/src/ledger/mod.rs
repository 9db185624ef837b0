//! What is known of skills and was done to them: identities, usage, decisions, changes. One SQLite file in the home.
//!
//! *Invariant*: SQL is written here and nowhere else. No rule decides here, and no file of a root is read or written.

mod record;

pub use record::{Blob, ChangeId, ChangeRecord, Digest, NewChange, RootId, Step, Verb};
