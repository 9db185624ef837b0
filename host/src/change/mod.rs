//! The only writer inside roots and archives: a change is journaled, staged, moved into place, and recorded; what was
//! not finished is finished or undone by whoever comes next.
//!
//! *Invariant*: no other room writes below a root. Nothing is decided here but what the act laws say.

mod adopt;
mod apply;
mod approve;
mod archive;
mod audit;
mod choices;
pub mod content;
pub mod diff;
mod draft;
mod effect;
mod error;
mod folders;
mod foreign;
mod group;
mod judge;
mod keeper;
mod looks;
pub mod names;
mod objects;
mod outside;
pub mod patch;
mod pins;
mod place;
mod purge;
mod recover;
mod remember;
pub mod request;
mod retention;
mod seen;
mod several;
mod snapshot;
mod spot;
mod stage;
mod taken;
mod through;
mod together;
mod tree;
mod undo;
mod wanted;
mod write;

#[cfg(test)]
mod tests;

use apply::Fresh;

pub use approve::{Proposal, Standing, turn_down, waiting};
pub use archive::{Archived, Sidecar};
pub use audit::{Audit, Flaw};
pub use choices::{choose, unchoose};
pub use draft::Draft;
pub use error::ChangeError;
pub use foreign::{Held, is_put_away_elsewhere};
pub use judge::{Judge, Unruled};
pub use keeper::{By, Done, Home, Keeper, Target};
pub use looks::Looks;
pub use objects::Objects;
pub use outside::{Looked, Scan, Sighting};
pub use pins::{Pin, Pins};
pub use place::is_kept;
pub use purge::PurgePlan;
pub use recover::Recovered;
pub use retention::{Retention, Swept, sweep};
pub use several::{CHUNK, Retire};
pub use snapshot::{
    Exported, Fate, LARGEST_KEPT, LEFT_OUT, Lack, LeftOut, Manifest, RollbackPlan, Rolled,
    RolledBack, RootState, SkillPlan, SkillState, Snapshot, Snapshots,
};
pub use stage::{LIMITS, Staged};
pub use taken::{Act, Foreseen, WaitedElsewhere};
pub use tree::Tree;
pub use write::{Base, Clash, Edit, NewSkill, Preview};
