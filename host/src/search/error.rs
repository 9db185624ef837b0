//! What can be wrong with a search. What can be wrong with the index is no error: it is made anew, and [`super::State`] says why.

/// Why nothing could be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// SQLite could not hold the index in memory.
    #[error("the search index can't be held in memory: {0}")]
    Memory(rusqlite::Error),
}
