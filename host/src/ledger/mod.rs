//! What is known of skills and was done to them: identities, usage, decisions, changes. One SQLite file in the home.
//!
//! *Invariant*: SQL is written here and nowhere else. No rule decides here, and no file of a root is read or written.

mod damage;
mod error;
mod file;
mod journal;
mod open;
mod record;
mod roots;
mod schema;
mod skills;
mod words;

pub use error::LedgerError;
pub use journal::After;
pub use open::{Access, Ledger, Opened, SetAside};
pub use record::{Blob, ChangeId, ChangeRecord, Digest, NewChange, RootId, Step, Verb};
pub use roots::{NewRoot, RootRecord};
pub use skills::{NewSkill, Origin, SkillRecord};
