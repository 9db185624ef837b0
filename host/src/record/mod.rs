//! Decisions, kept: what an index was decided from, by whom, and what came of it; compressed, in the home, named by hash.
//!
//! A record is two files. The *shelf* holds what doesn't change from session to session while the library doesn't: skills
//! with their texts, categories, who is hidden. The *record* points to it and holds the rest. Ten sessions over an unchanged
//! library keep its texts once.
//!
//! *Invariant*: nothing is decided here, and no folder is touched but `decisions/` in the home. A record is never changed.

mod again;
mod data;
mod keep;
mod shelf;

#[cfg(test)]
mod tests;

pub use again::{Again, NotAgain};
pub use data::{About, Begun, Facts, Record, Rows, SlotRecord, Used};
pub use keep::{KEEP_DAYS, RecordError, Records};
pub use shelf::{Shelf, ShelfCategory, ShelfHidden, ShelfSkill};
