//! The files of a Hermes home, each a pure function over its bytes, and what they say together.
//!
//! *Invariant*: nothing is opened here and nothing decided. What is not understood is told, by file and by key or line.

mod curator;
mod home;
mod jobs;
mod lists;
mod pending;
mod records;
mod settings;
mod written;

pub use home::{HermesFiles, read_hermes_home};
pub use jobs::{FILE as JOBS_FILE, read as read_jobs, read_mentions as read_job_mentions};
pub use lists::suppressed_file;
pub use pending::{PendingAct, PendingWrite, read_pending_write};
pub use settings::{HermesSettings, read_hermes_settings};
pub use written::{UsageLine, WriteRefused, usage_file};
