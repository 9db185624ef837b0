//! Who decides while a host runs: policies swapped under it, tried before, watched after.
//!
//! A [`Generation`] is the whole set of active policies. A [`Roster`] says which one is current; whoever decides takes it once
//! and stays with it, so that a swap is one step for those who come after and nothing for those under way. What is to become
//! active is a [`Candidate`] first: loaded, its own cases run, tried on real questions. Then it is on probation, and one fault
//! brings back who was there before and puts its bytes in quarantine. A policy that is trusted and fails too often is left alone
//! for a while by its circuit breaker; its slot falls back meanwhile, as the slot does for any other failure.
//!
//! The clock condemns nobody: a call that is ended by it says that the machine is busy, perhaps. Fuel, which counts the same
//! everywhere, is what a policy is judged by. But a policy whose calls are ended by the clock again and again is left alone by
//! the breaker too, for everybody who asks it waits in vain.
//!
//! ```
//! use skillkeep::{
//!     decision::Slot,
//!     index::{CharMeter, Inputs, Policies, Programs},
//!     library::scan,
//!     policy::Engine,
//!     roster::{Recruit, Roster, Setup},
//!     skill::{OneLine, Root},
//!     system::OsSystem,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A library of one skill.
//! let folder = tempfile::tempdir()?;
//! let skill = folder.path().join("ops/backup");
//! std::fs::create_dir_all(&skill)?;
//! std::fs::write(
//!     skill.join("SKILL.md"),
//!     "---\nname: backup\ndescription: Use when files are to be kept safe.\n---\nCopy them.\n",
//! )?;
//! let root = Root { path: folder.path().to_owned(), label: OneLine::new("mine"), category: None };
//! let library = scan(&OsSystem, &[root], None);
//!
//! // The policies that come with the host, and an index by whoever decides now.
//! let roster = Roster::of_builtins(Engine::new(None, None)?, Setup::default());
//! let inputs = Inputs { limit: 2_000, short: 120, ..Inputs::default() };
//! let programs = Programs::new(&OsSystem);
//! let generation = roster.current();
//! let policies = Policies::of(&generation);
//! let made = inputs.make(&library, &CharMeter, &policies, &programs)?;
//! assert!(made.decided.block.text.contains("backup"));
//! assert_eq!(made.decided.generation(), Some(1));
//!
//! // Another rule for the budget: loaded beside the active one, tried on this very index, then active.
//! let candidate = roster
//!     .prepare(Slot::Budget, vec![Recruit::builtin("budget-progressive")])?
//!     .try_out(|generation| {
//!         let made = inputs.make(&library, &CharMeter, &Policies::of(generation), &programs);
//!         made.map(|made| made.answers())
//!     })?;
//! assert_eq!(candidate.trial().map(|trial| (trial.asked, trial.changed)), Some((2, 0)));
//! assert_eq!(candidate.activate()?.number(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! *Invariant*: no disk, and no clock but the one that is handed in. Nothing is decided here about skills, and what a fallback
//! is, the rooms that ask say.

mod breaker;
mod candidate;
mod clock;
mod desk;
mod error;
mod generation;
mod handle;
mod member;
mod quarantine;
mod recruit;
mod rules;
mod status;
mod trial;
mod watch;

#[cfg(test)]
mod tests;

pub use breaker::After;
pub use candidate::Candidate;
pub use clock::Clock;
pub use error::{Rejected, Why};
pub use generation::{Cause, Generation, Stamp, Stamped};
pub use handle::{Roster, Setup};
pub use member::{Member, Recruit};
pub use quarantine::{Listener, Mark, Only};
pub use rules::Rules;
pub use status::{Problem, Standing, Status};
pub use trial::{Answer, Answers, Flip, Trial};
pub use watch::{Came, Circuit, Held, Tally, Ticket, Trust};
