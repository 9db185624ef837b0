//! What is known of skills and was done to them: identities, usage, decisions, changes. One SQLite file in the home.
//!
//! *Invariant*: SQL is written here and, about its own index, in `search`; nowhere else. No rule decides here, and no file of a root is read or written.

mod at_hand;
mod backup;
mod check;
mod curated;
mod damage;
mod decisions;
mod error;
mod file;
mod former_objects;
mod identity;
mod journal;
mod open;
mod passes;
mod pending;
mod put_back;
mod queue;
mod record;
mod refusals;
mod roots;
mod scan;
mod schema;
mod skills;
mod taken_writes;
mod takeover;
mod upkeep;
mod usage;
mod words;

pub use crate::skill::Origin;
pub use at_hand::AtHand;
pub use backup::{backups, is_whole};
pub use check::Fault;
pub use curated::{InCare, LastOutcomes};
pub use damage::{Damage, Lost};
pub use decisions::Decided;
pub use error::LedgerError;
pub use identity::{Found, Known, Matched, Sketch, Spot, match_up};
pub use journal::After;
pub use open::{Access, Ledger, Opened};
pub use passes::{Moved, Pass, PassEnd, PassId, PassPhase, Retired, Standing, Transition};
pub use pending::{Limits, NewPending, NoPendingId, Pending, PendingId, PendingState, Staged};
pub use record::{Blob, ChangeId, ChangeRecord, Digest, Leave, NewChange, RootId, Step, Verb};
pub use refusals::{Refused, ShutOut};
pub use roots::{NewRoot, RootRecord};
pub use scan::{Meant, Remembered, Settled};
pub use skills::{NewSkill, SkillRecord};
pub use taken_writes::{NoRoom, TakenWrite, Took, WriteRecord};
pub use takeover::{Mark, PutAway, Reference, Source, Taken, Takeover};
pub use usage::{Event, Happening, Kind, Shown, Sums};

#[cfg(test)]
mod tests;
