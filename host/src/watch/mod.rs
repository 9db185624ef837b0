//! A running host keeps its policies those that the settings and the lock want, and tells what it really uses.
//!
//! [`InForce`] has the roster of a home. [`InForce::look`] reads the settings, the lock and the components where one of them is other
//! than it was, and has the whole set that is wanted tried and put in force in one step. What does not load or fails leaves what
//! was good, and why is kept. [`Watching`] is the thread that looks: the system's events wake it, and it looks every few seconds
//! though nobody did, so that an event that is lost costs seconds and nothing else.
//!
//! What is there is told by [`Report`], which lies in the home for as long as the process lives.
//!
//! *Invariant*: no event is believed. What changed is said by bytes and their hashes, and what may be loaded by the gate that
//! the command line's policies go through too. Written is the quarantine, by `world::commit`, and the report.

mod hints;
mod in_force;
mod interest;
mod look;
mod recruits;
mod report;
mod seen;
mod serving;
mod telling;
mod watching;
mod ways;
mod wish;

pub use hints::{Hint, Hints, NotWatched, Sink, Source, of_system};
pub use in_force::{InForce, Questions, Setup};
pub use look::Looked;
pub use recruits::{Named, recruits};
pub use report::{
    NamedReport, NamedState, Report, SCHEMA, SlotReport, TrialReport, Trouble, Watched,
};
pub use serving::{SERVING, Serving, running};
pub use watching::{Pace, Told, Watching};
