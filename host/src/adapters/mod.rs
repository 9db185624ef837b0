//! Other agents' files: what they know of usage, what they hide, where they keep more skills; what of that is taken over
//! into the ledger (`takeover`); and our own index of an earlier session.
//!
//! Each reader takes bytes and returns values, so that a stranger's file can be tested without a disk.
//!
//! *Invariant*: nothing here opens a file, reads a clock, or decides what is shown; nothing a file says is obeyed, only
//! reported.

mod claude;
mod hermes;
mod previous;
pub mod progressive;
mod said;
pub mod takeover;
mod text;
mod time;
mod usage;

pub use claude::{
    ClaudeSettings, InstalledPlugin, Visibility, read_claude_plugins, read_claude_settings,
    read_plugin_manifest,
};
pub use hermes::{
    HermesFiles, HermesSettings, JOBS_FILE, PendingAct, PendingWrite, UsageLine, WriteRefused,
    read_hermes_home, read_hermes_settings, read_job_mentions, read_jobs, read_pending_write,
    suppressed_file, usage_file,
};
pub use previous::{Previous, PreviousError, read_previous};
pub use said::{Claim, Count, JobReference, Left, Program, Record, Said};
pub use text::ForeignError;
pub use usage::{UsageError, read_usage};
