//! The plan laws: between what a policy proposes and what happens. Policies propose, the host disposes.
//!
//! *Invariant*: pure functions over data. No disk, no engine, no path; and nothing downstream takes an answer that has
//! not been through here, since [`Approved`] can only be made in this room.

mod breach;
mod clock;
mod fate;
mod plan;
mod wanted;
mod write;

#[cfg(test)]
mod tests;

pub use breach::{Bite, Breach, Law};
pub use clock::not_after;
pub use fate::{Bounds, Opinion, Ruling, Standing, Wish, approve_fates, hold_fates};
pub use plan::{Caps, Choice, Choices, Cut, Forms, Recut, approve_details, approve_forms};
pub use wanted::Wanted;
pub use write::{approve_write, hold_write};

/// Something that every law has let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approved<T>(T);

impl<T> Approved<T> {
    /// What was approved.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What was approved, taken out.
    pub fn into_inner(self) -> T {
        self.0
    }
}
