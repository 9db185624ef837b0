//! A policy alone: its cases, the laws of good rules on generated snapshots, and what it costs by size.
//!
//! *Invariant*: no library of a user and no record of decisions is touched, read or written; a trial's facts are a case's own
//! or made up. Cases are read and judged by the SDK's test kit, so that `cargo test` of a policy says the same.

mod bench;
mod cases;
mod laws;
mod report;
mod sample;
mod sandboxed;
mod writes;

pub use bench::{Point, SIZES, bench};
pub use cases::{CaseRun, Sheet, run_sheets};
pub use laws::{Broken, Effort, LAWS, Law, LawRun, Verdict, run_laws};
pub use report::{bench_table, junit, laws_text, sheets_text};
pub(crate) use sample::Dice;
pub use sandboxed::Sandboxed;
