//! `skillkeep serve`

use std::{net::SocketAddr, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::Args;
use tokio::{
    runtime::Handle,
    sync::watch::{Receiver, channel},
};

use super::{
    Global, home,
    options::{RootArgs, agent_word},
    output::Output,
};
use crate::{
    roster::Rules,
    serve::{Bound, Format, Host, HttpOptions, Setup, answers, rest, start_log, stdio},
    system::{OsSystem, System},
    watch::{self, InForce, Looked, Pace, Questions, Told, Watching, of_system},
    world::{
        Tell, Where, World,
        error::{CommandError, Kind},
        pass::begin_if_due,
        policies::engine,
        store::{identity, no_home},
        warm::Following,
    },
};

/// Serve agents' programs by the Model Context Protocol, until they go away or it is stopped.
#[derive(Debug, Args)]
#[command(
    after_help = "Without `--http` one client is served over standard input and output, where nothing but the protocol is written; the log goes to standard error. Over HTTP a client shows the token that lies in the home's `server-token` (`Authorization: Bearer TOKEN`); `/healthz` needs none. No caller is a person, whoever started the server.\n\nExamples:\n  claude mcp add skillkeep -- skillkeep serve --agent claude-code\n  skillkeep serve --http 127.0.0.1:7456"
)]
pub struct ServeArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Serve over HTTP at this address, at `/mcp`; port 0 lets the system choose one [default: 127.0.0.1:7456]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:7456")]
    http: Option<SocketAddr>,

    /// Listen though others than this machine reach the address
    #[arg(long, requires = "http")]
    expose: bool,

    /// A host name that requests may be for, beside those of this machine's loopback; may be given several times
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,

    /// Requests a second that are answered in the long run
    #[arg(long, value_name = "N", requires = "http", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rate: u32,

    /// Calls that are at work at once; the others wait
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    at_once: u16,

    /// The agent that calls, such as codex: what was chosen for it counts
    #[arg(long, value_name = "AGENT", value_parser = agent_word)]
    agent: Option<String>,

    /// Load components that skillkeep.toml names though nobody said yes to them, or that changed since: for their authors
    #[arg(long)]
    dev: bool,

    /// How the log is written: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], hide_possible_values = true)]
    log: String,
}

/// Calls that may wait for their turn before others are told to come again.
const WAITING: usize = 1_000;

/// How long a thread that has nothing to do is kept. It costs next to nothing; one that ends leaves memory behind that no other
/// thread uses before long.
const KEPT: Duration = Duration::from_secs(3_600);

/// When a server first looks whether a pass of the curator is due, and how often after that. Hermes's server does the same.
const FIRST_TICK: Duration = Duration::from_secs(90);
const TICK: Duration = Duration::from_secs(3_600);

/// Serves.
pub fn serve(
    system: &dyn System,
    global: &Global,
    args: &ServeArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    if let Some(address) = args.http
        && !address.ip().is_loopback()
        && !args.expose
    {
        let message = format!("others than this machine would reach {address}");
        return Err(CommandError::new(Kind::Usage, message)
            .hint("127.0.0.1 is this machine alone; `--expose` listens there all the same"));
    }
    let format = if args.log == "json" { Format::Json } else { Format::Text };
    start_log(format, std::io::stderr());
    let place = global.at(&args.roots);
    let world = World::unread(system, &place)?;
    let (home, roots) = (global.home.clone(), args.roots.roots.clone());
    let in_force = in_force(&world, (home.clone(), roots.clone()), args.dev)?;
    let roster = in_force.roster().clone();
    let host = Arc::new(Host::new(Setup {
        home,
        roots,
        agent: args.agent.clone(),
        current: Box::new(move || roster.current()),
        at_once: usize::from(args.at_once),
        waiting: WAITING,
    }));
    let cant_begin = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("the server can't begin: {error}"))
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_keep_alive(KEPT).build().map_err(cant_begin)?;
    let watching = watch(in_force, &host, runtime.handle()).map_err(cant_begin)?;
    let following = follow(&world, &host, &watching, runtime.handle()).map_err(cant_begin)?;
    runtime.spawn(rest(Arc::clone(&host)));
    runtime.spawn(tick(global.home.clone(), args.roots.roots.clone()));
    let Some(address) = args.http else {
        let served = runtime.block_on(stdio(host));
        drop((following, watching));
        // A read of standard input that nobody ends any more holds no exit up.
        runtime.shutdown_background();
        return served.map(|()| ExitCode::SUCCESS);
    };
    let disk = system.disk().ok_or_else(no_home)?;
    let identity = identity(disk, &world.home).ok_or_else(no_home)?;
    let token = home::server_token(disk, &identity.path)?;
    let options = HttpOptions { address, token, hosts: args.hosts.clone(), a_second: args.rate };
    runtime.block_on(async {
        let bound = Bound::bind(options).await?;
        out.note(&format!("serving at {}", bound.url()?));
        if args.expose {
            out.warn("others than this machine reach this server, by a token that is not encrypted on the way");
        }
        bound.serve(host, stopped()?).await
    })?;
    drop((following, watching));
    Ok(ExitCode::SUCCESS)
}

/// The policies that the settings and the lock want, tried on the index and the writes of the moment before they are swapped.
fn in_force(
    world: &World<'_>,
    (home, roots): (Option<PathBuf>, Vec<PathBuf>),
    dev: bool,
) -> Result<Arc<InForce>, CommandError> {
    let questions: Questions =
        Box::new(move |generation| answers(home.as_ref(), &roots, generation));
    let setup = watch::Setup {
        system: Arc::new(OsSystem),
        home: world.home.clone(),
        engine: engine(world)?,
        rules: Rules::default(),
        clock: Arc::new(OsSystem),
        dev,
        questions: Some(questions),
    };
    Ok(Arc::new(InForce::begin(setup)?))
}

/// Has clients told that skills changed.
fn tell(host: &Arc<Host>, runtime: &Handle) -> impl Fn() + Clone + Send + 'static {
    let (host, runtime) = (Arc::clone(host), runtime.clone());
    move || host.skills_changed(&runtime)
}

/// Follows the skills by what the host keeps of them. Where nothing tells of their changes, who watches the settings looks at them,
/// too.
fn follow(
    world: &World<'_>,
    host: &Arc<Host>,
    watching: &Arc<Watching>,
    runtime: &Handle,
) -> std::io::Result<Following> {
    let roots: Vec<PathBuf> = world.found.roots.iter().map(|root| root.path.clone()).collect();
    let watching = Arc::downgrade(watching);
    let blind = move || {
        if let Some(watching) = watching.upgrade() {
            watching.roots(roots.clone());
        }
    };
    Following::begin(Arc::clone(host.warm()), tell(host, runtime), blind)
}

/// Follows the settings, the lock and the components, and tells the log and the clients what came of it.
fn watch(
    in_force: Arc<InForce>,
    host: &Arc<Host>,
    runtime: &Handle,
) -> std::io::Result<Arc<Watching>> {
    let tell = tell(host, runtime);
    let swapped = tell.clone();
    let looked = move |looked: &Looked| {
        for line in &looked.lines {
            tracing::info!("{line}");
        }
        // Another rule makes another index.
        if !looked.swapped.is_empty() {
            swapped();
        }
    };
    let warned = |line: &str| tracing::warn!("{line}");
    let told = Told { looked: Box::new(looked), skills: Box::new(tell), warned: Box::new(warned) };
    Ok(Arc::new(Watching::begin(in_force, Vec::new(), Pace::default(), told, of_system())?))
}

/// Has a pass of the curator begun when one is due: a while after the start, then now and then. It is made by a process of its
/// own, and no call waits for it.
async fn tick(home: Option<PathBuf>, roots: Vec<PathBuf>) {
    let mut next = tokio::time::Instant::now() + FIRST_TICK;
    loop {
        tokio::time::sleep_until(next).await;
        next += TICK;
        let (home, roots) = (home.clone(), roots.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let place = Where { home: home.as_deref(), roots: &roots, for_agents: true };
            begin_if_due(&OsSystem, &place, &mut ToLog)
        });
        match looked.await {
            Ok(Ok(waits)) if waits.is_empty() => tracing::info!("a pass of the curator begins"),
            // No home yet, or the ledger is somebody's for a moment: the next time.
            Ok(Err(error)) => tracing::debug!(%error, "no pass could be begun"),
            Ok(Ok(_)) | Err(_) => {}
        }
    }
}

/// What a pass would tell a person goes to the log.
struct ToLog;

impl Tell for ToLog {
    fn note(&mut self, line: &str) {
        tracing::info!("{line}");
    }

    fn warn(&mut self, line: &str) {
        tracing::warn!("{line}");
    }

    fn hint(&mut self, line: &str) {
        tracing::info!("{line}");
    }
}

/// Turns true when somebody stops this process.
fn stopped() -> Result<Receiver<bool>, CommandError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("signals can't be waited for: {error}"))
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let (end, ended) = channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        // Nobody waits any more where the server ended by itself.
        end.send_replace(true);
    });
    Ok(ended)
}
