//! The long-lived host: agents' programs call its tools by the Model Context Protocol, over standard input and output or over
//! HTTP on loopback, while people and other processes work on the same home.
//!
//! *Invariant*: no rule is here. What a call does is done by `tools`, who decides is the current generation's to say, and what is kept
//! of a library between two calls is `world::warm`'s, so that none is older than the files.

mod host;
mod http;
mod index;
mod log;
mod peers;
mod recordings;
mod rest;
mod session;
mod skills;
mod stdio;
mod workers;

pub use host::{Host, Setup};
pub use http::{Bound, HttpOptions};
pub use index::answers;
pub use log::{Format, start as start_log};
pub use rest::{give_back_by, rest};
pub use session::Session;
pub use stdio::stdio;
