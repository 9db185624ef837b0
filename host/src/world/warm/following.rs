//! A thread that has clients told when skills change, though nobody calls.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{Builder, JoinHandle, sleep},
    time::Duration,
};

use super::Warm;

/// How long a change is waited on for those that come with it, and the least time between two pieces of news.
const QUIET: Duration = Duration::from_millis(50);
const NEWS: Duration = Duration::from_millis(450);

/// Follows changes for as long as it lives.
pub struct Following {
    warm: Arc<Warm>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Following {
    /// Calls `changed` after skills changed. Where nothing tells of that any more, `blind` is called, and that is all.
    ///
    /// # Errors
    /// Where no thread can be had.
    pub fn begin(
        warm: Arc<Warm>,
        changed: impl Fn() + Send + 'static,
        blind: impl Fn() + Send + 'static,
    ) -> io::Result<Following> {
        let ended = Arc::new(AtomicBool::new(false));
        let (follows, end) = (Arc::clone(&warm), Arc::clone(&ended));
        let run = move || {
            follow(&follows, &end, &changed);
            if !end.load(Ordering::Acquire) {
                blind();
            }
        };
        let thread = Builder::new().name("skills".to_owned()).spawn(run)?;
        Ok(Following { warm, ended, thread: Some(thread) })
    }
}

/// Until it is the end, or nothing tells any more.
fn follow(warm: &Warm, end: &AtomicBool, changed: &dyn Fn()) {
    let Some(changes) = warm.changes() else { return };
    // What is wrong with the settings is told to who calls.
    drop(warm.world());
    while !warm.is_blind() {
        if warm.news() {
            changed();
            sleep(NEWS);
        }
        changes.wait(None);
        if end.load(Ordering::Acquire) {
            return;
        }
        sleep(QUIET);
        drop(warm.world());
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        if let Some(changes) = self.warm.changes() {
            changes.wake();
        }
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
