//! What whoever makes indexes again and again remembers from one to the next.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    index::{Lines, TokenMeter},
    ledger::Digest,
    record::Begun,
};

/// What costs time to find out and stays true.
pub(super) struct Remembered {
    /// What counts tokens.
    pub(super) tokens: Arc<TokenMeter>,
    /// What the lines of skills say.
    pub(super) lines: Lines,
    /// What sessions began with.
    pub(super) sessions: Sessions,
}

/// What sessions began with, by the names of their records, for who goes on with the same ones again and again: reading a record
/// means reading all texts that it is about.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<VecDeque<(Digest, Arc<Begun>)>>);

/// Sessions that are remembered at most.
const MOST_SESSIONS: usize = 32;

impl Sessions {
    /// What the session of a record began with, where it is remembered.
    #[must_use]
    pub fn get(&self, record: Digest) -> Option<Arc<Begun>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(name, _)| *name == record).map(|(_, begun)| Arc::clone(begun))
    }

    pub(super) fn keep(&self, record: Digest, begun: Begun) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(name, _)| *name != record);
        if all.len() >= MOST_SESSIONS {
            all.pop_front();
        }
        all.push_back((record, Arc::new(begun)));
    }
}
