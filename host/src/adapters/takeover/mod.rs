//! What is taken over of what another program says: a pure function from its words, what was taken before, and what is
//! known of skills, to a plan. What the plan says is what is written.
//!
//! Two rules run through it. Nothing is counted twice: of each record only what it tells beyond the most that it ever told.
//! And nobody's later word is undone: a pin or a state is taken when it is said anew, not each time that it is read.

mod back;
mod plan;
mod references;
mod totals;
mod writes;

#[cfg(test)]
mod tests;

pub use back::{Given, Lines, lines, marks};
pub use plan::{InArchive, Inputs, Plan, Standing, plan};
pub use writes::{Check, Place, TakeWrite, WaitingThere, WriteInputs, WritePlan, plan_writes};
