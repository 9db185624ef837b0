//! Decisions, kept: what an index was decided from, by whom, and what came of it; compressed, in the home, named by hash.
//!
//! A record is two files. The *shelf* holds what doesn't change from session to session while the library doesn't: skills
//! with their texts, categories, who is hidden. The *record* points to it and holds the rest. Ten sessions over an unchanged
//! library keep its texts once.
//!
//! A pass of the curator has a record too, one file: what each policy was asked and answered, how the skills stood to the laws,
//! and the plan. Where it lies is its report's business; here is what it holds, and how it is packed.
//!
//! *Invariant*: nothing is decided here, and no folder is touched but `decisions/` in the home. A record is never changed.

mod again;
mod data;
mod keep;
mod packed;
mod pass;
mod shelf;

#[cfg(test)]
mod tests;

pub use again::{Again, NotAgain};
pub use data::{About, Begun, Facts, Record, Rows, SlotRecord, Used};
pub use keep::{KEEP_DAYS, RecordError, Records, Stored};
pub use packed::{ENDING, MOST};
pub use pass::{Answered, FORM, PassRecord, Ruled, SeatRecord, Told};
pub use shelf::{Shelf, ShelfCategory, ShelfHidden, ShelfSkill};
