//! The server's log, on standard error.

use std::io::Write;

use tracing_subscriber::{
    Layer as _, filter::LevelFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Begins the log of this process: what this server says from `info` on, and of the libraries below it warnings alone. A
/// second time it does nothing.
pub fn start<W: Write + 'static>(format: Format, write: fn() -> W) {
    let filter = tracing_subscriber::filter::Targets::new()
        .with_default(LevelFilter::WARN)
        .with_target("skillkeep", LevelFilter::INFO);
    let layer = fmt::layer().with_writer(write).with_ansi(false);
    let layer = match format {
        Format::Text => layer.with_target(false).boxed(),
        Format::Json => layer.json().flatten_event(true).boxed(),
    };
    drop(tracing_subscriber::registry().with(layer.with_filter(filter)).try_init());
}
