//! All skills of the roots that a home owns, as they were at a moment, and the way back there. A snapshot is a list; the bytes
//! are objects of the home, which a file that stays as it is shares with its history and with every other snapshot.
//!
//! *Invariant*: nothing here writes below a root but as a group of changes, and nothing that is in a snapshot is let go
//! while there is the snapshot.

mod between;
mod export;
mod look;
mod manifest;
mod plan;
mod rollback;
mod store;
mod take;

pub(super) use store::named;
#[cfg(test)]
pub(super) use take::look_at;

pub use export::Exported;
pub use look::{LARGEST_KEPT, LEFT_OUT};
pub use manifest::{LeftOut, Manifest, RootState, SkillState};
pub use plan::{Fate, RollbackPlan, SkillPlan};
pub use rollback::RolledBack;
pub use store::{Lack, Rolled, Snapshot, Snapshots};
