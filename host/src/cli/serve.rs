//! `skillkeep serve`

use std::{net::SocketAddr, process::ExitCode, sync::Arc};

use clap::Args;
use tokio::sync::watch;

use super::{
    Global, home,
    options::{RootArgs, agent_word},
    output::Output,
};
use crate::{
    roster::{Roster, Setup as RosterSetup},
    serve::{Bound, Format, Host, HttpOptions, Setup, start_log, stdio},
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        policies::engine,
        store::{identity, no_home},
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

    /// How the log is written: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], hide_possible_values = true)]
    log: String,
}

/// Calls that may wait for their turn before others are told to come again.
const WAITING: usize = 1_000;

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
    let world = World::without_library(system, global.home.as_deref())?;
    let roster = Roster::of_builtins(engine(&world)?, RosterSetup::default());
    let host = Arc::new(Host::new(Setup {
        home: global.home.clone(),
        roots: args.roots.roots.clone(),
        agent: args.agent.clone(),
        current: Box::new(move || roster.current()),
        at_once: usize::from(args.at_once),
        waiting: WAITING,
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        CommandError::new(Kind::Fault, format!("the server can't begin: {error}"))
    })?;
    let Some(address) = args.http else {
        let served = runtime.block_on(stdio(host));
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
    Ok(ExitCode::SUCCESS)
}

/// Turns true when somebody stops this process.
fn stopped() -> Result<watch::Receiver<bool>, CommandError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("signals can't be waited for: {error}"))
    };
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let (end, ended) = watch::channel(false);
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
