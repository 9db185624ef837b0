//! The only writer inside roots and archives: a change is journaled, staged, moved into place, and recorded; what was
//! not finished is finished or undone by whoever comes next.
//!
//! *Invariant*: no other room writes below a root. Nothing is decided here but what the act laws say.

pub mod content;
pub mod diff;
pub mod names;
pub mod patch;
