//! The server's log, on standard error.
//!
//! Many a client gives a server a pipe there and never reads it. So nothing waits until a line is written: a thread writes, and
//! when it lags too far behind, lines are left out.

use std::{
    io::{self, Write},
    sync::mpsc::{SyncSender, sync_channel},
    thread,
};

use tracing_subscriber::{
    Layer as _, filter::LevelFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// Lines that wait to be written; what comes then is left out.
const WAITING: usize = 1_000;

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Takes lines for the thread that writes them.
#[derive(Clone)]
struct Lines(SyncSender<Vec<u8>>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // Nobody reads: a call is worth more than its line.
        drop(self.0.try_send(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lines<W: Write + Send + 'static>(mut to: W) -> Lines {
    let (lines, written) = sync_channel::<Vec<u8>>(WAITING);
    thread::spawn(move || {
        for line in written {
            if to.write_all(&line).is_err() {
                break;
            }
        }
    });
    Lines(lines)
}

/// Begins the log of this process: what this server says from `info` on, and of the libraries below it warnings alone; of what
/// speaks the protocol errors alone, for whoever asks wrongly is told in the answer. A second time it does nothing.
pub fn start<W: Write + Send + 'static>(format: Format, to: W) {
    let filter = tracing_subscriber::filter::Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("rmcp", LevelFilter::ERROR)
        .with_target("skillkeep", LevelFilter::INFO);
    let lines = lines(to);
    let layer = fmt::layer().with_writer(move || lines.clone()).with_ansi(false);
    let layer = match format {
        Format::Text => layer.with_target(false).boxed(),
        Format::Json => layer.json().flatten_event(true).boxed(),
    };
    drop(tracing_subscriber::registry().with(layer.with_filter(filter)).try_init());
}
