//! What a server does where nobody has called for a while: it gives memory back that it doesn't use.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

use super::Host;

/// How long nobody has to call. Who calls in a row, with a thought between two, finds all as it was left.
const QUIET: Duration = Duration::from_secs(3);

/// How a thread gives back what its allocator keeps.
static HOW: OnceLock<fn()> = OnceLock::new();

/// Has the servers of this process give back what their allocator keeps: `how` is called on each thread that works for calls once
/// nobody has called for some seconds, and on those that follow changes when they told of some. It is the program's to say, whose
/// allocator it is; the first word counts.
pub fn give_back_by(how: fn()) {
    HOW.get_or_init(|| how);
}

/// Tells when something was done.
#[derive(Debug, Default)]
pub(super) struct Stirred(Notify);

impl Stirred {
    /// Something was done.
    pub(super) fn note(&self) {
        self.0.notify_one();
    }

    /// Waits until something was done, and then nothing for so long.
    async fn quiet(&self, time: Duration) {
        self.0.notified().await;
        while timeout(time, self.0.notified()).await.is_ok() {}
    }
}

/// Gives memory back each time when nobody has called for a while, for as long as it is polled; the first time when nobody calls at
/// all.
pub async fn rest(host: Arc<Host>) {
    let Some(how) = HOW.get() else { return };
    host.stirred.note();
    loop {
        host.stirred.quiet(QUIET).await;
        // Its end will be told, too.
        if host.is_at_work() {
            continue;
        }
        let on_all = Arc::clone(&host);
        let done = tokio::task::spawn_blocking(move || on_all.on_all_threads(*how));
        if let Err(error) = done.await {
            tracing::warn!(%error, "no memory is given back");
        }
    }
}

/// Gives back what this thread keeps, for who did what is seldom done.
pub(super) fn here() {
    if let Some(how) = HOW.get() {
        how();
    }
}

impl Host {
    /// Does something on each thread that works for calls and on each that helps them; and here.
    fn on_all_threads(&self, work: fn()) {
        self.workers.each_idle(work);
        rayon::broadcast(|_| work());
        work();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::{Duration, Instant};

    use tokio::{
        runtime::Builder,
        time::{sleep, timeout},
    };

    use super::Stirred;

    const TIME: Duration = Duration::from_millis(100);

    #[test]
    fn quiet_is_when_nothing_was_done_since_something_was() {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let stirred = Stirred::default();
            // There was nothing to rest from.
            assert!(timeout(TIME * 2, stirred.quiet(TIME)).await.is_err());
            let begun = Instant::now();
            stirred.note();
            let later = async {
                sleep(TIME / 2).await;
                stirred.note();
            };
            tokio::join!(stirred.quiet(TIME), later);
            assert!(begun.elapsed() >= TIME + TIME / 2);
            // It is over once.
            assert!(timeout(TIME * 2, stirred.quiet(TIME)).await.is_err());
        });
    }
}
