//! Search: the skills whose names, descriptions and bodies have what somebody asks for, the best first. FTS5 keeps the words and
//! finds the rows; what a hit shows is read from the skill's own file, and no hit is shown whose file doesn't have what was asked.
//!
//! The index is made from the library and can be deleted at any time. It lives in memory, and between two runs in one file that is
//! read and replaced as a whole.
//!
//! *Invariant*: SQL about the index is written here and nowhere else. Nothing of a skill is decided here: who may see what comes in
//! as an argument.

mod error;
mod file;
mod index;
mod near;
mod query;
mod rank;
mod snippet;
#[cfg(test)]
mod tests;
mod texts;
mod update;
mod words;

pub use error::SearchError;
pub use file::State;
pub use index::{Asked, Found, Hit, Index};
pub use near::near;
pub use query::{LONGEST_QUERY, MOST_WORDS, Query};
pub use texts::Field;
pub use update::Updated;
