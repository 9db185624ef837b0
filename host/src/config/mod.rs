//! What the user set up: the home, `skillkeep.toml`, and the folders that skills are read from.
//!
//! Other agents' files are read by `adapters`; this room decides which of them to look at, and in which order.
//!
//! *Invariant*: nothing here is written or created, no skill is read, and no folder below a root is entered.

mod agents;
mod edit;
mod error;
mod expand;
mod file;
mod hermes;
mod home;
mod now;
mod roots;
mod table;

pub use edit::{Added, with_root};
pub use error::{ConfigError, ConfigWarning, RootError};
pub use file::{Config, FILE, IndexConfig, NamedRoot, SlotConfig, Untrusted, WritesConfig, load};
pub use hermes::HermesHome;
pub use home::{Home, home};
pub use now::{NowError, parse_now};
pub use roots::{FoundRoots, find_roots};
