//! Clients that are told when skills change.

use std::sync::{Mutex, PoisonError};

use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

/// The clients of a server's sessions, and a count of changes for those that subscribe by themselves.
pub struct Peers {
    sessions: Mutex<Vec<Peer<RoleServer>>>,
    changes: watch::Sender<u64>,
}

impl Default for Peers {
    fn default() -> Peers {
        Peers { sessions: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Peers {
    /// Takes a client in, which is told from now on.
    pub(super) fn join(&self, peer: Peer<RoleServer>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|peer| !peer.is_transport_closed());
        sessions.push(peer);
    }

    /// What changes, for who waits for it.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Tells all clients that the skills they were told of are others now: lists of resources, and the index as a prompt.
    pub(super) async fn tell(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        let sessions = {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.retain(|peer| !peer.is_transport_closed());
            sessions.clone()
        };
        for peer in sessions {
            // Who went away meanwhile needs no news.
            drop(peer.notify_resource_list_changed().await);
            drop(peer.notify_prompt_list_changed().await);
        }
    }
}
