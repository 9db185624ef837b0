//! What becomes of skills that nobody uses: who is asked about what, what comes of the answers, when a pass may run, and what
//! is told of it.
//!
//! *Invariant*: nothing is written here, and nothing is given with which one could write. What comes out is a plan and text;
//! whoever carries a plan out is another.

mod ask;
mod care;
mod combine;
mod facts;
mod gate;
mod plan;
mod prune;
mod report;
#[cfg(test)]
mod tests;

pub use ask::{Heard, Seat, hear};
pub use care::{NotAdopted, Outside, is_declared};
pub use combine::{Verdict, combine};
pub use facts::{CLAIMS, OUTCOMES, Outcomes, Subject, question};
pub use gate::{Gate, Idle, IdleFrom, Wait};
pub use plan::{Asked, Expected, Noticed, PRUNING, Plan, Planned, Policy, make, make_of};
pub use prune::{Pruning, prune};
pub use report::{Became, Counts, Happened, Report, in_a_row, summary, wanted, why_held};
