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

/// What sessions began with, for who goes on with the same ones again and again: reading a record means reading all texts that it
/// is about.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<VecDeque<Remembering>>);

/// What one session began with, as its newest record has it.
#[derive(Debug)]
struct Remembering {
    agent: String,
    session: String,
    record: Digest,
    begun: Arc<Begun>,
}

/// Sessions that are remembered at most.
const MOST_SESSIONS: usize = 32;

/// Skills that all sessions together are remembered of at most, the newest session aside. Each takes 40 bytes.
const MOST_SKILLS: usize = 100_000;

impl Sessions {
    /// What the session of a record began with, where it is remembered.
    #[must_use]
    pub fn get(&self, record: Digest) -> Option<Arc<Begun>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|it| it.record == record).map(|it| Arc::clone(&it.begun))
    }

    /// Remembers what an agent's session began with, in place of what an older record of it says.
    pub(super) fn keep(&self, (agent, session): (&str, &str), record: Digest, begun: Begun) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| it.agent != agent || it.session != session);
        let skills =
            |all: &VecDeque<Remembering>| -> usize { all.iter().map(|it| it.begun.len()).sum() };
        while all.len() >= MOST_SESSIONS || skills(&all) + begun.len() > MOST_SKILLS {
            if all.pop_front().is_none() {
                break;
            }
        }
        let (agent, session) = (agent.to_owned(), session.to_owned());
        all.push_back(Remembering { agent, session, record, begun: Arc::new(begun) });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{MOST_SESSIONS, MOST_SKILLS, Sessions};
    use crate::{ledger::Digest, record::Begun};

    fn keep(sessions: &Sessions, session: &str, record: &str, skills: usize) {
        sessions.keep(("", session), Digest::of(record.as_bytes()), Begun::of_unused(skills));
    }

    fn has(sessions: &Sessions, record: &str) -> bool {
        sessions.get(Digest::of(record.as_bytes())).is_some()
    }

    #[test]
    fn a_session_is_remembered_once_by_its_newest_record() {
        let sessions = Sessions::default();
        for record in ["1", "2", "3"] {
            keep(&sessions, "a", record, 5);
            keep(&sessions, "b", &format!("b {record}"), 5);
        }
        let had = ["1", "2", "3", "b 1", "b 2", "b 3"].map(|record| has(&sessions, record));
        assert_eq!(had, [false, false, true, false, false, true]);
        assert_eq!(sessions.0.lock().unwrap().len(), 2);
    }

    #[test]
    fn the_oldest_sessions_are_forgotten_where_there_are_many_or_large_ones() {
        let sessions = Sessions::default();
        for number in 0..MOST_SESSIONS + 3 {
            keep(&sessions, &number.to_string(), &number.to_string(), 1);
        }
        assert_eq!(sessions.0.lock().unwrap().len(), MOST_SESSIONS);
        assert!(!has(&sessions, "2") && has(&sessions, "3"));
        keep(&sessions, "large", "large", MOST_SKILLS - 2);
        let all: usize = sessions.0.lock().unwrap().iter().map(|it| it.begun.len()).sum();
        assert_eq!(all, MOST_SKILLS);
        // The newest one is remembered, however large it is.
        keep(&sessions, "larger", "larger", MOST_SKILLS + 1);
        assert!(has(&sessions, "larger") && !has(&sessions, "large"));
        assert_eq!(sessions.0.lock().unwrap().len(), 1);
    }
}
