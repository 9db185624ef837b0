//! Compiling a stranger's component in a process of its own.
//!
//! wasmtime counts it no flaw if a component takes very long to compile or very much memory. The child has limits for
//! both, and its result is found in the shared cache. It guards against hangs and memory, not against malice in the
//! compiled code: that is the sandbox's part.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    process::{Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Resource, Rlimit, setrlimit};
use wasmtime::component::Component;

use super::{
    engine::Engine, error::LoadError, limits::MAX_COMPONENT_BYTES, room, threads::on_deep_thread,
};
use crate::skill::OneLine;

/// The first argument that makes the program compile standard input and do nothing else.
pub const ISOLATED_COMPILE: &str = "__compile-component";

const WALL_TIME: Duration = Duration::from_secs(30);
const CPU_SECONDS: u64 = 60;
const ADDRESS_SPACE: u64 = 4 << 30;

/// Compiles in a child of the given program, so that the parent finds the result in the cache.
pub(super) fn compile_in_child(
    program: &Path,
    cache_folder: Option<&Path>,
    bytes: &[u8],
) -> Result<(), LoadError> {
    let stopped = |reason: String| LoadError::CompileStopped { reason };
    let mut command = Command::new(program);
    command
        .arg(ISOLATED_COMPILE)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    if let Some(folder) = cache_folder {
        command.arg(folder);
    }
    let mut child = command
        .spawn()
        .map_err(|error| stopped(format!("its process can't be started: {error}")))?;
    let mut input = child.stdin.take();
    let mut output = child.stderr.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A child that ends early closes its end; what it has to say comes by its exit.
            if let Some(input) = &mut input {
                drop(input.write_all(bytes));
            }
        });
        let message = scope.spawn(move || {
            let mut text = Vec::new();
            if let Some(output) = &mut output {
                drop(output.take(4096).read_to_end(&mut text));
            }
            String::from_utf8_lossy(&text).into_owned()
        });
        let started = Instant::now();
        let mut pause = Duration::from_micros(500);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if started.elapsed() > WALL_TIME => {
                    drop(child.kill());
                    drop(child.wait());
                    break Err(stopped(format!("it was not done after {} s", WALL_TIME.as_secs())));
                }
                Ok(None) => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(error) => break Err(stopped(error.to_string())),
            }
        }?;
        let message = message.join().unwrap_or_default();
        match status.code() {
            Some(0) => Ok(()),
            Some(1) => Err(LoadError::Compile { reason: OneLine::capped(&message, 400) }),
            _ => Err(stopped(format!(
                "its process ended by {status}; it may use {CPU_SECONDS} s and {}",
                match room::limit().filter(|limit| *limit < ADDRESS_SPACE) {
                    Some(limit) => format!("{} MiB, as `ulimit -v` has it", limit >> 20),
                    None => format!("{} GiB", ADDRESS_SPACE >> 30),
                }
            ))),
        }
    })
}

/// The child: takes its limits, compiles standard input into the cache, and says by its exit how that went.
#[must_use]
pub fn compile_isolated_main(cache_folder: Option<&Path>) -> ExitCode {
    // Made before its limits are set: what is compiled depends on how much room there is, and the parent's counts.
    let engine = match Engine::new(cache_folder, None) {
        Ok(engine) => engine,
        Err(error) => return say(&error.to_string()),
    };
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // Where a limit can't be set, the parent's patience is still one.
    let _unlimited = setrlimit(Resource::As, limit(ADDRESS_SPACE));
    let _unlimited = setrlimit(Resource::Cpu, limit(CPU_SECONDS));
    let mut bytes = Vec::new();
    if let Err(error) =
        std::io::stdin().lock().take(MAX_COMPONENT_BYTES + 1).read_to_end(&mut bytes)
    {
        return say(&error.to_string());
    }
    match on_deep_thread(|| Component::from_binary(engine.wasmtime(), &bytes).map(drop)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => say(&format!("{error:#}")),
        Err(error) => say(&error.to_string()),
    }
}

fn say(message: &str) -> ExitCode {
    drop(writeln!(std::io::stderr(), "{message}"));
    ExitCode::FAILURE
}
