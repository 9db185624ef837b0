//! What all sessions of a server share.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{Semaphore, oneshot};

use super::{
    index::Indexes,
    peers::Peers,
    recordings::Recordings,
    rest::{self, Stirred},
    workers::Workers,
};
use crate::{
    roster::Generation,
    system::{OsSystem, System},
    tools::Toolbox,
    world::{
        Where,
        error::CommandError,
        warm::{Now, Warm},
    },
};

/// How long calls that are under way may take to finish once the server is to end.
pub(super) const LAST_CALLS: Duration = Duration::from_secs(10);

/// The one system of a server: the real one.
static SYSTEM: OsSystem = OsSystem;

/// Who decides now. It is asked once for each call, which stays with what it got.
pub type Current = dyn Fn() -> Arc<Generation> + Send + Sync;

/// What a server is set up with.
pub struct Setup {
    /// The home, where one is named.
    pub home: Option<PathBuf>,
    /// The roots, where some are named.
    pub roots: Vec<PathBuf>,
    /// The agent that calls, such as `codex`, where it is told.
    pub agent: Option<String>,
    /// Who decides now.
    pub current: Box<Current>,
    /// Calls that are at work at once; the others wait their turn.
    pub at_once: usize,
    /// Calls that may wait; what comes then is told to come again.
    pub waiting: usize,
}

/// Why a call came to nothing before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// Too many were waiting.
    Busy,
    /// The work itself failed.
    Ended,
}

/// What all sessions of a server share.
pub struct Host {
    setup: Setup,
    turns: Semaphore,
    pub(super) workers: Arc<Workers>,
    pub(super) stirred: Stirred,
    /// Calls at work or waiting for it.
    calls: AtomicUsize,
    sessions: AtomicU64,
    name: String,
    warm: Arc<Warm>,
    pub(super) indexes: Indexes,
    pub(super) recordings: Arc<Recordings>,
    pub(super) peers: Peers,
}

impl Host {
    /// A host, before anybody calls.
    #[must_use]
    pub fn new(setup: Setup) -> Host {
        let turns = Semaphore::new(setup.at_once.max(1));
        let random = SYSTEM.disk().map_or(0, |disk| disk.random());
        let place = Where { home: setup.home.as_deref(), roots: &setup.roots, for_agents: true };
        let say = |line: &str| tracing::warn!("{line}");
        let warm = Arc::new(Warm::new(&SYSTEM, &place, SYSTEM.changes(), say));
        Host {
            warm,
            indexes: Indexes::default(),
            recordings: Arc::default(),
            // One more than calls at work: an index is recorded behind its answer.
            workers: Arc::new(Workers::new(setup.at_once.max(1).saturating_add(1))),
            stirred: Stirred::default(),
            setup,
            turns,
            calls: AtomicUsize::new(0),
            sessions: AtomicU64::new(0),
            name: format!("mcp-{:08x}", random as u32),
            peers: Peers::default(),
        }
    }

    /// A name for a session that has none: no two of any server are alike.
    pub(super) fn name_session(&self) -> String {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number}", self.name)
    }

    /// The name of all that comes without a session.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The agent that calls, where it is told.
    pub(super) fn agent(&self) -> Option<&str> {
        self.setup.agent.as_deref()
    }

    /// Where to look.
    pub(super) fn place(&self) -> Where<'_> {
        let home = self.setup.home.as_deref();
        Where { home, roots: &self.setup.roots, for_agents: true }
    }

    /// The world that is kept between calls.
    #[must_use]
    pub fn warm(&self) -> &Arc<Warm> {
        &self.warm
    }

    /// The world of this moment, and what the home knows of it.
    pub(super) fn now(&self) -> Result<Now, CommandError> {
        self.warm.now()
    }

    /// Who decides now.
    #[must_use]
    pub fn generation(&self) -> Arc<Generation> {
        (self.setup.current)()
    }

    /// The tools for a session of this name.
    pub(super) fn toolbox(&self, session: &str) -> Toolbox<'_> {
        Toolbox {
            system: &SYSTEM,
            place: self.place(),
            warm: Some(&self.warm),
            agent: self.setup.agent.clone(),
            session: Some(session.to_owned()),
            generation: Some(self.generation()),
        }
    }

    /// Has all clients told that skills changed, from whatever thread this is called.
    pub fn skills_changed(self: &Arc<Host>, runtime: &tokio::runtime::Handle) {
        // Who tells of changes has looked at the skills before.
        rest::here();
        self.stirred.note();
        let host = Arc::clone(self);
        drop(runtime.spawn(async move { host.peers.tell().await }));
    }

    /// Waits until no call is at work or waits for it, and no record is written, for so long at most.
    pub(super) async fn idle(&self, most: Duration) {
        let until = Instant::now() + most;
        while self.is_at_work() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Whether a call is at work or waits for it, or a record is written.
    pub(super) fn is_at_work(&self) -> bool {
        self.calls.load(Ordering::Acquire) > 0 || self.recordings.is_busy()
    }

    /// Does what takes the disk or a policy on one of the workers, in its turn.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Host>,
        work: impl FnOnce(&Host) -> T + Send + 'static,
    ) -> Result<T, Lost> {
        self.work_on(|host, answer| answer.give(work(host))).await
    }

    /// The same for who goes on with something after its answer was given.
    pub(super) async fn work_on<T: Send + 'static>(
        self: &Arc<Host>,
        work: impl FnOnce(&Host, Reply<T>) + Send + 'static,
    ) -> Result<T, Lost> {
        let call = Call::begin(self)?;
        let host = Arc::clone(self);
        let turn = self.turns.acquire().await.map_err(|_| Lost::Ended)?;
        let (answer, answered) = oneshot::channel();
        if let Err(error) = self.workers.begin(move || work(&host, Reply(answer))) {
            tracing::error!(%error, "a call could not be begun");
            return Err(Lost::Ended);
        }
        let done = answered.await;
        drop((turn, call));
        done.map_err(|_| {
            tracing::error!("a call ended before its time");
            Lost::Ended
        })
    }
}

/// Where the answer of a call is waited for.
pub(super) struct Reply<T>(oneshot::Sender<T>);

impl<T> Reply<T> {
    /// Gives it. Who waits no longer doesn't get it.
    pub(super) fn give(self, answer: T) {
        drop(self.0.send(answer));
    }
}

/// A call that is at work or waits for it, until it is dropped.
struct Call(Arc<Host>);

impl Call {
    fn begin(host: &Arc<Host>) -> Result<Call, Lost> {
        let most = host.setup.at_once.max(1).saturating_add(host.setup.waiting);
        let call = Call(Arc::clone(host));
        if host.calls.fetch_add(1, Ordering::AcqRel) >= most {
            return Err(Lost::Busy);
        }
        Ok(call)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::AcqRel);
        self.0.stirred.note();
    }
}
