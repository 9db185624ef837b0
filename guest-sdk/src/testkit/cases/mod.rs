//! Cases in Markdown: what a policy is told and what it must answer, as a document that people read and tests run.
//!
//! ```markdown
//! # Archiving what rests too long
//!
//! ## a skill that nobody opened for three months
//!
//! It goes to the archive; one that was opened lately stays.
//!
//! | skill   | last-used    |
//! | ------- | ------------ |
//! | docker  | 2 days ago   |
//! | vagrant | 400 days ago |
//!
//! expect:
//!
//! | skill   | verdict | why                 |
//! | ------- | ------- | ------------------- |
//! | vagrant | archive | unused for 400 days |
//! ```
//!
//! What stands before the first `##` holds for every case of the file. The same cases run natively ([`native`], and as tests
//! by their names with the feature `harness`, which is on by default) and on the built component, by `skillkeep policy test`.
//!
//! No rule belongs here, and no sandbox: a case makes a [`Question`], whoever asks it gives back a [`Reply`], and the case says
//! whether that is what it expects.

mod ask;
mod bless;
mod draft;
#[cfg(feature = "harness")]
pub mod harness;
mod judge;
pub mod native;
mod parse;
mod problem;
mod table;
mod told;
mod value;
mod write;

pub use ask::{Question, Reply, Subject};
pub use bless::bless;
pub use judge::{Judged, Run};
pub use parse::parse;
pub use problem::Problem;
pub use table::Slot;
pub use told::Told;
pub use write::write;

use super::library::Library;
use crate::facts::Value;
use std::ops::Range;

/// The cases of one file.
#[derive(Clone, Debug)]
pub struct File {
    /// As it is named in messages.
    pub path: String,
    /// What the first heading says.
    pub title: String,
    /// In their order.
    pub cases: Vec<Case>,
}

/// One case: a question and what is expected of the answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// What its heading says.
    pub name: String,
    /// The line of its heading, counted from 1.
    pub line: usize,
    /// The file, as it is named in messages.
    pub path: String,
    /// The slot that it is for, where the case says so.
    pub slot: Option<Slot>,
    pub(crate) told: Facts,
    pub(crate) expected: Expected,
    /// The lines of the expectation, counted from 0: what blessing replaces.
    pub(crate) span: Range<usize>,
}

/// What a policy is told, before it is known what it asks for.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub library: Library,
    /// Key, text, line.
    pub settings: Vec<(String, String, usize)>,
    pub write: Vec<(String, Value)>,
    pub content: String,
    /// Every key that is told, with its line.
    pub keys: Vec<(String, usize)>,
}

/// What is expected.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    /// Not written yet.
    Unwritten,
    /// No proposal.
    Nothing,
    /// A refusal, as it is told.
    Refused(String),
    /// Every proposal, in the order of the rows.
    Rows(Rows),
    /// The same question several times, with something changed each time.
    Grid(Grid),
}

#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub slot: Slot,
    /// Whether the reasons are compared.
    pub why: bool,
    /// Line and cells.
    pub rows: Vec<(usize, Vec<String>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// Headings of the columns that change the question.
    pub inputs: Vec<String>,
    /// Headings of the columns that say what comes of it: names of skills or categories.
    pub subjects: Vec<String>,
    pub rows: Vec<GridRow>,
}

#[derive(Clone, Debug)]
pub(crate) struct GridRow {
    pub line: usize,
    pub inputs: Vec<String>,
    pub choices: Vec<String>,
    /// What the policy is told in this row.
    pub told: Facts,
}
