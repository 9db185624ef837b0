//! What the user set up: the home, `skillkeep.toml`, and the folders that skills are read from.
//!
//! Other agents' files are read by `adapters`; this room decides which of them to look at, and in which order.
//!
//! *Invariant*: nothing here is written or created, no skill is read, and no folder below a root is entered.

mod agents;
mod curator;
mod edit;
mod edit_slots;
mod error;
mod expand;
mod file;
mod hermes;
mod home;
mod now;
mod roots;
mod slots;
mod table;

pub use curator::{CuratorConfig, StaleForm};
pub use edit::{Added, with_root};
pub use edit_slots::with_slots;
pub use error::{ConfigError, ConfigWarning, RootError};
pub use expand::from_home;
pub use file::{Config, FILE, IndexConfig, NamedRoot, Untrusted, WritesConfig, load, read};
pub use hermes::HermesHome;
pub use home::{Home, home};
pub use now::{NowError, parse_now};
pub use roots::{FoundRoots, find_roots};
pub use slots::{Combine, PoliciesConfig, SlotConfig, takes_several};
